"""The routes for looking into positions, agents and their look-up tables."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi import Request as HttpRequest
from fastapi.concurrency import run_in_threadpool
from pydantic import Field

from boardlab.game import Game
from boardlab.ntuple.picture import draw_tuples
from boardlab.web.inspection.positions import Inspected, Inspector, SetupView, TupleLook, setup_view
from boardlab.web.library.agent_files import AgentFiles
from boardlab.web.library.agents import AgentLibrary
from boardlab.web.library.games import GameLibrary
from boardlab.web.server.errors import Problem, responses
from boardlab.web.server.models import AgentChoice, ApiAnswer, ApiRequest, Event, GameSpec, Id, Number, Setup
from boardlab.web.server.parts import part
from boardlab.web.server.waiting import unless_gone
from boardlab.web.workers.questions import Questions

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["inspect"], responses=responses(404, 409, 429))

TheGames = Annotated[GameLibrary, part(GameLibrary)]
TheFiles = Annotated[AgentFiles, part(AgentFiles)]
TheAgents = Annotated[AgentLibrary, part(AgentLibrary)]
TheInspector = Annotated[Inspector, part(Inspector)]
TheQuestions = Annotated[Questions, part(Questions)]
Events = Annotated[list[Event], Field(max_length=100_000)]


class PositionWish(ApiRequest):
    """A position: a game, and the events since its start, which may be one that was set up by hand."""

    game: GameSpec
    events: Events = []
    setup: Setup | None = None


class InspectWish(PositionWish):
    """A position, and the agent that is asked about it."""

    choice: AgentChoice | None = None


class TupleWish(ApiRequest):
    """A position of the file's game; with an action, the one that it leads to."""

    file: Id
    game: GameSpec | None = None
    events: Events = []
    setup: Setup | None = None
    action: Number | None = None


class TuplePicture(ApiAnswer):
    """An n-tuple, drawn on the board."""

    index: int
    cells: list[int]
    svg: str


class TupleList(ApiAnswer):
    """The n-tuples of an agent file."""

    count: int
    players: int
    """How many sets of look-up tables there are: one for each player, or one for all."""
    tuples: list[TuplePicture]


class FeatureLine(ApiAnswer):
    """A feature and its weights, one for each output."""

    name: str
    weights: list[float | None]


class FeatureWeights(ApiAnswer):
    """The weights of an agent's features."""

    rows: list[FeatureLine]


class LookupTableRow(ApiAnswer):
    """An entry of a look-up table."""

    index: int
    values: list[int]
    """What the cells of the tuple hold."""
    text: str
    weight: float | None
    visited: bool
    """Whether learning has ever touched it."""


class LookupTablePage(ApiAnswer):
    """A stretch of a look-up table."""

    size: int
    visited: int
    players: int
    cells: list[int]
    rows: list[LookupTableRow]


@router.post("/inspect")
async def inspect(games: TheGames, inspector: TheInspector, request: HttpRequest, wish: InspectWish) -> Inspected:
    """A position, and what an agent thinks of every action in it."""
    seen = await inspector.look(games.game(wish.game), wish.events, wish.setup)
    return await unless_gone(request, inspector.thoughts(seen, wish.choice))


@router.post("/inspect/setup")
async def inspect_setup(games: TheGames, inspector: TheInspector, wish: PositionWish) -> SetupView:
    """A position as it can be changed by hand; one that cannot be is refused with the reason."""
    return setup_view(await inspector.look(games.game(wish.game), wish.events, wish.setup))


@router.post("/inspect/tuples")
async def inspect_tuples(
    games: TheGames, files: TheFiles, inspector: TheInspector, request: HttpRequest, wish: TupleWish
) -> TupleLook:
    """What each n-tuple of an agent file adds to the value of a position."""
    game = _game_of(games, files, wish.file)
    if wish.game is not None and games.game(wish.game) != game:
        raise Problem(422, f"the file was trained for {game.spec}, not for {wish.game}")
    seen = await inspector.look(game, wish.events, wish.setup)
    return await unless_gone(request, inspector.tuple_look(seen, wish.file, wish.action))


@router.get("/files/{file_id}/tuples")
async def file_tuples(
    games: TheGames,
    files: TheFiles,
    agents: TheAgents,
    questions: TheQuestions,
    file_id: Id,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 500,
) -> TupleList:
    """The n-tuples of an agent file, drawn; none where its agent has none."""
    game = _game_of(games, files, file_id)
    chosen = agents.agent(game, AgentChoice(file=file_id))
    found = await questions.look_into(chosen, {"job": "tuple_list", "game": game.spec})
    shown = list(enumerate(found["tuples"]))[offset : offset + limit]
    pictures = await run_in_threadpool(lambda: [draw_tuples(game, [cells], 1) for _, cells in shown])
    return TupleList(
        count=len(found["tuples"]),
        players=found["players"],
        tuples=[TuplePicture(index=k, cells=cells, svg=svg) for (k, cells), svg in zip(shown, pictures, strict=True)],
    )


@router.get("/files/{file_id}/weights")
async def file_weights(
    games: TheGames, files: TheFiles, agents: TheAgents, questions: TheQuestions, file_id: Id
) -> FeatureWeights:
    """The weights of the features that the agent of a file looks at; none where they have no names."""
    game = _game_of(games, files, file_id)
    chosen = agents.agent(game, AgentChoice(file=file_id))
    answer = await questions.look_into(chosen, {"job": "weights", "game": game.spec})
    return FeatureWeights.model_validate(answer)


@router.get("/files/{file_id}/table")
async def file_table(
    games: TheGames,
    files: TheFiles,
    agents: TheAgents,
    questions: TheQuestions,
    file_id: Id,
    player: Annotated[int, Query(ge=0, le=1000)] = 0,
    tuple_number: Annotated[int, Query(alias="tuple", ge=0, le=1_000_000)] = 0,
    offset: Annotated[int, Query(ge=0, lt=1 << 31)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    order: Literal["index", "weight", "visits"] = "index",
) -> LookupTablePage:
    """A stretch of the look-up table of one n-tuple, with what its cells hold."""
    game = _game_of(games, files, file_id)
    question = {"job": "lookup_table", "game": game.spec, "player": player, "tuple": tuple_number, "order": order}
    chosen = agents.agent(game, AgentChoice(file=file_id))
    answer = await questions.look_into(chosen, {**question, "offset": offset, "limit": limit})
    return LookupTablePage.model_validate(answer)


def _game_of(games: GameLibrary, files: AgentFiles, file_id: str) -> Game:
    """The game of an agent file that can be used."""
    files.path(file_id)
    return games.game(files.get(file_id).game)
