"""The figures of a measurement of balance, each with its 95 % interval, from the records of its games."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from boardlab.balance.course import Course
from boardlab.game import Game
from boardlab.matches.intervals import Estimate, mean_score, success_rate
from boardlab.matches.play import GameRecord

__all__ = [
    "BalanceReport",
    "GameFigures",
    "LevelFigures",
    "SkillStep",
    "common_level",
    "imbalance_of",
    "level_figures",
    "most_balanced",
    "shares_of",
    "skill_step",
    "steps_by_score",
    "total_skill",
]


@dataclass(frozen=True)
class LevelFigures:
    """An agent against itself."""

    agent: str
    games: int
    distinct: int
    """How many of the games differ; an agent without chance plays one game again and again."""
    shares: tuple[Estimate, ...]
    """The share of wins of each seat, a shared win in equal parts; empty in a game for one player."""
    scores: tuple[Estimate, ...]
    """The mean score of each seat."""
    imbalance: Estimate | None
    """How far the seat that is farthest from its fair share is from it."""
    draws: Estimate | None
    plies: Estimate
    spread: tuple[float, ...]
    """The shortest game, the quartiles and the longest game, in plies."""
    choices: Estimate
    decided: Estimate | None
    decided_early: Estimate | None
    """The share of games that were decided in their first half."""
    lead_changes: Estimate | None
    taken_over: Estimate | None
    """With the pie rule: how often the first move was taken over."""


@dataclass(frozen=True)
class SkillStep:
    """A stronger agent against a weaker one, in all seats."""

    stronger: str
    weaker: str
    share: Estimate
    """The stronger one's share of wins."""
    elo: float
    """The difference in Elo; one game with a fair result is added, so that it is finite."""
    elo_low: float | None
    elo_high: float | None
    """None where there is no bound."""


@dataclass(frozen=True)
class GameFigures:
    """All about one game."""

    game: str
    title: str
    players: tuple[str, ...]
    varied: dict[str, int]
    perfect: tuple[float, ...] | None
    """What every player scores under perfect play from the start; None where that is not known."""
    led_by: str
    """How it is told who leads."""
    levels: tuple[LevelFigures, ...]
    steps: tuple[SkillStep, ...]
    ladder: tuple[str, ...]
    """The levels that differ in their budget alone, from the weakest to the strongest."""

    @property
    def reference(self) -> LevelFigures:
        """The strongest level of the ladder, by which games are compared."""
        return next(level for level in self.levels if level.agent == self.ladder[-1])

    @property
    def skill(self) -> tuple[float, float | None, float | None]:
        """The Elo from the bottom to the top of the ladder, with its interval."""
        return total_skill([step for step in self.steps if step.stronger in self.ladder])


@dataclass(frozen=True)
class BalanceReport:
    """What a measurement found out."""

    seed: int
    pie: bool
    random_plies: int
    games: tuple[GameFigures, ...]

    def to_json(self) -> dict[str, Any]:
        """All figures as plain data."""
        found = []
        for game in self.games:
            elo, low, high = game.skill
            found.append({**asdict(game), "skill": {"elo": elo, "low": low, "high": high}})
        best = most_balanced(self.games)
        return {
            "seed": self.seed,
            "pie": self.pie,
            "random_plies": self.random_plies,
            "most_balanced": {"game": best[0].game, "not_told_apart": [g.game for g in best[1]]} if best else None,
            "games": found,
        }


# ---------------------------------------------------------------- one level


def shares_of(scores: Sequence[float]) -> list[float]:
    """The win in equal parts among those with the highest score."""
    winners = [score == max(scores) for score in scores]
    return [winner / sum(winners) for winner in winners]


def in_order(record: GameRecord) -> list[float]:
    """The scores in the order in which the players began; the pie rule may have changed it since."""
    return list(reversed(record.scores)) if record.swapped else list(record.scores)


def level_figures(
    game: Game, agent: str, records: Sequence[GameRecord], courses: Sequence[Course], pie: bool
) -> LevelFigures:
    """The figures of an agent against itself."""
    several = game.num_players > 1
    distinct = len({record.events for record in records})
    if distinct == 1 and game.num_outcomes == 0 and len(records) > 1 and _has_choice(courses):
        records, courses = records[:1], courses[:1]  # the same game again tells nothing new
    shares = [shares_of(in_order(record)) for record in records]
    estimates = (
        tuple(success_rate([row[seat] for row in shares]) for seat in range(game.num_players)) if several else ()
    )
    drawn = [float(min(record.scores) == max(record.scores)) for record in records]
    plies = [float(course.plies) for course in courses]
    decided = [course.decided for course in courses if course.decided is not None]
    changes = [float(course.lead_changes) for course in courses if course.lead_changes is not None]
    return LevelFigures(
        agent=agent,
        games=len(records),
        distinct=distinct,
        shares=estimates,
        scores=tuple(
            mean_score([in_order(record)[seat] for record in records], *game.score_range)
            for seat in range(game.num_players)
        ),
        imbalance=imbalance_of(estimates) if several else None,
        draws=success_rate(drawn) if several else None,
        plies=mean_score(plies, 0.0, max(plies)),
        spread=_quartiles(plies),
        choices=mean_score([course.choices for course in courses], 0.0, max(course.choices for course in courses)),
        decided=mean_score(decided, 0.0, 1.0) if decided else None,
        decided_early=success_rate([float(part < 0.5) for part in decided]) if decided else None,
        lead_changes=mean_score(changes, 0.0, max(plies)) if changes else None,
        taken_over=success_rate([float(record.swapped) for record in records]) if pie else None,
    )


def _has_choice(courses: Sequence[Course]) -> bool:
    """Whether there was anything to choose in the game; else it cannot but be the same."""
    return any(course.choices > 1.0 for course in courses)


def imbalance_of(shares: Sequence[Estimate]) -> Estimate:
    """The largest distance of a seat from its fair share, with the least and the most that the intervals allow."""
    fair = 1.0 / len(shares)
    lows = [
        0.0 if share.low <= fair <= share.high else min(abs(share.low - fair), abs(share.high - fair))
        for share in shares
    ]
    highs = [max(abs(share.low - fair), abs(share.high - fair)) for share in shares]
    return Estimate(max(abs(share.mean - fair) for share in shares), max(lows), max(highs), shares[0].games)


def _quartiles(values: Sequence[float]) -> tuple[float, ...]:
    ordered = sorted(values)
    places = [(len(ordered) - 1) * part / 4 for part in range(5)]
    return tuple(
        ordered[math.floor(place)] + (place % 1) * (ordered[math.ceil(place)] - ordered[math.floor(place)])
        for place in places
    )


# ---------------------------------------------------------------- skill


def skill_step(pair: tuple[str, str], records: Sequence[GameRecord], seats: Sequence[int], players: int) -> SkillStep:
    """The strength between a pair of agents, from games in which the first one had one of the `seats`, and the other
    one all others."""
    points = [shares_of(record.scores)[seat] for record, seat in zip(records, seats, strict=True)]
    return _step(*pair, success_rate(points, seats), players)


def steps_by_score(levels: Sequence[tuple[str, Sequence[GameRecord]]]) -> list[SkillStep]:
    """The same for a game of one player: how often the stronger one scores more, game by game."""
    steps = []
    for (weaker, low), (stronger, high) in pairwise(levels):
        pairs = [(one.scores[0], other.scores[0]) for one, other in zip(high, low, strict=False)]
        points = [float(one > other) if one != other else 0.5 for one, other in pairs]
        steps.append(_step(stronger, weaker, success_rate(points), 2))
    return steps


def _step(stronger: str, weaker: str, share: Estimate, players: int) -> SkillStep:
    finite = (share.mean * share.games + 1.0 / players) / (share.games + 1.0)
    low, high = _elo(share.low, players), _elo(share.high, players)
    return SkillStep(stronger, weaker, share, _elo(finite, players) or 0.0, low, high)


def _elo(share: float, players: int) -> float | None:
    """The Elo difference behind a share of wins against players - 1 equal opponents (Plackett-Luce); None where it has
    no bound."""
    if not 0.0 < share < 1.0:
        return None
    return 400.0 * math.log10(share / (1.0 - share) * (players - 1))


def total_skill(steps: Sequence[SkillStep]) -> tuple[float, float | None, float | None]:
    """The sum of the steps; their errors are independent."""
    total = math.fsum(step.elo for step in steps)
    below = [step.elo - step.elo_low if step.elo_low is not None else math.inf for step in steps]
    above = [step.elo_high - step.elo if step.elo_high is not None else math.inf for step in steps]
    low, high = total - math.hypot(*below), total + math.hypot(*above)
    return total, low if math.isfinite(low) else None, high if math.isfinite(high) else None


# ---------------------------------------------------------------- several games


def most_balanced(games: Sequence[GameFigures]) -> tuple[GameFigures, list[GameFigures]] | None:
    """The game with the least imbalance at the strongest level that all have in common, and those whose intervals
    overlap with its own; None for one game, or without seats."""
    common = [agent for agent in games[0].ladder if all(agent in game.ladder for game in games)]
    if len(games) < 2 or not common or len(games[0].players) < 2:
        return None
    found = {game.game: _level(game, common[-1]).imbalance for game in games}
    best = min(games, key=lambda game: _mean(found[game.game]))
    top = found[best.game]
    assert top is not None
    near = [game for game in games if game is not best and _low(found[game.game]) <= top.high]
    return best, near


def common_level(games: Sequence[GameFigures]) -> str:
    """The strongest level of the ladder that all games have."""
    return [agent for agent in games[0].ladder if all(agent in game.ladder for game in games)][-1]


def _level(game: GameFigures, agent: str) -> LevelFigures:
    return next(level for level in game.levels if level.agent == agent)


def _mean(estimate: Estimate | None) -> float:
    return math.inf if estimate is None else estimate.mean


def _low(estimate: Estimate | None) -> float:
    return math.inf if estimate is None else estimate.low
