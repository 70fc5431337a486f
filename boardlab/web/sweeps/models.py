"""What a page is told of sweeps."""

from __future__ import annotations

from typing import Literal

from boardlab.web.server.models import ApiAnswer

__all__ = ["Band", "Centre", "SweepCurve", "SweepLine", "SweepReport", "SweepTable", "SweepView"]

Centre = Literal["mean", "median"]
Band = Literal["interval", "quartiles", "deviation"]


class SweepLine(ApiAnswer):
    """A sweep in the list."""

    name: str
    title: str
    folder: str
    reproduction: str | None
    """Which published table or figure it makes again."""
    runs: int
    finished: int
    failed: int
    running: bool
    """Whether somebody has worked on it a moment ago."""
    changed: str
    """ISO 8601, UTC."""


class SweepRun(ApiAnswer):
    """A run of a sweep."""

    name: str
    variant: str
    seed: int
    state: Literal["finished", "failed", "running", "stopped", "waiting"]
    episodes: int
    of: int
    """How many there will be."""
    score: float | None
    """The last result."""
    seconds: float | None
    """CPU time, once it is finished."""
    words: str
    """The last line of the log of a run that goes on, or why it failed."""


class SweepCurve(ApiAnswer):
    """The learning curve of a variant, over the runs that have come so far."""

    label: str
    episodes: list[int]
    score: list[float]
    low: list[float]
    high: list[float]
    runs: list[int]


class SweepView(SweepLine):
    """A sweep with its runs and curves."""

    table: list[SweepRun]
    evaluators: list[str]
    evaluator: str | None
    """By whom the curves are measured."""
    centre: Centre
    band: Band
    curves: list[SweepCurve]


class SweepTable(ApiAnswer):
    """A table of the report."""

    title: str
    note: str
    head: list[str]
    numbers: list[bool]
    """Which columns have nothing but numbers."""
    rows: list[list[str]]
    """A cell that begins with an asterisk is notable."""


class SweepFigure(ApiAnswer):
    """A figure of the report; `/api/sweeps/NAME/figures/FIGURE.svg` has the picture."""

    name: str
    caption: str
    width: float
    height: float
    """Inches."""


class SweepSection(ApiAnswer):
    """A part of the report."""

    title: str
    note: str
    tables: list[SweepTable]
    figures: list[SweepFigure]


class SweepReport(ApiAnswer):
    """What `boardlab report` has to say; of a reproduction first what was published, and what came out here."""

    intro: list[str]
    sections: list[SweepSection]
    finished: int
    """So many runs are in it."""
    stamp: str
    """Changes with the report."""
