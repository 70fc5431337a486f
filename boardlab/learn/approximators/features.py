"""What approximators over the inputs of a position have in common (see `inputs`): linear functions and perceptrons.

The derived class has `prepare`, which does what all outputs share, and `total`, which gives one of them.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from boardlab.compiler import inlined_method
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.learn.approximators.base import Approximator, Shape
from boardlab.learn.approximators.inputs import DEFAULT, ONE_HOT, input_names, make_inputs, read_mode
from boardlab.parameters import parameter
from boardlab.system.machine import own_zeros

__all__ = ["OverFeatures"]


class OverFeatures(Approximator):
    """Base class."""

    features: str = parameter(
        DEFAULT,
        doc="what is looked at: a feature mode of the game by its name or number, or cells for one-hot cells; default:"
        " the game's own features, where it has none its cells",
    )

    def design(self, game: Game, shape: Shape) -> None:
        super().design(game, shape)
        self._mode = read_mode(game, self.features, self.name or type(self).__name__)
        if self.inversion and self._mode != ONE_HOT:
            raise BoardlabError(
                "board inversion needs a board: features are the same for every player; take features=cells, or"
                " tables=shared"
            )
        inputs = make_inputs(game, self._mode, self.inversion)
        if inputs.width == 0:
            raise BoardlabError(f"{game.title} has no features in its mode {game.feature_modes[self._mode]}")
        self.bias = shape.bias
        self.width, self.listed = inputs.width, inputs.listed
        self._num_outputs = game.num_actions if shape.of_actions else 1

    def _refuse_too_many(self) -> None:
        if self.table_sets * (self._num_weights + 1) >= 1 << 31:
            raise BoardlabError(
                f"{self.name} needs {self._num_weights:,} weights in each of {self.table_sets} table sets, and at most"
                f" {(1 << 31) - 1:,} are possible in all; take other features"
            )

    @property
    def input_text(self) -> str:
        """What it looks at, in some words."""
        mode = "one-hot cells" if self._mode == ONE_HOT else f"features ({self._game.feature_modes[self._mode]})"
        return f"{self.width} {mode}"

    def _input_names(self) -> list[str]:
        return [*input_names(self._game, self._mode), *(["bias"] if self.bias else [])]

    def make_room(self) -> None:
        views = self._game.num_players if self.inversion else 1
        self.inputs = make_inputs(self._game, self._mode, self.inversion)
        self.index = own_zeros((views + 1, self.listed), np.int32)
        """What the current position is to each view, then an afterstate."""
        self.x = own_zeros((views + 1, self.listed), np.float32)
        self.inputs.prepare(self.index, self.x)

    # ------------------------------------------------------------ compiled

    @abstractmethod
    def prepare(self, index: Any, x: Any, table: int) -> None:
        """These are the inputs, and this is the table set, for the next calls of `total`."""

    @abstractmethod
    def total(self, index: Any, x: Any, table: int, action: int) -> Any:
        """The output, before the output function; of an action, or with action = 0 of an afterstate."""

    @inlined_method
    def begin(self, game: Any, s: Any) -> None:
        for view in range(len(self.index) - 1):
            self.inputs.look(game, s, view, self.index[view], self.x[view])

    @inlined_method
    def follow(self, game: Any, s: Any) -> None:
        self.begin(game, s)

    @inlined_method
    def turn_to(self, p: int) -> None:
        if self.of_actions:
            view = p if self.inversion else 0
            self.prepare(self.index[view], self.x[view], 0 if len(self.weights) == 1 else p)

    @inlined_method
    def action_total(self, action: int, p: int) -> Any:
        view = p if self.inversion else 0
        return self.total(self.index[view], self.x[view], 0 if len(self.weights) == 1 else p, action)

    @inlined_method
    def afterstate_total(self, game: Any, s: Any, owner: int, again: bool, i: int) -> Any:
        index, x = self.index[len(self.index) - 1], self.x[len(self.x) - 1]
        table = 0 if len(self.weights) == 1 else owner
        self.inputs.look(game, s, owner if self.inversion else 0, index, x)
        self.prepare(index, x, table)
        return self.total(index, x, table, 0)
