"""`Judge`: exact values of single positions, for those who look at many of them, as the moves of a match.

`solve` is thorough and tells how long a game lasts; a judge keeps what it has found out from one position to the next,
and says that it does not know where that would take long.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

from boardlab.game import Game
from boardlab.position import Position
from boardlab.search.tree_search import SearchTooLarge
from boardlab.search.zero_sum import looks_zero_sum
from boardlab.solvers.base import Solver, solver_of
from boardlab.solvers.exhaustive import ExhaustiveSolver

__all__ = ["Judge", "judge_of"]

_MEGABYTES = 64
MOST_POSITIONS = 1_000_000
"""So many positions a search may look at, about half a second; then the judge does not know."""


class Judge:
    """What perfect play brings, by the solver of the game, else by searching every continuation."""

    def __init__(self, game: Game, most_positions: int = MOST_POSITIONS) -> None:
        self.game, self.most_positions = game, most_positions
        self._own: Solver | None = solver_of(game)
        self._mirrored = game.num_players == 2 and looks_zero_sum(game)

    @cached_property
    def _search(self) -> ExhaustiveSolver:
        return ExhaustiveSolver(self.game, megabytes=_MEGABYTES, position_limit=self.most_positions)

    def values(self, position: Position) -> dict[int, float] | None:
        """What each action scores, for the player to move, if all play perfectly from there on; None where the judge
        does not know."""
        solver = self._own or self._search
        try:
            return {action: float(value) for action, value in solver.values(position).items()}
        except SearchTooLarge:
            return None

    def scores(self, position: Position) -> tuple[float, ...] | None:
        """What every player scores in the end if all play perfectly; None where the judge does not know."""
        position.require_mover()
        if self._own is not None and self._mirrored:
            best = max(self._own.values(position).values())
            return (best, 0.0 - best) if position.player == 0 else (0.0 - best, best)
        try:
            found = self._search.tree.search(position.state, ties=True)
        except SearchTooLarge:
            return None
        row = max(range(len(found.actions)), key=lambda number: found.values[number, found.player])
        return tuple(float(value) for value in found.values[row])


@lru_cache(maxsize=4)
def judge_of(game: Game, most_positions: int = MOST_POSITIONS) -> Judge:
    """The judge that all of a process share."""
    return Judge(game, most_positions)
