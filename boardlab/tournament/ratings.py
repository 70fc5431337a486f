"""Ratings: one number for the strength of each entrant, fitted to all games at once, and how sure it is.

The model is in `choices`. Ratings are on the scale of Elo: 400 points more are odds of 10 to 1 where nobody draws.
The intervals come from the Bayesian bootstrap (Rubin 1981): all sets of games get random weights, and all ratings are
fitted again. The prior takes part with random weights of its own, as half a game won and half a game lost have in the
interval of Jeffreys; so the interval of a perfect score does not collapse.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardlabError
from boardlab.matches.quantiles import t_quantile
from boardlab.tournament.choices import Choices, Ranking, fit

__all__ = ["ELO", "Rating", "Ratings", "expected_score", "rate"]

Floats = NDArray[np.float64]

ELO = 400.0 / math.log(10.0)
"""Points of Elo for a factor of e in the odds."""
SAMPLES = 1000
_WIDEST = 2.0
_ACCURACY = 1e-4
"""Of samples, in units of e; a fiftieth of a point."""
_TOGETHER = 10
_MOST_NUMBERS = 150_000
"""Samples are fitted together, as many as fit into the caches."""


@dataclass(frozen=True)
class Rating:
    """A rating with its 95 % interval."""

    elo: float
    low: float
    high: float


@dataclass(frozen=True)
class Ratings:
    """The ratings of all entrants, in the order in which they were given."""

    ratings: tuple[Rating, ...]
    seats: tuple[Rating, ...]
    """What each seat is worth, in points of Elo, compared with the mean of all seats; empty where there are none."""
    draw_share: float
    """How often two equal players on equal seats draw; with more players, two of them share a place."""
    samples: Floats
    """Ratings of the bootstrap, shape (samples, entrants)."""
    choices: Choices
    parameters: Floats

    def superiority(self, one: int, other: int) -> float:
        """The likelihood that one entrant is stronger than another one, given the games."""
        better = float(np.sum(self.samples[:, one] > self.samples[:, other]))
        better += 0.5 * float(np.sum(self.samples[:, one] == self.samples[:, other]))
        return (better + 0.5) / (len(self.samples) + 1)


def rate(
    rankings: Sequence[Ranking],
    entrants: int,
    *,
    anchor: tuple[int, float] | None = None,
    prior: float = 1.0,
    samples: int = SAMPLES,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Ratings:
    """Fit the ratings. `anchor` gives one entrant a rating; without it the mean of all is 0. `prior` is how many games
    the prior is worth to each entrant."""
    if not prior > 0.0:
        raise BoardlabError(f"the prior is worth a positive number of games, not {prior:g}")
    choices = Choices(rankings, entrants)
    even = choices.counts(np.ones(choices.units), np.full((choices.size, 2), prior / 2))
    parameters = fit(choices, even[None])[0]
    found = _bootstrap(choices, parameters, prior, samples, seed, progress)
    strengths = _anchored(found[:, :entrants] * ELO, anchor)
    elo = _anchored(parameters[None, :entrants] * ELO, anchor)[0]
    return Ratings(
        ratings=_with_intervals(elo, strengths, [_few(n) for n in _sets_of(rankings, entrants)]),
        seats=_seats(choices, parameters, found),
        draw_share=_draw_share(choices, parameters),
        samples=strengths,
        choices=choices,
        parameters=parameters,
    )


def _bootstrap(
    choices: Choices,
    parameters: Floats,
    prior: float,
    samples: int,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> Floats:
    """The parameters fitted to randomly weighted sets, shape (samples, size), some of them at a time."""
    rng = np.random.default_rng(seed)
    together = max(1, min(_TOGETHER, _MOST_NUMBERS // choices.design.size))
    found = np.empty((samples, choices.size))
    for first in range(0, samples, together):
        batch = range(first, min(first + together, samples))
        counts = []
        for _ in batch:
            weights = rng.standard_exponential(choices.units)
            half_games = np.maximum(rng.standard_gamma(prior / 2, (choices.size, 2)), 1e-9)
            counts.append(choices.counts(weights, half_games))
        found[batch.start : batch.stop] = fit(choices, np.array(counts), parameters, _ACCURACY)
        if progress is not None:
            progress(batch.stop, samples)
    return parameters + (found - parameters) * _spread(choices)


def expected_score(difference: float) -> float:
    """What so many points of Elo more mean for the score, without draws."""
    return 1.0 / (1.0 + math.exp(-difference / ELO))


def _spread(choices: Choices) -> float:
    """By how much the bootstrap is too narrow because the parameters were fitted to the same sets."""
    free = choices.units - choices.size
    return min(_WIDEST, math.sqrt(choices.units / free)) if free > 0 else _WIDEST


def _few(sets: int) -> float:
    """By how much it is too narrow because there are so few sets, as Student's t is wider than a normal distribution;
    random weights make a mean vary by n / (n + 1) of what it should."""
    if sets < 3:
        return _WIDEST
    return min(_WIDEST, math.sqrt((sets + 1) / sets) * t_quantile(0.975, sets - 1) / t_quantile(0.975, 10**6))


def _sets_of(rankings: Sequence[Ranking], entrants: int) -> list[int]:
    """In how many sets each entrant has played."""
    found: list[set[int]] = [set() for _ in range(entrants)]
    for ranking in rankings:
        for player in ranking.players:
            found[player].add(ranking.unit)
    return [*map(len, found)]


def _anchored(ratings: Floats, anchor: tuple[int, float] | None) -> Floats:
    if anchor is None:
        found: Floats = ratings - ratings.mean(axis=1, keepdims=True)
        return found
    entrant, value = anchor
    found = ratings - ratings[:, entrant : entrant + 1] + value
    return found


def _with_intervals(values: Floats, samples: Floats, wider: Sequence[float]) -> tuple[Rating, ...]:
    """Estimates with the quantiles of their samples, whose distance from the estimate is made so many times as wide."""
    low, high = np.quantile(samples, [0.025, 0.975], axis=0)
    ends = zip(values, low, high, wider, strict=True)
    return tuple(
        Rating(float(v), float(v - w * max(v - a, 0.0)), float(v + w * max(b - v, 0.0))) for v, a, b, w in ends
    )


def _seats(choices: Choices, parameters: Floats, samples: Floats) -> tuple[Rating, ...]:
    if choices.seats < 2:
        return ()
    begin, end = choices.entrants, choices.entrants + choices.seats - 1
    worth, drawn = (np.pad(a[:, begin:end] * ELO, ((0, 0), (0, 1))) for a in (parameters[None, :], samples))
    wider = [_few(choices.units)] * choices.seats
    return _with_intervals(_anchored(worth, None)[0], _anchored(drawn, None), wider)


def _draw_share(choices: Choices, parameters: Floats) -> float:
    if choices.ties < 2:
        return 0.0
    tie = math.exp(float(parameters[choices.entrants + choices.seats - 1]))
    return float(tie / (2.0 + tie))
