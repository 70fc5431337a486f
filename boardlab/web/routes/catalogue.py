"""The routes that tell what there is: games with their parameters, and agents with their options."""

from __future__ import annotations

import inspect
from typing import Annotated, cast

from fastapi import APIRouter, Query

from boardlab.agents.levels import exact_player, levels
from boardlab.game import Game
from boardlab.web.library.agents import FILE_OPTION, needs_file, playing_agents
from boardlab.web.library.forms import form_of
from boardlab.web.library.games import GameLibrary
from boardlab.web.server.errors import responses
from boardlab.web.server.models import AgentChoice, ApiAnswer, ApiRequest, FormField, GameSpec, LevelName
from boardlab.web.server.parts import part
from boardlab.web.workers.preparation import Compiling, Preparation, State

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["catalogue"], responses=responses())

TheGames = Annotated[GameLibrary, part(GameLibrary)]
ThePreparation = Annotated[Preparation, part(Preparation)]


class GameInfo(ApiAnswer):
    """A game that can be chosen."""

    name: str
    title: str
    rules: str
    players: int
    chance: bool
    fields: list[FormField]
    svg: str
    """A position with the usual parameters, as it may arise in play."""
    levels: list[LevelName]
    """How strong its opponents can be; none where one plays alone."""


class GameWish(ApiRequest):
    """A game to open."""

    game: GameSpec


class LevelLine(ApiAnswer):
    """A level of a game, and who plays at it."""

    level: LevelName
    title: str
    player: str


class AdviserLine(ApiAnswer):
    """Who gives hints and values where nobody is chosen for it."""

    choice: AgentChoice
    label: str
    exact: bool
    """Whether it knows the truth about every position."""


class OpenGame(ApiAnswer):
    """A game with its parameters, and whether it is ready to be played."""

    game: str
    title: str
    rules: str
    players: list[str]
    actions: int
    chance: bool
    learnable: bool
    start_svg: str
    levels: list[LevelLine]
    adviser: AdviserLine
    state: State
    message: str | None
    compiling: Compiling | None
    """How far it is while its state says so."""


class AgentInfo(ApiAnswer):
    """An agent that can be chosen for a game."""

    agent: str
    title: str
    doc: str
    fields: list[FormField]
    usable: bool
    why_not: str | None
    needs_file: bool


@router.get("/games")
async def list_games(games: TheGames) -> list[GameInfo]:
    """All games."""
    found = []
    for name, cls in games.classes().items():
        game = games.game(name)
        found.append(
            GameInfo(
                name=name,
                title=game.title,
                rules=_prose(cls),
                players=game.num_players,
                chance=game.num_outcomes > 0,
                fields=form_of(cls),
                svg=games.lively_svg(name),
                levels=[level.level for level in _levels(game)],
            )
        )
    return found


@router.post("/games/open")
async def open_game(games: TheGames, preparation: ThePreparation, wish: GameWish) -> OpenGame:
    """Make a game with its parameters ready to be played; it may have to compile, so ask again."""
    return _opened(games.game(wish.game), preparation)


@router.get("/games/open")
async def see_open_game(games: TheGames, preparation: ThePreparation, game: Annotated[GameSpec, Query()]) -> OpenGame:
    """The same, to ask how far it is."""
    return _opened(games.game(game), preparation)


@router.get("/agents")
async def list_agents(games: TheGames, game: Annotated[GameSpec, Query()]) -> list[AgentInfo]:
    """The registered agents, and whether they can play the game. Trained ones are files."""
    made = games.game(game)
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


def _opened(game: Game, preparation: Preparation) -> OpenGame:
    state, message, compiling = preparation.game(game)
    return OpenGame(
        game=game.spec,
        title=game.title,
        rules=_prose(type(game)),
        players=[game.player_name(p) for p in range(game.num_players)],
        actions=game.num_actions,
        chance=game.num_outcomes > 0,
        learnable=game.num_cells > 0,
        start_svg=game.draw(game.start().state),
        levels=_levels(game),
        adviser=_adviser(game, preparation),
        state=state,
        message=message,
        compiling=compiling,
    )


@router.get("/levels")
async def list_levels(games: TheGames, game: Annotated[GameSpec, Query()]) -> list[LevelLine]:
    """How strong the opponents of a game can be, from the weakest on, and who plays at each level."""
    return _levels(games.game(game))


@router.get("/adviser")
async def see_adviser(games: TheGames, preparation: ThePreparation, game: Annotated[GameSpec, Query()]) -> AdviserLine:
    """Who gives hints and values for a game where nobody is chosen for it."""
    return _adviser(games.game(game), preparation)


def _levels(game: Game) -> list[LevelLine]:
    return [
        LevelLine(level=cast(LevelName, level.name), title=level.title, player=level.player)
        for level in levels(game).values()
    ]


def _adviser(game: Game, preparation: Preparation) -> AdviserLine:
    adviser = preparation.adviser(game)
    choice = (
        AgentChoice(level="strong") if adviser.path else AgentChoice(agent=adviser.agent, options=dict(adviser.options))
    )
    return AdviserLine(
        choice=choice, label=adviser.label, exact=adviser.agent is not None and adviser.agent == exact_player(game)
    )


def _prose(cls: type) -> str:
    """The docstring of a class as one paragraph."""
    return " ".join((inspect.getdoc(cls) or "").split())
