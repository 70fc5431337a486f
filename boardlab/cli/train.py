"""`boardlab train`: an agent learns a game by self-play, in front of your eyes, and is kept."""

from __future__ import annotations

import shlex
import time
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boardlab.agents.td_ntuple import TDNTuple
from boardlab.cli.info import success_lines
from boardlab.cli.interrupts import saving_when_deaf
from boardlab.cli.output import console, rate_text, read_options, score_text, size_text
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.lab.curves import draw_curve, write_curve
from boardlab.lab.planning import Wishes, compile_training, learner_of, learner_settings, make_plan
from boardlab.lab.stop import Stop, Stopped
from boardlab.lab.training import Plan, Report, TrainingRun
from boardlab.matches.intervals import Estimate
from boardlab.registry import make
from boardlab.store import History, InUse, claimed, read_agent_file

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Request", "next_commands", "rates_text", "run"]


@dataclass(frozen=True)
class Request:
    """What was asked for on the command line."""

    game: str | None
    resume: Path | None
    preset: str | None
    config: Path | None
    options: list[str]
    episodes: int | None
    seed: int | None
    threads: int
    out: Path | None
    evaluator: str | None
    against: str | None
    evaluate_every: int | None
    evaluation_games: int | None


def run(request: Request) -> None:
    """Train as requested, show progress, and keep agent, curve and picture."""
    with ExitStack() as claims:  # the names are ours until all files are written
        agent, history, path = _resumed(request, claims) if request.resume else _fresh(request, claims)
        _train(request, agent, history, path)


def _train(request: Request, agent: TDNTuple, history: History, path: Path) -> None:
    out = console()
    stop, line = Stop(), _ProgressLine(out)
    plan = make_plan(agent, history, path, _wishes(request), stop, line.evaluating)
    if plan.episodes < agent.episodes or (plan.episodes == agent.episodes and history.finished):
        raise BoardlabError(
            f"the agent has already learned from {agent.episodes:,} episodes; ask for more in total, such as"
            f" --episodes {2 * agent.episodes}"
        )
    _introduce(out, agent, plan)
    _compile(out, agent, plan)
    training = TrainingRun(agent, plan, history)
    finished = _watch(line, training, stop)
    _finish(out, training, path, finished=finished)


# ---------------------------------------------------------------- what is asked for


def _fresh(request: Request, claims: ExitStack) -> tuple[TDNTuple, History, Path]:
    if request.game is None:
        raise BoardlabError("say which game to learn, as in boardlab train connect4, or continue with --resume FILE")
    game = make(request.game)
    layers = [_read_config(request.config) if request.config else {}, read_options(request.options, "alpha=0.5")]
    settings = learner_settings(game, request.preset or "", *layers, episodes=request.episodes, seed=request.seed)
    agent = TDNTuple(game, **settings)
    return agent, History(preset=request.preset or ""), _free_path(request.out, game, claims)


def _resumed(request: Request, claims: ExitStack) -> tuple[TDNTuple, History, Path]:
    assert request.resume is not None
    given = (request.game, request.preset, request.config, request.options, request.evaluator, request.against)
    if any(given) or request.seed is not None:
        raise BoardlabError(
            "a resumed training keeps the game and the settings of its file; only --episodes, --threads, --out and how"
            " often it is evaluated can change"
        )
    moved = request.out is not None and request.out != request.resume
    if not moved:
        claims.enter_context(claimed(request.resume))
    file = read_agent_file(request.resume)
    agent = learner_of(file)
    return agent, file.about.history, _free_path(request.out, agent.game, claims) if moved else request.resume


def _read_config(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BoardlabError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BoardlabError(f"{path} is not TOML: {error}") from error


def _free_path(wanted: Path | None, game: Game, claims: ExitStack) -> Path:
    """The file to write: the one asked for unless it is taken, else the first free name in ./agents."""
    if wanted is not None:
        if wanted.suffix != ".agent":
            named = wanted.parent / f"{wanted.stem or game.name}.agent"
            raise BoardlabError(f"an agent file ends with .agent; call it {named}")
        if not _claim(wanted, claims):
            raise BoardlabError(f"{wanted} already exists; choose another name, or continue with --resume {wanted}")
        return wanted
    for number in count(1):
        path = Path("agents") / f"{game.name}{f'-{number}' if number > 1 else ''}.agent"
        with suppress(InUse):
            if not path.exists() and _claim(path, claims):
                break
    return path


def _claim(path: Path, claims: ExitStack) -> bool:
    """Whether there is no such file yet, and it will be ours."""
    with ExitStack() as attempt:
        attempt.enter_context(claimed(path))
        if path.exists():
            return False
        claims.enter_context(attempt.pop_all())
    return True


def _wishes(request: Request) -> Wishes:
    return Wishes(
        episodes=request.episodes,
        threads=request.threads,
        evaluator=request.evaluator or "",
        against=request.against or "",
        evaluate_every=request.evaluate_every,
        evaluation_games=request.evaluation_games,
    )


# ---------------------------------------------------------------- what is seen


def _introduce(out: Console, agent: TDNTuple, plan: Plan) -> None:
    learner, layout = agent.learner, agent.learner.layout
    out.print(f"{agent.game.title} ({agent.game.spec}): td-ntuple, seed {agent.parameters.seed}")
    out.print(
        f"{len(layout.tuples)} n-tuple{'s' * (len(layout.tuples) > 1)}, {layout.num_weights:,} weights in"
        f" {learner.table_sets} table set{'s' * (learner.table_sets > 1)},"
        f" {size_text(learner.memory_needed)}; {agent.parameters.rule}"
    )
    opponent = f", opponent {plan.against}" if plan.against else ""
    evaluation = f"(evaluator {plan.evaluator}{opponent})"
    out.print(f"evaluated every {plan.evaluate_every:,} episodes {evaluation}", soft_wrap=True)


def _compile(out: Console, agent: TDNTuple, plan: Plan) -> None:
    """Load the machine code, or compile it; say so before, as the first time takes a while."""
    began = time.perf_counter()
    with out.status("compiling the rules and the learner (up to a minute, the first time only) ..."):
        if not out.is_terminal:
            out.print("compiling the rules and the learner (up to a minute, the first time only) ...")
        compile_training(agent, plan)
    seconds = time.perf_counter() - began
    if seconds > 3:
        out.print(f"compiled in {seconds:.0f} s")


def _watch(line: _ProgressLine, training: TrainingRun, stop: Stop) -> bool:
    """Run the training with a progress line and a line for each evaluation. Returns whether it came to its end; when
    Ctrl-C or a mistake in somebody's evaluator ended it, what was learned until then is saved."""
    with line.shown(training), stop.listening(), saving_when_deaf(partial(_save_at_last, training)):
        try:
            for report in training.run():
                line.tell(report)
                if stop.asked:
                    break
        except Stopped:
            pass
        finally:
            if not training.history.finished:
                training.save()
    return training.history.finished


def _save_at_last(training: TrainingRun) -> str:
    """Save what was learned so far in the middle of an episode that does not end."""
    training.save()
    return f"what was learned is in {training.plan.path}"


class _ProgressLine:
    """The last line of the screen: how far the training is, and what it does just now."""

    def __init__(self, out: Console) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.completed:>11,.0f}"), TextColumn("{task.fields[now]}"), TimeRemainingColumn())
        self.bar = Progress(BarColumn(bar_width=8), *columns, console=out)
        self.rates = ""

    @contextmanager
    def shown(self, training: TrainingRun) -> Iterator[None]:
        """Within it, the line is on the screen."""
        self.task = self.bar.add_task("", total=training.plan.episodes, completed=training.agent.episodes, now="")
        with self.bar:
            yield

    def tell(self, report: Report) -> None:
        """Show a report: an evaluation stays on the screen."""
        if report.evaluation:
            self.bar.console.print(_evaluation_line(report, report.evaluation))
        else:
            self.rates = rates_text(report)
        self.bar.update(self.task, completed=report.episodes, now=self.rates)

    def evaluating(self, done: int, games: int) -> None:
        """Show how far the running evaluation is."""
        self.bar.update(self.task, now=f"evaluation, {done:,} of {games:,} games played")


def rates_text(report: Report) -> str:
    """Speed and settings of the running stretch, short enough for a progress line of 80 columns."""
    speed = f"{rate_text(report.episodes_per_second):>7}/s {rate_text(report.moves_per_second):>9} moves/s"
    return f"{speed} alpha {report.alpha:.3g} eps {report.epsilon:.2g}"


def _evaluation_line(report: Report, result: Estimate) -> str:
    interval = f"{score_text(result.low)} .. {score_text(result.high)}"
    return f"{report.episodes:>11,} episodes: {score_text(result.mean)} ({interval}, {result.games} games)"


def _finish(out: Console, training: TrainingRun, path: Path, *, finished: bool) -> None:
    history, game = training.history, training.agent.game
    if history.evaluations:
        write_curve(history, path.with_suffix(".csv"))
        draw_curve([(path.stem, history)], path.with_suffix(".png"), game.title)
        out.print(f"learning curve: {path.with_suffix('.csv')} and {path.with_suffix('.png')}", soft_wrap=True)
        for line in success_lines(history):
            out.print(line)
    learned = f"{training.agent.episodes:,} episodes, {history.seconds:,.1f} CPU seconds"
    out.print(f"agent: {path}  ({learned})", soft_wrap=True)
    for what, command in next_commands(game, path, finished=finished):
        out.print(f"{what + ' with':26} {command}", soft_wrap=True)


def next_commands(game: Game, path: Path, *, finished: bool) -> list[tuple[str, str]]:
    """What can be done with a trained agent now, and the command for it."""
    agent = shlex.quote(str(path))
    play = f"boardlab play {shlex.quote(game.spec)}"
    if game.num_players == 1:
        found = [("watch it play", f"{play} --seat {agent}")]
    else:
        found = [("play against it", f"{play} --seat human{f' --seat {agent}' * (game.num_players - 1)}")]
    found.append(("measure it", f"boardlab eval {agent}"))
    return found if finished else [("stopped early; resume", f"boardlab train --resume {agent}"), *found]
