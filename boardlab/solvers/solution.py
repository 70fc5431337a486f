"""`solve`: the exact value of any position that one of the solvers can handle, and of every action in it.

    >>> from boardlab import make, solve
    >>> solve(make("tictactoe").start().play("a1").play("b1")).best

Values are scores of the game for the player to move, when all play perfectly. Between actions of the same value, best
play prefers the earlier win and the later loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from boardlab.errors import BoardlabError
from boardlab.games.dots import DotsAndBoxes
from boardlab.position import Position
from boardlab.solvers.connect4 import is_standard, plies_to_end, shared_solver
from boardlab.solvers.dots import shared_solver as dots_solver
from boardlab.solvers.exhaustive import ExhaustiveSolver
from boardlab.solvers.nim import NimSolver, is_bouton_nim

__all__ = ["ActionValue", "Solution", "solve"]

Progress = Callable[[int, int], None]
"""Is told how many actions are solved, and of how many."""

TABLE_MEGABYTES = 256
MOST_POSITIONS = 50_000_000
"""So many positions are searched before a game counts as too large; about half a minute."""


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


Outcomes = dict[int, tuple[float, int | None]]
"""For each action its value and the plies to the end."""


def _outcomes(position: Position, progress: Progress | None) -> Outcomes:
    """By the solver of the game. One that derives from a game of ours may have other rules, so it is searched."""
    game = position.game
    if is_standard(game):
        return _connect4(position, progress)
    if type(game) is DotsAndBoxes:
        return _dots(position, game, progress)
    return _exhaustive(position)


def _connect4(position: Position, progress: Progress | None) -> Outcomes:
    solver, ply = shared_solver(), int(position.state.moves)
    legal = position.legal_actions
    outcomes: Outcomes = {}
    for action in legal:
        if progress is not None:
            progress(len(outcomes), len(legal))
        score = -solver.score(position.copy().play(action))
        outcomes[action] = float((score > 0) - (score < 0)), plies_to_end(score, ply)
    return outcomes


def _dots(position: Position, game: DotsAndBoxes, progress: Progress | None) -> Outcomes:
    solver, legal = dots_solver(game.rows, game.columns), position.legal_actions
    outcomes: Outcomes = {}
    for action in legal:
        if progress is not None:
            progress(len(outcomes), len(legal))
        outcomes[action] = float(solver.value(position, action)), len(legal)
    return outcomes


def _exhaustive(position: Position) -> Outcomes:
    """By theory or by search; the plies to the end by search alone."""
    game = position.game
    search = ExhaustiveSolver(game, megabytes=TABLE_MEGABYTES, position_limit=MOST_POSITIONS)
    values = (NimSolver() if is_bouton_nim(game) else search).values(position)
    plies = search.plies_to_end(position, values)
    return {action: (value, plies.get(action)) for action, value in values.items()}
