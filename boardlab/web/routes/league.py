"""Routes of the leagues of agents and of the ladder of people."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from boardlab.web.league.idle_play import IdlePlay
from boardlab.web.league.ladder import Ladder
from boardlab.web.league.league import League
from boardlab.web.league.pages import LeaguePages
from boardlab.web.league.views import (
    History,
    LeagueGames,
    LeagueLine,
    LeagueView,
    MemberLine,
    PersonHistory,
    PersonRow,
)
from boardlab.web.library.games import GameLibrary
from boardlab.web.server.errors import responses
from boardlab.web.server.models import AgentChoice, ApiRequest, GameSpec, Id, PersonName
from boardlab.web.server.parts import part

__all__ = ["router"]

router = APIRouter(prefix="/api/league", tags=["league"])

TheGames = Annotated[GameLibrary, part(GameLibrary)]
TheLeague = Annotated[League, part(League)]
TheIdlePlay = Annotated[IdlePlay, part(IdlePlay)]
ThePages = Annotated[LeaguePages, part(LeaguePages)]
TheLadder = Annotated[Ladder, part(Ladder)]


class EntryRequest(ApiRequest):
    """An agent that is to take part."""

    game: GameSpec
    agent: AgentChoice


class SwitchRequest(ApiRequest):
    """Whether a league is to play while the machine is idle."""

    game: GameSpec
    plays: bool


@router.get("/all", responses=responses())
def list_leagues(pages: ThePages) -> list[LeagueLine]:
    """All games that have a league, or people on their ladder."""
    return pages.lines()


@router.get("", responses=responses())
def get_league(games: TheGames, pages: ThePages, game: GameSpec) -> LeagueView:
    """The league of a game, with the ratings of its agents."""
    return pages.view(games.game(game))


@router.post("/switch", responses=responses(409))
def switch_league(
    games: TheGames, league: TheLeague, idle_play: TheIdlePlay, pages: ThePages, wish: SwitchRequest
) -> LeagueView:
    """Let a league play while the machine is idle, or no more."""
    game = games.game(wish.game)
    league.switch(game, wish.plays)
    idle_play.changed()
    return pages.view(game)


@router.get("/members", responses=responses())
def list_members(games: TheGames, pages: ThePages, game: GameSpec | None = None) -> list[MemberLine]:
    """The agents of one league or of all, the strongest first."""
    return pages.members(games.game(game) if game else None)


@router.post("/members", status_code=201, responses=responses(404, 409, 429))
def enter_league(games: TheGames, league: TheLeague, pages: ThePages, wish: EntryRequest) -> MemberLine:
    """Let an agent take part; one that had withdrawn goes on with its rating."""
    return pages.member(league.enter(games.game(wish.game), wish.agent).id)


@router.post("/members/{member_id}/withdraw", responses=responses(404, 409))
def withdraw_member(league: TheLeague, idle_play: TheIdlePlay, pages: ThePages, member_id: Id) -> MemberLine:
    """Let an agent take part no more; its games and its rating stay."""
    league.withdraw(member_id)
    idle_play.changed()
    return pages.member(member_id)


@router.get("/games", responses=responses())
def list_league_games(
    games: TheGames,
    pages: ThePages,
    game: GameSpec,
    limit: Annotated[int, Query(ge=1, le=500)] = 20,
    offset: Annotated[int, Query(ge=0, lt=1 << 62)] = 0,
) -> LeagueGames:
    """The games of a league, the newest first, each with the stored game that can be replayed."""
    return pages.games(games.game(game), limit, offset)


@router.get("/history", responses=responses())
def get_league_history(games: TheGames, pages: ThePages, game: GameSpec) -> list[History]:
    """How the ratings of a league went; of long ones some points are left out."""
    return pages.history(games.game(game))


@router.get("/people", responses=responses())
def list_people(games: TheGames, ladder: TheLadder, game: GameSpec) -> list[PersonRow]:
    """The ladder of people: their ratings from games against agents, the best first."""
    return ladder.people(games.game(game).spec)


@router.get("/person", responses=responses(404))
def get_person(games: TheGames, ladder: TheLadder, game: GameSpec, person: PersonName) -> PersonHistory:
    """The games of a person on the ladder, with the rating after each of them."""
    return ladder.history(games.game(game).spec, person)
