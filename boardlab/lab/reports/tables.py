"""The tables of a report: a row for each variant, and the differences between them, with intervals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from boardlab.lab.reports.measures import Group, Measured
from boardlab.lab.reports.statistics import Interval, bootstrap, difference, interquartile_mean, mean, median
from boardlab.lab.sweeps.results import FAILED, FINISHED, Results

__all__ = ["difference_rows", "failure_rows", "summary_rows"]

_ALL_PAIRS = 6
"""Up to so many variants, all pairs are compared; beyond it, each with the best one."""


def summary_rows(found: Measured) -> list[dict[str, Any]]:
    """What the runs of each variant say together."""
    rows = []
    for group in found.groups:
        row: dict[str, Any] = {
            "variant": group.label,
            "runs": len(group.runs),
            **_columns("final mean", bootstrap(group.final.tolist(), mean)),
            **_columns("final median", bootstrap(group.final.tolist(), median)),
            **_columns("final interquartile mean", bootstrap(group.final.tolist(), interquartile_mean)),
        }
        for level in found.levels:
            times = group.times(level)
            row[f"reached {level:g}"] = int(np.isfinite(times).sum())
            row.update(_columns(f"time to {level:g}, median", bootstrap(times.tolist(), median)))
        row["CPU seconds of a run"] = _cpu(group)
        rows.append(row)
    return rows


def _cpu(group: Group) -> float | None:
    spent = [run.cpu_seconds for run in group.runs if run.cpu_seconds is not None]
    return round(float(np.mean(spent)), 3) if spent else None


def _columns(name: str, interval: Interval) -> dict[str, float]:
    return {name: interval.value, f"{name}, low": interval.low, f"{name}, high": interval.high}


def difference_rows(found: Measured) -> list[dict[str, Any]]:
    """How much better one variant is than another: the interquartile mean of the asymptotic result, and the median
    time-to-learn."""
    groups = list(found.groups)
    if len(groups) < 2:
        return []
    if len(groups) <= _ALL_PAIRS:
        pairs: Sequence[tuple[Group, Group]] = list(itertools.combinations(groups, 2))
    else:
        best = max(groups, key=lambda group: float(interquartile_mean(group.final)))
        pairs = [(best, group) for group in groups if group is not best]
    rows = []
    for one, other in pairs:
        final = difference(one.final.tolist(), other.final.tolist(), interquartile_mean)
        row: dict[str, Any] = {"variant": one.label, "minus": other.label, **_columns("final", final)}
        for level in found.levels:
            times = difference(one.times(level).tolist(), other.times(level).tolist(), median)
            row.update(_columns(f"time to {level:g}", times))
        rows.append(row)
    return rows


def failure_rows(folders: Sequence[tuple[str, Results]]) -> list[dict[str, Any]]:
    """The runs that are not finished."""
    return [
        {"folder": name, "variant": run.variant, "seed": run.seed, "status": run.status, "reason": run.reason}
        for name, runs in folders
        for run in runs
        if run.status != FINISHED and (run.status == FAILED or len(runs) < 200)
    ]


def interval_text(row: dict[str, Any], name: str) -> str:
    """A statistic and its interval, as `0.912 (0.905 .. 0.918)`."""
    value, low, high = (number_text(row[key]) for key in (name, f"{name}, low", f"{name}, high"))
    return f"{value} ({low} .. {high})"


def number_text(value: float | None) -> str:
    """A number for people; a time that is infinite was never reached."""
    if value is None or math.isnan(value):
        return "-"
    if math.isinf(value):
        return "never" if value > 0 else "-never"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3f}"
