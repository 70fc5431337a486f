"""Routes of tournaments."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi import Request as HttpRequest
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse

from boardlab.web.server.errors import responses
from boardlab.web.server.models import Id
from boardlab.web.server.parts import part
from boardlab.web.server.waiting import unless_gone
from boardlab.web.tournaments.journals import TournamentGames, TournamentJournals
from boardlab.web.tournaments.requests import TournamentRequest, TournamentRequests
from boardlab.web.tournaments.results import ResultFile, TournamentResult, TournamentResults
from boardlab.web.tournaments.tournaments import Plan, Tournament, Tournaments

__all__ = ["router"]

router = APIRouter(prefix="/api/tournaments", tags=["tournaments"])

TheTournaments = Annotated[Tournaments, part(Tournaments)]
TheRequests = Annotated[TournamentRequests, part(TournamentRequests)]
TheResults = Annotated[TournamentResults, part(TournamentResults)]
TheJournals = Annotated[TournamentJournals, part(TournamentJournals)]

Entrant = Annotated[int | None, Query(ge=0, le=1000, description="an entrant who took part, by number")]


@router.get("", responses=responses())
def list_tournaments(tournaments: TheTournaments) -> list[Tournament]:
    """All tournaments, the newest first."""
    return tournaments.all()


@router.post("", status_code=201, responses=responses(404, 409, 429))
async def start_tournament(requests: TheRequests, http: HttpRequest, request: TournamentRequest) -> Tournament:
    """Queue a tournament. Its agent files are kept as they are now."""
    return await unless_gone(http, requests.queue(request))


@router.post("/estimate", responses=responses(404, 409, 429))
async def estimate_tournament(requests: TheRequests, http: HttpRequest, request: TournamentRequest) -> Plan:
    """How many games a tournament would have, and the names of those who take part; nothing is queued."""
    return await unless_gone(http, requests.estimate(request))


@router.get("/{tournament_id}", responses=responses(404))
def get_tournament(tournaments: TheTournaments, tournament_id: Id) -> Tournament:
    """A tournament, and how far it is."""
    return tournaments.get(tournament_id)


@router.get("/{tournament_id}/result", responses=responses(404, 409, 429))
async def get_tournament_result(
    tournaments: TheTournaments, results: TheResults, http: HttpRequest, tournament_id: Id
) -> TournamentResult:
    """What the games say so far: ratings with intervals, crosstable, where the ratings do not hold."""
    place = await run_in_threadpool(tournaments.place, tournament_id)
    return await unless_gone(http, results.result(place))


@router.get("/{tournament_id}/games", responses=responses(404))
def list_tournament_games(
    tournaments: TheTournaments,
    journals: TheJournals,
    tournament_id: Id,
    one: Entrant = None,
    other: Entrant = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Annotated[int, Query(ge=0, lt=1 << 62)] = 0,
) -> TournamentGames:
    """The games, all or those of one or two entrants. Each is a record, too: /api/records/ID."""
    return journals.page(tournaments.place(tournament_id), limit, offset, one, other)


@router.get(
    "/{tournament_id}/files/{name}",
    response_class=FileResponse,
    responses={200: {"content": {"application/octet-stream": {}}}, **responses(404, 409, 429)},
)
async def get_tournament_file(
    tournaments: TheTournaments, results: TheResults, http: HttpRequest, tournament_id: Id, name: ResultFile
) -> FileResponse:
    """The result or the games as a file: tables, pictures, one page with everything, games as JSON lines, as text with
    the names of the moves, or as SGF where the game has it."""
    place = await run_in_threadpool(tournaments.place, tournament_id)
    path = await unless_gone(http, results.file(place, name))
    return FileResponse(path, media_type="application/octet-stream", filename=f"{place.card.id}-{name.value}")


@router.post("/{tournament_id}/stop", responses=responses(404, 409))
def stop_tournament(tournaments: TheTournaments, tournament_id: Id) -> Tournament:
    """End a tournament for now; the games that are over count."""
    return tournaments.stop(tournament_id)


@router.post("/{tournament_id}/resume", responses=responses(404, 409, 429))
def resume_tournament(tournaments: TheTournaments, tournament_id: Id) -> Tournament:
    """Go on with a tournament that was stopped or has failed: the games that are missing are played."""
    return tournaments.resume(tournament_id)


@router.delete("/{tournament_id}", status_code=204, responses=responses(404, 409))
def delete_tournament(tournaments: TheTournaments, journals: TheJournals, tournament_id: Id) -> None:
    """Forget a tournament that is over, and its games."""
    tournaments.delete(tournament_id)
    journals.forget()
