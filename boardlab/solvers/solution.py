"""`solve`: the exact value of any position that one of the solvers can handle, and of every action in it.

    >>> from boardlab import make, solve
    >>> solve(make("tictactoe").start().play("a1").play("b1")).best

Values are scores of the game for the player to move, when all play perfectly. Between actions of the same value, best
play prefers the earlier win and the later loss.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from boardlab.errors import BoardlabError
from boardlab.game import action_list
from boardlab.position import Position
from boardlab.solvers.base import Outcomes, Progress, solver_of
from boardlab.solvers.exhaustive import thorough_search

__all__ = ["ActionValue", "Solution", "solve"]


@dataclass(frozen=True)
class ActionValue:
    """What an action is worth for the player to move."""

    action: int
    name: str
    value: float
    plies_to_end: int | None
    """How many plies the game lasts from the position on, this action included; None where that is not defined (see
    `Solution`)."""

    @property
    def rank(self) -> tuple[float, float]:
        """Higher is better: the score, then an earlier win or a later loss. What is too far away to be told is further
        away than what is told."""
        plies = math.inf if self.plies_to_end is None else self.plies_to_end
        return self.value, -plies if self.value > 0 else plies if self.value < 0 else 0.0


@dataclass(frozen=True)
class Solution:
    """A solved position. `value` is the score of the player to move under best play.

    `plies_to_end` is how long the game lasts then: the winner hurries, the loser does not. It is None where best play
    does not say: in draws but for Connect Four, whose draws fill the board; with chance, with more than two players, or
    where the game is not zero-sum; and where the search for it would take too long."""

    game: str
    moves: list[str]
    """Names of the actions that led to the position."""
    player: int
    """Who is to move, from 0."""
    value: float
    plies_to_end: int | None
    best: list[str]
    """Names of the best actions."""
    actions: list[ActionValue]
    """All legal actions."""


def solve(position: Position, progress: Progress | None = None) -> Solution:
    """Solve a position in which somebody is to move. It can take minutes; a game that is too large for the solvers is
    refused with a sentence."""
    game = position.game
    if position.is_over:
        raise BoardlabError(f"there is nothing to solve: {position.status}")
    if position.is_chance:
        raise BoardlabError(f"a chance event of {game.title} is due; solve takes a position with a player to move")
    outcomes = _outcomes(position, progress)
    actions = [ActionValue(a, game.action_name(a), *outcomes[a]) for a in position.legal_actions]
    top = max(actions, key=lambda a: a.rank)
    return Solution(
        game=game.spec,
        moves=[game.action_name(event.number) for event in position.history],
        player=position.player,
        value=top.value,
        plies_to_end=top.plies_to_end,
        best=[a.name for a in actions if a.rank == top.rank],
        actions=actions,
    )


def _outcomes(position: Position, progress: Progress | None) -> Outcomes:
    """By the solver of the game, else by searching every continuation."""
    solver = solver_of(position.game)
    if solver is None:
        return _exhaustive(position)
    outcomes = solver.outcomes(position, progress)
    missing = [action for action in position.legal_actions if action not in outcomes]
    if missing:
        names = action_list(position.game, missing)
        raise BoardlabError(f"the solver {type(solver).__name__} of {position.game.title} has no value of {names}")
    return outcomes


def _exhaustive(position: Position) -> Outcomes:
    search = thorough_search(position.game)
    values = search.values(position)
    plies = search.plies_to_end(position, values)
    return {action: (value, plies.get(action)) for action, value in values.items()}
