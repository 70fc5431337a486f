"""How long a training takes, found by its first moments before it begins: for sweeps, the arena and `train --plan`.

An episode is tried until its time has settled, an evaluation by its first games. Machine code that is not on the disk
is compiled on the way, and the training itself finds it there.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import log2
from statistics import fmean
from typing import Any, NamedTuple

from boardlab.agents.learning import LearningAgent
from boardlab.lab.lessons import Lessons
from boardlab.lab.planning import compile_training, make_plan
from boardlab.lab.stop import Stop
from boardlab.lab.training import Plan
from boardlab.lab.wish import TrainingWish
from boardlab.system.machine import cores
from boardlab.words import range_text, time_text

__all__ = ["STARTING_SECONDS", "Expected", "Speed", "episode_kind", "evaluations_of", "try_out"]

STARTING_SECONDS = 1.0
"""CPU seconds until a process has loaded everything."""
_WORTH_PARTS = 10.0
"""Seconds: of less it does not matter what takes them."""
_LEARNING_SECONDS = 0.1
_MOST_LEARNING_SECONDS = 6.0
"""While the time of a move changes: a system that hands out 2 GB of memory stops for a second now and then."""
_LOADING_SECONDS = 0.5
_EVALUATION_SECONDS = 3.0
_FEWEST_GAMES = 12
"""By which an evaluation is judged, unless they take twice its seconds: the first ones may take nearly all of them."""
_MOST_POWER = 0.5
_MAKES_NO_DIFFERENCE = ("seed", "episodes")
_DECIDE_LENGTHS = ("lam", "horizon_cut")
"""How many states a trace has: numbers that do make a difference."""


class Speed(NamedTuple):
    """CPU seconds."""

    episode: float
    """Of one, in the mean of the whole training."""
    evaluation: float
    """Of one, by both evaluators where there are two."""

    def of(self, episodes: int, evaluations: int) -> float:
        """Of a training."""
        return self.episode * episodes + self.evaluation * evaluations

    def expect(self, episodes: int, evaluations: int, threads: int = 1) -> Expected:
        """By the clock, on this machine."""
        return Expected(self.episode * episodes / threads, evaluations, self.evaluation * evaluations)


class Expected(NamedTuple):
    """What a training takes on this machine as long as that has nothing else to do, in seconds."""

    learning: float
    evaluations: int
    evaluating: float
    """All evaluations, by a single core."""

    @property
    def shortest(self) -> float:
        """All cores play evaluations."""
        return STARTING_SECONDS + self.learning + self.evaluating / cores()

    @property
    def longest(self) -> float:
        """One core plays them."""
        return STARTING_SECONDS + self.learning + self.evaluating

    def __str__(self) -> str:
        said = f"about {range_text(self.shortest, self.longest)} on this machine"
        if self.longest < _WORTH_PARTS or not self.evaluations:
            return said
        times = "one evaluation" if self.evaluations == 1 else f"{self.evaluations:,} evaluations"
        evaluating = range_text(self.evaluating / cores(), self.evaluating)
        return f"{said} (learning {time_text(self.learning)}, {times} {evaluating})"


def evaluations_of(episodes: int, every: int, learned: int = 0) -> int:
    """How many evaluations a training of so many episodes in all has, after `learned` of them; 0: only at the end."""
    return -(-episodes // every) - learned // every if every else 1


def episode_kind(agent: str, parameters: Mapping[str, Any], from_games: str | None = None) -> str:
    """What an episode of a game takes its time by: learners of the same kind are as fast as each other."""
    matter = {
        name: value != 0 if isinstance(value, float) and name not in _DECIDE_LENGTHS else value
        for name, value in parameters.items()
        if name not in _MAKES_NO_DIFFERENCE
    }
    return json.dumps([agent, from_games, matter], sort_keys=True)


def try_out(
    agent: LearningAgent, wish: TrainingWish, lessons: Lessons | None = None, *, with_evaluation: bool = True
) -> Speed:
    """Learn and evaluate for a moment. The agent is another one afterwards."""
    watch = _Stopwatch()
    plan = make_plan(agent, wish, Stop(), lessons=lessons, progress=watch.told, workers=1, beside=False)
    compile_training(agent, plan)
    before = agent.episodes
    episode, longer = _learn_until_settled(agent, plan)
    if not with_evaluation:
        return Speed(episode * longer, 0.0)
    between = max(1, (agent.episodes - before) // 8)
    measures = (plan.evaluate, plan.second.evaluate if plan.second else None)
    evaluation = sum(watch.seconds(measure, agent, plan, between) for measure in measures if measure)
    return Speed(episode * longer, evaluation * longer)


class _Stretch(NamedTuple):
    episodes: int
    seconds: float
    moves: int

    @property
    def pace(self) -> float:
        """CPU seconds of a move."""
        return self.seconds / max(1, self.moves)


def _learn_until_settled(agent: LearningAgent, plan: Plan) -> tuple[float, float]:
    """CPU seconds of an episode, by the last of some stretches, each twice as long as the one before (in the first ones
    memory is touched for the first time), and how much longer games are in the mean of the whole training."""
    stretches: list[_Stretch] = []
    before = agent.episodes
    while agent.episodes < plan.episodes and not _is_settled(stretches):
        stretches.append(_learn(agent, plan, min(max(1, agent.episodes - before), plan.episodes - agent.episodes)))
    if not stretches:
        return 0.0, 1.0
    longer = _growth(stretches, plan.episodes) if agent.game.num_players == 1 and before == 0 else 1.0
    return stretches[-1].seconds / stretches[-1].episodes, longer


def _is_settled(stretches: Sequence[_Stretch]) -> bool:
    """Whether the last stretch is long enough, and a move takes about as long in the last three."""
    if sum(one.seconds for one in stretches) > _MOST_LEARNING_SECONDS and len(stretches) > 1:
        return True
    paces = sorted(one.pace for one in stretches[-3:])
    return len(paces) == 3 and stretches[-1].seconds > _LEARNING_SECONDS and paces[-1] < 1.5 * paces[0]


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
        self._times: list[tuple[int, float]] = []
        """Games, and the CPU time after them."""
        self._patience = self._found = 0.0

    def told(self, done: int, games: int) -> None:
        """So many games of an evaluation are done. Those to come are like the last quarter of these: a perfect player
        finds the first ones hard, and remembers their positions."""
        if done == 0:
            self._times = []
        now = time.process_time()
        self._times.append((done, now))
        spent = now - self._times[0][1]
        most, before = self._times[3 * (len(self._times) - 1) // 4]
        if done > most:
            self._found = spent + (games - done) * (now - before) / (done - most)
        if spent > self._patience * (1 if done >= _FEWEST_GAMES else 2):
            raise _Enough

    def seconds(
        self, evaluate: Callable[[LearningAgent], object], agent: LearningAgent, plan: Plan, between: int
    ) -> float:
        """CPU seconds of an evaluation, which is given up as soon as they are known. The first attempt only loads what
        it needs: machine code, a perfect player. Before the others the agent learns from some more episodes, so that
        they are not the same."""
        counted = []
        for attempt in range(3):
            self._patience = _EVALUATION_SECONDS if attempt else _LOADING_SECONDS
            with suppress(_Enough):
                evaluate(agent)
            _learn(agent, plan, between)
            if attempt > 0:
                counted.append(self._found)
        return fmean(counted)
