"""Matches: agents against each other in all roles, and what came of it as a table."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from typing import Any

from boardlab.arguments import shown, whole_number
from boardlab.errors import BoardlabError
from boardlab.game import Game, require_game
from boardlab.matches.intervals import Estimate, mean_score, success_rate
from boardlab.matches.pie import require_pie
from boardlab.matches.play import Contestant, Fixture, GameRecord, Progress, Witness, play_fixtures
from boardlab.position import Position

__all__ = [
    "MatchResult",
    "Standing",
    "all_seatings",
    "play_match",
    "points_of",
    "require_adjudication",
    "start_bytes",
    "text_table",
]

MOST_SEATINGS = 24


@dataclass(frozen=True)
class Standing:
    """How one contestant did."""

    name: str
    score: Estimate
    """Mean score."""
    success: Estimate | None
    """Share of points, a win 1 and a draw 1/2; None in a game for one player."""
    wins: int
    draws: int
    losses: int
    role_scores: tuple[float | None, ...]
    """Mean score on each seat; None for a seat that it never had."""
    seconds_per_move: float


@dataclass(frozen=True)
class MatchResult:
    """All games of a match, and the standings."""

    game: str
    title: str
    players: tuple[str, ...]
    """What the seats are called."""
    contestants: tuple[str, ...]
    seed: int
    records: tuple[GameRecord, ...]
    score_range: tuple[float, float] = (-math.inf, math.inf)
    starts: int = 1
    """How many start positions took turns; with more than one the records are in the order of the games."""

    @property
    def standings(self) -> list[Standing]:
        """One for each contestant, in the order in which they were given."""
        return [self.standing(c) for c in range(len(self.contestants))]

    def standing(self, contestant: int) -> Standing:
        """How the contestant of this number did, who must have played."""
        seats = [(r, s) for r in self.records for s, c in enumerate(r.seats) if c == contestant]
        if not seats:
            raise BoardlabError(f"{self.contestants[contestant]} has not played: more games are needed")
        points = [points_of(record.scores, seat) for record, seat in seats]
        design = self._design(contestant)
        roles = []
        for role in range(len(self.players)):
            scores = [record.scores[seat] for record, seat in seats if seat == role]
            roles.append(math.fsum(scores) / len(scores) if scores else None)
        moves = sum(record.moves[seat] for record, seat in seats)
        return Standing(
            name=self.contestants[contestant],
            score=mean_score([record.scores[seat] for record, seat in seats], *self.score_range, *design),
            success=success_rate(points, *design) if len(self.players) > 1 else None,
            wins=points.count(1.0),
            draws=points.count(0.5),
            losses=points.count(0.0),
            role_scores=tuple(roles),
            seconds_per_move=math.fsum(record.seconds[seat] for record, seat in seats) / max(moves, 1),
        )

    def _design(self, contestant: int) -> tuple[list[Hashable], list[Hashable]]:
        """For each score of a contestant the conditions under which it was made, and the set of games it belongs to (no
        sets where all games are independent). Conditions that come again, as the seats, are no matter of chance. Starts
        that do not come again make sets: each is played in all seatings. So does a game with a contestant on several
        seats."""
        seatings = len({record.seats for record in self.records})
        again = len(self.records) >= 2 * seatings * self.starts
        conditions: list[Hashable] = []
        sets: list[Hashable] = []
        for number, record in enumerate(self.records):
            start = number // seatings % self.starts
            for seat, other in enumerate(record.seats):
                if other == contestant:
                    conditions.append((record.seats, seat, start if again else 0))
                    sets.append(number if again or self.starts == 1 else start)
        return conditions, sets if len(set(sets)) < len(sets) else []

    def to_json(self) -> dict[str, Any]:
        """Everything but the single games, as plain data."""
        return {
            "game": self.game,
            "seed": self.seed,
            "games": len(self.records),
            "adjudicated": sum(record.adjudicated for record in self.records),
            "swapped": sum(record.swapped for record in self.records),
            "contestants": [asdict(standing) for standing in self.standings],
        }

    def __str__(self) -> str:
        alone = len(self.players) == 1
        head = ["agent", "games", "mean score", "95 % interval"]
        head += [] if alone else ["won", "drawn", "lost", "success", *(f"as {name}" for name in self.players)]
        rows = [[*head, "ms/move"]]
        for s in self.standings:
            row = [
                s.name,
                str(s.score.games),
                _number(s.score.mean),
                f"{_number(s.score.low)} .. {_number(s.score.high)}",
            ]
            if s.success is not None:
                row += [str(s.wins), str(s.draws), str(s.losses), f"{s.success.mean:.1%}"]
                row += ["-" if mean is None else _number(mean) for mean in s.role_scores]
            rows.append([*row, f"{1000 * s.seconds_per_move:.3g}"])
        return f"{self.title} ({self.game}), {self._games_text()}, seed {self.seed}\n\n{text_table(rows)}"

    def _games_text(self) -> str:
        adjudicated = sum(record.adjudicated for record in self.records)
        swapped = sum(record.swapped for record in self.records)
        told = [f"{adjudicated} adjudicated"] if adjudicated else []
        told += [f"in {swapped} the first move was taken over"] if swapped else []
        return ", ".join([f"{len(self.records)} games", *told])


def play_match(
    game: Game,
    contestants: Sequence[Contestant],
    games: int,
    seed: int,
    *,
    seatings: Sequence[tuple[int, ...]] | None = None,
    starts: Sequence[Position] = (),
    adjudicate: int | None = None,
    pie: bool = False,
    workers: int = 1,
    progress: Progress | None = None,
    witness: Witness | None = None,
    played: Collection[int] = (),
    many: bool = False,
) -> MatchResult:
    """Play `games` games, but those whose numbers are in `played`, which were played before. The seatings take turns
    from game to game; by default all orders of the contestants (in a game for one player each plays alone). With start
    positions each is played in all seatings before the next. Games are adjudicated by the solver after so many actions,
    as soon as it knows the result; with `pie` the second player may take over the first move. `many`: more
    such matches will follow, so that machine code is worth its compilation."""
    require_game(game)
    if not isinstance(contestants, list | tuple):
        raise BoardlabError(f"the contestants of a match are a list of agents or their texts, not {shown(contestants)}")
    seats = all_seatings(game, len(contestants)) if seatings is None else list(seatings)
    _require_seatings(game, len(contestants), seats)
    begins: list[bytes | None] = [start_bytes(game, start) for start in starts] or [None]
    _require_variation(game, len(starts), adjudicate, pie)
    todo = [i for i in range(whole_number(games, "the number of games", 1)) if i not in played]
    fixtures = [
        Fixture(seats[i % len(seats)], begins[i // len(seats) % len(begins)], number=i, adjudicate=adjudicate, pie=pie)
        for i in todo
    ]
    numbered = None if witness is None else lambda i, record: witness(todo[i], record)
    records = play_fixtures(
        game, contestants, fixtures, seed, workers=workers, progress=progress, witness=numbered, many=many
    )
    return MatchResult(
        game=game.spec,
        title=game.title,
        players=tuple(game.player_name(p) for p in range(game.num_players)),
        contestants=tuple(c if isinstance(c, str) else c.spec for c in contestants),
        seed=seed,
        records=tuple(records),
        score_range=game.score_range,
        starts=len(begins),
    )


def all_seatings(game: Game, contestants: int) -> list[tuple[int, ...]]:
    """Which contestant has which seat: all orders of them while these are few, else all rotations."""
    if game.num_players == 1:
        return [(c,) for c in range(contestants)]
    if contestants != game.num_players:
        raise BoardlabError(
            f"{game.title} is for {game.num_players} players, so it takes as many agents, not {contestants}"
        )
    if math.factorial(contestants) <= MOST_SEATINGS:
        return list(permutations(range(contestants)))
    return [tuple((seat + shift) % contestants for seat in range(contestants)) for shift in range(contestants)]


def _require_seatings(game: Game, contestants: int, seatings: Sequence[tuple[int, ...]]) -> None:
    """Refuse seatings that leave a seat empty, or give it to somebody who is not there."""
    wrong = [seats for seats in seatings if len(seats) != game.num_players or not set(seats) <= set(range(contestants))]
    if wrong or not seatings:
        raise BoardlabError(
            f"a seating says for each of the {game.num_players} seats of {game.title} which of the {contestants}"
            f" contestants has it, counted from 0; {shown(wrong[0]) if wrong else 'an empty list'} does not"
        )


def _require_variation(game: Game, starts: int, adjudicate: int | None, pie: bool) -> None:
    """Refuse ways to play that do not suit the game."""
    if adjudicate is not None:
        whole_number(adjudicate, "after how many actions games are adjudicated", 0)
        require_adjudication(game)
    if pie:
        require_pie(game)
        if starts > 0:
            raise BoardlabError("the pie rule is about the first move, so it takes no start positions")


def require_adjudication(game: Game) -> None:
    """Refuse a game that no solver can adjudicate."""
    if game.num_outcomes > 0:
        raise BoardlabError(f"{game.title} has chance events, so no solver can tell how a game of it ends")


def start_bytes(game: Game, position: Position) -> bytes:
    """A position of the game as the start of a fixture."""
    if not isinstance(position, Position) or position.game != game:
        raise BoardlabError(f"a match of {game.spec} starts from positions of it, not from {shown(position)}")
    if position.is_over:
        raise BoardlabError(f"a match cannot start from a finished game: {position!r}")
    state: bytes = position.state.tobytes()
    return state


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of text as a table, the first of them its head; columns after the first are right-aligned."""
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(w) if c == 0 else cell.rjust(w) for c, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def points_of(scores: Sequence[float], seat: int) -> float:
    """1 for the highest score, 1/2 where all have the same, else 0."""
    if min(scores) == max(scores):
        return 0.5
    return 1.0 if scores[seat] == max(scores) else 0.0


def _number(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"
