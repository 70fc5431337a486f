"""How a training looks while it runs: a line that moves on a terminal or in a notebook, and one that stays for each
evaluation, which is all that is printed elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from boardlab.agents.learning import LearningAgent
from boardlab.lab.history import procedure
from boardlab.lab.planning import compile_training
from boardlab.lab.training import Plan, TrainingReport, TrainingRun
from boardlab.matches.intervals import Estimate
from boardlab.words import rate_text, score_text

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["ProgressLine", "introduce", "rates_text", "result_text", "show_compiling"]


_SHORT = {"epsilon": "eps"}
_WIDEST = 51
"""Columns that are left of 80 beside the bar, the episodes and the time that is left."""


def introduce(out: Console, agent: LearningAgent, plan: Plan) -> None:
    """Print what is about to learn, and how it will be measured."""
    out.print(f"{agent.game.title} ({agent.game.spec}): {agent.name}, seed {agent.parameters.seed}")
    out.print(agent.summary)
    opponent = f", opponent {plan.against}" if plan.against else ""
    evaluation = f"(evaluator {plan.evaluator}{opponent})"
    out.print(f"evaluated every {plan.evaluate_every:,} episodes {evaluation}", soft_wrap=True)
    if plan.second:
        out.print(f"and by {procedure(plan.second.evaluator, plan.second.against)}", soft_wrap=True)
    if plan.goal is not None:
        out.print(f"ends early with {plan.goal_words}")
    if plan.lessons:
        out.print(f"learns from {plan.lessons}", soft_wrap=True)


def show_compiling(out: Console, agent: LearningAgent, plan: Plan) -> None:
    """Load the machine code, or compile it; say so before, as the first time takes a while."""
    began = time.perf_counter()
    what = "compiling the rules and the learner (10 to 15 seconds, the first time only) ..."
    if out.is_terminal:
        with out.status(what):
            compile_training(agent, plan)
    else:
        out.print(what)
        compile_training(agent, plan)
    seconds = time.perf_counter() - began
    if seconds > 3:
        rest = "; what evaluations need is compiled while learning goes on" if plan.beside else ""
        out.print(f"compiled in {seconds:.0f} s{rest}")


class ProgressLine:
    """The last line of the screen: how far the training is, and what it does just now."""

    def __init__(self, out: Console) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.completed:>11,.0f}"), TextColumn("{task.fields[now]}"), TimeRemainingColumn())
        still = out.is_jupyter and find_spec("ipywidgets") is None  # where no line can move
        self.bar = Progress(BarColumn(bar_width=8), *columns, console=out, disable=still)
        self.rates = ""

    @contextmanager
    def shown(self, training: TrainingRun) -> Iterator[None]:
        """Within it, the line is on the screen."""
        self.task = self.bar.add_task("", total=training.plan.episodes, completed=training.agent.episodes, now="")
        with self.bar:
            yield

    def tell(self, report: TrainingReport) -> None:
        """Show a report: an evaluation stays on the screen."""
        if report.evaluation:
            self.bar.console.print(_evaluation_line(report, report.evaluation), soft_wrap=True)
        else:
            self.rates = rates_text(report)
        self.bar.update(self.task, completed=report.episodes, now=self.rates)

    def evaluating(self, done: int, games: int) -> None:
        """Show how far the running evaluation is."""
        self.bar.update(self.task, now=f"evaluation, {done:,} of {games:,} games played")


def rates_text(report: TrainingReport) -> str:
    """Speed and settings of the running stretch, short enough for a progress line of 80 columns."""
    speed = f"{rate_text(report.episodes_per_second):>7}/s {rate_text(report.moves_per_second):>9} moves/s"
    line = speed
    for name, value in report.rates.items():
        longer = f"{line} {_SHORT.get(name, name)} {value:.{3 if name == 'alpha' else 2}g}"
        line = longer if len(longer) <= _WIDEST else line
    return line


def _evaluation_line(report: TrainingReport, result: Estimate) -> str:
    second = f"; {result_text(report.second)}" if report.second else ""
    return f"{report.episodes:>11,} episodes: {result_text(result)}{second}"


def result_text(result: Estimate) -> str:
    """The result of an evaluation, with its interval."""
    interval = f"{score_text(result.low)} .. {score_text(result.high)}"
    return f"{score_text(result.mean)} ({interval}, {result.games} games)"
