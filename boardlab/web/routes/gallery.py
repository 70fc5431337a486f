"""Routes of the gallery: the players that come with boardlab."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.concurrency import run_in_threadpool
from pydantic import StringConstraints

from boardlab.web.library.agent_files import AgentFileDetail
from boardlab.web.library.gallery import Gallery, GalleryAgent
from boardlab.web.runs.run_requests import RunRequest, RunRequests
from boardlab.web.runs.runs import Run
from boardlab.web.server.errors import responses
from boardlab.web.server.parts import part

__all__ = ["router"]

router = APIRouter(prefix="/api/gallery", tags=["gallery"])

TheGallery = Annotated[Gallery, part(Gallery)]
TheRequests = Annotated[RunRequests, part(RunRequests)]
Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=80, pattern=r"^[\w.-]+$"),
    Path(description="the name of a trained agent"),
]


@router.get("", responses=responses())
def see_gallery(gallery: TheGallery) -> list[GalleryAgent]:
    """The trained agents and the perfect players that come with boardlab."""
    return gallery.all()


@router.post("/{name}/copy", responses=responses(404, 429))
def copy_agent(gallery: TheGallery, name: Name) -> AgentFileDetail:
    """A trained agent of the gallery as an agent file of this arena; the same one when asked again."""
    return gallery.copy(name)


@router.post("/{name}/train", status_code=201, responses=responses(404, 409, 429))
async def train_on(gallery: TheGallery, requests: TheRequests, name: Name) -> Run:
    """Go on with the training of an agent of the gallery, for as many episodes again as it had."""
    file = await run_in_threadpool(gallery.copy, name)
    wish = {"resume_file": file.id, "name": file.name, "episodes": 2 * file.episodes}
    return await requests.queue(RunRequest.model_validate(wish))
