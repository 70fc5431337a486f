"""While Numba compiles, Python looks for garbage more seldom. A kernel is compiled by way of a million small objects,
few of them garbage in circles, and looking through them after every 700 takes a seventh of the time."""

from __future__ import annotations

import gc
from typing import Any

from numba.core import event

__all__ = ["seldom_collected"]

_THRESHOLDS = (20_000, 20, 20)


class _Seldom(event.Listener):
    """Numba tells it when a function begins and ends, in the middle of others; one thread compiles at a time."""

    def __init__(self) -> None:
        self._compiling = 0
        self._usual = gc.get_threshold()

    def on_start(self, _event: Any) -> None:
        if self._compiling == 0:
            self._usual = gc.get_threshold()
            gc.set_threshold(*_THRESHOLDS)
        self._compiling += 1

    def on_end(self, _event: Any) -> None:
        self._compiling -= 1
        if self._compiling == 0:
            gc.set_threshold(*self._usual)


def seldom_collected() -> None:
    """Have it so from now on, in this process."""
    event.register("numba:compile", _Seldom())
