"""Matches between agents: queued, each played in a process of its own, every game stored with its moves.

A match is a row of the database, written anew with every game, so that its result outlives the server; a match that was
being played when the server ended stays as far as it had come.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel

from boardlab.game import Game
from boardlab.matches.match import MatchResult, Standing
from boardlab.matches.play import GameRecord
from boardlab.web.errors import Problem
from boardlab.web.finite import finite
from boardlab.web.ids import new_id
from boardlab.web.long_work import LongWork, Message, death_sentence
from boardlab.web.models import Seat
from boardlab.web.records import now

if TYPE_CHECKING:
    from boardlab.web.house import House

__all__ = ["Match", "MatchState", "Matches", "StandingLine"]

MatchState = Literal["queued", "compiling", "running", "finished", "stopped", "failed"]

_OPEN: tuple[MatchState, ...] = ("queued", "compiling", "running")


class StandingLine(BaseModel):
    """How an agent does in a match; nothing is known of one that has not played yet."""

    name: str
    games: int = 0
    mean: float | None = None
    """Mean score, with its 95 % interval."""
    low: float | None = None
    high: float | None = None
    won: int = 0
    drawn: int = 0
    lost: int = 0
    success: float | None = None
    """Share of points, a win 1 and a draw 1/2, with its 95 % interval; None in a game for one player."""
    success_low: float | None = None
    success_high: float | None = None
    roles: list[float | None]
    """Mean score on each seat."""
    seconds_per_move: float = 0.0


class Match(BaseModel):
    """A match."""

    id: str
    game: str
    title: str
    players: list[str]
    """What the seats are called."""
    agents: list[str]
    state: MatchState
    done: int
    games: int
    standings: list[StandingLine]
    records: list[str] = []
    """The ids of the stored games, in their order."""
    seed: int
    message: str | None = None
    created: str


class _Entry:
    """A match with what belongs to it in this process."""

    def __init__(self, match: Match, specs: Sequence[str]) -> None:
        self.match, self.specs = match, list(specs)
        self.played: list[GameRecord] = []
        self.work: LongWork | None = None
        self.end: Message | None = None


class Matches:
    """All matches. Safe for several threads."""

    def __init__(self, house: House) -> None:
        self.house = house
        self._lock = threading.RLock()
        self._entries: dict[str, _Entry] = {}
        """In the order of the queue."""
        self._closing = False

    def start(self) -> None:
        """Find the matches of the last time. Those that were not over are over now."""
        with self.house.records.database.transaction() as connection:
            rows = connection.execute("SELECT body FROM matches ORDER BY number").fetchall()
        for row in rows:
            match = Match.model_validate_json(row["body"])
            if match.state in _OPEN:
                match.state, match.message = "stopped", "the arena was closed before the match was over"
            self._entries[match.id] = _Entry(match, ())

    def close(self) -> None:
        """End all that are being played."""
        with self._lock:
            self._closing = True
            working = [entry.work for entry in self._entries.values() if entry.work is not None]
        for work in working:
            work.kill()
            work.wait(5.0)

    # ------------------------------------------------------------ looking

    def all(self) -> list[Match]:
        """All matches, the newest first; without the ids of their games."""
        with self._lock:
            return [entry.match.model_copy() for entry in reversed(self._entries.values())]

    def get(self, match_id: str) -> Match:
        """One match with the ids of its games."""
        with self._lock:
            match = self._entry(match_id).match.model_copy()
        return match.model_copy(update={"records": self.house.records.of_match(match_id)})

    def _entry(self, match_id: str) -> _Entry:
        if match_id not in self._entries:
            raise Problem(404, f"there is no match {match_id}; it may have been deleted")
        return self._entries[match_id]

    # ------------------------------------------------------------ changing

    def create(self, game: Game, agents: Sequence[tuple[str, str]], games: int, seed: int) -> Match:
        """Queue a match of agents, each given by the text that makes it and by its label."""
        most = self.house.settings.matches
        labels = [label for _, label in agents]
        players = [game.player_name(player) for player in range(game.num_players)]
        match = Match(
            id=new_id(),
            game=game.spec,
            title=game.title,
            players=players,
            agents=labels,
            state="queued",
            done=0,
            games=games,
            standings=[StandingLine(name=label, roles=[None] * len(players)) for label in labels],
            seed=seed,
            created=now(),
        )
        entry = _Entry(match, [spec for spec, _ in agents])
        with self._lock:
            if sum(other.match.state in _OPEN for other in self._entries.values()) >= most:
                raise Problem(429, f"there are {most} matches already that are not over; stop some first")
            self._entries[match.id] = entry
            self._save(entry)
            self._dispatch()
            return match.model_copy()

    def stop(self, match_id: str) -> Match:
        """End a match; the games that are over count."""
        with self._lock:
            entry = self._entry(match_id)
            if entry.match.state not in _OPEN:
                raise Problem(409, f"the match is {entry.match.state} already")
            if entry.work is not None:
                entry.work.kill()
            self._set(entry, "stopped")
        return self.get(match_id)

    def delete(self, match_id: str) -> None:
        """Forget a match that is over, with its games."""
        with self._lock:
            entry = self._entry(match_id)
            if entry.match.state in _OPEN:
                raise Problem(409, f"the match is {entry.match.state}; stop it first")
            self.house.records.delete_match(match_id)
            with self.house.records.database.transaction() as connection:
                connection.execute("DELETE FROM matches WHERE id = ?", (match_id,))
            del self._entries[match_id]
        self.house.publish("match", {"id": match_id, "deleted": True})

    # ------------------------------------------------------------ processes

    def _dispatch(self) -> None:
        """Start queued matches while there is room."""
        working = sum(entry.work is not None for entry in self._entries.values())
        for entry in list(self._entries.values()):
            if working >= self.house.settings.matches_at_once or self._closing:
                return
            if entry.match.state == "queued":
                working += self._begin(entry)

    def _begin(self, entry: _Entry) -> bool:
        """Start the process of a match; False when there can be none."""
        settings = self.house.settings
        try:
            entry.work = LongWork(
                "boardlab.web.match_process",
                str(settings.worker_megabytes),
                lambda message: self._told(entry, message),
                lambda code: self._ended(entry, code),
            )
        except OSError as error:
            self._set(entry, "failed", f"its process cannot be started: {error.strerror or error}")
            return False
        match = entry.match
        entry.work.send(
            {
                "game": match.game,
                "agents": entry.specs,
                "games": match.games,
                "seed": match.seed,
                "workers": settings.match_workers,
            }
        )
        self._set(entry, "compiling")
        entry.work.start()
        return True

    def _told(self, entry: _Entry, message: Message) -> None:
        if "end" in message:
            entry.end = message
            return
        match = entry.match
        record = GameRecord(
            tuple(message["seats"]), tuple(message["scores"]), tuple(message["moves"]), tuple(message["seconds"])
        )
        seats = [Seat(kind="agent", label=match.agents[contestant]) for contestant in record.seats]
        with self._lock:
            if match.state not in _OPEN:
                return  # stopped meanwhile
            number = int(message["game"])
            self.house.records.store(
                match.game, seats, message["events"], record.scores, match.seed, "match", True, match=(match.id, number)
            )
            entry.played.append(record)
            match.done = len(entry.played)
            match.standings = _standings(self.house.game(match.game), match, entry.played)
            self._set(entry, "running")

    def _ended(self, entry: _Entry, code: int) -> None:
        """The process of a match is gone: why, and what now."""
        with self._lock:
            entry.work = None
            end = entry.end or {}
            if entry.match.state in _OPEN and not self._closing:
                if end.get("end") == "finished":
                    self._set(entry, "finished")
                else:
                    self._set(entry, "failed", end.get("message") or death_sentence(code))
            self._dispatch()

    def _set(self, entry: _Entry, state: MatchState, message: str | None = None) -> None:
        """A new state, in the database and on all pages."""
        entry.match.state, entry.match.message = state, message
        self._save(entry)

    def _save(self, entry: _Entry) -> None:
        body = entry.match.model_dump_json()
        with self.house.records.database.transaction() as connection:
            connection.execute(
                "INSERT INTO matches (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body",
                (entry.match.id, body),
            )
        self.house.publish("match", entry.match.model_copy())


def _standings(game: Game, match: Match, played: list[GameRecord]) -> list[StandingLine]:
    """One line for each agent, in the order in which they were given."""
    result = MatchResult(
        game=match.game,
        title=match.title,
        players=tuple(match.players),
        contestants=tuple(match.agents),
        seed=match.seed,
        records=tuple(played),
        score_range=game.score_range,
    )
    have_played = {contestant for record in played for contestant in record.seats}
    return [
        _standing(result.standing(c))
        if c in have_played
        else StandingLine(name=name, roles=[None] * len(match.players))
        for c, name in enumerate(match.agents)
    ]


def _standing(standing: Standing) -> StandingLine:
    score, success = standing.score, standing.success
    return StandingLine(
        name=standing.name,
        games=score.games,
        mean=finite(score.mean),
        low=finite(score.low),
        high=finite(score.high),
        won=standing.wins,
        drawn=standing.draws,
        lost=standing.losses,
        success=success.mean if success else None,
        success_low=success.low if success else None,
        success_high=success.high if success else None,
        roles=[None if mean is None else finite(mean) for mean in standing.role_scores],
        seconds_per_move=standing.seconds_per_move,
    )
