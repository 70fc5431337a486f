"""`boardlab.train`: one call in which an agent learns a game.

>>> agent = boardlab.train("connect4", preset="quick", seed=1)
>>> agent.save("mine.agent")
"""

from __future__ import annotations

import signal
from contextlib import ExitStack
from pathlib import Path

from boardlab.agents.learning import LearningAgent
from boardlab.components.models import read_model
from boardlab.errors import BoardlabError
from boardlab.game import Game, require_game
from boardlab.lab.lessons import Lessons
from boardlab.lab.planning import compile_training, lessons_of, make_plan, new_learner
from boardlab.lab.progress import ProgressLine, introduce, show_compiling
from boardlab.lab.stop import Stop
from boardlab.lab.training import TrainingRun, follow, require_work
from boardlab.lab.wish import TrainingWish
from boardlab.registry import make

__all__ = ["train"]


def train(
    game: str | Game | LearningAgent,
    *,
    agent: str | None = None,
    preset: str | None = None,
    episodes: int | None = None,
    seed: int | None = None,
    threads: int = 1,
    evaluator: str | None = None,
    against: str | None = None,
    evaluate_every: int | None = None,
    evaluation_games: int | None = None,
    second_evaluator: str | None = None,
    stop_at: float | None = None,
    in_a_row: int = 1,
    from_games: str | Path | None = None,
    weights: str | Path | None = None,
    workers: int = 1,
    progress: bool = True,
    **options: object,
) -> LearningAgent:
    """Learn a game by self-play and return the agent; `history_of` gives its learning curve.

    `game` is a game or its name, or an agent that has learned, to go on until it has seen so many `episodes` in all.
    `agent` is the name of one that learns; td-ntuple, or that of the preset, when left out. Further keywords are its
    parameters, over those of the preset: `alpha=0.5`. Progress is shown unless it is turned off. Ctrl-C ends the
    training early and returns what was learned. With several `workers` the calling program has to be a notebook, or a
    script with `if __name__ == "__main__":`."""
    given = {
        **{"agent": agent, "preset": preset, "options": options, "episodes": episodes, "seed": seed},
        **{"threads": threads, "evaluator": evaluator, "against": against},
        **{"evaluate_every": evaluate_every, "evaluation_games": evaluation_games},
        **{"second_evaluator": second_evaluator, "stop_at": stop_at, "in_a_row": in_a_row},
        **{"from_games": from_games and str(from_games), "weights": weights and str(weights)},
    }
    wish = read_model(TrainingWish, given, "a training")
    learner, lessons = _learner(game, wish)
    stop, shown = Stop(), _Shown() if progress else None
    told = shown.line.evaluating if shown else None
    plan = make_plan(learner, wish, stop, lessons=lessons, progress=told, workers=workers)
    require_work(learner, plan, "episodes=")
    if shown:
        introduce(shown.out, learner, plan)
        show_compiling(shown.out, learner, plan)
    else:
        compile_training(learner, plan)
    training = TrainingRun(learner, plan)
    with ExitStack() as context:
        if shown:
            context.enter_context(shown.line.shown(training))
        context.enter_context(stop.listening(signal.SIGINT))
        finished = follow(training, stop, shown.line.tell if shown else None)
    if shown and not finished:
        shown.out.print(f"stopped after {learner.episodes:,} episodes")
    return learner


class _Shown:
    """The console and the progress line of a training."""

    def __init__(self) -> None:
        from rich.console import Console

        self.out = Console(highlight=False, markup=False, emoji=False)
        self.line = ProgressLine(self.out)


def _learner(game: str | Game | LearningAgent, wish: TrainingWish) -> tuple[LearningAgent, Lessons | None]:
    if not isinstance(game, LearningAgent):
        made = make(game) if isinstance(game, str) else game
        require_game(made)
        lessons = lessons_of(wish, made)
        return new_learner(made, wish, lessons), lessons
    if wish.begins_anew:
        raise BoardlabError(
            "an agent that goes on learning keeps its game, its settings, its seed and its evaluator; new are only"
            " episodes, threads, how often it is evaluated, when it ends early, and games to learn from"
        )
    return game, lessons_of(wish, game.game)
