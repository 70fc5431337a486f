"""From what a page asks for to a training run: every limit and every name is checked here, and the network is tried out
in a worker process, so that whatever is wrong is told before anything is queued."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, Field, StringConstraints, model_validator

from boardlab.agents.registry import current_agent_name
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.game import Game
from boardlab.lab.planning import learner_settings
from boardlab.lab.presets import preset_doc, preset_names, preset_settings
from boardlab.learn.rules import is_known_rule, rule_names
from boardlab.matches.evaluators.registry import default_evaluator, make_evaluator, suitable_evaluators
from boardlab.registry import split_spec
from boardlab.store import History, read_agent_file
from boardlab.web.errors import Problem
from boardlab.web.files import clean_name
from boardlab.web.forms import are_plain, form_of, refuse_paths
from boardlab.web.ids import new_id
from boardlab.web.models import FormField, GameSpec, Id, Option, Request, Seed
from boardlab.web.records import now
from boardlab.web.runs import Run
from boardlab.web.shelf import needs_file, playing_agents

if TYPE_CHECKING:
    from boardlab.web.house import House

__all__ = ["PresetChoice", "RunRequest", "TrainOptions", "new_run", "train_options"]

Word = Annotated[str, StringConstraints(min_length=1, max_length=80)]
Count = Annotated[int, Field(ge=1, le=10**9)]

_EVALUATIONS = 20


class RunRequest(Request):
    """A training: a fresh one of a game, or one that goes on with an agent file."""

    game: GameSpec | None = None
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
    evaluate_every: Count | None = None
    games: Count | None = None
    """Of one evaluation."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.resume_file is None and self.game is None:
            raise ValueError("name a game to learn, or a file to go on with")
        if self.resume_file is not None and (self.preset or self.options or self.evaluator or self.seed is not None):
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
        fields=[_field(field, game) for field in form_of(TDNTuple, without=("episodes", "seed"))],
        episodes=default,
        evaluators=_evaluators(game),
        default_evaluator=_default(game),
    )


def _field(field: FormField, game: Game) -> FormField:
    """Fields whose text names a thing of boardlab, never a file in the browser."""
    if field.name == "rule":
        doc = "step-size rule, with parameters of its own where it has some, as tcl-exp:beta=2"
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


# ---------------------------------------------------------------- a new run


async def new_run(house: House, request: RunRequest) -> Run:
    """Check a request and queue the run."""
    house.runs.refuse_more()
    _refuse_limits(house, request)
    prepare = _going_on if request.resume_file else _fresh
    game, job, path = await run_in_threadpool(prepare, house, request)
    wishes = job["wishes"]
    check = {
        **{"job": "check_training", "path": str(path) if path else None, "game": game.spec},
        **{"settings": job["settings"], "evaluator": wishes["evaluator"], "against": wishes["against"]},
        "most_bytes": house.settings.network_megabytes << 20,
    }
    found = await house.workers.run(check, house.settings.seconds_to_prepare)
    before = (await run_in_threadpool(house.files.get, request.resume_file)).episodes if request.resume_file else 0
    episodes = request.episodes or found["episodes"]
    _refuse_episodes(house, request, episodes, before)
    job["wishes"] = {**wishes, "episodes": episodes}
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
        preset=job["preset"],
        evaluator=wishes["evaluator"],
        against=found["against"],
        bytes=found["bytes"],
        created=now(),
    )
    return await run_in_threadpool(house.runs.create, run, job, path)


def _refuse_limits(house: House, request: RunRequest) -> None:
    settings = house.settings
    if request.threads > settings.threads:
        raise Problem(422, f"threads: the arena allows {settings.threads} for a training, not {request.threads}")
    if request.games is not None and request.games > settings.evaluation_games:
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
    points = (episodes - before) // (request.evaluate_every or max(1, episodes // _EVALUATIONS))
    if points > settings.curve_points:
        raise Problem(
            422, f"evaluate_every: these would be {points:,} evaluations, the arena allows {settings.curve_points:,}"
        )


def _fresh(house: House, request: RunRequest) -> tuple[Game, dict[str, Any], None]:
    """The game and the job of a training that begins."""
    assert request.game is not None
    game = house.game(request.game)
    _refuse_options(request.options)
    evaluator = request.evaluator or _default(game)
    if not _may_measure(evaluator, "", game):
        known = ", ".join(_evaluators(game))
        raise Problem(422, f"evaluator: there is no {evaluator!r} for {game.spec}; choose one of {known}")
    preset = request.preset or ""
    settings = learner_settings(game, preset, request.options, episodes=request.episodes, seed=request.seed)
    return game, _job(house, request, game, evaluator=evaluator, settings=settings, preset=preset), None


def _refuse_options(options: Mapping[str, Option]) -> None:
    """Refuse what names a file. A rule may have parameters, `tcl-exp:beta=2`, as other texts may not."""
    rule = options.get("rule")
    if isinstance(rule, str) and is_known_rule(rule):
        refuse_paths(split_spec(rule)[1])
        options = {name: value for name, value in options.items() if name != "rule"}
    refuse_paths(options)


def _going_on(house: House, request: RunRequest) -> tuple[Game, dict[str, Any], Path]:
    """The game, the job and the file of a training that goes on."""
    assert request.resume_file is not None
    path = house.files.path(request.resume_file)
    about = read_agent_file(path).about
    game = house.game(about.game)
    if request.game is not None and house.game(request.game).spec != game.spec:
        raise Problem(422, f"game: the agent was trained for {game.spec}, not for {request.game}")
    if about.agent != TDNTuple.name:
        raise Problem(422, f"resume_file: an agent {about.agent} cannot be trained here")
    evaluator, against = _procedure(about.history, game)
    return game, _job(house, request, game, evaluator=evaluator, against=against, preset=about.history.preset), path


def _procedure(history: History, game: Game) -> tuple[str, str]:
    """Evaluator and opponent of a file's history, where a client may have them."""
    if not history.evaluator:
        return _default(game), ""
    if not _may_measure(history.evaluator, history.against, game):
        raise Problem(422, f"resume_file: it is measured by {history.procedure}, which the arena does not have")
    return history.evaluator, history.against


def _job(
    house: House,
    request: RunRequest,
    game: Game,
    *,
    evaluator: str,
    against: str = "",
    settings: dict[str, Any] | None = None,
    preset: str,
) -> dict[str, Any]:
    """What the run process reads."""
    wishes = {
        "episodes": request.episodes,
        "threads": request.threads,
        "evaluator": evaluator,
        "against": against,
        "evaluate_every": request.evaluate_every,
        "evaluation_games": request.games,
    }
    return {
        "game": game.spec,
        "settings": settings or {},
        "preset": preset,
        "wishes": wishes,
        "checkpoint_seconds": house.settings.checkpoint_seconds,
    }
