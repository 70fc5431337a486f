"""How figures look, and how they are kept: for a column of a paper, and readable without colours.

Each variant has a line style, a marker and a colour, and the colours differ in lightness, too. Letters are as large as
a paper's captions when the figure is as wide as a column (8 points at 3.4 inches).
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boardlab.store.files import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "COLUMN",
    "FORMATS",
    "Picture",
    "below_legend",
    "drawing",
    "episodes_axis",
    "is_geometric",
    "looks",
    "panels",
    "save",
]

FORMATS = ("png", "svg", "pdf")
COLUMN = 3.4
"""Width of a column in inches."""
_COLOURS = ("#000000", "#d55e00", "#0072b2", "#56b4e9", "#009e73", "#cc79a7", "#8a6d00", "#7f7f7f")
_LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p")
_STYLE: dict[Any, Any] = {
    "font.size": 8,
    "font.family": "DejaVu Sans",
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.handlelength": 3.2,
    "lines.linewidth": 1.1,
    "lines.markersize": 4,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "grid.alpha": 0.35,
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "hatch.linewidth": 0.5,
    "svg.fonttype": "path",
    "svg.hashsalt": "boardlab",
    "pdf.fonttype": 42,
    "savefig.dpi": 300,
}


@dataclass(frozen=True)
class Picture:
    """A figure with its name as a file and what it shows."""

    name: str
    caption: str
    figure: Figure
    _contents: dict[str, bytes] = field(default_factory=dict, repr=False)

    def content(self, kind: str) -> bytes:
        """The figure as a file of this kind: png, svg or pdf."""
        if not self._contents:
            self.figure.draw_without_rendering()
            self.figure.set_layout_engine("none")  # the places are found once, not for each format
        if kind not in self._contents:
            stream = io.BytesIO()
            dates: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
            self.figure.savefig(stream, format=kind, metadata=dates)
            self._contents[kind] = stream.getvalue()
        return self._contents[kind]


@contextmanager
def drawing() -> Iterator[None]:
    """Within it, figures have our look."""
    from matplotlib import rc_context

    with rc_context(_STYLE):
        yield


def panels(rows: int = 1, columns: int = 1, *, width: float = COLUMN, height: float = 2.4, **more: Any) -> Any:
    """A figure and its axes, an array of shape (rows, columns); width and height in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False, **more)


def looks(labels: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Line style, marker and colour of each label. No two of the first forty have the same line and marker."""
    return {
        label: {
            "color": _COLOURS[k % len(_COLOURS)],
            "linestyle": _LINES[k % len(_LINES)],
            "marker": _MARKERS[k % len(_MARKERS)],
        }
        for k, label in zip(count(), labels)
    }


def episodes_axis(axis: Any) -> None:
    """Numbers of episodes as people read them: 2 M, 500 k."""
    axis.set_major_formatter(lambda value, _: _short(value))


def _short(value: float) -> str:
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def below_legend(axes: Axes, number: int) -> None:
    """A legend below the axes, so that it hides nothing; none for a single line."""
    if number > 1:
        longest = max((len(text) for text in axes.get_legend_handles_labels()[1]), default=0)
        figure: Any = axes.get_figure()
        width = figure.get_figwidth()
        columns = max(1, min(number, 4, math.floor(width / (0.055 * longest + 0.6))))
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)


def is_geometric(values: Sequence[float]) -> bool:
    """Whether positive numbers belong on a logarithmic axis."""
    numbers = np.asarray(values, np.float64)
    return bool(len(numbers) > 2 and numbers.min() > 0 and numbers.max() / numbers.min() >= 20)


def save(picture: Picture, folder: Path) -> None:
    """Write a figure in all formats; the same figure gives the same bytes."""
    for kind in FORMATS:
        write_bytes(folder / f"{picture.name}.{kind}", picture.content(kind))
