"""Nim for two players by theory (Bouton 1901): the player to move loses exactly when the nim-sum of the heaps is 0."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import xor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.game import Game, State
from boardlab.games.nim import Nim
from boardlab.learn.oracle import Oracle
from boardlab.position import Position
from boardlab.solvers.base import Outcomes, Progress, Solver
from boardlab.solvers.exhaustive import thorough_search

__all__ = ["NimOracle", "NimSolver", "nim_sum", "nim_value"]


def nim_sum(heaps: Sequence[int]) -> int:
    """The exclusive or of the heap sizes."""
    return reduce(xor, heaps, 0)


def nim_value(heaps: Sequence[int]) -> float:
    """What the player to move scores if both play perfectly and who takes the last stone wins: 1 or -1."""
    return 1.0 if nim_sum(heaps) else -1.0


class NimSolver(Solver):
    """Exact values of Nim for two players, of any size and without search; how long a game lasts is searched."""

    name = "nim"
    of = Nim

    @classmethod
    def unsuited(cls, game: Game) -> str:
        return super().unsuited(game) or ("" if game.num_players == 2 else "is for Nim with two players")

    def values(self, position: Position) -> dict[int, float]:
        """What each action scores, for the player to move, if both play perfectly from there on: 1 or -1."""
        after = {action: position.copy().play(action) for action in position.legal_actions}
        return {action: -nim_value([int(n) for n in p.state.heap]) for action, p in after.items()}

    def outcomes(self, position: Position, progress: Progress | None = None) -> Outcomes:
        values = self.values(position)
        plies = thorough_search(self.game).plies_to_end(position, values)
        return {action: (value, plies.get(action)) for action, value in values.items()}

    def oracle(self) -> Oracle:
        return NimOracle()


class NimOracle(Oracle):
    """Nim for two players, by the nim-sum."""

    def value(self, game: Any, s: State, out: NDArray[np.float64]) -> bool:
        total = 0
        for heap in range(game.heaps):
            total ^= int(s.heap[heap])
        player = int(s.player)
        out[player] = 1.0 if total != 0 else -1.0
        out[1 - player] = -out[player]
        return True
