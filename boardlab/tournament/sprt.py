"""The sequential probability ratio test (Wald 1945): is A stronger than B by `elo1` points, or by `elo0` only? Games
are played until the question is decided.

The unit is a set: a start in all seat orders, whose mean score is one observation, so that starts which favour a seat
cancel out (with two seats this is what chess programs call pentanomial). What the scores of sets are like, besides
their mean, is not known, so the test is the generalised one: the likelihoods that are compared are the highest ones
under either mean. A distribution with given frequencies and another mean s has the weights f / (1 + x (a - s)) at the
scores a, where x is such that the mean is s.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from boardlab.errors import BoardlabError, printable
from boardlab.tournament.ratings import expected_score

__all__ = ["Sprt", "Verdict", "log_likelihood_ratio", "read_sprt"]

Verdict = Literal["elo0", "elo1"]

_RARE = 1e-3
"""How often a score is supposed to have been seen that never was."""


@dataclass(frozen=True)
class Sprt:
    """A question: which of two differences in strength it is, and how often the answer may be wrong."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """How often elo1 may be the answer where elo0 is the truth."""
    beta: float = 0.05
    """How often elo0 may be the answer where elo1 is the truth."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise BoardlabError(f"elo0 is below elo1 in a test, not {self.elo0:g} and {self.elo1:g}")
        if not (0.0 < self.alpha < 0.5 and 0.0 < self.beta < 0.5):
            raise BoardlabError("alpha and beta, how often the answer may be wrong, are between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which the test ends: elo0 is accepted below, elo1 above."""
        return math.log(self.beta / (1.0 - self.alpha)), math.log((1.0 - self.beta) / self.alpha)

    def ratio(self, scores: Mapping[float, int]) -> float:
        """The log-likelihood ratio of mean scores of sets, 0 to 1, each with how often it was seen."""
        return log_likelihood_ratio(scores, expected_score(self.elo0), expected_score(self.elo1))

    def verdict(self, scores: Mapping[float, int]) -> Verdict | None:
        """The answer; None as long as more games are needed."""
        low, high = self.bounds
        ratio = self.ratio(scores)
        return "elo0" if ratio <= low else "elo1" if ratio >= high else None


def log_likelihood_ratio(scores: Mapping[float, int], mean0: float, mean1: float) -> float:
    """By how much the scores are more likely under the mean score `mean1` than under `mean0`, as a logarithm."""
    if not scores:
        return 0.0
    counts = Counter[float](dict.fromkeys((0.0, 0.5, 1.0), _RARE))
    counts.update(scores)
    n = math.fsum(counts.values())
    values = sorted(counts)
    shares = [counts[value] / n for value in values]
    under0, under1 = (_with_mean(values, shares, mean) for mean in (mean0, mean1))
    return n * math.fsum(f * math.log(b / a) for f, a, b in zip(shares, under0, under1, strict=True))


def _with_mean(values: list[float], shares: list[float], mean: float) -> list[float]:
    """The most likely distribution over the values that has this mean, given the shares that were seen."""
    apart = [(f, a - mean) for f, a in zip(shares, values, strict=True)]
    low, high, x = -1.0 / (values[-1] - mean), 1.0 / (mean - values[0]), 0.0
    for _ in range(100):  # Newton's method, and bisection where that would leave the bounds
        error = sum(f * d / (1.0 + x * d) for f, d in apart)
        low, high = (x, high) if error > 0.0 else (low, x)
        better = x + error / sum(f * (d / (1.0 + x * d)) ** 2 for f, d in apart)
        if not low < better < high:
            better = (low + high) / 2
        if abs(better - x) < 1e-12 * max(1.0, abs(x)):
            break
        x = better
    return [f / (1.0 + x * d) for f, d in apart]


def read_sprt(text: str) -> Sprt:
    """The test of a text such as `elo0=0,elo1=10,alpha=0.05,beta=0.05`."""
    found: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if name not in ("elo0", "elo1", "alpha", "beta") or not equals or not math.isfinite(number) or name in found:
            raise BoardlabError(f"a test is written elo0=0,elo1=10,alpha=0.05,beta=0.05; {printable(part)!r} is not")
        found[name] = number
    if "elo0" not in found or "elo1" not in found:
        raise BoardlabError("a test needs elo0 and elo1, as --sprt elo0=0,elo1=10")
    return Sprt(**found)
