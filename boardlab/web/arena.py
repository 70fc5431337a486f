"""`Arena`: everything that one arena consists of, in one place. Routes find it at `request.app.state.house`.

The event loop belongs to the house: workers and tables live in it and need no locks. Files, runs, records and matches
do slow things with the disk; their routes run in threads, and they may `publish` from there.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import IO, Any

from fastapi import Request as HttpRequest
from pydantic import BaseModel

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.store import open_locked
from boardlab.web.library.agent_files import AgentFiles
from boardlab.web.library.agents import ChosenAgent, Shelf
from boardlab.web.matches.matches import Matches
from boardlab.web.play.live_games import LiveGames
from boardlab.web.play.stored_games import StoredGames
from boardlab.web.runs.runs import Runs
from boardlab.web.server.event_streams import EventStreams
from boardlab.web.server.models import AgentChoice
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.workers.pool import WorkerPool
from boardlab.web.workers.preparation import Preparation

__all__ = ["Arena", "arena_of"]


async def arena_of(request: HttpRequest) -> Arena:
    """The house that a request has come to; for `Depends`."""
    house: Arena = request.app.state.house
    return house


class Arena:
    """One arena: its settings and all its parts."""

    def __init__(self, settings: ArenaSettings) -> None:
        self.settings = settings
        self.shelf = Shelf(settings.games)
        self.streams = EventStreams(settings.streams)
        self.records = StoredGames(self)
        self.files = AgentFiles(self)
        self.workers = WorkerPool(settings)
        self.preparation = Preparation(self)
        self.runs = Runs(self)
        self.matches = Matches(self)
        self.tables = LiveGames(self)
        self.loop: asyncio.AbstractEventLoop
        self._lock: IO[bytes] | None = None

    # ------------------------------------------------------------ from open to close

    def claim(self) -> None:
        """Take possession of the data directory."""
        if self._lock is None:
            self._lock = _locked(self.settings.data)

    async def start(self) -> None:
        """Open the house, in the event loop that it will live in."""
        self.claim()
        self.loop = asyncio.get_running_loop()
        self.streams.start(self.loop)
        for part in (self.records, self.files, self.workers, self.runs, self.matches, self.tables):
            part.start()

    def expect_close(self) -> None:
        """The server has been told to end; called by a signal, so nothing waits here."""
        self.runs.expect_close()
        self.streams.close()

    async def close(self) -> None:
        """Stop everything that runs; what has to be kept is on the disk afterwards."""
        self.streams.close()
        await self.tables.close()
        for part in (self.matches, self.runs):
            await asyncio.to_thread(part.close)
        await self.workers.close()
        for keeper in (self.files, self.records):
            await asyncio.to_thread(keeper.close)
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    # ------------------------------------------------------------ what the parts ask for

    def publish(self, kind: str, payload: BaseModel | dict[str, object]) -> None:
        """Tell all open pages what is new; from any thread."""
        self.streams.publish(kind, payload)

    def game(self, spec: str) -> Game:
        """The game that a client names."""
        return self.shelf.game(spec)

    def agent(self, game: Game, choice: AgentChoice) -> ChosenAgent:
        """The agent that a client chooses for a game."""
        return self.shelf.agent(game, choice, self._file)

    def contestant(self, game: Game, choice: AgentChoice) -> tuple[str, str]:
        """The agent that a client chooses as the text that makes it, and as a label for people."""
        chosen = self.agent(game, choice)
        return chosen.spec, chosen.label

    async def ask(
        self, game: Game, agent: ChosenAgent, question: dict[str, object], session: str | None = None
    ) -> dict[str, Any]:
        """The answer of an agent to a job, once it is ready; only the answer itself counts as its time to think."""
        await asyncio.shield(self.preparation.agent(game, agent))
        return await self.look_into(agent, question, session)

    async def look_into(
        self, agent: ChosenAgent, question: dict[str, object], session: str | None = None
    ) -> dict[str, Any]:
        """The answer to a job for which nothing has to be compiled beforehand."""
        job = {**question, "agent": agent.message(), "session": session}
        return await self.workers.run(job, self.settings.seconds_per_move, session)

    def _file(self, file_id: str) -> tuple[Path, str, str]:
        """Path, name and game of an agent file."""
        file = self.files.get(file_id)
        return self.files.path(file_id), file.name, file.game


def _locked(data: Path) -> IO[bytes]:
    """The data directory belongs to one server at a time; the lock ends with the process."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        lock = open_locked(data / ".lock")
    except OSError as error:
        raise BoardlabError(f"the data directory {data} cannot be used: {error.strerror or error}") from error
    if lock is None:
        raise BoardlabError(
            f"another arena uses the data directory {data} already; close it, or give this one another --data"
        )
    return lock
