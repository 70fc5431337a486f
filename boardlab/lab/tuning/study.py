"""Optuna's study of a tuning: its journal in the folder, trials that were cut off, and what was found."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boardlab.errors import BoardlabError
from boardlab.lab.tuning.description import Search, Tuning

if TYPE_CHECKING:
    from optuna import Study
    from optuna.pruners import BasePruner
    from optuna.samplers import BaseSampler
    from optuna.trial import FrozenTrial, Trial

__all__ = ["ask", "finished_trials", "importances", "open_study", "take_up_again"]

_NAME = "boardlab"


def open_study(folder: Path, search: Search) -> Study:
    """The study in a folder, a new one where there is none."""
    if find_spec("optuna") is None:
        raise BoardlabError("tuning needs Optuna; install it with: pip install 'boardlab[tune]'")
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

    logging.getLogger("optuna").setLevel(logging.ERROR)
    journal = str(folder / "journal.log")
    return optuna.create_study(
        storage=JournalStorage(JournalFileBackend(journal, lock_obj=JournalFileOpenLock(journal))),
        study_name=_NAME,
        direction="minimize" if search.goal == "time" else "maximize",
        sampler=_sampler(search, 0),
        pruner=_pruner(search),
        load_if_exists=True,
    )


def ask(study: Study, tuning: Tuning) -> Trial:
    """The next trial. Its random numbers follow from the seed and from its place, so that a tuning which was stopped
    goes on as one that was not."""
    study.sampler = _sampler(tuning.tune, len(study.get_trials(deepcopy=False)))
    return study.ask(tuning.distributions())


def _sampler(search: Search, place: int) -> BaseSampler:
    """Who proposes the trial at this place. A quasi-random sequence is one for all."""
    from optuna import samplers

    if search.sampler == "cma-es" and find_spec("cmaes") is None:
        raise BoardlabError("the sampler cma-es needs the package cmaes; install it with: pip install cmaes")
    if search.sampler == "gaussian-process" and find_spec("torch") is None:
        raise BoardlabError("the sampler gaussian-process needs PyTorch; install it with: pip install torch")
    makers: dict[str, Any] = {
        "tpe": samplers.TPESampler,
        "random": samplers.RandomSampler,
        "quasi-random": samplers.QMCSampler,
        "gaussian-process": samplers.GPSampler,
        "cma-es": samplers.CmaEsSampler,
    }
    seed = search.seed if search.sampler == "quasi-random" else (search.seed * 100_003 + place) % 2**32
    made: BaseSampler = makers[search.sampler](seed=seed)
    return made


def _pruner(search: Search) -> BasePruner:
    from optuna import pruners

    makers: dict[str, Any] = {
        "median": pruners.MedianPruner,
        "halving": pruners.SuccessiveHalvingPruner,
        "hyperband": pruners.HyperbandPruner,
        "none": pruners.NopPruner,
    }
    made: BasePruner = makers[search.pruner]()
    return made


def take_up_again(study: Study) -> int:
    """Trials that were cut off, by Ctrl-C or a power cut, come first: their trainings go on where they were. How many
    there are."""
    from optuna.trial import TrialState

    cut = study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
    for trial in cut:
        study.tell(trial.number, state=TrialState.FAIL)
        if trial.params:
            study.enqueue_trial(trial.params)
    return len(cut)


def finished_trials(study: Study) -> list[FrozenTrial]:
    """Trials that count: those that came to their end, or were ended early for their poor curves, or failed by their
    own fault."""
    from optuna.trial import TrialState

    done = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL))
    return [trial for trial in done if trial.state != TrialState.FAIL or "reason" in trial.user_attrs]


def importances(study: Study) -> dict[str, float]:
    """How much of the difference between good and other results comes from each setting (PED-ANOVA, Watanabe et al.
    2023); empty where there are too few trials to tell."""
    from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances
    from optuna.trial import TrialState

    if len(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))) < 4:
        return {}
    try:
        return dict(get_param_importances(study, evaluator=PedAnovaImportanceEvaluator()))
    except (ValueError, RuntimeError):
        return {}
