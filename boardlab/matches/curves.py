"""What a learning curve says about a training run: the measures of Thill 2015 (section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardlabError

__all__ = ["asymptotic_success", "smoothed", "time_to_learn"]


def asymptotic_success(games: Sequence[int], success: Sequence[float], last: int = 200_000) -> float:
    """Asymptotic success rate: the mean of the evaluations during the last `last` training games. `games` are the
    training games before each evaluation, ascending."""
    x, y = _curve(games, success)
    return float(np.mean(y[x > x[-1] - last]))


def time_to_learn(games: Sequence[int], success: Sequence[float], level: float = 0.8, window: int = 5) -> float | None:
    """Time-to-learn: after how many training games the smoothed curve first reaches `level`, between two evaluations
    by linear interpolation; None where it never does."""
    x, y = _curve(games, success)
    y = smoothed(y, window)
    reached = np.flatnonzero(y >= level)
    if len(reached) == 0:
        return None
    i = int(reached[0])
    if i == 0:
        return float(x[0])
    share = (level - y[i - 1]) / (y[i] - y[i - 1])
    return float(x[i - 1] + share * (x[i] - x[i - 1]))


def smoothed(values: Sequence[float] | NDArray[np.float64], window: int = 5) -> NDArray[np.float64]:
    """The mean of the `window` (an odd number) evaluations around each one; near the ends, of as many as there are on
    both sides."""
    y = np.asarray(values, np.float64)
    if window < 1 or window % 2 == 0:
        raise BoardlabError(f"the smoothing window is an odd number of evaluations, not {window}")
    reach = [min(window // 2, i, len(y) - 1 - i) for i in range(len(y))]
    return np.array([np.mean(y[i - r : i + r + 1]) for i, r in enumerate(reach)])


def _curve(games: Sequence[int], success: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = np.asarray(games, np.float64), np.asarray(success, np.float64)
    if x.shape != y.shape or x.ndim != 1 or len(x) == 0:
        raise BoardlabError("a learning curve has one success rate for each number of games, and at least one")
    if np.any(np.diff(x) <= 0):
        raise BoardlabError("the numbers of games of a learning curve must ascend")
    return x, y
