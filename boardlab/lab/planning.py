"""From what a person asks for to a training run: the learner and the plan. The command line, the browser and
`boardlab.train` all begin here, so that the same wish gives the same training."""

from __future__ import annotations

from pathlib import Path

from boardlab.agents.classes import agent_classes, current_agent_name, find_agent_class
from boardlab.agents.learning import LearningAgent
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.lab.history import History, history_of
from boardlab.lab.stop import Stop
from boardlab.lab.training import Plan
from boardlab.lab.wish import TrainingWish
from boardlab.matches.evaluators.registry import default_evaluator, make_evaluator
from boardlab.matches.intervals import Estimate
from boardlab.matches.play import Progress
from boardlab.rng import make_rng
from boardlab.system.machine import cores

__all__ = ["compile_training", "learner_classes", "learner_named", "make_plan", "new_learner"]


def new_learner(game: Game, wish: TrainingWish) -> LearningAgent:
    """A fresh agent that is about to learn the game as wished."""
    name = wish.agent_for(game)
    agent = learner_named(name)(game, **wish.settled(game).settings(game))
    agent.history = History(preset=wish.preset or "").model_dump()
    agent.kind = current_agent_name(name)
    return agent


def learner_named(name: str) -> type[LearningAgent]:
    """The class of the learner with this name, or of `path/to/file.py:Class`."""
    cls = find_agent_class(name)
    if not issubclass(cls, LearningAgent):
        raise BoardlabError(f"the agent {name} does not learn; agents that do: {', '.join(learner_classes())}")
    return cls


def learner_classes() -> dict[str, type[LearningAgent]]:
    """All agents that learn, by name."""
    return {name: cls for name, cls in agent_classes().items() if issubclass(cls, LearningAgent)}


def make_plan(
    agent: LearningAgent,
    wish: TrainingWish,
    stop: Stop,
    *,
    path: Path | None = None,
    progress: Progress | None = None,
    workers: int | None = None,
) -> Plan:
    """The plan of a training. One that goes on is measured as it was before; `progress` is told of the games of an
    evaluation, which are played by so many processes, by default one for each core."""
    game = agent.game
    wish = wish.settled(game)
    episodes = wish.episodes or agent.parameters.episodes
    history = history_of(agent)
    name, against = history.evaluator, history.against
    if not name:
        name, against = _evaluator_of(wish, game)
    evaluator = make_evaluator(name, game)
    against = against or evaluator.opponent

    def prepare() -> None:
        if against:
            evaluator.invited(against).agent  # noqa: B018 (made now, and kept)

    def evaluate(trained: LearningAgent) -> Estimate:
        with stop.at_once():
            return evaluator.evaluate(
                trained,
                games=wish.evaluation_games,
                against=against,
                seed=1,
                workers=workers or cores(),
                progress=progress,
            ).result

    return Plan(
        episodes,
        threads=wish.threads,
        prepare=prepare,
        evaluate=evaluate,
        evaluator=name,
        against=against,
        evaluate_every=wish.evaluation_interval(episodes),
        path=path,
    )


def _evaluator_of(wish: TrainingWish, game: Game) -> tuple[str, str]:
    """Evaluator and opponent: those asked for, or those that suit the game. An empty opponent is the evaluator's
    own."""
    return wish.evaluator or ("all-roles" if wish.against else default_evaluator(game)), wish.against or ""


def compile_training(agent: LearningAgent, plan: Plan) -> None:
    """Load the machine code of training and of play, or compile it, which takes a while the first time. The opponent
    comes first: a mistake in its name shall be told now, not after the first stretch of training."""
    plan.prepare()
    agent.compile()
    agent.values(agent.game.start().roll(make_rng(0)))
