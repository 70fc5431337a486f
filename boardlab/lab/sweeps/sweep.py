"""The description of a sweep: a training, what varies in it, and with which seeds. From a TOML file, or in Python."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import Field, field_validator, model_validator

from boardlab.components.models import read_model
from boardlab.errors import BoardlabError, printable
from boardlab.lab.sweeps.components import with_component_parameters
from boardlab.lab.sweeps.cutting import cut_short
from boardlab.lab.sweeps.variation import MOST_VALUES, Dimension, hypercube_points, values_of
from boardlab.lab.wish import TrainingWish, read_wish_file, toml_key, toml_value
from boardlab.registry import make

if TYPE_CHECKING:
    from boardlab.lab.sweeps.results import Results

__all__ = ["Sweep", "Variant", "some_of", "value_text"]

_MOST_RUNS = 100_000
_MOST_LABELS = 20
_OF_HYPERCUBE = ("points", "seed")
_NOT_VARIED = (
    "seed",
    "seeds",
    "threads",
    "options",
    "grid",
    "hypercube",
    "variants",
    "about",
    "levels",
    "last",
    "most_episodes",
)


@dataclass(frozen=True)
class Variant:
    """One combination of what varies, without a seed."""

    label: str
    """How it is called: the name that it has in the file, and the values that the grid adds."""
    name: str
    """The name in the file alone; empty where it has none."""
    settings: dict[str, Any]
    """What varies, by name."""
    wish: TrainingWish
    """The training, without a seed."""

    def is_called(self, pattern: str) -> bool:
        """Whether it has this name or label, or one that matches the pattern."""
        return pattern in (self.label, self.name) or fnmatchcase(self.label, pattern)


class Sweep(TrainingWish):
    """A training, as `boardlab train --config` reads it, with what varies: all combinations of the named variants, the
    grid and the points of the hypercube, each with every seed."""

    about: str = Field("", description="what the sweep is for, for the report")
    levels: list[float] = Field([], description="for the report: results whose time-to-learn is measured")
    last: int | None = Field(None, ge=1, description="for the report: how many episodes make the asymptotic result")
    most_episodes: int | None = Field(None, ge=1, le=10**9, description="trainings that would be longer are cut to it")
    seeds: list[int] = Field(list(range(1, 11)), description="a list of seeds; a number n means 1 to n")
    grid: dict[str, Any] = Field({}, description="lists or ranges, of which all combinations are tried")
    hypercube: dict[str, Any] = Field({}, description="a number of points, and lists or ranges that they lie in")
    variants: dict[str, dict[str, Any]] = Field({}, description="named settings; lists in one vary within it")

    @classmethod
    def read(cls, path: Path | str) -> Sweep:
        """The sweep that a TOML file describes. Paths in it begin at the folder that the command is given in."""
        path = Path(path)
        found = read_model(cls, read_wish_file(path, cls), "a sweep")
        if found.game is None and any("game" not in settings for settings in found.variants.values() or [{}]):
            raise BoardlabError(f'{path} names no game; it says one as game = "tictactoe"')
        return found

    @field_validator("seeds", mode="before")
    @classmethod
    def _counted(cls, given: Any) -> Any:
        if isinstance(given, int) and not isinstance(given, bool):
            if not 1 <= given <= _MOST_RUNS:
                raise ValueError(f"the number of seeds is from 1 to {_MOST_RUNS:,}")
            return list(range(1, given + 1))
        if not isinstance(given, list) or not given or any(type(seed) is not int or seed < 0 for seed in given):
            raise ValueError("they are a number of seeds, or a list of whole numbers that are not negative")
        if len(set(given)) < len(given):
            raise ValueError("a seed is there twice")
        return given

    @field_validator("grid", mode="after")
    @classmethod
    def _grid_is_sound(cls, given: dict[str, Any]) -> dict[str, Any]:
        return {name: _explained(name, values_of, values) for name, values in _varied(given).items()}

    @field_validator("hypercube", mode="after")
    @classmethod
    def _hypercube_is_sound(cls, given: dict[str, Any]) -> dict[str, Any]:
        if not given:
            return given
        points, seed = given.get("points"), given.get("seed", 1)
        if type(points) is not int or not 1 <= points <= MOST_VALUES:
            raise ValueError("it has points, such as points = 20")
        if type(seed) is not int or seed < 0:
            raise ValueError("its seed is a whole number that is not negative")
        dimensions = {name: value for name, value in given.items() if name not in _OF_HYPERCUBE}
        if not dimensions:
            raise ValueError('it has ranges, such as alpha = { from = 0.01, to = 1, scale = "log" }')
        for name, value in _varied(dimensions).items():
            _explained(name, _dimension, value)
        return given

    @field_validator("variants", mode="after")
    @classmethod
    def _variants_are_sound(cls, given: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        for name, settings in given.items():
            if not name.strip() or not name.isprintable() or len(name) > 100:
                raise ValueError("a variant has a name of 1 to 100 printable characters")
            for key, values in _lists(_varied(settings)).items():
                _explained(f"{name}: {key}", values_of, values)
        return given

    @model_validator(mode="after")
    def _varies_each_once(self) -> Self:
        if self.seed is not None:
            raise ValueError("a sweep has seeds, as seeds = 10 or seeds = [1, 2, 3], not seed")
        if self.threads > 1:
            raise ValueError("a sweep uses all cores by training many agents at once, each with one thread")
        inside = [set(self.grid), set(self.hypercube) - set(_OF_HYPERCUBE)]
        named = set().union(*self.variants.values()) if self.variants else set()
        for one, other in itertools.combinations([*inside, named], 2):
            if one & other:
                raise ValueError(
                    f"{min(one & other)} varies in two ways; say it in one of grid, hypercube and variants"
                )
        return self

    # ------------------------------------------------------------ what it consists of

    @cached_property
    def variation(self) -> list[Variant]:
        """All combinations of what varies, in the order of the file."""
        named = [(n, s, one) for n, s in self.variants.items() for one in _combinations(_lists(s))] or [("", {}, {})]
        grid = _combinations(self.grid)
        dimensions = {n: _dimension(v) for n, v in self.hypercube.items() if n not in _OF_HYPERCUBE}
        seed = self.hypercube.get("seed", 1)
        points = hypercube_points(dimensions, self.hypercube["points"], seed) if dimensions else [{}]
        if len(named) * len(grid) * len(points) * len(self.seeds) > _MOST_RUNS:
            raise BoardlabError(f"a sweep has at most {_MOST_RUNS:,} runs; this one would have more")
        return [
            self._variant(name, settings, {**own, **of_grid, **of_points})
            for (name, settings, own), of_grid, of_points in itertools.product(named, grid, points)
        ]

    def chosen(self, only: Sequence[str]) -> list[Variant]:
        """The variants that are called so, or whose names match a pattern such as `2048*`; all, where none is given."""
        found: list[Variant] = []
        for pattern in only:
            matching = [one for one in self.variation if one.is_called(pattern)]
            if not matching:
                known = some_of([one.label for one in self.variation])
                raise BoardlabError(f"no variant is called {printable(pattern, 60)}; there are: {known}")
            found += matching
        return [one for one in self.variation if not only or one in found]

    def _variant(self, name: str, settings: Mapping[str, Any], values: Mapping[str, Any]) -> Variant:
        """The variant with these settings of its own and these values of grid and hypercube."""
        label = ", ".join([*([name] if name else []), *(f"{n}={value_text(v)}" for n, v in values.items())])
        varied = {**settings, **values}
        fields = self.model_dump(include=set(TrainingWish.model_fields))
        of_wish = {n: v for n, v in varied.items() if n in TrainingWish.model_fields}
        options = {**fields["options"], **{n: v for n, v in varied.items() if n not in of_wish}}
        wish = read_model(TrainingWish, {**fields, **of_wish, "options": options}, f"the variant {label or 'alone'}")
        wish = with_component_parameters(wish)
        if self.most_episodes is not None:
            wish = cut_short(wish, make(wish.game or ""), self.most_episodes)
        return Variant(label or "all", name, varied, wish)

    def to_toml(self) -> str:
        """The text of a TOML file that describes the same sweep."""
        said = self.model_dump(exclude_defaults=True)
        if len(said.get("seeds", [])) > 1 and said["seeds"] == list(range(1, len(said["seeds"]) + 1)):
            said["seeds"] = len(said["seeds"])
        tables: dict[str, Any] = {name: said.pop(name) for name in ("options", "grid", "hypercube") if name in said}
        tables.update({f"variants.{toml_key(name)}": table for name, table in said.pop("variants", {}).items()})
        lines = [f"{name} = {toml_value(value)}" for name, value in said.items()]
        for name, table in tables.items():
            lines += ["", f"[{name}]", *(f"{toml_key(key)} = {toml_value(value)}" for key, value in table.items())]
        return "\n".join([*lines, ""])

    def run(
        self,
        folder: Path | str,
        *,
        processes: int | None = None,
        cluster: str | None = None,
        progress: bool = True,
        only: Sequence[str] = (),
        retry: bool = False,
        checkpoint_seconds: float = 60.0,
    ) -> Results:
        """Carry out what is not there yet of the sweep, in a folder, and return its runs. `processes` run at the same
        time, one for each core by default, or those of a Dask `cluster`; `only` names variants, or patterns of them,
        and leaves out all others; `retry` runs those again that failed. What a run has learned since its last
        checkpoint is lost when it is killed."""
        from boardlab.lab.sweeps.sweeping import carry_out_sweep

        return carry_out_sweep(
            self,
            Path(folder),
            processes=processes,
            cluster=cluster,
            progress=progress,
            only=only,
            retry=retry,
            checkpoint_seconds=checkpoint_seconds,
        )


def _lists(settings: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The settings of a variant that vary within it."""
    return {name: values for name, values in settings.items() if isinstance(values, list)}


def _combinations(values: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]


def _varied(given: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in given:
        if name in _NOT_VARIED:
            raise ValueError(f"{name} cannot vary{'; seeds are said by seeds' if name == 'seed' else ''}")
    return given


def _dimension(given: object) -> Dimension:
    return Dimension(given, counted=False)


def _explained(name: str, read: Any, given: object) -> Any:
    """What `read` makes of a value, with the name in the complaint."""
    try:
        return read(given)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def some_of(labels: Sequence[str]) -> str:
    """The labels of variants, or the first ones of many, for a sentence."""
    more = f" and {len(labels) - _MOST_LABELS:,} more" if len(labels) > _MOST_LABELS else ""
    return "; ".join(labels[:_MOST_LABELS]) + more


def value_text(value: object) -> str:
    """A value as a part of a label."""
    return f"{value:g}" if isinstance(value, float) else printable(value, 60)
