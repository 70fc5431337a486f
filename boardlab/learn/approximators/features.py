"""What approximators over the inputs of a position have in common (see `inputs`): linear functions and perceptrons.

The derived class has `prepare`, which does what all outputs share, and `total`, which gives one of them.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from boardlab.compiler import inlined, inlined_method
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.learn.approximators.base import Approximator, Shape, moves_again, reward_of
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
    def rate(self, game: Any, states: Any, moves: Any, n: int, p: int, score: float, ends: bool) -> bool:
        if self.of_actions:
            return _rate_actions(self, moves, n, p)
        return _rate_afterstates(self, game, states, moves, n, p, score, ends)


@inlined
def _rate_actions(values: Any, moves: Any, n: int, p: int) -> bool:
    """Totals of the actions in the current position."""
    table = 0 if len(values.weights) == 1 else p
    sign = -1.0 if values.first_view and p == 1 else 1.0
    view = p if values.inversion else 0
    index, x = values.index[view], values.x[view]
    values.prepare(index, x, table)
    for i in range(n):
        moves.totals[i] = sign * values.total(index, x, table, moves.actions[i])
        moves.rewards[i] = 0.0
        moves.open[i] = True
    return True


@inlined
def _rate_afterstates(
    values: Any, game: Any, states: Any, moves: Any, n: int, p: int, score: float, ends: bool
) -> bool:
    """Rewards and totals of the afterstates of all actions."""
    sign = -1.0 if values.first_view and p == 1 else 1.0
    index, x = values.index[len(values.index) - 1], values.x[len(values.x) - 1]
    s = states[1]
    alike = True
    for i in range(n):
        states[1] = states[0]
        game.advance(s, moves.actions[i])
        over = not game.is_chance(s) and game.is_over(s)
        game.scores(s, moves.scores)
        gained = moves.scores[p] * moves.pace[0] if over else moves.scores[p]
        moves.rewards[i] = 0.0 if ends else reward_of(values, over, gained, score)
        moves.open[i] = ends or not over
        moves.totals[i] = 0.0
        if ends or not over:
            again = moves_again(values, game, s, p, over)
            owner = 1 - p if again else p
            table = 0 if len(values.weights) == 1 else owner
            values.inputs.look(game, s, owner if values.inversion else 0, index, x)
            values.prepare(index, x, table)
            total = values.total(index, x, table, 0)
            moves.totals[i] = -total if again and not values.first_view else sign * total
        alike &= (ends or not over) and moves.rewards[i] == moves.rewards[0]
    return alike
