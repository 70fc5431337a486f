"""The learning curve of an agent: as CSV for other programs, as a picture, and in the measures of Thill 2015."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boardlab.lab.history import CurvePoint, History
from boardlab.matches.curves import asymptotic_success, time_to_learn
from boardlab.matches.evaluators.registry import evaluator_classes

__all__ = ["draw_curve", "success_measures", "write_curve"]


def write_curve(history: History, path: Path) -> None:
    """Write the evaluations of a training as CSV, one row each: the fields of `CurvePoint`, the rates last, each in a
    column of its name."""
    rows = [_row(point) for point in history.evaluations]
    columns = dict.fromkeys(name for row in rows for name in row)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(columns))
        writer.writeheader()
        writer.writerows(rows)


def _row(point: CurvePoint) -> dict[str, Any]:
    row = point.model_dump(exclude={"rates"})
    return {**row, **point.rates}


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


def draw_curve(histories: Sequence[tuple[str, History]], path: Path, title: str) -> None:
    """Draw the learning curves of one or several trainings, with their 95 % intervals, as PNG or SVG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for label, history in histories:
        points = history.evaluations
        episodes = [point.episodes for point in points]
        line = axes.plot(episodes, [point.score for point in points], marker="o", markersize=3, label=label)
        low, high = [point.low for point in points], [point.high for point in points]
        axes.fill_between(episodes, low, high, alpha=0.2, color=line[0].get_color(), linewidth=0)
    axes.set_title(title)
    axes.set_xlabel("training episodes")
    axes.set_ylabel(f"result ({histories[0][1].procedure})")
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    axes.grid(alpha=0.3)
    if len(histories) > 1:
        axes.legend()
    figure.savefig(path, dpi=120)
