"""Processes on this machine, as many as it has cores."""

from __future__ import annotations

import heapq
import threading
from itertools import count

from boardlab.executors.tasks import Executor, Task
from boardlab.executors.worker import Worker
from boardlab.system.machine import cores

__all__ = ["LocalExecutor"]


class LocalExecutor(Executor):
    """Processes on this machine, which stay from task to task. One thread for each process hands it its tasks."""

    def __init__(self, processes: int | None = None) -> None:
        super().__init__()
        self._processes = processes or cores()
        self._waiting: list[tuple[float, int, Task]] = []
        self._number = count()
        self._changed = threading.Condition()
        self._closing = False
        self._threads: list[threading.Thread] = []

    @property
    def slots(self) -> int:
        return self._processes

    @property
    def words(self) -> str:
        return "one process" if self._processes == 1 else f"{self._processes} processes"

    def _begin(self, tasks: list[Task]) -> None:
        with self._changed:
            for task in tasks:
                heapq.heappush(self._waiting, (-task.cost, next(self._number), task))
            while len(self._threads) < min(self._processes, self.pending):
                self._threads.append(threading.Thread(target=self._serve, name="executor", daemon=True))
                self._threads[-1].start()
            self._changed.notify_all()

    def _serve(self) -> None:
        """Give the tasks to a process, one after the other, until the executor is closed."""
        worker = Worker()
        try:
            while (task := self._next()) is not None:
                self._outcomes.put(worker.perform(task, lambda: self._closing))
        finally:
            worker.close()

    def _next(self) -> Task | None:
        with self._changed:
            while not self._waiting and not self._closing:
                self._changed.wait()
            return None if self._closing else heapq.heappop(self._waiting)[2]

    def close(self) -> None:
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
