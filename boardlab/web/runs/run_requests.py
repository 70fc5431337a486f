"""From what a page asks for to a training run: every limit and every name is checked here, and the network is tried out
in a worker process, so that whatever is wrong is told before anything is queued."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from boardlab.agents.learning import LearningAgent
from boardlab.agents.registry import current_agent_name
from boardlab.agents.wrapper import Wrapper
from boardlab.components.component import Component, parameters_of, short_doc
from boardlab.errors import unknown_name
from boardlab.game import Game
from boardlab.lab.history import History, history_in
from boardlab.lab.planning import learner_classes, learner_named
from boardlab.lab.presets import USUAL_AGENT, preset_agent, preset_doc, preset_names, preset_settings
from boardlab.lab.trial import Speed, evaluations_of
from boardlab.lab.wish import TrainingWish
from boardlab.matches.evaluators.registry import default_evaluator, make_evaluator, suitable_evaluators
from boardlab.ntuple.creation import asked_tuples
from boardlab.registry import split_spec
from boardlab.store import read_agent_file
from boardlab.web.library.agent_files import AgentFiles, clean_name
from boardlab.web.library.agents import needs_file, playing_agents
from boardlab.web.library.forms import are_plain, component_field, form_of, is_installed, refuse_paths
from boardlab.web.library.games import GameLibrary
from boardlab.web.library.tuple_sets import SAVED, TupleSets, refuse_too_many
from boardlab.web.runs.runs import Run, Runs
from boardlab.web.runs.trials import Trials
from boardlab.web.server.clock import now
from boardlab.web.server.errors import Problem
from boardlab.web.server.ids import new_id
from boardlab.web.server.models import FormField, GameSpec, Id, Option, Seed
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.workers.pool import WorkerPool

__all__ = [
    "Estimate",
    "LearnerChoice",
    "PresetChoice",
    "RunRequest",
    "RunRequests",
    "TrainOptions",
    "Word",
    "refuse_evaluator",
    "train_options",
]

Word = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Count = Annotated[int, Field(ge=1, le=10**9)]


class RunRequest(TrainingWish):
    """A training: a fresh one of a game, or one that goes on with an agent file."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    game: GameSpec | None = None
    agent: Word | None = None
    """The agent that learns; the one of the preset, or td-ntuple, when left out."""
    resume_file: Id | None = None
    name: Annotated[str, StringConstraints(max_length=100)] = ""
    """What the agent shall be called; like the game, when left out."""
    preset: Word | None = None
    options: dict[Annotated[str, StringConstraints(max_length=80)], Option] = {}
    episodes: Count | None = None
    """In all, those that the file has learned from before included."""
    seed: Seed | None = None
    threads: Annotated[int, Field(ge=1, le=256)] = 1
    evaluator: Word | None = None
    against: None = None
    """The opponent is the one of the evaluator."""
    evaluate_every: Count | None = None
    evaluation_games: Count | None = Field(None, alias="games")
    """Of one evaluation."""
    second_evaluator: Word | None = None
    """Who measures besides, in the same curve."""
    from_games: None = None
    weights: None = None
    """The server's files are no client's business."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.resume_file is None and self.game is None:
            raise ValueError("name a game to learn, or a file to go on with")
        if self.resume_file is not None and self.model_copy(update={"game": None}).begins_anew:
            raise ValueError("a training that goes on keeps the settings, the seed and the evaluator of its file")
        return self


class LearnerChoice(BaseModel):
    """An agent that learns."""

    name: str
    doc: str


class PresetChoice(BaseModel):
    """Named settings of a training."""

    name: str
    doc: str
    episodes: int
    options: dict[str, Option]


class TrainOptions(BaseModel):
    """What can be chosen for a training of a game by an agent. `fields` are its parameters besides episodes and seed,
    `presets` those for it."""

    agents: list[LearnerChoice]
    agent: str
    """The one that the rest is for."""
    presets: list[PresetChoice]
    fields: list[FormField]
    episodes: int
    """As many when nobody says."""
    evaluators: list[str]
    default_evaluator: str


def train_options(game: Game, agent: str | None) -> TrainOptions:
    """The form of a training by an agent; by the one of the first preset of the game where none is named."""
    presets = {name: preset_agent(game, name) for name in preset_names(game)}
    name = agent or next(iter(presets.values()), USUAL_AGENT)
    known = learners_for(game)
    if name not in known:
        raise unknown_name(f"agent that learns {game.spec}", name, known)
    default = parameters_of(known[name])["episodes"].default
    return TrainOptions(
        agents=[LearnerChoice(name=known_name, doc=short_doc(cls)) for known_name, cls in known.items()],
        agent=name,
        presets=[_preset(game, preset, default) for preset, of in presets.items() if of == name],
        fields=_fields(game, known[name]),
        episodes=default,
        evaluators=_evaluators(game),
        default_evaluator=_default(game),
    )


def learners_for(game: Game) -> dict[str, type[LearningAgent]]:
    """The agents that can learn a game, by name."""
    return {name: cls for name, cls in learner_classes().items() if cls.refusal(game) is None}


def _preset(game: Game, name: str, episodes: int) -> PresetChoice:
    options = preset_settings(game, name)
    episodes = options.pop("episodes", episodes)
    return PresetChoice(name=name, doc=preset_doc(game, name), episodes=episodes, options=options)


def _fields(game: Game, cls: type[LearningAgent]) -> list[FormField]:
    """The parameters of a learner. A text names a thing of boardlab, never a file in the browser."""
    components = cls.components()
    fields = {field.name: field for field in form_of(cls, without=("episodes", "seed"))}
    for name in fields.keys() & components.keys():
        fields[name] = component_field(fields[name], components[name])
    if "tuples" in fields:
        named = ", ".join(["default", *game.tuple_sets()])
        doc = f"n-tuples: {named}, saved:NAME, or random ones as walk:70x8, snake:70x8, points:30x5, walk:50x6+20x8"
        fields["tuples"] = fields["tuples"].model_copy(update={"doc": doc})
    return list(fields.values())


def _evaluators(game: Game) -> list[str]:
    """Those that suit the game and whose opponent a client may have."""
    return [name for name in suitable_evaluators(game) if _may_play(make_evaluator(name, game).opponent)]


def _default(game: Game) -> str:
    usual, allowed = default_evaluator(game), _evaluators(game)
    return usual if usual in allowed or not allowed else allowed[0]


def _may_play(opponent: str) -> bool:
    """Whether a client may have this opponent: a registered one, and nothing in its options that names a file or, as
    the agent of a wrapper, another agent."""
    if not opponent:
        return True
    name, options = split_spec(opponent)
    cls = playing_agents().get(current_agent_name(name))
    return cls is not None and not needs_file(cls) and are_plain(options)


def _may_measure(evaluator: str, against: str, game: Game) -> bool:
    """Whether a client may have this evaluator, with its options, and this opponent."""
    name, options = split_spec(evaluator)
    if name not in suitable_evaluators(game) or not are_plain(options):
        return False
    return _may_play(against or make_evaluator(evaluator, game).opponent)


def refuse_evaluator(field: str, name: str, game: Game) -> None:
    """Refuse an evaluator that the game does not have, or whose opponent no client may have."""
    if not _may_measure(name, "", game):
        known = ", ".join(_evaluators(game))
        raise Problem(422, f"{field}: there is no {name!r} for {game.spec}; choose one of {known}")


def _refuse_options(cls: type[LearningAgent], options: Mapping[str, Option]) -> None:
    """Refuse what names a file. A component may have parameters, `tcl-exp:beta=2`, and so may a wrapper,
    `n-ply:depth=2`, as other texts may not."""
    wrappers = {name: wrapper for name, wrapper in playing_agents().items() if issubclass(wrapper, Wrapper)}
    with_parameters: Mapping[str, Mapping[str, type[Component]]] = {
        **dict.fromkeys(("play_wrapper", "train_wrapper"), wrappers),
        **cls.components(),
    }
    for name, value in options.items():
        if name in with_parameters and isinstance(value, str) and is_installed(value, with_parameters[name]):
            refuse_paths(split_spec(value)[1])
        else:
            refuse_paths({name: value})


# ---------------------------------------------------------------- a new run


class Estimate(BaseModel):
    """What a training would need: memory and, once it has been tried out, time."""

    bytes: int
    episodes: int
    shortest: float | None = None
    longest: float | None = None
    """Seconds, as long as the machine has nothing else to do."""
    time: str = ""
    """That in words."""


@dataclass(frozen=True)
class _Checked:
    """A request that can be fulfilled."""

    game: Game
    wish: TrainingWish
    path: Path | None
    found: dict[str, Any]
    before: int
    episodes: int
    evaluations: int

    @property
    def training(self) -> dict[str, Any]:
        """For a worker."""
        return {"path": str(self.path) if self.path else None, "wish": self.wish.model_dump()}

    def estimate(self, speed: Speed | None) -> Estimate:
        """What is needed, where the speed is known or not."""
        left = self.episodes - self.before
        found = Estimate(bytes=self.found["bytes"], episodes=left)
        if speed is None:
            return found
        time = speed.expect(left, self.evaluations, self.wish.threads)
        return found.model_copy(update={"shortest": time.shortest, "longest": time.longest, "time": str(time)})


@dataclass(frozen=True)
class RunRequests:
    """Makes runs of requests, with the parts of the arena that it takes."""

    settings: ArenaSettings
    games: GameLibrary
    files: AgentFiles
    tuple_sets: TupleSets
    workers: WorkerPool
    runs: Runs
    trials: Trials

    async def queue(self, request: RunRequest) -> Run:
        """Check a request and queue the run."""
        self.runs.refuse_more()
        checked = await self._checked(request)
        game, wish, found = checked.game, checked.wish, checked.found
        job = {"wish": wish.model_dump(), "checkpoint_seconds": self.settings.checkpoint_seconds}
        run = Run(
            id=new_id(),
            name=clean_name(request.name or game.name),
            game=game.spec,
            title=game.title,
            state="queued",
            episodes=checked.before,
            of=checked.episodes,
            seed=found["seed"],
            threads=request.threads,
            agent=found["agent"],
            preset=wish.preset or "",
            evaluator=wish.evaluator or "",
            against=found["against"],
            bytes=found["bytes"],
            created=now(),
        )
        return await run_in_threadpool(self.runs.create, run, job, checked.path)

    async def estimate(self, request: RunRequest, *, with_trial: bool = False) -> Estimate:
        """What a training would need; how long it takes where that is known, or after a trial."""
        checked = await self._checked(request)
        kind = checked.found["kind"]
        speed = await self.trials.speed(kind, checked.training) if with_trial else self.trials.known(kind)
        return checked.estimate(speed)

    async def _checked(self, request: RunRequest) -> _Checked:
        """A request that can be fulfilled, with all that is to know of it."""
        self._refuse_limits(request)
        prepare = self._going_on if request.resume_file else self._fresh
        game, wish, path = await run_in_threadpool(prepare, request)
        check = {
            **{"job": "check_training", "path": str(path) if path else None, "wish": wish.model_dump()},
            "most_bytes": min(self.settings.network_megabytes, self.settings.megabytes) << 20,
        }
        found = await self.workers.run(check, self.settings.seconds_to_prepare)
        before = (await run_in_threadpool(self.files.get, request.resume_file)).episodes if request.resume_file else 0
        episodes = request.episodes or found["episodes"]
        self._refuse_episodes(request, episodes, before)
        wish = wish.model_copy(update={"episodes": episodes})
        evaluations = evaluations_of(episodes, wish.evaluation_interval(episodes), before)
        return _Checked(game, wish, path, found, before, episodes, evaluations)

    def _refuse_limits(self, request: RunRequest) -> None:
        settings = self.settings
        if request.threads > settings.threads:
            raise Problem(422, f"threads: the arena allows {settings.threads} for a training, not {request.threads}")
        if request.evaluation_games is not None and request.evaluation_games > settings.evaluation_games:
            raise Problem(422, f"games: an evaluation has {settings.evaluation_games:,} games at most")
        clean_name(request.name or "unnamed")
        tuples = request.options.get("tuples")
        if isinstance(tuples, str) and not tuples.startswith(SAVED):
            refuse_too_many(settings, asked_tuples(tuples))

    def _refuse_episodes(self, request: RunRequest, episodes: int, before: int) -> None:
        settings = self.settings
        if episodes > settings.episodes:
            raise Problem(422, f"episodes: the arena allows {settings.episodes:,} for a training, not {episodes:,}")
        if episodes <= before:
            raise Problem(
                422,
                f"episodes: the agent has learned from {before:,} already;"
                f" ask for more in total, such as {2 * before:,}",
            )
        points = (episodes - before) // request.evaluation_interval(episodes)
        if points > settings.curve_points:
            raise Problem(
                422,
                f"evaluate_every: these would be {points:,} evaluations, the arena allows {settings.curve_points:,}",
            )

    def _fresh(self, request: RunRequest) -> tuple[Game, TrainingWish, None]:
        """The game of a training that begins, and what is asked for, with nothing left open."""
        assert request.game is not None
        game = self.games.game(request.game)
        if request.agent not in learner_classes():  # one of a user's own may be offered by its file
            refuse_paths({"agent": request.agent})
        agent = request.agent_for(game)
        options, tuples = dict(request.options), request.options.get("tuples")
        if isinstance(tuples, str) and tuples.startswith(SAVED):
            options["tuples"] = self.tuple_sets.text_of(game, tuples.removeprefix(SAVED))
        _refuse_options(learner_named(agent), options)
        evaluator = request.evaluator or _default(game)
        for field, name in (("evaluator", evaluator), ("second_evaluator", request.second_evaluator)):
            if name is not None:
                refuse_evaluator(field, name, game)
        wish = _wish(request, game=game.spec, agent=agent, evaluator=evaluator, options=options)
        return game, wish.settled(game), None

    def _going_on(self, request: RunRequest) -> tuple[Game, TrainingWish, Path]:
        """The game of a training that goes on, what is asked for, and the file."""
        assert request.resume_file is not None
        path = self.files.path(request.resume_file)
        file = read_agent_file(path)
        game, history = self.games.game(file.about.game), history_in(file)
        if request.game is not None and self.games.game(request.game).spec != game.spec:
            raise Problem(422, f"game: the agent was trained for {game.spec}, not for {request.game}")
        evaluator, against = _procedure(history, game)
        preset = history.preset or None
        return game, _wish(request, game=game.spec, evaluator=evaluator, against=against, preset=preset), path


def _wish(request: RunRequest, **more: Any) -> TrainingWish:
    """The wish in a request, with more of it filled in."""
    return TrainingWish(**{name: getattr(request, name) for name in TrainingWish.model_fields} | more)


def _procedure(history: History, game: Game) -> tuple[str, str]:
    """Evaluator and opponent of a file's history, where a client may have them, and the second ones, too."""
    second = history.second_evaluator
    if second and not _may_measure(second, history.second_against, game):
        raise Problem(422, f"resume_file: it is measured by {history.second_procedure}, which the arena does not have")
    if not history.evaluator:
        return _default(game), ""
    if not _may_measure(history.evaluator, history.against, game):
        raise Problem(422, f"resume_file: it is measured by {history.procedure}, which the arena does not have")
    return history.evaluator, history.against
