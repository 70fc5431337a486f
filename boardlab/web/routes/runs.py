"""Routes of training runs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from pydantic import Field

from boardlab.web.library.games import GameLibrary
from boardlab.web.runs.run_requests import Estimate, RunRequest, RunRequests, TrainOptions, Word, train_options
from boardlab.web.runs.runs import Run, Runs
from boardlab.web.server.errors import responses
from boardlab.web.server.models import ApiRequest, GameSpec, Id
from boardlab.web.server.parts import part
from boardlab.web.server.waiting import unless_gone

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["training"])

TheGames = Annotated[GameLibrary, part(GameLibrary)]
TheRuns = Annotated[Runs, part(Runs)]
TheRequests = Annotated[RunRequests, part(RunRequests)]


class Repetition(ApiRequest):
    """How often a training is repeated."""

    seeds: Annotated[int, Field(ge=1, le=50)]


@router.get("/train/options", responses=responses())
def get_train_options(games: TheGames, game: GameSpec, agent: Word | None = None) -> TrainOptions:
    """Agents that learn a game, and for one of them presets, parameters and evaluators of a training."""
    return train_options(games.game(game), agent)


@router.get("/runs", responses=responses())
def list_runs(runs: TheRuns) -> list[Run]:
    """All training runs, the newest first."""
    return runs.all()


@router.post("/runs", status_code=201, responses=responses(404, 409, 429))
async def start_run(requests: TheRequests, http: HttpRequest, request: RunRequest) -> Run:
    """Queue a training run. The memory that its tables need is told before it is taken. Where the page is gone before
    all is checked, nothing is queued."""
    return await unless_gone(http, requests.queue(request))


@router.post("/runs/estimate", responses=responses(404, 409, 429))
async def estimate_run(requests: TheRequests, http: HttpRequest, request: RunRequest) -> Estimate:
    """What a training would need, its time where that is known; nothing is queued."""
    return await unless_gone(http, requests.estimate(request))


@router.post("/runs/trial", responses=responses(404, 409, 429))
async def try_run(requests: TheRequests, http: HttpRequest, request: RunRequest) -> Estimate:
    """What a training would need, its time by a short trial. Where the learner has to be compiled first, that takes a
    while, but no training of the kind has to wait for it again."""
    return await unless_gone(http, requests.estimate(request, with_trial=True))


@router.post("/runs/{run_id}/repeat", status_code=201, responses=responses(404, 409, 429))
def repeat_run(runs: TheRuns, run_id: Id, wish: Repetition) -> list[Run]:
    """Queue the same training with other seeds, to see how much the result depends on them."""
    return runs.repeat(run_id, wish.seeds)


@router.get("/runs/{run_id}", responses=responses(404))
def get_run(runs: TheRuns, run_id: Id) -> Run:
    """A training run with its learning curve."""
    return runs.get(run_id)


@router.post("/runs/{run_id}/pause", responses=responses(404, 409))
def pause_run(runs: TheRuns, run_id: Id) -> Run:
    """Save the agent and make room for other runs."""
    return runs.pause(run_id)


@router.post("/runs/{run_id}/resume", responses=responses(404, 409, 429))
def resume_run(runs: TheRuns, run_id: Id) -> Run:
    """Queue a paused or failed run again; it goes on from its checkpoint."""
    return runs.resume(run_id)


@router.post("/runs/{run_id}/stop", responses=responses(404, 409))
def stop_run(runs: TheRuns, run_id: Id) -> Run:
    """End a run before its time and keep the agent."""
    return runs.stop(run_id)


@router.delete("/runs/{run_id}", status_code=204, responses=responses(404, 409))
def delete_run(runs: TheRuns, run_id: Id) -> None:
    """Forget a run that is over; its agent file stays."""
    runs.delete(run_id)
