"""Which games a tournament consists of: round robin, gauntlet, Swiss system, knockout.

A format tells which games have to be played, given those that were: all of them, or those of the round that is due. It
is asked again until nothing is missing. What it answers depends on results alone, so a tournament goes on where it was
stopped, and entrants can join later.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import combinations, combinations_with_replacement

from boardlab.errors import BoardlabError
from boardlab.tournament.entrants import Entrant
from boardlab.tournament.journal import PlayedGame
from boardlab.tournament.sets import PlannedGame, Sets, seatings_of

__all__ = ["FORMATS", "Format", "Gauntlet", "Knockout", "RoundRobin", "Swiss", "match_points", "place_points"]

Results = Mapping[str, PlayedGame]
"""The games that were played, by their identity."""

EXTRA_SETS = 10
"""So many more sets are played in a knockout where the first place is shared; then the better seed goes on."""


class Format(ABC):
    """How entrants meet."""

    def __init__(self, entrants: Sequence[Entrant], players: int, sets: Sets, games: int) -> None:
        """`players` sit at a table; those who meet play `games` games, in whole sets."""
        self.entrants, self.players, self.sets, self.games = list(entrants), players, sets, games
        if len(self.entrants) < min(2, players):
            raise BoardlabError("a tournament needs two agents at least")

    @abstractmethod
    def wanted(self, results: Results) -> list[PlannedGame]:
        """The games that have to be played now, with those that were played already."""

    def report(self, results: Results) -> list[str]:
        """What the format itself has to say about how it went, in lines."""
        return []

    @abstractmethod
    def expected_games(self) -> int:
        """How many games there will be, worked out without planning them; in a knockout at least so many."""

    def match(self, players: Sequence[Entrant], first: int = 0, count: int | None = None) -> list[list[PlannedGame]]:
        """The sets in which these players meet."""
        if count is None:
            count = math.ceil(self.games / len(seatings_of(players)))
        return self.sets.of(players, count, first)

    def games_of(self, players: Sequence[Entrant]) -> int:
        """How many games these players play when they meet."""
        orders = len(seatings_of(players))
        return math.ceil(self.games / orders) * orders


class RoundRobin(Format):
    """All who can meet do: every pair, or every table of so many players. Fewer entrants than seats take several."""

    def tables(self) -> list[tuple[Entrant, ...]]:
        """Who meet each other."""
        if self.players == 1:
            return [(entrant,) for entrant in self.entrants]
        if len(self.entrants) < self.players:
            mixed = combinations_with_replacement(self.entrants, self.players)
            return [table for table in mixed if len(set(table)) > 1]
        return [*combinations(self.entrants, self.players)]

    def expected_games(self) -> int:
        if len(self.entrants) < self.players:
            return sum(map(self.games_of, self.tables()))
        return self.full_tables() * self.games_of(self.entrants[: self.players])

    def full_tables(self) -> int:
        """How many tables there are where no entrant takes two seats; there may be too many to list them."""
        return math.comb(len(self.entrants), self.players)

    def wanted(self, results: Results) -> list[PlannedGame]:
        matches = [self.match(table) for table in self.tables()]
        rounds = max(map(len, matches))  # all pairs meet once before any pair meets again
        return [game for r in range(rounds) for match in matches if r < len(match) for game in match[r]]


class Gauntlet(RoundRobin):
    """The first entrants, the challengers, against all the others."""

    def __init__(
        self, entrants: Sequence[Entrant], players: int, sets: Sets, games: int, *, challengers: int = 1
    ) -> None:
        super().__init__(entrants, players, sets, games)
        _require_company(self)
        if not 0 < challengers < len(self.entrants):
            raise BoardlabError(f"in a gauntlet of {len(self.entrants)} agents {challengers} cannot be the challengers")
        self.challengers = set(self.entrants[:challengers])

    def tables(self) -> list[tuple[Entrant, ...]]:
        return [table for table in super().tables() if 0 < len(self.challengers & set(table)) < len(set(table))]

    def full_tables(self) -> int:
        challengers = len(self.challengers)
        alike = math.comb(challengers, self.players) + math.comb(len(self.entrants) - challengers, self.players)
        return super().full_tables() - alike


class Swiss(Format):
    """In each round those meet who have about the same points and did not meet before."""

    def __init__(self, entrants: Sequence[Entrant], players: int, sets: Sets, games: int, *, rounds: int = 0) -> None:
        super().__init__(entrants, players, sets, games)
        _require_table(self)
        self.rounds = rounds or math.ceil(math.log(len(self.entrants), players)) + 1

    def expected_games(self) -> int:
        tables = len(self.entrants) // self.players
        return self.rounds * tables * self.games_of(self.entrants[: self.players])

    def wanted(self, results: Results) -> list[PlannedGame]:
        return self._replayed(results)[0]

    def report(self, results: Results) -> list[str]:
        _, points, done = self._replayed(results)
        order = sorted(self.entrants, key=lambda entrant: -points[entrant])
        head = f"Swiss system, {done} of {self.rounds} rounds; points of the matches:"
        return [head, *(f"{points[entrant]:6.2f}  {entrant.name}" for entrant in order)]

    def _replayed(self, results: Results) -> tuple[list[PlannedGame], dict[Entrant, float], int]:
        """The games of the rounds so far, the points, and how many rounds are complete."""
        points = dict.fromkeys(self.entrants, 0.0)
        met: dict[frozenset[Entrant], int] = {}
        byes: set[Entrant] = set()
        wanted: list[PlannedGame] = []
        for number in range(self.rounds):
            tables, resting = self._tables(points, met, byes)
            matches = [self.match(table, met.get(frozenset(table), 0) * len(self.match(table))) for table in tables]
            games = [game for match in matches for group in match for game in group]
            wanted += games
            if any(game.id not in results for game in games):
                return wanted, points, number
            for table, match in zip(tables, matches, strict=True):
                for entrant, share in match_points(match, results).items():
                    points[entrant] += share
                for pair in [frozenset(table), *map(frozenset, combinations(table, 2))]:
                    met[pair] = met.get(pair, 0) + (len(pair) == len(table) or len(table) > 2)
            for entrant in resting:
                points[entrant] += 1.0
            byes.update(resting)
        return wanted, points, self.rounds

    def _tables(
        self, points: Mapping[Entrant, float], met: Mapping[frozenset[Entrant], int], byes: set[Entrant]
    ) -> tuple[list[tuple[Entrant, ...]], list[Entrant]]:
        """Who meet in the next round, and who has a rest: the last ones who had none yet."""
        order = sorted(self.entrants, key=lambda entrant: -points[entrant])  # of equals the better seed is first
        resting: list[Entrant] = []
        for _ in range(len(order) % self.players):
            tired = [entrant for entrant in order if entrant not in byes] or order
            resting.append(tired[-1])
            order.remove(tired[-1])
        if self.players == 2:
            return _pairs(order, met), resting
        return [tuple(order[i : i + self.players]) for i in range(0, len(order), self.players)], resting


def _pairs(order: list[Entrant], met: Mapping[frozenset[Entrant], int]) -> list[tuple[Entrant, ...]]:
    """Pairs of neighbours in the order who did not meet before, by going back where that leads nowhere; where there is
    no such way, or it takes too long to find, some meet again."""
    patience = 10_000

    def search(rest: list[Entrant]) -> list[tuple[Entrant, ...]] | None:
        nonlocal patience
        if not rest:
            return []
        patience -= 1
        if patience < 0:
            return None
        for k in range(1, len(rest)):
            if not met.get(frozenset((rest[0], rest[k]))):
                found = search(rest[1:k] + rest[k + 1 :])
                if found is not None:
                    return [(rest[0], rest[k]), *found]
        return None

    found = search(order)
    if found is not None:
        return found
    rest, pairs = list(order), list[tuple[Entrant, ...]]()
    while rest:
        first = rest.pop(0)
        other = min(rest, key=lambda entrant: met.get(frozenset((first, entrant)), 0))
        rest.remove(other)
        pairs.append((first, other))
    return pairs


class Knockout(Format):
    """Who does not win his table is out. The entrants are seeded in the order in which they are given; in the first
    round some of the best seeds rest, so that the tables of later rounds are full."""

    def __init__(self, entrants: Sequence[Entrant], players: int, sets: Sets, games: int) -> None:
        super().__init__(entrants, players, sets, games)
        _require_table(self)

    def expected_games(self) -> int:
        tables, alive = 0, len(self.entrants)
        while alive > 1:
            full, resting = self._tables(self.entrants[:alive])
            tables += len(full)
            alive = len(full) + len(resting)
        return tables * self.games_of(self.entrants[: self.players])

    def wanted(self, results: Results) -> list[PlannedGame]:
        return self._replayed(results)[0]

    def report(self, results: Results) -> list[str]:
        return self._replayed(results)[1]

    def _replayed(self, results: Results) -> tuple[list[PlannedGame], list[str]]:
        """The games so far with those that are due, and how it went."""
        alive, wanted, lines = list(self.entrants), list[PlannedGame](), list[str]()
        met: dict[frozenset[Entrant], int] = {}
        number = 0
        while len(alive) > 1:
            number += 1
            tables, resting = self._tables(alive)
            lines.append(f"Knockout, round {number}:")
            lines += [f"  {entrant.name} rests" for entrant in resting]
            winners: list[Entrant] = []
            for table in tables:
                games, winner, line = self._contest(table, met, results)
                wanted += games
                lines.append(f"  {line}")
                winners += [winner] if winner else []
            if len(winners) < len(tables):
                return wanted, lines
            alive = [entrant for entrant in self.entrants if entrant in {*winners, *resting}]
        return wanted, [*lines, f"{alive[0].name} has won the knockout"]

    def _tables(self, alive: list[Entrant]) -> tuple[list[tuple[Entrant, ...]], list[Entrant]]:
        """Strong and weak seeds at each table. The best of those who are out fill the last one where it is not full;
        while too few are out for that, some more rest."""
        size = self.players
        target = size ** (math.ceil(math.log(len(alive), size) - 1e-9) - 1)
        count = math.ceil((len(alive) - target) / (size - 1))
        out = [entrant for entrant in self.entrants if entrant not in alive]
        if count * size > len(self.entrants):
            count -= 1
        resting, playing = alive[: max(0, len(alive) - count * size)], alive[max(0, len(alive) - count * size) :]
        playing += out[: count * size - len(playing)]
        tables: list[list[Entrant]] = [[] for _ in range(count)]
        for i, entrant in enumerate(playing):
            row, place = divmod(i, count)
            tables[place if row % 2 == 0 else count - 1 - place].append(entrant)
        return [tuple(table) for table in tables], resting

    def _contest(
        self, table: tuple[Entrant, ...], met: dict[frozenset[Entrant], int], results: Results
    ) -> tuple[list[PlannedGame], Entrant | None, str]:
        """The games of a table as far as they are known, its winner if there is one, and both in words."""
        pair = frozenset(table)
        first = met.get(pair, 0)
        match = self.match(table, first)
        usual = len(match)
        while True:
            games = [game for group in match for game in group]
            names = " - ".join(entrant.name for entrant in table)
            if any(game.id not in results for game in games):
                return games, None, names
            points = match_points(match, results)
            best = [entrant for entrant in table if points[entrant] > max(points.values()) - 1e-9]
            if len(best) == 1 or len(match) >= usual + EXTRA_SETS:
                break
            match += self.match(table, first + len(match), 1)
        met[pair] = first + len(match)
        score = " : ".join(f"{points[entrant] * len(games):g}" for entrant in table)
        seed = ", by the better seed" if len(best) > 1 else ""
        winner = min(best, key=self.entrants.index)
        return games, winner, f"{names}  {score}; {winner.name} goes on{seed}"


def _require_company(format_: Format) -> None:
    name = type(format_).__name__
    if format_.players == 1:
        raise BoardlabError(f"{name} is for games of two players or more; those who play alone meet in a round robin")


def _require_table(format_: Format) -> None:
    _require_company(format_)
    name = type(format_).__name__
    if len(format_.entrants) < format_.players:
        raise BoardlabError(f"{name} needs {format_.players} agents at least, as many as sit at a table")


def match_points(match: Sequence[Sequence[PlannedGame]], results: Results) -> dict[Entrant, float]:
    """The share of points that each player has in a match, 0 to 1."""
    shares: dict[Entrant, list[float]] = {}
    for group in match:
        for game in group:
            for seat, entrant in enumerate(game.seats):
                shares.setdefault(entrant, []).append(place_points(results[game.id].scores, seat))
    return {entrant: math.fsum(found) / len(found) for entrant, found in shares.items()}


def place_points(scores: Sequence[float], seat: int) -> float:
    """The share of the others that a seat has beaten; those with the same score count half."""
    others = [score for other, score in enumerate(scores) if other != seat]
    return sum(1.0 if scores[seat] > s else 0.5 if scores[seat] == s else 0.0 for s in others) / max(1, len(others))


FORMATS: dict[str, type[Format]] = {
    "round-robin": RoundRobin,
    "gauntlet": Gauntlet,
    "swiss": Swiss,
    "knockout": Knockout,
}
