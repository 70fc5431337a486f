"""From what a page asks for to a tournament: every limit and every name is checked here, agents and starts are tried
out in a worker process, so that whatever is wrong is told before anything is queued, with the field that it is in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi.concurrency import run_in_threadpool
from pydantic import Field

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.matches.match import require_adjudication
from boardlab.rng import fresh_seed
from boardlab.tournament.wish import TournamentWish
from boardlab.web.library.agents import AgentLibrary, ChosenAgent
from boardlab.web.library.games import GameLibrary
from boardlab.web.runs.run_requests import Word, refuse_evaluator
from boardlab.web.server.errors import Problem
from boardlab.web.server.models import AgentChoice, ApiRequest, GameSpec, Seed
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.tournaments.tournaments import FormatName, Plan, Tournament, Tournaments
from boardlab.web.workers.pool import WorkerPool

__all__ = ["TournamentRequest", "TournamentRequests"]

CHECK_SECONDS = 60.0
"""How long it may take to find out whether a tournament can be played."""


class TournamentRequest(ApiRequest):
    """A tournament."""

    game: GameSpec
    entrants: Annotated[list[AgentChoice], Field(min_length=1, max_length=1000)]
    """Who takes part; the first ones are the challengers of a gauntlet, and the best seeds of a knockout."""
    format: FormatName = "round-robin"
    games: Annotated[int, Field(ge=1, le=1_000_000)] = 10
    """Of those who meet, in whole sets of seat orders."""
    rounds: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Of the Swiss system; as many as it needs, when left out."""
    challengers: Annotated[int, Field(ge=1, le=1000)] = 1
    """How many agents play the gauntlet."""
    starts: Literal["start", "random", "evaluator"] = "start"
    """Where games start: at the start of the game, after random plies, or at the positions of an evaluator."""
    plies: Annotated[int, Field(ge=0, le=1000)] = 4
    """Random plies before a game."""
    positions: Annotated[int, Field(ge=1, le=10_000)] = 100
    """So many different starts after random plies."""
    evaluator: Word | None = None
    """Whose positions are the starts."""
    iterations: Annotated[int, Field(ge=1, le=10**12)] | None = None
    """Of a move, for agents that have them and do not say."""
    time: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)] | None = None
    """The same: seconds by the clock."""
    cpu_time: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)] | None = None
    """The same: seconds of CPU time."""
    move_limit: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)] | None = None
    """Seconds after which a move is a lost game; as many as the arena allows, when left out."""
    adjudicate: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    """So many plies after the start the solver ends games that it knows; they are played out, when left out."""
    anchor: Annotated[int, Field(ge=0, le=1000)] | None = None
    """The entrant whose rating is given, by number; the mean of all is 0, when left out."""
    anchor_rating: Annotated[float, Field(ge=-100_000, le=100_000, allow_inf_nan=False)] = 1500.0
    prior: Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)] = 1.0
    """Games that the prior of the ratings is worth."""
    seed: Seed | None = None

    @property
    def starts_text(self) -> str:
        """As the command line has it."""
        if self.starts == "random":
            return f"random:{self.plies}:{self.positions}"
        return f"evaluator:{self.evaluator}" if self.starts == "evaluator" else "start"


@dataclass(frozen=True)
class _Checked:
    """A request that can be fulfilled."""

    game: Game
    wish: TournamentWish
    chosen: list[ChosenAgent]
    plan: Plan


@dataclass(frozen=True)
class TournamentRequests:
    """Makes tournaments of requests, with the parts of the arena that it takes."""

    settings: ArenaSettings
    games: GameLibrary
    agents: AgentLibrary
    workers: WorkerPool
    tournaments: Tournaments

    async def queue(self, request: TournamentRequest) -> Tournament:
        """Check a request and queue the tournament."""
        self.tournaments.refuse_more()
        checked = await self._checked(request)
        return await run_in_threadpool(
            self.tournaments.create, checked.game, checked.wish, checked.chosen, checked.plan
        )

    async def estimate(self, request: TournamentRequest) -> Plan:
        """What a tournament would be; nothing is queued."""
        return (await self._checked(request)).plan

    async def _checked(self, request: TournamentRequest) -> _Checked:
        self._refuse_limits(request)
        game = self.games.game(request.game)
        if request.starts == "evaluator":
            if request.evaluator is None:
                raise Problem(422, "evaluator: choose the one at whose positions the games start")
            refuse_evaluator("evaluator", request.evaluator, game)
        if request.adjudicate is not None:
            _refuse_adjudication(game)
        chosen = await run_in_threadpool(self._chosen, game, request.entrants)
        wish = self._wish(game, request, chosen)
        job = {"job": "check_tournament", "wish": wish.model_dump(mode="json")}
        plan = Plan.model_validate(
            await self.workers.run({**job, "most_games": self.settings.tournament_games}, CHECK_SECONDS)
        )
        if request.anchor is not None:
            anchor = f"{plan.names[request.anchor]}={request.anchor_rating:g}"
            wish = wish.model_copy(update={"anchor": anchor})
        return _Checked(game, wish, chosen, plan)

    def _refuse_limits(self, request: TournamentRequest) -> None:
        settings, entrants = self.settings, len(request.entrants)
        if entrants > settings.tournament_entrants:
            most = settings.tournament_entrants
            raise Problem(422, f"entrants: the arena allows {most:,} in a tournament, not {entrants:,}")
        if request.anchor is not None and request.anchor >= entrants:
            raise Problem(422, f"anchor: there are entrants 0 to {entrants - 1}, not {request.anchor}")
        if request.time is not None and request.cpu_time is not None:
            raise Problem(422, "cpu_time: a move has seconds by the clock or seconds of CPU time, not both")
        limit = self._move_limit(request)
        if limit > settings.seconds_per_move:
            most_seconds = f"{settings.seconds_per_move:g}"
            raise Problem(422, f"move_limit: the arena allows {most_seconds} seconds for a move, not {limit:g}")
        for name, seconds in (("time", request.time), ("cpu_time", request.cpu_time)):
            if seconds is not None and seconds > limit:
                raise Problem(
                    422, f"{name}: after {limit:g} seconds a move is a lost game, so {seconds:g} are too many"
                )

    def _move_limit(self, request: TournamentRequest) -> float:
        return self.settings.seconds_per_move if request.move_limit is None else request.move_limit

    def _chosen(self, game: Game, entrants: Sequence[AgentChoice]) -> list[ChosenAgent]:
        """The agents; what is wrong with one of them is told with its number."""
        found = []
        for number, choice in enumerate(entrants):
            try:
                found.append(self.agents.agent(game, choice))
            except Problem as problem:
                raise Problem(problem.status, f"entrants.{number}: {problem.sentence}") from problem
            except BoardlabError as error:
                raise Problem(422, f"entrants.{number}: {error}") from error
        return found

    def _wish(self, game: Game, request: TournamentRequest, chosen: Sequence[ChosenAgent]) -> TournamentWish:
        return TournamentWish(
            game=game.spec,
            agents=[agent.spec for agent in chosen],
            names=_names(chosen),
            format=request.format,
            games=request.games,
            starts=request.starts_text,
            rounds=request.rounds,
            challengers=request.challengers,
            iterations=request.iterations,
            time=request.time,
            cpu_time=request.cpu_time,
            move_limit=self._move_limit(request),
            seed=fresh_seed() if request.seed is None else request.seed,
            adjudicate=request.adjudicate,
            anchor="",  # it is known when the names are
            prior=request.prior,
        )


def _refuse_adjudication(game: Game) -> None:
    try:
        require_adjudication(game)
    except BoardlabError as error:
        raise Problem(422, f"adjudicate: {error}") from error


def _names(chosen: Sequence[ChosenAgent]) -> dict[str, str]:
    """Names for those whose text would not do, as it has a path of the server in it, or is a level; all different."""
    often = Counter(agent.label for agent in chosen)
    names: dict[str, str] = {}
    for number, agent in enumerate(chosen, 1):
        if agent.label != agent.spec:
            names[agent.spec] = agent.label if often[agent.label] == 1 else f"{agent.label} ({number})"
    return names
