"""How sure a measured mean is: 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

__all__ = ["Estimate", "mean_score", "success_rate"]

Z = 1.959964
"""Quantile of the normal distribution for 95 % between both sides."""


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval; `games` is how many values it is the mean of."""

    mean: float
    low: float
    high: float
    games: int


def mean_score(scores: Sequence[float], lowest: float = -math.inf, highest: float = math.inf) -> Estimate:
    """The mean of the scores, with the normal approximation of its interval, as far as scores can be. It has no width
    where all scores are the same, as in a single game: then the games do not show how much others may differ."""
    mean = fmean(scores)
    half = Z * stdev(scores) / math.sqrt(len(scores)) if len(scores) > 1 else 0.0
    return Estimate(mean, max(lowest, mean - half), min(highest, mean + half), len(scores))


def success_rate(points: Sequence[float]) -> Estimate:
    """The mean of points from 0 (lost) to 1 (won), with Wilson's interval, which holds for few games and for rates
    near 0 and 1, too. With draws it is wider than need be, as they vary less than wins and losses."""
    n = len(points)
    rate = fmean(points)
    centre = (rate + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(rate * (1 - rate) / n + Z * Z / (4 * n * n))
    return Estimate(rate, max(0.0, centre - half), min(1.0, centre + half), n)
