"""From learning curves to the two numbers by which Thill 2015 compares trainings: how good a run becomes in the end,
and after how many episodes it reaches a level. Runs of the same variant make a group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.lab.sweeps.results import Curve, Results, RunResult
from boardlab.matches.curves import asymptotic_success, smoothed, time_to_learn
from boardlab.matches.evaluators.registry import evaluator_classes

__all__ = ["Group", "Measured", "measured"]

Floats = NDArray[np.float64]

_THESIS_LAST = 200_000
_THESIS_LEVEL = 0.8
_MOSTLY = 0.9


@dataclass(frozen=True)
class Group:
    """The finished runs of a variant, as one evaluator measured them."""

    label: str
    runs: Sequence[RunResult]
    curves: Sequence[Curve]
    last: int

    @property
    def first(self) -> RunResult:
        """One of the runs, for the settings that they have in common."""
        return self.runs[0]

    @cached_property
    def final(self) -> Floats:
        """The asymptotic result of each run: the mean of the evaluations during the last episodes."""
        return np.array([asymptotic_success(c.episodes.tolist(), c.score.tolist(), self.last) for c in self.curves])

    def times(self, level: float) -> Floats:
        """The time-to-learn of each run; infinite where the level was never reached."""
        found = [time_to_learn(c.episodes.tolist(), c.score.tolist(), level) for c in self.curves]
        return np.array([math.inf if time is None else time for time in found])

    @cached_property
    def episodes(self) -> NDArray[np.int64]:
        """When all runs were evaluated."""
        common = set(self.curves[0].episodes.tolist())
        for curve in self.curves[1:]:
            common &= set(curve.episodes.tolist())
        return np.array(sorted(common), np.int64)

    @cached_property
    def scores(self) -> Floats:
        """The results at these times, float64 of shape (runs, times)."""
        places = [np.searchsorted(curve.episodes, self.episodes) for curve in self.curves]
        return np.array([curve.score[at] for curve, at in zip(self.curves, places, strict=True)])

    def smooth(self, window: int = 5) -> Floats:
        """The same, each run smoothed."""
        return np.array([smoothed(scores, window) for scores in self.scores])


@dataclass(frozen=True)
class Measured:
    """All variants of one or several folders, by one evaluator."""

    evaluator: str
    groups: Sequence[Group]
    levels: Sequence[float]
    level_words: str
    """Where the levels come from, in a sentence; empty where somebody has said them."""
    last: int

    @property
    def what(self) -> str:
        """What a result is."""
        return "success rate" if _is_success(self.evaluator) else "score"

    def values(self, name: str) -> list[Any]:
        """The different values of a setting, in ascending order where they are numbers."""
        found = list(dict.fromkeys(group.first.value(name) for group in self.groups))
        numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in found)
        return sorted(found) if numbers else found


def measured(
    folders: Sequence[tuple[str, Results]], levels: Sequence[float] | None = None, last: int | None = None
) -> list[Measured]:
    """What each evaluator found, over the finished runs of these folders. Several folders put their names before those
    of the variants."""
    evaluators = dict.fromkeys(name for _, runs in folders for run in runs.finished for name in run.curves)
    return [_by(evaluator, folders, levels, last) for evaluator in evaluators]


def _by(
    evaluator: str, folders: Sequence[tuple[str, Results]], levels: Sequence[float] | None, last: int | None
) -> Measured:
    found: dict[str, list[RunResult]] = {}
    for folder, runs in folders:
        for label, alike in runs.finished.variants.items():
            whole = label if len(folders) == 1 else folder if label == "all" else f"{folder}: {label}"
            there = [run for run in alike if evaluator in run.curves]
            if there:
                found.setdefault(whole, []).extend(there)
    if last is None:
        longest = max(int(run.curves[evaluator].episodes[-1]) for runs in found.values() for run in runs)
        last = min(_THESIS_LAST, max(1, longest // 10))
    groups = [Group(label, runs, [run.curves[evaluator] for run in runs], last) for label, runs in found.items()]
    words = ""
    if levels is None:
        levels, words = _usual_levels(evaluator, groups)
    return Measured(evaluator, groups, levels, words, last)


def _usual_levels(evaluator: str, groups: Sequence[Group]) -> tuple[list[float], str]:
    if _is_success(evaluator):
        return [_THESIS_LEVEL], ""
    lowest = min(float(np.mean(group.scores, axis=0).min()) for group in groups if len(group.episodes))
    highest = max(float(np.median(group.final)) for group in groups)
    level = float(f"{lowest + _MOSTLY * (highest - lowest):.2g}")
    words = (
        f"The level {level:g} lies nine tenths of the way from the lowest mean result to the best median;"
        " levels in the file of the sweep, or --level, say others."
    )
    return [level], words


def _is_success(evaluator: str) -> bool:
    found = evaluator_classes().get(evaluator.partition(":")[0])
    return found is not None and found.measure == "success"
