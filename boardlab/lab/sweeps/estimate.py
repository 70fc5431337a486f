"""How long a sweep takes, and how much memory, before it runs: by runs that are there already, or by short trials.

Learning is tried once for each kind of learner: game, algorithm, traces, tuples, and how much memory its rule needs.
Numbers such as step sizes make no difference, unless they are zero. An evaluation is tried once for each evaluator: its
opponent takes most time.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from boardlab.lab.planning import lessons_of, new_learner
from boardlab.lab.sweeps.results import FINISHED, Results, RunResult
from boardlab.lab.sweeps.runs import Run
from boardlab.lab.trial import Speed, episode_kind, evaluations_of, try_out
from boardlab.registry import make

__all__ = ["PROCESS_MEMORY", "Expected", "expect"]

PROCESS_MEMORY = 300 << 20
"""Bytes of a process that has loaded everything, besides what it learns."""
_PATIENCE = 10.0
"""CPU seconds after which only the first learner of a game is still tried, and others are taken to be as fast."""


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


def expect(runs: Sequence[Run], known: Results, told: Callable[[Run], None] | None = None) -> Expected:
    """What the runs will take. `told` hears of each run that is tried for a moment, which may take a while where
    machine code is not there yet."""
    firsts: dict[str, Run] = {}
    for run in runs:
        firsts.setdefault(run.variant.label, run)
    done: dict[str, list[RunResult]] = {}
    for found in known:
        if found.status == FINISHED and found.cpu_seconds:
            done.setdefault(found.variant, []).append(found)
    speeds = _Speeds(told)
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

    told: Callable[[Run], None] | None = None
    episode: dict[str, dict[str, float]] = field(default_factory=dict)
    """By game, then by kind of learner."""
    alike: dict[str, float] = field(default_factory=dict)
    """Of an episode, by what learners have in common whose rules need as much memory."""
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
        kind, alike, measure = _learner_kind(decides), _alike(run), _measure_kind(decides)
        is_new = kind not in of_game and alike not in self.alike
        if measure not in self.evaluation or not of_game or (is_new and self.spent < _PATIENCE):
            began = time.process_time()
            if self.told is not None:
                self.told(run)
            episode, evaluation = _trial(run, with_evaluation=measure not in self.evaluation)
            self.alike[alike] = of_game.setdefault(kind, episode)
            self.evaluation.setdefault(measure, evaluation)
            self.spent += time.process_time() - began
        if kind not in of_game or make(run.wish.game or "").num_players == 1:
            self.how = "roughly"
        episode = of_game.get(kind) or self.alike.get(alike) or fmean(of_game.values())
        speed = Speed(episode, self.evaluation[measure])
        return speed.of(run.episodes, evaluations_of(run.episodes, decides["evaluate_every"]))


def _learner_kind(decides: dict[str, Any]) -> str:
    """What an episode takes its time by."""
    return episode_kind(decides["agent"], decides["parameters"], decides.get("from_games"))


def _alike(run: Run) -> str:
    """What learners have in common whose rules differ, but need as much memory for each weight."""
    parameters = {name: value for name, value in run.decides["parameters"].items() if name != "rule"}
    return f"{run.decides['game']} {run.memory} {_learner_kind({**run.decides, 'parameters': parameters})}"


def _measure_kind(decides: dict[str, Any]) -> str:
    """What an evaluation takes its time by."""
    names = ("game", "evaluator", "against", "second_evaluator", "second_against", "evaluation_games")
    return json.dumps([decides[name] for name in names])


def _trial(run: Run, *, with_evaluation: bool) -> Speed:
    """By the first moments of a run. What is compiled on the way is compiled once, and not by several processes."""
    game = make(run.wish.game or "")
    lessons = lessons_of(run.wish, game)
    return try_out(new_learner(game, run.wish, lessons), run.wish, lessons, with_evaluation=with_evaluation)
