"""The description of a tuning: that of a sweep, whose ranges and lists are the space that is searched."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, model_validator

from boardlab.components.models import Model, read_model
from boardlab.errors import BoardlabError
from boardlab.lab.sweeps.sweep import Sweep, Variant
from boardlab.lab.sweeps.variation import Dimension
from boardlab.lab.wish import read_wish_file, toml_value

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

__all__ = ["Search", "Tuning"]

VARIANT = "variant"
"""The name of the choice among named variants."""


class Search(Model):
    """How the space is searched."""

    trials: int = Field(50, ge=1, le=100_000, description="how many settings are tried")
    sampler: Literal["tpe", "random", "quasi-random", "gaussian-process", "cma-es"] = Field(
        "tpe", description="who proposes settings"
    )
    pruner: Literal["median", "halving", "hyperband", "none"] = Field(
        "median", description="who ends trials early whose learning curves are poor"
    )
    goal: Literal["final", "time"] = Field(
        "final", description="the best result at the end, or the shortest time-to-learn (the first of `levels`)"
    )
    seed: int = Field(1, ge=0, description="of the sampler")


_USUAL = Search.model_validate({})


class Tuning(Sweep):
    """A sweep whose grid, hypercube and variants are searched, not tried in full."""

    seeds: list[int] = Field([1, 2, 3], description="each setting is trained with all of these")
    tune: Search = Field(_USUAL, description="how the space is searched")

    @classmethod
    def read(cls, path: Path | str) -> Tuning:
        """The tuning that a TOML file describes."""
        path = Path(path)
        found = read_wish_file(path, cls)
        search = read_model(Search, found.pop("tune", {}), "the table [tune]")
        if "points" not in found.get("hypercube", {"points": 1}):
            found["hypercube"] = {"points": 1, **found["hypercube"]}
        tuning = read_model(cls, found, "a tuning").model_copy(update={"tune": search})
        if tuning.game is None:
            raise BoardlabError(f'{path} names no game; it says one as game = "tictactoe"')
        if search.goal == "time" and not tuning.levels:
            raise BoardlabError("the goal time needs levels, as levels = [0.8]: the result that shall be reached soon")
        if not tuning.space:
            raise BoardlabError(
                f"nothing varies in {path}; a tuning has [hypercube] with ranges, [grid] with lists, or [variants]"
            )
        return tuning

    @model_validator(mode="after")
    def _has_one_name_each(self) -> Self:
        if VARIANT in self.grid or VARIANT in self.hypercube:
            raise ValueError("variant is the choice among [variants], and no setting")
        return self

    @property
    def space(self) -> dict[str, Dimension]:
        """What is searched: lists and ranges by name."""
        inside = {name: value for name, value in self.hypercube.items() if name not in ("points", "seed")}
        found = {name: Dimension(value, counted=False) for name, value in {**self.grid, **inside}.items()}
        names = list(self.variants)
        return {**({VARIANT: Dimension(names, counted=False)} if len(names) > 1 else {}), **found}

    def distributions(self) -> dict[str, BaseDistribution]:
        """The same for Optuna."""
        return {name: _distribution(dimension) for name, dimension in self.space.items()}

    def variant_of(self, parameters: Mapping[str, Any]) -> Variant:
        """The training with these settings."""
        names = list(self.variants)
        name = str(parameters.get(VARIANT, names[0] if names else ""))
        values = {key: value for key, value in parameters.items() if key != VARIANT}
        return self._variant(name, self.variants.get(name, {}), values)

    def to_toml(self) -> str:
        """The text of a TOML file that describes the same tuning."""
        text = self.model_copy(update={"tune": _USUAL})._sweep_toml()
        table = [f"{name} = {toml_value(value)}" for name, value in self.tune.model_dump().items()]
        return "\n".join([text.rstrip(), "", "[tune]", *table, ""])

    def _sweep_toml(self) -> str:
        return super().to_toml()


def _distribution(dimension: Dimension) -> BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if dimension.choices is not None:
        return CategoricalDistribution(dimension.choices)
    if dimension.whole:
        return IntDistribution(round(dimension.low), round(dimension.high), log=dimension.log)
    return FloatDistribution(dimension.low, dimension.high, log=dimension.log)
