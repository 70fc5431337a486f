"""What our environments are asked for: the game, the learner's seat, what happens to an action that is not legal."""

from __future__ import annotations

from typing import Any

from boardlab.arguments import shown
from boardlab.errors import BoardlabError, unknown_name
from boardlab.game import Game
from boardlab.registry import make

__all__ = [
    "ILLEGAL",
    "MOST_STARTS",
    "RANDOM_SEAT",
    "game_of",
    "never_moves",
    "read_epsilon",
    "read_illegal",
    "read_seat",
]

RANDOM_SEAT = -1
ILLEGAL = ("lose", "raise", "random")
"""An illegal action loses the game with the worst score, is an error, or is replaced by a random legal one."""
MOST_STARTS = 1000
"""So many games in a row may be over before the learner's first turn."""


def game_of(game: str | Game, settings: dict[str, Any]) -> Game:
    """The game of a specification, with parameters as keywords; or the game itself."""
    if isinstance(game, Game):
        if settings:
            raise BoardlabError(f"{game.spec} is made already; leave {', '.join(settings)} out")
        return game
    return make(game, **settings)


def read_seat(seat: int | str, game: Game) -> int:
    """The learner's seat, from 0; RANDOM_SEAT where it is drawn for every game."""
    if seat == "random":
        return RANDOM_SEAT if game.num_players > 1 else 0
    if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < game.num_players:
        raise BoardlabError(f"the seat is random or a number from 0 to {game.num_players - 1}, not {shown(seat)}")
    return seat


def read_illegal(rule: str) -> str:
    """What happens to illegal actions."""
    if rule not in ILLEGAL:
        raise unknown_name("rule for illegal actions", str(rule), ILLEGAL)
    return rule


def read_epsilon(epsilon: float) -> float:
    """The share of random moves of opponents."""
    if not 0.0 <= epsilon <= 1.0:
        raise BoardlabError(f"epsilon, the share of random moves, is from 0 to 1, not {shown(epsilon)}")
    return float(epsilon)


def never_moves(game: Game) -> BoardlabError:
    """The error for a learner who has no turn."""
    return BoardlabError(f"{MOST_STARTS:,} games of {game.spec} were over before the learner's first turn")
