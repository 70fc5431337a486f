"""`boardlab tune`: asks Optuna for settings, has them tried on all cores or a cluster, and keeps the best ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boardlab.errors import BoardlabError
from boardlab.executors import Executor, Outcome, Task, open_executor
from boardlab.lab.sweeps.carrying_out import DONE
from boardlab.lab.sweeps.runs import variant_runs
from boardlab.lab.tuning.description import Tuning
from boardlab.lab.tuning.study import ask, finished_trials, open_study, take_up_again
from boardlab.lab.tuning.trial import PRUNED
from boardlab.store import InUse, claimed
from boardlab.store.files import write_bytes

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import Trial

__all__ = ["Tuned", "carry_out_tuning", "write_best"]

Tell = Any
"""A function that a line is told to."""


@dataclass(frozen=True)
class Tuned:
    """What came of a tuning."""

    study: Study
    best: dict[str, Any]
    value: float
    trials: int


def carry_out_tuning(
    tuning: Tuning, folder: Path, tell: Tell, *, processes: int | None = None, cluster: str | None = None
) -> Tuned:
    """Try what is not tried yet. Ctrl-C stops it, and the same call goes on."""
    with _claimed(folder):
        _write_description(tuning, folder)
        study = open_study(folder, tuning.tune)
        again = take_up_again(study)
        done = len(finished_trials(study))
        tell(f"{tuning.tune.trials:,} trials in {folder}, {done:,} of them done{f', {again} go on' if again else ''}")
        if done < tuning.tune.trials:
            with open_executor(cluster, processes) as executor:
                tell(f"in {executor.words}, each setting with {len(tuning.seeds)} seeds")
                _search(tuning, folder, study, executor, tell)
        return _found(tuning, folder, study)


@contextmanager
def _claimed(folder: Path) -> Iterator[None]:
    """The folder is ours; another tuning would ask the same study."""
    try:
        with claimed(folder / "journal.log"):
            yield
    except InUse:
        raise BoardlabError(f"{folder} is used by another tuning just now; wait for its end") from None


def _write_description(tuning: Tuning, folder: Path) -> None:
    path, text = folder / "tune.toml", tuning.to_toml()
    if path.exists():
        before = Tuning.read(path)
        if before.model_copy(update={"tune": tuning.tune}).to_toml() != text or before.tune.goal != tuning.tune.goal:
            raise BoardlabError(
                f"{folder} has the trials of another tuning; say another folder by --folder. Only the number of trials,"
                " the sampler and the pruner may change"
            )
    write_bytes(path, text.encode())


def _search(tuning: Tuning, folder: Path, study: Study, executor: Executor, tell: Tell) -> None:
    """Keep as many trials running as there is room for."""
    begun = len(finished_trials(study))
    running: dict[str, Trial] = {}
    while True:
        while begun < tuning.tune.trials and len(running) < max(1, executor.slots):
            trial = ask(study, tuning)
            running[str(trial.number)] = trial
            executor.submit(_task(tuning, folder, trial))
            begun += 1
        if not running:
            return
        outcome = executor.wait(1.0)
        if outcome is not None:
            trial = running.pop(outcome.task.name)
            tell(_note(tuning, study, trial, outcome))


def _task(tuning: Tuning, folder: Path, trial: Trial) -> Task:
    runs = variant_runs(tuning.variant_of(trial.params), tuning.seeds, trial.number * len(tuning.seeds))
    for run in runs:
        run.settle(folder)
    arguments = {"folder": str(folder.absolute()), "number": trial.number, "runs": [run.name for run in runs]}
    return Task(str(trial.number), "boardlab.lab.tuning.trial:carry_out_trial", arguments)


def _note(tuning: Tuning, study: Study, trial: Trial, outcome: Outcome) -> str:
    """Tell the study what came of a trial; the line about it."""
    from optuna.trial import TrialState

    said = ", ".join(f"{name}={_short(value)}" for name, value in trial.params.items())
    place = f"trial {trial.number + 1}: {said}"
    if outcome.failure:
        trial.set_user_attr("reason", outcome.failure)
        study.tell(trial, state=TrialState.FAIL)
        return f"{place} failed: {outcome.failure}"
    status = outcome.result["status"]
    if status == DONE:
        study.tell(trial, outcome.result["value"])
        best = "  (the best so far)" if study.best_trial.number == trial.number else ""
        return f"{place}: {_short(outcome.result['value'])}{best}"
    study.tell(trial, state=TrialState.PRUNED if status == PRUNED else TrialState.FAIL)
    return f"{place}: ended early" if status == PRUNED else f"{place}: stopped"


def _found(tuning: Tuning, folder: Path, study: Study) -> Tuned:
    try:
        best = study.best_trial
    except ValueError:
        raise BoardlabError(f"no trial in {folder} came to its end; boardlab report {folder} tells more") from None
    write_best(tuning, best.params, folder / "best.toml")
    return Tuned(study, best.params, float(best.value or 0.0), len(finished_trials(study)))


def write_best(tuning: Tuning, parameters: dict[str, Any], path: Path) -> None:
    """Write settings as a file for `boardlab train --config`."""
    wish = tuning.variant_of(parameters).wish
    write_bytes(path, f"# found by boardlab tune\n{wish.to_toml()}".encode())


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
