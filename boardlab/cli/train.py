"""`boardlab train`: an agent learns a game by self-play, in front of your eyes, and is kept."""

from __future__ import annotations

import signal
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from boardlab.agents.td_ntuple import TDNTuple
from boardlab.arena.evaluators.registry import make_evaluator
from boardlab.arena.intervals import Estimate
from boardlab.cli.output import console, rate_text
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

__all__ = ["Request", "run"]

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
    if request.resume:
        agent, history, path = _resumed(request)
    else:
        agent, history = _fresh(request)
        path = _free_path(request.out, agent.game)
    learner, layout = agent.learner, agent.learner.layout
    out.print(f"{agent.game.title} ({agent.game.spec}): td-ntuple, seed {agent.parameters.seed}")
    out.print(
        f"{len(layout.tuples)} n-tuples, {layout.num_weights:,} weights in {learner.table_sets} table sets,"
        f" {learner.memory_needed / 2**20:,.1f} MB; {agent.parameters.rule}"
    )
    _compile(out, learner.compile)
    plan = _plan(request, agent, path)
    if plan.episodes <= agent.episodes:
        raise BoardlabError(
            f"the agent has learned from {agent.episodes:,} episodes already; ask for more with --episodes"
        )
    training = TrainingRun(agent, plan, history)
    stopped = _watch(out, training)
    _finish(out, training, path, stopped=stopped)


def _fresh(request: Request) -> tuple[TDNTuple, History]:
    if request.game is None:
        raise BoardlabError("say which game to learn, as boardlab train connect4, or go on with --resume FILE")
    game = make(request.game)
    settings: dict[str, Any] = {"seed": fresh_seed()}
    if request.preset:
        settings.update(preset_settings(game, request.preset))
    if request.config:
        settings.update(_read_config(request.config))
    settings.update(_read_options(request.options))
    if request.episodes is not None:
        settings["episodes"] = request.episodes
    if request.seed is not None:
        settings["seed"] = request.seed
    return TDNTuple(game, **settings), History(preset=request.preset or "")


def _resumed(request: Request) -> tuple[TDNTuple, History, Path]:
    assert request.resume is not None
    if request.game or request.preset or request.config or request.options or request.seed is not None:
        raise BoardlabError("a resumed training goes on with the settings of its file; only --episodes can be changed")
    file = read_agent_file(request.resume)
    agent = file.agent()
    if not isinstance(agent, TDNTuple):
        raise BoardlabError(f"the agent {agent.name} in {request.resume} cannot be trained")
    return agent, file.history, request.out or request.resume


def _read_config(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BoardlabError(f"{path} cannot be read: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise BoardlabError(f"{path} is not TOML: {error}") from error


def _read_options(options: list[str]) -> dict[str, str]:
    settings = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise BoardlabError(f"an option is written name=value, as -o alpha=0.5, not {option!r}")
        settings["lam" if name == "lambda" else name.strip()] = value.strip()
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


def _compile(out: Console, compile_it: Callable[[], None]) -> None:
    """Load the machine code, or compile it; say so before, as the first time takes a while."""
    began = time.perf_counter()
    with out.status("compiling the rules and the learner (some seconds, only the first time) ..."):
        if not out.is_terminal:
            out.print("compiling the rules and the learner (some seconds, only the first time) ...")
        compile_it()
    seconds = time.perf_counter() - began
    if seconds > 3:
        out.print(f"compiled in {seconds:.0f} s")


def _plan(request: Request, agent: TDNTuple, path: Path) -> Plan:
    episodes = request.episodes or agent.parameters.episodes
    every = request.evaluate_every
    if every is None:
        every = max(1, episodes // _EVALUATIONS)
    name = request.evaluator or ("all-roles" if request.against else _training_evaluator(agent.game))
    against = request.against or (_TRAINING_OPPONENTS.get(agent.game.name) if name == "all-roles" else None)
    evaluator = make_evaluator(name, agent.game)

    def evaluate(trained: TDNTuple) -> Estimate:
        return evaluator.evaluate(trained, games=request.evaluation_games, against=against, seed=1).result

    label = f"{name} against {against}" if against else name
    return Plan(episodes, request.threads, evaluate, label, every, path)


_TRAINING_OPPONENTS = {"connect4": "mcts:iterations=500", "hex": "mcts:iterations=500", "dots": "mcts:iterations=500"}
"""Opponents that are quick and yet tell something where the perfect one takes its time."""


def _training_evaluator(game: Game) -> str:
    from boardlab.arena.evaluators.registry import default_evaluator

    return "all-roles" if game.name in _TRAINING_OPPONENTS else default_evaluator(game)


def _watch(out: Console, training: TrainingRun) -> bool:
    """Run the training with a progress bar and a line for each evaluation. Returns whether Ctrl-C ended it."""
    with _progress(out) as bar, _stop_on_interrupt() as stop:
        task = bar.add_task("", total=training.plan.episodes, completed=training.agent.episodes, rates="")
        for report in training.run():
            if report.evaluation:
                bar.console.print(_evaluation_line(report, report.evaluation))
            else:
                bar.update(task, completed=report.episodes, rates=_rates_text(report))
            if stop.asked:
                break
    if stop.asked and not training.history.finished:
        training.save()
        return True
    return False


def _progress(out: Console) -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    episodes = TextColumn("{task.completed:,.0f}")
    return Progress(
        BarColumn(bar_width=16), episodes, TextColumn("{task.fields[rates]}"), TimeRemainingColumn(), console=out
    )


def _rates_text(report: Report) -> str:
    speed = f"{rate_text(report.episodes_per_second)}/s {rate_text(report.moves_per_second)} moves/s"
    return f"{speed} alpha {report.alpha:.3g} epsilon {report.epsilon:.2g}"


def _evaluation_line(report: Report, result: Estimate) -> str:
    return (
        f"{report.episodes:>11,} episodes: result {result.mean:+.3f} ({result.low:+.3f} .. {result.high:+.3f},"
        f" {result.games} games)"
    )


class _Stop:
    """Whether Ctrl-C was pressed: training ends after the running stretch, at most some tenths of a second."""

    asked = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


@contextmanager
def _stop_on_interrupt() -> Iterator[_Stop]:
    stop = _Stop()
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _finish(out: Console, training: TrainingRun, path: Path, *, stopped: bool) -> None:
    history = training.history
    if history.evaluations:
        write_curve(history, path.with_suffix(".csv"))
        draw_curve([(path.stem, history)], path.with_suffix(".png"), training.agent.game.title)
        out.print(f"learning curve: {path.with_suffix('.csv')} and {path.with_suffix('.png')}")
    seats = " ".join(["--seat human", f"--seat {path}"][: max(1, training.agent.game.num_players)])
    out.print(f"agent: {path}  ({training.agent.episodes:,} episodes, {history.seconds:,.0f} CPU seconds)")
    if stopped:
        out.print(f"stopped early; go on with   boardlab train --resume {path}")
    out.print(f"play against it with        boardlab play {training.agent.game.spec} {seats}", soft_wrap=True)
    out.print(f"measure it with             boardlab eval {path}", soft_wrap=True)
