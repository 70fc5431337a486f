"""One run of a sweep, carried out in a process of its own (see `boardlab.executors`): an ordinary training, which goes
on where it was stopped, killed or cut off, and leaves its result as files."""

from __future__ import annotations

import json
import os
import platform
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from boardlab import __version__
from boardlab.agents.files import load_agent
from boardlab.agents.learning import LearningAgent
from boardlab.components.models import read_model
from boardlab.errors import BoardlabError
from boardlab.lab.curves import write_curve
from boardlab.lab.history import History, history_of
from boardlab.lab.lessons import Lessons
from boardlab.lab.planning import compile_training, lessons_of, make_plan, new_learner
from boardlab.lab.progress import rates_text, result_text
from boardlab.lab.stop import Stop, TrainingStopped
from boardlab.lab.sweeps.runs import RunFiles, write_json
from boardlab.lab.training import Plan, TrainingReport, TrainingRun, follow
from boardlab.lab.wish import TrainingWish
from boardlab.registry import make
from boardlab.store import InUse, claimed
from boardlab.store.files import write_bytes
from boardlab.user_errors import explain_user_error

__all__ = ["BUSY", "DONE", "STOPPED", "carry_out"]

DONE, STOPPED, BUSY = "done", "stopped", "busy"
_NOTE_SECONDS = 1.0

Watch = Callable[[TrainingReport, History], None]
"""Is told every report of the training, with its history so far; what it raises ends the run, which keeps its
checkpoint."""


def carry_out(
    folder: str, wait: bool = False, checkpoint_seconds: float = 60.0, watch: Watch | None = None
) -> dict[str, Any]:
    """Carry out the run whose settings are in a folder, or go on with it, or find that it is done. Returns its
    `status`: done (with the `result`), stopped by SIGTERM, or busy where another process has it, unless it is to
    `wait`."""
    files, stop, cpu = RunFiles(Path(folder)), Stop(), time.process_time()
    wish = _wish(files)
    with stop.listening(signal.SIGTERM):
        try:
            with _claim(files, stop, wait):
                known = _read_result(files)
                if known is not None:
                    return {"status": DONE, "result": known}
                with _log(files) as note, _noting_failure(files, note):
                    history, before = _train(files, wish, stop, note, checkpoint_seconds, watch)
                if not history.finished:
                    return {"status": STOPPED}
                spent = before + time.process_time() - cpu
                return {"status": DONE, "result": _write_result(files, history, spent)}
        except InUse:
            return {"status": BUSY}
        except TrainingStopped:
            return {"status": STOPPED}


def _wish(files: RunFiles) -> TrainingWish:
    try:
        settings = json.loads(files.settings.read_text(encoding="utf-8"))
        return read_model(TrainingWish, settings["wish"], "a training")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BoardlabError(
            f"{files.settings} cannot be read on {platform.node()}; the folder of a sweep has to be on a disk that all"
            f" its workers share ({error})"
        ) from error


@contextmanager
def _claim(files: RunFiles, stop: Stop, wait: bool) -> Iterator[None]:
    """The run is ours. Another sweep may have it, or a worker that a cluster believes to be lost."""
    with stop.at_once():
        claim = claimed(files.agent, wait=wait)
        claim.__enter__()
    try:
        yield
    finally:
        claim.__exit__(None, None, None)


def _train(
    files: RunFiles,
    wish: TrainingWish,
    stop: Stop,
    note: Callable[[str], None],
    checkpoint_seconds: float,
    watch: Watch | None,
) -> tuple[History, float]:
    """Train until the end, or until it is stopped; the history then, and the CPU seconds of trainings before."""
    agent, lessons = _learner(files, wish)
    plan = make_plan(agent, wish, stop, lessons=lessons, path=files.agent, workers=1, beside=False)
    plan = replace(plan, checkpoint_seconds=checkpoint_seconds)
    history = history_of(agent)
    before = history.seconds
    where = f"{platform.node()}, process {os.getpid()}"
    note(f"goes on after {agent.episodes:,} episodes ({where})" if agent.episodes else f"begins ({where})")
    if history.finished:
        return history, before
    compile_training(agent, plan)
    training = TrainingRun(agent, plan)
    follow(training, stop, _teller(training, plan, note, watch))
    note("finished" if training.history.finished else "stopped")
    return training.history, before


def _learner(files: RunFiles, wish: TrainingWish) -> tuple[LearningAgent, Lessons | None]:
    if files.agent.exists():
        agent = load_agent(files.agent)
        return agent, lessons_of(wish, agent.game)
    game = make(wish.game or "")
    lessons = lessons_of(wish, game)
    return new_learner(game, wish, lessons), lessons


def _teller(
    training: TrainingRun, plan: Plan, note: Callable[[str], None], watch: Watch | None
) -> Callable[[TrainingReport], None]:
    """Write down evaluations, and now and then how fast it goes."""
    last = 0.0

    def tell(report: TrainingReport) -> None:
        nonlocal last
        if report.evaluation is not None:
            second = f"; {result_text(report.second)}" if report.second else ""
            note(f"{report.episodes:,} of {plan.episodes:,} episodes: {result_text(report.evaluation)}{second}")
        elif time.monotonic() - last > _NOTE_SECONDS:
            note(f"{report.episodes:,} of {plan.episodes:,} episodes, {' '.join(rates_text(report).split())}")
            last = time.monotonic()
        if watch is not None:
            watch(report, training.history)

    return tell


# ---------------------------------------------------------------- files


@contextmanager
def _log(files: RunFiles) -> Iterator[Callable[[str], None]]:
    """A function that adds a line to the log; what anybody prints meanwhile goes there, too."""
    with files.log.open("a", encoding="utf-8", buffering=1) as stream, redirect_stdout(stream), redirect_stderr(stream):
        yield lambda line: _add(stream, line)


def _add(stream: TextIO, line: str) -> None:
    stream.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {line}\n")


@contextmanager
def _noting_failure(files: RunFiles, note: Callable[[str], None]) -> Iterator[None]:
    """Keep the reason why a run cannot succeed, unless it is one of the machine: no room on the disk, no memory."""
    try:
        yield
        files.failure.unlink(missing_ok=True)
    except (MemoryError, OSError):
        raise
    except Exception as error:
        reason = explain_user_error(error) or (
            str(error) if isinstance(error, BoardlabError) else f"{type(error).__name__}: {error}"
        )
        note(f"failed: {reason}")
        if not isinstance(error.__cause__, OSError):
            write_bytes(files.failure, f"{reason}\n".encode())
        raise


def _read_result(files: RunFiles) -> dict[str, Any] | None:
    try:
        known: dict[str, Any] = json.loads(files.result.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return {name: value for name, value in known.items() if name != "history"}


def _write_result(files: RunFiles, history: History, cpu_seconds: float) -> dict[str, Any]:
    """Write the learning curve and the result; the result comes last, and says that all is there."""
    write_curve(history, files.curve)
    last = history.evaluations[-1] if history.evaluations else None
    result = {
        "score": last.score if last else None,
        "moves": history.moves,
        "stopped": history.stopped,
        "training_seconds": round(history.seconds, 3),
        "cpu_seconds": round(cpu_seconds, 3),
        "machine": platform.node(),
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        "boardlab": __version__,
    }
    write_json(files.result, {**result, "history": history.model_dump(mode="json")})
    return result
