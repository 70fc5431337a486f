"""What is compiled or computed before it is needed: games when they are opened, agents when they take a seat.

Every preparation happens once, in a worker; the machine code is on the disk from then on, where all workers find it.
"""

from __future__ import annotations

import asyncio
import json
from typing import Literal

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.web.library.agents import AgentLibrary, ChosenAgent
from boardlab.web.server.models import AgentChoice
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.workers.pool import WorkerPool

__all__ = ["Preparation", "State"]

State = Literal["compiling", "ready", "failed"]

MOST_KNOWN = 5000

SMALL = 100_000
"""A game with so many boards at most is searched to its end for a hint."""


class Preparation:
    """What has been prepared, and what is being prepared at the moment."""

    def __init__(self, settings: ArenaSettings, workers: WorkerPool, agents: AgentLibrary) -> None:
        self._seconds, self._workers, self._agents = settings.seconds_to_prepare, workers, agents
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def agent(self, game: Game, chosen: ChosenAgent) -> asyncio.Task[None]:
        """The preparation of an agent, which begins if it has not yet; one that failed is tried again."""
        key = _key(game, chosen)
        task = self._tasks.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            self._forget_some()
            task = self._tasks[key] = asyncio.create_task(self._prepare(game, chosen))
            task.add_done_callback(_noticed)
        return task

    def give_up(self, game: Game, chosen: ChosenAgent) -> None:
        """End the preparation of an agent, if it is under way."""
        if self.is_under_way(game, chosen):
            self._tasks[_key(game, chosen)].cancel()

    def _forget_some(self) -> None:
        """What is forgotten is prepared again when it is wanted again, which takes no time then."""
        if len(self._tasks) >= MOST_KNOWN:
            self._tasks = {key: task for key, task in self._tasks.items() if not task.done()}

    def is_under_way(self, game: Game, chosen: ChosenAgent) -> bool:
        """Whether the agent is being prepared at the moment."""
        task = self._tasks.get(_key(game, chosen))
        return task is not None and not task.done()

    async def _prepare(self, game: Game, chosen: ChosenAgent) -> None:
        job = {"job": "prepare", "game": game.spec, "agent": chosen.message()}
        await self._workers.run(job, self._seconds)

    def game(self, game: Game) -> tuple[State, str | None]:
        """How far the preparation of a game is, which begins if it has not yet, with a sentence for people. A game
        is ready when an agent can play it and the one that gives hints is ready."""
        task = self._tasks.get(game.spec)
        if task is None:
            task = self._tasks[game.spec] = asyncio.create_task(self._open(game))
            task.add_done_callback(_noticed)
        if not task.done():
            return "compiling", f"{game.title} is being compiled; the next time it is there at once"
        error = None if task.cancelled() else task.exception()
        if error is None:
            return "ready", None
        del self._tasks[game.spec]  # whoever opens it again tries again
        return "failed", str(error) if isinstance(error, BoardlabError) else f"{game.title} cannot be played"

    async def _open(self, game: Game) -> None:
        await asyncio.shield(self.agent(game, self.adviser(game)))

    def adviser(self, game: Game) -> ChosenAgent:
        """Who gives hints where no agent is chosen for it: the perfect player of a small game, else MCTS."""
        boards = 1
        for values in game.cell_values():
            boards *= int(values)
        if game.num_cells and boards <= SMALL and game.num_outcomes == 0:
            return self._agents.agent(game, AgentChoice(agent="perfect"))
        return self._agents.agent(game, AgentChoice(agent="mcts", options={"time": 1.0}))


def _key(game: Game, chosen: ChosenAgent) -> str:
    return json.dumps([game.spec, chosen.message()], sort_keys=True)


def _noticed(task: asyncio.Task[None]) -> None:
    """Look at the exception, so that asyncio does not complain about one that nobody wanted to know."""
    if not task.cancelled():
        task.exception()
