"""How long a sweep takes, and how much memory, before it runs: by runs of the same variant that are there already, or
by a trial of half a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import fmean

from boardlab.agents.learning import LearningAgent
from boardlab.lab.planning import compile_training, lessons_of, make_plan, new_learner
from boardlab.lab.stop import Stop
from boardlab.lab.sweeps.results import FINISHED, Results
from boardlab.lab.sweeps.runs import Run
from boardlab.lab.training import Plan
from boardlab.registry import make

__all__ = ["PROCESS_MEMORY", "Expected", "expect"]

PROCESS_MEMORY = 300 << 20
"""Bytes of a process that has loaded everything, besides what it learns."""
_TRIAL_SECONDS = 0.25


class _Enough(Exception):
    """The evaluation of a trial has taken long enough."""


@dataclass
class Expected:
    """What the runs of a sweep are expected to take."""

    seconds: dict[str, float]
    """CPU seconds of a run, by variant."""

    def of(self, run: Run) -> float:
        """CPU seconds of a run."""
        return self.seconds[run.variant.label]

    def learn(self, variant: str, done: Sequence[float]) -> None:
        """Take the CPU times of runs of a variant that are finished now."""
        self.seconds[variant] = fmean(done)


def expect(runs: Sequence[Run], known: Results) -> Expected:
    """What the runs will take. A variant of which no run is finished takes as long for each episode as the variants of
    the same game that were measured; where there is none, the first one of that game is tried."""
    firsts: dict[str, Run] = {}
    for run in runs:
        firsts.setdefault(run.variant.label, run)
    times: dict[str, list[float]] = {}
    for found in known:
        if found.status == FINISHED and found.cpu_seconds and found.variant in firsts:
            times.setdefault(found.variant, []).append(found.cpu_seconds)
    seconds = {label: fmean(spent) for label, spent in times.items()}
    games = {label: run.wish.game for label, run in firsts.items()}
    tried = {games[label] for label in seconds}
    for label, run in firsts.items():
        if games[label] not in tried:
            seconds[label] = _trial(run)
            tried.add(games[label])
    rates: dict[str | None, list[float]] = {}
    for label, spent in seconds.items():
        rates.setdefault(games[label], []).append(spent / firsts[label].episodes)
    for label, run in firsts.items():
        seconds.setdefault(label, fmean(rates[games[label]]) * run.episodes)
    return Expected(seconds)


def _trial(run: Run) -> float:
    """CPU seconds of a run, by the first moments of it. Machine code that is not on the disk is compiled on the way,
    once and not by several processes."""
    stop, wish = Stop(), run.wish
    game = make(wish.game or "")
    lessons = lessons_of(wish, game)
    agent = new_learner(game, wish, lessons)
    watch = _Stopwatch()
    plan = make_plan(agent, wish, stop, lessons=lessons, progress=watch.told, workers=1, beside=False)
    compile_training(agent, plan)
    learning = _episode_seconds(agent, plan) * plan.episodes
    evaluations = -(-plan.episodes // plan.evaluate_every) if plan.evaluate_every else 1
    measures = (plan.evaluate, plan.second.evaluate if plan.second else None)
    return learning + evaluations * sum(watch.seconds(measure, agent) for measure in measures if measure)


def _episode_seconds(agent: LearningAgent, plan: Plan) -> float:
    """CPU seconds of an episode: at first one is learned from, then two, then four, ..."""
    count, learned, spent = 1, 0, 0.0
    while spent < _TRIAL_SECONDS and learned < plan.episodes:
        began = time.process_time()
        if plan.lessons is None:
            agent.train(count)
        else:
            agent.learn_from(*plan.lessons.stretch(learned, count))
        spent, learned, count = spent + time.process_time() - began, learned + count, 2 * count
    return spent / max(learned, 1)


class _Stopwatch:
    """How long an evaluation takes, by its first games."""

    def __init__(self) -> None:
        self._began = self._found = 0.0
        self._first = 0

    def told(self, done: int, games: int) -> None:
        """So many games of an evaluation are done. The first one does not count where there are more: opponents are
        made, solved and compiled in it."""
        if done <= 1:
            self._began, self._first = time.process_time(), done
        spent, counted = time.process_time() - self._began, done - self._first
        if counted:
            self._found = spent / counted * games
        if spent > _TRIAL_SECONDS:
            raise _Enough

    def seconds(self, evaluate: Callable[[LearningAgent], object], agent: LearningAgent) -> float:
        """CPU seconds of an evaluation, which is given up as soon as they are known. The first attempt only loads what
        it needs: machine code, a perfect player."""
        for _ in range(2):
            with suppress(_Enough):
                evaluate(agent)
        return self._found
