"""Figures that compare variants: learning curves, box plots, run-time distributions, and one measure against the
other, as in Thill 2015."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boardlab.lab.reports.figures import COLUMN, Picture, below_legend, episodes_axis, looks, panels
from boardlab.lab.reports.measures import Group, Measured
from boardlab.lab.reports.statistics import mean, median, share_reached
from boardlab.matches.curves import smoothed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BANDS", "CENTRES", "MOST", "band_of", "boxes", "curves", "distributions", "file_name", "scatter"]

MOST = 10
"""Variants in one figure with a legend."""
MOST_BOXES = 25
_MOST_BANDS = 6
_POINTS = 12
_BAND_SAMPLES = 500
CENTRES = {"mean": mean, "median": median}
BANDS = {
    "interval": "the band is the 95 % bootstrap interval over seeds",
    "quartiles": "the band is the middle half of the runs",
    "deviation": "the band is one standard deviation over the runs",
}

Floats = NDArray[np.float64]


def _shown(found: Measured, most: int = MOST) -> tuple[list[Group], str]:
    """The variants of a figure, and a sentence about those that are left out."""
    groups = list(found.groups)
    if len(groups) <= most:
        return groups, ""
    best = sorted(groups, key=lambda group: -float(np.median(group.final)))[:most]
    return [group for group in groups if group in best], f" The best {most} of {len(groups)} variants."


def file_name(found: Measured, name: str) -> str:
    """The name of a figure, with that of its evaluator."""
    return f"{name}-{''.join(c if c.isalnum() else '-' for c in found.evaluator)}"


def curves(found: Measured, centre: str = "mean", band: str = "interval") -> Picture:
    """Learning curves: the smoothed centre of the runs as a line, the centre of some evaluations as points, and a
    band."""
    groups, rest = _shown(found)
    look = looks([group.label for group in groups])
    figure, axes = panels(height=2.5 + 0.13 * len(groups))
    plot = axes[0, 0]
    for group in groups:
        style = look[group.label]
        centres = CENTRES[centre](group.scores.T)
        plot.plot(group.episodes, smoothed(centres), label=group.label, **style, markevery=_some(group, groups))
        if len(groups) <= _MOST_BANDS:
            low, high = map(smoothed, band_of(group.scores, band, centre))
            plot.fill_between(group.episodes, low, high, color=style["color"], alpha=0.18, linewidth=0)
    for level in found.levels:
        plot.axhline(level, color="black", linewidth=0.5, linestyle=(0, (1, 2)))
    plot.set_xlabel("training episodes")
    plot.set_ylabel(f"{found.what} ({found.evaluator})")
    episodes_axis(plot.xaxis)
    below_legend(plot, len(groups))
    runs = _runs(groups)
    caption = (
        f"Learning curves by the evaluator {found.evaluator}: the {centre} of {runs}, smoothed over five evaluations;"
        f" {BANDS[band] if len(groups) <= _MOST_BANDS else 'bands would hide each other'}.{rest}"
    )
    return Picture(file_name(found, "learning-curves"), caption, figure)


def _some(group: Group, groups: Sequence[Group]) -> tuple[int, int]:
    """Which points of a line have a marker: about a dozen, and not the same ones on all lines."""
    every = max(1, len(group.episodes) // _POINTS)
    return (list(groups).index(group) * every // max(1, len(groups))) % every, every


def band_of(scores: Floats, band: str, centre: str) -> tuple[Floats, Floats]:
    """Lower and upper end of the band at each time; `scores` is float64 of shape (runs, times)."""
    if band == "quartiles":
        low, high = np.quantile(scores, [0.25, 0.75], axis=0)
    elif band == "deviation":
        deviation = scores.std(axis=0, ddof=1) if len(scores) > 1 else np.zeros(scores.shape[1])
        low, high = scores.mean(axis=0) - deviation, scores.mean(axis=0) + deviation
    else:
        rng = np.random.Generator(np.random.PCG64(1))
        drawn = rng.integers(len(scores), size=(_BAND_SAMPLES, len(scores)))
        found = np.array([CENTRES[centre](scores[rows].T) for rows in drawn])
        low, high = np.quantile(found, [0.025, 0.975], axis=0)
    return low, high


def boxes(found: Measured) -> list[Picture]:
    """Box plots of the asymptotic result, and of the time-to-learn for each level."""
    groups, rest = _shown(found, MOST_BOXES)
    last = f"over the last {found.last:,} episodes"
    final = _boxes(groups, [group.final for group in groups], f"asymptotic {found.what}", found.evaluator)
    pictures = [
        Picture(
            file_name(found, "asymptotic"),
            f"Asymptotic {found.what} by the evaluator {found.evaluator}, the mean of the evaluations {last}, of"
            f" {_runs(groups)}: median, middle half, the farthest runs within one and a half of it, and each run as a"
            f" dot.{rest}",
            final,
        )
    ]
    for level in found.levels:
        times = [group.times(level) for group in groups]
        never = sum(int(np.isinf(of).sum()) for of in times)
        missing = f" {never} runs never reached it; they are drawn at the right edge." if never else ""
        if all(np.isinf(of).all() for of in times):
            continue
        figure = _boxes(groups, times, f"episodes until {level:g}", "time-to-learn", counted=True)
        caption = (
            f"Time-to-learn by the evaluator {found.evaluator}: episodes until the smoothed curve of a run first"
            f" reaches {level:g}.{missing}{rest}"
        )
        pictures.append(Picture(f"{file_name(found, 'time-to-learn')}-{level:g}", caption, figure))
    return pictures


def _boxes(groups: Sequence[Group], values: Sequence[Floats], label: str, title: str, *, counted: bool = False):  # type: ignore[no-untyped-def]
    """Horizontal boxes, the first variant on top."""
    longest = max(len(group.label) for group in groups)
    figure, axes = panels(width=COLUMN + 0.055 * max(0, longest - 16), height=0.9 + 0.24 * len(groups))
    plot = axes[0, 0]
    finite = np.concatenate([of[np.isfinite(of)] for of in values])
    edge = float(finite.max()) * 1.08 if counted else 0.0
    drawn = [np.where(np.isfinite(of), of, edge) for of in values]
    places = np.arange(len(groups), 0, -1)
    plot.boxplot(
        drawn,
        positions=places,
        orientation="horizontal",
        widths=0.6,
        showfliers=False,
        patch_artist=True,
        boxprops={"facecolor": "#dddddd", "linewidth": 0.7},
        medianprops={"color": "black", "linewidth": 1.4},
        whiskerprops={"linewidth": 0.7},
        capprops={"linewidth": 0.7},
    )
    rng = np.random.Generator(np.random.PCG64(1))
    for place, of, shown in zip(places, values, drawn, strict=True):
        height = place + rng.uniform(-0.18, 0.18, len(of))
        reached = np.isfinite(of)
        plot.plot(shown[reached], height[reached], "o", color="black", markersize=1.8, alpha=0.6)
        plot.plot(shown[~reached], height[~reached], ">", color="black", markersize=3.5)
    plot.set_yticks(places, [group.label for group in groups])
    plot.grid(axis="y", visible=False)
    plot.set_xlabel(label)
    if counted:
        episodes_axis(plot.xaxis)
    return figure


def distributions(found: Measured) -> list[Picture]:
    """Run-time distributions: the share of runs that has reached a level, against the episodes."""
    groups, rest = _shown(found)
    look = looks([group.label for group in groups])
    pictures = []
    for level in found.levels:
        times = [group.times(level) for group in groups]
        if all(np.isinf(of).all() for of in times):
            continue
        figure, axes = panels(height=2.4 + 0.13 * len(groups))
        plot = axes[0, 0]
        end = max(float(group.episodes[-1]) for group in groups)
        for group, of in zip(groups, times, strict=True):
            at = np.concatenate([[0.0], np.sort(of[np.isfinite(of)]), [end]])
            shares = share_reached(of, at) * 100
            every = max(1, len(at) // 8)
            plot.step(at, shares, where="post", label=group.label, **look[group.label], markevery=every)
        plot.set_xlabel("training episodes")
        plot.set_ylabel(f"runs that reached {level:g} [%]")
        plot.set_ylim(-3, 103)
        episodes_axis(plot.xaxis)
        below_legend(plot, len(groups))
        caption = f"Run-time distribution: the share of {_runs(groups)} that has reached {level:g} by then.{rest}"
        pictures.append(Picture(f"{file_name(found, 'run-time')}-{level:g}", caption, figure))
    return pictures


def scatter(found: Measured) -> list[Picture]:
    """The asymptotic result against the time-to-learn, for each level."""
    groups, rest = _shown(found)
    look = looks([group.label for group in groups])
    pictures = []
    for level in found.levels:
        reached = [(group, group.times(level)) for group in groups]
        reached = [(group, times) for group, times in reached if np.isfinite(median(times))]
        if not reached:
            continue
        figure, axes = panels(height=2.4 + 0.13 * len(reached))
        plot = axes[0, 0]
        for group, times in reached:
            style = {**look[group.label], "linestyle": "none"}
            _cross(plot, times, group.final, style["color"])
            plot.plot(median(times), median(group.final), label=group.label, **style)
        plot.set_xlabel(f"time-to-learn: episodes until {level:g}")
        plot.set_ylabel(f"asymptotic {found.what}")
        episodes_axis(plot.xaxis)
        below_legend(plot, len(reached))
        missing = len(groups) - len(reached)
        left_out = f" {missing} variants are left out, as half of their runs never reached it." if missing else ""
        caption = (
            f"Asymptotic {found.what} against time-to-learn ({level:g}): medians, with lines over the middle half of"
            f" the runs. What is better lies further up and to the left.{left_out}{rest}"
        )
        pictures.append(Picture(f"{file_name(found, 'success-and-time')}-{level:g}", caption, figure))
    return pictures


def _cross(plot: Axes, times: Floats, final: Floats, colour: str) -> None:
    """Lines over the middle half in both directions, as far as it is finite."""
    low, high = np.quantile(times, [0.25, 0.75], method="inverted_cdf")
    bottom, top = np.quantile(final, [0.25, 0.75])
    if np.isfinite(high):
        plot.plot([low, high], [median(final)] * 2, color=colour, linewidth=0.6)
    plot.plot([median(times)] * 2, [bottom, top], color=colour, linewidth=0.6)


def _runs(groups: Sequence[Group]) -> str:
    counts = sorted({len(group.runs) for group in groups})
    if counts == [1]:
        return "one run each"
    return f"{counts[0]} runs each" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} runs each"
