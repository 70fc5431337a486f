"""The routes of live games."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path
from pydantic import Field, StringConstraints

from boardlab.web.inspection.positions import ActionOpinion
from boardlab.web.library.agents import AgentLibrary
from boardlab.web.library.games import GameLibrary
from boardlab.web.play.live_game import LiveGame, LiveGameView
from boardlab.web.play.live_games import LiveGames
from boardlab.web.server.errors import responses
from boardlab.web.server.models import (
    AgentChoice,
    ApiAnswer,
    ApiRequest,
    Event,
    GameSpec,
    Id,
    Number,
    Option,
    Ply,
    SeatChoice,
    Seed,
)
from boardlab.web.server.parts import part
from boardlab.web.workers.preparation import Preparation

__all__ = ["router"]

router = APIRouter(prefix="/api/tables", tags=["play"], responses=responses(404, 409, 429))

TheGames = Annotated[GameLibrary, part(GameLibrary)]
TheAgents = Annotated[AgentLibrary, part(AgentLibrary)]
ThePreparation = Annotated[Preparation, part(Preparation)]
TheLiveGames = Annotated[LiveGames, part(LiveGames)]


async def _live(
    live_games: TheLiveGames, table_id: Annotated[Id, Path(description="the id of a live game")]
) -> LiveGame:
    return live_games.get(table_id)


ThisGame = Annotated[LiveGame, Depends(_live)]


class NewLiveGame(ApiRequest):
    """A live game to begin."""

    game: GameSpec
    seats: Annotated[list[SeatChoice], Field(max_length=20)]
    seed: Seed | None = None
    start: Annotated[list[Event], Field(max_length=100_000)] = []
    """Events after which it begins."""
    paused: bool = False


class MoveRequest(ApiRequest):
    """A move in the position after `ply` events."""

    action: Number
    ply: Ply


class ChanceRequest(ApiRequest):
    """The outcome of the chance event after `ply` events."""

    outcome: Number
    ply: Ply


class JumpRequest(ApiRequest):
    """Where to go."""

    ply: Ply


class PaceRequest(ApiRequest):
    """What is to change."""

    paused: bool | None = None
    delay: Annotated[int, Field(ge=0, le=60_000, description="milliseconds between the moves of agents")] | None = None


class SeatsRequest(ApiRequest):
    """Who takes the seats."""

    seats: Annotated[list[SeatChoice], Field(max_length=20)]


class Adviser(ApiRequest):
    """Who is asked: an agent as in `AgentChoice`, or, where all is left out, one that suits the game."""

    agent: Annotated[str, StringConstraints(min_length=1, max_length=300)] | None = None
    options: dict[Annotated[str, StringConstraints(max_length=80)], Option] = {}
    file: Id | None = None


class Hint(ApiAnswer):
    """What an agent would do."""

    action: int
    name: str
    label: str
    values: list[ActionOpinion] | None


@router.post("", status_code=200)
async def open_table(live_games: TheLiveGames, games: TheGames, wish: NewLiveGame) -> LiveGameView:
    """Begin a live game."""
    game = games.game(wish.game)
    return live_games.open(game, wish.seats, wish.start, wish.seed, wish.paused).view()


@router.get("/{table_id}")
async def see_table(live: ThisGame) -> LiveGameView:
    """A live game as it stands."""
    return live.view()


@router.delete("/{table_id}", status_code=204)
async def close_table(live_games: TheLiveGames, live: ThisGame) -> None:
    """Close a live game."""
    await live_games.drop(live.id)


@router.post("/{table_id}/move")
async def move(live: ThisGame, wish: MoveRequest) -> LiveGameView:
    """Play an action."""
    live.move(wish.action, wish.ply)
    return live.view()


@router.post("/{table_id}/chance")
async def chance(live: ThisGame, wish: ChanceRequest) -> LiveGameView:
    """Decide the chance event that is due in a paused game."""
    live.chance(wish.outcome, wish.ply)
    return live.view()


@router.post("/{table_id}/undo")
async def undo(live: ThisGame) -> LiveGameView:
    """Back to the last turn of a person."""
    live.undo()
    return live.view()


@router.post("/{table_id}/redo")
async def redo(live: ThisGame) -> LiveGameView:
    """Forward to the next turn of a person."""
    live.redo()
    return live.view()


@router.post("/{table_id}/jump")
async def jump(live: ThisGame, wish: JumpRequest) -> LiveGameView:
    """To any ply of the game."""
    live.jump(wish.ply)
    return live.view()


@router.post("/{table_id}/restart")
async def restart(live: ThisGame) -> LiveGameView:
    """The same game from its start."""
    live.restart()
    return live.view()


@router.post("/{table_id}/resign")
async def resign(live: ThisGame) -> LiveGameView:
    """The person to move, or the only person, gives up."""
    live.resign()
    return live.view()


@router.post("/{table_id}/flip")
async def flip(live: ThisGame) -> LiveGameView:
    """Everybody moves on by one seat."""
    live.flip()
    return live.view()


@router.post("/{table_id}/interrupt")
async def interrupt(live_games: TheLiveGames, live: ThisGame) -> LiveGameView:
    """Stop the agent that thinks, and pause."""
    live_games.interrupt(live)
    return live.view()


@router.post("/{table_id}/step")
async def step(live: ThisGame) -> LiveGameView:
    """One move of an agent, or one chance event, and pause."""
    live.step()
    return live.view()


@router.post("/{table_id}/pace")
async def pace(live: ThisGame, wish: PaceRequest) -> LiveGameView:
    """Pause, go on, or change the speed."""
    live.pace(wish.paused, wish.delay)
    return live.view()


@router.post("/{table_id}/seats")
async def seats(live: ThisGame, wish: SeatsRequest) -> LiveGameView:
    """Others take the seats."""
    live.seat(wish.seats)
    return live.view()


@router.post("/{table_id}/hint")
async def hint(agents: TheAgents, preparation: ThePreparation, live: ThisGame, wish: Adviser) -> Hint:
    """What an agent would do in this position, and what it thinks of every action."""
    if wish.agent is None and wish.file is None:
        adviser = preparation.adviser(live.game)
    else:
        adviser = agents.agent(live.game, AgentChoice(agent=wish.agent, options=wish.options, file=wish.file))
    found = await live.hint(adviser)
    name = live.game.action_name
    return Hint(
        action=found["action"],
        name=name(found["action"]),
        label=adviser.label,
        values=None
        if found["values"] is None
        else [ActionOpinion(action=a, name=name(a), value=v) for a, v in found["values"]],
    )
