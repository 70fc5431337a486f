"""Quantiles of the beta and of Student's t distribution, by the regularised incomplete beta function."""

from __future__ import annotations

import math

__all__ = ["beta_cdf", "beta_quantile", "t_quantile"]

_TINY = 1e-300
_ACCURACY = 1e-15
_TERMS = 10_000
_STEPS = 200


def beta_cdf(x: float, a: float, b: float) -> float:
    """The probability of less than x under Beta(a, b): the regularised incomplete beta function, by its continued
    fraction (DLMF 8.17.22), which converges quickly on the side of x where it is used."""
    if x <= 0.0 or x >= 1.0:
        return float(x >= 1.0)
    swapped = x > (a + 1.0) / (a + b + 2.0)
    if swapped:
        x, a, b = 1.0 - x, b, a
    front = a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    below = math.exp(front) / (a * _continued_fraction(x, a, b))
    return 1.0 - below if swapped else below


def _continued_fraction(x: float, a: float, b: float) -> float:
    """1 + d1/(1 + d2/(1 + ...)), from the front (the modified method of Lentz)."""
    value, upper, lower = 1.0, 1.0, 0.0
    for term in range(1, _TERMS):
        m = term // 2
        if term % 2:
            d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        lower = 1.0 / (1.0 + d * lower or _TINY)
        upper = 1.0 + d / upper or _TINY
        value *= upper * lower
        if abs(upper * lower - 1.0) < _ACCURACY:
            break
    return value


def beta_quantile(share: float, a: float, b: float) -> float:
    """The value below which Beta(a, b) lies with the probability `share`: by Newton's method, and by bisection where
    that would leave the bounds that are known."""
    constant = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    low, high, x = 0.0, 1.0, a / (a + b)
    for _ in range(_STEPS):
        error = beta_cdf(x, a, b) - share
        low, high = (low, x) if error > 0.0 else (x, high)
        density = math.exp(constant + (a - 1.0) * math.log(x) + (b - 1.0) * math.log1p(-x))
        better = x - error / density if density > _TINY else low
        if not low < better < high:
            better = (low + high) / 2
        if abs(better - x) <= _ACCURACY or better in (0.0, 1.0):
            break
        x = better
    return better


def t_quantile(share: float, freedom: int) -> float:
    """The value below which Student's t with so many degrees of freedom lies with the probability `share` >= 1/2."""
    x = beta_quantile(2.0 * (1.0 - share), freedom / 2, 0.5)
    return math.sqrt(freedom * (1.0 - x) / x)
