"""Finds a rule that never returns: plain Python code that runs on for too long is interrupted where it is.

A thread watches how much processor time the checking thread has used since its last sign of life. Time in which other
programs have the processor does not count, so a busy machine raises no false alarm.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["RULE_SECONDS", "TimeLimit", "TooLong"]

RULE_SECONDS = 5.0
"""A rule that takes longer to answer does not come to an end."""


class TooLong(BaseException):
    """The code ran on for longer than it may. Not an `Exception`, so that no rule catches it by accident."""


class TimeLimit:
    """Watches the thread that enters it. `sign_of_life` gives it the full time again."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._deadline = 0.0
        self._interrupted = False

    def sign_of_life(self) -> None:
        """From here on, `seconds` more."""
        self._deadline = self._now() + self.seconds

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Within it, code that uses more than `seconds` without a sign of life is interrupted by `TooLong`."""
        self._watched = threading.get_ident()
        self._done = threading.Event()
        self.sign_of_life()
        watcher = threading.Thread(target=self._watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            with self._lock:
                self._done.set()
            self._absorb()

    def _now(self) -> float:
        try:
            return time.clock_gettime(time.pthread_getcpuclockid(self._watched))
        except (AttributeError, OSError):  # not every system tells the time of a thread
            return time.monotonic()

    def _watch(self) -> None:
        while not self._done.wait(min(0.25, self.seconds / 4)):
            with self._lock:
                if not self._done.is_set() and self._now() > self._deadline:
                    self._interrupted = True
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._watched), ctypes.py_object(TooLong))
                    return

    def _absorb(self) -> None:
        """An interrupt that was sent but not yet raised must not hit whoever comes next."""
        if self._interrupted:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._watched), None)
