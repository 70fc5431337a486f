"""A cluster: the workers of a Dask scheduler (https://distributed.dask.org), which has an extra of its own.

Dask hands out the tasks, and hands them out again when it loses a worker. Each of its workers carries them out in a
process of ours (`worker`), so that a task finds there what it finds on one machine: a main thread that hears SIGTERM,
one thread for numerics, and nobody harmed by its death. Whoever hands in tasks for a cluster has to expect that one is
carried out twice, when a worker only seemed to be lost: a task that writes files claims them first.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from concurrent.futures import CancelledError
from importlib.util import find_spec
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.executors.tasks import Executor, Outcome, Task
from boardlab.executors.worker import Worker

__all__ = ["ClusterExecutor", "perform_here"]

_ANSWER_SECONDS = 15
_IDLE_SECONDS = 60.0


class ClusterExecutor(Executor):
    """The workers of the Dask scheduler at an address, as `tcp://10.0.0.1:8786`."""

    def __init__(self, address: str) -> None:
        super().__init__()
        if find_spec("distributed") is None:
            raise BoardlabError("a cluster needs Dask; install it with: pip install 'boardlab[cluster]'")
        from distributed import Client

        self._address = address
        try:
            self._client: Any = Client(address, timeout=_ANSWER_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise BoardlabError(
                f"no Dask scheduler answers at {address}; `dask scheduler` tells its address when it starts,"
                " such as tcp://10.0.0.1:8786"
            ) from error
        self._futures: dict[Any, Task] = {}

    @property
    def slots(self) -> int:
        return sum(self._client.nthreads().values())

    @property
    def words(self) -> str:
        workers = self._client.nthreads()
        return f"the cluster at {self._address} ({len(workers)} workers, {sum(workers.values())} threads)"

    def _begin(self, tasks: list[Task]) -> None:
        for task in tasks:
            future = self._client.submit(
                perform_here,
                {"name": task.name, "function": task.function, "arguments": json.dumps(dict(task.arguments))},
                key=f"{task.name}-{secrets.token_hex(8)}",
                pure=False,
                priority=task.cost,
            )
            self._futures[future] = task
            future.add_done_callback(self._ended)

    def _ended(self, future: Any) -> None:
        """Dask says in a thread of its own that a task is over."""
        task = self._futures.pop(future, None)
        if task is None:  # taken back
            return
        try:
            found = future.result()
        except CancelledError:
            outcome = Outcome(task, failure="the scheduler was lost", lost=True)
        except Exception as error:  # KilledWorker, or what a worker cannot import
            outcome = Outcome(task, failure=_reason(error), lost=True)
        else:
            outcome = Outcome(task, found["result"], found["failure"], found["lost"])
        self._outcomes.put(outcome)

    def close(self) -> None:
        futures = list(self._futures)
        self._futures.clear()
        try:
            if futures:
                self._client.cancel(futures, force=True)
        finally:
            self._client.close()


def _reason(error: Exception) -> str:
    if type(error).__name__ == "KilledWorker":
        return "each worker that had it was lost; perhaps there was too little memory"
    return f"the worker could not do it: {type(error).__name__}: {error}"


# ---------------------------------------------------------------- on a worker

_idle: list[tuple[float, Worker]] = []
"""Processes without a task, and since when."""
_lock = threading.Lock()


def perform_here(task: dict[str, str]) -> dict[str, Any]:
    """Carry out a task in a process beside this worker of Dask; what the client gets."""
    with _lock:
        worker = _idle.pop()[1] if _idle else Worker()
    arguments = json.loads(task["arguments"])
    try:
        found = worker.perform(Task(task["name"], task["function"], arguments), _taken_back())
    except BaseException:
        worker.close()
        raise
    with _lock:
        _idle.append((time.monotonic(), worker))
    timer = threading.Timer(_IDLE_SECONDS + 1, _retire)
    timer.daemon = True
    timer.start()
    return {"result": found.result, "failure": found.failure, "lost": found.lost}


def _taken_back() -> Any:
    """Whether the client does not wait for this task any more: it has taken it back, or is gone."""
    from distributed import get_worker
    from distributed.worker import thread_state

    worker, key = get_worker(), thread_state.key

    def asked() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state in {"cancelled", "released", "forgotten"}

    return asked


def _retire() -> None:
    """End the processes that had nothing to do for a while."""
    with _lock:
        old = [worker for since, worker in _idle if time.monotonic() - since > _IDLE_SECONDS]
        _idle[:] = [(since, worker) for since, worker in _idle if worker not in old]
    for worker in old:
        worker.close()
