"""What was published: for each table or figure the printed values, by variant of its sweep."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import as_file, files
from typing import Literal

from boardlab.components.models import Model
from boardlab.errors import BoardlabError
from boardlab.lab.sweeps.sweep import Sweep

__all__ = ["Measure", "Published", "published", "published_sweep", "reproduction_names", "reproduction_of"]


class Measure(Model):
    """One column of a table, or one number of a figure: what was measured, and which values are printed."""

    name: str
    of: Literal["final", "time", "last"]
    """The mean over the last episodes, the episodes until `level`, or the last evaluation."""
    statistic: Literal["mean", "median"]
    """Over the runs."""
    evaluator: str = ""
    """Which one; the first of a run where none is named."""
    level: float = 0.0
    offset: float = 0.0
    factor: float = 1.0
    """A printed value is offset + factor x our result."""
    needs: int = 0
    """Training episodes without which a comparison says nothing."""
    best: bool = False
    """Whether a value is that of the best of all settings that begin with the name."""
    most: bool = False
    """Whether a value is an upper limit, so that less is in accordance with it."""
    values: dict[str, float]
    deviations: dict[str, float] = {}
    """Printed standard deviations of the mean, where there are some."""

    @property
    def less_is_better(self) -> bool:
        """Whether it is a time."""
        return self.of == "time"


class Published(Model):
    """A table or a figure."""

    title: str
    runs: int
    """With how many runs it was made."""
    form: Literal["table", "curves", "boxes", "sensitivity", "heat map"]
    """What it looks like."""
    cpu_hours: float
    """What making it again at full size takes on one core, measured with some of its runs."""
    note: str = ""
    measures: list[Measure]


@cache
def reproduction_names() -> list[str]:
    """All tables and figures that can be made again."""
    folder = files("boardlab") / "data" / "published"
    return sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))


@cache
def published(name: str) -> Published:
    """The published values of a table or figure."""
    if name not in reproduction_names():
        known = ", ".join(reproduction_names())
        raise BoardlabError(f"there is no reproduction {name!r}; there are {known}")
    text = (files("boardlab") / "data" / "published" / f"{name}.toml").read_text(encoding="utf-8")
    return Published.model_validate(tomllib.loads(text))


def published_sweep(name: str, runs: int | None = None, games: int | None = None) -> Sweep:
    """The sweep that makes a table or figure again: at full size, or with fewer or more runs, or with at most so many
    training games each."""
    published(name)
    with as_file(files("boardlab") / "data" / "reproductions" / f"{name}.toml") as path:
        sweep = Sweep.read(path)
    seeds = list(range(1, runs + 1)) if runs else sweep.seeds
    return sweep.model_copy(update={"seeds": seeds, "most_episodes": games or sweep.most_episodes})


def reproduction_of(sweep: Sweep) -> str | None:
    """Which table or figure a sweep makes again, at whatever size; None where it is another sweep."""
    wanted = _at_any_size(sweep)
    return next((name for name in reproduction_names() if _at_any_size(published_sweep(name)) == wanted), None)


def _at_any_size(sweep: Sweep) -> dict[str, object]:
    """What makes a sweep, whatever it is called and with how many seeds and games it is carried out."""
    return sweep.model_dump(exclude={"about", "seeds", "most_episodes"})
