"""What a measurement of balance plays: which agents, which pairs, how many games, so that it fits into a time.

The ladder of strengths is random play, then Monte Carlo tree search with four times as many iterations at each step. A
few games tell how long others will take; then as many are planned as the budget allows, and the costly end of the
ladder is left out where it would allow too few. The plan is kept with the games, so that a measurement that was
interrupted goes on as it was planned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from time import perf_counter, thread_time
from typing import Any

from pydantic import BaseModel, ConfigDict

from boardlab.agents.perfect import seems_solvable
from boardlab.agents.registry import make_agent
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.matches.pie import require_pie
from boardlab.matches.play import Fixture, play_game
from boardlab.solvers.base import solver_class

__all__ = ["GamePlan", "Job", "Plan", "make_plan", "perfect_player"]

RANDOM = "random"
BUDGETS = (25, 100, 400, 1600, 6400)
"""Iterations of the steps of the ladder."""
FEWEST_GAMES, MOST_GAMES = 50, 1000
_TRIAL = 25
_DEAR = 0.2
"""A perfect player who takes more than this part of the time is left out before the strongest search is."""
_SHARE = 0.8
"""The part of the budget that is planned for: compilation and the report take some of it, too."""


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Job(_Kept):
    """Games of one kind: an agent against itself (one name), or a stronger one against a weaker one (two names)."""

    agents: tuple[str, ...]
    games: int


class GamePlan(_Kept):
    """What is played of one game."""

    game: str
    varied: dict[str, int] = {}
    """The values of the parameters that vary."""
    levels: tuple[str, ...]
    """The agents, from the weakest to the strongest of the ladder, then the perfect one and others."""
    others: tuple[str, ...] = ()
    """Those of them that are no step of the ladder."""
    jobs: tuple[Job, ...]
    seconds: float
    """How long all of it takes on one core, as far as the trial tells."""


class Plan(_Kept):
    """A whole measurement."""

    version: int = 1
    asked: dict[str, Any]
    """What the user asked for, to see whether somebody asks for the same again."""
    seed: int
    pie: bool
    random_plies: int
    games: tuple[GamePlan, ...]


@dataclass(frozen=True)
class Wish:
    """What a user asks for; None: the plan decides."""

    spec: str
    levels: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    games: int | None = None
    minutes: float = 2.0
    pie: bool = False
    random_plies: int = 0
    seed: int | None = None

    def asked(self) -> dict[str, Any]:
        """The wish as plain data, without what may differ when a measurement goes on."""
        return {
            "game": self.spec,
            "levels": list(self.levels),
            "agents": list(self.agents),
            "games": self.games,
            "minutes": self.minutes,
            "pie": self.pie,
            "random_plies": self.random_plies,
            "seed": self.seed,
        }


@lru_cache(maxsize=32)
def perfect_player(game: Game) -> str:
    """The agent that plays a small game perfectly; empty where that would take long, or nobody can."""
    if game.num_players == 1 or not seems_solvable(game):
        return ""
    own = solver_class(game)
    name = own.player if own else "perfect"
    try:
        make_agent(name, game)
    except BoardlabError:
        return ""
    return name


def make_plan(games: Sequence[tuple[Game, dict[str, int]]], wish: Wish, seed: int, workers: int) -> Plan:
    """Plan the measurement of these games, each with the values that vary."""
    if wish.pie:
        for game, _ in games:
            require_pie(game)
    seconds = 60.0 * wish.minutes * workers * _SHARE / len(games)
    planned = [_plan_game(game, varied, wish, seconds) for game, varied in games]
    return Plan(asked=wish.asked(), seed=seed, pie=wish.pie, random_plies=wish.random_plies, games=tuple(planned))


def _plan_game(game: Game, varied: dict[str, int], wish: Wish, seconds: float) -> GamePlan:
    costs: dict[str, float] = {}

    def cost(agent: str) -> float:
        if agent not in costs:
            costs[agent] = _seconds_a_game(game, agent)
        return costs[agent]

    if wish.levels:
        ladder = list(wish.levels)
    else:
        start, step = cost(RANDOM), cost(_mcts(_TRIAL))
        slope = max(0.0, step - start) / _TRIAL
        costs.update({_mcts(budget): start + slope * budget for budget in BUDGETS})
        ladder = [RANDOM, *map(_mcts, BUDGETS)]
    perfect = "" if wish.levels else perfect_player(game)
    others = [*([perfect] if perfect else []), *wish.agents]
    while True:
        kinds = _kinds(game, ladder, others)
        each = sum(sum(map(cost, kind)) / len(kind) for kind in kinds)
        most = int(seconds / max(each, 1e-6))
        if wish.games or wish.levels or most >= FEWEST_GAMES:
            break
        if perfect in others and cost(perfect) > _DEAR * each:
            others.remove(perfect)
        elif len(ladder) > 2:
            ladder.pop()
        else:
            break
    number = wish.games or max(FEWEST_GAMES, min(MOST_GAMES, most))
    number = -(-number // game.num_players) * game.num_players
    return GamePlan(
        game=game.spec,
        varied=varied,
        levels=(*ladder, *others),
        others=tuple(others),
        jobs=tuple(Job(agents=kind, games=number) for kind in kinds),
        seconds=each * number,
    )


def _kinds(game: Game, ladder: list[str], others: list[str]) -> list[tuple[str, ...]]:
    """Everybody against himself; and each step of the ladder against the one below, the others against its top."""
    alone: list[tuple[str, ...]] = [(agent,) for agent in (*ladder, *others)]
    if game.num_players == 1:
        return alone
    steps = [(stronger, weaker) for weaker, stronger in pairwise(ladder)]
    return [*alone, *steps, *((other, ladder[-1]) for other in others if ladder)]


def _mcts(iterations: int) -> str:
    return f"mcts:iterations={iterations}"


def _seconds_a_game(game: Game, agent: str) -> float:
    """How long a game of an agent against itself takes; the first one, which may compile, does not count. CPU time, so
    that a busy machine plans as an idle one does; but nobody knows that of another program."""
    made = make_agent(agent, game)
    clock = perf_counter if made.runs_programs else thread_time
    fixture = Fixture((0,) * game.num_players)
    play_game(game, [made], fixture, 1, 0)
    begin, number = clock(), 0
    while number < 20 and clock() - begin < (1.0 if number < 3 else 0.3):
        number += 1
        play_game(game, [made], fixture, 1, number)
    return (clock() - begin) / number
