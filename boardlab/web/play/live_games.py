"""All live games: opened, found by id, closed, and not too many of them."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from boardlab.game import Game
from boardlab.web.library.agents import ChosenAgent
from boardlab.web.play.live_game import LiveGame
from boardlab.web.server.errors import Problem
from boardlab.web.server.ids import new_id
from boardlab.web.server.models import Event, SeatChoice

if TYPE_CHECKING:
    from boardlab.web.arena import Arena

__all__ = ["LiveGames"]


class LiveGames:
    """All live games."""

    def __init__(self, house: Arena) -> None:
        self.house = house
        self.by_id: dict[str, LiveGame] = {}

    def start(self) -> None:
        """Live games begin when somebody opens one."""

    async def close(self) -> None:
        """End all of them."""
        for table in list(self.by_id.values()):
            await table.close()

    def open(self, game: Game, seats: list[SeatChoice], start: list[Event], seed: int | None, paused: bool) -> LiveGame:
        """A new live game."""
        self._make_room()
        if len(start) > self.house.settings.plies:
            raise Problem(422, f"a game here has at most {self.house.settings.plies:,} moves and chance events")
        table = LiveGame(self.house, new_id(), game, seats, start)
        self.by_id[table.id] = table
        table.open(seed, paused)
        return table

    def get(self, name: str) -> LiveGame:
        """The live game of an id."""
        if name not in self.by_id:
            raise Problem(404, "there is no such live game; it may have been closed")
        return self.by_id[name]

    def someone_waits_for(self, game: Game, agent: ChosenAgent) -> bool:
        """Whether it is the turn of such an agent in any live game."""
        return any(table.waits_for(game, agent) for table in self.by_id.values())

    async def drop(self, name: str) -> None:
        """Close a live game."""
        table = self.get(name)
        del self.by_id[name]
        await table.close()

    def _make_room(self) -> None:
        """Close what nobody has looked at for long, if there are too many."""
        settings = self.house.settings
        if len(self.by_id) < settings.tables:
            return
        now = monotonic()
        for name, table in list(self.by_id.items()):
            if now - table.touched > 60 * settings.idle_minutes:
                del self.by_id[name]
                table.stop()
        if len(self.by_id) >= settings.tables:
            raise Problem(429, f"{settings.tables} games are being played, more the arena does not allow")
