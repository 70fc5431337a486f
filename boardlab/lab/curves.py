"""The learning curve of an agent: as CSV for other programs, as a picture, and in the measures of Thill 2015."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from boardlab.lab.history import CurvePoint, History, Score
from boardlab.matches.curves import asymptotic_success, time_to_learn
from boardlab.matches.evaluators.registry import evaluator_classes
from boardlab.store.files import write_bytes
from boardlab.system.machine import cores

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["draw_curve", "get_ready_to_draw", "success_measures", "write_curve"]


def write_curve(history: History, path: Path) -> None:
    """Write the evaluations of a training as CSV, one row each: time, result, rates, the second result and the
    quantiles of the step sizes, as far as there are any."""
    rows = [_row(point) for point in history.evaluations]
    columns = dict.fromkeys(name for row in rows for name in row)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(columns))
    writer.writeheader()
    writer.writerows(rows)
    write_bytes(path, text.getvalue().encode())


def _row(point: CurvePoint) -> dict[str, Any]:
    """A point in flat columns: `second_score` for the score of the second evaluator, `step_p50` for the median of the
    step sizes."""
    second = point.second.model_dump() if point.second else {}
    steps = point.step_sizes.model_dump() if point.step_sizes else {}
    return {
        **{name: getattr(point, name) for name in ("episodes", "seconds", "score", "low", "high", "games")},
        **point.rates,
        **{f"second_{name}": value for name, value in second.items()},
        **{f"step_{name}": value for name, value in steps.items()},
    }


def success_measures(history: History) -> dict[str, float | None] | None:
    """Asymptotic success rate (over the last 200,000 episodes) and time-to-learn (episodes until 80 %, None where they
    were never reached); None as a whole where a training was not measured by its rate of success."""
    evaluator = evaluator_classes().get(history.evaluator)
    if evaluator is None or evaluator.measure != "success" or not history.evaluations:
        return None
    episodes = [point.episodes for point in history.evaluations]
    success = [point.score for point in history.evaluations]
    return {
        "asymptotic_success": asymptotic_success(episodes, success),
        "time_to_learn": time_to_learn(episodes, success),
    }


def get_ready_to_draw() -> None:
    """Load what draws, which takes some seconds, beside what is done meanwhile, where a core is free for it."""
    if cores() > 1:
        Thread(target=import_module, args=("matplotlib.backends.backend_agg",), daemon=True, name="drawing").start()


def draw_curve(histories: Sequence[tuple[str, History]], path: Path, title: str) -> None:
    """Draw the learning curves of one or several trainings, with their 95 % intervals, as PNG or SVG: dashed by the
    second evaluator, and below them how the step sizes of the weights are spread."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    spread = any(point.step_sizes for _, history in histories for point in history.evaluations)
    figure = Figure(figsize=(8, 6 if spread else 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    plots = figure.subplots(1 + spread, sharex=True, squeeze=False, height_ratios=[3, 1][: 1 + spread])[:, 0]
    for label, history in histories:
        _draw_results(plots[0], label, history)
        if spread:
            _draw_step_sizes(plots[1], history)
    plots[0].set_title(title)
    plots[0].set_ylabel(f"result ({histories[0][1].procedure})")
    plots[-1].set_xlabel("training episodes")
    plots[-1].xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    for axes in plots:
        axes.grid(alpha=0.3)
    if len(plots[0].get_lines()) > 1:
        plots[0].legend()
    figure.savefig(path, dpi=120)


def _draw_results(axes: Axes, label: str, history: History) -> None:
    points = history.evaluations
    first = _draw_scores(axes, [(point.episodes, point) for point in points], label=label)
    measured = [(point.episodes, point.second) for point in points if point.second]
    if measured:
        second = f"{label}, {history.second_procedure}"
        _draw_scores(axes, measured, label=second, linestyle="--", color=first.get_color())


def _draw_scores(axes: Axes, scores: Sequence[tuple[int, Score | CurvePoint]], **look: Any) -> Line2D:
    """A line through results, and a band for their intervals."""
    episodes = [number for number, _ in scores]
    (line,) = axes.plot(episodes, [found.score for _, found in scores], marker="o", markersize=3, **look)
    low, high = [found.low for _, found in scores], [found.high for _, found in scores]
    axes.fill_between(episodes, low, high, alpha=0.2, color=line.get_color(), linewidth=0)
    return line


def _draw_step_sizes(axes: Axes, history: History) -> None:
    """The median as a line, and bands for the middle half and for nine tenths of the weights."""
    found = [(point.episodes, point.step_sizes) for point in history.evaluations if point.step_sizes]
    episodes = [number for number, _ in found]
    (line,) = axes.plot(episodes, [steps.p50 for _, steps in found])
    for low, high in (("p25", "p75"), ("p5", "p95")):
        bottom, top = ([getattr(steps, end) for _, steps in found] for end in (low, high))
        axes.fill_between(episodes, bottom, top, alpha=0.2, color=line.get_color(), linewidth=0)
    axes.set_ylabel("step sizes")
