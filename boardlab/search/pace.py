"""How a search keeps to its time: compiled code is called in batches of some milliseconds, and between two of them the
clock is read and Ctrl-C is heard. Where a batch ends has no influence on what the search finds."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

__all__ = ["FIRST_BATCH", "Pace"]

BATCH_SECONDS = 0.004
FIRST_BATCH = 32


class Pace:
    """The size of a batch, learned from how long the last ones took. Every search begins with a small one: at the
    beginning of a game a unit may take many times as long as at the end of the game before."""

    def __init__(self, first: int = FIRST_BATCH) -> None:
        self.first = first

    def batches(self, units: int | None, seconds: float | None) -> Iterator[int]:
        """How many units (nodes, simulations) to do next, until so many are done or the time is up; at least one
        batch. The caller does them before it asks for more."""
        begin = now = perf_counter()
        done = 0
        size = self.first
        while units is None or done < units:
            batch = size if units is None else min(size, units - done)
            if seconds is not None and done > 0:
                left = seconds - (now - begin)
                if left <= 0:
                    return
                batch = max(1, min(batch, int(done * left / (now - begin))))
            yield batch
            before, now = now, perf_counter()
            done += batch
            if batch == size and now - before < BATCH_SECONDS / 2:
                size *= 2
            elif now - before > 2 * BATCH_SECONDS:
                size = max(1, size // 2)
