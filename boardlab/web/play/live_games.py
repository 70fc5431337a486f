"""All live games: opened, found by id, closed, and not too many of them at hand.

What happens in them is kept in the database a moment later, so that they outlive the server. When there are many, those
that nobody looks at are only there from then on, and come back when somebody asks for them.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from pydantic import ValidationError

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.store.games import GameStore
from boardlab.web.library.agents import ChosenAgent
from boardlab.web.library.games import GameLibrary
from boardlab.web.play.live_game import LiveGame, LiveGameParts
from boardlab.web.play.live_game_records import LiveGameRecord, record_of, revived
from boardlab.web.play.start import Start
from boardlab.web.server.clock import now
from boardlab.web.server.errors import Problem
from boardlab.web.server.ids import new_id
from boardlab.web.server.models import SeatChoice
from boardlab.web.server.settings import ArenaSettings

__all__ = ["LiveGames"]

log = logging.getLogger("boardlab.web")

SAVING_SECONDS = 0.2
"""What changes is kept so much later, together with all else that has changed."""


class LiveGames:
    """All live games."""

    def __init__(self, settings: ArenaSettings, parts: LiveGameParts, games: GameLibrary, store: GameStore) -> None:
        self._settings, self._games, self._store = settings, games, store
        self._parts = replace(parts, changed=self._changed)
        self.by_id: dict[str, LiveGame] = {}
        self._unsaved: dict[str, LiveGame] = {}
        self._saving: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Nothing has to be done: games come back when somebody asks for them."""

    async def close(self) -> None:
        """Stop all of them, and keep how they stand."""
        for live in list(self.by_id.values()):
            await live.close()
            if live.clock.wish:  # its time has gone on since the last change
                self._unsaved[live.id] = live
        await self._save()

    def open(self, game: Game, seats: list[SeatChoice], start: Start, seed: int | None, paused: bool) -> LiveGame:
        """A new live game."""
        self._make_room()
        live = LiveGame(self._parts, self._settings.plies, new_id(), game, seats, start)
        self.by_id[live.id] = live
        live.open(seed, paused)
        return live

    def get(self, name: str) -> LiveGame:
        """The live game of an id; one that is not at hand is fetched from the database, and goes on."""
        if name in self.by_id:
            return self.by_id[name]
        if name in self._unsaved:  # gone to make room, and not kept yet
            kept = record_of(self._unsaved[name])
        else:
            body = self._store.live_game(name)
            if body is None:
                raise Problem(404, "there is no such live game; it may have been closed")
            try:
                kept = LiveGameRecord.model_validate_json(body)
            except ValidationError as error:
                raise Problem(404, "this live game was kept by another version of boardlab") from error
        self._make_room()
        try:
            live = revived(self._parts, self._settings.plies, name, self._games, kept)
        except (BoardlabError, Problem, ValueError) as error:
            raise Problem(404, f"this live game cannot go on: {error}") from error
        self.by_id[name] = live
        live.go_on()
        return live

    def interrupt(self, live: LiveGame) -> None:
        """Stop the agent that thinks in a game, and its preparation, if no other game waits for it."""
        agent = live.interrupt()
        if agent is not None and not self._someone_waits_for(live.game, agent):
            self._parts.preparation.give_up(live.game, agent)

    def _someone_waits_for(self, game: Game, agent: ChosenAgent) -> bool:
        return any(live.waits_for(game, agent) for live in self.by_id.values())

    async def drop(self, name: str) -> None:
        """Close a live game for ever."""
        live = self.get(name)
        del self.by_id[name]
        await live.close()
        self._unsaved.pop(name, None)
        await asyncio.to_thread(self._store.delete_live_game, name)

    # ------------------------------------------------------------ not too many at hand

    def _make_room(self) -> None:
        """Where there are too many, let those go that no page looks at: ended ones first, then those that have been
        left alone for the longest time."""
        most = self._settings.tables
        if len(self.by_id) < most:
            return
        free = [live for live in self.by_id.values() if not self._parts.streams.is_watched(live.id)]
        if not free:
            raise Problem(429, f"{most} games are being played, more the arena does not allow")
        for live in sorted(free, key=lambda live: (not live.ended, live.touched))[: 1 + len(free) // 8]:
            del self.by_id[live.id]
            self._unsaved[live.id] = live
            live.leave()
        self._save_soon()

    # ------------------------------------------------------------ kept

    def _changed(self, live: LiveGame) -> None:
        if live.id in self.by_id:
            self._unsaved[live.id] = live
            self._save_soon()

    def _save_soon(self) -> None:
        if self._saving is None or self._saving.done():
            self._saving = asyncio.create_task(self._save_later())

    async def _save_later(self) -> None:
        while self._unsaved:
            await asyncio.sleep(SAVING_SECONDS)
            await self._save()

    async def _save(self) -> None:
        unsaved, self._unsaved = self._unsaved, {}
        bodies = [(name, record_of(live).model_dump_json(), now()) for name, live in unsaved.items()]
        if not bodies:
            return
        try:
            await asyncio.to_thread(self._store.save_live_games, bodies, self._settings.kept_tables)
        except Exception as error:
            log.error("live games could not be kept: %s", error)
