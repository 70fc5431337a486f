"""Slow, obvious linear functions and perceptrons: matrices of float64, and gradients by finite differences. They share
no code with boardlab/learn; `FeatureLearner` learns with them as the reference of the n-tuples does, by replay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from reference_learner import ReferenceLearner
from reference_network import Input, Options

from boardlab.game import Game
from boardlab.position import Position

Vector = np.ndarray


class PlainNet:
    """Hidden layers (none: a linear function) and outputs. All weights are one vector: for every hidden layer a row for
    each input and one for the bias, then a row for each output."""

    def __init__(self, width: int, layers: Sequence[int], outputs: int, *, bias: bool = True, logistic: bool = False):
        self.bias, self.logistic = bias, logistic
        inputs = [width, *layers]
        self.shapes = [(n + bias, units) for n, units in zip(inputs, layers, strict=False)]
        self.shapes.append((outputs, inputs[-1] + bias))

    @property
    def size(self) -> int:
        return sum(a * b for a, b in self.shapes)

    def total(self, weights: Vector, x: Vector, output: int) -> float:
        """What comes out before the output function."""
        start = 0
        for rows, units in self.shapes[:-1]:
            matrix = weights[start : start + rows * units].reshape(rows, units)
            start += rows * units
            sums = self.with_bias(x) @ matrix
            x = 1 / (1 + np.exp(-sums)) if self.logistic else np.tanh(sums)
        return float(weights[start:].reshape(self.shapes[-1])[output] @ self.with_bias(x))

    def with_bias(self, x: Vector) -> Vector:
        return np.append(x, 1.0) if self.bias else x

    def gradient(self, weights: Vector, x: Vector, output: int, step: float = 1e-5) -> Vector:
        """Central differences."""
        found = np.zeros(len(weights))
        for i in range(len(weights)):
            moved = np.repeat(weights[None, :], 2, axis=0)
            moved[:, i] += (step, -step)
            found[i] = (self.total(moved[0], x, output) - self.total(moved[1], x, output)) / (2 * step)
        return found


def features(game: Game, state: Any, mode: int) -> Vector:
    """The features of a mode."""
    out = np.zeros(game.num_features(mode))
    game.features(state, mode, out)
    return out


def one_hot(game: Game, state: Any, player: int | None = None) -> Vector:
    """A number for each value of each cell, 1 where the cell has it; as a player sees the board."""
    cells = np.zeros(game.num_cells, np.int8)
    if player is None:
        game.cells(state, cells)
    else:
        game.cells_of(state, player, cells)
    return np.concatenate([np.arange(n) == v for v, n in zip(cells, game.cell_values(), strict=True)]).astype(float)


class FeatureLearner(ReferenceLearner):
    """TD-FARL over the features of a mode, each player with weights of his own, plain steps. Where the reference of the
    n-tuples keeps symmetric boards, there are the features."""

    def __init__(self, game: Game, options: Options, net: PlainNet, mode: int, weights: Vector) -> None:
        """weights: those at the beginning, (players, size)."""
        super().__init__(game, options)
        self.net, self.mode, self.weights = net, mode, weights.astype(float)
        self.traces = [np.zeros(net.size) for _ in weights]
        if weights.any():
            self.w[0, 0, ()] = 1.0  # values are not all equal at the beginning

    def input(self, position: Position, player: int, action: int = -1) -> Input:
        x: Any = features(self.game, position.state, self.mode)
        return Input(player, x, np.count_nonzero(x) + self.net.bias)

    def value(self, position: Input) -> float:
        return float(np.tanh(self.net.total(self.weights[position.owner], position.x, 0)))

    def td_update(self, player: int, target: float, alpha: float, following: Input | None = None) -> None:
        newest = self.memories[player].past[-1]
        x: Any = newest.x
        value = self.value(newest)
        e = self.traces[player]
        if not self.options.traces:
            e = (1 - value**2) * self.net.gradient(self.weights[player], x, 0)
        step = alpha / newest.entries if self.options.divide_alpha else alpha
        self.weights[player] += step * (target - value) * e
        self.w[0, 0, ()] = 1.0

    def update_traces(self, player: int) -> None:
        past = self.memories[player].past
        x: Any = past[-1].x
        value = self.value(past[-1])
        before = self.traces[player] if len(past) > 1 else 0.0
        fresh = (1 - value**2) * self.net.gradient(self.weights[player], x, 0)
        self.traces[player] = self.options.gamma * self.options.lam * before + fresh
