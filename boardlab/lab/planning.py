"""From what a person asks for to a training run: the settings of the learner and the plan. The command line and the
browser both begin here, so that the same wishes give the same training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardlab.agents.td_ntuple import TDNTuple
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.lab.presets import preset_settings
from boardlab.lab.stop import Stop
from boardlab.lab.training import Plan
from boardlab.machine import cores
from boardlab.matches.evaluators.registry import default_evaluator, make_evaluator
from boardlab.matches.intervals import Estimate
from boardlab.matches.play import Progress
from boardlab.rng import fresh_seed, make_rng
from boardlab.store import AgentFile, History

__all__ = ["Wishes", "compile_training", "learner_of", "learner_settings", "make_plan"]

_EVALUATIONS = 20
"""How many evaluations a training has when nobody says."""


@dataclass(frozen=True)
class Wishes:
    """How a training shall go besides the settings of the learner; None or empty where nobody says."""

    episodes: int | None = None
    """Until the agent has seen so many in all."""
    threads: int = 1
    evaluator: str = ""
    against: str = ""
    evaluate_every: int | None = None
    evaluation_games: int | None = None


def learner_settings(
    game: Game,
    preset: str,
    *layers: Mapping[str, Any],
    episodes: int | None = None,
    seed: int | None = None,
) -> dict[str, Any]:
    """The settings of td-ntuple: those of the preset, over them the layers from first to last, over them episodes and
    seed. A seed that nobody chose is a fresh one."""
    settings: dict[str, Any] = {"seed": fresh_seed()}
    if preset:
        settings.update(preset_settings(game, preset))
    for layer in layers:
        settings.update(layer)
    if "lambda" in settings:
        settings["lam"] = settings.pop("lambda")
    if episodes is not None:
        settings["episodes"] = episodes
    if seed is not None:
        settings["seed"] = seed
    return settings


def learner_of(file: AgentFile) -> TDNTuple:
    """The agent of a file, to go on learning."""
    agent = file.agent()
    if not isinstance(agent, TDNTuple):
        raise BoardlabError(f"the agent {agent.name} in {file.path} cannot be trained")
    return agent


def make_plan(
    agent: TDNTuple,
    history: History,
    path: Path,
    wishes: Wishes,
    stop: Stop,
    progress: Progress | None = None,
) -> Plan:
    """The plan of a training. One that goes on is measured as it was before; `progress` is told of the games of an
    evaluation."""
    game = agent.game
    episodes = wishes.episodes or agent.parameters.episodes
    name, against = history.evaluator, history.against
    if not name:
        name, against = _evaluator_of(wishes, game)
    evaluator = make_evaluator(name, game)
    against = against or evaluator.opponent

    def prepare() -> None:
        if against:
            evaluator.invited(against).agent  # noqa: B018 (made now, and kept)

    def evaluate(trained: TDNTuple) -> Estimate:
        with stop.at_once():
            return evaluator.evaluate(
                trained,
                games=wishes.evaluation_games,
                against=against,
                seed=1,
                workers=cores(),
                progress=progress,
            ).result

    return Plan(
        episodes,
        threads=wishes.threads,
        prepare=prepare,
        evaluate=evaluate,
        evaluator=name,
        against=against,
        evaluate_every=wishes.evaluate_every or max(1, episodes // _EVALUATIONS),
        path=path,
    )


def _evaluator_of(wishes: Wishes, game: Game) -> tuple[str, str]:
    """Evaluator and opponent: those asked for, or those that suit the game. An empty opponent is the evaluator's
    own."""
    return wishes.evaluator or ("all-roles" if wishes.against else default_evaluator(game)), wishes.against


def compile_training(agent: TDNTuple, plan: Plan) -> None:
    """Load the machine code of training and of play, or compile it, which takes a while the first time. The opponent
    comes first: a mistake in its name shall be told now, not after the first stretch of training."""
    plan.prepare()
    agent.learner.compile()
    agent.values(agent.game.start().roll(make_rng(0)))
