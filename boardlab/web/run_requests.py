"""From what a page asks for to a training run: every limit and every name is checked here, and the network is tried out
in a worker process, so that whatever is wrong is told before anything is queued."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from boardlab.agents.td_ntuple import TDNTuple
from boardlab.game import Game
from boardlab.lab.presets import preset_doc, preset_names, preset_settings
from boardlab.lab.wish import TrainingWish
from boardlab.learn.rules import rule_names
from boardlab.matches.evaluators.registry import default_evaluator, make_evaluator, suitable_evaluators
from boardlab.registry import split_spec
from boardlab.store import History, read_agent_file
from boardlab.web.errors import Problem
from boardlab.web.files import clean_name
from boardlab.web.forms import model_form, refuse_paths
from boardlab.web.ids import new_id
from boardlab.web.models import FormField, GameSpec, Id, Option, Seed
from boardlab.web.records import now
from boardlab.web.runs import Run
from boardlab.web.shelf import playing_agents

if TYPE_CHECKING:
    from boardlab.web.house import House

__all__ = ["PresetChoice", "RunRequest", "TrainOptions", "new_run", "train_options"]

Word = Annotated[str, StringConstraints(min_length=1, max_length=80)]
Count = Annotated[int, Field(ge=1, le=10**9)]


class RunRequest(TrainingWish):
    """A training: a fresh one of a game, or one that goes on with an agent file."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    game: GameSpec | None = None
    agent: Word = "td-ntuple"
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

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.resume_file is None and self.game is None:
            raise ValueError("name a game to learn, or a file to go on with")
        if self.resume_file is not None and self.model_copy(update={"game": None}).begins_anew:
            raise ValueError("a training that goes on keeps the settings, the seed and the evaluator of its file")
        return self


class PresetChoice(BaseModel):
    """Named settings of a training."""

    name: str
    doc: str
    episodes: int
    options: dict[str, Option]


class TrainOptions(BaseModel):
    """What can be chosen for a training of a game. `fields` are the parameters besides episodes and seed."""

    presets: list[PresetChoice]
    fields: list[FormField]
    episodes: int
    """As many when nobody says."""
    evaluators: list[str]
    default_evaluator: str


def train_options(game: Game) -> TrainOptions:
    """The form of a training."""
    default = TDNTuple.Parameters.model_fields["episodes"].default
    presets = []
    for name in preset_names(game):
        options = preset_settings(game, name)
        episodes = options.pop("episodes", default)
        presets.append(PresetChoice(name=name, doc=preset_doc(game, name), episodes=episodes, options=options))
    return TrainOptions(
        presets=presets,
        fields=[_field(field, game) for field in model_form(TDNTuple.Parameters, without=("episodes", "seed"))],
        episodes=default,
        evaluators=_evaluators(game),
        default_evaluator=_default(game),
    )


def _field(field: FormField, game: Game) -> FormField:
    """Fields whose text names a thing of boardlab, never a file in the browser."""
    if field.name == "rule":
        doc = "step-size rule: plain, or temporal coherence in one of its forms"
        return field.model_copy(update={"kind": "choice", "choices": rule_names(), "doc": doc})
    if field.name == "tuples":
        named = ", ".join(["default", *game.tuple_sets()])
        doc = f"n-tuples: {named}, or random ones as walk:70x8, points:30x5, walk:50x6+20x8"
        return field.model_copy(update={"doc": doc})
    return field


def _evaluators(game: Game) -> list[str]:
    """Those that suit the game and whose opponent a client may have."""
    return [name for name in suitable_evaluators(game) if _may_play(make_evaluator(name, game).opponent)]


def _default(game: Game) -> str:
    usual, allowed = default_evaluator(game), _evaluators(game)
    return usual if usual in allowed or not allowed else allowed[0]


def _may_play(opponent: str) -> bool:
    return not opponent or split_spec(opponent)[0] in playing_agents()


# ---------------------------------------------------------------- a new run


async def new_run(house: House, request: RunRequest) -> Run:
    """Check a request and queue the run."""
    house.runs.refuse_more()
    _refuse_limits(house, request)
    prepare = _going_on if request.resume_file else _fresh
    game, wish, path = await run_in_threadpool(prepare, house, request)
    check = {
        **{"job": "check_training", "path": str(path) if path else None, "wish": wish.model_dump()},
        "most_bytes": house.settings.network_megabytes << 20,
    }
    found = await house.workers.run(check, house.settings.seconds_to_prepare)
    before = (await run_in_threadpool(house.files.get, request.resume_file)).episodes if request.resume_file else 0
    episodes = request.episodes or found["episodes"]
    _refuse_episodes(house, request, episodes, before)
    wish = wish.model_copy(update={"episodes": episodes})
    job = {"wish": wish.model_dump(), "checkpoint_seconds": house.settings.checkpoint_seconds}
    run = Run(
        id=new_id(),
        name=clean_name(request.name or game.name),
        game=game.spec,
        title=game.title,
        state="queued",
        episodes=before,
        of=episodes,
        seed=found["seed"],
        threads=request.threads,
        preset=wish.preset or "",
        evaluator=wish.evaluator or "",
        against=found["against"],
        bytes=found["bytes"],
        created=now(),
    )
    return await run_in_threadpool(house.runs.create, run, job, path)


def _refuse_limits(house: House, request: RunRequest) -> None:
    settings = house.settings
    if request.threads > settings.threads:
        raise Problem(422, f"threads: the arena allows {settings.threads} for a training, not {request.threads}")
    if request.evaluation_games is not None and request.evaluation_games > settings.evaluation_games:
        raise Problem(422, f"games: an evaluation has {settings.evaluation_games:,} games at most")
    clean_name(request.name or "unnamed")


def _refuse_episodes(house: House, request: RunRequest, episodes: int, before: int) -> None:
    settings = house.settings
    if episodes > settings.episodes:
        raise Problem(422, f"episodes: the arena allows {settings.episodes:,} for a training, not {episodes:,}")
    if episodes <= before:
        raise Problem(
            422,
            f"episodes: the agent has learned from {before:,} already; ask for more of them in all, as {2 * before:,}",
        )
    points = (episodes - before) // request.evaluation_interval(episodes)
    if points > settings.curve_points:
        raise Problem(
            422, f"evaluate_every: these would be {points:,} evaluations, the arena allows {settings.curve_points:,}"
        )


def _fresh(house: House, request: RunRequest) -> tuple[Game, TrainingWish, None]:
    """The game of a training that begins, and what is asked for, with nothing left open."""
    assert request.game is not None
    game = house.game(request.game)
    refuse_paths({"agent": request.agent, **request.options})
    evaluator = request.evaluator or _default(game)
    if evaluator not in _evaluators(game):
        known = ", ".join(_evaluators(game))
        raise Problem(422, f"evaluator: there is no {evaluator!r} for {game.spec}; choose one of {known}")
    return game, _wish(request, game=game.spec, evaluator=evaluator).settled(game), None


def _wish(request: RunRequest, **more: Any) -> TrainingWish:
    """The wish in a request, with more of it filled in."""
    return TrainingWish(**{name: getattr(request, name) for name in TrainingWish.model_fields} | more)


def _going_on(house: House, request: RunRequest) -> tuple[Game, TrainingWish, Path]:
    """The game of a training that goes on, what is asked for, and the file."""
    assert request.resume_file is not None
    path = house.files.path(request.resume_file)
    about = read_agent_file(path).about
    game = house.game(about.game)
    if request.game is not None and house.game(request.game).spec != game.spec:
        raise Problem(422, f"game: the agent was trained for {game.spec}, not for {request.game}")
    evaluator, against = _procedure(about.history, game)
    preset = about.history.preset or None
    return game, _wish(request, game=game.spec, evaluator=evaluator, against=against, preset=preset), path


def _procedure(history: History, game: Game) -> tuple[str, str]:
    """Evaluator and opponent of a file's history, where a client may have them."""
    if not history.evaluator:
        return _default(game), ""
    if history.evaluator not in suitable_evaluators(game) or not _may_play(history.against):
        raise Problem(422, f"resume_file: it is measured by {history.procedure}, which the arena does not have")
    return history.evaluator, history.against
