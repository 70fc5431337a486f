"""`measure_balance`: play the games of a plan on all cores, and make figures of them.

    >>> from boardlab.balance.measure import measure_balance
    >>> print(measure_balance("nim:stones=3..5", folder="nim", minutes=0.2))

All games of one game are played together, so that the processes are started once; every one has random numbers of its
own, and is written down as soon as it is over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from boardlab.agents.classes import find_agent_class
from boardlab.agents.mcts import TreeAgent
from boardlab.agents.perfect import MOST_POSITIONS, seems_solvable
from boardlab.agents.registry import is_agent_file
from boardlab.balance.course import ExactScores, course_of
from boardlab.balance.figures import (
    BalanceReport,
    GameFigures,
    LevelFigures,
    level_figures,
    skill_step,
    steps_by_score,
)
from boardlab.balance.journal import Journal
from boardlab.balance.plan import RANDOM, GamePlan, Plan, Wish, make_plan, perfect_player
from boardlab.balance.ranges import games_of
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.matches.play import Fixture, GameRecord, Progress, play_fixtures
from boardlab.position import Position
from boardlab.registry import make, split_spec
from boardlab.rng import fresh_seed, make_rng
from boardlab.solvers.base import solver_of
from boardlab.solvers.judge import judge_of
from boardlab.system.machine import cores

__all__ = ["figures_of", "measure_balance", "measurement"]

_JOB_STREAMS = 1 << 20
"""Random streams of the games of a job; a job has fewer games."""
_START_STREAMS = 1 << 40
"""Where the random streams of the start positions begin."""

Place = tuple[int, int, int]
"""The numbers of game, job and fixture."""
Records = dict[Place, GameRecord]


def measure_balance(
    spec: str,
    folder: str | Path,
    *,
    levels: Sequence[str] = (),
    agents: Sequence[str] = (),
    games: int | None = None,
    minutes: float = 2.0,
    pie: bool = False,
    random_plies: int = 0,
    seed: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> BalanceReport:
    """Measure how balanced a game is, or each game of a range as `hex:size=4..7`. The games are kept in the folder; the
    same call goes on with what is there. Without `levels` and `games`, these are chosen to take about so many minutes.
    With several `workers` the calling program has to be one that can be spawned again, see `play_fixtures`."""
    wish = Wish(spec, tuple(levels), tuple(agents), games, minutes, pie, random_plies, seed)
    _, play = measurement(wish, Path(folder), workers or cores())
    return play(progress)


def measurement(wish: Wish, folder: Path, workers: int) -> tuple[Plan, Callable[[Progress | None], BalanceReport]]:
    """The plan of a measurement, that of the folder where one was begun there, and what carries it out."""
    spread = games_of(wish.spec)
    made = [make(spec) for spec, _ in spread]
    journal = Journal(folder)
    plan = journal.plan()
    if plan is None:
        seed = fresh_seed() if wish.seed is None else wish.seed
        plan = make_plan(list(zip(made, (varied for _, varied in spread), strict=True)), wish, seed, workers)
        journal.begin(plan)
    elif plan.asked != wish.asked():
        raise BoardlabError(
            f"{folder} has another measurement, of {plan.asked.get('game')}: give another folder with --out, or ask for"
            " the same again to go on with it"
        )

    def play(progress: Progress | None = None) -> BalanceReport:
        assert plan is not None
        _play(plan, made, journal, workers, progress)
        return figures_of(plan, made, journal.games(made))

    return plan, play


# ---------------------------------------------------------------- playing


def _play(plan: Plan, games: list[Game], journal: Journal, workers: int, progress: Progress | None) -> None:
    """Play what is not in the journal yet."""
    known = journal.games(games)
    total = sum(job.games for game in plan.games for job in game.jobs)
    done = len(known)
    for number, game in enumerate(games):
        contestants, seated = _contestants(plan.games[number], game)
        places = [
            (number, j, k)
            for j, job in enumerate(plan.games[number].jobs)
            for k in range(job.games)
            if (number, j, k) not in known
        ]
        exact = bool(places) and _exact_scores(game) is not None
        fixtures = {place: _fixture(plan, game, place, seated[place[1]], exact) for place in places}
        for plain in (True, False):  # those that are nothing but games are played in machine code
            some = [place for place in places if fixtures[place].is_plain == plain]

            def witness(fixture: int, record: GameRecord, some: list[Place] = some) -> None:
                journal.add(some[fixture], record)

            def tell(played: int, _: int, before: int = done) -> None:
                if progress is not None:
                    progress(before + played, total)

            if some:
                chosen = [fixtures[place] for place in some]
                play_fixtures(game, contestants, chosen, plan.seed, workers=workers, progress=tell, witness=witness)
                done += len(some)


def _contestants(plan: GamePlan, game: Game) -> tuple[list[str], list[list[tuple[int, ...]]]]:
    """Who plays, and for each job the seatings that take turns. Who grows a tree is there once for every seat, so that
    nobody sees the tree of another one."""
    names: list[str] = []
    places: dict[str, list[int]] = {}
    for agent in plan.levels:
        grows = not is_agent_file(agent) and issubclass(find_agent_class(split_spec(agent)[0]), TreeAgent)
        copies = game.num_players if grows else 1
        places[agent] = [len(names) + seat % copies for seat in range(game.num_players)]
        names += [agent] * copies
    seated = []
    for job in plan.jobs:
        first, other = places[job.agents[0]], places[job.agents[-1]]
        own = [range(game.num_players)] if len(job.agents) == 1 else [[seat] for seat in range(game.num_players)]
        seated.append([tuple((first if s in seats else other)[s] for s in range(game.num_players)) for seats in own])
    return names, seated


def _fixture(plan: Plan, game: Game, place: Place, seatings: list[tuple[int, ...]], exact: bool) -> Fixture:
    """One game to be played. What the players expect is asked for where nobody knows better."""
    number, job, game_number = place
    agents = plan.games[number].jobs[job].agents
    alone = len(agents) == 1
    return Fixture(
        seatings[game_number % len(seatings)],
        start_of(plan, game, place),
        number=(number * len(plan.games[number].jobs) + job) * _JOB_STREAMS + game_number,
        pie=plan.pie and alone,
        opinions=alone and not exact and agents[0] != RANDOM and game.num_players > 1,
    )


def start_of(plan: Plan, game: Game, place: Place) -> bytes | None:
    """Where a game starts: after random plies, the same in all seatings of a start; None for the start of the game."""
    if plan.random_plies == 0:
        return None
    number, job, game_number = place
    alone = len(plan.games[number].jobs[job].agents) == 1
    start = game_number if alone else game_number // game.num_players
    rng = make_rng(plan.seed, _START_STREAMS + start)
    while True:
        states = np.zeros(1, game.state).view(np.recarray)
        game.reset(states[0])
        game.random_plies(states[0], plan.random_plies, rng)
        if not Position(game, states[0]).is_over:
            state: bytes = states.tobytes()
            return state


# ---------------------------------------------------------------- figures


def figures_of(plan: Plan, games: Sequence[Game], records: Records) -> BalanceReport:
    """The figures of all games of a plan."""
    found = [_game_figures(plan, number, game, records) for number, game in enumerate(games)]
    return BalanceReport(plan.seed, plan.pie, plan.random_plies, tuple(found))


def _game_figures(plan: Plan, number: int, game: Game, records: Records) -> GameFigures:
    planned = plan.games[number]
    exact = _exact_scores(game)
    names, _ = _contestants(planned, game)
    levels: list[LevelFigures] = []
    alone: dict[str, list[GameRecord]] = {}
    steps = []
    for j, job in enumerate(planned.jobs):
        places = [(number, j, k) for k in range(job.games)]
        played = [records[place] for place in places]
        if len(job.agents) == 1:
            courses = [
                course_of(game, record, start_of(plan, game, place), exact)
                for place, record in zip(places, played, strict=True)
            ]
            levels.append(level_figures(game, job.agents[0], played, courses, plan.pie))
            alone[job.agents[0]] = played
        else:
            own = [[names[who] for who in record.seats].index(job.agents[0]) for record in played]
            steps.append(skill_step((job.agents[0], job.agents[1]), played, own, game.num_players))
    ladder = tuple(level for level in planned.levels if level not in planned.others)
    if game.num_players == 1:
        steps = steps_by_score([(agent, alone[agent]) for agent in planned.levels])
    return GameFigures(
        game=game.spec,
        title=game.title,
        players=_seat_names(game, plan.pie),
        varied=planned.varied,
        perfect=_perfect_scores(game),
        led_by="exact values" if exact else "what the players expect",
        levels=tuple(levels),
        steps=tuple(steps),
        ladder=ladder,
    )


def _seat_names(game: Game, pie: bool) -> tuple[str, ...]:
    """What the seats are called; with the pie rule, who began may play either side."""
    if pie:
        return ("first player", "second player")
    return tuple(game.player_name(player) for player in range(game.num_players))


@lru_cache(maxsize=4)
def _exact_scores(game: Game) -> ExactScores | None:
    """Exact values of all positions of a small game, asked for once; None where the game is too large."""
    if game.num_outcomes > 0 or not perfect_player(game) or judge_of(game).scores(game.start()) is None:
        return None
    judge = judge_of(game)
    known: dict[bytes, tuple[float, ...] | None] = {}

    def exact(position: Position) -> tuple[float, ...] | None:
        state: bytes = position.state.tobytes()
        if state not in known:
            known[state] = judge.scores(position)
        return known[state]

    return exact


def _perfect_scores(game: Game) -> tuple[float, ...] | None:
    """What perfect play from the start brings, where that can be told soon: in small games, or from an opening book."""
    start = game.start()
    if game.num_players == 1 or start.is_chance:
        return None
    own = solver_of(game)
    book = own.book() if own else None
    if seems_solvable(game) or (book is not None and book.file.exists()):
        return judge_of(game, MOST_POSITIONS).scores(start)
    return None
