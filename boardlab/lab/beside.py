"""Evaluations beside learning: an agent is measured as it was, on cores that have nothing else to do, while it learns
on.

What is measured is a snapshot, so that the learning curve is the same as if learning had waited. Threads are enough for
that: whole games run in machine code, and so does learning.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from boardlab.matches.play import Progress

__all__ = ["Beside", "GivenUp", "Watch"]

Result = TypeVar("Result")


class GivenUp(Exception):
    """Nobody waits for the evaluation any more."""


class Watch:
    """Who listens to the running evaluation. One that runs beside learning is heard only while learning waits for it,
    and ends with the next game when it has been given up."""

    def __init__(self) -> None:
        self.beside = self.waiting = self.given_up = False
        self._last: Callable[[], None] = lambda: None

    def begin(self) -> None:
        """Another evaluation begins, beside learning."""
        self.beside, self.waiting, self.given_up = True, False, False
        self._last = lambda: None

    def listened(self, progress: Progress | None) -> Progress:
        """The progress of an evaluation, told to those who listen."""

        def tell(done: int, games: int) -> None:
            if self.beside and self.given_up:
                raise GivenUp
            if progress is not None:
                self._last = partial(progress, done, games)
                if self.waiting or not self.beside:
                    progress(done, games)

        return tell

    def wait(self) -> None:
        """Learning waits from now on: tell how far the evaluation is."""
        self.waiting = True
        self._last()


class Beside(Generic[Result]):
    """Some work in a thread of its own."""

    def __init__(self, work: Callable[[], Result], watch: Watch) -> None:
        self._work, self._watch = work, watch
        self._results: list[Result] = []
        self._error: BaseException | None = None
        self._ended = threading.Event()
        watch.begin()
        threading.Thread(target=self._run, daemon=True, name="evaluation").start()

    def _run(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:
            self._error = error
        finally:
            self._ended.set()

    @property
    def is_done(self) -> bool:
        """Whether the result is there, or the error that came instead."""
        return self._ended.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end, so long at most; whether it has come. An interrupt is heard meanwhile."""
        self._watch.wait()
        try:
            self._ended.wait(seconds)  # a join that is interrupted takes the thread for ended
        finally:
            self._watch.waiting = False
        return self.is_done

    def result(self) -> Result:
        """What came of it, once it is done; raises the error that came instead."""
        self._watch.beside = False
        if self._error is not None:
            raise self._error
        return self._results[0]

    def give_up(self) -> None:
        """Have it end soon; nobody wants the result."""
        self._watch.given_up = True
