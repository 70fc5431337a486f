"""What a player sees of a position, as numbers: cells, one-hot planes or features. The same classes write one position
in plain Python and a thousand of them in compiled code.

Cells and planes are the board as the player himself sees it (`Game.cells_of`): a learner who has learned in one seat
can play in the other. Features are those of the game, which are the same for all; the player's seat stands behind
them, one number for each seat, where there is more than one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import Compilable
from boardlab.errors import BoardlabError, unknown_name
from boardlab.game import Game, State

__all__ = ["View", "cells_view", "make_view"]


class View(Compilable):
    """Base class. `write` fills one row of numbers, whose shape for the learner is `shape`."""

    size: int
    """Numbers of one observation."""
    _shape: tuple[int, ...]
    _dtype: np.dtype[Any]
    _low: float
    _high: float

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one observation."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """What its numbers are."""
        return self._dtype

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest of its numbers."""
        return self._low, self._high

    def write(self, game: Any, s: State, player: int, out: NDArray[Any]) -> None:
        """Write what `player` sees of the position to `out` (size places)."""
        raise NotImplementedError  # abstract

    def of(self, game: Game, s: State, player: int) -> NDArray[Any]:
        """The same in an array of its own. Python only."""
        out = np.zeros(self.size, self._dtype)
        self.write(game, s, player, out)
        return out.reshape(self._shape)


class CellsView(View):
    """The value of every cell, int8."""

    def __init__(self, game: Game) -> None:
        self.size = game.num_cells
        self._shape, self._dtype = (self.size,), np.dtype(np.int8)
        self._low, self._high = 0.0, float(max(1, int(np.max(game.num_values)) - 1))

    def write(self, game: Any, s: State, player: int, out: NDArray[Any]) -> None:
        game.cells_of(s, player, out)


class PlanesView(View):
    """For every value of a cell a plane with 1 where the cells have it, int8. On a grid a plane has rows and columns as
    they are drawn, elsewhere it is a row of cells. Planes come first (as convolutions of PyTorch want it) or last (as
    PettingZoo's classic games have it)."""

    def __init__(self, game: Game, *, last: bool) -> None:
        planes, cells = int(np.max(game.num_values)), game.num_cells
        rows, columns = game.grid
        drawn = rows * columns == cells
        spots = (
            [row * columns + column for row, column in map(game.cell_place, range(cells))] if drawn else range(cells)
        )
        field = (rows, columns) if drawn else (cells,)
        self.cells = np.zeros(cells, np.int8)
        self.first = np.array(spots, np.uint64) * np.uint64(planes if last else 1)
        """Where each cell lies in the first plane."""
        self.step = 1 if last else cells
        self.size = planes * cells
        self._shape = (*field, planes) if last else (planes, *field)
        self._dtype = np.dtype(np.int8)
        self._low, self._high = 0.0, 1.0

    def write(self, game: Any, s: State, player: int, out: NDArray[Any]) -> None:
        game.cells_of(s, player, self.cells)
        for i in range(self.size):
            out[i] = 0
        for cell in range(game.num_cells):  # unsigned places: compiled code need not ask whether one is negative
            out[self.first[cell] + np.uint64(self.cells[cell]) * np.uint64(self.step)] = 1

    def of(self, game: Game, s: State, player: int) -> NDArray[Any]:
        out = np.zeros(self.size, self._dtype)
        game.cells_of(s, player, self.cells)
        out[self.first + self.cells.astype(np.uint64) * np.uint64(self.step)] = 1  # quicker than `write` uncompiled
        return out.reshape(self._shape)


class FeaturesView(View):
    """The features of one of the game's modes, and the seat, float32."""

    def __init__(self, game: Game, mode: int) -> None:
        self.mode = mode
        self.count = int(game.num_features(mode))
        self.seats = game.num_players if game.num_players > 1 else 0
        self.values = np.zeros(self.count, np.float64)
        self.size = self.count + self.seats
        self._shape, self._dtype = (self.size,), np.dtype(np.float32)
        self._high = float(np.finfo(np.float32).max)
        self._low = -self._high

    def write(self, game: Any, s: State, player: int, out: NDArray[Any]) -> None:
        game.features(s, self.mode, self.values)
        for i in range(self.count):
            out[i] = self.values[i]
        for seat in range(self.seats):
            out[self.count + seat] = 1.0 if seat == player else 0.0


def make_view(game: Game, name: str | None = None, *, planes_last: bool = False) -> View:
    """The view of a name: cells, planes, features (the mode that the game made for learners), or features:MODE. None:
    planes where the game has cells, else features."""
    if name is None:
        name = "planes" if game.num_cells else "features"
    kind, _, mode = str(name).partition(":")
    if kind in ("cells", "planes") and not mode:
        if not game.num_cells:
            raise BoardlabError(f"{game.spec} has no cells, so an observation of it can only be features")
        return PlanesView(game, last=planes_last) if kind == "planes" else CellsView(game)
    if kind != "features":
        raise unknown_name("observation", str(name), ["cells", "planes", "features"])
    if not mode:
        return FeaturesView(game, min(1, len(game.feature_modes) - 1))
    if mode not in game.feature_modes:
        raise unknown_name(f"feature mode of {game.title}", mode, game.feature_modes)
    return FeaturesView(game, game.feature_modes.index(mode))


def cells_view(game: Game) -> View:
    """What there is of cells: the plain ones, or the features of a game without any."""
    return make_view(game, "cells" if game.num_cells else "features")
