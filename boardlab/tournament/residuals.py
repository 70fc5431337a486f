"""Where the ratings do not tell the truth: pairs that did better or worse against each other than one number for each
of them allows, and circles as in rock-paper-scissors."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from boardlab.tournament.choices import Ranking
from boardlab.tournament.ratings import Ratings
from boardlab.tournament.standings import Meeting

__all__ = ["Misfit", "Residual", "circles", "misfit"]

NOTABLE = 3.0
"""A pair is notable from so many standard deviations on."""
SURE = 1.96
_DOUBTFUL = 0.01


@dataclass(frozen=True)
class Residual:
    """A pair: what the first of them scored, and what the ratings expect."""

    one: int
    other: int
    games: int
    scored: float
    expected: float
    deviations: float
    """The difference in standard deviations."""


@dataclass(frozen=True)
class Misfit:
    """How well the model fits all pairs."""

    residuals: tuple[Residual, ...]
    """All pairs, the most surprising ones first."""
    chi_square: float
    freedom: int
    probability: float
    """Of a misfit as large as this by chance alone."""

    @property
    def notable(self) -> list[Residual]:
        """The pairs that did notably better or worse than the ratings say."""
        return [residual for residual in self.residuals if abs(residual.deviations) >= NOTABLE]

    @property
    def doubtful(self) -> bool:
        """Whether the ratings as a whole do not tell who beats whom."""
        return self.freedom > 0 and self.probability < _DOUBTFUL


def misfit(rankings: Sequence[Ranking], ratings: Ratings) -> Misfit:
    """Compare the games with the ratings, pair by pair. With more than two players a pair is compared as if the two
    were alone."""
    sums: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0, 0.0])
    for ranking in rankings:
        for i, j in combinations(range(len(ranking.players)), 2):
            a, b = (i, j) if ranking.players[i] <= ranking.players[j] else (j, i)
            if ranking.players[a] == ranking.players[b]:
                continue
            expected, variance = _expected(ratings, ranking, a, b)
            ahead = ranking.ranks[b] - ranking.ranks[a]
            found = sums[ranking.players[a], ranking.players[b]]
            found[0] += 1
            found[1] += 0.5 if ahead == 0 else float(ahead > 0)
            found[2] += expected
            found[3] += variance
    residuals = [
        Residual(one, other, int(n), scored, expected, (scored - expected) / math.sqrt(max(variance, 1e-9)))
        for (one, other), (n, scored, expected, variance) in sums.items()
    ]
    entrants = len({player for ranking in rankings for player in ranking.players})
    freedom = len(residuals) - (entrants - 1)
    chi_square = math.fsum(r.deviations**2 for r in residuals)
    order = sorted(residuals, key=lambda r: -abs(r.deviations))
    return Misfit(tuple(order), chi_square, freedom, _beyond(chi_square, freedom))


def _expected(ratings: Ratings, ranking: Ranking, a: int, b: int) -> tuple[float, float]:
    """Mean and variance of the points of seat a against seat b."""
    choices, parameters = ratings.choices, ratings.parameters
    difference = parameters[ranking.players[a]] - parameters[ranking.players[b]]
    if ranking.seated:
        difference += _advantage(ratings, a) - _advantage(ratings, b)
    tie = math.exp(parameters[choices.entrants + choices.seats - 1]) if choices.ties > 1 else 0.0
    win, loss = math.exp(difference / 2), math.exp(-difference / 2)
    total = win + loss + tie
    mean = (win + tie / 2) / total
    return mean, (win + tie / 4) / total - mean**2


def _advantage(ratings: Ratings, seat: int) -> float:
    choices = ratings.choices
    return float(ratings.parameters[choices.entrants + seat]) if seat < choices.seats - 1 else 0.0


def _beyond(chi_square: float, freedom: int) -> float:
    """The probability of a larger chi-square (Wilson and Hilferty 1931: its cube root is nearly normal)."""
    if freedom < 1:
        return 1.0
    spread = 2.0 / (9.0 * freedom)
    deviations = ((chi_square / freedom) ** (1 / 3) - (1.0 - spread)) / math.sqrt(spread)
    return 0.5 * math.erfc(deviations / math.sqrt(2.0))


def circles(meetings: dict[tuple[int, int], Meeting]) -> list[tuple[int, int, int]]:
    """Threes of whom each one beats the next, surely enough (95 %) to be no chance."""
    beats = {pair for pair, found in meetings.items() if _sure(found)}
    players = sorted({player for pair in beats for player in pair})
    found = []
    for three in combinations(players, 3):
        first, *others = three
        for second, third in permutations(others):
            if {(first, second), (second, third), (third, first)} <= beats:
                found.append((first, second, third))
    return found


def _sure(meeting: Meeting) -> bool:
    decided = meeting.won + meeting.lost
    return decided > 0 and (meeting.won - meeting.lost) / math.sqrt(decided) > SURE
