"""What a person asks for when something shall be learned: the same on the command line, in the browser and in Python.

A wish is checked when it is made, knows nothing of files or processes, and can be written down as JSON (`model_dump`)
or TOML (`to_toml`), from which `train --config` reads it. `boardlab.lab.planning` makes a learner and a plan of it.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import Field, model_validator

from boardlab.components.models import Model
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.lab.presets import USUAL_AGENT, preset_agent, preset_evaluation, preset_settings
from boardlab.learn.rules import rule_class
from boardlab.registry import split_spec
from boardlab.rng import fresh_seed

__all__ = ["TrainingWish", "read_wish_file", "toml_key", "toml_value"]

_EVALUATIONS = 20
"""How many evaluations a training has when nobody says."""
_OF_BOTH = ("episodes", "seed")
"""What is a parameter of the learner, too."""


class TrainingWish(Model):
    """A training that somebody wants; None where he does not say."""

    game: str | None = Field(None, description="the game to learn; none where a training goes on")
    agent: str | None = Field(None, description="the agent that learns: that of the preset, else td-ntuple")
    preset: str | None = Field(None, description="named settings for the game")
    options: dict[str, Any] = Field({}, description="parameters of the agent, over those of the preset")
    episodes: int | None = Field(None, ge=1, le=10**9, description="in all, those learned from before included")
    seed: int | None = Field(None, ge=0, le=999_999_999_999, description="makes the training repeatable")
    threads: int = Field(1, ge=1, le=256, description="threads that train together")
    evaluator: str | None = Field(None, description="how strength is measured")
    against: str | None = Field(None, description="the opponent in evaluations")
    evaluate_every: int | None = Field(None, ge=1, description="episodes between two evaluations")
    evaluation_games: int | None = Field(None, ge=1, description="games of an evaluation")
    second_evaluator: str | None = Field(None, description="how strength is measured besides, in the same curve")
    stop_at: float | None = Field(None, description="end early when evaluations reach this result")
    in_a_row: int = Field(1, ge=1, le=1000, description="so many evaluations in a row must reach it")
    from_games: str | None = Field(None, description="a file of games to learn from, instead of self-play")
    weights: str | None = Field(None, description="a file of weights to begin with, as boardlab export writes it")

    @model_validator(mode="before")
    @classmethod
    def _in_their_places(cls, given: Any) -> Any:
        """Episodes and seed may stand among the options; lambda, which is no name in Python, is lam."""
        if not isinstance(given, Mapping) or not isinstance(given.get("options"), Mapping):
            return given
        options, fields = dict(given["options"]), dict(given)
        if "lambda" in options:
            options["lam"] = options.pop("lambda")
        for name in _OF_BOTH:
            if name in options:
                among = options.pop(name)
                fields[name] = among if fields.get(name) is None else fields[name]
        return {**fields, "options": options}

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.in_a_row > 1 and self.stop_at is None:
            raise ValueError("in_a_row counts evaluations that reach stop_at; say that, too")
        if self.from_games is not None and self.threads > 1:
            raise ValueError("recorded games are learned from by one thread; leave threads out")
        return self

    def agent_for(self, game: Game) -> str:
        """The agent that learns: the one asked for, which a preset must be for, that of the preset, or td-ntuple."""
        if self.preset is None:
            return self.agent or USUAL_AGENT
        of_preset = preset_agent(game, self.preset)
        if self.agent not in (None, of_preset):
            raise BoardlabError(
                f"the preset {self.preset} of {game.spec} is for the agent {of_preset}, not for {self.agent}; leave one"
                " of them out"
            )
        return of_preset

    def settled(self, game: Game) -> Self:
        """The same wish with a seed: the one asked for, that of the preset, or a fresh one; and measured as the preset
        says, where nobody asks for another evaluator or opponent."""
        preset = preset_settings(game, self.preset) if self.preset else {}
        said: dict[str, Any] = {"seed": preset.get("seed", fresh_seed())}
        if self.preset and self.evaluator is None and self.against is None:
            said.update(preset_evaluation(game, self.preset))
        return self.model_copy(update={name: value for name, value in said.items() if getattr(self, name) is None})

    def settings(self, game: Game) -> dict[str, Any]:
        """The parameters of the learner: those of the preset, over them the options, over them episodes and seed. With
        another step-size rule than that of the preset, those that mean nothing to it are left out."""
        settings = preset_settings(game, self.preset) if self.preset else {}
        if settings and "rule" in self.options:
            for name in rule_class(split_spec(str(self.options["rule"]))[0]).ignored():
                settings.pop(name, None)
        settings.update(self.options)
        settings.update({name: getattr(self, name) for name in _OF_BOTH if getattr(self, name) is not None})
        return settings

    def evaluation_interval(self, episodes: int) -> int:
        """Episodes between two evaluations of a training of so many."""
        return self.evaluate_every or max(1, episodes // _EVALUATIONS)

    @property
    def begins_anew(self) -> bool:
        """Whether it asks for something that a training which goes on has in its file: game, settings, evaluator."""
        fixed = (self.game, self.agent, self.preset, self.options, self.evaluator, self.against, self.weights)
        return any(fixed) or self.second_evaluator is not None or self.seed is not None

    def to_toml(self) -> str:
        """What differs from the default, as the text of a TOML file."""
        given = self.model_dump(exclude_defaults=True)
        options = given.pop("options", {})
        lines = [f"{name} = {toml_value(value)}" for name, value in given.items()]
        if options:
            lines += ["", "[options]", *(f"{toml_key(name)} = {toml_value(v)}" for name, v in options.items())]
        return "\n".join([*lines, ""])


def read_wish_file(path: Path, model: type[TrainingWish] = TrainingWish) -> dict[str, Any]:
    """The fields of a wish, or of a kind of wish, from a TOML file. Parameters of the learner stand in a table
    [options] or beside the fields."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BoardlabError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BoardlabError(f"{path} is not TOML: {error}") from error
    options = content.pop("options", {})
    if not isinstance(options, dict):
        raise BoardlabError(f"options in {path} is a table, as [options] with alpha = 0.5 below it")
    fields = {name: value for name, value in content.items() if name in model.model_fields}
    beside = {name: value for name, value in content.items() if name not in fields}
    return {**fields, "options": {**beside, **options}}


def toml_key(name: str) -> str:
    """A name as TOML writes it: bare, or in quotes."""
    bare = name.replace("-", "").replace("_", "")
    return name if bare.isascii() and bare.isalnum() else toml_value(name)


def toml_value(value: object) -> str:
    """A value as TOML, which has no null: the learner understands the text none. JSON writes texts and numbers in the
    same way but for one character."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_key(key)} = {toml_value(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(toml_value, value))}]"
    return json.dumps("none" if value is None else value, ensure_ascii=False).replace("\x7f", "\\u007f")
