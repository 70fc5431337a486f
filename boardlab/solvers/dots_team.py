"""Threads that search together for the answer to one question about a Dots-and-Boxes position.

One thread begins. When it has not come to the answer soon, the others set out for the same answer: each tries the moves
in an order of its own, and what one has found out the others read in the common transposition table. The first one to
come to the end stops all. The answers are exact, so they do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

import numpy as np

from boardlab.solvers.bound_table import new_table
from boardlab.solvers.dots_chains import DotsBoard
from boardlab.solvers.dots_search import STACK_SIZE, UNKNOWN, Question, begin, new_history, search
from boardlab.system.machine import own_zeros

__all__ = ["Team"]

_BATCH = 1 << 14
"""Nodes between two occasions to hear Ctrl-C, or that another thread is done; about 20 milliseconds."""
_ALONE = 10
"""So many batches one thread searches alone."""


class Team:
    """The threads, each with what it knows about good moves, and their common table."""

    def __init__(self, board: DotsBoard, megabytes: int, threads: int) -> None:
        self.board = board
        self.table = new_table(megabytes)
        self._histories = [new_history(seed) for seed in range(threads)]
        self._nodes = [own_zeros(1, np.int64) for _ in range(threads)]

    @property
    def nodes(self) -> int:
        """How many positions all threads have visited so far."""
        return sum(int(nodes[0]) for nodes in self._nodes)

    def answer(self, question: Question) -> int:
        """A bound of the value: a lower one if it reaches the threshold of the question, else an upper one."""
        found: list[int] = []
        helpers = [
            Thread(target=self._work, args=(k, question, found), daemon=True) for k in range(1, len(self._nodes))
        ]

        def start() -> None:
            for helper in helpers:
                helper.start()

        try:
            self._work(0, question, found, start)
        finally:
            found.append(UNKNOWN)  # stops the others, after Ctrl-C too
            for helper in helpers:
                if helper.ident is not None:
                    helper.join()
        return found[0]

    def _work(self, k: int, question: Question, found: list[int], later: Callable[[], None] = lambda: None) -> None:
        """Search with the k-th thread until it or another one has found the answer; call `later` if it takes long."""
        stack = own_zeros(STACK_SIZE, np.int64)
        begin(question, self.board, stack)
        batches = 0
        while not found:
            value = int(search(_BATCH, self.board, self.table, stack, self._histories[k], self._nodes[k]))
            if value != UNKNOWN:
                found.append(value)
            batches += 1
            if batches == _ALONE:
                later()
