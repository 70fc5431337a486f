"""`IdlePlay`: has the games of the leagues played while the machine is idle, one after the other, in a process of the
lowest priority.

The machine is idle when no training, match or tournament has a process, and no agent has been asked for a while. As
soon as one of them begins, the process is killed; the game that it was at is planned and played again later, as it
would have gone.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Protocol

from boardlab.system.child import LongWork, Message, death_sentence
from boardlab.web.league.league import League, Task
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.workers.memory import Consumer

__all__ = ["IdlePlay", "Worker"]

log = logging.getLogger("boardlab.web")

PROCESS = "boardlab.web.processes.league"
LOOK_SECONDS = 0.25
"""How often it is looked whether the machine is idle."""


class Worker(Protocol):
    """What comes before the league."""

    begins: Callable[[], None]

    @property
    def is_busy(self) -> bool:
        """Whether it needs the machine."""
        ...


class IdlePlay:
    """Plays in the background. `make_way` may be called from any thread."""

    def __init__(self, settings: ArenaSettings, league: League, others: Sequence[Worker]) -> None:
        """`others` come first."""
        self._settings, self._league, self._others = settings, league, others
        self.has_room: Callable[[], bool] = lambda: True
        """Whether there is memory for another process."""
        self._lock = threading.RLock()
        self._busy_until = monotonic()
        self._work: LongWork | None = None
        self._task: Task | None = None
        self._game = ""
        """Of the last task; between two games there is none."""
        self._since = 0.0
        self._closing = False
        self._watch: asyncio.Task[None] | None = None
        for other in others:
            other.begins = self.make_way

    def start(self) -> None:
        """Begin to look, in the event loop."""
        if self._settings.league:
            self._watch = asyncio.create_task(self._look())

    async def close(self) -> None:
        """End the process."""
        self._closing = True
        if self._watch is not None:
            self._watch.cancel()
        work = self._work
        self.make_way()
        if work is not None:
            await asyncio.to_thread(work.wait, 5.0)

    @property
    def plays(self) -> str | None:
        """The game of the league that plays at the moment."""
        return self._game if self._work is not None else None

    def consumers(self) -> list[Consumer]:
        """The process, for the watch over the memory."""
        with self._lock:
            return [] if self._work is None else [Consumer(self._work.pid, self._give_up)]

    # ------------------------------------------------------------ when

    async def _look(self) -> None:
        while not self._closing:
            await asyncio.sleep(LOOK_SECONDS)
            if any(other.is_busy for other in self._others):
                self.make_way()
            elif self._is_quiet():
                try:
                    await asyncio.to_thread(self._go_on)
                except Exception as error:
                    log.error("the league could not play: %s", error)
                    self.make_way()

    def _is_quiet(self) -> bool:
        return monotonic() - self._busy_until >= self._settings.league_quiet_seconds

    def make_way(self) -> None:
        """Other work comes: end the process at once."""
        with self._lock:
            self._busy_until = monotonic()
            task = self._stop()
        if task is not None and not self._closing:
            self._league.tell(task.game.spec)

    def changed(self) -> None:
        """Members or switches have changed: a game that is no longer wanted is given up."""
        with self._lock:
            task = self._task
            if task is not None and not self._league.wants(task):
                self._stop()

    # ------------------------------------------------------------ playing

    def _go_on(self) -> None:
        """Begin the next game, unless one is being played."""
        with self._lock:
            if self._closing or not self._is_quiet():
                return
            if self._task is not None:
                if monotonic() - self._since > self._settings.league_game_seconds:
                    self._give_up(f"a game took longer than {self._settings.league_game_seconds:g} s")
                return
            task = self._league.next_task()
            if task is None:
                self._stop()  # nothing is worth playing, so nothing shall take memory
            elif self._work is not None or self._begin(task):
                assert self._work is not None
                self._task, self._game, self._since = task, task.game.spec, monotonic()
                self._work.send(task.message())

    def _begin(self, task: Task) -> bool:
        """Start the process, if there is room for it."""
        if not self.has_room():
            return False
        megabytes = min(self._settings.worker_megabytes, self._settings.megabytes)
        try:
            work = LongWork(
                PROCESS,
                str(megabytes),
                lambda message: self._told(work, message),
                lambda code: self._ended(work, code),
            )
        except OSError as error:
            self._league.fail(task.game.spec, f"its process cannot be started: {error.strerror or error}")
            return False
        self._work = work
        work.start()
        self._league.tell(task.game.spec)
        return True

    def _told(self, work: LongWork, message: Message) -> None:
        """A game is over, or cannot be played."""
        with self._lock:
            task = self._task
            if work is not self._work or task is None:
                return  # killed meanwhile
            self._task = None
            if "failed" in message:
                self._league.fail(task.game.spec, message["failed"])
            else:
                self._league.count(task, message)
            self._go_on()

    def _ended(self, work: LongWork, code: int) -> None:
        with self._lock:
            if work is self._work:
                task, self._work, self._task = self._task, None, None
                if task is not None and not self._closing:
                    self._league.fail(task.game.spec, death_sentence(code))

    def _give_up(self, sentence: str) -> None:
        """End the process, and switch the league off that it played for."""
        with self._lock:
            task = self._stop()
            if task is not None:
                self._league.fail(task.game.spec, sentence)

    def _stop(self) -> Task | None:
        """Kill the process, if there is one; returns what it was at."""
        work, task = self._work, self._task
        self._work = self._task = None
        if work is not None:
            work.kill()
        return task
