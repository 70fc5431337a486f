"""Training runs: queued, each trained in a process of its own, paused, resumed, stopped, and found again after a
restart of the server.

A run is a directory `runs/<id>` with `job.json` (what was asked for), `run.json` (how it stands) and the checkpoint
`run.agent`. A run that is not being trained needs no more than these: to pause is to save the checkpoint and end the
process, to resume is to queue the run again, and a restarted server does the same with what it finds.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import threading
from pathlib import Path
from time import monotonic
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from boardlab.errors import BoardlabError
from boardlab.store import read_agent_file
from boardlab.web.library.agent_files import AgentFiles, write_json
from boardlab.web.long_work.process import LongWork, Message, death_sentence
from boardlab.web.server.errors import Problem
from boardlab.web.server.event_streams import EventStreams
from boardlab.web.server.ids import new_id
from boardlab.web.server.json_numbers import finite
from boardlab.web.server.settings import ArenaSettings

__all__ = ["CurveLine", "Run", "RunState", "Runs"]

RunState = Literal["queued", "compiling", "running", "paused", "stopping", "finished", "stopped", "failed"]

_OPEN: tuple[RunState, ...] = ("queued", "compiling", "running", "paused", "stopping")
_CLOSING_SECONDS = 30.0
"""So long a closing server waits for checkpoints to be written; after that the ones before them count."""


class CurveLine(BaseModel):
    """One evaluation; low and high bound its 95 % interval."""

    episodes: int
    score: float | None
    low: float | None
    high: float | None


class Run(BaseModel):
    """A training run."""

    id: str
    name: str
    """What the agent will be called."""
    game: str
    title: str
    state: RunState
    episodes: int
    of: int
    """Episodes so far, and in the end."""
    episodes_per_second: float = 0.0
    moves_per_second: float = 0.0
    alpha: float | None = None
    epsilon: float | None = None
    seconds_left: float | None = None
    seconds: float = 0.0
    """CPU time of the training so far."""
    seed: int
    threads: int
    preset: str
    evaluator: str
    against: str
    bytes: int
    """Memory of the look-up tables."""
    curve: list[CurveLine] = []
    file: str | None = None
    """The agent file, once the run is over."""
    message: str | None = None
    created: str


class _Entry:
    """A run with what belongs to it in this process."""

    def __init__(self, run: Run, directory: Path, keep_as: str, learned_before: int) -> None:
        self.run, self.directory = run, directory
        self.keep_as, self.learned_before = keep_as, learned_before
        self.work: LongWork | None = None
        self.end: Message | None = None
        self.began: tuple[float, int] | None = None
        """Time and episodes when the present process began to train."""

    @property
    def checkpoint(self) -> Path:
        return self.directory / "run.agent"

    def save(self) -> None:
        about = {"run": self.run.model_dump(), "keep_as": self.keep_as, "learned_before": self.learned_before}
        write_json(self.directory / "run.json", about)

    def learned(self) -> int:
        """Episodes that the checkpoint has learned from in this run."""
        try:
            about = read_agent_file(self.checkpoint).about
        except BoardlabError:
            return 0
        return about.facts.episodes - self.learned_before


class Runs:
    """All training runs. Safe for several threads."""

    def __init__(self, settings: ArenaSettings, files: AgentFiles, streams: EventStreams) -> None:
        self._settings, self._files, self._streams = settings, files, streams
        self.directory = settings.data / "runs"
        self._lock = threading.RLock()
        self._entries: dict[str, _Entry] = {}
        """In the order of the queue."""
        self._closing = False

    # ------------------------------------------------------------ from start to close

    def start(self) -> None:
        """Find the runs of the last time, and go on with them."""
        self.directory.mkdir(parents=True, exist_ok=True)
        found = [entry for path in self.directory.glob("*/run.json") if (entry := _read(path)) is not None]
        found.sort(key=lambda entry: (entry.run.state in ("queued", "paused"), entry.run.created))
        with self._lock:
            self._entries = {entry.run.id: entry for entry in found}
            for entry in found:
                if entry.run.state == "stopping":
                    self._finish(entry, "stopped")
                elif entry.run.state in ("compiling", "running"):
                    self._set(entry, "queued")
            self._dispatch()

    def expect_close(self) -> None:
        """The server has been told to end, and perhaps its processes, too: what pauses now will go on after a
        restart."""
        self._closing = True

    def close(self) -> None:
        """Save all that is being trained; what was running or queued will go on after a restart."""
        with self._lock:
            self._closing = True
            working = [entry.work for entry in self._entries.values() if entry.work is not None]
            for work in working:
                work.send({"command": "pause"})
        until = monotonic() + _CLOSING_SECONDS
        for work in working:
            if not work.wait(max(0.1, until - monotonic())):
                work.kill()
                work.wait(5.0)

    # ------------------------------------------------------------ looking

    def all(self) -> list[Run]:
        """All runs, the newest first."""
        with self._lock:
            runs = [entry.run.model_copy() for entry in self._entries.values()]
        return sorted(runs, key=lambda run: run.created, reverse=True)

    def get(self, run_id: str) -> Run:
        """One run."""
        with self._lock:
            return self._entry(run_id).run.model_copy()

    def _entry(self, run_id: str) -> _Entry:
        if run_id not in self._entries:
            raise Problem(404, f"there is no training run {run_id}; it may have been deleted")
        return self._entries[run_id]

    def refuse_more(self) -> None:
        """Raise where there are as many open runs as the settings allow."""
        with self._lock:
            most = self._settings.runs
            if sum(entry.run.state in _OPEN for entry in self._entries.values()) >= most:
                raise Problem(429, f"there are {most} training runs already that are not over; stop some first")

    # ------------------------------------------------------------ changing

    def create(self, run: Run, job: dict[str, Any], source: Path | None) -> Run:
        """Queue a checked run; `source` is the agent file that it goes on with."""
        self.refuse_more()
        directory = self.directory / run.id
        directory.mkdir(parents=True)
        try:
            if source is not None:
                shutil.copyfile(source, directory / "run.agent")
            write_json(directory / "job.json", job)
            entry = _Entry(run, directory, keep_as=new_id(), learned_before=run.episodes)
            entry.save()
        except OSError as error:
            shutil.rmtree(directory, ignore_errors=True)
            raise Problem(409, f"the run cannot be written: {error.strerror or error}") from error
        with self._lock:
            self._entries[run.id] = entry
            self._dispatch()
            self._publish(entry)
            return entry.run.model_copy()

    def pause(self, run_id: str) -> Run:
        """Save the agent and end the process; the run keeps its place in the list."""
        with self._lock:
            entry = self._entry(run_id)
            self._refuse_unless(entry, ("queued", "compiling", "running"), "paused")
            if entry.work is not None:
                entry.work.send({"command": "pause"})
            self._set(entry, "paused")
            return entry.run.model_copy()

    def resume(self, run_id: str) -> Run:
        """Queue a run again; it goes on from its checkpoint."""
        with self._lock:
            entry = self._entry(run_id)
            self._refuse_unless(entry, ("paused", "failed"), "resumed")
            if entry.run.state == "failed":
                self.refuse_more()
            self._set(entry, "queued")
            self._dispatch()
            return entry.run.model_copy()

    def stop(self, run_id: str) -> Run:
        """End a run before its time; the agent is kept if it has learned anything."""
        with self._lock:
            entry = self._entry(run_id)
            self._refuse_unless(entry, ("queued", "compiling", "running", "paused", "failed"), "stopped")
            if entry.work is not None:
                entry.work.send({"command": "stop"})
                self._set(entry, "stopping")
            else:
                self._finish(entry, "stopped")
            return entry.run.model_copy()

    def delete(self, run_id: str) -> None:
        """Forget a run that is over, with its checkpoint; the agent file stays."""
        with self._lock:
            entry = self._entry(run_id)
            self._refuse_unless(entry, ("finished", "stopped", "failed"), "deleted")
            del self._entries[run_id]
            shutil.rmtree(entry.directory, ignore_errors=True)
        self._streams.publish("run", {"id": run_id, "deleted": True})

    def _refuse_unless(self, entry: _Entry, states: tuple[RunState, ...], what: str) -> None:
        if entry.run.state not in states:
            raise Problem(409, f"the run {entry.run.name} is {entry.run.state}, so it cannot be {what}")

    # ------------------------------------------------------------ processes

    def _dispatch(self) -> None:
        """Start queued runs while there is room."""
        if self._closing:
            return
        working = sum(entry.work is not None for entry in self._entries.values())
        for entry in list(self._entries.values()):
            if working >= self._settings.runs_at_once:
                return
            if entry.run.state == "queued" and entry.work is None:
                working += self._begin(entry)

    def _begin(self, entry: _Entry) -> bool:
        """Start the process of a run; False when there can be none."""
        entry.end, entry.began = None, None
        try:
            entry.work = LongWork(
                "boardlab.web.processes.training",
                str(entry.directory),
                lambda message: self._told(entry, message),
                lambda code: self._ended(entry, code),
            )
        except OSError as error:
            self._set(entry, "failed", f"its process cannot be started: {error.strerror or error}")
            return False
        self._set(entry, "compiling")
        entry.work.start()
        return True

    def _told(self, entry: _Entry, message: Message) -> None:
        with self._lock:
            run = entry.run
            if "end" in message:
                entry.end = message
            elif "begin" in message:
                _take_begin(run, message)
            elif "measuring" in message:
                run.message = message["measuring"]
            elif "report" in message:
                _take_report(entry, message["report"])
                if run.state == "compiling":
                    self._set(entry, "running")
            self._publish(entry)

    def _ended(self, entry: _Entry, code: int) -> None:
        """The process of a run is gone: why, and what now."""
        with self._lock:
            entry.work = None
            entry.run.episodes_per_second = entry.run.moves_per_second = 0.0
            entry.run.seconds_left = None
            end = entry.end or {}
            if end.get("end") == "finished":
                self._finish(entry, "finished")
            elif entry.run.state == "stopping":
                self._finish(entry, "stopped")
            elif entry.run.state in ("compiling", "running") and not self._closing:
                if end.get("end") == "pause":
                    self._set(entry, "paused", "its process was told to end, and has saved its agent")
                else:
                    self._set(entry, "failed", end.get("message") or _failure(entry, code))
            else:  # paused, and perhaps queued again meanwhile; or it will go on after a restart
                self._set(entry, entry.run.state)
            self._dispatch()

    def _finish(self, entry: _Entry, state: RunState) -> None:
        """The run is over: its agent goes to the others. A server killed in between finds the id that it was to have
        and does not keep it twice."""
        message = None
        try:
            if self._files.holds(entry.keep_as):
                entry.run.file = entry.keep_as
            elif entry.learned() > 0:
                name = entry.run.name
                entry.run.file = self._files.keep(entry.checkpoint, name, entry.keep_as, free_name=True).id
            else:
                message = "stopped before it had learned anything, so there is no agent"
        except Problem as problem:
            state, message = "failed", problem.sentence
        self._set(entry, state, message)

    def _set(self, entry: _Entry, state: RunState, message: str | None = None) -> None:
        """A new state, on the disk and on all pages."""
        entry.run.state, entry.run.message = state, message
        with contextlib.suppress(OSError):  # a full disk: the state of before is found after a restart
            entry.save()
        self._publish(entry)

    def _publish(self, entry: _Entry) -> None:
        self._streams.publish("run", entry.run.model_copy(update={"curve": list(entry.run.curve)}))


def _take_begin(run: Run, message: Message) -> None:
    begin = message["begin"]
    run.episodes, run.seconds, run.bytes = begin["episodes"], begin["seconds"], begin["bytes"]
    run.curve = [_curve_line(point) for point in begin["curve"]]
    run.evaluator, run.against = message["evaluator"], message["against"]


def _take_report(entry: _Entry, report: Message) -> None:
    run, time = entry.run, monotonic()
    run.episodes, run.seconds, run.message = report["episodes"], report["seconds"], None
    run.alpha, run.epsilon = report["alpha"], report["epsilon"]
    if "point" in report:
        run.curve = [*run.curve, _curve_line(report["point"])]
    else:
        run.episodes_per_second = report["episodes_per_second"]
        run.moves_per_second = report["moves_per_second"]
    if entry.began is None:
        entry.began = (time, run.episodes)
    since, first = entry.began
    if run.episodes > first:  # with the time that evaluations take
        run.seconds_left = (run.of - run.episodes) * (time - since) / (run.episodes - first)


def _curve_line(point: Message) -> CurveLine:
    scores = {name: finite(point[name]) for name in ("score", "low", "high")}
    return CurveLine(episodes=point["episodes"], **scores)


def _failure(entry: _Entry, code: int) -> str:
    learned = entry.learned() + entry.learned_before if entry.checkpoint.exists() else 0
    return f"{death_sentence(code)}; to resume it goes on from its checkpoint of {learned:,} episodes"


def _read(path: Path) -> _Entry | None:
    """The run of a file; None for a directory that is none of ours."""
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        return _Entry(Run.model_validate(about["run"]), path.parent, about["keep_as"], about["learned_before"])
    except (OSError, ValueError, KeyError, TypeError, ValidationError):
        return None
