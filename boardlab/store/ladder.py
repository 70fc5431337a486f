"""The ladder of people, kept in the database of games: every game of a person against agents, the rating after it, and
which of them have not been counted yet.

A game is noted in the transaction that stores it, and counted in one of its own. So a server that is killed between the
two counts it when it is opened again, and none twice.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from boardlab.store.games_database import GamesDatabase

__all__ = ["CountedGame", "LadderGame", "LadderStore", "Met", "PersonLine", "Standing", "Uncounted", "note_for_ladder"]


@dataclass(frozen=True)
class Met:
    """An agent that a person met."""

    key: str
    """What the agent is, whatever it is called."""
    label: str
    points: float
    """Of the person against it: 1 for a win, 0.5 for a draw, 0 for a loss."""
    rating: float | None = None
    """What it was worth when the game was counted."""
    deviation: float | None = None


@dataclass(frozen=True)
class LadderGame:
    """A game of a person against agents."""

    record: str
    """Id of the stored game."""
    game: str
    person: str
    opponents: tuple[Met, ...]
    points: float
    created: str


@dataclass(frozen=True)
class Standing:
    """A rating by Glicko-2."""

    rating: float
    deviation: float
    volatility: float


@dataclass(frozen=True)
class Uncounted:
    """A game that has not been counted yet, its number, and the person's rating before it (None for a newcomer)."""

    number: int
    game: LadderGame
    before: Standing | None


@dataclass(frozen=True)
class CountedGame(LadderGame):
    """The same with the person's rating after it."""

    number: int
    standing: Standing


@dataclass(frozen=True)
class PersonLine:
    """A person of the ladder."""

    person: str
    standing: Standing
    games: int
    won: int
    drawn: int
    lost: int
    last: str
    """When the last game ended."""


def note_for_ladder(connection: sqlite3.Connection, game: LadderGame) -> None:
    """Keep a game that is to be counted, unless it was noted before."""
    opponents = json.dumps([asdict(met) for met in game.opponents])
    connection.execute(
        "INSERT OR IGNORE INTO ladder_games (record, game, person, opponents, points, created)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (game.record, game.game, game.person, opponents, game.points, game.created),
    )


class LadderStore:
    """All ladders, one for each game. Safe for several threads."""

    def __init__(self, database: GamesDatabase) -> None:
        self._database = database

    def next(self) -> Uncounted | None:
        """The oldest game that has not been counted, if there is one."""
        with self._database.transaction() as connection:
            row = connection.execute(
                "SELECT * FROM ladder_games WHERE rating IS NULL ORDER BY number LIMIT 1"
            ).fetchone()
            if row is None:
                return None
            before = connection.execute(
                "SELECT rating, deviation, volatility FROM ladder_games"
                " WHERE game = ? AND person = ? AND rating IS NOT NULL ORDER BY number DESC LIMIT 1",
                (row["game"], row["person"]),
            ).fetchone()
        return Uncounted(row["number"], LadderGame(**_fields(row)), Standing(**dict(before)) if before else None)

    def count(self, number: int, after: Standing, opponents: Sequence[Met]) -> None:
        """Count a game: the person's rating after it, and what the agents were worth."""
        met = json.dumps([asdict(agent) for agent in opponents])
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE ladder_games SET rating = ?, deviation = ?, volatility = ?, opponents = ?"
                " WHERE number = ? AND rating IS NULL",
                (after.rating, after.deviation, after.volatility, met, number),
            )

    def people(self, game: str) -> list[PersonLine]:
        """Everybody on the ladder of a game, the best first."""
        with self._database.transaction() as connection:
            rows = connection.execute(_PEOPLE, (game,)).fetchall()
        return [
            PersonLine(
                standing=Standing(row["rating"], row["deviation"], row["volatility"]),
                **{name: row[name] for name in ("person", "games", "won", "drawn", "lost", "last")},
            )
            for row in rows
        ]

    def games_of(self, game: str, person: str, most: int) -> list[CountedGame]:
        """The last games of a person, the newest first."""
        with self._database.transaction() as connection:
            rows = connection.execute(
                "SELECT * FROM ladder_games WHERE game = ? AND person = ? AND rating IS NOT NULL"
                " ORDER BY number DESC LIMIT ?",
                (game, person, most),
            ).fetchall()
        return [
            CountedGame(
                **_fields(row),
                number=row["number"],
                standing=Standing(row["rating"], row["deviation"], row["volatility"]),
            )
            for row in rows
        ]

    def counts(self) -> dict[str, int]:
        """How many people are on the ladder of each game."""
        with self._database.transaction() as connection:
            rows = connection.execute(
                "SELECT game, COUNT(DISTINCT person) AS people FROM ladder_games WHERE rating IS NOT NULL GROUP BY game"
            ).fetchall()
        return {row["game"]: row["people"] for row in rows}


def _fields(row: sqlite3.Row) -> dict[str, Any]:
    kept = {name: row[name] for name in ("record", "game", "person", "points", "created")}
    return {**kept, "opponents": tuple(Met(**met) for met in json.loads(row["opponents"]))}


_PEOPLE = """
SELECT last.person, last.rating, last.deviation, last.volatility, last.created AS last, sums.games, sums.won,
    sums.drawn, sums.lost
FROM (
    SELECT MAX(number) AS number, COUNT(*) AS games, SUM(points = 1.0) AS won, SUM(points = 0.5) AS drawn,
        SUM(points = 0.0) AS lost
    FROM ladder_games WHERE game = ? AND rating IS NOT NULL GROUP BY person
) AS sums
JOIN ladder_games AS last ON last.number = sums.number
ORDER BY last.rating DESC, last.person
"""
"""The last game of each person has the rating of today."""
