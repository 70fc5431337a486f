"""What is compiled or computed before it is needed: games when they are opened, agents when they take a seat.

Every preparation happens once, in a worker; the machine code is on the disk from then on, where all workers find it.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from time import monotonic
from typing import Literal

from boardlab.agents.levels import exact_player, levels
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.web.library.agents import AgentLibrary, ChosenAgent
from boardlab.web.server.models import AgentChoice, ApiAnswer
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.workers.pool import WorkerPool

__all__ = ["Compiling", "Preparation", "State"]

State = Literal["compiling", "ready", "failed"]

MOST_KNOWN = 5000

USUAL_STEPS = 25
"""Functions that are compiled for an agent, more or less; what is there from before is not compiled again."""
MOST_SHARE = 0.95
"""Of the work is done, as long as it is not over."""


class Compiling(ApiAnswer):
    """How far something is that is compiled for this machine."""

    share: float
    """From 0 to 1, as far as it can be told."""
    seconds: float
    """Since it began."""


@dataclass
class _Progress:
    steps: int = 0
    began: float = field(default_factory=monotonic)

    def count(self, steps: int) -> None:
        self.steps = steps

    def view(self) -> Compiling:
        return Compiling(share=min(MOST_SHARE, self.steps / USUAL_STEPS), seconds=monotonic() - self.began)


class Preparation:
    """What has been prepared, and what is being prepared at the moment."""

    def __init__(self, settings: ArenaSettings, workers: WorkerPool, agents: AgentLibrary) -> None:
        self._seconds, self._workers, self._agents = settings.seconds_to_prepare, workers, agents
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._progress: dict[str, _Progress] = {}
        """Of what is being prepared, by the key of its task."""

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

    def compiling(self, game: Game, chosen: ChosenAgent) -> Compiling | None:
        """How far the preparation of an agent is; None where none is under way."""
        progress = self._progress.get(_key(game, chosen))
        return progress.view() if progress and self.is_under_way(game, chosen) else None

    async def _prepare(self, game: Game, chosen: ChosenAgent) -> None:
        key, progress = _key(game, chosen), _Progress()
        self._progress[key] = progress
        job = {"job": "prepare", "game": game.spec, "agent": chosen.message()}
        try:
            await self._workers.run(job, self._seconds, compiling=progress.count)
        finally:
            if self._progress.get(key) is progress:
                del self._progress[key]

    def game(self, game: Game) -> tuple[State, str | None, Compiling | None]:
        """How far the preparation of a game is, which begins if it has not yet, with a sentence for people. A game
        is ready when its usual opponent and the one that gives hints are ready."""
        task = self._tasks.get(game.spec)
        if task is None:
            task = self._tasks[game.spec] = asyncio.create_task(self._open(game))
            task.add_done_callback(_noticed)
        if not task.done():
            sentence = f"{game.title} is being compiled for this machine, once; the next time it is there at once"
            return "compiling", sentence, self._compiling_of(game)
        error = None if task.cancelled() else task.exception()
        if error is None:
            return "ready", None, None
        del self._tasks[game.spec]  # whoever opens it again tries again
        return "failed", str(error) if isinstance(error, BoardlabError) else f"{game.title} cannot be played", None

    def _compiling_of(self, game: Game) -> Compiling | None:
        """The mean over those that a game is opened with; what has not begun is at 0."""
        agents = self._usual(game)
        views = [self.compiling(game, agent) for agent in agents]
        under_way = [view for view in views if view is not None]
        ready = sum(self._is_ready(game, agent) for agent in agents)
        share = (ready + sum(view.share for view in under_way)) / len(agents)
        return Compiling(share=share, seconds=max((view.seconds for view in under_way), default=0.0))

    def _is_ready(self, game: Game, chosen: ChosenAgent) -> bool:
        task = self._tasks.get(_key(game, chosen))
        return task is not None and task.done()

    def _usual(self, game: Game) -> list[ChosenAgent]:
        """The opponent that people get who choose none, and the one that gives hints."""
        opponents = [self._agents.agent(game, AgentChoice(level="medium"))] if levels(game) else []
        return [*opponents, self.adviser(game)]

    async def _open(self, game: Game) -> None:
        for agent in self._usual(game):
            try:
                await asyncio.shield(self.agent(game, agent))
            except BoardlabError:
                if agent == self.adviser(game):  # else it was too large for the exact one, and another one took over
                    raise
                await asyncio.shield(self.agent(game, self.adviser(game)))

    def adviser(self, game: Game) -> ChosenAgent:
        """Who gives hints and values where no agent is chosen for it: the one that knows the truth, else the
        strongest that there is for the game. For the game 2048 it is tree search: `boardlab eval mcts:iterations=1000
        --game 2048 --games 8 --seed 2`, with far less than a second for a move, scored 51,900 (32,200 .. 71,600), the
        trained agent of the package in 20 games 24,400 (17,200 .. 31,600)."""
        exact = exact_player(game)
        if exact is not None:
            chosen = self._agents.agent(game, AgentChoice(agent=exact))
            if not self._has_failed(game, chosen):
                return chosen
        if "strong" in levels(game):
            return self._agents.agent(game, AgentChoice(level="strong"))
        return self._agents.agent(game, AgentChoice(agent="mcts", options={"time": 1.0}))

    def _has_failed(self, game: Game, chosen: ChosenAgent) -> bool:
        """Whether the preparation was refused: the game was larger than it seemed."""
        task = self._tasks.get(_key(game, chosen))
        return task is not None and task.done() and not task.cancelled() and task.exception() is not None


def _key(game: Game, chosen: ChosenAgent) -> str:
    return json.dumps([game.spec, chosen.message()], sort_keys=True)


def _noticed(task: asyncio.Task[None]) -> None:
    """Look at the exception, so that asyncio does not complain about one that nobody wanted to know."""
    if not task.cancelled():
        task.exception()
