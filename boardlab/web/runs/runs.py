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
from pathlib import Path
from time import monotonic
from typing import Any

from pydantic import BaseModel, ValidationError

from boardlab.agents.files import facts_in
from boardlab.errors import BoardlabError
from boardlab.lab.history import StepSizes
from boardlab.store import read_agent_file
from boardlab.system.child import LongWork, Message, death_sentence
from boardlab.web.library.agent_files import AgentFiles, write_json
from boardlab.web.library.agents import Learning
from boardlab.web.long_work.queue import Entry, WorkCard, WorkQueue, WorkState
from boardlab.web.server.clock import now
from boardlab.web.server.errors import Problem
from boardlab.web.server.event_streams import EventStreams
from boardlab.web.server.ids import new_id
from boardlab.web.server.json_numbers import finite
from boardlab.web.server.settings import ArenaSettings

__all__ = ["CurveLine", "Run", "Runs", "ScoreLine"]


class ScoreLine(BaseModel):
    """What an evaluator found; low and high bound its 95 % interval."""

    score: float | None
    low: float | None
    high: float | None


class CurveLine(ScoreLine):
    """One evaluation."""

    episodes: int
    seconds: float | None = None
    """CPU time of the training until then."""
    wall: float | None = None
    """The same by the clock on the wall, with the time that evaluations take."""
    second: ScoreLine | None = None
    """What the second evaluator found."""
    step_sizes: StepSizes | None = None


class Run(WorkCard):
    """A training run."""

    name: str
    """What the agent will be called."""
    episodes: int
    of: int
    """Episodes so far, and in the end."""
    episodes_per_second: float = 0.0
    moves_per_second: float = 0.0
    rates: dict[str, float | None] = {}
    """Alpha, epsilon and what else the learner varies, in the last episode."""
    seconds_left: float | None = None
    seconds: float = 0.0
    """CPU time of the training so far."""
    seed: int
    threads: int
    agent: str = "td-ntuple"
    preset: str
    evaluator: str
    against: str
    second_evaluator: str = ""
    second_against: str = ""
    bytes: int
    """Memory of what is learned."""
    curve: list[CurveLine] = []
    file: str | None = None
    """The agent file, once the run is over."""
    group: str = ""
    """The run that it repeats with another seed."""
    wall: float = 0.0
    """Seconds by the clock on the wall in processes that have ended."""


class _RunEntry(Entry[Run]):
    """A run with what belongs to it in this process."""

    def __init__(self, run: Run, directory: Path, keep_as: str, learned_before: int) -> None:
        super().__init__(run)
        self.directory, self.keep_as, self.learned_before = directory, keep_as, learned_before
        self.process_began = monotonic()
        self.began: tuple[float, int] | None = None
        """Time and episodes when the present process began to train."""

    @property
    def checkpoint(self) -> Path:
        return self.directory / "run.agent"

    def save(self) -> None:
        about = {"run": self.card.model_dump(), "keep_as": self.keep_as, "learned_before": self.learned_before}
        write_json(self.directory / "run.json", about)

    def learned(self) -> int:
        """Episodes that the checkpoint has learned from in this run."""
        try:
            return facts_in(read_agent_file(self.checkpoint)).episodes - self.learned_before
        except BoardlabError:
            return 0


class Runs(WorkQueue[Run, _RunEntry]):
    """All training runs."""

    kind = "run"
    names = ("training run", "training runs")
    process = "boardlab.web.processes.training"

    def __init__(self, settings: ArenaSettings, files: AgentFiles, streams: EventStreams) -> None:
        super().__init__(streams, settings.runs, settings.runs_at_once)
        self._files, self.directory = files, settings.data / "runs"

    def start(self) -> None:
        """Find the runs of the last time, and go on with them."""
        self.directory.mkdir(parents=True, exist_ok=True)
        found = [entry for path in self.directory.glob("*/run.json") if (entry := _read(path)) is not None]
        found.sort(key=lambda entry: (entry.card.state in ("queued", "paused"), entry.card.created))
        with self._lock:
            self._entries = {entry.card.id: entry for entry in found}
            for entry in found:
                if entry.card.state == "stopping":
                    self._finish(entry, "stopped")
                elif entry.card.state in ("compiling", "running"):
                    self._set(entry, "queued")
            self._dispatch()

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
            entry = _RunEntry(run, directory, keep_as=new_id(), learned_before=run.episodes)
            entry.save()
            return self._add(entry)
        except (OSError, Problem) as error:
            shutil.rmtree(directory, ignore_errors=True)
            if isinstance(error, Problem):
                raise
            raise Problem(409, f"the run cannot be written: {error.strerror or error}") from error

    def repeat(self, run_id: str, seeds: int) -> list[Run]:
        """Queue the same training with other seeds."""
        with self._lock:
            entry = self._entry(run_id)
            if entry.learned_before:
                raise Problem(409, "a training that went on with an agent cannot be repeated from its beginning")
            job = json.loads((entry.directory / "job.json").read_text(encoding="utf-8"))
            if "wish" not in job:
                raise Problem(409, "this run was queued by an older boardlab; start it anew")
            first = entry.card
            group = first.group or first.id
            taken = {e.card.seed for e in self._entries.values() if group in (e.card.group, e.card.id)}
            free = [seed for seed in range(first.seed + 1, first.seed + 1 + seeds + len(taken)) if seed not in taken]
        made = []
        for seed in free[:seeds]:
            fields = first.model_dump(include={"game", "title", "of", "threads", "agent", "preset", "bytes"})
            name = f"{first.name[:60]} seed {seed}"
            fields |= {"evaluator": first.evaluator, "against": first.against, "group": group, "created": now()}
            run = Run(**fields, id=new_id(), name=name, state="queued", episodes=0, seed=seed)
            made.append(self.create(run, {**job, "wish": {**job["wish"], "seed": seed}}, None))
        return made

    def checkpoint_path(self, run_id: str) -> Path | None:
        """What the run has learned so far, once it has saved it."""
        with self._lock:
            path = self._entry(run_id).checkpoint
        return path if path.exists() else None

    def learning(self, run_id: str) -> Learning | None:
        """The agent of a run that is not over, as far as it has learned; None for what is no such run."""
        with self._lock:
            if run_id not in self._entries or self._entries[run_id].card.file is not None:
                return None
            run = self._entries[run_id].card
        path = self.checkpoint_path(run_id)
        if path is None:
            raise Problem(409, f"{run.name} has saved nothing yet; wait for its first checkpoint")
        return Learning(path, f"{run.name} (in training)", run.game)

    def job_path(self, run_id: str) -> Path:
        """What was asked for."""
        with self._lock:
            return self._entry(run_id).directory / "job.json"

    def pause(self, run_id: str) -> Run:
        """Save the agent and end the process; the run keeps its place in the list."""
        with self._lock:
            entry = self._entry(run_id)
            self._refuse_unless(entry, ("queued", "compiling", "running"), "paused")
            if entry.work is not None:
                self._let_go(entry.work)
            self._set(entry, "paused")
            return self.get(run_id)

    def resume(self, run_id: str) -> Run:
        """Queue a run again; it goes on from its checkpoint."""
        with self._lock:
            entry = self._entry(run_id)
            self._refuse_unless(entry, ("paused", "failed"), "resumed")
            if entry.card.state == "failed":
                self.refuse_more()
            self._set(entry, "queued")
            self._dispatch()
            return self.get(run_id)

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
            return self.get(run_id)

    # ------------------------------------------------------------ as a kind of work

    def _order(self, entry: _RunEntry) -> tuple[str, Message | None]:
        entry.began, entry.process_began = None, monotonic()
        return str(entry.directory), None

    def _heard(self, entry: _RunEntry, message: Message) -> None:
        run = entry.card
        if "begin" in message:
            _take_begin(run, message)
        elif "measuring" in message:
            run.message = message["measuring"]
        elif "report" in message:
            _take_report(entry, message["report"])
            if run.state == "compiling":
                self._set(entry, "running")
        self._publish(entry)

    def _settle(self, entry: _RunEntry, code: int) -> None:
        run, end = entry.card, entry.end.get("end")
        run.wall += monotonic() - entry.process_began
        run.episodes_per_second = run.moves_per_second = 0.0
        run.seconds_left = None
        if end == "finished":
            self._finish(entry, "finished", entry.end.get("message"))
        elif run.state == "stopping":
            self._finish(entry, "stopped")
        elif run.state in ("compiling", "running") and not self._closing:
            if end == "pause":
                self._set(entry, "paused", "its process was told to end, and has saved its agent")
            else:
                self._set(entry, "failed", entry.end.get("message") or _failure(entry, code))
        else:  # paused, and perhaps queued again meanwhile; or it will go on after a restart
            self._set(entry, run.state)

    def _finish(self, entry: _RunEntry, state: WorkState, message: str | None = None) -> None:
        """The run is over: its agent goes to the others. A server killed in between finds the id that it was to have
        and does not keep it twice."""
        try:
            if self._files.holds(entry.keep_as):
                entry.card.file = entry.keep_as
            elif entry.learned() > 0:
                name = entry.card.name
                entry.card.file = self._files.keep(entry.checkpoint, name, entry.keep_as, free_name=True).id
            else:
                message = "stopped before it had learned anything, so there is no agent"
        except Problem as problem:
            state, message = "failed", problem.sentence
        self._set(entry, state, message)

    def _let_go(self, work: LongWork) -> None:
        """It saves its agent; what was running or queued when the server closes will go on after a restart."""
        work.send({"command": "pause"})

    def _save(self, entry: _RunEntry) -> None:
        with contextlib.suppress(OSError):  # a full disk: the state of before is found after a restart
            entry.save()

    def _forget(self, entry: _RunEntry) -> None:
        """The agent file stays."""
        shutil.rmtree(entry.directory, ignore_errors=True)


def _take_begin(run: Run, message: Message) -> None:
    begin = message["begin"]
    run.episodes, run.seconds, run.bytes = begin["episodes"], begin["seconds"], begin["bytes"]
    walls = {point.episodes: point.wall for point in run.curve}
    lines = [_curve_line(point) for point in begin["curve"]]
    run.curve = [line.model_copy(update={"wall": walls.get(line.episodes)}) for line in lines]
    run.evaluator, run.against = message["evaluator"], message["against"]
    run.second_evaluator, run.second_against = message.get("second", ("", ""))


def _take_report(entry: _RunEntry, report: Message) -> None:
    run, time = entry.card, monotonic()
    run.episodes, run.seconds, run.message = report["episodes"], report["seconds"], None
    run.rates = {name: finite(value) for name, value in report["rates"].items()}
    if "point" in report:
        wall = run.wall + time - entry.process_began
        run.curve = [*run.curve, _curve_line(report["point"]).model_copy(update={"wall": wall})]
    else:
        run.episodes_per_second = report["episodes_per_second"]
        run.moves_per_second = report["moves_per_second"]
    if entry.began is None:
        entry.began = (time, run.episodes)
    since, first = entry.began
    if run.episodes > first:  # with the time that evaluations take
        run.seconds_left = (run.of - run.episodes) * (time - since) / (run.episodes - first)


def _curve_line(point: Message) -> CurveLine:
    second = point.get("second")
    return CurveLine(
        episodes=point["episodes"],
        seconds=point.get("seconds"),
        **_scores(point),
        second=ScoreLine(**_scores(second)) if second else None,
        step_sizes=point.get("step_sizes"),
    )


def _scores(found: Message) -> dict[str, float | None]:
    return {name: finite(found[name]) for name in ("score", "low", "high")}


def _failure(entry: _RunEntry, code: int) -> str:
    learned = entry.learned() + entry.learned_before if entry.checkpoint.exists() else 0
    return f"{death_sentence(code)}; to resume it goes on from its checkpoint of {learned:,} episodes"


def _read(path: Path) -> _RunEntry | None:
    """The run of a file; None for a directory that is none of ours."""
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        return _RunEntry(Run.model_validate(about["run"]), path.parent, about["keep_as"], about["learned_before"])
    except (OSError, ValueError, KeyError, TypeError, ValidationError):
        return None
