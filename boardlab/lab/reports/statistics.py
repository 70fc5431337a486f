"""What several runs say together: medians, interquartile means, bootstrap intervals, differences between two groups.

Runs that never reach a level have an infinite time-to-learn. Medians, quartiles and their intervals work with these;
a mean does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardlabError

__all__ = ["STATISTICS", "Interval", "bootstrap", "difference", "interquartile_mean", "mean", "median", "share_reached"]

Floats = NDArray[np.float64]
Statistic = Callable[[Floats], Floats]
"""Of the values along the last axis."""

RESAMPLES = 4000
_TAIL = 0.025


@dataclass(frozen=True)
class Interval:
    """A statistic with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def is_notable(self) -> bool:
        """Whether zero lies outside."""
        return self.low > 0.0 or self.high < 0.0


def mean(values: Floats) -> Floats:
    """The mean along the last axis."""
    return np.asarray(np.mean(values, axis=-1))


def median(values: Floats) -> Floats:
    """The median along the last axis; infinite where half of the values are."""
    ordered = np.sort(values, axis=-1)
    n = ordered.shape[-1]
    low, high = ordered[..., (n - 1) // 2], ordered[..., n // 2]
    finite = np.isfinite(low) & np.isfinite(high)
    return np.asarray(np.where(finite, (np.where(finite, low, 0.0) + np.where(finite, high, 0.0)) / 2, high))


def interquartile_mean(values: Floats) -> Floats:
    """The mean of the middle half along the last axis (Agarwal et al. 2021): the lowest quarter and the highest quarter
    are left out, and values that lie on their border count in part."""
    ordered = np.sort(values, axis=-1)
    n = ordered.shape[-1]
    ends = np.arange(n + 1)
    weights = np.diff(np.clip(ends, n / 4, 3 * n / 4))
    used = weights > 0
    return np.asarray(np.sum(ordered[..., used] * weights[used], axis=-1) / (n / 2))


STATISTICS: dict[str, Statistic] = {"mean": mean, "median": median, "interquartile mean": interquartile_mean}


def bootstrap(values: Sequence[float], statistic: Statistic, seed: int = 1, resamples: int = RESAMPLES) -> Interval:
    """A statistic of some runs, and its 95 % interval over the choice of seeds: the quantiles of the statistic of
    samples that are drawn from the runs with replacement (Efron 1979, the percentile method)."""
    given = _given(values)
    found = statistic(_resampled(given, np.random.Generator(np.random.PCG64(seed)), resamples))
    return _interval(float(statistic(given)), found)


def difference(
    first: Sequence[float], second: Sequence[float], statistic: Statistic, seed: int = 1, resamples: int = RESAMPLES
) -> Interval:
    """How much larger a statistic is in the first group of runs than in the second one. Each is resampled on its own:
    the same seed does not make runs of different settings alike."""
    one, other = _given(first), _given(second)
    rng = np.random.Generator(np.random.PCG64(seed))
    with np.errstate(invalid="ignore"):
        found = statistic(_resampled(one, rng, resamples)) - statistic(_resampled(other, rng, resamples))
        value = float(statistic(one) - statistic(other))
    found = found[~np.isnan(found)]  # both never reached it
    return _interval(value, found if len(found) else np.array([np.nan]))


def share_reached(times: Sequence[float] | Floats, at: Sequence[float] | Floats) -> Floats:
    """The run-time distribution: which share of the runs has reached its goal by each of these times."""
    ordered = np.sort(np.asarray(times, np.float64))
    return np.asarray(np.searchsorted(ordered, np.asarray(at, np.float64), side="right") / len(ordered))


def _given(values: Sequence[float]) -> Floats:
    given = np.asarray(values, np.float64)
    if given.ndim != 1 or len(given) == 0:
        raise BoardlabError("a statistic needs the values of one run at least")
    return given


def _resampled(values: Floats, rng: np.random.Generator, resamples: int) -> Floats:
    return np.asarray(values[rng.integers(len(values), size=(resamples, len(values)))])


def _interval(value: float, found: Floats) -> Interval:
    """The quantiles, without interpolation: infinity is a value, too."""
    low, high = np.quantile(found, [_TAIL, 1.0 - _TAIL], method="inverted_cdf")
    return Interval(value, float(low), float(high))
