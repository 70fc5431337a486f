"""Routes of agent files. Their look-up tables are shown by `inspection`."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi import Request as HttpRequest
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse
from pydantic import StringConstraints

from boardlab.errors import BoardlabError
from boardlab.web.library.agent_files import AgentFileDetail, AgentFileLine, AgentFiles, without_path
from boardlab.web.library.games import GameLibrary
from boardlab.web.server.errors import Problem, responses
from boardlab.web.server.models import ApiRequest, GameSpec, Id
from boardlab.web.server.parts import part
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.workers.pool import WorkerPool

__all__ = ["router"]

router = APIRouter(prefix="/api/files", tags=["files"])

TheSettings = Annotated[ArenaSettings, part(ArenaSettings)]
TheGames = Annotated[GameLibrary, part(GameLibrary)]
TheFiles = Annotated[AgentFiles, part(AgentFiles)]
TheWorkers = Annotated[WorkerPool, part(WorkerPool)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=100)]

_BINARY = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


class Renaming(ApiRequest):
    """The new name of an agent file."""

    name: Name


@router.get("", responses=responses())
def list_files(files: TheFiles, games: TheGames, game: GameSpec | None = None) -> list[AgentFileLine]:
    """The agent files; of a game only those that can play it."""
    return files.all(games.game(game).spec if game else None)


@router.post(
    "",
    status_code=201,
    responses=responses(409, 429),
    openapi_extra={"requestBody": {"required": True, "content": _BINARY}},
)
async def upload_file(
    request: HttpRequest,
    settings: TheSettings,
    files: TheFiles,
    workers: TheWorkers,
    name: Annotated[Name, Query(description="what it shall be called")],
) -> AgentFileDetail:
    """Take in an agent file. It is read and checked, nothing in it is executed."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/octet-stream":
        raise Problem(415, "an agent file is sent as application/octet-stream")
    path = await run_in_threadpool(files.new_upload)
    try:
        with path.open("wb") as stream:
            async for chunk in request.stream():
                await run_in_threadpool(stream.write, chunk)
        await run_in_threadpool(files.refuse_upload, path, name)
        try:
            await workers.run({"job": "check_file", "path": str(path)}, settings.seconds_to_prepare)
        except BoardlabError as error:
            raise Problem(422, without_path(error, path)) from error
        return await run_in_threadpool(files.keep, path, name)
    finally:
        path.unlink(missing_ok=True)


@router.get("/{file_id}", responses=responses(404))
def get_file(files: TheFiles, file_id: Id) -> AgentFileDetail:
    """All about an agent file."""
    return files.get(file_id)


@router.get(
    "/{file_id}/download",
    response_class=FileResponse,
    responses={200: {"content": _BINARY}, **responses(404)},
)
def download_file(files: TheFiles, file_id: Id) -> FileResponse:
    """The agent file itself."""
    name, path = files.whereabouts(file_id)
    return FileResponse(path, media_type="application/octet-stream", filename=f"{name}.agent")


@router.patch("/{file_id}", responses=responses(404, 409))
def rename_file(files: TheFiles, file_id: Id, renaming: Renaming) -> AgentFileDetail:
    """Give an agent file another name; never that of another one."""
    return files.rename(file_id, renaming.name)


@router.delete("/{file_id}", status_code=204, responses=responses(404))
def delete_file(files: TheFiles, file_id: Id) -> None:
    """Delete an agent file."""
    files.delete(file_id)
