"""Which oracle knows a game: that of its solver where it has one, else the search of every continuation."""

from __future__ import annotations

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.learn.oracle import Oracle
from boardlab.solvers.base import solver_of
from boardlab.solvers.exhaustive import MOST_BOARDS, count_boards
from boardlab.solvers.exhaustive_oracle import exhaustive_oracle

__all__ = ["oracle_of"]


def oracle_of(game: Game) -> Oracle:
    """Who knows the worth of positions of the game, in compiled code. Too large a game is refused with a sentence."""
    solver = solver_of(game)
    known = solver.oracle() if solver is not None else None
    if known is not None:
        return known
    if count_boards(game) > MOST_BOARDS:
        raise BoardlabError(f"nobody knows what positions of {game.spec} are worth: it is too large to be solved")
    return exhaustive_oracle(game)
