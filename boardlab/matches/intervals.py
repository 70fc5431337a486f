"""How sure a measured mean is: 95 % intervals that neither collapse nor count differences between seats as chance.

Wins, draws and losses have the interval of Jeffreys (Brown, Cai and DasGupta 2001, "Interval Estimation for a Binomial
Proportion"): half a game won and half a game lost are added, and the quantiles of a beta distribution taken. Draws,
seats and sets change the variance, so the beta distribution is the one with the mean and the variance that the games
show (as with the effective sample size of Korn and Graubard 1998, "Confidence Intervals for Proportions with Small
Expected Number of Positive Counts Estimated from Survey Data"). Scores that vary more freely have Student's t-interval.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean

from boardlab.matches.quantiles import beta_quantile, t_quantile

__all__ = ["Estimate", "mean_score", "success_rate"]

TAIL = 0.025
"""The probability on either side of an interval."""
NOTABLE = 3.0
"""Seats count as different as far as their variance is more than so many times that within them."""
PRIOR_SETS = 4
"""How many sets of independent games the belief is worth that the games of a set are independent."""


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval; `games` is how many values it is the mean of."""

    mean: float
    low: float
    high: float
    games: int


def success_rate(points: Sequence[float], seats: Sequence[Hashable] = (), sets: Sequence[Hashable] = ()) -> Estimate:
    """The mean of points from 0 (lost) to 1 (won). `seats` tells for each game where the player sat, `sets` which games
    belong together, because they have something in common that other games had not; without it all are independent."""
    low, high = _bounded(points, seats, sets)
    return Estimate(fmean(points), low, high, len(points))


def mean_score(
    scores: Sequence[float],
    lowest: float = -math.inf,
    highest: float = math.inf,
    seats: Sequence[Hashable] = (),
    sets: Sequence[Hashable] = (),
) -> Estimate:
    """The mean of scores from `lowest` to `highest`. Where they are wins, draws and losses, or one score has more than
    half of the games of each seat, it has the interval of a success rate, else a t-interval over games of the same seat
    or over sets. One game of other scores tells nothing about the next: its interval is all that can be."""
    mean, width = fmean(scores), highest - lowest
    if math.isfinite(width) and set(scores) <= {lowest, (lowest + highest) / 2, highest}:
        ends = _bounded([(score - lowest) / width for score in scores], seats, sets)
    else:
        values = scores
        if sets:
            values, seats = [fmean(group) for group in _groups(scores, sets).values()], ()
        if len(values) == 1:
            return Estimate(mean, lowest, highest, len(scores))
        strata = [*_groups(values, seats).values()]
        if not math.isfinite(width) or not _is_lumpy(strata):
            half = _t_half(values, strata)
            return Estimate(mean, max(lowest, mean - half), min(highest, mean + half), len(scores))
        ends = _bounded([(value - lowest) / width for value in values], seats, ())
    low, high = (lowest + width * end for end in ends)
    return Estimate(mean, min(low, mean), max(high, mean), len(scores))


def _groups(values: Sequence[float], keys: Sequence[Hashable]) -> dict[Hashable, list[float]]:
    """The values by their keys; all under one without keys."""
    groups: dict[Hashable, list[float]] = defaultdict(list)
    for number, value in enumerate(values):
        groups[keys[number] if keys else 0].append(value)
    return groups


def _square_sum(values: Sequence[float], centre: float) -> float:
    return math.fsum((value - centre) ** 2 for value in values)


# ---------------------------------------------------------------- scores that vary


def _is_lumpy(strata: list[list[float]]) -> bool:
    """Whether in the strata one value has more than half of the games: then their spread says little of what can be."""
    commonest = sum(max(Counter(round(value, 12) for value in stratum).values()) for stratum in strata)
    alone = len(strata) > 1 and all(len(stratum) == 1 for stratum in strata)
    return commonest > sum(map(len, strata)) / 2 and not alone


def _t_half(values: Sequence[float], strata: list[list[float]]) -> float:
    """Half the width of the t-interval: by the variance within the strata, where these have more than one value."""
    n = len(values)
    if n == len(strata):
        strata = [list(values)]
    freedom = n - len(strata)
    variance = math.fsum(_square_sum(stratum, fmean(stratum)) for stratum in strata) / freedom
    return t_quantile(1.0 - TAIL, freedom) * math.sqrt(variance / n)


# ---------------------------------------------------------------- points from 0 to 1


def _bounded(points: Sequence[float], seats: Sequence[Hashable], sets: Sequence[Hashable]) -> tuple[float, float]:
    """The interval of a mean of points from 0 to 1."""
    n, mean, strata = len(points), fmean(points), [*_groups(points, seats).values()]
    within = math.fsum(_square_sum(stratum, fmean(stratum)) for stratum in strata)
    scale = _set_effect(points, seats, sets) / ((n + 1) * (n + 2))
    centre, variance, skew = _moments(points, 0.5, scale)
    if n > len(strata) > 1:
        between = max(0.0, _square_sum(points, mean) - within) / (len(strata) - 1)
        alike = min(1.0, NOTABLE * (within + 0.25) / (n - len(strata) + 1) / max(between, 1e-12))
        apart_variance = apart_skew = 0.0
        for stratum in strata:
            share = len(stratum) / n
            _, v, s = _moments(stratum, 0.5 / len(strata), scale / share**2)
            apart_variance += share**2 * v
            apart_skew += share**3 * s
        variance = alike * variance + (1.0 - alike) * apart_variance
        skew = alike * skew + (1.0 - alike) * apart_skew
    low, high = _beta_interval(centre, variance, skew)
    return 0.0 if mean == 0.0 else min(low, mean), 1.0 if mean == 1.0 else max(high, mean)


def _moments(points: Sequence[float], ends: float, scale: float) -> tuple[float, float, float]:
    """Mean, variance and third cumulant of the beta distribution that the points suggest, when so many games (`ends`)
    are added at 0 and at 1. The variance is the sum of squares times the scale."""
    centre = (math.fsum(points) + ends) / (len(points) + 2 * ends)
    squares = _square_sum(points, centre) + ends * (centre**2 + (1.0 - centre) ** 2)
    variance = min(squares * scale, 0.9 * centre * (1.0 - centre))
    return centre, variance, _beta_skew(centre, variance)


def _beta_skew(mean: float, variance: float) -> float:
    """The third cumulant of a beta distribution on 0 .. 1."""
    return 2.0 * (1.0 - 2.0 * mean) * variance**2 / (mean * (1.0 - mean) + variance)


def _set_effect(points: Sequence[float], seats: Sequence[Hashable], sets: Sequence[Hashable]) -> float:
    """How many times as large the variance of the mean is as if all games were independent: less than one where a good
    result of a game makes a bad one likely in the others of its set, as on another seat."""
    n, strata = len(points), _groups(points, seats)
    means = {key: fmean(stratum) for key, stratum in strata.items()}
    residuals = [value - means[seats[i] if seats else 0] for i, value in enumerate(points)]
    sums = [math.fsum(group) for group in _groups(residuals, sets).values()]
    within = _square_sum(residuals, 0.0)
    if len(sums) in (1, n) or within < 1e-12:
        return 1.0
    independent = within / (n - len(strata))
    seen = _square_sum(sums, 0.0) / n * len(sums) / (len(sums) - 1)
    return (PRIOR_SETS + (len(sums) - 1) * seen / independent) / (PRIOR_SETS + len(sums) - 1)


def _beta_interval(mean: float, variance: float, skew: float) -> tuple[float, float]:
    """The interval of the beta distribution with these three cumulants. On 0 .. 1 it can have only one skew; where it
    is another one, as when one seat is always lost, one end of its range moves towards the mean."""
    if skew < _beta_skew(mean, variance):
        low, high = _beta_interval(1.0 - mean, variance, -skew)
        return 1.0 - high, 1.0 - low
    above = 1.0 - mean
    skew = max(min(skew, 0.95 * variance * (above - variance / above)), _beta_skew(mean, variance))
    below = variance * (2.0 * variance * above - skew) / (skew * above + 2.0 * variance**2)
    width = below + above
    games = below * above / variance - 1.0
    a, b = games * below / width, games * above / width
    low, high = (mean - below + width * beta_quantile(share, a, b) for share in (TAIL, 1.0 - TAIL))
    return max(low, 0.0), min(high, 1.0)
