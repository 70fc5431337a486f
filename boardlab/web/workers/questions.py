"""Questions to agents, which think in the worker processes."""

from __future__ import annotations

import asyncio
from typing import Any

from boardlab.game import Game
from boardlab.web.library.agents import ChosenAgent
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.workers.pool import WorkerPool
from boardlab.web.workers.preparation import Preparation

__all__ = ["Questions"]

Question = dict[str, object]


class Questions:
    """Asks agents."""

    def __init__(self, settings: ArenaSettings, workers: WorkerPool, preparation: Preparation) -> None:
        self._seconds, self._workers, self._preparation = settings.seconds_per_move, workers, preparation

    async def ask(
        self, game: Game, agent: ChosenAgent, question: Question, session: str | None = None
    ) -> dict[str, Any]:
        """The answer of an agent to a job, once it is ready; only the answer itself counts as its time to think."""
        await asyncio.shield(self._preparation.agent(game, agent))
        return await self.look_into(agent, question, session)

    async def look_into(self, agent: ChosenAgent, question: Question, session: str | None = None) -> dict[str, Any]:
        """The answer to a job for which nothing has to be compiled beforehand."""
        job = {**question, "agent": agent.message(), "session": session}
        return await self._workers.run(job, self._seconds, session)
