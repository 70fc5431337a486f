"""Routes of matches between agents."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from boardlab.matches.match import all_seatings
from boardlab.rng import fresh_seed
from boardlab.web.library.agents import AgentLibrary
from boardlab.web.library.games import GameLibrary
from boardlab.web.matches.matches import Match, Matches
from boardlab.web.server.errors import Problem, responses
from boardlab.web.server.models import AgentChoice, ApiRequest, GameSpec, Id, Seed
from boardlab.web.server.parts import part
from boardlab.web.server.settings import ArenaSettings

__all__ = ["router"]

router = APIRouter(prefix="/api/matches", tags=["matches"])

TheSettings = Annotated[ArenaSettings, part(ArenaSettings)]
TheGames = Annotated[GameLibrary, part(GameLibrary)]
TheAgents = Annotated[AgentLibrary, part(AgentLibrary)]
TheMatches = Annotated[Matches, part(Matches)]


class MatchRequest(ApiRequest):
    """A match: the agents take all seats in turn; in a game for one player each of them plays alone."""

    game: GameSpec
    agents: Annotated[list[AgentChoice], Field(min_length=1, max_length=16)]
    games: Annotated[int, Field(ge=1, le=1_000_000)]
    seed: Seed | None = None


@router.get("", responses=responses())
def list_matches(matches: TheMatches) -> list[Match]:
    """All matches, the newest first; the ids of their games come with a single one."""
    return matches.all()


@router.post("", status_code=201, responses=responses(404, 429))
def start_match(
    settings: TheSettings, games: TheGames, agents: TheAgents, matches: TheMatches, request: MatchRequest
) -> Match:
    """Queue a match."""
    game = games.game(request.game)
    if request.games > settings.match_games:
        raise Problem(422, f"games: the arena allows {settings.match_games:,} in a match, not {request.games:,}")
    all_seatings(game, len(request.agents))  # refuses another number of agents than the game has players
    chosen = [agents.agent(game, choice) for choice in request.agents]
    return matches.create(game, chosen, request.games, fresh_seed() if request.seed is None else request.seed)


@router.get("/{match_id}", responses=responses(404))
def get_match(matches: TheMatches, match_id: Id) -> Match:
    """A match with its standings and the ids of its games."""
    return matches.get(match_id)


@router.post("/{match_id}/stop", responses=responses(404, 409))
def stop_match(matches: TheMatches, match_id: Id) -> Match:
    """End a match; the games that are over count."""
    return matches.stop(match_id)


@router.delete("/{match_id}", status_code=204, responses=responses(404, 409))
def delete_match(matches: TheMatches, match_id: Id) -> None:
    """Forget a match that is over, and its games."""
    matches.delete(match_id)
