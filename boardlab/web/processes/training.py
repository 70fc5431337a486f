"""One training run, in a process of its own: `python -m boardlab.web.processes.training DIRECTORY`, started by `runs`.

The directory holds `job.json`, what was asked for, and `run.agent`, the checkpoint, once there is one: then the run
goes on from there. The process tells how it stands in lines of JSON, and hears the commands pause and stop, which both
save the agent and end the process. When the server is gone, or SIGTERM comes, the run pauses by itself.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep
from types import FrameType
from typing import Any

from boardlab.agents.files import load_agent
from boardlab.agents.learning import LearningAgent
from boardlab.errors import BoardlabError
from boardlab.lab.history import CurvePoint, History, history_of
from boardlab.lab.planning import compile_training, make_plan, new_learner
from boardlab.lab.stop import Stop
from boardlab.lab.training import TrainingReport, TrainingRun, follow
from boardlab.lab.wish import TrainingWish
from boardlab.registry import make
from boardlab.store import claimed
from boardlab.system.pipe import end_at_once, listen, settle_in
from boardlab.user_errors import explain_user_error

__all__ = ["main"]

Tell = Callable[[dict[str, Any]], None]

_SAVING_SECONDS = 30.0
"""So long a run whose server is gone may take to save its agent."""


def main() -> None:
    """Train as the directory says."""
    directory = Path(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a command that comes after the end
    tell = settle_in()
    commands = _Commands(tell)
    with commands.stop.listening():
        signal.signal(signal.SIGTERM, commands.terminate)
        listen(lambda message: commands.take(message["command"]), commands.abandon)
        try:
            with claimed(directory / "run.agent", wait=True):  # a killed server may have left a process that saves it
                history = _train(directory, tell, commands)
            early = f"ended early: {history.stopped}" if history.stopped else None
            tell({"end": "finished", "message": early} if history.finished else {"end": commands.last})
        except Exception as error:
            tell({"end": "failed", "message": _sentence(error)})


class _Commands:
    """What the server has told the run to do. Until training begins nothing has changed, so the process ends at once,
    which no exception would do for sure in the midst of compiling; from then on the run is interrupted in order."""

    def __init__(self, tell: Tell) -> None:
        self.stop, self.last = Stop(), ""
        self._tell = tell
        self._training = False
        self._lock = threading.Lock()

    def take(self, command: str) -> None:
        """Do what the server says; called in another thread than that of the training."""
        with self._lock:
            self.last = command
            if not self._training:
                self._tell({"end": command})
                os._exit(0)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    def terminate(self, number: int, frame: FrameType | None) -> None:
        """SIGTERM has come, perhaps from a machine that is being switched off."""
        threading.Thread(target=self.take, args=("pause",), daemon=True).start()

    def abandon(self) -> None:
        """The server is gone: pause, and if that takes too long, end with what the last checkpoint has."""
        self.take("pause")
        sleep(_SAVING_SECONDS)
        end_at_once()

    def begin_training(self) -> None:
        """From now on there is something to save."""
        with self._lock:
            self._training = True


def _train(directory: Path, tell: Tell, commands: _Commands) -> History:
    """Returns what the training did; when it did not come to its end, what was learned until then is saved."""
    job = json.loads((directory / "job.json").read_text(encoding="utf-8"))
    wish, path = _wish(job), directory / "run.agent"
    agent = load_agent(path) if path.exists() else new_learner(make(wish.game or ""), wish)
    plan = make_plan(agent, wish, commands.stop, path=path, progress=_Measuring(tell), beside=False)
    plan = replace(plan, checkpoint_seconds=job["checkpoint_seconds"])
    second = (plan.second.evaluator, plan.second.against) if plan.second else ("", "")
    tell({"begin": _begin(agent), "evaluator": plan.evaluator, "against": plan.against, "second": second})
    compile_training(agent, plan)
    commands.begin_training()
    training = TrainingRun(agent, plan)
    follow(training, commands.stop, lambda report: tell(_line(report, training.history)))
    return training.history


class _Measuring:
    """Tells how far an evaluation is that takes longer than a moment."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._next = 0.0

    def __call__(self, done: int, games: int) -> None:
        if done == 0:
            self._next = monotonic() + 2.0
        elif monotonic() > self._next:
            self._next = monotonic() + 0.5
            self._tell({"measuring": f"its strength is being measured: {done:,} of {games:,} games"})


def _wish(job: dict[str, Any]) -> TrainingWish:
    """What was asked for; a run that an older boardlab has queued has it in parts."""
    if "wish" in job:
        return TrainingWish(**job["wish"])
    return TrainingWish(game=job["game"], preset=job["preset"] or None, options=job["settings"], **job["wishes"])


def _begin(agent: LearningAgent) -> dict[str, Any]:
    history = history_of(agent)
    return {
        "episodes": agent.episodes,
        "seconds": history.seconds,
        "bytes": agent.memory_needed,
        "curve": [_point(point) for point in history.evaluations],
    }


def _line(report: TrainingReport, history: History) -> dict[str, Any]:
    line: dict[str, Any] = {"episodes": report.episodes, "rates": dict(report.rates)}
    if report.evaluation:
        line["point"] = _point(history.evaluations[-1])
    else:
        line["episodes_per_second"] = report.episodes_per_second
        line["moves_per_second"] = report.moves_per_second
    return {"report": {**line, "seconds": history.seconds}}


def _point(point: CurvePoint) -> dict[str, Any]:
    return point.model_dump(include={"episodes", "seconds", "score", "low", "high", "second", "step_sizes"})


def _sentence(error: Exception) -> str:
    if isinstance(error, BoardlabError):
        return str(error)
    explained = explain_user_error(error)
    if explained is not None:
        return explained
    traceback.print_exc()
    if isinstance(error, MemoryError):
        return "there was too little memory for it"
    return f"the training failed: {type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
