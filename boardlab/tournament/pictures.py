"""Pictures of a tournament: ratings with their intervals, who beats whom, strength against time and over episodes."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from boardlab.tournament.result import Line, TournamentResult, pareto_front

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["figure_bytes", "figures"]

_MOST_NUMBERS = 16
"""A larger crosstable has colours only."""
_MOST_NAMES = 10
"""With more agents, names would cover each other where time is on the axis."""


def figures(result: TournamentResult) -> dict[str, Figure]:
    """All pictures that the result has something for, by name."""
    found = {"ratings": _ratings(result), "crosstable": _heat_map(result)}
    if any(line.milliseconds > 0.0 for line in result.lines):
        found["time"] = _strength_and_time(result)
    if sum(line.episodes is not None for line in result.lines) > 1:
        found["episodes"] = _strength_and_episodes(result)
    return found


def figure_bytes(figure: Figure, kind: str) -> bytes:
    """A picture as `png` or `svg`."""
    import matplotlib

    stream = io.BytesIO()
    settings: Any = {"svg.hashsalt": "boardlab", "svg.fonttype": "none"}  # the same picture is the same file
    with matplotlib.rc_context(settings):
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(stream, format=kind, dpi=120, metadata=metadata, bbox_inches="tight")
    return stream.getvalue()


def _axes(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots()


def _ratings(result: TournamentResult) -> Figure:
    lines = result.lines
    figure, axes = _axes(8, max(2.0, 1.2 + 0.32 * len(lines)))
    y = np.arange(len(lines))[::-1]
    elo = np.array([line.elo for line in lines])
    spread = [elo - [line.low for line in lines], [line.high for line in lines] - elo]
    axes.errorbar(elo, y, xerr=spread, fmt="o", capsize=3, color="#1f6f8b", ecolor="#7fb3c8")
    axes.set_yticks(y, [result.short[line.entrant] for line in lines])
    axes.set_xlabel("Elo, with 95 % intervals")
    axes.set_title(f"{result.game.title}: ratings by {len(result.field.games):,} games")
    axes.grid(axis="x", alpha=0.3)
    return figure


def _heat_map(result: TournamentResult) -> Figure:
    lines, meetings = result.lines, result.meetings
    size = len(lines)
    shares = np.full((size, size), math.nan)
    for i, one in enumerate(lines):
        for j, other in enumerate(lines):
            found = meetings.get((one.entrant, other.entrant))
            if found is not None:
                shares[i, j] = 100 * found.share
    figure, axes = _axes(max(6.0, 4.4 + 0.42 * size), max(3.4, 1.4 + 0.42 * size))
    image = axes.imshow(shares, cmap="RdBu", vmin=0, vmax=100)
    axes.set_xticks(range(size), [str(i + 1) for i in range(size)])
    axes.set_yticks(range(size), [f"{result.short[line.entrant]}  {i}" for i, line in enumerate(lines, 1)])
    if size <= _MOST_NUMBERS:
        for i, j in np.argwhere(~np.isnan(shares)):
            value = shares[i, j]
            colour = "white" if abs(value - 50) > 30 else "black"
            axes.text(j, i, f"{value:.0f}", ha="center", va="center", fontsize=8, color=colour)
    axes.set_title("points in % of the row against the column")
    figure.colorbar(image, ax=axes, shrink=0.8)
    return figure


def _strength_and_time(result: TournamentResult) -> Figure:
    """Time per move on a logarithmic axis; the line joins those whom nobody beats in both."""
    from matplotlib.ticker import LogLocator, NullFormatter

    lines = [line for line in result.lines if line.milliseconds > 0.0]
    named = len(lines) <= _MOST_NAMES
    figure, axes = _axes(8, 5)
    _error_bars(axes, [line.milliseconds for line in lines], lines)
    front = pareto_front(lines)
    axes.step([x.milliseconds for x in front], [x.elo for x in front], where="post", color="#c0392b", alpha=0.7)
    for place, line in enumerate(result.lines, 1):
        if line in lines:
            text = result.short[line.entrant] if named else str(place)
            point = line.milliseconds, line.elo
            axes.annotate(text, point, xytext=(5, 5), textcoords="offset points", fontsize=8)
    axes.set_xscale("log")
    times = [line.milliseconds for line in lines]
    narrow = max(times, default=1.0) < 5 * min(times, default=1.0)
    axes.xaxis.set_major_locator(LogLocator(subs=[*range(1, 10)] if narrow else (1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("time per move in ms")
    axes.set_ylabel("Elo")
    numbers = "" if named else "; numbers as in the rating list"
    axes.set_title(f"strength and time per move; the red line is the Pareto front{numbers}")
    axes.grid(alpha=0.3)
    axes.margins(x=0.15)
    return figure


def _strength_and_episodes(result: TournamentResult) -> Figure:
    lines = sorted((line for line in result.lines if line.episodes is not None), key=lambda x: x.episodes or 0)
    figure, axes = _axes(8, 4.5)
    runs: dict[str, list[Line]] = {}
    for line in lines:
        runs.setdefault(line.name.rpartition("/")[0], []).append(line)
    for run, found in runs.items():
        x = [line.episodes or 0 for line in found]
        (drawn,) = axes.plot(x, [line.elo for line in found], marker="o", markersize=4, label=run or "agent files")
        low, high = [line.low for line in found], [line.high for line in found]
        axes.fill_between(x, low, high, alpha=0.2, color=drawn.get_color(), linewidth=0)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_xlabel("training episodes")
    axes.set_ylabel("Elo, with 95 % intervals")
    axes.set_title("strength over training")
    axes.grid(alpha=0.3)
    if len(runs) > 1:
        axes.legend()
    return figure


def _error_bars(axes: Axes, x: list[float], lines: list[Line]) -> None:
    elo = np.array([line.elo for line in lines])
    spread = [elo - [line.low for line in lines], [line.high for line in lines] - elo]
    axes.errorbar(x, elo, yerr=spread, fmt="o", capsize=3, color="#1f6f8b", ecolor="#7fb3c8")
