"""The figure of a reproduction, in the form of the original: curves, boxes, lines over a setting, or a heat map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from boardlab.lab.reports.curve_figures import boxes, curves, file_name
from boardlab.lab.reports.figures import Picture, below_legend, looks, panels
from boardlab.lab.reports.measures import Group, Measured

__all__ = ["original_form"]


def original_form(form: str, found: Measured) -> list[Picture]:
    """The figures that the original consists of."""
    if form == "curves":
        return [curves(found, "mean", "deviation")]
    if form == "boxes":
        return boxes(found)
    if form == "sensitivity":
        return [_sensitivity(found)]
    if form == "heat map":
        return [_heat_map(found)]
    return []


def _by_name(found: Measured) -> dict[str, list[Group]]:
    """The groups of each named variant."""
    groups: dict[str, list[Group]] = {}
    for group in found.groups:
        groups.setdefault(group.first.named, []).append(group)
    return groups


def _setting(group: Group, groups: Sequence[Group]) -> float:
    """The value of the first number that varies within a named variant."""
    for name in group.first.settings:
        values = {other.first.settings.get(name) for other in groups}
        if len(values) > 1:
            return float(group.first.settings[name])
    return math.nan


def _times(group: Group, level: float) -> Any:
    """Times-to-learn, with the whole training where the level was never reached."""
    longest = [float(curve.episodes[-1]) for curve in group.curves]
    times = group.times(level)
    return np.where(np.isfinite(times), times, longest)


def _sensitivity(found: Measured) -> Picture:
    """Time-to-learn on the left and asymptotic result on the right over a step size: means and deviations."""
    named = _by_name(found)
    look = looks(list(named))
    figure, axes = panels(1, 2, width=7.0, height=2.6 + 0.1 * len(named))
    level = found.levels[0]
    for name, groups in named.items():
        pairs = [(_setting(group, groups), group) for group in groups]
        pairs = sorted((pair for pair in pairs if math.isfinite(pair[0])), key=lambda pair: pair[0])
        x = [value for value, _ in pairs]
        for plot, values in (
            (axes[0, 0], [_times(group, level) for _, group in pairs]),
            (axes[0, 1], [group.final for _, group in pairs]),
        ):
            spread = [float(np.std(v)) for v in values]
            plot.errorbar(x, [float(np.mean(v)) for v in values], spread, label=name, capsize=2, **look[name])
    for plot, label in ((axes[0, 0], f"episodes until {level:g}"), (axes[0, 1], f"asymptotic {found.what}")):
        plot.set_xscale("log")
        plot.set_xlabel("value of the setting")
        plot.set_ylabel(label)
    below_legend(axes[0, 0], len(named))
    caption = (
        f"Time-to-learn ({level:g}) and asymptotic {found.what} over the setting that varies: means of the runs, with"
        " their standard deviations. A run that never reaches the level counts with all its episodes."
    )
    return Picture(file_name(found, "sensitivity"), caption, figure)


def _heat_map(found: Measured) -> Picture:
    """Time-to-learn (its logarithm) over the step size, a row for each variant and its other setting."""
    level = found.levels[0]
    cells: dict[str, dict[float, float]] = {}
    for name, groups in _by_name(found).items():
        for group in groups:
            value = _setting(group, groups)
            others = [f"{k.rpartition('.')[2]} {v:g}" for k, v in _others(group, groups).items()]
            row = cells.setdefault(" ".join([name, *others]), {})
            row[value] = math.log10(float(np.median(_times(group, level))))
    columns = sorted({x for row in cells.values() for x in row})
    picture = np.array([[row.get(x, math.nan) for x in columns] for row in cells.values()])
    figure, axes = panels(width=5.5, height=1.2 + 0.28 * len(cells))
    plot = axes[0, 0]
    shown = plot.imshow(picture, aspect="auto", cmap="Blues")
    plot.grid(visible=False)
    plot.set_xticks(range(len(columns)), [f"{x:g}" for x in columns])
    plot.set_yticks(range(len(cells)), list(cells))
    middle = float(np.nanmean([np.nanmin(picture), np.nanmax(picture)]))
    for (i, k), value in np.ndenumerate(picture):
        if math.isfinite(value):
            plot.text(
                k,
                i,
                f"{10**value:,.0f}",
                ha="center",
                va="center",
                color="white" if value > middle else "black",
                size=6,
            )
    plot.set_xlabel("initial step size")
    figure.colorbar(shown, ax=plot, label=f"log10 of the games until {level:g}")
    caption = f"Games until {level:g}, median of the runs; the longest training where it was never reached."
    return Picture(file_name(found, "heat-map"), caption, figure)


def _others(group: Group, groups: Sequence[Group]) -> dict[str, float]:
    """What varies within a named variant besides the first number."""
    varying = [n for n in group.first.settings if len({other.first.settings.get(n) for other in groups}) > 1]
    return {name: float(group.first.settings[name]) for name in varying[1:]}
