"""`MemoryWatch`: all processes of the arena together have so much memory and not more.

Each process has a limit of its own, but many of them at once could still take more than the machine has. So twice a
second it is asked how much they use. Where that is too much, the largest is ended, and whoever waits is told why: an
agent that thinks, a training (which goes on from its checkpoint) or a match. Linux alone tells what is asked here.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from boardlab.system.machine import memory_of_sessions
from boardlab.words import size_text

__all__ = ["Consumer", "MemoryWatch"]

SECONDS = 0.5


@dataclass(frozen=True)
class Consumer:
    """A process that leads a session of its own, and how to end it with a sentence for whoever waits."""

    pid: int
    end: Callable[[str], None]


class MemoryWatch:
    """Watches over the processes that `consumers` names."""

    def __init__(self, megabytes: int, consumers: Callable[[], Iterable[Consumer]]) -> None:
        self.most = megabytes << 20
        self.used = 0
        """Bytes in use when it was last looked."""
        self._consumers = consumers
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to watch, in the event loop."""
        self._task = asyncio.create_task(self._watch())

    def close(self) -> None:
        """Watch no more."""
        if self._task is not None:
            self._task.cancel()

    def has_room(self) -> bool:
        """Whether another process may be started: an eighth of the memory is free."""
        return self.used < self.most - self.most // 8

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(SECONDS)
            consumers = list(self._consumers())
            self.act(consumers, await asyncio.to_thread(_measure, [consumer.pid for consumer in consumers]))

    def act(self, consumers: list[Consumer], used: dict[int, int]) -> None:
        """End the largest where all together use too much. What it gives back is seen the next time."""
        self.used = sum(used.values())
        if self.used <= self.most or not consumers:
            return
        largest = max(consumers, key=lambda consumer: used.get(consumer.pid, 0))
        largest.end(
            f"the processes of the arena used {size_text(self.used)}, it allows {size_text(self.most)} for all of them"
            " together (setting megabytes), so the largest was ended"
        )


def _measure(pids: list[int]) -> dict[int, int]:
    """What the processes use, and by 0 the server itself."""
    own = _resident()
    return {0: own, **memory_of_sessions(pids)}


def _resident() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0
