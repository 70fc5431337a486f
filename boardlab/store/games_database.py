"""The database of played games, `games.sqlite`: one connection behind a lock, and the schema with its version.

`games` keeps games and matches here. Write-ahead logging lets other programs read meanwhile, and a killed process
leaves every transaction whole or undone.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from boardlab.errors import BoardlabError

__all__ = ["GamesDatabase"]

VERSION = 1

SCHEMA = """
CREATE TABLE games (
    number INTEGER PRIMARY KEY,     -- in the order in which they were stored
    id TEXT NOT NULL UNIQUE,
    game TEXT NOT NULL,             -- specification
    title TEXT NOT NULL,
    seed INTEGER,
    source TEXT NOT NULL CHECK (source IN ('table', 'match')),
    match TEXT,                     -- id of the match it belongs to
    place INTEGER,                  -- which game of the match it is
    finished INTEGER NOT NULL,      -- ended by the rules
    resigned INTEGER,               -- the seat that gave up
    plies INTEGER NOT NULL,
    events TEXT NOT NULL,           -- JSON list of numbers: an action, or -1 - the outcome of a chance event
    created TEXT NOT NULL           -- ISO 8601, UTC
);
CREATE INDEX games_by_game ON games (game, number);
CREATE INDEX games_by_match ON games (match, place) WHERE match IS NOT NULL;
CREATE TABLE seats (
    game_number INTEGER NOT NULL REFERENCES games (number) ON DELETE CASCADE,
    seat INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('person', 'agent')),
    label TEXT NOT NULL,
    score REAL NOT NULL,
    points REAL,                    -- 1 won, 0.5 drawn, 0 lost; NULL when played alone, or not to the end
    PRIMARY KEY (game_number, seat)
) WITHOUT ROWID;
CREATE INDEX seats_by_label ON seats (kind, label);
CREATE TABLE matches (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL              -- JSON: the match as it was asked for and as it went
);
"""


class GamesDatabase:
    """The open database. Every use of the connection is a `with database.transaction() as connection`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None

    def open(self) -> None:
        """Open the file, or make it; a file of a newer boardlab or of another program is refused."""
        try:
            connection = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None, timeout=30.0)
            connection.row_factory = sqlite3.Row
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version > VERSION:
                connection.close()
                raise BoardlabError(
                    f"{self.path} was written by a newer boardlab: it has version {version}, this one reads {VERSION}"
                )
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
            if version == 0:
                connection.executescript(f"BEGIN IMMEDIATE;{SCHEMA}PRAGMA user_version = {VERSION};COMMIT;")
        except sqlite3.Error as error:
            raise BoardlabError(f"{self.path} cannot be used as the database of games: {error}") from error
        self._connection = connection

    def close(self) -> None:
        """Close the file; the write-ahead log is merged into it."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one thread at a time; all that is done with it becomes true, or nothing of it."""
        with self._lock:
            if self._connection is None:
                raise BoardlabError(f"{self.path} is not open")
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
