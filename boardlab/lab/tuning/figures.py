"""What a tuning found, as figures: which settings matter, and the results over each of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from boardlab.lab.reports.figures import Picture, drawing, is_geometric, panels, save
from boardlab.lab.tuning.study import importances

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial

__all__ = ["write_figures"]


def write_figures(study: Study, goal: str, folder: Path) -> list[Path]:
    """Draw the importance of the settings and a slice through each; the files as PNG."""
    from optuna.trial import TrialState

    trials = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    if not trials:
        return []
    with drawing():
        pictures = [_slices(trials, study.best_trial, goal)]
        shares = importances(study)
        if shares:
            pictures.append(_bars(shares))
        for picture in pictures:
            save(picture, folder)
    return [folder / f"{picture.name}.png" for picture in pictures]


def _bars(shares: dict[str, float]) -> Picture:
    figure, axes = panels(height=0.7 + 0.25 * len(shares))
    plot = axes[0, 0]
    names = list(shares)[::-1]
    plot.barh(names, [shares[name] for name in names], color="#0072b2", edgecolor="black", linewidth=0.5)
    plot.set_xlabel("importance")
    return Picture("importance", "How much each setting matters (PED-ANOVA).", figure)


def _slices(trials: list[FrozenTrial], best: FrozenTrial, goal: str) -> Picture:
    names = sorted({name for trial in trials for name in trial.params})
    columns = min(3, len(names))
    rows = -(-len(names) // columns)
    figure, axes = panels(rows, columns, width=2.4 * columns, height=2.0 * rows, sharey=True)
    for k, name in enumerate(names):
        plot = axes[k // columns, k % columns]
        pairs = [(trial.params[name], float(trial.value or 0.0)) for trial in trials if name in trial.params]
        numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x, _ in pairs)
        x = [value if numbers else str(value) for value, _ in pairs]
        plot.scatter(x, [y for _, y in pairs], s=9, color="#0072b2", edgecolor="black", linewidth=0.3)
        chosen = best.params[name]
        plot.scatter([chosen if numbers else str(chosen)], [best.value], s=40, marker="*", color="#d55e00")
        if numbers and is_geometric([float(v) for v in np.asarray(x, np.float64)]):
            plot.set_xscale("log")
        plot.set_xlabel(name)
    for k in range(len(names), rows * columns):
        axes[k // columns, k % columns].set_visible(False)
    for row in range(rows):
        axes[row, 0].set_ylabel("episodes" if goal == "time" else "result")
    return Picture("slices", "The results of all trials over each setting; the star is the best one.", figure)
