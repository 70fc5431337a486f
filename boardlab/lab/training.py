"""A training run: self-play in short stretches, evaluations and checkpoints in between, and a history of it all.

The command line and the browser watch a run through the reports that it yields; a run that is interrupted at any time
leaves its last checkpoint, and one that is asked to stop saves what it has.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from boardlab.agents.learning import LearningAgent
from boardlab.errors import BoardlabError
from boardlab.lab.history import CurvePoint, history_of
from boardlab.lab.stop import Stop, TrainingStopped
from boardlab.matches.intervals import Estimate

__all__ = ["Plan", "TrainingReport", "TrainingRun", "follow", "require_work"]

_STRETCH_SECONDS = 0.25
"""How long the kernel runs before it reports: short enough for a smooth progress bar and a quick stop."""
_WORTH_SAVING = 5.0
"""Seconds: what was learned in more of them is saved before an evaluation, as nobody knows how long that takes."""


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
    path: Path | None = None
    checkpoint_seconds: float = 60.0


@dataclass(frozen=True)
class TrainingReport:
    """How a run stands after a stretch of training or an evaluation."""

    episodes: int
    episodes_per_second: float
    moves_per_second: float
    rates: Mapping[str, float]
    """Alpha, epsilon and what else the learner varies, in the last episode."""
    evaluation: Estimate | None = None


class TrainingRun:
    """Trains one agent by a plan. Iterate over `run()`; between two reports nothing runs, so stopping is safe."""

    def __init__(self, agent: LearningAgent, plan: Plan) -> None:
        self.agent, self.plan = agent, plan
        self.history = history_of(agent)
        """What the training did so far; the agent gets it whenever it is saved."""
        self.history.created = self.history.created or datetime.now(UTC).isoformat(timespec="seconds")
        if plan.evaluator:
            self.history.evaluator, self.history.against = plan.evaluator, plan.against
        self.history.finished = False
        self._last_save = time.monotonic()
        self._evaluated = self.history.evaluations[-1].episodes if self.history.evaluations else -1

    def run(self) -> Iterator[TrainingReport]:
        """Train until the plan is fulfilled. Saves at the beginning, so that a place where nothing can be written is
        told of before the work and not after it, at checkpoints, before evaluations and at the end."""
        self.save()
        if 0 < self.agent.episodes != self._evaluated and self._evaluation_due():
            yield self._evaluate()  # the one during which the training was stopped
        stretch = 1
        while self.agent.episodes < self.plan.episodes:
            episodes = min(stretch, self._until_next_stop())
            report, seconds = self._train(episodes)
            if episodes == stretch and seconds < _STRETCH_SECONDS:
                stretch = min(stretch * 2, int(stretch * _STRETCH_SECONDS / seconds) + 1)
            elif seconds > 2 * _STRETCH_SECONDS:
                stretch = max(1, stretch // 2)
            yield report
            if self._evaluation_due():
                yield self._evaluate()
            self._save_after(self.plan.checkpoint_seconds)
        if self._evaluated != self.agent.episodes and self.plan.evaluate:
            yield self._evaluate()
        self.history.finished = True
        self.save()

    def save(self) -> None:
        """Give the agent its history, and write both to the plan's file, if it has one."""
        self.agent.history = self.history.model_dump()
        if self.plan.path:
            self.agent.save(self.plan.path)
            self._last_save = time.monotonic()

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

    def _train(self, episodes: int) -> tuple[TrainingReport, float]:
        began, cpu = time.perf_counter(), time.process_time()
        counts = self.agent.train(episodes, self.plan.threads)
        seconds = max(time.perf_counter() - began, 1e-9)
        self.history.seconds += time.process_time() - cpu
        self.history.moves += counts.moves
        return self._report(counts.episodes / seconds, counts.moves / seconds), seconds

    def _report(self, episodes_rate: float, moves_rate: float, evaluation: Estimate | None = None) -> TrainingReport:
        found = self.agent.rates(max(0, self.agent.episodes - 1), 1)
        rates = {name: float(values[0]) for name, values in found.items()}
        return TrainingReport(self.agent.episodes, episodes_rate, moves_rate, rates, evaluation)

    def _evaluate(self) -> TrainingReport:
        assert self.plan.evaluate is not None
        self._save_after(_WORTH_SAVING)
        result = self.plan.evaluate(self.agent)
        self._evaluated = self.agent.episodes
        report = self._report(0.0, 0.0, result)
        self.history.evaluations.append(
            CurvePoint(
                episodes=self.agent.episodes,
                seconds=round(self.history.seconds, 3),
                score=result.mean,
                low=result.low,
                high=result.high,
                games=result.games,
                rates=dict(report.rates),
            )
        )
        return report


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
    finally:
        if not training.history.finished:
            training.save()
    return training.history.finished
