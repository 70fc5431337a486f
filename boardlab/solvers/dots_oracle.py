"""What a position of Dots and Boxes is worth, for compiled code, by the search of the solver."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.game import State
from boardlab.games.dots import DotsAndBoxes
from boardlab.learn.oracle import Oracle
from boardlab.solvers.bound_table import new_table
from boardlab.solvers.dots_chains import DotsBoard, capture_value, make_board
from boardlab.solvers.dots_keys import Keys, string_bit
from boardlab.solvers.dots_search import REST_SIZE, STACK_SIZE, UNKNOWN, Question, begin, new_history, reduce, search

__all__ = ["DotsOracle"]

_MOST_NODES = 1 << 16
"""So many nodes a question may take, about a tenth of a second; then the oracle does not know. A board of 3 x 3 never
takes so many, one of 4 x 4 does as long as fewer than about 11 of its 40 edges are drawn."""


class DotsOracle(Oracle):
    """Knows the margin of perfect play where it can be found out soon."""

    def __init__(self, game: DotsAndBoxes, megabytes: int = 64) -> None:
        self.width, self.half, self.low, self.coins, keys, *tables = make_board(game)
        self.symmetric_from, self.maps, self.cuts, self.starts, self.ordered = keys
        self.joined, self.worth, self.shortest, self.rest = tables
        self.bits = np.array([string_bit(game, edge) for edge in range(game.num_actions)], np.int64)
        self.table = new_table(megabytes)
        self._make_room()

    def _make_room(self) -> None:
        self.stack = np.zeros(STACK_SIZE, np.int64)
        self.history = new_history()
        self.nodes = np.zeros(1, np.int64)
        self.found = np.zeros(REST_SIZE, np.int64)

    def for_thread(self) -> DotsOracle:
        """With the same table, which threads may share."""
        other = copy(self)
        other._make_room()
        return other

    def value(self, game: Any, s: State, out: NDArray[np.float64]) -> bool:
        strings = 0
        for edge in range(game.num_actions):
            if (int(s.edges) >> edge) & 1 == 0:
                strings |= 1 << int(self.bits[edge])
        reduce(strings, self.board(), self.found)
        rest = self.value_of_rest(int(self.found[2]), int(self.found[3]), int(self.found[4]))
        if rest == UNKNOWN:
            return False
        player = int(s.player)
        game.scores(s, out)
        out[player] += capture_value(int(self.found[0]), int(self.found[1]), rest)
        out[1 - player] = 0.0 - out[player]
        return True

    def value_of_rest(self, strings: int, multiset: int, coins: int) -> int:
        """The margin to come for the player to move in a position without coins to take; UNKNOWN after many nodes."""
        if strings == 0:
            return int(self.worth[multiset])
        least, most, guess = -coins, coins, coins & 1
        last = int(self.nodes[0]) + _MOST_NODES
        while least < most:
            threshold = min(max(guess, least + 2), most)
            begin(Question(strings, multiset, coins, threshold), self.board(), self.stack)
            bound = search(last - int(self.nodes[0]), self.board(), self.table, self.stack, self.history, self.nodes)
            if bound == UNKNOWN:
                return UNKNOWN
            if bound >= threshold:
                least = bound
                guess = bound + 2
            else:
                most = bound
                guess = bound
        return least

    def board(self) -> DotsBoard:
        """The tables of the board, as the search takes them."""
        keys = Keys(self.symmetric_from, self.maps, self.cuts, self.starts, self.ordered)
        return DotsBoard(
            self.width, self.half, self.low, self.coins, keys, self.joined, self.worth, self.shortest, self.rest
        )
