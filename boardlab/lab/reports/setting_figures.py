"""Figures over the settings that vary: sensitivity to one of them, heat maps over two."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.lab.reports.curve_figures import MOST, file_name
from boardlab.lab.reports.figures import COLUMN, Picture, below_legend, episodes_axis, is_geometric, looks, panels
from boardlab.lab.reports.measures import Group, Measured
from boardlab.lab.reports.statistics import median
from boardlab.lab.sweeps.sweep import value_text

__all__ = ["heat_maps", "numeric_settings", "sensitivity"]

Floats = NDArray[np.float64]
Measure = tuple[str, str, Callable[[Group], Floats]]
"""A name for files, words for an axis, and the values of a group's runs."""

_MOST_PANELS = 6


def numeric_settings(found: Measured, varied: Sequence[str], least: int) -> list[str]:
    """Which of the settings that vary are numbers with so many different values at least."""
    names = []
    for name in varied:
        values = [group.first.value(name) for group in found.groups]
        if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
            if len(set(values)) >= least:
                names.append(name)
    return names


def _measures(found: Measured) -> list[Measure]:
    measures: list[Measure] = [("asymptotic", f"asymptotic {found.what}", lambda group: group.final)]
    for level in found.levels:
        if any(np.isfinite(median(group.times(level))) for group in found.groups):
            measures.append((f"time-{level:g}", f"episodes until {level:g}", partial(_times, level)))
    return measures


def _times(level: float, group: Group) -> Floats:
    return group.times(level)


def _others(found: Measured, varied: Sequence[str], without: Sequence[str]) -> dict[str, list[Group]]:
    """The groups by what they have besides some settings: their named variant and the other values."""
    sets: dict[str, list[Group]] = {}
    for group in found.groups:
        run = group.first
        folder = group.label.removesuffix(run.variant).removesuffix(": ")
        values = [
            f"{n}={value_text(run.value(n))}"
            for n in varied
            if n not in without and n in run.settings and n not in _own(run)
        ]
        label = ", ".join([*([folder] if folder else []), *([run.named] if run.named else []), *values])
        sets.setdefault(label, []).append(group)
    return sets


def _own(run: Any) -> set[str]:
    """The settings that belong to the named variant of a run, not to the grid."""
    return {name for name in run.settings if f"{name}=" not in run.variant}


def sensitivity(found: Measured, varied: Sequence[str]) -> list[Picture]:
    """How much each number that varies matters: the median over the runs, and a band for their middle half. One panel
    for each measure."""
    pictures = []
    for name in numeric_settings(found, varied, 3):
        sets = _others(found, varied, [name])
        lonely = all(len(groups) < 2 for groups in sets.values())  # points of a hypercube: no two differ in one alone
        if lonely or any(_repeats(groups, name) for groups in sets.values()):
            sets = {"": list(found.groups)}
        drawn = dict(list(sets.items())[:MOST])
        measures = _measures(found)
        figure, axes = panels(1, len(measures), width=COLUMN * min(2, len(measures)), height=2.3 + 0.13 * len(drawn))
        look = looks(list(drawn))
        for plot, (_, words, of) in zip(axes[0], measures, strict=True):
            for label, groups in drawn.items():
                _draw_sensitivity(plot, groups, name, of, {**look[label], "label": label}, joined=not lonely)
            _value_axis(plot, [float(group.first.value(name)) for group in found.groups])
            plot.set_xlabel(name)
            plot.set_ylabel(words)
            if words.startswith("episodes"):
                episodes_axis(plot.yaxis)
        below_legend(axes[0, 0], len(drawn))
        caption = (
            f"Sensitivity to {name} (evaluator {found.evaluator}): the median of the runs"
            f"{', each point a variant' if lonely else ', with a band for their middle half'}."
        )
        pictures.append(Picture(f"{file_name(found, 'sensitivity')}-{name}", caption, figure))
    return pictures


def _value_axis(plot: Any, values: Sequence[float]) -> None:
    """The same axis in all panels, whether all of its values were reached or not."""
    low, high = min(values), max(values)
    if is_geometric(values):
        plot.set_xscale("log")
        plot.set_xlim(low / (high / low) ** 0.05, high * (high / low) ** 0.05)
    else:
        plot.set_xlim(low - 0.05 * (high - low), high + 0.05 * (high - low))


def _repeats(groups: Sequence[Group], name: str) -> bool:
    return len({group.first.value(name) for group in groups}) < len(groups)


def _draw_sensitivity(
    plot: Any, groups: Sequence[Group], name: str, of: Callable[[Group], Floats], style: dict[str, Any], *, joined: bool
) -> None:
    ordered = sorted(groups, key=lambda group: float(group.first.value(name)))
    x = np.array([float(group.first.value(name)) for group in ordered])
    middle = np.array([float(median(of(group))) for group in ordered])
    reached = np.isfinite(middle)
    if not joined or len(set(x.tolist())) < len(x):
        plot.plot(x[reached], middle[reached], **{**style, "linestyle": "none"})
        return
    plot.plot(x, np.where(reached, middle, np.nan), **style)
    low, high = np.array([np.quantile(of(group), [0.25, 0.75], method="inverted_cdf") for group in ordered]).T
    band = np.isfinite(high)
    plot.fill_between(x, low, high, where=band, color=style["color"], alpha=0.15, linewidth=0)


def heat_maps(found: Measured, varied: Sequence[str]) -> list[Picture]:
    """The median of each measure over two numbers that vary, one panel for each combination of the other settings.
    Points that fill no grid, as those of a hypercube, are drawn as dots."""
    pictures = []
    for first, second in itertools.combinations(numeric_settings(found, varied, 2), 2):
        sets = _others(found, varied, [first, second])
        if any(len(groups) < 4 for groups in sets.values()):
            sets = {"": list(found.groups)}
        for file, words, of in _measures(found):
            drawn = dict(list(sets.items())[:_MOST_PANELS])
            columns = min(2, len(drawn))
            rows = -(-len(drawn) // columns)
            figure, axes = panels(rows, columns, width=COLUMN * columns, height=0.5 + 2.1 * rows)
            every = np.concatenate([[float(median(of(group)))] for group in found.groups])
            finite = every[np.isfinite(every)]
            bounds = (float(finite.min()), float(finite.max()))
            for plot, (label, groups) in zip(axes.flat, drawn.items()):
                shade = _draw_heat(plot, groups, (first, second), of, bounds)
                plot.set_title(label)
            for plot in axes.flat[len(drawn) :]:
                plot.axis("off")
            figure.colorbar(shade, ax=list(axes.flat), label=words, shrink=0.9)
            caption = (
                f"The median {words} over {first} and {second} (evaluator {found.evaluator}). Lighter is more; a cell"
                " with a cross was not reached by half of its runs."
            )
            pictures.append(Picture(f"{file_name(found, 'heat')}-{first}-{second}-{file}", caption, figure))
    return pictures


def _draw_heat(
    plot: Any,
    groups: Sequence[Group],
    names: tuple[str, str],
    of: Callable[[Group], Floats],
    bounds: tuple[float, float],
) -> Any:
    xs, ys = (sorted({float(group.first.value(name)) for group in groups}) for name in names)
    middle = {tuple(float(g.first.value(n)) for n in names): float(median(of(g))) for g in groups}
    plot.set_xlabel(names[0])
    plot.set_ylabel(names[1])
    look = {"cmap": "cividis", "vmin": bounds[0], "vmax": bounds[1]}
    if len(middle) < len(xs) * len(ys) / 2:
        points = np.array([[x, y, value] for (x, y), value in middle.items() if np.isfinite(value)])
        for scale, values in ((plot.set_xscale, xs), (plot.set_yscale, ys)):
            if is_geometric(values):
                scale("log")
        return plot.scatter(
            points[:, 0], points[:, 1], c=points[:, 2], edgecolors="black", linewidths=0.5, s=40, **look
        )
    cells = np.array([[middle.get((x, y), np.nan) for x in xs] for y in ys])
    shade = plot.imshow(np.where(np.isfinite(cells), cells, np.nan), origin="lower", aspect="auto", **look)
    plot.set_xticks(range(len(xs)), [f"{x:g}" for x in xs], rotation=45 if len(xs) > 5 else 0)
    plot.set_yticks(range(len(ys)), [f"{y:g}" for y in ys])
    plot.grid(visible=False)
    half = (bounds[0] + bounds[1]) / 2
    for (row, column), value in np.ndenumerate(cells):
        if np.isinf(value):
            plot.text(column, row, "\u00d7", ha="center", va="center", fontsize=7)
        elif np.isfinite(value) and len(xs) <= 8:
            text = f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"
            plot.text(
                column, row, text, ha="center", va="center", fontsize=6, color="black" if value > half else "white"
            )
    return shade
