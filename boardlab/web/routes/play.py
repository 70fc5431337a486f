"""The routes of live games."""

from __future__ import annotations

from typing import Annotated, Self

from fastapi import APIRouter, Depends, Header, Path
from pydantic import Field, StringConstraints, model_validator

from boardlab.web.inspection.positions import ActionOpinion
from boardlab.web.library.agents import AgentLibrary
from boardlab.web.library.games import GameLibrary
from boardlab.web.play.game_clock import ClockWish
from boardlab.web.play.live_game import LiveGame
from boardlab.web.play.live_game_views import LiveGameView
from boardlab.web.play.live_games import LiveGames
from boardlab.web.play.start import Start
from boardlab.web.server.errors import responses
from boardlab.web.server.models import (
    AgentChoice,
    ApiAnswer,
    ApiRequest,
    Event,
    GameSpec,
    Id,
    LevelName,
    Number,
    Option,
    PersonName,
    Ply,
    SeatChoice,
    Seed,
    Setup,
)
from boardlab.web.server.parts import part
from boardlab.web.workers.preparation import Preparation
from boardlab.web.workers.setups import SetupMaker

__all__ = ["router"]

router = APIRouter(prefix="/api/tables", tags=["play"], responses=responses(404, 409, 429))

TheGames = Annotated[GameLibrary, part(GameLibrary)]
TheAgents = Annotated[AgentLibrary, part(AgentLibrary)]
ThePreparation = Annotated[Preparation, part(Preparation)]
TheLiveGames = Annotated[LiveGames, part(LiveGames)]
TheSetups = Annotated[SetupMaker, part(SetupMaker)]


async def _live(
    live_games: TheLiveGames, table_id: Annotated[Id, Path(description="the id of a live game")]
) -> LiveGame:
    return live_games.get(table_id)


ThisGame = Annotated[LiveGame, Depends(_live)]
Visitor = Annotated[
    str,
    Header(alias="x-visitor", max_length=40, description="the number of a browser, by which it keeps its seat"),
]


async def _played(live: ThisGame, visitor: Visitor = "") -> LiveGame:
    """A live game, for somebody who has a seat where it is shared."""
    live.owners.refuse(visitor)
    return live


async def _on_turn(live: ThisGame, visitor: Visitor = "") -> LiveGame:
    """The same, for whoever is to move."""
    live.owners.refuse(visitor, live.timeline.position.player)
    return live


async def _alone(live: ThisGame, visitor: Visitor = "") -> LiveGame:
    """The same, where nobody else has a say."""
    live.owners.refuse_alone(visitor)
    return live


PlayedGame = Annotated[LiveGame, Depends(_played)]
GameOnTurn = Annotated[LiveGame, Depends(_on_turn)]
OwnGame = Annotated[LiveGame, Depends(_alone)]


class NewLiveGame(ApiRequest):
    """A live game to begin."""

    game: GameSpec
    seats: Annotated[list[SeatChoice], Field(max_length=20)]
    seed: Seed | None = None
    start: Annotated[list[Event], Field(max_length=100_000)] = []
    """Events after which it begins."""
    setup: Setup | None = None
    """Where it begins, if not at the start of the game."""
    paused: bool = False
    clock: ClockWish | None = None
    """The time that people have."""

    @model_validator(mode="after")
    def _clock_is_for_people(self) -> Self:
        if self.clock is not None and all(seat.person is None for seat in self.seats):
            raise ValueError("clock: it is for people, and only agents play here")
        return self


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


class ClaimRequest(ApiRequest):
    """A seat to take, and the name of the person."""

    seat: Annotated[int, Field(ge=0, lt=20)]
    name: PersonName = "Guest"


class Adviser(ApiRequest):
    """Who is asked: an agent as in `AgentChoice`, or, where all is left out, one that suits the game."""

    agent: Annotated[str, StringConstraints(min_length=1, max_length=300)] | None = None
    options: dict[Annotated[str, StringConstraints(max_length=80)], Option] = {}
    file: Id | None = None
    level: LevelName | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if self.is_named:
            self.choice()
        return self

    @property
    def is_named(self) -> bool:
        """Whether somebody is asked for."""
        return bool(self.agent is not None or self.file is not None or self.level is not None or self.options)

    def choice(self) -> AgentChoice:
        """The agent that is asked for."""
        return AgentChoice(**dict(self))


class Hint(ApiAnswer):
    """What an agent would do."""

    action: int
    name: str
    label: str
    values: list[ActionOpinion] | None


@router.post("", status_code=200)
async def open_table(live_games: TheLiveGames, games: TheGames, setups: TheSetups, wish: NewLiveGame) -> LiveGameView:
    """Begin a live game."""
    game = games.game(wish.game)
    start = Start(wish.start, wish.setup, await setups.state(game, wish.setup), wish.clock)
    return live_games.open(game, wish.seats, start, wish.seed, wish.paused).view()


@router.get("/{table_id}")
async def see_table(live: ThisGame) -> LiveGameView:
    """A live game as it stands."""
    return live.view()


@router.delete("/{table_id}", status_code=204)
async def close_table(live_games: TheLiveGames, live: PlayedGame) -> None:
    """Close a live game."""
    await live_games.drop(live.id)


@router.post("/{table_id}/move")
async def move(live: GameOnTurn, wish: MoveRequest) -> LiveGameView:
    """Play an action."""
    live.move(wish.action, wish.ply)
    return live.view()


@router.post("/{table_id}/chance")
async def chance(live: PlayedGame, wish: ChanceRequest) -> LiveGameView:
    """Decide the chance event that is due in a paused game."""
    live.chance(wish.outcome, wish.ply)
    return live.view()


@router.post("/{table_id}/undo")
async def undo(live: OwnGame) -> LiveGameView:
    """Back to the last turn of a person."""
    live.undo()
    return live.view()


@router.post("/{table_id}/redo")
async def redo(live: OwnGame) -> LiveGameView:
    """Forward to the next turn of a person."""
    live.redo()
    return live.view()


@router.post("/{table_id}/jump")
async def jump(live: OwnGame, wish: JumpRequest) -> LiveGameView:
    """To any ply of the game."""
    live.jump(wish.ply)
    return live.view()


@router.post("/{table_id}/restart")
async def restart(live: PlayedGame) -> LiveGameView:
    """The same game from its start."""
    live.restart()
    return live.view()


@router.post("/{table_id}/resign")
async def resign(live: GameOnTurn) -> LiveGameView:
    """The person to move, or the only person, gives up."""
    live.resign()
    return live.view()


@router.post("/{table_id}/flip")
async def flip(live: OwnGame) -> LiveGameView:
    """Everybody moves on by one seat."""
    live.flip()
    return live.view()


@router.post("/{table_id}/interrupt")
async def interrupt(live_games: TheLiveGames, live: PlayedGame) -> LiveGameView:
    """Stop the agent that thinks, and pause."""
    live_games.interrupt(live)
    return live.view()


@router.post("/{table_id}/step")
async def step(live: PlayedGame) -> LiveGameView:
    """One move of an agent, or one chance event, and pause."""
    live.step()
    return live.view()


@router.post("/{table_id}/pace")
async def pace(live: PlayedGame, wish: PaceRequest) -> LiveGameView:
    """Pause, go on, or change the speed."""
    live.pace(wish.paused, wish.delay)
    return live.view()


@router.post("/{table_id}/seats")
async def seats(live: OwnGame, wish: SeatsRequest) -> LiveGameView:
    """Others take the seats."""
    live.seat(wish.seats)
    return live.view()


@router.post("/{table_id}/share")
async def share(live: ThisGame, visitor: Visitor = "") -> LiveGameView:
    """Let others take seats on their own devices: from now on a seat belongs to whoever took it."""
    live.share(visitor)
    return live.view()


@router.post("/{table_id}/claim")
async def claim(live: ThisGame, wish: ClaimRequest, visitor: Visitor = "") -> LiveGameView:
    """Take a free seat of a shared game."""
    live.claim(wish.seat, visitor, wish.name)
    return live.view()


@router.get("/{table_id}/mine")
async def my_seats(live: ThisGame, visitor: Visitor = "") -> list[int]:
    """The seats of this browser; none for those who watch, and where the game is not shared."""
    return live.owners.seats_of(visitor)


@router.post("/{table_id}/help")
async def helped(live: PlayedGame) -> LiveGameView:
    """Say that somebody who plays is shown what an agent thinks: the game is none for the ladder then."""
    live.note_help()
    return live.view()


@router.post("/{table_id}/hint")
async def hint(agents: TheAgents, preparation: ThePreparation, live: ThisGame, wish: Adviser) -> Hint:
    """What an agent would do in this position, and what it thinks of every action."""
    adviser = agents.agent(live.game, wish.choice()) if wish.is_named else preparation.adviser(live.game)
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
