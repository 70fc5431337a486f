"""`boardlab train`: an agent learns a game by self-play, in front of your eyes, and is kept."""

from __future__ import annotations

import shlex
import signal
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from boardlab.agents.registry import make_agent
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.arena.evaluators.registry import default_evaluator, make_evaluator
from boardlab.arena.intervals import Estimate
from boardlab.cli.output import console, rate_text, score_text, size_text
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.lab.curves import draw_curve, write_curve
from boardlab.lab.presets import preset_settings
from boardlab.lab.training import Plan, Report, TrainingRun
from boardlab.registry import make
from boardlab.rng import fresh_seed
from boardlab.store import History, read_agent_file

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

__all__ = ["Request", "next_commands", "rates_text", "run"]

_EVALUATIONS = 20
"""How many evaluations a training has when nobody says."""


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
    out = console()
    agent, history, path = _resumed(request) if request.resume else _fresh(request)
    stop = _Stop()
    plan = _plan(request, agent, history, path, stop)
    _introduce(out, agent, plan)
    _compile(out, agent, plan)
    training = TrainingRun(agent, plan, history)
    finished = _watch(out, training, stop)
    _finish(out, training, path, finished=finished)


# ---------------------------------------------------------------- what is asked for


def _fresh(request: Request) -> tuple[TDNTuple, History, Path]:
    if request.game is None:
        raise BoardlabError("say which game to learn, as boardlab train connect4, or go on with --resume FILE")
    game = make(request.game)
    settings: dict[str, Any] = {"seed": fresh_seed()}
    if request.preset:
        settings.update(preset_settings(game, request.preset))
    if request.config:
        settings.update(_read_config(request.config))
    settings.update(_read_options(request.options))
    if "lambda" in settings:
        settings["lam"] = settings.pop("lambda")
    if request.episodes is not None:
        settings["episodes"] = request.episodes
    if request.seed is not None:
        settings["seed"] = request.seed
    path = _free_path(request.out, game)
    return TDNTuple(game, **settings), History(preset=request.preset or ""), path


def _resumed(request: Request) -> tuple[TDNTuple, History, Path]:
    assert request.resume is not None
    given = (request.game, request.preset, request.config, request.options, request.evaluator, request.against)
    if any(given) or request.seed is not None:
        raise BoardlabError(
            "a resumed training goes on with the game and the settings of its file; new are only --episodes, --threads,"
            " --out and how often it is evaluated"
        )
    file = read_agent_file(request.resume)
    agent = file.agent()
    if not isinstance(agent, TDNTuple):
        raise BoardlabError(f"the agent {agent.name} in {request.resume} cannot be trained")
    moved = request.out is not None and request.out != request.resume
    return agent, file.about.history, _free_path(request.out, agent.game) if moved else request.resume


def _read_config(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BoardlabError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BoardlabError(f"{path} is not TOML: {error}") from error


def _read_options(options: list[str]) -> dict[str, str]:
    settings = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise BoardlabError(f"an option is written name=value, as -o alpha=0.5, not {option!r}")
        settings[name.strip()] = value.strip()
    return settings


def _free_path(wanted: Path | None, game: Game) -> Path:
    """The file to write: the one asked for unless it is taken, else the first free name in ./agents."""
    if wanted is not None:
        if wanted.suffix != ".agent":
            raise BoardlabError(f"an agent file ends with .agent; call it {wanted.with_suffix('.agent')}")
        if wanted.exists():
            raise BoardlabError(f"{wanted} exists already; take another name, or go on with --resume {wanted}")
        return wanted
    number = 1
    while (path := Path("agents") / f"{game.name}{f'-{number}' if number > 1 else ''}.agent").exists():
        number += 1
    return path


def _plan(request: Request, agent: TDNTuple, history: History, path: Path, stop: _Stop) -> Plan:
    game = agent.game
    episodes = request.episodes or agent.parameters.episodes
    if episodes <= agent.episodes:
        raise BoardlabError(
            f"the agent has learned from {agent.episodes:,} episodes already; ask for more of them in all, as"
            f" --episodes {2 * agent.episodes}"
        )
    name, against = history.evaluator, history.against
    if not name:
        name, against = _evaluator_of(request, game)
    evaluator = make_evaluator(name, game)
    against = against or evaluator.opponent

    def evaluate(trained: TDNTuple) -> Estimate:
        with stop.at_once():
            return evaluator.evaluate(trained, games=request.evaluation_games, against=against, seed=1).result

    return Plan(
        episodes,
        threads=request.threads,
        evaluate=evaluate,
        evaluator=name,
        against=against,
        evaluate_every=request.evaluate_every or max(1, episodes // _EVALUATIONS),
        path=path,
    )


def _evaluator_of(request: Request, game: Game) -> tuple[str, str]:
    """Evaluator and opponent: those asked for, or those that suit the game. An empty opponent is the evaluator's
    own."""
    return request.evaluator or ("all-roles" if request.against else default_evaluator(game)), request.against or ""


# ---------------------------------------------------------------- what is seen


def _introduce(out: Console, agent: TDNTuple, plan: Plan) -> None:
    learner, layout = agent.learner, agent.learner.layout
    out.print(f"{agent.game.title} ({agent.game.spec}): td-ntuple, seed {agent.parameters.seed}")
    out.print(
        f"{len(layout.tuples)} n-tuple{'s' * (len(layout.tuples) > 1)}, {layout.num_weights:,} weights in"
        f" {learner.table_sets} table set{'s' * (learner.table_sets > 1)},"
        f" {size_text(learner.memory_needed)}; {agent.parameters.rule}"
    )
    against = f" against {plan.against}" if plan.against else ""
    out.print(f"measured every {plan.evaluate_every:,} episodes by {plan.evaluator}{against}", soft_wrap=True)


def _compile(out: Console, agent: TDNTuple, plan: Plan) -> None:
    """Load the machine code, or compile it; say so before, as the first time takes a while. The opponent comes first: a
    mistake in its name shall be told now, not after the first stretch of training."""
    began = time.perf_counter()
    with out.status("compiling the rules and the learner (some seconds, only the first time) ..."):
        if not out.is_terminal:
            out.print("compiling the rules and the learner (some seconds, only the first time) ...")
        if plan.against:
            make_agent(plan.against, agent.game)
        agent.learner.compile()
    seconds = time.perf_counter() - began
    if seconds > 3:
        out.print(f"compiled in {seconds:.0f} s")


def _watch(out: Console, training: TrainingRun, stop: _Stop) -> bool:
    """Run the training with a progress bar and a line for each evaluation. Returns whether it came to its end; when
    Ctrl-C or a mistake in somebody's evaluator ended it, what was learned until then is saved."""
    with _progress(out) as bar, stop.listening():
        task = bar.add_task("", total=training.plan.episodes, completed=training.agent.episodes, rates="")
        try:
            for report in training.run():
                if report.evaluation:
                    bar.console.print(_evaluation_line(report, report.evaluation))
                else:
                    bar.update(task, completed=report.episodes, rates=rates_text(report))
                if stop.asked:
                    break
        except _Stopped:
            pass
        finally:
            if not training.history.finished:
                training.save()
    return training.history.finished


def _progress(out: Console) -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.completed:>11,.0f}"), TextColumn("{task.fields[rates]}"), TimeRemainingColumn())
    return Progress(BarColumn(bar_width=8), *columns, console=out)


def rates_text(report: Report) -> str:
    """Speed and settings of the running stretch, short enough for a progress line of 80 columns."""
    speed = f"{rate_text(report.episodes_per_second):>7}/s {rate_text(report.moves_per_second):>9} moves/s"
    return f"{speed} alpha {report.alpha:.3g} eps {report.epsilon:.2g}"


def _evaluation_line(report: Report, result: Estimate) -> str:
    interval = f"{score_text(result.low)} .. {score_text(result.high)}"
    return f"{report.episodes:>11,} episodes: {score_text(result.mean)} ({interval}, {result.games} games)"


class _Stopped(KeyboardInterrupt):
    """Ctrl-C came during an evaluation, which is given up."""


class _Stop:
    """What Ctrl-C does: training ends after the running stretch, which is at most some tenths of a second, so that the
    agent is whole; an evaluation ends at once, as it changes nothing."""

    def __init__(self) -> None:
        self.asked = False
        self._at_once = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        if self._at_once:
            raise _Stopped

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Within it, Ctrl-C is ours."""
        before = signal.signal(signal.SIGINT, self)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Within it, Ctrl-C ends the work at once."""
        self._at_once = True
        try:
            yield
        finally:
            self._at_once = False


def _finish(out: Console, training: TrainingRun, path: Path, *, finished: bool) -> None:
    history, game = training.history, training.agent.game
    if history.evaluations:
        write_curve(history, path.with_suffix(".csv"))
        draw_curve([(path.stem, history)], path.with_suffix(".png"), game.title)
        out.print(f"learning curve: {path.with_suffix('.csv')} and {path.with_suffix('.png')}", soft_wrap=True)
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
    return found if finished else [("stopped early; go on", f"boardlab train --resume {agent}"), *found]
