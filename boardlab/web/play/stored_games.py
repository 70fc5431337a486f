"""Stored games: kept, listed, shown again ply by ply, and counted in the hall of fame.

Live games and matches store them, from any thread; `boardlab.store.games` keeps them in the database.
"""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel

from boardlab.errors import BoardlabError
from boardlab.matches.match import points_of
from boardlab.store.games import GameCount, GameStore, HallLine, Source, StoredGame, StoredSeat
from boardlab.web.library.games import GameLibrary
from boardlab.web.play.timeline import Timeline
from boardlab.web.server.clock import now
from boardlab.web.server.errors import Problem
from boardlab.web.server.event_streams import EventStreams
from boardlab.web.server.ids import new_id
from boardlab.web.server.models import Event, MoveLine, PositionView, Seat, event_of_code

__all__ = [
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


class StoredGames:
    """The stored games, as pages see them. Safe for several threads."""

    def __init__(self, store: GameStore, games: GameLibrary, streams: EventStreams) -> None:
        self._store, self._games, self._streams = store, games, streams
        self._timelines: OrderedDict[str, Timeline] = OrderedDict()
        self._timelines_lock = threading.Lock()

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
        points = _points(scores, finished, resigned)
        match_id, place = match or (None, None)
        kept = StoredGame(
            id=new_id(),
            game=game,
            title=self._games.game(game).title,
            seats=tuple(StoredSeat(s.kind, s.label, scores[k], points[k]) for k, s in enumerate(seats)),
            plies=len(events),
            seed=seed,
            source=source,
            finished=finished,
            resigned=resigned,
            match=match_id,
            place=place,
            created=now(),
        )
        self._store.add(kept, events)
        self._streams.publish("record", {})
        return kept.id

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
        if kept is None:
            raise _unknown(record_id)
        return kept

    def _exported(self, kept: StoredGame) -> dict[str, Any]:
        return {**_shown(kept), "seed": kept.seed, "match": kept.match, "events": self._events(kept)}

    def _events(self, kept: StoredGame) -> list[Event]:
        return [event_of_code(code) for code in self._store.events(kept.id)]

    def _timeline(self, kept: StoredGame) -> Timeline:
        """The game with the state after each event; it is not to be changed, as others may be looking at it."""
        with self._timelines_lock:
            if kept.id in self._timelines:
                self._timelines.move_to_end(kept.id)
                return self._timelines[kept.id]
        try:
            timeline = Timeline.of(self._games.game(kept.game), self._events(kept))
        except BoardlabError as error:
            raise Problem(409, f"this game cannot be shown by the rules of today's {kept.game}: {error}") from error
        with self._timelines_lock:
            self._timelines[kept.id] = timeline
            while len(self._timelines) > _KEPT_TIMELINES:
                self._timelines.popitem(last=False)
        return timeline


def _points(scores: Sequence[float], finished: bool, resigned: int | None) -> list[float | None]:
    """What each seat has got: as in matches; when somebody gave up, he has lost and the others have won."""
    seats = range(len(scores))
    if len(scores) == 1 or not (finished or resigned is not None):
        return [None for _ in seats]
    if resigned is not None:
        return [0.0 if seat == resigned else 1.0 for seat in seats]
    return [points_of(scores, seat) for seat in seats]


def _shown(kept: StoredGame) -> dict[str, Any]:
    """The fields of a `Record`."""
    shown = {name: getattr(kept, name) for name in Record.model_fields if name not in ("seats", "scores")}
    return {**shown, "seats": [seat.label for seat in kept.seats], "scores": [seat.score for seat in kept.seats]}


def _players(timeline: Timeline) -> list[str]:
    return [timeline.game.player_name(player) for player in range(timeline.game.num_players)]


def _unknown(record_id: str) -> Problem:
    return Problem(404, f"there is no stored game {record_id}; it may have been deleted")
