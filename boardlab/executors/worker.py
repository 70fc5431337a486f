"""A process that carries out one task after the other, seen from the one that started it."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from typing import Any

from boardlab.executors.tasks import Outcome, Task
from boardlab.system.child import LongWork, death_sentence

__all__ = ["STOPPED", "Worker"]

STOPPED = "it was told to stop"
PATIENCE = 30.0
"""Seconds that a task has to end by itself, after SIGTERM."""
_LOOK_AROUND = 0.2
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Worker:
    """One process, started when it is first needed and again when it has died. To be used by one thread at a time."""

    def __init__(self) -> None:
        self._work: LongWork | None = None
        self._messages: queue.Queue[dict[str, Any]] = queue.Queue()

    def start(self) -> None:
        """Start the process, unless there is one."""
        if self._work is None:
            messages: queue.Queue[dict[str, Any]] = queue.Queue()
            self._messages = messages
            self._work = LongWork(
                "boardlab.executors.process",
                "-",
                messages.put,
                lambda code: messages.put({"ended": code}),
                environment=dict.fromkeys(_ONE_THREAD, "1"),
            )
            self._work.start()

    def perform(self, task: Task, stopped: Callable[[], bool]) -> Outcome:
        """Carry out a task. `stopped` is asked again and again: when it says so, the process gets SIGTERM, and is
        killed where that does not end the task."""
        self.start()
        assert self._work is not None
        self._work.send({"function": task.function, "arguments": dict(task.arguments)})
        told_to_stop = 0.0
        while True:
            try:
                message = self._messages.get(timeout=_LOOK_AROUND)
            except queue.Empty:
                if not told_to_stop and stopped():
                    self._work.terminate()
                    told_to_stop = time.monotonic()
                elif told_to_stop and time.monotonic() - told_to_stop > PATIENCE:
                    self._work.kill()
                continue
            if "ended" in message:
                self._work = None
                reason = STOPPED if told_to_stop else death_sentence(message["ended"])
                return Outcome(task, failure=reason, lost=True)
            return Outcome(task, message.get("result"), message.get("failure", ""))

    def close(self) -> None:
        """End the process, with all that it has started."""
        if self._work is not None:
            self._work.kill()
            self._work.wait(PATIENCE)
            self._work = None
