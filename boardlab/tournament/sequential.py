"""Ratings that follow one game after the other: Elo 1978 and Glicko-2 (Glickman 2012), for leagues and people, who
change while they play. A tournament of agents, who do not, has better ones (`ratings`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from boardlab.tournament.ratings import expected_score

__all__ = ["Glicko", "update_elo", "update_glicko"]

SCALE = 173.7178
"""Points of a rating for one unit of Glicko-2."""
_ACCURACY = 1e-6
_LEAST = 1e-12
"""What games tell at least; where one is stronger beyond all doubt, it would be nothing at all."""


@dataclass(frozen=True)
class Glicko:
    """A rating, how uncertain it is (a standard deviation), and how erratic the results are."""

    rating: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06

    @property
    def interval(self) -> tuple[float, float]:
        """95 % of what the strength may be."""
        return self.rating - 1.96 * self.deviation, self.rating + 1.96 * self.deviation


def update_elo(rating: float, opponent: float, score: float, factor: float = 32.0) -> float:
    """The rating of Elo after a game with `score` 1, 1/2 or 0. `factor` says how far one game can move it, at most."""
    return rating + factor * (score - expected_score(rating - opponent))


def update_glicko(
    player: Glicko, results: Sequence[tuple[Glicko, float]], *, tau: float = 0.5, most_deviation: float = 350.0
) -> Glicko:
    """The rating after a period in which the player met these opponents, each with the score 1, 1/2 or 0. Opponents
    have their ratings from before the period. Without games only the uncertainty grows. `tau` says how quickly the
    volatility may change. The steps are those of Glickman 2012."""
    mu, phi = (player.rating - 1500.0) / SCALE, player.deviation / SCALE
    if not results:
        phi = math.hypot(phi, player.volatility)
        return Glicko(player.rating, min(most_deviation, phi * SCALE), player.volatility)
    information = gain = 0.0
    for opponent, score in results:
        g = _damping(opponent.deviation / SCALE)
        expected = 1.0 / (1.0 + math.exp(-g * (mu - (opponent.rating - 1500.0) / SCALE)))
        information += g * g * expected * (1.0 - expected)
        gain += g * (score - expected)
    variance = 1.0 / max(information, _LEAST)
    volatility = _volatility(variance * gain, phi, variance, player.volatility, tau)
    before = math.hypot(phi, volatility)
    after = 1.0 / math.sqrt(1.0 / before**2 + information)
    return Glicko(1500.0 + SCALE * (mu + after**2 * gain), min(most_deviation, SCALE * after), volatility)


def _damping(phi: float) -> float:
    """How much an opponent tells whose rating is uncertain."""
    return 1.0 / math.sqrt(1.0 + 3.0 * phi**2 / math.pi**2)


def _volatility(delta: float, phi: float, variance: float, sigma: float, tau: float) -> float:
    """The new volatility: the root of a function of its logarithm, by the Illinois method."""
    start = math.log(sigma**2)

    def f(x: float) -> float:
        e = math.exp(x)
        return e * (delta**2 - phi**2 - variance - e) / (2.0 * (phi**2 + variance + e) ** 2) - (x - start) / tau**2

    low = start
    if delta**2 > phi**2 + variance:
        high = math.log(delta**2 - phi**2 - variance)
    else:
        steps = 1
        while f(start - steps * tau) < 0.0:
            steps += 1
        high = start - steps * tau
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _ACCURACY:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0.0:
            low, f_low = high, f_high
        else:
            f_low /= 2.0
        high, f_high = middle, f_middle
    return math.exp(low / 2.0)
