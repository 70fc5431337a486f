"""The routes of live games."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path
from pydantic import Field, StringConstraints

from boardlab.web.errors import responses
from boardlab.web.house import House, house_of
from boardlab.web.inspect import ActionValue
from boardlab.web.models import AgentChoice, Answer, Event, GameSpec, Id, Number, Option, Ply, Request, SeatChoice, Seed
from boardlab.web.table import Table, View

__all__ = ["router"]

router = APIRouter(prefix="/api/tables", tags=["play"], responses=responses(404, 409, 429))

InHouse = Annotated[House, Depends(house_of)]


async def _table(house: InHouse, table_id: Annotated[Id, Path(description="the id of a live game")]) -> Table:
    return house.tables.get(table_id)


AtTable = Annotated[Table, Depends(_table)]


class NewTable(Request):
    """A live game to begin."""

    game: GameSpec
    seats: Annotated[list[SeatChoice], Field(max_length=20)]
    seed: Seed | None = None
    start: Annotated[list[Event], Field(max_length=100_000)] = []
    """Events after which it begins."""
    paused: bool = False


class Move(Request):
    """A move in the position after `ply` events."""

    action: Number
    ply: Ply


class Chance(Request):
    """The outcome of the chance event after `ply` events."""

    outcome: Number
    ply: Ply


class Jump(Request):
    """Where to go."""

    ply: Ply


class Pace(Request):
    """What is to change."""

    paused: bool | None = None
    delay: Annotated[int, Field(ge=0, le=60_000, description="milliseconds between the moves of agents")] | None = None


class Seats(Request):
    """Who takes the seats."""

    seats: Annotated[list[SeatChoice], Field(max_length=20)]


class Adviser(Request):
    """Who is asked: an agent as in `AgentChoice`, or, where all is left out, one that suits the game."""

    agent: Annotated[str, StringConstraints(min_length=1, max_length=300)] | None = None
    options: dict[Annotated[str, StringConstraints(max_length=80)], Option] = {}
    file: Id | None = None


class Hint(Answer):
    """What an agent would do."""

    action: int
    name: str
    label: str
    values: list[ActionValue] | None


@router.post("", status_code=200)
async def open_table(house: InHouse, wish: NewTable) -> View:
    """Begin a live game."""
    game = house.game(wish.game)
    return house.tables.open(game, wish.seats, wish.start, wish.seed, wish.paused).view()


@router.get("/{table_id}")
async def see_table(table: AtTable) -> View:
    """A live game as it stands."""
    return table.view()


@router.delete("/{table_id}", status_code=204)
async def close_table(house: InHouse, table: AtTable) -> None:
    """Close a live game."""
    await house.tables.drop(table.id)


@router.post("/{table_id}/move")
async def move(table: AtTable, wish: Move) -> View:
    """Play an action."""
    table.move(wish.action, wish.ply)
    return table.view()


@router.post("/{table_id}/chance")
async def chance(table: AtTable, wish: Chance) -> View:
    """Decide the chance event that is due in a paused game."""
    table.chance(wish.outcome, wish.ply)
    return table.view()


@router.post("/{table_id}/undo")
async def undo(table: AtTable) -> View:
    """Back to the last turn of a person."""
    table.undo()
    return table.view()


@router.post("/{table_id}/redo")
async def redo(table: AtTable) -> View:
    """Forward to the next turn of a person."""
    table.redo()
    return table.view()


@router.post("/{table_id}/jump")
async def jump(table: AtTable, wish: Jump) -> View:
    """To any ply of the game."""
    table.jump(wish.ply)
    return table.view()


@router.post("/{table_id}/restart")
async def restart(table: AtTable) -> View:
    """The same game from its start."""
    table.restart()
    return table.view()


@router.post("/{table_id}/resign")
async def resign(table: AtTable) -> View:
    """The person to move, or the only person, gives up."""
    table.resign()
    return table.view()


@router.post("/{table_id}/flip")
async def flip(table: AtTable) -> View:
    """Everybody moves on by one seat."""
    table.flip()
    return table.view()


@router.post("/{table_id}/interrupt")
async def interrupt(table: AtTable) -> View:
    """Stop the agent that thinks, and pause."""
    table.interrupt()
    return table.view()


@router.post("/{table_id}/step")
async def step(table: AtTable) -> View:
    """One move of an agent, or one chance event, and pause."""
    table.step()
    return table.view()


@router.post("/{table_id}/pace")
async def pace(table: AtTable, wish: Pace) -> View:
    """Pause, go on, or change the speed."""
    table.pace(wish.paused, wish.delay)
    return table.view()


@router.post("/{table_id}/seats")
async def seats(table: AtTable, wish: Seats) -> View:
    """Others take the seats."""
    table.seat(wish.seats)
    return table.view()


@router.post("/{table_id}/hint")
async def hint(house: InHouse, table: AtTable, wish: Adviser) -> Hint:
    """What an agent would do in this position, and what it thinks of every action."""
    if wish.agent is None and wish.file is None:
        adviser = house.preparation.adviser(table.game)
    else:
        adviser = house.agent(table.game, AgentChoice(agent=wish.agent, options=wish.options, file=wish.file))
    found = await table.hint(adviser)
    name = table.game.action_name
    return Hint(
        action=found["action"],
        name=name(found["action"]),
        label=adviser.label,
        values=None
        if found["values"] is None
        else [ActionValue(action=a, name=name(a), value=v) for a, v in found["values"]],
    )
