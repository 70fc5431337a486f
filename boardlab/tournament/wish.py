"""What somebody asks for when agents shall meet: the same on the command line, in a TOML file and in Python."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from boardlab.components.models import Model, read_model
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.matches.match import require_adjudication
from boardlab.tournament.entrants import Budget, Entrant, enter
from boardlab.tournament.plan import FORMATS, Format, Gauntlet, Swiss
from boardlab.tournament.sets import Sets
from boardlab.tournament.starts import Start, starts_of

__all__ = ["TournamentWish", "arrange", "entrants_of", "make_format", "read_tournament_file", "read_wish"]


class TournamentWish(Model):
    """A tournament that somebody wants."""

    game: str = Field(description="the game")
    agents: list[str] = Field([], description="who takes part: specifications, agent files, folders of them")
    names: dict[str, str] = Field({}, description="names for some of the agents")
    format: Literal["round-robin", "gauntlet", "swiss", "knockout"] = Field(
        "round-robin", description="how the agents meet"
    )
    games: int = Field(10, ge=1, le=1_000_000, description="games of those who meet, in whole sets of seat orders")
    starts: str = Field("start", description="where games start: start, random:PLIES, evaluator:NAME or a file")
    rounds: int | None = Field(None, ge=1, le=1000, description="rounds of the Swiss system")
    challengers: int = Field(1, ge=1, le=1000, description="how many agents play the gauntlet, the first ones")
    iterations: int | None = Field(None, ge=1, description="iterations of a move, for agents that have them")
    time: float | None = Field(None, gt=0.0, description="seconds of a move, for agents that can be told")
    cpu_time: float | None = Field(None, gt=0.0, description="seconds of CPU time of a move")
    move_limit: float = Field(60.0, gt=0.0, le=86_400, description="seconds after which a move is a lost game")
    seed: int = Field(1, ge=0, le=999_999_999_999, description="makes the tournament repeatable")
    adjudicate: int | None = Field(
        None, ge=0, le=1_000_000, description="plies after the start from which on the solver ends games that it knows"
    )
    anchor: str = Field("", description="an agent whose rating is given, as NAME or NAME=1500")
    prior: float = Field(1.0, gt=0.0, le=1000.0, description="games that the prior of the ratings is worth")

    @property
    def budget(self) -> Budget:
        """What everybody may use for a move."""
        return Budget(self.iterations, self.time, self.cpu_time)


def read_tournament_file(path: Path) -> dict[str, Any]:
    """The fields of a wish from a TOML file; agents are texts in `agents`, or tables [[agent]] with `agent` and
    `name`."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BoardlabError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BoardlabError(f"{path} is not TOML: {error}") from error
    tables = content.pop("agent", [])
    agents, names = list(content.get("agents", [])), dict(content.get("names", {}))
    for table in tables if isinstance(tables, list) else [tables]:
        if not isinstance(table, dict) or not isinstance(table.get("agent"), str) or not table.keys() <= _OF_AN_AGENT:
            raise BoardlabError(f'an agent in {path} is a table [[agent]] with agent = "mcts" and, if wanted, a name')
        agents.append(table["agent"])
        if "name" in table:
            names[table["agent"]] = str(table["name"])
    return {**content, "agents": agents, "names": names}


_OF_AN_AGENT = {"agent", "name"}


def read_wish(fields: dict[str, Any]) -> TournamentWish:
    """The wish of these fields; a mistake is told in a sentence."""
    return read_model(TournamentWish, fields, "a tournament")


def make_format(wish: TournamentWish, game: Game) -> Format:
    """The format that is wished for, with its entrants and starts."""
    return arrange(wish, game, entrants_of(wish, game), starts_of(game, wish.starts, wish.seed))


def entrants_of(wish: TournamentWish, game: Game) -> list[Entrant]:
    """Those who take part."""
    return enter(game, wish.agents, names=wish.names, budget=wish.budget)


def arrange(wish: TournamentWish, game: Game, entrants: Sequence[Entrant], starts: Sequence[Start]) -> Format:
    """The format that is wished for, for these entrants and starts."""
    if wish.adjudicate is not None:
        require_adjudication(game)
    sets = Sets(game.spec, starts, wish.seed, wish.adjudicate)
    cls = FORMATS[wish.format]
    if cls is Gauntlet:
        return Gauntlet(entrants, game.num_players, sets, wish.games, challengers=wish.challengers)
    if cls is Swiss:
        return Swiss(entrants, game.num_players, sets, wish.games, rounds=wish.rounds or 0)
    return cls(entrants, game.num_players, sets, wish.games)
