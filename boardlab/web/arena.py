"""`Arena`: all its parts, put together, each with the others that it uses, and opened and closed in order.

The event loop belongs to the arena: workers and live games live in it and need no locks. Files, runs, stored games and
matches do slow things with the disk; their routes run in threads, and they may publish from there.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import IO

from boardlab.errors import BoardlabError
from boardlab.store import open_locked
from boardlab.store.games import GameStore
from boardlab.store.league import LeagueStore
from boardlab.web.inspection.positions import Inspector
from boardlab.web.league.idle_play import IdlePlay
from boardlab.web.league.ladder import Ladder
from boardlab.web.league.league import League
from boardlab.web.league.pages import LeaguePages
from boardlab.web.library.agent_files import AgentFiles
from boardlab.web.library.agents import AgentLibrary
from boardlab.web.library.gallery import Gallery
from boardlab.web.library.games import GameLibrary
from boardlab.web.library.tuple_sets import TupleSets
from boardlab.web.matches.matches import Matches
from boardlab.web.play.live_game import LiveGameParts
from boardlab.web.play.live_games import LiveGames
from boardlab.web.play.stored_games import StoredGames
from boardlab.web.runs.run_requests import RunRequests
from boardlab.web.runs.runs import Runs
from boardlab.web.runs.trials import Trials
from boardlab.web.server.event_streams import EventStreams
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.sweeps.sweeps import Sweeps
from boardlab.web.tournaments.journals import TournamentJournals
from boardlab.web.tournaments.requests import TournamentRequests
from boardlab.web.tournaments.results import TournamentResults
from boardlab.web.tournaments.tournaments import Tournaments
from boardlab.web.workers.memory import MemoryWatch
from boardlab.web.workers.pool import WorkerPool
from boardlab.web.workers.preparation import Preparation
from boardlab.web.workers.questions import Questions
from boardlab.web.workers.setups import SetupMaker

__all__ = ["Arena"]


class Arena:
    """One arena: its settings and all its parts."""

    def __init__(self, settings: ArenaSettings) -> None:
        self.settings = settings
        self.streams = EventStreams(settings.streams)
        self.games = GameLibrary(settings.games)
        self.files = AgentFiles(settings, self.games, self.streams)
        self.agents = AgentLibrary(self.files)
        self.gallery = Gallery(self.games, self.files)
        self.workers = WorkerPool(settings)
        self.preparation = Preparation(settings, self.workers, self.agents)
        self.questions = Questions(settings, self.workers, self.preparation)
        self.store = GameStore(settings.data / "games.sqlite", settings.records)
        self.stored_games = StoredGames(self.store, self.games, self.streams)
        self.setups = SetupMaker(self.workers)
        self.live_games = LiveGames(
            settings,
            LiveGameParts(self.agents, self.questions, self.preparation, self.stored_games, self.streams),
            self.games,
            self.store,
        )
        self.inspector = Inspector(settings, self.agents, self.setups, self.questions)
        self.runs = Runs(settings, self.files, self.streams)
        self.agents.learning = self.runs.learning
        self.tuple_sets = TupleSets(settings)
        self.run_requests = RunRequests(
            settings, self.games, self.files, self.tuple_sets, self.workers, self.runs, Trials(settings, self.workers)
        )
        self.matches = Matches(settings, self.games, self.store, self.stored_games, self.streams)
        self.sweeps = Sweeps(settings, self.workers)
        self.tournaments = Tournaments(settings, self.streams)
        self.tournament_requests = TournamentRequests(settings, self.games, self.agents, self.workers, self.tournaments)
        self.tournament_results = TournamentResults(settings, self.workers)
        self.tournament_journals = TournamentJournals(self.tournaments, self.games)
        self.stored_games.elsewhere = self.tournament_journals.find
        leagues = LeagueStore(self.store)
        self.ladder = Ladder(self.store, leagues, self.streams)
        self.stored_games.noted = self.ladder.catch_up
        self.league = League(settings, leagues, self.games, self.agents, self.stored_games, self.streams)
        self.idle_play = IdlePlay(settings, self.league, [self.workers, self.runs, self.matches, self.tournaments])
        self.league_pages = LeaguePages(settings, self.games, leagues, self.league, self.ladder, self.idle_play)
        self.memory = MemoryWatch(
            settings.megabytes,
            lambda: [
                consumer
                for part in (self.workers, self.runs, self.matches, self.tournaments, self.idle_play)
                for consumer in part.consumers()
            ],
        )
        self.workers.has_room = self.idle_play.has_room = self.memory.has_room
        self._lock: IO[bytes] | None = None

    def parts(self) -> dict[type, object]:
        """The parts that routes may ask for, by their types."""
        return {type(part): part for name, part in vars(self).items() if not name.startswith("_")}

    # ------------------------------------------------------------ from open to close

    def claim(self) -> None:
        """Take possession of the data directory."""
        if self._lock is None:
            self._lock = _locked(self.settings.data)

    async def start(self) -> None:
        """Open the arena, in the event loop that it will live in."""
        self.claim()
        self.streams.start(asyncio.get_running_loop())
        self.store.open()
        work = (self.runs, self.matches, self.tournaments)
        for part in (self.files, self.workers, *work, self.memory, self.live_games):
            part.start()
        self.ladder.start()
        self.idle_play.start()

    def expect_close(self) -> None:
        """The server has been told to end; called by a signal, so nothing waits here."""
        for part in (self.runs, self.matches, self.tournaments):
            part.expect_close()
        self.streams.close()

    async def close(self) -> None:
        """Stop everything that runs; what has to be kept is on the disk afterwards."""
        self.streams.close()
        self.memory.close()
        await self.idle_play.close()
        await self.live_games.close()
        for part in (self.tournaments, self.matches, self.runs):
            await asyncio.to_thread(part.close)
        await self.workers.close()
        await asyncio.to_thread(self.store.close)
        if self._lock is not None:
            self._lock.close()
            self._lock = None


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
