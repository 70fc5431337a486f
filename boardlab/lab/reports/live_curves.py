"""Learning curves by variant while a sweep is under way: at each time over the runs that have come so far.

A report looks at finished runs alone; here runs count from their first evaluation on, so that the end of a curve is
over fewer runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boardlab.lab.reports.curve_figures import CENTRES, band_of
from boardlab.lab.sweeps.results import Curve, Results

__all__ = ["LiveCurve", "evaluators_of", "live_curves"]


@dataclass(frozen=True)
class LiveCurve:
    """The curve of a variant: lists of the same length, one entry for each number of episodes."""

    label: str
    episodes: list[int]
    score: list[float]
    low: list[float]
    high: list[float]
    runs: list[int]
    """How many runs have come so far."""


def evaluators_of(runs: Results) -> list[str]:
    """Who has measured anything in these runs, in their order."""
    return list(dict.fromkeys(name for run in runs for name in run.curves))


def live_curves(runs: Results, evaluator: str, centre: str = "mean", band: str = "quartiles") -> list[LiveCurve]:
    """The curves of all variants that the evaluator has measured: the mean or the median of the runs, and a band as in
    a report."""
    found = []
    for label, alike in runs.variants.items():
        measured = [run.curves[evaluator] for run in alike if evaluator in run.curves]
        if measured:
            found.append(_live_curve(label, measured, centre, band))
    return found


def _live_curve(label: str, curves: Sequence[Curve], centre: str, band: str) -> LiveCurve:
    made = LiveCurve(label, [], [], [], [], [])
    for episodes, scores in _stretches(curves):
        low, high = band_of(scores, band, centre)
        made.episodes.extend(episodes)
        made.score.extend(CENTRES[centre](scores.T).tolist())
        made.low.extend(low.tolist())
        made.high.extend(high.tolist())
        made.runs.extend([len(scores)] * len(episodes))
    return made


def _stretches(curves: Sequence[Curve]) -> Iterator[tuple[list[int], NDArray[np.float64]]]:
    """Times one after the other at which the same runs were measured, with their scores of shape (runs, times)."""
    known = [dict(zip(curve.episodes.tolist(), curve.score.tolist(), strict=True)) for curve in curves]
    times: list[int] = []
    there: list[int] = []
    for time in [*sorted(set().union(*known)), None]:
        here = [k for k, scores in enumerate(known) if time in scores]
        if times and here != there:
            yield times, np.array([[known[k][at] for at in times] for k in there])
            times = []
        if time is not None:
            times, there = [*times, time], here
