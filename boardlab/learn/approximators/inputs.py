"""What linear functions and perceptrons look at: the features of a game in one of its modes, or its cells one-hot (an
input for each value of each cell, 1 where the cell has it).

A position becomes a list of (index, x): the number of an input and how large it is. Of one-hot cells only those are
listed that are 1, of features all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab import grids
from boardlab.compiler import Compilable, inlined_method
from boardlab.errors import BoardlabError, unknown_name
from boardlab.game import Game
from boardlab.system.machine import own_zeros

__all__ = ["DEFAULT", "CellInputs", "FeatureInputs", "Inputs", "input_names", "make_inputs", "read_mode"]

DEFAULT = "default"
CELLS = "cells"
ONE_HOT = -1
"""Stands for one-hot cells among the modes, which count from 0."""


class Inputs(Compilable):
    """Base class: what is looked at, with the work space of one thread."""

    listed = 0
    """Length of the list."""
    width = 0
    """How many inputs there are."""

    @inlined_method
    def look(self, game: Any, s: Any, view: int, index: Any, x: Any) -> None:
        """Write the inputs of a position as player `view` sees it; `index` and `x` have `listed` places, and hold what
        `prepare` wrote."""

    def prepare(self, index: Any, x: Any) -> None:
        """Write what is the same in all positions; index, x: (n, listed)."""


class CellInputs(Inputs):
    """One-hot cells."""

    def __init__(self, game: Game, inversion: bool) -> None:
        counts = game.cell_values()
        self.inversion = inversion
        self.listed, self.width = game.num_cells, int(counts.sum())
        self.starts = (np.cumsum(counts) - counts).astype(np.int32)
        self.cells = own_zeros(-(-game.num_cells // 8) * 8, np.int8)[: game.num_cells]

    def prepare(self, index: Any, x: Any) -> None:
        x[:] = 1.0

    @inlined_method
    def look(self, game: Any, s: Any, view: int, index: Any, x: Any) -> None:
        if self.inversion:
            game.cells_of(s, view, self.cells)
        else:
            game.cells(s, self.cells)
        for k in range(len(index)):
            index[k] = self.starts[k] + self.cells[k]


class FeatureInputs(Inputs):
    """The features of a mode."""

    def __init__(self, game: Game, mode: int) -> None:
        self.mode = mode
        self.listed = self.width = game.num_features(mode)
        self.raw = own_zeros(self.width)

    def prepare(self, index: Any, x: Any) -> None:
        index[:] = np.arange(self.width)

    @inlined_method
    def look(self, game: Any, s: Any, view: int, index: Any, x: Any) -> None:
        game.features(s, self.mode, self.raw)
        for k in range(len(x)):
            x[k] = self.raw[k]


def read_mode(game: Game, text: str, owner: str) -> int:
    """The mode that a text means: `default`, `cells` for one-hot cells, the name of a mode or its number. `owner` is
    who wants to look, for the messages."""
    own = type(game).features is not Game.features
    if not own and not game.num_cells:
        raise BoardlabError(
            f"{game.title} has neither cells nor features of its own, so {owner} has nothing to look at"
        )
    modes = list(game.feature_modes)
    if text == DEFAULT:
        richer = [k for k, name in enumerate(modes) if own and (name != CELLS or not game.num_cells)]
        return richer[0] if richer else ONE_HOT
    if text == CELLS and game.num_cells:
        return ONE_HOT
    if text in modes:
        return modes.index(text)
    if text.isdecimal() and int(text) < len(modes):
        return int(text)
    raise unknown_name(f"feature mode of {game.title}", text, dict.fromkeys([DEFAULT, *modes]))


def make_inputs(game: Game, mode: int, inversion: bool) -> Inputs:
    """What to look at, for one thread."""
    return CellInputs(game, inversion) if mode == ONE_HOT else FeatureInputs(game, mode)


def input_names(game: Game, mode: int) -> list[str]:
    """What people call the inputs."""
    if mode != ONE_HOT:
        return list(game.feature_names(mode))
    counts = game.cell_values().tolist()
    return [f"{_cell_name(game, k)} {_value_name(game, v, n)}" for k, n in enumerate(counts) for v in range(n)]


def _cell_name(game: Game, cell: int) -> str:
    rows, columns = game.grid
    if rows * columns == game.num_cells:
        return grids.cell_name(*game.cell_place(cell))
    return game.action_name(cell) if game.num_actions == game.num_cells else f"cell {cell + 1}"


def _value_name(game: Game, value: int, count: int) -> str:
    return game.symbols[value] if count <= len(game.symbols) else str(value)
