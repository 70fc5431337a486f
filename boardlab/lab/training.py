"""A training run: self-play in short stretches, evaluations and checkpoints in between, and a history of it all.

The command line and the browser watch a run through the reports that it yields; a run that is interrupted at any time
leaves its last checkpoint, and one that is asked to stop saves what it has.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.agents.learning import LearningAgent
from boardlab.errors import BoardlabError
from boardlab.lab.beside import Beside, Watch
from boardlab.lab.history import CurvePoint, Score, StepSizes, history_of
from boardlab.lab.lessons import Lessons
from boardlab.lab.soundness import Soundness, TrainingDiverged
from boardlab.lab.stop import Stop, TrainingStopped
from boardlab.learn.learner import Counts
from boardlab.matches.intervals import Estimate

__all__ = ["Measure", "Plan", "TrainingReport", "TrainingRun", "follow", "require_work"]

_STRETCH_SECONDS = 0.25
"""How long the kernel runs before it reports: short enough for a smooth progress bar and a quick stop."""
_WORTH_SAVING = 5.0
"""Seconds: what was learned in more of them is saved before an evaluation, as nobody knows how long that takes."""
_PATIENCE = 2.0
"""Seconds that an evaluation beside a training which is stopped has to come to its end."""


@dataclass(frozen=True)
class Measure:
    """Who measures an agent in training, and who is the opponent."""

    evaluator: str
    against: str
    evaluate: Callable[[LearningAgent], Estimate]


@dataclass(frozen=True)
class Plan:
    """What a run does besides learning."""

    episodes: int
    """Learn until the agent has seen so many episodes."""
    threads: int = 1
    prepare: Callable[[], None] = lambda: None
    """Makes the opponent of the evaluations, which may take long."""
    evaluate: Callable[[LearningAgent], Estimate] | None = None
    evaluator: str = ""
    against: str = ""
    """Who measures and who is the opponent, for the history."""
    evaluate_every: int = 0
    """Episodes between two evaluations; 0: only at the end."""
    second: Measure | None = None
    """Who measures besides, at the same times."""
    goal: float | None = None
    in_a_row: int = 1
    """Training ends early when the last so many evaluations have reached the goal."""
    lessons: Lessons | None = None
    """Games to learn from instead of self-play."""
    path: Path | None = None
    checkpoint_seconds: float = 60.0
    beside: bool = False
    """Evaluate on other cores while learning goes on. A goal needs the results at once, so that learning waits then."""
    watch: Watch = field(default_factory=Watch)
    """What the evaluations that run beside are told by."""
    at_once: Callable[[], AbstractContextManager[None]] = nullcontext
    """Within it, an interrupt ends what is done at once."""

    @property
    def goal_words(self) -> str:
        """When training ends early, in words."""
        times = f" {self.in_a_row} times in a row" if self.in_a_row > 1 else ""
        return f"{self.goal:g} reached{times}"


@dataclass(frozen=True)
class TrainingReport:
    """How a run stands after a stretch of training or an evaluation."""

    episodes: int
    episodes_per_second: float
    moves_per_second: float
    rates: Mapping[str, float]
    """Alpha, epsilon and what else the learner varies, in the last episode."""
    evaluation: Estimate | None = None
    second: Estimate | None = None


class TrainingRun:
    """Trains one agent by a plan. Iterate over `run()`; between two reports nothing runs, so stopping is safe."""

    def __init__(self, agent: LearningAgent, plan: Plan) -> None:
        self.agent, self.plan = agent, plan
        self.history = history_of(agent)
        """What the training did so far; the agent gets it whenever it is saved."""
        self.history.created = self.history.created or datetime.now(UTC).isoformat(timespec="seconds")
        if plan.evaluator:
            self.history.evaluator, self.history.against = plan.evaluator, plan.against
        if plan.second:
            self.history.second_evaluator, self.history.second_against = plan.second.evaluator, plan.second.against
        self.history.finished, self.history.stopped = False, ""
        self._soundness = Soundness(agent)
        self._saved: int | None = None
        self._running: _Running | None = None
        """The evaluation that runs beside learning."""
        self._last_save = time.monotonic()
        self._evaluated = self.history.evaluations[-1].episodes if self.history.evaluations else -1

    def run(self) -> Iterator[TrainingReport]:
        """Train until the plan is fulfilled. Saves at the beginning, so that a place where nothing can be written is
        told of before the work and not after it, at checkpoints, before evaluations and at the end."""
        self.save()
        if 0 < self.agent.episodes != self._evaluated and self._evaluation_due():
            yield self._evaluate()  # the one during which the training was stopped
        stretch = 1
        while self.agent.episodes < self.plan.episodes and not self._goal_reached():
            episodes = min(stretch, self._until_next_stop())
            report, seconds = self._train(episodes)
            if episodes == stretch and seconds < _STRETCH_SECONDS:
                stretch = min(stretch * 2, int(stretch * _STRETCH_SECONDS / seconds) + 1)
            elif seconds > 2 * _STRETCH_SECONDS:
                stretch = max(1, stretch // 2)
            yield report
            if self._running is not None and (self._running.work.is_done or self._evaluation_due()):
                yield self._collect()
            if self._evaluation_due() and not self._evaluate_beside():
                yield self._evaluate()
            if self._running is None:  # else a kill would lose its point: the checkpoint stays one from before it
                self._save_after(self.plan.checkpoint_seconds)
        if self._running is not None:
            yield self._collect()
        if self._evaluated != self.agent.episodes and self.plan.evaluate:
            yield self._evaluate()
        if self.agent.episodes < self.plan.episodes:
            self.history.stopped = self.plan.goal_words
        self.history.finished = True
        self.save()

    def save(self) -> None:
        """Give the agent its history, and write both to the plan's file, if it has one."""
        self._require_soundness(everywhere=True)
        self.agent.history = self.history.model_dump()
        if self.plan.path:
            self.agent.save(self.plan.path)
            self._last_save, self._saved = time.monotonic(), self.agent.episodes

    def _save_after(self, seconds: float) -> None:
        if time.monotonic() - self._last_save > seconds:
            self.save()

    def _until_next_stop(self) -> int:
        """Episodes until the end or the next evaluation."""
        left = self.plan.episodes - self.agent.episodes
        every = self.plan.evaluate_every
        return min(left, every - self.agent.episodes % every) if every and self.plan.evaluate else left

    def _evaluation_due(self) -> bool:
        every = self.plan.evaluate_every
        return bool(every and self.plan.evaluate and self.agent.episodes % every == 0)

    def _goal_reached(self) -> bool:
        """Whether the last evaluations have all reached the goal."""
        goal, last = self.plan.goal, self.history.evaluations[-self.plan.in_a_row :]
        return goal is not None and len(last) == self.plan.in_a_row and all(point.score >= goal for point in last)

    def _train(self, episodes: int) -> tuple[TrainingReport, float]:
        began, cpu = time.perf_counter(), self._cpu_seconds()
        counts = self._learn(episodes)
        seconds = max(time.perf_counter() - began, 1e-9)
        self.history.seconds += min(self._cpu_seconds() - cpu, self.plan.threads * seconds)
        self.history.moves += counts.moves
        self._require_soundness()
        return self._report(counts.episodes / seconds, counts.moves / seconds), seconds

    def _cpu_seconds(self) -> float:
        """Of learning, as far as it can be told from an evaluation that runs beside it."""
        return time.thread_time() if self.plan.threads == 1 else time.process_time()

    def _learn(self, episodes: int) -> Counts:
        if self.plan.lessons is None:
            return self.agent.train(episodes, self.plan.threads)
        return self.agent.learn_from(*self.plan.lessons.stretch(self.agent.episodes, episodes))

    def _require_soundness(self, *, everywhere: bool = False) -> None:
        """End a training that has diverged, with a word on what is left of it."""
        try:
            self._soundness.require(everywhere=everywhere)
        except TrainingDiverged as error:
            kept = f". {self.plan.path} has the agent after {self._saved:,} episodes" if self._saved else ""
            raise TrainingDiverged(f"{error}{kept}") from None

    def _report(self, episodes_rate: float, moves_rate: float, *results: Estimate | None) -> TrainingReport:
        return TrainingReport(self.agent.episodes, episodes_rate, moves_rate, self._rates(), *results)

    def _rates(self) -> dict[str, float]:
        found = self.agent.rates(max(0, self.agent.episodes - 1), 1)
        return {name: float(values[0]) for name, values in found.items()}

    def _evaluate(self) -> TrainingReport:
        """Measure the agent while learning waits."""
        self._save_after(_WORTH_SAVING)
        point = self._begin_point()
        return self._add(point, *self._measure(self.agent))

    def _evaluate_beside(self) -> bool:
        """Have a snapshot measured while learning goes on; False where learning has to wait for that. It does for the
        last evaluation, which all cores are free for."""
        last = self.agent.episodes >= self.plan.episodes
        snapshot = self.agent.snapshot() if self.plan.beside and self.plan.goal is None and not last else None
        if snapshot is None:
            return False
        self._save_after(_WORTH_SAVING)
        self._running = _Running(self._begin_point(), Beside(partial(self._measure, snapshot), self.plan.watch))
        return True

    def _collect(self) -> TrainingReport:
        """The result of the evaluation beside; learning waits where it is not there yet."""
        assert self._running is not None
        with self.plan.at_once():
            self._running.work.wait()
        running, self._running = self._running, None
        return self._add(running.point, *running.work.result())

    def finish_evaluation(self, seconds: float) -> TrainingReport | None:
        """Wait so long for an evaluation that runs beside a training which has been stopped; then it is given up."""
        running, self._running = self._running, None
        if running is not None and running.work.wait(seconds):
            return self._add(running.point, *running.work.result())
        if running is not None:
            running.work.give_up()
        return None

    def _measure(self, agent: LearningAgent) -> tuple[Estimate, Estimate | None]:
        assert self.plan.evaluate is not None
        return self.plan.evaluate(agent), self.plan.second.evaluate(agent) if self.plan.second else None

    def _begin_point(self) -> CurvePoint:
        """What is known of a point of the learning curve before its evaluation."""
        self._evaluated = self.agent.episodes
        return CurvePoint(
            episodes=self.agent.episodes,
            seconds=round(self.history.seconds, 3),
            score=0.0,
            low=0.0,
            high=0.0,
            games=0,
            step_sizes=_quantiles(self.agent.step_sizes()),
            rates=self._rates(),
        )

    def _add(self, point: CurvePoint, result: Estimate, second: Estimate | None) -> TrainingReport:
        """Complete a point of the learning curve."""
        found = {**_found(result), "second": Score(**_found(second)) if second else None}
        self.history.evaluations.append(point.model_copy(update=found))
        return TrainingReport(point.episodes, 0.0, 0.0, point.rates, result, second)


class _Running(NamedTuple):
    """An evaluation beside learning, and what is known of its point of the learning curve."""

    point: CurvePoint
    work: Beside[tuple[Estimate, Estimate | None]]


def _found(result: Estimate) -> dict[str, Any]:
    return {"score": result.mean, "low": result.low, "high": result.high, "games": result.games}


def _quantiles(sample: NDArray[np.floating[Any]] | None) -> StepSizes | None:
    """The quantiles of a sample of step sizes; None where there is none."""
    finite = np.zeros(0) if sample is None else sample[np.isfinite(sample)]
    if len(finite) == 0:
        return None
    percents = [int(name[1:]) for name in StepSizes.model_fields]
    values = np.percentile(finite, percents)
    return StepSizes(**{f"p{percent}": float(value) for percent, value in zip(percents, values, strict=True)})


def require_work(agent: LearningAgent, plan: Plan, ask: str) -> None:
    """Refuse a plan that is fulfilled already; `ask` is how to ask for more episodes, as `--episodes `."""
    if plan.episodes < agent.episodes or (plan.episodes == agent.episodes and history_of(agent).finished):
        raise BoardlabError(
            f"the agent has already learned from {agent.episodes:,} episodes; ask for more in total, such as"
            f" {ask}{2 * agent.episodes}"
        )


def follow(training: TrainingRun, stop: Stop, tell: Callable[[TrainingReport], None] | None = None) -> bool:
    """Run a training until its end or until it is asked to stop, and tell every report. Returns whether it came to its
    end; when not, because of `stop` or of a mistake in somebody's evaluator, what was learned until then is saved."""
    try:
        for report in training.run():
            if tell is not None:
                tell(report)
            if stop.asked:
                break
    except TrainingStopped:
        pass
    except TrainingDiverged:
        raise  # nothing to save: the last checkpoint is better
    except BaseException:
        training.save()
        raise
    if not training.history.finished:
        training.save()
        last = training.finish_evaluation(_PATIENCE)
        if last is not None:
            training.save()
            if tell is not None:
                tell(last)
    return training.history.finished
