"""How a training is interrupted: Ctrl-C or SIGTERM on the command line, Ctrl-C's signal from within in the browser's
run process.

Training ends after the running stretch, which is at most some tenths of a second, so that the agent is whole; an
evaluation ends at once, as it changes nothing.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Stop", "Stopped"]


class Stopped(KeyboardInterrupt):
    """The interrupt came during an evaluation, which is given up."""


class Stop:
    """What an interrupt does to a training that listens; `asked` says whether one came."""

    def __init__(self) -> None:
        self.asked = False
        self._at_once = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        if self._at_once:
            raise Stopped

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Within it, the interrupt is ours."""
        before = {number: signal.signal(number, self) for number in (signal.SIGINT, signal.SIGTERM)}
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
                raise Stopped
            yield
        finally:
            self._at_once = False
