"""Played games, kept in a database with all their events: added, found, listed, counted, and not too many of them.

Who plays and who asks is nobody's business here: seats have labels, events are numbers, ids are chosen by the caller.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from boardlab.store.games_database import GamesDatabase
from boardlab.store.ladder import LadderGame, note_for_ladder

__all__ = ["GameCount", "GameStore", "HallLine", "SeatKind", "Source", "StoredGame", "StoredSeat"]

Source = Literal["table", "match"]
"""Where a game was played: live, or in a match."""

SeatKind = Literal["person", "agent"]


@dataclass(frozen=True)
class StoredSeat:
    """Who had a seat, and what came of it. `points` are 1 for a win, 0.5 for a draw, 0 for a loss; None when played
    alone, or not to the end."""

    kind: SeatKind
    label: str
    score: float
    points: float | None


@dataclass(frozen=True)
class StoredGame:
    """A stored game without its events."""

    id: str
    game: str
    """Specification."""
    title: str
    seats: tuple[StoredSeat, ...]
    plies: int
    """Number of events."""
    seed: int | None
    source: Source
    finished: bool
    """Whether the rules ended it."""
    resigned: int | None
    """The seat that gave up."""
    match: str | None
    """Id of the match that it belongs to."""
    place: int | None
    """Which game of the match it is."""
    created: str
    """ISO 8601, UTC."""
    setup: str | None = None
    """JSON: the start, where it was set up by hand."""
    flagged: int | None = None
    """The seat that ran out of time."""
    clock: str | None = None
    """JSON: the clock of the people, and what they had left."""


@dataclass(frozen=True)
class GameCount:
    """How many games of a specification are stored."""

    game: str
    title: str
    games: int


@dataclass(frozen=True)
class HallLine:
    """How a person did against an agent, or alone (`agent` is None) in a game for one."""

    agent: str | None
    game: str
    title: str
    person: str
    games: int
    won: int
    drawn: int
    lost: int
    best: float
    """Best score."""


class GameStore:
    """All stored games, and the matches that some of them belong to. Safe for several threads."""

    def __init__(self, path: Path, most: int) -> None:
        """`most`: with more games than that the oldest ones give way."""
        self.database, self.most = GamesDatabase(path), most
        self._count = 0

    def open(self) -> None:
        """Open the database, or make it."""
        self.database.open()
        with self.database.transaction() as connection:
            self._count = connection.execute("SELECT COUNT(*) FROM games").fetchone()[0]

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    # ------------------------------------------------------------ changing

    def add(self, game: StoredGame, events: Sequence[int], ladder: LadderGame | None = None) -> bool:
        """Keep a game, and that it is to be counted for the ladder of people. An event is an action, or -1 - the
        outcome of a chance event. False where a game of this id is there already, which stays as it is."""
        with self.database.transaction() as connection:
            if connection.execute("SELECT 1 FROM games WHERE id = ?", (game.id,)).fetchone():
                return False
            self.add_within(connection, game, events)
            if ladder is not None:
                note_for_ladder(connection, ladder)
        return True

    def add_within(self, connection: sqlite3.Connection, game: StoredGame, events: Sequence[int]) -> None:
        """Keep a new game as part of a transaction that does more."""
        values = {field.name: getattr(game, field.name) for field in fields(game) if field.name != "seats"}
        values["events"] = json.dumps(list(events), separators=(",", ":"))
        number = connection.execute(
            f"INSERT INTO games ({', '.join(values)}) VALUES ({', '.join(f':{name}' for name in values)})", values
        ).lastrowid
        connection.executemany(
            "INSERT INTO seats (game_number, seat, kind, label, score, points) VALUES (?, ?, ?, ?, ?, ?)",
            [(number, k, seat.kind, seat.label, seat.score, seat.points) for k, seat in enumerate(game.seats)],
        )
        surplus = max(0, self._count + 1 - self.most)
        connection.execute(
            "DELETE FROM games WHERE number IN (SELECT number FROM games ORDER BY number LIMIT ?)", (surplus,)
        )
        self._count += 1 - surplus

    def delete(self, game_id: str) -> bool:
        """Forget a game; False where there is none."""
        with self.database.transaction() as connection:
            gone = connection.execute("DELETE FROM games WHERE id = ?", (game_id,)).rowcount
            self._count -= gone
        return bool(gone)

    # ------------------------------------------------------------ looking

    def get(self, game_id: str) -> StoredGame | None:
        """The game of an id."""
        with self.database.transaction() as connection:
            row = connection.execute("SELECT * FROM games WHERE id = ?", (game_id,)).fetchone()
            return None if row is None else _game(connection, row)

    def events(self, game_id: str) -> list[int]:
        """What happened in a game: actions, and -1 - outcome for chance events; nothing where there is no such game."""
        with self.database.transaction() as connection:
            row = connection.execute("SELECT events FROM games WHERE id = ?", (game_id,)).fetchone()
        found: list[int] = json.loads(row["events"]) if row else []
        return found

    def page(
        self, limit: int, offset: int, *, game: str | None = None, source: Source | None = None
    ) -> tuple[int, list[StoredGame]]:
        """How many there are of one game or all, from one source or all, and `limit` of them, the newest first."""
        given = {"game": game, "source": source, "limit": limit, "offset": offset}
        where = "WHERE (:game IS NULL OR game = :game) AND (:source IS NULL OR source = :source)"
        with self.database.transaction() as connection:
            total: int = connection.execute(f"SELECT COUNT(*) FROM games {where}", given).fetchone()[0]
            rows = connection.execute(
                f"SELECT * FROM games {where} ORDER BY number DESC LIMIT :limit OFFSET :offset", given
            ).fetchall()
            return total, [_game(connection, row) for row in rows]

    def counts(self) -> list[GameCount]:
        """How many games of each specification there are."""
        with self.database.transaction() as connection:
            rows = connection.execute(
                "SELECT game, title, COUNT(*) AS games FROM games GROUP BY game ORDER BY title, game"
            ).fetchall()
        return [GameCount(**dict(row)) for row in rows]

    def hall(self, game: str | None) -> list[HallLine]:
        """Who did how well against whom. A game counts when it came to its end, or when somebody gave up or ran out of
        time."""
        with self.database.transaction() as connection:
            rows = connection.execute(_HALL, {"game": game}).fetchall()
        return [HallLine(**dict(row)) for row in rows]

    # ------------------------------------------------------------ matches

    def matches(self) -> list[str]:
        """What was saved of all matches, in the order of their beginnings."""
        with self.database.transaction() as connection:
            rows = connection.execute("SELECT body FROM matches ORDER BY number").fetchall()
        return [row["body"] for row in rows]

    def save_match(self, match_id: str, body: str) -> None:
        """Keep what a JSON text says of a match, in place of what was known of it before."""
        with self.database.transaction() as connection:
            connection.execute(
                "INSERT INTO matches (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body",
                (match_id, body),
            )

    def games_of_match(self, match_id: str) -> list[str]:
        """The ids of the games of a match, in their order."""
        with self.database.transaction() as connection:
            rows = connection.execute("SELECT id FROM games WHERE match = ? ORDER BY place", (match_id,)).fetchall()
        return [row["id"] for row in rows]

    def add_to_match(self, match_id: str, place: int, body: str) -> None:
        """Keep what a JSON text says of one game of a match."""
        with self.database.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO match_games VALUES (?, ?, ?)", (match_id, place, body))

    def played_of_match(self, match_id: str) -> list[tuple[int, str]]:
        """The numbers of the games of a match that were played, and what was kept of them."""
        with self.database.transaction() as connection:
            rows = connection.execute(
                "SELECT place, body FROM match_games WHERE match = ? ORDER BY place", (match_id,)
            ).fetchall()
        return [(row["place"], row["body"]) for row in rows]

    def delete_match(self, match_id: str) -> None:
        """Forget a match with all its games."""
        with self.database.transaction() as connection:
            connection.execute("DELETE FROM match_games WHERE match = ?", (match_id,))
            self._count -= connection.execute("DELETE FROM games WHERE match = ?", (match_id,)).rowcount
            connection.execute("DELETE FROM matches WHERE id = ?", (match_id,))

    # ------------------------------------------------------------ games in progress

    def save_live_games(self, games: Sequence[tuple[str, str, str]], most: int) -> None:
        """Keep games in progress, each with its id, what a JSON text says of it, and when it was last looked at; at
        most so many in all, and the oldest give way."""
        with self.database.transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO live_games VALUES (?, ?, ?)", games)
            connection.execute(
                "DELETE FROM live_games WHERE id IN"
                " (SELECT id FROM live_games ORDER BY touched DESC, id LIMIT -1 OFFSET ?)",
                (most,),
            )

    def live_game(self, game_id: str) -> str | None:
        """What was kept of a game in progress."""
        with self.database.transaction() as connection:
            row = connection.execute("SELECT body FROM live_games WHERE id = ?", (game_id,)).fetchone()
        return row["body"] if row else None

    def delete_live_game(self, game_id: str) -> None:
        """Forget a game in progress."""
        with self.database.transaction() as connection:
            connection.execute("DELETE FROM live_games WHERE id = ?", (game_id,))


def _game(connection: sqlite3.Connection, row: sqlite3.Row) -> StoredGame:
    seats = connection.execute(
        "SELECT kind, label, score, points FROM seats WHERE game_number = ? ORDER BY seat", (row["number"],)
    ).fetchall()
    return StoredGame(
        id=row["id"],
        game=row["game"],
        title=row["title"],
        seats=tuple(StoredSeat(**dict(seat)) for seat in seats),
        plies=row["plies"],
        seed=row["seed"],
        source=row["source"],
        finished=bool(row["finished"]),
        resigned=row["resigned"],
        match=row["match"],
        place=row["place"],
        created=row["created"],
        setup=row["setup"],
        flagged=row["flagged"],
        clock=row["clock"],
    )


_HALL = """
SELECT agents.label AS agent, games.game, games.title, persons.label AS person, COUNT(*) AS games,
    COALESCE(SUM(persons.points = 1.0), 0) AS won,
    COALESCE(SUM(persons.points = 0.5), 0) AS drawn,
    COALESCE(SUM(persons.points = 0.0), 0) AS lost,
    MAX(persons.score) AS best
FROM seats AS persons
JOIN games ON games.number = persons.game_number
LEFT JOIN (SELECT DISTINCT game_number, label FROM seats WHERE kind = 'agent') AS agents
    ON agents.game_number = games.number
WHERE persons.kind = 'person' AND (games.finished OR games.resigned IS NOT NULL OR games.flagged IS NOT NULL)
    AND (:game IS NULL OR games.game = :game)
    AND (agents.label IS NOT NULL OR NOT EXISTS
        (SELECT 1 FROM seats AS others WHERE others.game_number = games.number AND others.seat <> persons.seat))
GROUP BY agents.label, games.game, persons.label
ORDER BY games.title, games.game, agents.label, won DESC, best DESC, person
"""
"""Each person's games with each agent that sat at the board, and the games that a person played alone."""
