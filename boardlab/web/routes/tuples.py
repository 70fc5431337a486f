"""The routes of the n-tuple editor: the board, sets that are generated, measured, saved and deleted."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi import Request as HttpRequest
from fastapi.concurrency import run_in_threadpool
from pydantic import Field, StringConstraints

from boardlab.errors import BoardlabError
from boardlab.ntuple.creation import asked_tuples
from boardlab.ntuple.generators import random_examples
from boardlab.web.library.forms import refuse_paths
from boardlab.web.library.games import GameLibrary
from boardlab.web.library.tuple_sets import SavedTuples, TupleSets, refuse_too_many
from boardlab.web.server.errors import responses
from boardlab.web.server.models import ApiAnswer, ApiRequest, GameSpec, Seed
from boardlab.web.server.parts import part
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.server.waiting import unless_gone
from boardlab.web.workers.pool import WorkerPool

__all__ = ["router"]

router = APIRouter(prefix="/api/tuples", tags=["n-tuples"], responses=responses(409, 429))

TheSettings = Annotated[ArenaSettings, part(ArenaSettings)]
TheGames = Annotated[GameLibrary, part(GameLibrary)]
TheSets = Annotated[TupleSets, part(TupleSets)]
TheWorkers = Annotated[WorkerPool, part(WorkerPool)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Cells = Annotated[list[Annotated[int, Field(ge=0, lt=1 << 31)]], Field(max_length=1000)]
Tuples = Annotated[list[Cells], Field(max_length=10_000)]


class TupleBoard(ApiAnswer):
    """What the editor of a game shows."""

    game: str
    title: str
    outlines: list[list[tuple[float, float]]]
    """Of each cell the corners of a field, or the two ends of an edge; y grows downwards."""
    sets: list[str]
    """The fixed sets of the game."""
    examples: list[str]
    """How random ones are asked for."""
    saved: list[SavedTuples]


class TupleText(ApiRequest):
    """A set by its text, as walk:70x8 or the name of a fixed one; random ones follow from the seed."""

    game: GameSpec
    text: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    seed: Seed = 1


class TupleGroup(ApiRequest):
    """A set of n-tuples."""

    game: GameSpec
    tuples: Tuples


class NamedTuples(TupleGroup):
    """A set of n-tuples and what it shall be called."""

    name: Name


class MeasuredTuples(ApiAnswer):
    """A set of n-tuples and what it would need."""

    tuples: list[list[int]]
    weights: list[int]
    """Entries of the look-up table of each."""
    bytes: int
    """Memory of a training with the usual settings: all table sets, with what the step-size rule keeps."""


@router.get("/board")
def get_tuple_board(games: TheGames, sets: TheSets, game: Annotated[GameSpec, Query()]) -> TupleBoard:
    """The board of a game, its sets, and those that were saved."""
    made = games.game(game)
    if made.num_cells == 0:
        raise BoardlabError(f"{made.title} has no cells, so n-tuples cannot see it")
    return TupleBoard(
        game=made.spec,
        title=made.title,
        outlines=[made.cell_outline(cell) for cell in range(made.num_cells)],
        sets=["default", *made.tuple_sets()],
        examples=random_examples(made),
        saved=sets.all(made),
    )


@router.post("/generate")
async def generate_tuples(
    settings: TheSettings, games: TheGames, workers: TheWorkers, request: HttpRequest, wish: TupleText
) -> MeasuredTuples:
    """The n-tuples that a text describes, and what they would need."""
    refuse_paths({"text": wish.text})
    refuse_too_many(settings, asked_tuples(wish.text))
    job = {"job": "make_tuples", "game": games.game(wish.game).spec, "text": wish.text, "seed": wish.seed}
    return MeasuredTuples.model_validate(await unless_gone(request, workers.run(job, settings.seconds_per_move)))


@router.post("/measure")
async def measure_tuples(
    settings: TheSettings, games: TheGames, workers: TheWorkers, request: HttpRequest, wish: TupleGroup
) -> MeasuredTuples:
    """What a set of n-tuples would need."""
    refuse_too_many(settings, len(wish.tuples))
    job = {"job": "make_tuples", "game": games.game(wish.game).spec, "tuples": wish.tuples}
    return MeasuredTuples.model_validate(await unless_gone(request, workers.run(job, settings.seconds_per_move)))


@router.post("", status_code=201)
async def save_tuples(games: TheGames, sets: TheSets, wish: NamedTuples) -> SavedTuples:
    """Keep a set under a name, in place of the one of before."""
    return await run_in_threadpool(sets.save, games.game(wish.game), wish.name, wish.tuples)


@router.delete("/{name}", status_code=204)
def delete_tuples(games: TheGames, sets: TheSets, name: Name, game: Annotated[GameSpec, Query()]) -> None:
    """Forget a saved set."""
    sets.delete(games.game(game), name)
