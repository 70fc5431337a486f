"""What the games of a journal say: rankings for the ratings, the crosstable, points, times, forfeits."""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from boardlab.matches.intervals import Estimate, success_rate
from boardlab.tournament.choices import Ranking
from boardlab.tournament.journal import PlayedGame
from boardlab.tournament.plan import place_points

__all__ = ["Field", "Meeting", "ranks_of"]


@dataclass(frozen=True)
class Meeting:
    """How one entrant did against another, in games of both."""

    games: int
    won: int
    drawn: int
    lost: int

    @property
    def points(self) -> float:
        """A win 1, a draw 1/2."""
        return self.won + self.drawn / 2

    @property
    def share(self) -> float:
        """Points per game."""
        return self.points / self.games


class Field:
    """All entrants of a journal, by number, and their games."""

    def __init__(self, games: Iterable[PlayedGame]) -> None:
        self.games = list(games)
        self.keys: list[str] = []
        names: dict[str, str] = {}
        for game in self.games:
            for key, name in zip(game.agents, game.seats, strict=True):
                if key not in names:
                    self.keys.append(key)
                names[key] = name
        self.names = _different([names[key] for key in self.keys], self.keys)
        self.number = {key: number for number, key in enumerate(self.keys)}
        self.players = len(self.games[0].agents) if self.games else 0
        sets = list(dict.fromkeys(game.set for game in self.games))
        self._set = {name: number for number, name in enumerate(sets)}
        self.sets = len(sets)
        self._seats: list[list[tuple[PlayedGame, int]]] = [[] for _ in self.keys]
        """Of each entrant its games, and where it sat."""
        for game in self.games:
            for seat, key in enumerate(game.agents):
                self._seats[self.number[key]].append((game, seat))

    def rankings(self) -> list[Ranking]:
        """The games as the model of the ratings sees them. Those who played alone are compared within a set, each with
        each."""
        return self._rankings

    @cached_property
    def _rankings(self) -> list[Ranking]:
        if self.players != 1:
            return [
                Ranking(tuple(self.number[key] for key in game.agents), ranks_of(game.scores), self._set[game.set])
                for game in self.games
            ]
        return [
            Ranking((one, other), ranks_of([first, second]), unit, seated=False)
            for unit, scores in self._alone().items()
            for (one, first), (other, second) in combinations(scores, 2)
        ]

    @cached_property
    def _places(self) -> list[list[tuple[Ranking, int]]]:
        """Of each entrant the rankings that it is in, and where it sat."""
        found: list[list[tuple[Ranking, int]]] = [[] for _ in self.keys]
        for ranking in self._rankings:
            for seat, player in enumerate(ranking.players):
                found[player].append((ranking, seat))
        return found

    def _alone(self) -> dict[int, list[tuple[int, float]]]:
        """By set: who played, and the score."""
        found: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for game in self.games:
            found[self._set[game.set]].append((self.number[game.agents[0]], game.scores[0]))
        return found

    def meetings(self) -> dict[tuple[int, int], Meeting]:
        """The crosstable: how each entrant did against each other one."""
        counted: dict[tuple[int, int], Counter[float]] = defaultdict(Counter)
        for ranking in self.rankings():
            for i, j in combinations(range(len(ranking.players)), 2):
                one, other = ranking.players[i], ranking.players[j]
                if one != other:
                    ahead = ranking.ranks[j] - ranking.ranks[i]
                    counted[one, other][math.copysign(1, ahead) if ahead else 0] += 1
                    counted[other, one][math.copysign(1, -ahead) if ahead else 0] += 1
        return {pair: Meeting(sum(c.values()), c[1.0], c[0], c[-1.0]) for pair, c in counted.items()}

    def groups(self) -> list[set[int]]:
        """Entrants who met each other, directly or by others; between groups nothing is known."""
        found: list[set[int]] = []
        for one, other in [(i, i) for i in range(len(self.keys))] + [*self.meetings()]:
            joined = [group for group in found if one in group or other in group]
            found = [group for group in found if group not in joined]
            found.append({one, other}.union(*joined))
        return found

    def success(self, entrant: int) -> Estimate:
        """The share of points of an entrant, with a 95 % interval over sets."""
        points, seats, sets = [], [], []
        for ranking, seat in self._places[entrant]:
            points.append(place_points([-rank for rank in ranking.ranks], seat))
            seats.append(seat if ranking.seated else 0)
            sets.append(ranking.unit)
        return success_rate(points, seats, sets if len(set(sets)) < len(sets) else [])

    def seconds_per_move(self, entrant: int, *, cpu: bool = False) -> float:
        """Mean time of a move."""
        moves, seconds = 0, 0.0
        for game, seat in self._seats[entrant]:
            moves += game.timed[seat]
            seconds += (game.cpu if cpu else game.seconds)[seat]
        return seconds / max(moves, 1)

    def mean_score(self, entrant: int) -> float:
        """Mean score in the unit of the game."""
        scores = [game.scores[seat] for game, seat in self._seats[entrant]]
        return math.fsum(scores) / max(len(scores), 1)

    def episodes(self, entrant: int) -> int | None:
        """How many episodes an agent has learned from."""
        told = [game.episodes[seat] for game, seat in self._seats[entrant] if seat < len(game.episodes)]
        return told[0] if told else None

    def games_of(self, entrant: int) -> int:
        """In how many games it took part."""
        return len({game.id for game, _ in self._seats[entrant]})

    def forfeits(self) -> dict[int, Counter[str]]:
        """Who lost how many games for which reason."""
        found: dict[int, Counter[str]] = defaultdict(Counter)
        for game in self.games:
            for forfeit in game.forfeits:
                found[self.number[game.agents[forfeit.seat]]][forfeit.reason] += 1
        return dict(found)

    @property
    def adjudicated(self) -> int:
        """How many games the solver has ended."""
        return sum(game.adjudicated for game in self.games)

    def repeated(self) -> int:
        """How many games are move for move the same as an earlier one of the same players."""
        known = Counter((tuple(game.agents), game.state, tuple(game.codes)) for game in self.games)
        return len(self.games) - len(known)


def ranks_of(scores: Sequence[float]) -> tuple[int, ...]:
    """The place of each score, the highest is 0."""
    order = sorted(set(scores), reverse=True)
    return tuple(order.index(score) for score in scores)


def _different(names: list[str], keys: list[str]) -> list[str]:
    """Names that are different: an agent file that has changed is told from what it was before."""
    often = Counter(names)
    marks = [hashlib.sha256(key.encode()).hexdigest()[:6] for key in keys]
    return [f"{name} ({mark})" if often[name] > 1 else name for name, mark in zip(names, marks, strict=True)]
