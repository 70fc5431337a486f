"""`boardlab train`: an agent learns a game by self-play, in front of your eyes, and is kept."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boardlab.agents.files import load_agent
from boardlab.agents.learning import LearningAgent
from boardlab.cli.info import success_lines
from boardlab.cli.interrupts import saving_when_deaf
from boardlab.cli.output import console, read_options
from boardlab.components.models import read_model
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.lab.curves import draw_curve, get_ready_to_draw, write_curve
from boardlab.lab.lessons import Lessons
from boardlab.lab.planning import lessons_of, make_plan, new_learner
from boardlab.lab.progress import ProgressLine, introduce, show_compiling
from boardlab.lab.stop import Stop
from boardlab.lab.training import TrainingRun, follow, require_work
from boardlab.lab.trial import evaluations_of, try_out
from boardlab.lab.wish import TrainingWish, read_wish_file
from boardlab.registry import make
from boardlab.store import InUse, claimed
from boardlab.words import size_text

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["next_commands", "run"]


def run(
    given: Mapping[str, Any],
    *,
    config: Path | None,
    options: list[str],
    resume: Path | None,
    out: Path | None,
    only_plan: bool = False,
) -> None:
    """Train as wished, show progress, and keep agent, curve and picture; or only say what that would take. `given` are
    the fields of the wish that the command line has arguments for."""
    wish = _wish(given, config, options)
    with ExitStack() as claims:  # the names are ours until all files are written
        if resume is None:
            agent, lessons, path = _fresh(wish, out, claims)
        else:
            agent, lessons, path = _resumed(wish, resume, out, claims)
        (_say_plan if only_plan else _train)(wish, agent, lessons, path)


def _say_plan(wish: TrainingWish, agent: LearningAgent, lessons: Lessons | None, path: Path) -> None:
    """What a training would need, by a trial of it."""
    out = console()
    plan = make_plan(agent, wish, Stop(), lessons=lessons, path=path)
    require_work(agent, plan, "--episodes ")
    introduce(out, agent, plan)
    show_compiling(out, agent, plan)
    episodes = plan.episodes - agent.episodes
    evaluations = evaluations_of(plan.episodes, plan.evaluate_every, agent.episodes)
    time = try_out(agent, wish, lessons).expect(episodes, evaluations, plan.threads)
    out.print(f"{episodes:,} episodes: {size_text(agent.memory_needed)} of memory, {time}", soft_wrap=True)


def _train(wish: TrainingWish, agent: LearningAgent, lessons: Lessons | None, path: Path) -> None:
    out = console()
    stop, line = Stop(), ProgressLine(out)
    plan = make_plan(agent, wish, stop, lessons=lessons, path=path, progress=line.evaluating)
    require_work(agent, plan, "--episodes ")
    introduce(out, agent, plan)
    show_compiling(out, agent, plan)
    training = TrainingRun(agent, plan)
    if plan.evaluate:
        get_ready_to_draw()
    with line.shown(training), stop.listening(), saving_when_deaf(partial(_save_at_last, training)):
        finished = follow(training, stop, line.tell)
    _finish(out, training, path, finished=finished)


def _save_at_last(training: TrainingRun) -> str:
    """Save what was learned so far in the middle of an episode that does not end."""
    training.save()
    return f"what was learned is in {training.plan.path}"


# ---------------------------------------------------------------- what is asked for


def _wish(given: Mapping[str, Any], config: Path | None, options: list[str]) -> TrainingWish:
    """What the file says, over it the options, over them the other arguments."""
    fields = read_wish_file(config) if config else {"options": {}}
    written = read_options(options, "alpha=0.5")
    fields = {name: value for name, value in fields.items() if name not in written}
    fields["options"] = {**fields["options"], **written}
    fields.update({name: value for name, value in given.items() if value is not None})
    return read_model(TrainingWish, fields, "a training")


Prepared = tuple[LearningAgent, Lessons | None, Path]
"""Who learns, the games it learns from where that is not self-play, and its file."""


def _fresh(wish: TrainingWish, out: Path | None, claims: ExitStack) -> Prepared:
    if wish.game is None:
        raise BoardlabError("say which game to learn, as in boardlab train connect4, or continue with --resume FILE")
    game = make(wish.game)
    lessons = lessons_of(wish, game)
    return new_learner(game, wish, lessons), lessons, _free_path(out, game, claims)


def _resumed(wish: TrainingWish, resume: Path, out: Path | None, claims: ExitStack) -> Prepared:
    if wish.begins_anew:
        raise BoardlabError(
            "a resumed training keeps the game and the settings of its file; only --episodes, --threads, --out, how"
            " often it is evaluated, when it ends early and games to learn from can change"
        )
    moved = out is not None and out != resume
    if not moved:
        claims.enter_context(claimed(resume))
    agent = load_agent(resume)
    return agent, lessons_of(wish, agent.game), _free_path(out, agent.game, claims) if moved else resume


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


# ---------------------------------------------------------------- what comes of it


def _finish(out: Console, training: TrainingRun, path: Path, *, finished: bool) -> None:
    history, game = training.history, training.agent.game
    if history.evaluations:
        write_curve(history, path.with_suffix(".csv"))
        draw_curve([(path.stem, history)], path.with_suffix(".png"), game.title)
        out.print(f"learning curve: {path.with_suffix('.csv')} and {path.with_suffix('.png')}", soft_wrap=True)
        for line in success_lines(history):
            out.print(line)
    if history.stopped:
        out.print(f"ended early: {history.stopped}")
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
