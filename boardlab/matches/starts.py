"""Start positions for matches and evaluations."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.position import Position
from boardlab.rng import make_rng

__all__ = ["position_after", "positions_after", "random_starts"]


def positions_after(game: Game, plies: int) -> list[Position]:
    """The positions after every sequence of so many actions, those of finished games left out; one for each sequence,
    even where two lead to the same position. For games without chance."""
    found = [game.start()]
    for _ in range(plies):
        found = [position.copy().play(action) for position in found for action in position.legal_actions]
    return [position for position in found if not position.is_over]


def random_starts(game: Game, count: int, seed: int) -> list[Position]:
    """So many random start positions of the game (Choose-Start-01)."""
    rng = make_rng(seed)
    starts: list[Position] = []
    while len(starts) < count:
        states = np.zeros(1, game.state).view(np.recarray)
        game.random_start(states[0], rng)
        position = Position(game, states[0])
        if not position.is_over:
            starts.append(position)
    return starts


def position_after(game: Game, moves: str) -> Position:
    """The position after the actions that a person names, with spaces or commas between them: `a1 b2`. Where all names
    are one character long, nothing has to be between them: `4453`."""
    if game.num_outcomes > 0:
        raise BoardlabError(f"{game.title} has chance events, so no position can be named by its moves alone")
    names: Iterable[str] = moves.replace(",", " ").split()
    if all(len(game.action_name(action)) == 1 for action in range(game.num_actions)):
        names = "".join(names)
    position = game.start()
    for name in names:
        position.play(name)
    return position
