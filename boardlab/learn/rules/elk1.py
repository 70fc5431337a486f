"""ELK1 (Schraudolph 1999): K1 for a tanh output, as the program behind Thill 2015 has it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.learn.rules.base import StepSizeRule
from boardlab.parameters import parameter

__all__ = ["ELK1"]

LOWEST = np.float32(-10.0)
HIGHEST = np.float32(60.0)
"""Far beyond any sense; without it exp(b) could leave the numbers of 32 bits."""
FLATTEST = np.float32(1e-6)
"""h is divided by the slope of the output, which is 0 in 32 bits where the value is 1 or -1: by no less than this."""


class ELK1(StepSizeRule):
    """ELK1: K1 for a tanh output."""

    name = "elk1"
    slots = 2
    passes = 2
    outputs = ("tanh",)
    with_traces = False
    own_alpha = True
    instead = "k1 for a linear one, or nl-idbd for a logistic one"
    alpha0: np.float32 = parameter(0.0111, 5e-5, 10.0, doc="first step size of every weight")
    theta: np.float32 = parameter(5.0, 0.0, 1e6, doc="step size of the step sizes")

    def first_memory(self) -> tuple[float, ...]:
        return (math.log(self.alpha0), 0.0)

    def step_sizes(self, memory: NDArray[np.float32]) -> NDArray[np.floating[Any]]:
        return np.exp(memory[:, 0])

    def prepare(self, memory: Any, i: int, e: Any, x: Any, signal: Any) -> Any:
        b = memory[0, i] + self.theta * signal.delta * x * memory[1, i] * signal.slope
        b = min(max(b, LOWEST), HIGHEST)
        memory[0, i] = b
        return np.exp(b) * x * x

    def update(self, weights: Any, memory: Any, i: int, e: Any, x: Any, signal: Any) -> None:
        """With k = exp(b) e / ((1 + M) slope^2) and e = slope x: k e is `share`, and k is share / (slope x)."""
        one, zero = np.float32(1.0), np.float32(0.0)
        gain = np.exp(memory[0, i]) * x / (one + signal.total)
        share = gain * x
        weights[i] += share * signal.delta
        moved = gain * signal.delta / max(signal.slope, FLATTEST)
        memory[1, i] = (memory[1, i] + moved) * max(one - share, zero)
