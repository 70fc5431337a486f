"""The database of played games, `games.sqlite`: one connection behind a lock, and the schema with its version.

`games` keeps games and matches here, `league` the leagues and `ladder` the ladder of people. Write-ahead logging lets
other programs read meanwhile, and a killed process leaves every transaction whole or undone.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from boardlab.errors import BoardlabError

__all__ = ["GamesDatabase"]

VERSION = 4

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

SINCE_2 = """
ALTER TABLE games ADD COLUMN setup TEXT;  -- JSON: the start, where it was set up by hand
CREATE TABLE match_games (
    match TEXT NOT NULL,            -- id of the match
    place INTEGER NOT NULL,         -- which game of the match it is
    body TEXT NOT NULL,             -- JSON: how it went
    PRIMARY KEY (match, place)
) WITHOUT ROWID;
CREATE TABLE live_games (
    id TEXT PRIMARY KEY,
    body TEXT NOT NULL,             -- JSON: who plays, and what has happened
    touched TEXT NOT NULL           -- ISO 8601, UTC: when somebody last looked at it
) WITHOUT ROWID;
"""
"""What version 2 has besides: enough to go on with a match, and with a game in progress, in another process."""

SINCE_3 = """
ALTER TABLE games ADD COLUMN flagged INTEGER;  -- the seat that ran out of time
ALTER TABLE games ADD COLUMN clock TEXT;       -- JSON: the clock of the people, and what they had left
"""
"""What version 3 has besides: games with a clock."""

SINCE_4 = """
CREATE TABLE leagues (
    game TEXT PRIMARY KEY,          -- specification
    seed INTEGER NOT NULL,          -- from which the random numbers of all its games come
    plays INTEGER NOT NULL,         -- whether it plays while the machine is idle
    problem TEXT                    -- why it was switched off, where it was not a person
) WITHOUT ROWID;
CREATE TABLE league_members (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    game TEXT NOT NULL REFERENCES leagues (game),
    key TEXT NOT NULL,              -- what the agent is, whatever it is called
    label TEXT NOT NULL,
    choice TEXT NOT NULL,           -- JSON: the agent as a client chose it
    stamp TEXT NOT NULL,            -- of its file, when it played last
    entered TEXT NOT NULL,          -- ISO 8601, UTC
    withdrawn TEXT,                 -- ISO 8601, UTC; NULL for one that plays
    rating REAL NOT NULL,           -- Glicko-2
    deviation REAL NOT NULL,
    volatility REAL NOT NULL,
    UNIQUE (game, key)
);
CREATE TABLE league_games (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    game TEXT NOT NULL,
    who TEXT NOT NULL,              -- the ids of those who met, sorted, with spaces between them
    seed INTEGER NOT NULL,
    problem TEXT,                   -- why somebody has lost whatever the position was
    created TEXT NOT NULL           -- ISO 8601, UTC
);
CREATE INDEX league_games_by_who ON league_games (game, who);
CREATE TABLE league_results (
    game_number INTEGER NOT NULL REFERENCES league_games (number),
    seat INTEGER NOT NULL,
    member TEXT NOT NULL,           -- id
    record TEXT NOT NULL,           -- id of the stored game
    score REAL NOT NULL,
    points REAL NOT NULL,           -- 1 won, 0.5 drawn, 0 lost
    rating REAL NOT NULL,           -- after the game
    deviation REAL NOT NULL,
    PRIMARY KEY (game_number, seat)
) WITHOUT ROWID;
CREATE INDEX league_results_by_member ON league_results (member, game_number);
CREATE TABLE ladder_games (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    record TEXT NOT NULL UNIQUE,    -- id of the stored game
    game TEXT NOT NULL,
    person TEXT NOT NULL,
    opponents TEXT NOT NULL,        -- JSON: the agents that the person met, with the points against each of them
    points REAL NOT NULL,           -- 1 won, 0.5 drawn, 0 lost
    created TEXT NOT NULL,          -- ISO 8601, UTC
    rating REAL,                    -- of the person after the game; NULL until it has been counted
    deviation REAL,
    volatility REAL
);
CREATE INDEX ladder_games_by_person ON ladder_games (game, person, number);
CREATE INDEX ladder_games_to_count ON ladder_games (number) WHERE rating IS NULL;
"""
"""What version 4 has besides: the leagues of agents, and the ladder of people."""

STEPS = (SCHEMA, SINCE_2, SINCE_3, SINCE_4)
"""What makes each version out of the one before it."""


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
            missing = "".join(STEPS[version:])
            if missing:
                connection.executescript(f"BEGIN IMMEDIATE;{missing}PRAGMA user_version = {VERSION};COMMIT;")
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
