"""The perfect player of small games: by theory where there is one, else by searching every continuation to its end."""

from __future__ import annotations

import math

from pydantic import Field

from boardlab.agents.base import Agent
from boardlab.compiler import is_our_own
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.position import Position
from boardlab.rng import Rng, random_below
from boardlab.search.depth_player import depth_first_player
from boardlab.search.player import Player
from boardlab.search.tree_search import SearchTooLarge
from boardlab.solvers.base import Solver, solver_class
from boardlab.solvers.exhaustive import MOST_BOARDS, ExhaustiveSolver, count_boards
from boardlab.solvers.oracle_player import OraclePlayer

__all__ = ["Perfect", "seems_solvable"]

MOST_POSITIONS = 10_000_000


def seems_solvable(game: Game) -> bool:
    """Whether the perfect player tries to play the game."""
    return _own_solver(game) is not None or count_boards(game) <= MOST_BOARDS


def _own_solver(game: Game) -> type[Solver] | None:
    """The solver of the game, where it is one that this player plays by."""
    cls = solver_class(game)
    return cls if cls and cls.player == Perfect.name else None


class Perfect(Agent):
    """Plays perfectly, at random among the best actions. It knows the theory of Nim, asks the solver that a game of
    one's own brings along, and searches other small games to the end, with Max-N for more than two players (Hex up to
    4x4, Sim with up to 6 nodes, Tic-tac-toe, Nimm-3)."""

    name = "perfect"
    greedy = True
    bounded = True

    class Parameters(Agent.Parameters):
        """The options of the perfect player."""

        table: int = Field(128, ge=1, le=65_536, description="megabytes of the transposition table")

    parameters: Parameters

    @classmethod
    def refusal(cls, game: Game) -> str | None:
        """Too many boards; a game of fewer may still turn out to be too large."""
        if seems_solvable(game):
            return None
        return cls._too_large(game, f"about 10^{round(math.log10(count_boards(game)))} boards")

    @staticmethod
    def _too_large(game: Game, how: str) -> str:
        own = solver_class(game)
        instead = f"use {own.player}, mcts" if own else "use mcts"
        return f"{game.spec} has {how}, too many to be searched to the end; {instead} or max-n with a depth"

    def setup(self) -> None:
        self.solver: Solver | ExhaustiveSolver
        own = _own_solver(self.game)
        if own is not None:
            self.solver = own(self.game)
            return
        self.solver = ExhaustiveSolver(self.game, megabytes=self.parameters.table, position_limit=MOST_POSITIONS)
        start = self.game.start()
        if not start.is_chance:
            try:
                self.solver.best_actions(start)
            except SearchTooLarge as error:
                raise BoardlabError(
                    self._too_large(self.game, f"more than {self.solver.position_limit:,} positions")
                ) from error

    def choose(self, position: Position, rng: Rng) -> int:
        """Any of the best actions; a lost player has no better ones than others."""
        legal = position.legal_actions
        if len(legal) == 1:
            return legal[0]
        best = self.solver.best_actions(position)
        return best[random_below(rng, len(best))]

    def player(self) -> Player | None:
        if isinstance(self.solver, ExhaustiveSolver):
            tree = self.solver.tree
            return None if tree.plain else depth_first_player(tree, None, self.parameters.table)
        oracle = self.solver.oracle() if is_our_own(type(self.solver).__module__) else None
        return OraclePlayer(self.game, oracle) if oracle is not None and self.game.num_outcomes == 0 else None

    def values(self, position: Position) -> dict[int, float]:
        """What each action scores if all play perfectly from there on."""
        return dict(self.solver.values(position))
