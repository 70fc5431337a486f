"""One trial of a tuning, in a process of its own: the trainings of a setting, one seed after the other, which end early
when their curves are poor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from boardlab.lab.history import History
from boardlab.lab.sweeps.carrying_out import DONE, carry_out
from boardlab.lab.sweeps.results import read_run
from boardlab.lab.sweeps.runs import RunFiles
from boardlab.lab.training import TrainingReport
from boardlab.lab.tuning.description import Tuning
from boardlab.lab.tuning.study import open_study
from boardlab.matches.curves import asymptotic_success, time_to_learn

__all__ = ["PRUNED", "STOPPED", "carry_out_trial"]

PRUNED, STOPPED = "pruned", "stopped"


class _Prune(Exception):
    """The trial is not worth going on with."""


def carry_out_trial(folder: str, number: int, runs: list[str]) -> dict[str, Any]:
    """Carry out the trainings of a trial, or go on with them. Returns its `status` and its `value`."""
    place = Path(folder)
    tuning = Tuning.read(place / "tune.toml")
    judge = _Judge(tuning, place, number)
    values: list[float] = []
    for name in runs:
        path = place / "runs" / name
        try:
            found = carry_out(str(path), wait=True, watch=judge.watching(values))
        except _Prune:
            return {"status": PRUNED}
        if found["status"] != DONE:
            return {"status": STOPPED}
        values.append(_value(tuning, read_run(RunFiles(path)).history))
    return {"status": DONE, "value": float(np.mean(values))}


class _Judge:
    """Reports the curve of a trial to the study, and hears whether it is to end."""

    def __init__(self, tuning: Tuning, folder: Path, number: int) -> None:
        from optuna.trial import Trial

        self._tuning = tuning
        study = open_study(folder, tuning.tune)
        self._trial = Trial(study, study.get_trials(deepcopy=False)[number]._trial_id)
        self._told: set[int] = set()

    def watching(self, before: list[float]) -> Any:
        """What a training is watched by that follows those with these values."""

        def watch(report: TrainingReport, history: History) -> None:
            if report.evaluation is None:
                return
            count = len(history.evaluations)
            step = len(before) * 100_000 + count
            if step in self._told:
                return
            self._told.add(step)
            self._trial.report(float(np.mean([*before, _value(self._tuning, history)])), step)
            if self._trial.should_prune():
                raise _Prune

        return watch


def _value(tuning: Tuning, history: History) -> float:
    """The goal, as far as a training is. A level that was never reached counts as more episodes than there were, and
    the more the farther it is."""
    episodes = [point.episodes for point in history.evaluations]
    scores = [point.score for point in history.evaluations]
    final = asymptotic_success(episodes, scores, tuning.last or max(1, episodes[-1] // 10))
    if tuning.tune.goal == "final":
        return final
    level = tuning.levels[0]
    reached = time_to_learn(episodes, scores, level)
    return reached if reached is not None else episodes[-1] * (1.0 + max(0.0, level - final))
