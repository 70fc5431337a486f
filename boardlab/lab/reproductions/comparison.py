"""What was published beside what came out here, with 95 % intervals over the runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boardlab.lab.reports.measures import Group, measured
from boardlab.lab.reports.statistics import STATISTICS, Interval, bootstrap
from boardlab.lab.reports.tables import number_text
from boardlab.lab.reproductions.published import Measure, Published
from boardlab.lab.sweeps.results import Results
from boardlab.lab.sweeps.sweep import Sweep

__all__ = ["Comparison", "compare", "comparison_rows"]

WITHIN, BETTER, WORSE, SHORT, MISSING = "yes", "better", "worse", "too few games", "not run"


@dataclass(frozen=True)
class Comparison:
    """One value of a table: as printed, and as it is here."""

    variant: str
    measure: Measure
    published: float
    deviation: float | None
    here: Interval | None
    """None where no run is finished."""
    runs: int = 0
    episodes: int = 0
    setting: str = ""
    """Of the settings that were tried, the best one."""
    ended_before: bool = False
    """Whether trainings ended before a level was reached that the published ones reached later than that."""

    @property
    def verdict(self) -> str:
        """Whether the published value lies within our interval, and on which side of it we are if not."""
        if self.here is None:
            return MISSING
        if self.episodes < self.measure.needs or self.ended_before:
            return SHORT
        low, high = self.here.low, self.here.high
        if low <= self.published <= high:
            return WITHIN
        lower = high < self.published
        if self.measure.most and lower:
            return WITHIN
        return BETTER if lower == self.measure.less_is_better else WORSE

    @property
    def here_text(self) -> str:
        """Our value with its interval and what it comes from."""
        if self.here is None:
            return "-"
        best = f" at {self.setting}" if self.setting else ""
        return f"{number_text(self.here.value)} ({number_text(self.here.low)} .. {number_text(self.here.high)}){best}"

    @property
    def published_text(self) -> str:
        """The printed value with its deviation."""
        most = "at most " if self.measure.most else ""
        around = f" ± {self.deviation:,g}" if self.deviation is not None else ""
        return f"{most}{self.published:,.10g}{around}"


def compare(found: Published, sweep: Sweep, runs: Results) -> list[Comparison]:
    """Every published value beside ours."""
    return [
        _compared(variant, value, measure, groups)
        for measure, groups in ((measure, _groups(measure, sweep, runs)) for measure in found.measures)
        for variant, value in measure.values.items()
    ]


def comparison_rows(found: Sequence[Comparison]) -> list[dict[str, str | int]]:
    """The table for people: published, here, interval, within."""
    return [
        {
            "variant": one.variant,
            "measure": one.measure.name,
            "published": one.published_text,
            "here (95 % interval)": one.here_text,
            "runs": one.runs,
            "games": f"{one.episodes:,}" if one.episodes else "-",
            "within?": one.verdict,
        }
        for one in found
    ]


def _compared(variant: str, value: float, measure: Measure, groups: Sequence[Group]) -> Comparison:
    candidates = [(group, _interval(group, measure)) for group in groups if _is_of(group, variant, measure)]
    deviation = measure.deviations.get(variant)
    if not candidates:
        return Comparison(variant, measure, value, deviation, None)
    sign = 1.0 if measure.less_is_better else -1.0
    group, here = min(candidates, key=lambda one: sign * one[1].value)
    episodes = min(int(curve.episodes[-1]) for curve in group.curves)
    return Comparison(
        variant,
        measure,
        value,
        deviation,
        here,
        len(group.runs),
        episodes,
        group.label.removeprefix(variant).lstrip(", ") if measure.best else "",
        measure.of == "time" and episodes < value and not _is_reached(group, measure),
    )


def _is_reached(group: Group, measure: Measure) -> bool:
    """Whether the time-to-learn is known: the median of the runs, or each of them where their mean is taken."""
    times = group.times(measure.level)
    return bool(np.isfinite(np.median(times) if measure.statistic == "median" else times).all())


def _is_of(group: Group, variant: str, measure: Measure) -> bool:
    return group.first.named == variant if measure.best else group.label == variant


def _groups(measure: Measure, sweep: Sweep, runs: Results) -> Sequence[Group]:
    found = measured([("", runs)], [measure.level], sweep.last)
    named = [one for one in found if measure.evaluator in ("", one.evaluator)]
    return [group for one in named[:1] for group in one.groups]


def _interval(group: Group, measure: Measure) -> Interval:
    """Our value in the units of the published one."""
    if measure.of == "time":
        results = group.times(measure.level)
    elif measure.of == "final":
        results = group.final
    else:
        results = np.array([float(curve.score[-1]) for curve in group.curves])
    if measure.statistic == "mean" and not np.all(np.isfinite(results)):  # Thill 2015: the whole training counts
        longest = [float(curve.episodes[-1]) for curve in group.curves]
        results = np.where(np.isfinite(results), results, longest)
    found = bootstrap(results.tolist(), STATISTICS[measure.statistic])
    value, low, high = (measure.offset + measure.factor * x for x in (found.value, found.low, found.high))
    return Interval(value, low, high)
