"""Stored games: kept, listed, shown again ply by ply, and counted in the hall of fame.

Live games and matches store them, from any thread; `boardlab.store.games` keeps them in the database.
"""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pydantic import BaseModel

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.matches.match import points_of
from boardlab.store.games import GameCount, GameStore, HallLine, Source, StoredGame, StoredSeat
from boardlab.web.library.games import GameLibrary
from boardlab.web.play.game_clock import StoredClock
from boardlab.web.play.ladder_games import ladder_game
from boardlab.web.play.move_lists import read_moves, write_moves
from boardlab.web.play.timeline import Timeline
from boardlab.web.server.clock import now
from boardlab.web.server.errors import Problem
from boardlab.web.server.event_streams import EventStreams
from boardlab.web.server.ids import id_of, new_id
from boardlab.web.server.models import Event, MoveEvent, MoveLine, PositionView, Seat, Setup, event_of_code

__all__ = [
    "GameElsewhere",
    "Record",
    "RecordDetail",
    "RecordExport",
    "RecordList",
    "RecordPosition",
    "StoredGames",
]

_KEPT_TIMELINES = 16
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
    flagged: int | None = None
    """The seat that ran out of time."""
    source: Source
    created: str
    """ISO 8601, UTC."""


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
    tournament: str | None = None
    """The tournament that it belongs to, which keeps it."""
    setup: Setup | None
    """The start, where it was set up by hand."""
    clock: StoredClock | None = None
    """The clock of the people, and what they had left."""
    events: list[Event]
    names: list[str] | None = None
    """What people call the events, where the game is known."""


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


class GameElsewhere(NamedTuple):
    """A game that a tournament keeps: what would be stored of it, its events, and the id of the tournament."""

    kept: StoredGame
    events: list[int]
    tournament: str


class StoredGames:
    """The stored games, as pages see them. Safe for several threads."""

    def __init__(self, store: GameStore, games: GameLibrary, streams: EventStreams) -> None:
        self._store, self._games, self._streams = store, games, streams
        self.noted: Callable[[], None] = lambda: None
        """Is called when a game has come that counts for the ladder of people."""
        self._timelines: OrderedDict[str, Timeline] = OrderedDict()
        self._timelines_lock = threading.Lock()
        self.elsewhere: Callable[[str], GameElsewhere | None] = lambda record_id: None
        """A game that is not stored here, by its id: it can be shown, but is in no list, and cannot be deleted."""

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
        flagged: int | None = None,
        clock: StoredClock | None = None,
        match: tuple[str, int] | None = None,
        setup: Setup | None = None,
        origin: str | None = None,
        met: Sequence[str] | None = None,
    ) -> str:
        """Keep a game and return its id. `events` are given by their codes; `finished` means ended by the rules;
        `match` is the id of its match and its number in it. A game with an `origin` that was kept before is not kept
        twice. `met` are the keys of the agents by their seats, where the game is one for the ladder of people."""
        kept = self.made(game, seats, events, scores, seed, source, finished, resigned=resigned, flagged=flagged)
        match_id, place = match or (None, None)
        kept = replace(
            kept,
            clock=clock.model_dump_json() if clock else None,
            match=match_id,
            place=place,
            setup=setup.model_dump_json() if setup else None,
        )
        if origin is not None:
            kept = replace(kept, id=id_of(origin))
        ladder = None if met is None else ladder_game(kept, met)
        if self._store.add(kept, events, ladder) and ladder is not None:
            self.noted()
        self._streams.publish("record", {})
        return kept.id

    def made(
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
        flagged: int | None = None,
    ) -> StoredGame:
        """A game as it is stored, for those who store more together with it."""
        points = _points(scores, finished, flagged if resigned is None else resigned)
        return StoredGame(
            id=new_id(),
            game=game,
            title=self._games.game(game).title,
            seats=tuple(StoredSeat(s.kind, s.label, scores[k], points[k]) for k, s in enumerate(seats)),
            plies=len(events),
            seed=seed,
            source=source,
            finished=finished,
            resigned=resigned,
            flagged=flagged,
            match=None,
            place=None,
            created=now(),
        )

    def delete(self, record_id: str) -> None:
        """Forget a game."""
        if not self._store.delete(record_id):
            raise _unknown(record_id)
        with self._timelines_lock:
            self._timelines.pop(record_id, None)
        self._streams.publish("record", {})

    # ------------------------------------------------------------ listing

    def page(self, limit: int, offset: int, *, game: str | None = None, source: Source | None = None) -> RecordList:
        """A page of the list, of one game or of all, from live games or matches or both."""
        total, found = self._store.page(limit, offset, game=game, source=source)
        return RecordList(total=total, records=[Record(**_shown(kept)) for kept in found], games=self._store.counts())

    def hall(self, game: str | None) -> list[HallLine]:
        """Who did how well against whom. A game counts when it came to its end, or when somebody gave up."""
        return self._store.hall(game)

    # ------------------------------------------------------------ one game

    def export(self, record_id: str) -> RecordExport:
        """All that is stored of a game, whether this arena knows its rules or not."""
        return RecordExport(**self._exported(self._kept(record_id)))

    def export_all(self, *, game: str | None, source: Source | None) -> Iterator[RecordExport]:
        """All that is stored of the games of one game or of all, from one source or both, the oldest first."""
        total, _ = self._store.page(1, 0, game=game, source=source)
        _, found = self._store.page(total, 0, game=game, source=source)
        for kept in reversed(found):
            yield RecordExport(**self._exported(kept))

    def moves(self, record_id: str) -> str:
        """The moves of a game by their names."""
        return write_moves(self._timeline(self._kept(record_id)))

    def take_in(self, game: Game, text: str, setup: Setup | None, most: int) -> Record:
        """Keep a game that is given by the names of its moves."""
        start = game.position_from(setup.values, setup.player).state if setup else None
        timeline = Timeline(game, start)
        read_moves(timeline, text, most)
        position = timeline.position
        seats = [Seat(kind="agent", label="imported") for _ in range(game.num_players)]
        over = position.is_over
        kept = self.store(game.spec, seats, timeline.codes(), position.scores, None, "table", over, setup=setup)
        return Record(**_shown(self._kept(kept)))

    def get(self, record_id: str) -> RecordDetail:
        """All about a game."""
        kept = self._kept(record_id)
        timeline = self._timeline(kept)
        return RecordDetail(**self._exported(kept), players=_players(timeline), moves=timeline.moves)

    def position(self, record_id: str, ply: int | None, *, moves: bool) -> RecordPosition:
        """The position after `ply` events; after all of them when it is None."""
        kept = self._kept(record_id)
        timeline = copy.copy(self._timeline(kept))
        plies = len(timeline.events)
        timeline.ply = plies if ply is None else ply
        if timeline.ply > plies:
            raise Problem(422, f"this game has {plies:,} plies, there is no position after {ply:,}")
        view = timeline.view()
        return RecordPosition(
            **view.model_copy(update={} if moves else {"moves": []}).model_dump(),
            id=record_id,
            game=kept.game,
            title=kept.title,
            players=_players(timeline),
            seats=[seat.label for seat in kept.seats],
            ply=timeline.ply,
            plies=plies,
        )

    def _kept(self, record_id: str) -> StoredGame:
        kept = self._store.get(record_id)
        if kept is not None:
            return kept
        found = self.elsewhere(record_id)
        if found is None:
            raise _unknown(record_id)
        return found.kept

    def _exported(self, kept: StoredGame) -> dict[str, Any]:
        events, found = self._events(kept), self._found_elsewhere(kept.id)
        clock = StoredClock.model_validate_json(kept.clock) if kept.clock else None
        more = {"seed": kept.seed, "match": kept.match, "setup": _setup(kept), "clock": clock, "events": events}
        more["tournament"] = found.tournament if found else None
        return {**_shown(kept), **more, "names": self._names(kept.game, events)}

    def _names(self, spec: str, events: Sequence[Event]) -> list[str] | None:
        try:
            game = self._games.game(spec)
        except BoardlabError:
            return None
        return [game.action_name(e.action) if isinstance(e, MoveEvent) else game.outcome_name(e.chance) for e in events]

    def _events(self, kept: StoredGame) -> list[Event]:
        found = self._found_elsewhere(kept.id)
        codes = found.events if found else self._store.events(kept.id)
        return [event_of_code(code) for code in codes]

    def _found_elsewhere(self, record_id: str) -> GameElsewhere | None:
        """The game of an id that is not stored here."""
        return None if self._store.get(record_id) is not None else self.elsewhere(record_id)

    def _timeline(self, kept: StoredGame) -> Timeline:
        """The game with the state after each event; it is not to be changed, as others may be looking at it."""
        with self._timelines_lock:
            if kept.id in self._timelines:
                self._timelines.move_to_end(kept.id)
                return self._timelines[kept.id]
        try:
            game, setup = self._games.game(kept.game), _setup(kept)
            start = game.position_from(setup.values, setup.player).state if setup else None
            timeline = Timeline.of(game, self._events(kept), start)
        except BoardlabError as error:
            raise Problem(409, f"this game cannot be shown by the rules of today's {kept.game}: {error}") from error
        with self._timelines_lock:
            self._timelines[kept.id] = timeline
            while len(self._timelines) > _KEPT_TIMELINES:
                self._timelines.popitem(last=False)
        return timeline


def _setup(kept: StoredGame) -> Setup | None:
    return Setup.model_validate_json(kept.setup) if kept.setup else None


def _points(scores: Sequence[float], finished: bool, loser: int | None) -> list[float | None]:
    """What each seat has got: as in matches; when somebody gave up or ran out of time, he has lost and the others have
    won."""
    seats = range(len(scores))
    if len(scores) == 1 or not (finished or loser is not None):
        return [None for _ in seats]
    if loser is not None:
        return [0.0 if seat == loser else 1.0 for seat in seats]
    return [points_of(scores, seat) for seat in seats]


def _shown(kept: StoredGame) -> dict[str, Any]:
    """The fields of a `Record`."""
    shown = {name: getattr(kept, name) for name in Record.model_fields if name not in ("seats", "scores")}
    return {**shown, "seats": [seat.label for seat in kept.seats], "scores": [seat.score for seat in kept.seats]}


def _players(timeline: Timeline) -> list[str]:
    return [timeline.game.player_name(player) for player in range(timeline.game.num_players)]


def _unknown(record_id: str) -> Problem:
    return Problem(404, f"there is no stored game {record_id}; it may have been deleted")
