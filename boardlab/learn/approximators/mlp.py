"""A multi-layer perceptron: layers of hidden units, each the squashed sum of the layer before, and a linear output.

    a_1 = phi(W_1 x + b_1),  a_l = phi(W_l a_(l-1) + b_l),  f = v a_L + c

For values of actions all hidden layers are shared, and each action has an output (v, c) of its own. The gradient is
that of backpropagation; for an action it leaves the outputs of the others alone.

Weights of a table set: for each hidden layer a row for each of its inputs, the last one for the bias, with as many
numbers as the layer has units; then a row for each output. The list that is kept of a position begins with where the
row of its output stands, and the sign; then come the inputs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper, inlined, inlined_method
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.learn.approximators.base import ExpandingApproximator, Shape
from boardlab.learn.approximators.features import OverFeatures
from boardlab.learn.outputs import LOGISTIC, TANH, activate, inverse, slope
from boardlab.parameters import parameter

__all__ = ["Perceptron"]

_MOST_UNITS = 10_000
_MOST_LAYERS = 8


class Perceptron(ExpandingApproximator, OverFeatures):
    """A multi-layer perceptron: hidden units between the features, or cells, and the value."""

    name = "mlp"
    random_start = True

    hidden: str = parameter("20", doc="hidden units of each layer, as 20, or 20+10 for two layers")
    activation: str = parameter("tanh", choices=("tanh", "logistic"), doc="what a hidden unit does with its sum")

    def design(self, game: Game, shape: Shape) -> None:
        super().design(game, shape)
        self.layers = _read_layers(self.hidden)
        self.squash = LOGISTIC if self.activation == "logistic" else TANH
        rows = [self.width + self.bias, *(units + self.bias for units in self.layers)]
        sizes = [n * units for n, units in zip(rows, self.layers, strict=False)]
        self.starts = tuple(sum(sizes[:k]) for k in range(len(sizes)))
        self.outputs_at, self.row = sum(sizes), rows[-1]
        self._num_weights = self.outputs_at + self.row * self._num_outputs
        self._most_kept = 1 + self.listed
        self._most_active = (self.listed + self.bias) * self.layers[0] + sum(sizes[1:]) + self.row
        self._refuse_too_many()

    @property
    def summary(self) -> str:
        return f"a perceptron with {self.hidden} hidden units over {self.input_text}"

    def relative_spread(self) -> NDArray[np.float32]:
        """Weights begin the smaller the more of them are summed up, and biases at 0."""
        scales = np.zeros(self._num_weights, np.float32)
        inputs = [self.listed, *self.layers]
        counts = [self.width, *self.layers]
        for start, units, n, count in zip(self.starts, self.layers, inputs, counts, strict=False):
            scales[start : start + count * units] = 1 / math.sqrt(n)
        outputs = scales[self.outputs_at :].reshape(-1, self.row)
        outputs[:, : self.layers[-1]] = 1 / math.sqrt(self.layers[-1])
        return scales

    def first_weights(self, spread: float, value: float) -> NDArray[np.float32]:
        """All positions have the same value where only the bias of the output is not 0."""
        weights = super().first_weights(spread, 0.0)
        if value != 0.0 and not self.bias:
            raise BoardlabError("start_value needs a weight that is always active; take bias=true")
        if value != 0.0:
            weights[:, self.outputs_at :] = 0.0
            weights[:, np.arange(self.outputs_at + self.row - 1, self._num_weights, self.row)] = inverse(
                self.output, value
            )
        return weights

    def make_room(self) -> None:
        super().make_room()
        widest = max(self.layers)
        self.units = np.zeros((len(self.layers), widest + 1), np.float32)
        for layer, count in enumerate(self.layers):
            self.units[layer, count] = 1.0  # what a bias is multiplied by
        self.errors = np.zeros((len(self.layers), widest), np.float32)
        """df/d(sum) of every hidden unit."""

    # ------------------------------------------------------------ compiled

    @inlined_method
    def prepare(self, index: Any, x: Any, table: int) -> None:
        _forward(self, index, x, table)

    @inlined_method
    def total(self, index: Any, x: Any, table: int, action: int) -> Any:
        return _output(self, table, self.outputs_at + action * self.row)

    @inlined_method
    def keep(self, game: Any, s: Any, p: int, action: int, index: Any, hits: Any) -> int:
        table = 0 if len(self.weights) == 1 else p
        view = p if self.inversion else 0
        index[0] = table * self.weights.shape[1] + self.outputs_at + (action * self.row if self.of_actions else 0)
        hits[0] = -1.0 if self.first_view and p == 1 else 1.0
        for k in range(self.listed):
            index[k + 1] = self.index[view, k]
            hits[k + 1] = self.x[view, k]
        return 1 + self.listed

    @inlined_method
    def expand(self, index: Any, hits: Any, count: int, active: Any, x: Any) -> float:
        return _expand(self, index, hits, active, x)


@helper
def _forward(values: Any, index: Any, x: Any, table: int) -> None:
    """What all hidden units say. An index from a damaged file stays within the weights."""
    weights = values.weights[table]
    units = values.units[0]
    count = values.layers[0]
    for h in range(count):
        units[h] = weights[values.width * count + h] if values.bias else np.float32(0.0)
    for k in range(values.listed):
        if x[k] != 0.0:
            start = min(index[k], values.width - 1) * count
            for h in range(count):
                units[h] += x[k] * weights[start + h]
    for h in range(count):
        units[h] = activate(values.squash, units[h])
    for layer in range(1, len(values.layers)):
        _forward_layer(values, weights, layer)


@inlined
def _forward_layer(values: Any, weights: Any, layer: int) -> None:
    below, units = values.units[layer - 1], values.units[layer]
    count, start = values.layers[layer], values.starts[layer]
    for h in range(count):
        units[h] = 0.0
    for i in range(values.layers[layer - 1] + values.bias):
        for h in range(count):
            units[h] += below[i] * weights[start + i * count + h]
    for h in range(count):
        units[h] = activate(values.squash, units[h])


@inlined
def _output(values: Any, table: int, start: int) -> Any:
    """The output whose row begins at `start`."""
    weights, units = values.weights[table], values.units[len(values.layers) - 1]
    total = np.float32(0.0)
    for h in range(values.row):
        total += units[h] * weights[start + h]
    return total


@helper
def _expand(values: Any, index: Any, hits: Any, active: Any, x: Any) -> float:
    """The gradient of a kept position, and its total. An index from a damaged file stays within the weights."""
    size = values.weights.shape[1]
    table = min(index[0] // size, len(values.weights) - 1)
    base = table * size
    row = min(max(index[0] - base, values.outputs_at), size - 1 - values.row)
    sign = hits[0]
    _forward(values, index[1:], hits[1:], table)
    _backward(values, values.weights[table], row, sign)
    n = _write_first(values, index[1:], hits[1:], base, active, x)
    for layer in range(1, len(values.layers)):
        n = _write_layer(values, layer, base, active, x, n)
    last = values.units[len(values.layers) - 1]
    for h in range(values.row):
        active[n] = base + row + h
        x[n] = sign * last[h]
        n += 1
    return float(sign * _output(values, table, row))


@inlined
def _backward(values: Any, weights: Any, row: int, sign: Any) -> None:
    """How the total depends on the sum of every hidden unit, from the last layer to the first."""
    last = len(values.layers) - 1
    for h in range(values.layers[last]):
        values.errors[last, h] = sign * weights[row + h] * slope(values.squash, values.units[last, h])
    for layer in range(last, 0, -1):
        count, start = values.layers[layer], values.starts[layer]
        for i in range(values.layers[layer - 1]):
            blame = np.float32(0.0)
            for h in range(count):
                blame += weights[start + i * count + h] * values.errors[layer, h]
            values.errors[layer - 1, i] = blame * slope(values.squash, values.units[layer - 1, i])


@inlined
def _write_first(values: Any, index: Any, hits: Any, base: int, active: Any, x: Any) -> int:
    """The gradient of the first layer, of the listed inputs only; how many weights that are."""
    errors = values.errors[0]
    count = values.layers[0]
    n = 0
    for k in range(values.listed):
        start = base + min(index[k], values.width - 1) * count
        for h in range(count):
            active[n + h] = start + h
            x[n + h] = hits[k] * errors[h]
        n += count
    if values.bias:
        for h in range(count):
            active[n + h] = base + values.width * count + h
            x[n + h] = errors[h]
        n += count
    return n


@inlined
def _write_layer(values: Any, layer: int, base: int, active: Any, x: Any, n: int) -> int:
    """The gradient of another hidden layer, behind the n weights before it; how many there are then."""
    below, errors = values.units[layer - 1], values.errors[layer]
    count, start = values.layers[layer], base + values.starts[layer]
    for i in range(values.layers[layer - 1] + values.bias):
        for h in range(count):
            active[n] = start + i * count + h
            x[n] = below[i] * errors[h]
            n += 1
    return n


def _read_layers(text: str) -> tuple[int, ...]:
    """The hidden units of each layer."""
    parts = [part.strip() for part in text.split("+")]
    if len(parts) > _MOST_LAYERS or not all(part.isdecimal() and 1 <= int(part) <= _MOST_UNITS for part in parts):
        raise BoardlabError(
            f"hidden is the number of units in each of 1 to {_MOST_LAYERS} layers, as 20 or 20+10, with at most"
            f" {_MOST_UNITS:,} in a layer; {text!r} is not"
        )
    return tuple(map(int, parts))
