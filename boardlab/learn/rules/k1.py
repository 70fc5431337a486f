"""K1 (Sutton 1992, *Gain Adaptation Beats Least Squares?*)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.learn.rules.base import StepSizeRule
from boardlab.parameters import parameter

__all__ = ["K1"]

LOWEST = np.float32(-10.0)
HIGHEST = np.float32(60.0)
"""Far beyond any sense; without it exp(b) could leave the numbers of 32 bits."""


class K1(StepSizeRule):
    """K1: step sizes learned as by IDBD, but the changes of all active weights together never correct more than the
    whole error."""

    name = "k1"
    slots = 2
    passes = 2
    outputs = ("identity",)
    with_traces = False
    own_alpha = True
    instead = "elk1 for a tanh one"
    alpha0: np.float32 = parameter(0.009, 5e-5, 10.0, doc="first step size of every weight")
    theta: np.float32 = parameter(6.0, 0.0, 1e6, doc="step size of the step sizes")

    def first_memory(self) -> tuple[float, ...]:
        return (math.log(self.alpha0), 0.0)

    def step_sizes(self, memory: NDArray[np.float32]) -> NDArray[np.floating[Any]]:
        return np.exp(memory[:, 0])

    def prepare(self, memory: Any, i: int, e: Any, x: Any, signal: Any) -> Any:
        b = memory[0, i] + self.theta * signal.delta * x * memory[1, i]
        b = min(max(b, LOWEST), HIGHEST)
        memory[0, i] = b
        return np.exp(b) * x * x

    def update(self, weights: Any, memory: Any, i: int, e: Any, x: Any, signal: Any) -> None:
        one = np.float32(1.0)
        k = np.exp(memory[0, i]) * x / (one + signal.total)
        weights[i] += k * signal.delta
        memory[1, i] = (memory[1, i] + k * signal.delta) * max(one - k * x, np.float32(0.0))
