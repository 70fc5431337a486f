"""Routes of stored games and of the hall of fame."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import StringConstraints

from boardlab.store.games import HallLine, Source
from boardlab.web.library.games import GameLibrary
from boardlab.web.play.stored_games import Record, RecordDetail, RecordExport, RecordList, RecordPosition, StoredGames
from boardlab.web.server.errors import responses
from boardlab.web.server.models import ApiRequest, GameSpec, Id, Ply, Setup
from boardlab.web.server.parts import part
from boardlab.web.server.settings import ArenaSettings

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["records"])

TheSettings = Annotated[ArenaSettings, part(ArenaSettings)]
TheGames = Annotated[GameLibrary, part(GameLibrary)]
TheStoredGames = Annotated[StoredGames, part(StoredGames)]


class MoveList(ApiRequest):
    """A game as a list of move names: `d3 c3 c4`; chance events stand in parentheses."""

    game: GameSpec
    moves: Annotated[str, StringConstraints(min_length=1, max_length=500_000)]
    setup: Setup | None = None
    """Where it began, if not at the start of the game."""


@router.get("/records", responses=responses())
def list_records(
    stored: TheStoredGames,
    games: TheGames,
    game: GameSpec | None = None,
    source: Annotated[Source | None, Query(description="only live games, or those of matches")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Annotated[int, Query(ge=0, lt=1 << 62)] = 0,
) -> RecordList:
    """The stored games, the newest first."""
    return stored.page(limit, offset, game=games.game(game).spec if game else None, source=source)


@router.get("/records/export", response_class=StreamingResponse, responses=responses())
def export_records(
    stored: TheStoredGames,
    games: TheGames,
    game: GameSpec | None = None,
    source: Annotated[Source | None, Query(description="only live games, or those of matches")] = None,
) -> StreamingResponse:
    """The stored games of one game or of all, each as JSON on a line of its own, the oldest first. boardlab train
    --from learns from such a file."""
    found = stored.export_all(game=games.game(game).spec if game else None, source=source)
    return StreamingResponse(
        (f"{line.model_dump_json()}\n" for line in found),
        media_type="application/jsonl",
        headers={"content-disposition": 'attachment; filename="games.jsonl"'},
    )


@router.get("/records/{record_id}", responses=responses(404, 409))
def get_record(stored: TheStoredGames, record_id: Id) -> RecordDetail:
    """A stored game with all its events."""
    return stored.get(record_id)


@router.get("/records/{record_id}/position", responses=responses(404, 409))
def get_record_position(
    stored: TheStoredGames,
    record_id: Id,
    ply: Annotated[Ply | None, Query(description="after so many events; the end when left out")] = None,
    moves: Annotated[bool, Query(description="with the list of moves")] = False,
) -> RecordPosition:
    """A position of a stored game."""
    return stored.position(record_id, ply, moves=moves)


@router.get(
    "/records/{record_id}/export",
    response_class=Response,
    responses={200: {"model": RecordExport}, **responses(404)},
)
def export_record(stored: TheStoredGames, record_id: Id) -> Response:
    """A stored game as a JSON file."""
    return Response(
        stored.export(record_id).model_dump_json(indent=1),
        media_type="application/json",
        headers={"content-disposition": f'attachment; filename="game-{record_id}.json"'},
    )


@router.get(
    "/records/{record_id}/moves",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **responses(404, 409)},
)
def get_record_moves(stored: TheStoredGames, record_id: Id) -> Response:
    """The moves of a stored game by their names, as `import` reads them."""
    return Response(
        f"{stored.moves(record_id)}\n",
        media_type="text/plain",
        headers={"content-disposition": f'attachment; filename="game-{record_id}.txt"'},
    )


@router.post("/records/import", status_code=201, responses=responses())
def import_record(settings: TheSettings, stored: TheStoredGames, games: TheGames, wish: MoveList) -> Record:
    """Keep a game that is given by the names of its moves."""
    return stored.take_in(games.game(wish.game), wish.moves, wish.setup, settings.plies)


@router.delete("/records/{record_id}", status_code=204, responses=responses(404))
def delete_record(stored: TheStoredGames, record_id: Id) -> None:
    """Forget a stored game."""
    stored.delete(record_id)


@router.get("/hall", responses=responses())
def get_hall(stored: TheStoredGames, games: TheGames, game: GameSpec | None = None) -> list[HallLine]:
    """The hall of fame: how people did against each agent, of one game or of all."""
    return stored.hall(games.game(game).spec if game else None)
