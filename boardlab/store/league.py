"""Leagues, kept in the database of games: who takes part in the league of a game, every game with its results, and the
ratings after it.

A game is counted in one transaction, with the stored games from which it can be replayed: a killed server leaves all of
it or nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

from boardlab.store.games import GameStore, StoredGame

__all__ = [
    "LeagueGame",
    "LeagueResult",
    "LeagueRow",
    "LeagueStore",
    "LeagueTally",
    "Member",
    "MemberTally",
    "PlayedGame",
    "RatingPoint",
]


@dataclass(frozen=True)
class LeagueRow:
    """The league of a game."""

    game: str
    seed: int
    plays: bool
    """Whether it plays while the machine is idle."""
    problem: str | None
    """Why it was switched off, where it was not a person."""


@dataclass(frozen=True)
class Member:
    """One who takes part, or did."""

    id: str
    game: str
    key: str
    """What the agent is, whatever it is called."""
    label: str
    choice: str
    """JSON: the agent as a client chose it."""
    stamp: str
    """Of its file, when it played last."""
    entered: str
    withdrawn: str | None
    rating: float
    deviation: float
    volatility: float


@dataclass(frozen=True)
class MemberTally:
    """What a member has done so far."""

    games: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    trend: float | None = None
    """How the rating has changed in its last games."""


@dataclass(frozen=True)
class LeagueResult:
    """What came of a game for one member, with its rating after it."""

    member: str
    record: str
    score: float
    points: float
    rating: float
    deviation: float


@dataclass(frozen=True)
class PlayedGame:
    """A game that is to be counted: the results in the order of the seats, the members as they are after it, and the
    games to be stored, each with its events."""

    game: str
    who: str
    """The ids of those who met, sorted, with spaces between them."""
    seed: int
    problem: str | None
    created: str
    results: tuple[LeagueResult, ...]
    members: tuple[Member, ...]
    stored: tuple[tuple[StoredGame, Sequence[int]], ...]


@dataclass(frozen=True)
class LeagueGame:
    """A game that was counted."""

    number: int
    """In the league, from 1 on."""
    problem: str | None
    created: str
    results: tuple[LeagueResult, ...]


@dataclass(frozen=True)
class RatingPoint:
    """The rating of a member after one of its games."""

    member: str
    number: int
    """Of the game in the league, from 1 on."""
    created: str
    rating: float
    deviation: float


@dataclass(frozen=True)
class LeagueTally:
    """A league in numbers."""

    game: str
    plays: bool
    members: int
    """Those who have not withdrawn."""
    games: int


class LeagueStore:
    """All leagues. Safe for several threads."""

    def __init__(self, store: GameStore) -> None:
        self._store, self.database = store, store.database

    # ------------------------------------------------------------ leagues

    def league(self, game: str) -> LeagueRow | None:
        """The league of a game, if somebody has entered it."""
        with self.database.transaction() as connection:
            row = connection.execute("SELECT * FROM leagues WHERE game = ?", (game,)).fetchone()
        return _league(row) if row else None

    def playing(self) -> list[LeagueRow]:
        """Those that are switched on."""
        with self.database.transaction() as connection:
            rows = connection.execute("SELECT * FROM leagues WHERE plays ORDER BY game").fetchall()
        return [_league(row) for row in rows]

    def tallies(self) -> list[LeagueTally]:
        """All leagues in numbers."""
        with self.database.transaction() as connection:
            rows = connection.execute(
                "SELECT game, plays,"
                " (SELECT COUNT(*) FROM league_members AS m WHERE m.game = l.game AND withdrawn IS NULL) AS members,"
                " (SELECT COUNT(*) FROM league_games AS g WHERE g.game = l.game) AS games FROM leagues AS l"
            ).fetchall()
        return [LeagueTally(row["game"], bool(row["plays"]), row["members"], row["games"]) for row in rows]

    def save_league(self, league: LeagueRow) -> None:
        """Keep a league, in place of what was known of it before."""
        with self.database.transaction() as connection:
            _save_league(connection, league)

    # ------------------------------------------------------------ members

    def members(self, game: str | None = None) -> list[Member]:
        """All members of a league, or of all leagues, in the order in which they entered."""
        with self.database.transaction() as connection:
            rows = connection.execute(
                "SELECT * FROM league_members WHERE ? IS NULL OR game = ? ORDER BY number", (game, game)
            ).fetchall()
        return [_member(row) for row in rows]

    def member(self, member_id: str) -> Member | None:
        """The member of an id."""
        with self.database.transaction() as connection:
            row = connection.execute("SELECT * FROM league_members WHERE id = ?", (member_id,)).fetchone()
        return _member(row) if row else None

    def by_key(self, game: str, key: str) -> Member | None:
        """The member that is this agent."""
        with self.database.transaction() as connection:
            row = connection.execute("SELECT * FROM league_members WHERE game = ? AND key = ?", (game, key)).fetchone()
        return _member(row) if row else None

    def save_member(self, member: Member, league: LeagueRow | None = None) -> None:
        """Keep a member, in place of what was known of it before; with its `league`, where that is new."""
        with self.database.transaction() as connection:
            if league is not None:
                _save_league(connection, league)
            _save_member(connection, member)

    def tallies_of(self, game: str, recent: int) -> dict[str, MemberTally]:
        """What the members of a league have done, by their ids; the trend is that of the `recent` last games."""
        with self.database.transaction() as connection:
            rows = connection.execute(_TALLIES, {"game": game, "recent": recent}).fetchall()
        return {row["member"]: MemberTally(**{f.name: row[f.name] for f in fields(MemberTally)}) for row in rows}

    # ------------------------------------------------------------ games

    def meetings(self, game: str) -> dict[str, int]:
        """How often those who met have met, by `who`."""
        with self.database.transaction() as connection:
            rows = connection.execute(
                "SELECT who, COUNT(*) AS games FROM league_games WHERE game = ? GROUP BY who", (game,)
            ).fetchall()
        return {row["who"]: row["games"] for row in rows}

    def count(self, played: PlayedGame) -> None:
        """Count a game: results, ratings and stored games together."""
        with self.database.transaction() as connection:
            number = connection.execute(
                "INSERT INTO league_games (game, who, seed, problem, created) VALUES (?, ?, ?, ?, ?)",
                (played.game, played.who, played.seed, played.problem, played.created),
            ).lastrowid
            connection.executemany(
                "INSERT INTO league_results VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [(number, seat, *astuple(result)) for seat, result in enumerate(played.results)],
            )
            for member in played.members:
                _save_member(connection, member)
            for game, events in played.stored:
                self._store.add_within(connection, game, events)

    def games(self, game: str, limit: int, offset: int) -> tuple[int, list[LeagueGame]]:
        """How many games a league has played, and some of them, the newest first. Where a stored game has been
        deleted, its `record` is empty."""
        with self.database.transaction() as connection:
            total: int = connection.execute("SELECT COUNT(*) FROM league_games WHERE game = ?", (game,)).fetchone()[0]
            rows = connection.execute(
                "SELECT * FROM league_games WHERE game = ? ORDER BY number DESC LIMIT ? OFFSET ?", (game, limit, offset)
            ).fetchall()
            found = [
                LeagueGame(total - offset - k, row["problem"], row["created"], _results(connection, row["number"]))
                for k, row in enumerate(rows)
            ]
        return total, found

    def history(self, game: str, most: int) -> list[RatingPoint]:
        """The ratings after the games of a league, in their order: of each member the last one, and of those before it
        as many as leave about `most` of them at equal distances."""
        with self.database.transaction() as connection:
            rows = connection.execute(_HISTORY, {"game": game, "most": most}).fetchall()
        return [RatingPoint(**dict(row)) for row in rows]


def _league(row: sqlite3.Row) -> LeagueRow:
    return LeagueRow(row["game"], row["seed"], bool(row["plays"]), row["problem"])


def _save_league(connection: sqlite3.Connection, league: LeagueRow) -> None:
    connection.execute(
        "INSERT INTO leagues VALUES (?, ?, ?, ?)"
        " ON CONFLICT (game) DO UPDATE SET plays = excluded.plays, problem = excluded.problem",
        astuple(league),
    )


def _member(row: sqlite3.Row) -> Member:
    return Member(**{field.name: row[field.name] for field in fields(Member)})


def _save_member(connection: sqlite3.Connection, member: Member) -> None:
    names = [field.name for field in fields(Member)]
    changes = ", ".join(f"{name} = excluded.{name}" for name in names if name != "id")
    connection.execute(
        f"INSERT INTO league_members ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
        f" ON CONFLICT (id) DO UPDATE SET {changes}",
        astuple(member),
    )


def _results(connection: sqlite3.Connection, number: int) -> tuple[LeagueResult, ...]:
    rows = connection.execute(
        "SELECT member, COALESCE(games.id, '') AS record, score, points, rating, deviation FROM league_results"
        " LEFT JOIN games ON games.id = league_results.record WHERE game_number = ? ORDER BY seat",
        (number,),
    ).fetchall()
    return tuple(LeagueResult(**dict(row)) for row in rows)


_TALLIES = """
WITH played AS (
    SELECT member, points, rating,
        ROW_NUMBER() OVER (PARTITION BY member ORDER BY game_number DESC) AS ago
    FROM league_results WHERE member IN (SELECT id FROM league_members WHERE game = :game)
)
SELECT member, COUNT(*) AS games, SUM(points = 1.0) AS won, SUM(points = 0.5) AS drawn, SUM(points = 0.0) AS lost,
    SUM(CASE WHEN ago = 1 THEN rating END) - SUM(CASE WHEN ago = 1 + :recent THEN rating END) AS trend
FROM played GROUP BY member
"""

_HISTORY = """
WITH played AS (
    SELECT member, DENSE_RANK() OVER (ORDER BY game_number) AS number, created, rating, deviation,
        ROW_NUMBER() OVER (PARTITION BY member ORDER BY game_number DESC) AS ago,
        COUNT(*) OVER (PARTITION BY member) AS games
    FROM league_results JOIN league_games ON league_games.number = game_number WHERE league_games.game = :game
)
SELECT member, number, created, rating, deviation FROM played
WHERE (ago - 1) % MAX(1, games / :most) = 0 ORDER BY number, member
"""
