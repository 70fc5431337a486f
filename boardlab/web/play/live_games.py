"""All live games: opened, found by id, closed, and not too many of them."""

from __future__ import annotations

from time import monotonic

from boardlab.game import Game
from boardlab.web.library.agents import AgentLibrary, ChosenAgent
from boardlab.web.play.live_game import LiveGame, LiveGameParts
from boardlab.web.play.stored_games import StoredGames
from boardlab.web.server.errors import Problem
from boardlab.web.server.event_streams import EventStreams
from boardlab.web.server.ids import new_id
from boardlab.web.server.models import Event, SeatChoice
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.workers.preparation import Preparation
from boardlab.web.workers.questions import Questions

__all__ = ["LiveGames"]


class LiveGames:
    """All live games."""

    def __init__(
        self,
        settings: ArenaSettings,
        agents: AgentLibrary,
        questions: Questions,
        preparation: Preparation,
        stored_games: StoredGames,
        streams: EventStreams,
    ) -> None:
        self._settings = settings
        self._parts = LiveGameParts(agents, questions, preparation, stored_games, streams)
        self.by_id: dict[str, LiveGame] = {}

    async def close(self) -> None:
        """End all of them."""
        for live in list(self.by_id.values()):
            await live.close()

    def open(self, game: Game, seats: list[SeatChoice], start: list[Event], seed: int | None, paused: bool) -> LiveGame:
        """A new live game."""
        self._make_room()
        live = LiveGame(self._parts, self._settings.plies, new_id(), game, seats, start)
        self.by_id[live.id] = live
        live.open(seed, paused)
        return live

    def get(self, name: str) -> LiveGame:
        """The live game of an id."""
        if name not in self.by_id:
            raise Problem(404, "there is no such live game; it may have been closed")
        return self.by_id[name]

    def interrupt(self, live: LiveGame) -> None:
        """Stop the agent that thinks in a game, and its preparation, if no other game waits for it."""
        agent = live.interrupt()
        if agent is not None and not self._someone_waits_for(live.game, agent):
            self._parts.preparation.give_up(live.game, agent)

    def _someone_waits_for(self, game: Game, agent: ChosenAgent) -> bool:
        return any(live.waits_for(game, agent) for live in self.by_id.values())

    async def drop(self, name: str) -> None:
        """Close a live game."""
        live = self.get(name)
        del self.by_id[name]
        await live.close()

    def _make_room(self) -> None:
        """Close what nobody has looked at for long, if there are too many."""
        most = self._settings.tables
        if len(self.by_id) < most:
            return
        now = monotonic()
        for name, live in list(self.by_id.items()):
            if now - live.touched > 60 * self._settings.idle_minutes:
                del self.by_id[name]
                live.leave()
        if len(self.by_id) >= most:
            raise Problem(429, f"{most} games are being played, more the arena does not allow")
