"""Played games: stored with all their events, listed, shown again ply by ply, and counted in the hall of fame.

Live tables and matches store games, from any thread; `routes_records` shows them.
"""

from __future__ import annotations

import copy
import json
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel

from boardlab.errors import BoardlabError
from boardlab.matches.match import points_of
from boardlab.web.database import Database
from boardlab.web.errors import Problem
from boardlab.web.ids import new_id
from boardlab.web.line import Line
from boardlab.web.models import Event, MoveLine, PositionView, Seat, event_of_code

if TYPE_CHECKING:
    from boardlab.web.house import House

__all__ = [
    "GameCount",
    "HallLine",
    "Record",
    "RecordDetail",
    "RecordExport",
    "RecordList",
    "RecordPosition",
    "Records",
    "Source",
    "now",
]

Source = Literal["table", "match"]

_KEPT_LINES = 16
"""So many games are kept at hand with all their positions, for those who step through them."""


class Record(BaseModel):
    """A stored game in a list."""

    id: str
    game: str
    title: str
    seats: list[str]
    """Who had which seat."""
    scores: list[float]
    plies: int
    finished: bool
    """Whether the rules ended it."""
    resigned: int | None
    """The seat that gave up."""
    source: Source
    created: str
    """ISO 8601, UTC."""


class GameCount(BaseModel):
    """How many games of a specification are stored."""

    game: str
    title: str
    games: int


class RecordList(BaseModel):
    """A page of the list, the newest first."""

    total: int
    records: list[Record]
    games: list[GameCount]
    """All that are stored, whatever the page shows."""


class RecordExport(Record):
    """A stored game with everything that happened in it, from which it can be played again."""

    seed: int | None
    match: str | None
    """The match that it belongs to."""
    events: list[Event]


class RecordDetail(RecordExport):
    """A stored game with its moves in words."""

    players: list[str]
    """What the seats are called."""
    moves: list[MoveLine]


class RecordPosition(PositionView):
    """A position of a stored game; `moves` only on request."""

    id: str
    game: str
    title: str
    players: list[str]
    seats: list[str]
    ply: int
    plies: int


class HallLine(BaseModel):
    """How a person did against an agent, or alone (`agent` is null) in a game for one."""

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


def now() -> str:
    """The time, as it is stored."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Records:
    """The stored games. Safe for several threads."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.database = Database(house.settings.data / "games.sqlite")
        self._count = 0
        self._lines: OrderedDict[str, Line] = OrderedDict()
        self._lines_lock = threading.Lock()

    def start(self) -> None:
        """Open the database."""
        self.database.open()
        with self.database.transaction() as connection:
            self._count = connection.execute("SELECT COUNT(*) FROM games").fetchone()[0]

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    # ------------------------------------------------------------ storing

    def store(
        self,
        game: str,
        seats: Sequence[Seat],
        events: Sequence[int],
        scores: Sequence[float],
        seed: int | None,
        source: Source,
        finished: bool,
        *,
        resigned: int | None = None,
        match: tuple[str, int] | None = None,
    ) -> str:
        """Keep a game and return its id. `events` are given by their codes; `finished` means ended by the rules;
        `match` is the id of its match and its number in it."""
        record_id = new_id()
        values = {
            "id": record_id,
            "game": game,
            "title": self.house.game(game).title,
            "seed": seed,
            "source": source,
            "match": match[0] if match else None,
            "place": match[1] if match else None,
            "finished": finished,
            "resigned": resigned,
            "plies": len(events),
            "events": json.dumps(list(events), separators=(",", ":")),
            "created": now(),
        }
        points = _points(scores, finished, resigned)
        with self.database.transaction() as connection:
            number = connection.execute(
                f"INSERT INTO games ({', '.join(values)}) VALUES ({', '.join(f':{name}' for name in values)})", values
            ).lastrowid
            connection.executemany(
                "INSERT INTO seats (game_number, seat, kind, label, score, points) VALUES (?, ?, ?, ?, ?, ?)",
                [(number, i, seat.kind, seat.label, scores[i], points[i]) for i, seat in enumerate(seats)],
            )
            self._count += 1
            self._make_room(connection)
        self.house.publish("record", {})
        return record_id

    def _make_room(self, connection: sqlite3.Connection) -> None:
        """The oldest games give way when there are more than the settings allow."""
        surplus = self._count - self.house.settings.records
        if surplus > 0:
            connection.execute(
                "DELETE FROM games WHERE number IN (SELECT number FROM games ORDER BY number LIMIT ?)", (surplus,)
            )
            self._count -= surplus

    def delete(self, record_id: str) -> None:
        """Forget a game."""
        with self.database.transaction() as connection:
            gone = connection.execute("DELETE FROM games WHERE id = ?", (record_id,)).rowcount
            self._count -= gone
        if not gone:
            raise _unknown(record_id)
        with self._lines_lock:
            self._lines.pop(record_id, None)
        self.house.publish("record", {})

    def delete_match(self, match: str) -> None:
        """Forget all games of a match."""
        with self.database.transaction() as connection:
            self._count -= connection.execute("DELETE FROM games WHERE match = ?", (match,)).rowcount
        self.house.publish("record", {})

    # ------------------------------------------------------------ listing

    def page(self, limit: int, offset: int, *, game: str | None = None, source: Source | None = None) -> RecordList:
        """A page of the list, of one game or of all, from tables or matches or both."""
        given = {"game": game, "source": source, "limit": limit, "offset": offset}
        where = "WHERE (:game IS NULL OR game = :game) AND (:source IS NULL OR source = :source)"
        with self.database.transaction() as connection:
            total = connection.execute(f"SELECT COUNT(*) FROM games {where}", given).fetchone()[0]
            rows = connection.execute(
                f"SELECT * FROM games {where} ORDER BY number DESC LIMIT :limit OFFSET :offset", given
            ).fetchall()
            records = [_record(row, _seats(connection, row)) for row in rows]
            counts = connection.execute(
                "SELECT game, title, COUNT(*) AS games FROM games GROUP BY game ORDER BY title, game"
            ).fetchall()
        return RecordList(total=total, records=records, games=[GameCount(**dict(count)) for count in counts])

    def of_match(self, match: str) -> list[str]:
        """The ids of the games of a match, in their order."""
        with self.database.transaction() as connection:
            rows = connection.execute("SELECT id FROM games WHERE match = ? ORDER BY place", (match,)).fetchall()
        return [row["id"] for row in rows]

    def hall(self, game: str | None) -> list[HallLine]:
        """Who did how well against whom. A game counts when it came to its end, or when somebody gave up."""
        with self.database.transaction() as connection:
            rows = connection.execute(_HALL, {"game": game}).fetchall()
        return [HallLine(**dict(row)) for row in rows]

    # ------------------------------------------------------------ one game

    def export(self, record_id: str) -> RecordExport:
        """All that is stored of a game, whether this arena knows its rules or not."""
        row, seats = self._row(record_id)
        record = _record(row, seats).model_dump()
        return RecordExport(**record, seed=row["seed"], match=row["match"], events=_events(row))

    def get(self, record_id: str) -> RecordDetail:
        """All about a game."""
        line = self._line(self._row(record_id)[0])
        exported = self.export(record_id)
        return RecordDetail(**exported.model_dump(), players=_players(line), moves=line.view().moves)

    def position(self, record_id: str, ply: int | None, *, moves: bool) -> RecordPosition:
        """The position after `ply` events; after all of them when it is None."""
        row, seats = self._row(record_id)
        line = copy.copy(self._line(row))
        plies = len(line.events)
        line.ply = plies if ply is None else ply
        if line.ply > plies:
            raise Problem(422, f"this game has {plies:,} plies, there is no position after {ply:,}")
        view = line.view()
        return RecordPosition(
            **view.model_copy(update={} if moves else {"moves": []}).model_dump(),
            id=record_id,
            game=row["game"],
            title=row["title"],
            players=_players(line),
            seats=[seat["label"] for seat in seats],
            ply=line.ply,
            plies=plies,
        )

    def _row(self, record_id: str) -> tuple[sqlite3.Row, list[sqlite3.Row]]:
        with self.database.transaction() as connection:
            row = connection.execute("SELECT * FROM games WHERE id = ?", (record_id,)).fetchone()
            if row is None:
                raise _unknown(record_id)
            return row, _seats(connection, row)

    def _line(self, row: sqlite3.Row) -> Line:
        """The game with the state after each event; it is not to be changed, as others may be looking at it."""
        with self._lines_lock:
            if row["id"] in self._lines:
                self._lines.move_to_end(row["id"])
                return self._lines[row["id"]]
        try:
            line = Line.of(self.house.game(row["game"]), _events(row))
        except BoardlabError as error:
            raise Problem(409, f"this game cannot be shown by the rules of today's {row['game']}: {error}") from error
        with self._lines_lock:
            self._lines[row["id"]] = line
            while len(self._lines) > _KEPT_LINES:
                self._lines.popitem(last=False)
        return line


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
WHERE persons.kind = 'person' AND (games.finished OR games.resigned IS NOT NULL)
    AND (:game IS NULL OR games.game = :game)
    AND (agents.label IS NOT NULL OR NOT EXISTS
        (SELECT 1 FROM seats AS others WHERE others.game_number = games.number AND others.seat <> persons.seat))
GROUP BY agents.label, games.game, persons.label
ORDER BY games.title, games.game, agents.label, won DESC, best DESC, person
"""
"""Each person's games with each agent that sat at the board, and the games that a person played alone."""


def _points(scores: Sequence[float], finished: bool, resigned: int | None) -> list[float | None]:
    """What each seat has got: as in matches; when somebody gave up, he has lost and the others have won."""
    seats = range(len(scores))
    if len(scores) == 1 or not (finished or resigned is not None):
        return [None for _ in seats]
    if resigned is not None:
        return [0.0 if seat == resigned else 1.0 for seat in seats]
    return [points_of(scores, seat) for seat in seats]


def _seats(connection: sqlite3.Connection, row: sqlite3.Row) -> list[sqlite3.Row]:
    found: list[sqlite3.Row] = connection.execute(
        "SELECT * FROM seats WHERE game_number = ? ORDER BY seat", (row["number"],)
    ).fetchall()
    return found


def _record(row: sqlite3.Row, seats: list[sqlite3.Row]) -> Record:
    return Record(
        id=row["id"],
        game=row["game"],
        title=row["title"],
        seats=[seat["label"] for seat in seats],
        scores=[seat["score"] for seat in seats],
        plies=row["plies"],
        finished=bool(row["finished"]),
        resigned=row["resigned"],
        source=row["source"],
        created=row["created"],
    )


def _events(row: sqlite3.Row) -> list[Event]:
    codes: list[int] = json.loads(row["events"])
    return [event_of_code(code) for code in codes]


def _players(line: Line) -> list[str]:
    return [line.game.player_name(player) for player in range(line.game.num_players)]


def _unknown(record_id: str) -> Problem:
    return Problem(404, f"there is no stored game {record_id}; it may have been deleted")
