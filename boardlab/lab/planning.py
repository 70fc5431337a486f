"""From what a person asks for to a training run: the learner and the plan. The command line, the browser and
`boardlab.train` all begin here, so that the same wish gives the same training."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from boardlab.agents.classes import agent_classes, current_agent_name, find_agent_class
from boardlab.agents.learning import LearningAgent
from boardlab.compiler.later import compiled_later
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.lab.beside import Watch
from boardlab.lab.history import History, history_of
from boardlab.lab.lessons import Lessons, read_lessons
from boardlab.lab.stop import Stop
from boardlab.lab.training import Measure, Plan
from boardlab.lab.wish import TrainingWish
from boardlab.matches.evaluators.registry import default_evaluator, make_evaluator
from boardlab.matches.intervals import Estimate
from boardlab.matches.play import WORTH_COMPILING, Guest, Progress
from boardlab.rng import derived_seed, make_rng
from boardlab.system.machine import cores

__all__ = ["compile_training", "learner_classes", "learner_named", "lessons_of", "make_plan", "new_learner"]


def new_learner(game: Game, wish: TrainingWish, lessons: Lessons | None = None) -> LearningAgent:
    """A fresh agent that is about to learn the game as wished; from each of the lessons once, where nobody says how
    many episodes there shall be."""
    if lessons is not None and wish.episodes is None:
        wish = wish.model_copy(update={"episodes": len(lessons.games)})
    name = wish.agent_for(game)
    agent = learner_named(name)(game, **wish.settled(game).settings(game))
    agent.history = History(preset=wish.preset or "").model_dump()
    agent.kind = current_agent_name(name)
    if wish.weights is not None:
        agent.import_weights(Path(wish.weights))
    return agent


def lessons_of(wish: TrainingWish, game: Game) -> Lessons | None:
    """The games that are learned from instead of self-play; None where there are none."""
    return None if wish.from_games is None else read_lessons(Path(wish.from_games), game)


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
    lessons: Lessons | None = None,
    path: Path | None = None,
    progress: Progress | None = None,
    workers: int | None = None,
    beside: bool = True,
) -> Plan:
    """The plan of a training. One that goes on is measured as it was before; `progress` is told of the games of an
    evaluation, which are played by so many processes or threads, by default one for each core. Evaluations run `beside`
    learning where a core is free for them, unless somebody else needs it."""
    wish = wish.settled(agent.game)
    agent.check_threads(wish.threads)
    episodes = wish.episodes or agent.parameters.episodes
    if lessons is not None and wish.episodes is None and agent.episodes >= episodes:
        episodes = agent.episodes + len(lessons.games)  # one that has learned goes on with these games
    history = history_of(agent)
    interval, free = wish.evaluation_interval(episodes), cores() - wish.threads
    beside = beside and free > 0 and wish.stop_at is None
    measuring = _Measuring(agent.game, wish.evaluation_games, stop, progress, workers or cores())
    measuring.times, measuring.beside = max(1, (episodes - agent.episodes) // interval), beside
    if beside and workers is None:
        measuring.workers_beside = free
    first = measuring.by(*_first_evaluator(wish, history, agent.game))
    second = history.second_evaluator or wish.second_evaluator
    return Plan(
        episodes,
        threads=wish.threads,
        prepare=measuring.prepare,
        evaluate=first.evaluate,
        evaluator=first.evaluator,
        against=first.against,
        evaluate_every=interval,
        second=measuring.by(second, history.second_against) if second else None,
        goal=wish.stop_at,
        in_a_row=wish.in_a_row,
        lessons=lessons,
        path=path,
        beside=beside,
        watch=measuring.watch,
        at_once=stop.at_once,
    )


class _Measuring:
    """How agents in training are measured."""

    def __init__(self, game: Game, games: int | None, stop: Stop, progress: Progress | None, workers: int) -> None:
        self.game, self.games, self.stop = game, games, stop
        self.progress, self.workers = progress, workers
        self.workers_beside = self.times = 1
        """How many work on an evaluation beside learning; how many evaluations there will be."""
        self.beside = False
        self.watch = Watch()
        self._guests: list[Guest] = []
        self._uncompiled: list[Callable[[], None]] = []

    def by(self, name: str, against: str) -> Measure:
        """By an evaluator, with this opponent or, where it is empty, its own."""
        evaluator = make_evaluator(name, self.game)
        opponent = against or evaluator.opponent
        if opponent:
            self._guests.append(evaluator.invited(opponent))

        def evaluate(trained: LearningAgent) -> Estimate:
            beside = self.watch.beside
            seed = _seed_of(trained)
            games = self.games or evaluator.games(len(evaluator.starts(seed)))
            many = {"many": True} if games * self.times >= WORTH_COMPILING else {}
            with nullcontext() if beside else self.stop.at_once():
                self._compile()
                return evaluator.evaluate(
                    trained,
                    games=self.games,
                    against=opponent,
                    seed=seed,
                    workers=self.workers_beside if beside else self.workers,
                    progress=self.watch.listened(self.progress),
                    **many,
                ).result

        return Measure(name, opponent, evaluate)

    def prepare(self) -> None:
        """Make the opponents, who stay for all evaluations. What they have compiled is left to the first of these, if
        it runs beside learning."""
        with compiled_later() as self._uncompiled:
            for guest in self._guests:
                guest.agent  # noqa: B018 (made now, and kept)
        if not self.beside:
            self._compile()

    def _compile(self) -> None:
        while self._uncompiled:
            self._uncompiled.pop(0)()


def _seed_of(trained: LearningAgent) -> int:
    """The seed of an evaluation: another one each time, as who draws the same games again and again measures how lucky
    these are (times to learn of Thill 2015 hang on them by a fifth). A training that is repeated has the same ones."""
    return derived_seed(trained.parameters.model_dump().get("seed", 0), trained.episodes)


def _first_evaluator(wish: TrainingWish, history: History, game: Game) -> tuple[str, str]:
    """Evaluator and opponent: those of before, those asked for, or those that suit the game. An empty opponent is the
    evaluator's own."""
    if history.evaluator:
        return history.evaluator, history.against
    return wish.evaluator or ("all-roles" if wish.against else default_evaluator(game)), wish.against or ""


def compile_training(agent: LearningAgent, plan: Plan) -> None:
    """Load the machine code of training, or compile it, which takes a while the first time. The opponent is made first:
    a mistake in its name shall be told now, not after the first stretch of training. What evaluations need, its moves
    among it, is compiled by the first of them, beside learning where there is a core for it."""
    plan.prepare()
    agent.compile()
    if not plan.beside:
        agent.values(agent.game.start().roll(make_rng(0)))
