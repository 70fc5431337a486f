"""How a search keeps to its time: compiled code is called in batches of some milliseconds, and between two of them the
clock is read and Ctrl-C is heard. Where a batch ends has no influence on what the search finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter, thread_time

__all__ = ["FIRST_BATCH", "Pace", "counting_cpu_time", "now"]

BATCH_SECONDS = 0.004
FIRST_BATCH = 32

_clock: ContextVar[Callable[[], float]] = ContextVar("_clock", default=perf_counter)


def now() -> float:
    """Seconds, by the clock that searches keep to."""
    return _clock.get()()


@contextmanager
def counting_cpu_time() -> Iterator[None]:
    """Within it, the seconds of a search are CPU time of its thread: what else the machine does counts for nothing."""
    token = _clock.set(thread_time)
    try:
        yield
    finally:
        _clock.reset(token)


class Pace:
    """The size of a batch, learned from how long the last ones took. Every search begins with a small one: at the
    beginning of a game a unit may take many times as long as at the end of the game before."""

    def __init__(self, first: int = FIRST_BATCH) -> None:
        self.first = first

    def batches(self, units: int | None, seconds: float | None) -> Iterator[int]:
        """How many units (nodes, simulations) to do next, until so many are done or the time is up; at least one
        batch. The caller does them before it asks for more."""
        begin = latest = now()
        done = 0
        size = self.first
        while units is None or done < units:
            batch = size if units is None else min(size, units - done)
            if seconds is not None and done > 0:
                left = seconds - (latest - begin)
                if left <= 0:
                    return
                batch = max(1, min(batch, int(done * left / max(latest - begin, 1e-9))))
            yield batch
            before, latest = latest, now()
            done += batch
            if batch == size and latest - before < BATCH_SECONDS / 2:
                size *= 2
            elif latest - before > 2 * BATCH_SECONDS:
                size = max(1, size // 2)
