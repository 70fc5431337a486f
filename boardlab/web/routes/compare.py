"""The routes that compare trainings: their curves and settings side by side, and the best result that there can be."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi import Request as HttpRequest

from boardlab.agents.levels import exact_player
from boardlab.matches.evaluators.registry import suitable_evaluators
from boardlab.web.library.agent_files import AgentFiles
from boardlab.web.library.games import GameLibrary
from boardlab.web.runs.comparison import Compared, compared_file, compared_run
from boardlab.web.runs.run_requests import Word, refuse_evaluator
from boardlab.web.runs.runs import Runs
from boardlab.web.server.errors import responses
from boardlab.web.server.models import ApiAnswer, GameSpec, Id
from boardlab.web.server.parts import part
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.server.waiting import unless_gone
from boardlab.web.workers.pool import WorkerPool

__all__ = ["router"]

router = APIRouter(prefix="/api/compare", tags=["training"])

TheSettings = Annotated[ArenaSettings, part(ArenaSettings)]
TheGames = Annotated[GameLibrary, part(GameLibrary)]
TheFiles = Annotated[AgentFiles, part(AgentFiles)]
TheRuns = Annotated[Runs, part(Runs)]
TheWorkers = Annotated[WorkerPool, part(WorkerPool)]

MOST = 100


class BestResult(ApiAnswer):
    """What the perfect player of a game reaches in an evaluation; nothing is known where there is none."""

    agent: str | None
    score: float | None


@router.get("", responses=responses(404))
def compare(
    runs: TheRuns,
    files: TheFiles,
    run: Annotated[list[Id], Query(max_length=MOST, description="training runs")] = [],  # noqa: B006
    file: Annotated[list[Id], Query(max_length=MOST, description="agent files")] = [],  # noqa: B006
) -> list[Compared]:
    """Training runs and agent files with their curves and all their settings."""
    return [compared_run(runs, files, name) for name in run] + [compared_file(files.get(name)) for name in file]


@router.get("/best", responses=responses(409, 429))
async def best_result(
    settings: TheSettings,
    games: TheGames,
    workers: TheWorkers,
    request: HttpRequest,
    game: Annotated[GameSpec, Query()],
    evaluator: Annotated[Word, Query()],
) -> BestResult:
    """What the perfect player reaches by an evaluator."""
    made = games.game(game)
    refuse_evaluator("evaluator", evaluator, made)
    agent = exact_player(made) if evaluator.partition(":")[0] in suitable_evaluators(made) else None
    if agent is None:
        return BestResult(agent=None, score=None)
    job = {"job": "best_result", "game": made.spec, "agent_text": agent, "evaluator": evaluator}
    found = await unless_gone(request, workers.run(job, settings.seconds_to_prepare))
    return BestResult(agent=agent, score=found["score"])
