"""Routes of matches between agents."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field

from boardlab.matches.match import all_seatings
from boardlab.rng import fresh_seed
from boardlab.web.arena import Arena, arena_of
from boardlab.web.matches.matches import Match
from boardlab.web.server.errors import Problem, responses
from boardlab.web.server.models import AgentChoice, ApiRequest, GameSpec, Id, Seed

__all__ = ["router"]

router = APIRouter(prefix="/api/matches", tags=["matches"])

ThisHouse = Annotated[Arena, Depends(arena_of)]


class MatchRequest(ApiRequest):
    """A match: the agents take all seats in turn; in a game for one player each of them plays alone."""

    game: GameSpec
    agents: Annotated[list[AgentChoice], Field(min_length=1, max_length=16)]
    games: Annotated[int, Field(ge=1, le=1_000_000)]
    seed: Seed | None = None


@router.get("", responses=responses())
def list_matches(house: ThisHouse) -> list[Match]:
    """All matches, the newest first; the ids of their games come with a single one."""
    return house.matches.all()


@router.post("", status_code=201, responses=responses(404, 429))
def start_match(house: ThisHouse, request: MatchRequest) -> Match:
    """Queue a match."""
    game = house.game(request.game)
    if request.games > house.settings.match_games:
        raise Problem(422, f"games: the arena allows {house.settings.match_games:,} in a match, not {request.games:,}")
    all_seatings(game, len(request.agents))  # refuses another number of agents than the game has players
    agents = [house.contestant(game, choice) for choice in request.agents]
    return house.matches.create(game, agents, request.games, fresh_seed() if request.seed is None else request.seed)


@router.get("/{match_id}", responses=responses(404))
def get_match(house: ThisHouse, match_id: Id) -> Match:
    """A match with its standings and the ids of its games."""
    return house.matches.get(match_id)


@router.post("/{match_id}/stop", responses=responses(404, 409))
def stop_match(house: ThisHouse, match_id: Id) -> Match:
    """End a match; the games that are over count."""
    return house.matches.stop(match_id)


@router.delete("/{match_id}", status_code=204, responses=responses(404, 409))
def delete_match(house: ThisHouse, match_id: Id) -> None:
    """Forget a match that is over, and its games."""
    house.matches.delete(match_id)
