"""The perfect players of Connect Four in compiled code: those of `boardlab.agents.c4_perfect`, which differ in what
they do when the game is lost. All of a process share the transposition table of the solver."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler.bits import popcount
from boardlab.game import State
from boardlab.rng import Rng, random_below
from boardlab.search.player import Player
from boardlab.solvers.connect4 import score_at_distance, shared_solver
from boardlab.solvers.connect4_bits import BOARD, BOTTOM, canonical, has_four, position_key
from boardlab.solvers.connect4_book import UNKNOWN
from boardlab.solvers.connect4_oracle import ConnectFourOracle
from boardlab.solvers.connect4_search import solve

__all__ = ["ANY", "DISTANT", "ConnectFourPlayer"]

ANY, DISTANT = 0, 1
"""What a lost player plays: any action, or the one that loses latest."""


class ConnectFourPlayer(Player):
    """At random among the actions of the best score. A lost player plays `when_lost`; in its first `opening` plies any
    action that puts off the loss for as many plies, if there is one."""

    def __init__(self, when_lost: int, opening: int = 0) -> None:
        self.knowledge = ConnectFourOracle(table=shared_solver().table)
        self.when_lost = np.array([when_lost], np.int64)  # in arrays, so that all of them are the same machine code
        self.distances = np.array([score_at_distance(opening, ply) for ply in range(opening)], np.int64)
        self.actions = np.zeros(7, np.int64)

    def choose(self, game: Any, s: State, played: NDArray[np.int64], count: int, rng: Rng) -> int:
        mine = int(s.stones[int(s.player)])
        mask = int(s.stones[0]) | int(s.stones[1])
        n = self.candidates(mine, mask, int(s.moves))
        return int(self.actions[random_below(rng, n)])

    def candidates(self, mine: int, mask: int, ply: int) -> int:
        """Write the actions among which the player draws to `actions`; their number."""
        if self.when_lost[0] == ANY and self.score(mine, mask, -1, 0) < 0:
            return self.reaching(mine, mask, -22)
        if ply < len(self.distances) and self.score(mine, mask, -1, 0) < 0:
            n = self.reaching(mine, mask, int(self.distances[ply]))
            if n > 0:
                return n
        n = self.reaching(mine, mask, -22)
        return self.reaching(mine, mask, self.score(mine, mask, -21, 21)) if n > 1 else n

    def reaching(self, mine: int, mask: int, score: int) -> int:
        """Write the actions that lead to at least this score to `actions`; their number."""
        n = 0
        for column in range(7):
            if (mask >> (7 * column + 5)) & 1 == 0:
                after = mask | ((mask + BOTTOM) & (63 << (7 * column)))
                if score < -21 or self.score(mine ^ mask, after, -score, 1 - score) <= -score:
                    self.actions[n] = column
                    n += 1
        return n

    def score(self, mine: int, mask: int, low: int, high: int) -> int:
        """The score for the player to move, or on which side of the window low..high it lies."""
        known = self.knowledge
        ply = popcount(mask)
        if has_four(mine ^ mask):
            return (ply + 1) // 2 - 22
        if mask == BOARD:
            return 0
        score = known.book_score(canonical(position_key(mine, mask)), ply)
        if score != UNKNOWN:
            return score
        guess = min(max(0, low + 1), high)
        return solve(mine, mask, low, high, guess, known.table, known.stack, known.history, known.nodes)
