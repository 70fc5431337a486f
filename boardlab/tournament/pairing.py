"""Who should meet next, where ratings follow one game after the other: those whose game tells most.

What a game tells is the information that its result has about the difference d of two strengths (in nats):

    I = H(E[p]) - E[H(p)],   p = 1 / (1 + exp(-d)),   d normal, as two ratings with their deviations say

where H is the entropy of a result. It is large where both are uncertain and either may win, and close to 0 where the
ratings are sure, or one of them wins anyway. `rate_table` counts the game by Glicko-2. A league calls both.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from boardlab.tournament.sequential import SCALE, Glicko, update_glicko

__all__ = ["AGENT", "ENOUGH", "SHARE", "Meeting", "information", "next_meeting", "rate_table"]

Floats = NDArray[np.float64]

AGENT = Glicko(volatility=0.004)
"""An agent that has not played yet. It hardly changes while it plays, and every game is a period of its own, of which
Glicko-2 takes ten or more together: so the volatility is far below the usual 0.06, which would keep the deviation of
everybody above 60."""
TAU = 0.2
"""How quickly the volatility of an agent may change."""
SHARE = 1 / 3
"""Of what the best pair can tell, another pair has to tell so much. The very best alone would not do: those who are
close would meet again and again, and how far these groups are apart nobody would know. Glicko-2 changes the ratings of
two players only, so that what a game says has to reach the others by many different pairs."""
ENOUGH = 0.005
"""Nats; a game that tells less is not worth playing. Two equal agents are there with deviations of 25."""

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()

Meeting = tuple[int, ...]
"""Who meets, by their numbers, in the order of the seats."""


def information(ratings: Sequence[Glicko]) -> Floats:
    """What a game of each two players would tell, in nats; shape (players, players)."""
    means = np.array([player.rating for player in ratings], np.float64) / SCALE
    variances = (np.array([player.deviation for player in ratings], np.float64) / SCALE) ** 2
    spread = np.sqrt(variances[:, None] + variances[None, :])
    differences = means[:, None] - means[None, :]
    chances = _chance(differences[..., None] + spread[..., None] * _NODES)
    told: Floats = _entropy(chances @ _WEIGHTS) - _entropy(chances) @ _WEIGHTS
    return np.maximum(told, 0.0)


def _chance(difference: Floats) -> Floats:
    chance: Floats = 1.0 / (1.0 + np.exp(-np.clip(difference, -500.0, 500.0)))
    return chance


def _entropy(p: Floats) -> Floats:
    q = np.clip(p, 1e-300, 1.0)
    r = np.clip(1.0 - p, 1e-300, 1.0)
    entropy: Floats = -(p * np.log(q) + (1.0 - p) * np.log(r))
    return entropy


def next_meeting(
    ratings: Sequence[Glicko], meetings: Mapping[frozenset[int], int], seats: int, seed: int
) -> tuple[Meeting, float] | None:
    """Who should meet next, on which seats, and what the best pair of all could tell; None where there are too few
    players. Of the pairs that tell at least `SHARE` of that, those meet who have met least, then those whom the seed
    draws. `meetings` says how often those who met have met: they take all seat orders in turn. More than two seats are
    filled one after the other. In a game for one player two of them meet by their scores."""
    together = max(2, seats)
    if len(ratings) < together:
        return None
    told = np.round(information(ratings), 9)
    order = list(range(len(ratings)))
    random.Random(f"{seed} {sum(meetings.values())}").shuffle(order)
    pairs = list(combinations(order, 2))
    most = max(float(told[pair]) for pair in pairs)
    met = _met(meetings)
    chosen = list(min((pair for pair in pairs if told[pair] >= SHARE * most), key=lambda pair: met[frozenset(pair)]))
    while len(chosen) < together:
        others = [player for player in order if player not in chosen]
        gains = {player: float(told[player, chosen].sum()) for player in others}
        chosen.append(next(player for player in others if gains[player] >= SHARE * max(gains.values())))
    return _in_order(chosen, meetings.get(frozenset(chosen), 0)), most


def _met(meetings: Mapping[frozenset[int], int]) -> Counter[frozenset[int]]:
    """How often each two have met, alone or with others."""
    found: Counter[frozenset[int]] = Counter()
    for players, games in meetings.items():
        for pair in combinations(players, 2):
            found[frozenset(pair)] += games
    return found


def _in_order(players: Sequence[int], number: int) -> Meeting:
    """The order of the seats in the game of this number: all orders come in turn."""
    free, seated = sorted(players), []
    while free:
        number, place = divmod(number, len(free))
        seated.append(free.pop(place))
    return tuple(seated)


def rate_table(before: Sequence[Glicko], scores: Sequence[float]) -> list[Glicko]:
    """The ratings after a game with these scores: everybody has met everybody else, and won, drawn or lost by the
    scores of the two."""
    players = range(len(before))
    return [
        update_glicko(
            before[one],
            [(before[other], _points(scores[one], scores[other])) for other in players if other != one],
            tau=TAU,
        )
        for one in players
    ]


def _points(own: float, other: float) -> float:
    return 0.5 if math.isclose(own, other, abs_tol=1e-12) else float(own > other)
