"""The pool of worker processes in which agents think, seen from the server's event loop.

A job goes to an idle worker, if possible to the one that knows its game and agent already. When all are thinking and
somebody has to wait, another one is started, up to a limit: a slow agent never makes other players wait. A worker whose
job takes too long or is no longer wanted is killed, which is the only way to stop compiled code, and replaced.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.web.server.errors import Problem
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.workers.memory import Consumer

__all__ = ["JobStopped", "WorkerPool"]

GRACE_SECONDS = 0.3
"""A job that nobody wants any more may end by itself within this time; a new process takes longer to start."""
PATIENCE_SECONDS = 1.0
"""When all workers have been at their jobs for so long and another one waits, a new worker is started."""
SPARE_SECONDS = 60.0
"""So long a worker beyond the usual number stays without a job."""
_LONGEST_LINE = 1 << 26
_STEPS = b'{"steps":'
"""How a line of a worker begins that is no answer yet."""


class JobStopped(BoardlabError):
    """A job that did not come to its end: too slow, interrupted, or its process has died."""


@dataclass(eq=False)
class _Job:
    message: dict[str, Any]
    seconds: float
    session: str | None
    future: asyncio.Future[dict[str, Any]]
    compiling: Callable[[int], None] | None = None
    """Is told how many functions the worker has compiled for it so far."""

    @property
    def key(self) -> str:
        """Game and agent: a worker that has done a job with this key has both at hand."""
        return json.dumps([self.message.get("game"), self.message.get("agent")], sort_keys=True)


@dataclass(eq=False)
class _Worker:
    process: asyncio.subprocess.Process | None = None
    ready: bool = False
    killed: bool = False
    job: _Job | None = None
    keys: deque[str] = field(default_factory=lambda: deque(maxlen=8))
    """What it probably has at hand; the newest last."""
    sessions: deque[str] = field(default_factory=lambda: deque(maxlen=300))
    since: float = field(default_factory=monotonic)
    """When it began its job, or ended the last one."""
    task: asyncio.Task[None] | None = None
    wake: asyncio.Event = field(default_factory=asyncio.Event)

    def kill(self) -> None:
        """Once only, and not by `process.kill()`, which may take the exit status away from asyncio."""
        if self.process is not None and self.process.returncode is None and not self.killed:
            self.killed = True
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


class WorkerPool:
    """All worker processes. Lives in the event loop; nothing in it may be called from another thread."""

    def __init__(self, settings: ArenaSettings) -> None:
        self.settings = settings
        self.has_room: Callable[[], bool] = lambda: True
        """Whether there is memory for more than the usual number of workers."""
        self.begins: Callable[[], None] = lambda: None
        """Is called when a job comes, so that what is less urgent makes way."""
        self._workers: list[_Worker] = []
        self._queue: deque[_Job] = deque()
        self._closing = False

    def start(self) -> None:
        """Start the usual number of workers; jobs may come before they are ready."""
        for _ in range(self.settings.workers):
            self._hire()

    async def close(self) -> None:
        """End all workers, whatever they do."""
        self._closing = True
        for job in self._queue:
            job.future.cancel()
        self._queue.clear()
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.kill()
            worker.wake.set()
        await asyncio.gather(*(w.task for w in workers if w.task), return_exceptions=True)

    @property
    def count(self) -> int:
        """How many worker processes there are."""
        return len(self._workers)

    @property
    def is_busy(self) -> bool:
        """Whether anybody waits for an answer."""
        return bool(self._queue) or any(worker.job is not None for worker in self._workers)

    async def run(
        self,
        message: dict[str, Any],
        seconds: float,
        session: str | None = None,
        compiling: Callable[[int], None] | None = None,
    ) -> dict[str, Any]:
        """The answer to a job. `seconds` is how long it may take from when it begins, `session` the live game it
        belongs to, `compiling` is told how many functions were compiled for it so far. Raises
        BoardlabError with the sentence of the worker. To cancel the caller stops the job."""
        if self._closing:
            raise JobStopped("the arena is being closed")
        if len(self._queue) >= self.settings.waiting_jobs:
            raise Problem(429, "too many agents are asked at the same time; try again in a moment")
        self.begins()
        job = _Job(message, seconds, session, asyncio.get_running_loop().create_future(), compiling)
        self._queue.append(job)
        self._dispatch()
        if job in self._queue:
            asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self._help, job)
        try:
            return await job.future
        except asyncio.CancelledError:
            self._abandon(job)
            raise

    def consumers(self) -> list[Consumer]:
        """The processes, for the watch over the memory."""
        return [Consumer(w.process.pid, partial(_end, w)) for w in self._workers if w.process is not None]

    # ------------------------------------------------------------ who does what

    def _dispatch(self) -> None:
        """Give waiting jobs to idle workers, in their order."""
        while self._queue:
            idle = [w for w in self._workers if w.ready and w.job is None]
            if not idle:
                return
            job = self._queue.popleft()
            if job.future.done():
                continue
            key = job.key
            worker = max(idle, key=lambda w: (job.session in w.sessions, key in w.keys, w.since))
            worker.job, worker.since = job, monotonic()
            worker.wake.set()

    def _help(self, job: _Job) -> None:
        """Another worker for a job that still waits, if none of those that are there will soon have time for it."""
        if self._closing or job not in self._queue:
            return
        now = monotonic()
        stuck = all(w.job is not None and now - w.since > PATIENCE_SECONDS for w in self._workers)
        if stuck and len(self._workers) < self.settings.most_workers and self.has_room():
            self._hire()
        asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self._help, job)

    def _abandon(self, job: _Job) -> None:
        if job in self._queue:
            self._queue.remove(job)
            return
        for worker in self._workers:
            if worker.job is job:
                asyncio.get_running_loop().call_later(GRACE_SECONDS, self._stop, worker, job)

    def _stop(self, worker: _Worker, job: _Job) -> None:
        if worker.job is job:
            worker.kill()

    def _hire(self) -> None:
        worker = _Worker()
        self._workers.append(worker)
        worker.task = asyncio.create_task(self._life(worker))

    # ------------------------------------------------------------ one worker

    async def _life(self, worker: _Worker) -> None:
        """From the start of the process to its end; then, if it is missed, the next one."""
        try:
            worker.process = await _start_process(min(self.settings.worker_megabytes, self.settings.megabytes))
            await self._work(worker)
        finally:
            worker.kill()
            had_begun, worker.ready = worker.ready, False  # from here on it gets no jobs
            job, worker.job = worker.job, None
            if job is not None:
                _fail(job, "the process in which the agent thought has ended; perhaps there was too little memory")
            if worker.process is not None:
                await worker.process.wait()
            if worker in self._workers:
                self._workers.remove(worker)
            if not self._closing and len(self._workers) < self.settings.workers:
                if not had_begun:
                    await asyncio.sleep(1.0)  # a machine that cannot start processes shall not be hammered
                self._hire()

    async def _work(self, worker: _Worker) -> None:
        """Do jobs until the process ends or is no longer needed."""
        assert worker.process is not None and worker.process.stdin is not None and worker.process.stdout is not None
        await worker.process.stdout.readline()
        worker.ready = True
        self._dispatch()
        while not self._closing:
            if worker.job is None and not await self._has_job(worker):
                return
            job = worker.job
            if job is None:
                continue
            line = b""
            try:
                worker.process.stdin.write(json.dumps(job.message).encode() + b"\n")
                await worker.process.stdin.drain()
                line = await asyncio.wait_for(_answer(worker.process.stdout, job), job.seconds)
            except TimeoutError:
                _fail(job, f"it took longer than {job.seconds:g} s and was stopped")
            except (ConnectionError, ValueError):
                pass
            if not line:
                return
            worker.job = None
            worker.since = monotonic()
            _note(worker.keys, job.key)
            _note(worker.sessions, job.session)
            _settle(job, json.loads(line))
            self._dispatch()

    async def _has_job(self, worker: _Worker) -> bool:
        """Wait for the next job; False when the worker is one too many and nothing came."""
        while True:
            worker.wake.clear()
            if worker.job is not None or self._closing:
                return not self._closing
            try:
                await asyncio.wait_for(worker.wake.wait(), SPARE_SECONDS)
            except TimeoutError:
                if len(self._workers) > self.settings.workers and worker.job is None:
                    return False


async def _answer(stdout: asyncio.StreamReader, job: _Job) -> bytes:
    """The line that ends a job; those before it tell how far compiling is."""
    while (line := await stdout.readline()).startswith(_STEPS):
        if job.compiling is not None:
            job.compiling(int(json.loads(line)["steps"]))
    return line


def _note(known: deque[str], name: str | None) -> None:
    if name and name not in known:
        known.append(name)


def _settle(job: _Job, answer: dict[str, Any]) -> None:
    if job.future.done():
        return
    if "error" in answer:
        job.future.set_exception(BoardlabError(answer["error"]))
    else:
        job.future.set_result(answer)


def _end(worker: _Worker, sentence: str) -> None:
    if worker.job is not None:
        _fail(worker.job, sentence)
    worker.kill()


def _fail(job: _Job, sentence: str) -> None:
    if not job.future.done():
        job.future.set_exception(JobStopped(sentence))


async def _start_process(megabytes: int) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "boardlab.web.processes.worker",
        str(megabytes),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=_LONGEST_LINE,
        start_new_session=True,
    )
