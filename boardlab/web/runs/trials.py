"""How fast trainings are, tried out in a worker before they begin: one after the other, and each kind once.

A trial may have to compile the learner, which takes a while, so it outlives a page that asks again after a change; but
not for long a page that is gone.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from boardlab.lab.trial import Speed
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.workers.pool import WorkerPool

__all__ = ["Trials"]

GRACE_SECONDS = 2.0
"""So long a trial goes on that nobody waits for."""
MOST_KNOWN = 1000


@dataclass(eq=False)
class _Trial:
    task: asyncio.Task[Speed]
    waiting: int = 0
    """Pages that want to know the result."""

    @property
    def is_wanted(self) -> bool:
        return not self.task.done() or not (self.task.cancelled() or self.task.exception())


class Trials:
    """The trials of an arena. Lives in its event loop."""

    def __init__(self, settings: ArenaSettings, workers: WorkerPool) -> None:
        self._seconds, self._workers = settings.seconds_to_prepare, workers
        self._trials: dict[str, _Trial] = {}
        """By the kind of training."""
        self._alone = asyncio.Lock()

    def known(self, kind: str) -> Speed | None:
        """What is known of a kind of training."""
        trial = self._trials.get(kind)
        return trial.task.result() if trial and trial.task.done() and trial.is_wanted else None

    async def speed(self, kind: str, training: dict[str, Any]) -> Speed:
        """What is known of a kind of training, after a trial where there has been none."""
        trial = self._trials.get(kind)
        if trial is None or not trial.is_wanted:
            if len(self._trials) >= MOST_KNOWN:
                self._trials = {key: one for key, one in self._trials.items() if not one.task.done()}
            trial = self._trials[kind] = _Trial(asyncio.create_task(self._try(training)))
        trial.waiting += 1
        try:
            return await asyncio.shield(trial.task)
        finally:
            trial.waiting -= 1
            if not trial.task.done():
                asyncio.get_running_loop().call_later(GRACE_SECONDS, _give_up, trial)

    async def _try(self, training: dict[str, Any]) -> Speed:
        async with self._alone:
            found = await self._workers.run({**training, "job": "try_training"}, self._seconds)
        return Speed(found["episode"], found["evaluation"])


def _give_up(trial: _Trial) -> None:
    if not trial.waiting:
        trial.task.cancel()
