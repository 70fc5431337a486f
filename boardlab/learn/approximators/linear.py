"""A linear function of the inputs: f(w; s) = sum of w_j x_j(s), with a bias where there shall be one.

For values of actions each action has weights of its own, f(w; s, a) = sum of w_aj x_j(s), one block of them after the
other; the bias is the last of a block. The list of a position is its gradient: the inputs that are not 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import inlined_method
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.learn.approximators.base import Shape
from boardlab.learn.approximators.features import OverFeatures
from boardlab.learn.approximators.inputs import ONE_HOT
from boardlab.learn.outputs import inverse

__all__ = ["Linear"]


class Linear(OverFeatures):
    """A linear function: every feature, or every value of every cell, has a weight."""

    name = "linear"

    def design(self, game: Game, shape: Shape) -> None:
        super().design(game, shape)
        self.block = self.width + self.bias
        self._num_weights = self.block * self._num_outputs
        self._most_kept = self._most_active = self.listed + self.bias
        self._refuse_too_many()

    @property
    def summary(self) -> str:
        return f"a linear function of {self.input_text}"

    def weight_names(self) -> list[str] | None:
        return self._input_names()

    def first_weights(self, spread: float, value: float) -> NDArray[np.float32]:
        """The bias can give all positions the same value; without one, cells can, of which always as many are 1."""
        weights = super().first_weights(spread, 0.0)
        if value == 0.0:
            return weights
        if self.bias:
            weights[:, np.arange(self.width, self._num_weights, self.block)] += np.float32(inverse(self.output, value))
        elif self._mode == ONE_HOT:
            weights[:, :-1] += np.float32(inverse(self.output, value) / self.listed)
        else:
            raise BoardlabError("start_value needs a weight that is always active; take bias=true")
        return weights

    # ------------------------------------------------------------ compiled

    @inlined_method
    def prepare(self, index: Any, x: Any, table: int) -> None:
        """There is nothing that outputs share."""

    @inlined_method
    def total(self, index: Any, x: Any, table: int, action: int) -> Any:
        weights = self.weights[table]
        start = action * self.block
        total = weights[start + self.width] if self.bias else np.float32(0.0)
        for k in range(len(index)):
            total += weights[start + index[k]] * x[k]
        return total

    @inlined_method
    def keep(self, game: Any, s: Any, p: int, action: int, index: Any, hits: Any) -> int:
        """A position without any input has the spare weight in its list, so that no list is empty."""
        table = 0 if len(self.weights) == 1 else p
        view = p if self.inversion else 0
        start = table * self.weights.shape[1] + (action * self.block if self.of_actions else 0)
        one = np.float32(-1.0) if self.first_view and p == 1 else np.float32(1.0)
        count = 0
        for k in range(self.listed):
            x = self.x[view, k]
            if x != 0.0:
                index[count] = start + self.index[view, k]
                hits[count] = one * x
                count += 1
        if self.bias:
            index[count] = start + self.width
            hits[count] = one
            count += 1
        if count == 0:
            index[0] = (table + 1) * self.weights.shape[1] - 1
            hits[0] = 0.0
            count = 1
        return count
