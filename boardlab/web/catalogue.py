"""The routes that tell what there is: games with their parameters, and agents with their options."""

from __future__ import annotations

import inspect
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from boardlab.game import Game
from boardlab.web.errors import responses
from boardlab.web.forms import form_of
from boardlab.web.house import House, house_of
from boardlab.web.models import Answer, FormField, GameSpec, Request
from boardlab.web.preparation import State
from boardlab.web.shelf import FILE_OPTION, needs_file, playing_agents

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["catalogue"], responses=responses())

InHouse = Annotated[House, Depends(house_of)]


class GameInfo(Answer):
    """A game that can be chosen."""

    name: str
    title: str
    rules: str
    players: int
    chance: bool
    fields: list[FormField]
    svg: str
    """The start position with the usual parameters."""


class GameWish(Request):
    """A game to open."""

    game: GameSpec


class OpenGame(Answer):
    """A game with its parameters, and whether it is ready to be played."""

    game: str
    title: str
    rules: str
    players: list[str]
    actions: int
    chance: bool
    learnable: bool
    start_svg: str
    state: State
    message: str | None


class AgentInfo(Answer):
    """An agent that can be chosen for a game."""

    agent: str
    title: str
    doc: str
    fields: list[FormField]
    usable: bool
    why_not: str | None
    needs_file: bool


@router.get("/games")
async def list_games(house: InHouse) -> list[GameInfo]:
    """All games."""
    found = []
    for name, cls in house.shelf.game_classes().items():
        game = house.game(name)
        found.append(
            GameInfo(
                name=name,
                title=game.title,
                rules=_prose(cls),
                players=game.num_players,
                chance=game.num_outcomes > 0,
                fields=form_of(cls),
                svg=_start_svg(game),
            )
        )
    return found


@router.post("/games/open")
async def open_game(house: InHouse, wish: GameWish) -> OpenGame:
    """Make a game with its parameters ready to be played; it may have to compile, so ask again."""
    return _opened(house, wish.game)


@router.get("/games/open")
async def see_open_game(house: InHouse, game: Annotated[GameSpec, Query()]) -> OpenGame:
    """The same, to ask how far it is."""
    return _opened(house, game)


@router.get("/agents")
async def list_agents(house: InHouse, game: Annotated[GameSpec, Query()]) -> list[AgentInfo]:
    """The registered agents, and whether they can play the game. Trained ones are files."""
    made = house.game(game)
    found = []
    for name, cls in playing_agents().items():
        refusal = cls.refusal(made)
        found.append(
            AgentInfo(
                agent=name,
                title=name,
                doc=_prose(cls),
                fields=form_of(cls, without=(FILE_OPTION,)),
                usable=refusal is None,
                why_not=refusal,
                needs_file=needs_file(cls),
            )
        )
    return found


def _opened(house: House, spec: str) -> OpenGame:
    game = house.game(spec)
    state, message = house.preparation.game(game)
    return OpenGame(
        game=game.spec,
        title=game.title,
        rules=_prose(type(game)),
        players=[game.player_name(p) for p in range(game.num_players)],
        actions=game.num_actions,
        chance=game.num_outcomes > 0,
        learnable=game.num_cells > 0,
        start_svg=_start_svg(game),
        state=state,
        message=message,
    )


def _start_svg(game: Game) -> str:
    return game.draw(game.start().state)


def _prose(cls: type) -> str:
    """The docstring of a class as one paragraph."""
    return " ".join((inspect.getdoc(cls) or "").split())
