"""How long a sweep takes, and how much memory, before it runs: by runs that are there already, or by short trials.

Learning is tried once for each kind of learner: game, algorithm, rule, traces, tuples. Numbers such as step sizes make
no difference, unless they are zero. An evaluation is tried once for each evaluator: its opponent takes most time.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import log2
from statistics import fmean
from typing import Any, NamedTuple

from boardlab.agents.learning import LearningAgent
from boardlab.lab.planning import compile_training, lessons_of, make_plan, new_learner
from boardlab.lab.stop import Stop
from boardlab.lab.sweeps.results import FINISHED, Results, RunResult
from boardlab.lab.sweeps.runs import Run
from boardlab.lab.training import Plan
from boardlab.registry import make

__all__ = ["PROCESS_MEMORY", "STARTING_SECONDS", "Expected", "expect"]

PROCESS_MEMORY = 300 << 20
"""Bytes of a process that has loaded everything, besides what it learns."""
STARTING_SECONDS = 1.0
"""CPU seconds until a process has loaded everything."""
_LEARNING_SECONDS = 0.2
_LOADING_SECONDS = 0.5
_EVALUATION_SECONDS = 1.5
_MOST_POWER = 0.5
_PATIENCE = 10.0
"""CPU seconds after which only the first learner of a game is still tried, and others are taken to be as fast."""
_MAKES_NO_DIFFERENCE = ("seed", "episodes")
_DECIDE_LENGTHS = ("lam", "horizon_cut")
"""How many states a trace has: numbers that do make a difference."""


@dataclass
class Expected:
    """What the runs of a sweep are expected to take."""

    seconds: dict[str, float]
    """CPU seconds of a run, by variant."""
    how: str = "about"
    """How well that is known: `about`; `roughly`, where not every kind of learner was tried, or where games become
    longer by learning."""

    def of(self, run: Run) -> float:
        """CPU seconds of a run."""
        return self.seconds[run.variant.label]

    def learn(self, variant: str, done: Sequence[float]) -> None:
        """Take the CPU times of runs of a variant that are finished now."""
        self.seconds[variant] = fmean(done)


def expect(runs: Sequence[Run], known: Results) -> Expected:
    """What the runs will take."""
    firsts: dict[str, Run] = {}
    for run in runs:
        firsts.setdefault(run.variant.label, run)
    done: dict[str, list[RunResult]] = {}
    for found in known:
        if found.status == FINISHED and found.cpu_seconds:
            done.setdefault(found.variant, []).append(found)
    speeds = _Speeds()
    for of_variant in done.values():
        speeds.learn_from(of_variant[0])
    seconds = {
        label: fmean(one.cpu_seconds or 0.0 for one in done[label]) if label in done else speeds.seconds(run)
        for label, run in firsts.items()
    }
    return Expected(seconds, speeds.how)


@dataclass
class _Speeds:
    """CPU seconds of an episode and of an evaluation, as far as they are known."""

    episode: dict[str, dict[str, float]] = field(default_factory=dict)
    """By game, then by kind of learner."""
    evaluation: dict[str, float] = field(default_factory=dict)
    """By what is measured."""
    how: str = "about"
    spent: float = 0.0
    """CPU seconds of all trials so far."""

    def learn_from(self, found: RunResult) -> None:
        """Take the speeds of a run that is finished."""
        curve, decides = found.curve, found.decides
        if curve is None or not found.history.seconds or found.cpu_seconds is None:
            return
        of_game = self.episode.setdefault(decides["game"], {})
        of_game[_learner_kind(decides)] = found.history.seconds / float(curve.episodes[-1])
        self.evaluation[_measure_kind(decides)] = (found.cpu_seconds - found.history.seconds) / len(curve.episodes)

    def seconds(self, run: Run) -> float:
        """CPU seconds of a run, by what is known, or by a trial."""
        decides = run.decides
        of_game = self.episode.setdefault(decides["game"], {})
        kind, measure = _learner_kind(decides), _measure_kind(decides)
        if measure not in self.evaluation or not of_game or (kind not in of_game and self.spent < _PATIENCE):
            began = time.process_time()
            episode, evaluation = _trial(run, with_evaluation=measure not in self.evaluation)
            of_game.setdefault(kind, episode)
            self.evaluation.setdefault(measure, evaluation)
            self.spent += time.process_time() - began
        if kind not in of_game or make(run.wish.game or "").num_players == 1:
            self.how = "roughly"
        every = decides["evaluate_every"]
        evaluations = -(-run.episodes // every) if every else 1
        episode = of_game.get(kind, fmean(of_game.values()))
        return episode * run.episodes + evaluations * self.evaluation[measure]


def _learner_kind(decides: dict[str, Any]) -> str:
    """What an episode takes its time by."""
    parameters = {
        name: value != 0 if isinstance(value, float) and name not in _DECIDE_LENGTHS else value
        for name, value in decides["parameters"].items()
        if name not in _MAKES_NO_DIFFERENCE
    }
    return json.dumps([decides["agent"], decides.get("from_games"), parameters], sort_keys=True)


def _measure_kind(decides: dict[str, Any]) -> str:
    """What an evaluation takes its time by."""
    names = ("game", "evaluator", "against", "second_evaluator", "second_against", "evaluation_games")
    return json.dumps([decides[name] for name in names])


def _trial(run: Run, *, with_evaluation: bool) -> tuple[float, float]:
    """CPU seconds of an episode and of an evaluation, by the first moments of a run. Machine code that is not on the
    disk is compiled on the way, once and not by several processes."""
    stop, wish = Stop(), run.wish
    game = make(wish.game or "")
    lessons = lessons_of(wish, game)
    agent = new_learner(game, wish, lessons)
    watch = _Stopwatch()
    plan = make_plan(agent, wish, stop, lessons=lessons, progress=watch.told, workers=1, beside=False)
    compile_training(agent, plan)
    episode = _episode_seconds(agent, plan)
    if not with_evaluation:
        return episode, 0.0
    measures = (plan.evaluate, plan.second.evaluate if plan.second else None)
    return episode, sum(watch.seconds(measure, agent, plan) for measure in measures if measure)


class _Stretch(NamedTuple):
    episodes: int
    seconds: float
    moves: int

    @property
    def rate(self) -> float:
        """CPU seconds of an episode."""
        return self.seconds / self.episodes


def _episode_seconds(agent: LearningAgent, plan: Plan) -> float:
    """CPU seconds of an episode, by the last of some stretches, each twice as long as the one before. In the first ones
    memory is touched for the first time."""
    stretches: list[_Stretch] = []
    while agent.episodes < plan.episodes and not _is_settled(stretches):
        stretches.append(_learn(agent, plan, min(max(1, agent.episodes), plan.episodes - agent.episodes)))
    longer = _growth(stretches, plan.episodes) if agent.game.num_players == 1 else 1.0
    return stretches[-1].rate * longer if stretches else 0.0


def _is_settled(stretches: Sequence[_Stretch]) -> bool:
    """Whether the last stretch is long enough, and an episode of it takes about as long as one of that before."""
    if len(stretches) < 2:
        return False
    before, last = stretches[-2:]
    settled = last.seconds > _LEARNING_SECONDS / 2 and before.rate < 1.5 * last.rate
    return settled or sum(one.seconds for one in stretches) > 10 * _LEARNING_SECONDS


def _growth(stretches: Sequence[_Stretch], episodes: int) -> float:
    """How much longer than in the last stretch games are in the mean of the whole training, where a player alone plays
    the longer the better he is: their length grows as a power of the episodes, as it does in 2048."""
    if len(stretches) < 4:
        return 1.0
    before, last = stretches[-4], stretches[-1]
    doubled = log2(last.episodes / before.episodes)
    power = log2(last.moves / last.episodes * before.episodes / max(1, before.moves)) / doubled if doubled else 0.0
    power = min(max(power, 0.0), _MOST_POWER)
    longer: float = (episodes / (1.5 * last.episodes)) ** power / (1.0 + power)
    return max(1.0, longer)


def _learn(agent: LearningAgent, plan: Plan, count: int) -> _Stretch:
    began = time.process_time()
    lessons = plan.lessons
    done = agent.train(count) if lessons is None else agent.learn_from(*lessons.stretch(agent.episodes, count))
    return _Stretch(count, time.process_time() - began, done.moves)


class _Enough(Exception):
    """The evaluation of a trial has taken long enough."""


class _Stopwatch:
    """How long an evaluation takes, by its first games."""

    def __init__(self) -> None:
        self._times: list[float] = []
        """CPU time when the evaluation began, and after each game."""
        self._patience = self._found = 0.0

    def told(self, done: int, games: int) -> None:
        """So many games of an evaluation are done. Those to come are like the later half of these: a perfect player
        finds the first ones hard, and remembers their positions."""
        if done == 0:
            self._times = []
        self._times.append(time.process_time())
        spent, half = self._times[-1] - self._times[0], len(self._times) // 2
        if half:
            later = (self._times[-1] - self._times[half - 1]) / (len(self._times) - half)
            self._found = spent + (games - done) * later
        if spent > self._patience:
            raise _Enough

    def seconds(self, evaluate: Callable[[LearningAgent], object], agent: LearningAgent, plan: Plan) -> float:
        """CPU seconds of an evaluation, which is given up as soon as they are known. The first attempt only loads what
        it needs: machine code, a perfect player. Before the others the agent learns, so that they are not the same."""
        counted = []
        for attempt in range(3):
            self._patience = _EVALUATION_SECONDS if attempt else _LOADING_SECONDS
            with suppress(_Enough):
                evaluate(agent)
            _learn(agent, plan, max(1, agent.episodes // 2))
            if attempt > 0:
                counted.append(self._found)
        return fmean(counted)
