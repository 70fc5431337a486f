"""How a training is interrupted: Ctrl-C or SIGTERM on the command line, Ctrl-C's signal from within in the browser's
run process.

Training ends after the running stretch, which is at most some tenths of a second, so that the agent is whole; an
evaluation ends at once, as it changes nothing.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Stop", "TrainingStopped"]


class TrainingStopped(KeyboardInterrupt):
    """The interrupt came during an evaluation, which is given up."""


class Stop:
    """What an interrupt does to a training that listens; `asked` says whether one came."""

    def __init__(self) -> None:
        self.asked = False
        self._at_once = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        if self._at_once:
            raise TrainingStopped

    @contextmanager
    def listening(self, *signals: signal.Signals) -> Iterator[None]:
        """Within it, these interrupts are ours, Ctrl-C and SIGTERM by default. Only the main thread hears any."""
        main = threading.current_thread() is threading.main_thread()
        wanted = (signals or (signal.SIGINT, signal.SIGTERM)) if main else ()
        before = {number: signal.signal(number, self) for number in wanted}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Within it, the interrupt ends the work at once; nothing is begun when it has come before."""
        self._at_once = True
        try:
            if self.asked:
                raise TrainingStopped
            yield
        finally:
            self._at_once = False
