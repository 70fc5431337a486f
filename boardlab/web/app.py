"""The application: all routes, the gate in front of them, and the page itself.

`create_app(settings)` is what the command line serves and what the tests talk to.
"""

from __future__ import annotations

import mimetypes
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query
from fastapi.responses import FileResponse, StreamingResponse
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from boardlab import __version__
from boardlab.web.arena import Arena
from boardlab.web.routes import (
    agent_files,
    catalogue,
    compare,
    gallery,
    inspection,
    league,
    matches,
    play,
    runs,
    stored_games,
    sweeps,
    tournaments,
    tuples,
)
from boardlab.web.server.errors import install_handlers, responses
from boardlab.web.server.event_streams import EventStreams
from boardlab.web.server.models import ApiAnswer, Id
from boardlab.web.server.parts import part
from boardlab.web.server.security import Gate
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.sweeps.sweeps import Sweeps

__all__ = ["create_app"]

STATIC = Path(__file__).parent / "static"
WEEK = 7 * 24 * 3600

mimetypes.add_type("text/javascript", ".js")  # some systems say otherwise, and browsers insist on it


class AboutArena(ApiAnswer):
    """What this arena is."""

    version: str
    data: str
    cores: int
    limits: dict[str, int | float]
    sweep_folders: list[str]
    """Where sweeps are looked for."""


def create_app(settings: ArenaSettings) -> FastAPI:
    """The arena with these settings; it starts and ends with the server that runs it."""
    arena = Arena(settings)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        await arena.start()
        try:
            yield
        finally:
            await arena.close()

    app = FastAPI(
        title="boardlab arena",
        version=__version__,
        description="Play, watch, inspect and train agents for board games.",
        lifespan=lifespan,
        docs_url=None,  # these pages would load scripts from the internet; /api-docs is our own
        redoc_url=None,
        generate_unique_id_function=_route_name,
    )
    app.state.arena, app.state.parts = arena, arena.parts()
    install_handlers(app)
    for module in (
        catalogue,
        play,
        inspection,
        agent_files,
        runs,
        compare,
        sweeps,
        tuples,
        stored_games,
        matches,
        tournaments,
        gallery,
    ):
        app.include_router(module.router)
    app.include_router(league.router)
    _add_own_routes(app)
    app.add_middleware(Gate, settings=settings)
    return app


def _route_name(route: APIRoute) -> str:
    return route.name


def _add_own_routes(app: FastAPI) -> None:
    @app.get("/api/about", tags=["arena"], responses=responses())
    async def about(
        settings: Annotated[ArenaSettings, part(ArenaSettings)], sweeps: Annotated[Sweeps, part(Sweeps)]
    ) -> AboutArena:
        """Version, data directory and limits."""
        return AboutArena(
            version=__version__,
            data=str(settings.data),
            cores=os.cpu_count() or 1,
            limits=settings.limits,
            sweep_folders=[str(folder) for folder in sweeps.folders],
        )

    @app.get(
        "/api/events",
        tags=["arena"],
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {}}}, **responses(429)},
    )
    async def events(
        streams: Annotated[EventStreams, part(EventStreams)],
        table: Annotated[list[Id], Query(max_length=100, description="live games that pages look at")] = [],  # noqa: B006
    ) -> StreamingResponse:
        """What is new, as server-sent events: table (the live games of the given ids), run, match, tournament, file,
        record, league."""
        return StreamingResponse(streams.enter(table), media_type="text/event-stream")

    for address, name in (("/", "index.html"), ("/api-docs", "api_docs/api_docs.html")):
        app.add_api_route(address, _page(name), include_in_schema=False, response_class=FileResponse)
    app.mount("/static", _Static(directory=STATIC))


def _page(name: str) -> Any:
    async def page() -> FileResponse:
        return FileResponse(STATIC / name, headers={"cache-control": "no-cache"})

    return page


class _Static(StaticFiles):
    """The files of the page, and plotly.js out of the installed package. Ours may change with every version, so that
    browsers ask whether they have (ETag); plotly's are large and rarely change."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        if path == "plotly.min.js":
            found = find_spec("plotly")
            if found is not None and found.submodule_search_locations:
                full = Path(found.submodule_search_locations[0]) / "package_data" / path
                return str(full), full.stat()
        return super().lookup_path(path)

    def file_response(self, full_path: Any, *arguments: Any, **more: Any) -> Response:
        response = super().file_response(full_path, *arguments, **more)
        large = Path(full_path).name == "plotly.min.js"
        response.headers["cache-control"] = f"max-age={WEEK}" if large else "no-cache"
        return response
