"""ALAP (Almeida et al. 1998): step sizes from the correlation of successive gradients, measured in units of their
mean square."""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.learn.rules.base import StepSizeRule
from boardlab.parameters import parameter

__all__ = ["ALAP"]

LOWEST = np.float32(1e-6)


class ALAP(StepSizeRule):
    """ALAP: the step size of a weight grows while its gradient points the same way as the last one, and falls when it
    turns, by how much is measured in units of the mean square of its gradients."""

    name = "alap"
    slots = 3
    with_traces = False
    own_alpha = True
    alpha0: np.float32 = parameter(0.004, 1e-6, 10.0, doc="first step size of every weight")
    theta: np.float32 = parameter(0.02, 0.0, 10.0, doc="step size of the step sizes")
    c: np.float32 = parameter(0.02, 0.0, 1.0, doc="share of the newest gradient in the mean square")

    def first_memory(self) -> tuple[float, ...]:
        return (float(self.alpha0), 0.0, 0.0)

    def update(self, weights: Any, memory: Any, i: int, e: Any, x: Any, signal: Any) -> None:
        if x == 0.0:
            return
        gradient = -e * signal.delta
        alpha = memory[0, i]
        v = (np.float32(1.0) - self.c) * memory[2, i] + self.c * gradient * gradient
        if v > 0.0:
            alpha *= np.float32(1.0) + self.theta * gradient * memory[1, i] / v
        alpha = max(alpha, LOWEST)
        weights[i] -= alpha * gradient
        memory[0, i] = alpha
        memory[1, i] = gradient
        memory[2, i] = v
