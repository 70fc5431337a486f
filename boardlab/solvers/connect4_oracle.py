"""What a position of Connect Four on the usual board is worth, for compiled code: the opening book answers for the
first plies, the search of the solver for all others. Won, drawn or lost is all that it finds out, which takes a part
of the time that the exact score takes."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.game import State
from boardlab.learn.oracle import Oracle
from boardlab.solvers.bound_table import new_table
from boardlab.solvers.connect4 import package_book
from boardlab.solvers.connect4_bits import canonical, position_key
from boardlab.solvers.connect4_book import UNKNOWN, OpeningBook
from boardlab.solvers.connect4_search import STACK_SIZE, new_history, solve

__all__ = ["ConnectFourOracle"]

_LONG = 8
"""With fewer stones than this a search takes seconds; the oracle does not know what the book does not know."""


class ConnectFourOracle(Oracle):
    """Knows every position that the opening book has, and every one of 8 stones or more. The book ends with 8; random
    positions of 9 stones took 50 milliseconds in the mean, of 10 and 11 stones 15, of 12 three, of 16 half of one."""

    def __init__(self, megabytes: int = 64, *, table: NDArray[np.int64] | None = None) -> None:
        """With a transposition table of its own of that size, or with one that others use as well."""
        self.table = new_table(megabytes) if table is None else table
        book = package_book() or OpeningBook([], [])
        self.keys = np.concatenate([np.zeros(0, np.int64), *book.keys])
        self.scores = np.concatenate([np.zeros(0, np.int8), *book.scores])
        sizes = [len(level) for level in book.keys]
        self.ends = np.cumsum([0, *sizes])
        self._make_room()

    def _make_room(self) -> None:
        self.stack = np.zeros(STACK_SIZE, np.int64)
        self.history = new_history()
        self.nodes = np.zeros(1, np.int64)

    def for_thread(self) -> ConnectFourOracle:
        """With the same table, which threads may share."""
        other = copy(self)
        other._make_room()
        return other

    def value(self, game: Any, s: State, out: NDArray[np.float64]) -> bool:
        if game.is_over(s):
            game.scores(s, out)
            return True
        player, moves = int(s.player), int(s.moves)
        mine, mask = int(s.stones[player]), int(s.stones[0]) | int(s.stones[1])
        score = self.book_score(canonical(position_key(mine, mask)), moves)
        if score == UNKNOWN:
            if moves < _LONG and not self.wins_at_once(game, mine, mask):
                return False
            score = solve(mine, mask, -1, 1, 0, self.table, self.stack, self.history, self.nodes)
        out[player] = 1.0 if score > 0 else -1.0 if score < 0 else 0.0
        out[1 - player] = 0.0 - out[player]
        return True

    def book_score(self, key: int, moves: int) -> int:
        """What the book says about a position of so many stones; UNKNOWN where it does not have it."""
        if moves + 1 >= len(self.ends):
            return UNKNOWN
        low, high = int(self.ends[moves]), int(self.ends[moves + 1])
        end = high
        while low < high:
            middle = (low + high) >> 1
            if int(self.keys[middle]) < key:
                low = middle + 1
            else:
                high = middle
        return int(self.scores[low]) if low < end and int(self.keys[low]) == key else UNKNOWN

    def wins_at_once(self, game: Any, mine: int, mask: int) -> bool:
        """Whether the player to move can complete four; such positions are left out of the book."""
        return (game.winning_cells(mine) & (mask + game.bottom) & game.board) != 0
