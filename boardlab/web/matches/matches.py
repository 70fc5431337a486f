"""Matches between agents: queued, each played in a process of its own, every game stored with its moves.

A match is a row of the database, written anew with every game, so that its result outlives the server. A match that was
being played when the server ended goes on when it is opened again, with the games that are missing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, Field

from boardlab.game import Game
from boardlab.matches.match import MatchResult, Standing
from boardlab.matches.play import GameRecord
from boardlab.store.games import GameStore
from boardlab.system.child import LongWork, Message, death_sentence
from boardlab.web.library.agents import ChosenAgent
from boardlab.web.library.games import GameLibrary
from boardlab.web.long_work.queue import OPEN, Entry, WorkCard, WorkQueue
from boardlab.web.play.stored_games import StoredGames
from boardlab.web.server.clock import now
from boardlab.web.server.event_streams import EventStreams
from boardlab.web.server.ids import new_id
from boardlab.web.server.json_numbers import finite
from boardlab.web.server.models import Seat
from boardlab.web.server.settings import ArenaSettings

__all__ = ["Match", "MatchState", "Matches", "StandingLine"]

MatchState = Literal["queued", "compiling", "running", "finished", "stopped", "failed"]


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


class Match(WorkCard):
    """A match."""

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
    specs: list[str] = Field(default=[], exclude=True)
    """The texts that make the agents; paths of the server are no client's business."""


class _MatchEntry(Entry[Match]):
    """A match with what belongs to it in this process."""

    def __init__(self, match: Match, specs: Sequence[str] = ()) -> None:
        super().__init__(match)
        self.specs = list(specs)
        """The texts that make the agents."""
        self.played: dict[int, GameRecord] = {}
        """By their numbers, in the order in which they ended."""


class Matches(WorkQueue[Match, _MatchEntry]):
    """All matches."""

    kind = "match"
    names = ("match", "matches")
    process = "boardlab.web.processes.match"

    def __init__(
        self,
        settings: ArenaSettings,
        games: GameLibrary,
        store: GameStore,
        stored_games: StoredGames,
        streams: EventStreams,
    ) -> None:
        super().__init__(streams, settings.matches, settings.matches_at_once)
        self._settings, self._games, self._store, self._stored_games = settings, games, store, stored_games

    def start(self) -> None:
        """Find the matches of the last time, and go on with those that were not over."""
        with self._lock:
            for body in self._store.matches():
                match = Match.model_validate_json(body)
                entry = self._entries[match.id] = _MatchEntry(match, match.specs)
                if match.state in OPEN:
                    self._find_again(entry)
            self._dispatch()

    def _find_again(self, entry: _MatchEntry) -> None:
        """What was played of a match that was not over; one of an older boardlab has not kept enough to go on."""
        match = entry.card
        entry.played = {number: _record(json.loads(body)) for number, body in self._store.played_of_match(match.id)}
        if len(entry.played) == match.games or match.done == match.games:
            self._set(entry, "finished")
        elif not entry.specs:
            self._set(entry, "stopped", "the arena was closed before the match was over")
        else:
            match.done = len(entry.played)
            self._set(entry, "queued")

    def get(self, name: str) -> Match:
        """One match with the ids of its games, which a list of matches does without."""
        return super().get(name).model_copy(update={"records": self._store.games_of_match(name)})

    def create(self, game: Game, agents: Sequence[ChosenAgent], games: int, seed: int) -> Match:
        """Queue a match of agents."""
        labels = [agent.label for agent in agents]
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
            specs=[agent.spec for agent in agents],
        )
        return self._add(_MatchEntry(match, match.specs))

    def stop(self, match_id: str) -> Match:
        """End a match; the games that are over count."""
        with self._lock:
            entry = self._entry(match_id)
            self._refuse_unless(entry, OPEN, "stopped")
            if entry.work is not None:
                entry.work.kill()
            self._set(entry, "stopped")
        return self.get(match_id)

    # ------------------------------------------------------------ as a kind of work

    def _order(self, entry: _MatchEntry) -> tuple[str, Message | None]:
        match = entry.card
        job = {
            "game": match.game,
            "agents": entry.specs,
            "games": match.games,
            "seed": match.seed,
            "workers": self._settings.match_workers,
            "played": sorted(entry.played),
        }
        return str(min(self._settings.worker_megabytes, self._settings.megabytes)), job

    def _heard(self, entry: _MatchEntry, message: Message) -> None:
        """A game is over: it is stored, and the standings change."""
        match = entry.card
        if match.state not in OPEN:
            return  # stopped meanwhile
        record, number = _record(message), int(message["game"])
        seats = [Seat(kind="agent", label=match.agents[contestant]) for contestant in record.seats]
        kept = {name: message[name] for name in ("seats", "scores", "moves", "seconds")}
        self._store.add_to_match(match.id, number, json.dumps(kept))
        self._stored_games.store(
            match.game, seats, message["events"], record.scores, match.seed, "match", True, match=(match.id, number)
        )
        entry.played[number] = record
        match.done = len(entry.played)
        match.standings = _standings(self._games.game(match.game), match, list(entry.played.values()))
        self._set(entry, "running")

    def _settle(self, entry: _MatchEntry, code: int) -> None:
        if entry.card.state in OPEN and not self._closing:
            if entry.end.get("end") == "finished" or entry.card.done == entry.card.games:
                self._set(entry, "finished")
            else:
                self._set(entry, "failed", entry.end.get("message") or death_sentence(code))

    def _let_go(self, work: LongWork) -> None:
        work.kill()

    def _save(self, entry: _MatchEntry) -> None:
        """A row of the database, written anew with every game."""
        kept = {**entry.card.model_dump(), "specs": entry.specs}
        self._store.save_match(entry.card.id, json.dumps(kept))

    def _forget(self, entry: _MatchEntry) -> None:
        self._store.delete_match(entry.card.id)
        self._streams.publish("record", {})


def _record(message: Message) -> GameRecord:
    seats, scores, moves, seconds = (tuple(message[name]) for name in ("seats", "scores", "moves", "seconds"))
    return GameRecord(seats, scores, moves, seconds)


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
