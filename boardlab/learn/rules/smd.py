"""Stochastic meta-descent (Schraudolph 1999), with eligibility traces: SMD(lambda), equation A.49 and Algorithm 5 of
Thill 2015. With a linear output it is equation A.38 there: IDBD with the whole Hessian."""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.learn.rules.base import StepSizeRule
from boardlab.parameters import parameter

__all__ = ["SMD"]


class SMD(StepSizeRule):
    """SMD, and with lambda > 0 SMD(lambda): as nl-IDBD, but it knows that all active weights share the error: h of one
    weight depends on those of all others."""

    name = "smd"
    slots = 2
    passes = 2
    outputs = ("logistic", "identity")
    own_alpha = True
    instead = "elk1 for a tanh one"
    alpha0: np.float32 = parameter(0.0302, 1e-8, 10.0, doc="first step size of every weight")
    theta: np.float32 = parameter(3.1, 0.0, 1e6, doc="step size of the step sizes")
    mu: np.float32 = parameter(1.0, 0.0, 1.0, doc="how much of h is kept; below 1 it forgets")

    def first_memory(self) -> tuple[float, ...]:
        return (float(self.alpha0), 0.0)

    def prepare(self, memory: Any, i: int, e: Any, x: Any, signal: Any) -> Any:
        return x * memory[1, i]

    def update(self, weights: Any, memory: Any, i: int, e: Any, x: Any, signal: Any) -> None:
        if e == 0.0:
            return
        recommended = signal.delta * e
        h = memory[1, i]
        alpha = memory[0, i] * max(np.float32(0.5), np.float32(1.0) + self.theta * recommended * h)
        weights[i] += alpha * recommended
        memory[0, i] = alpha
        memory[1, i] = self.mu * (h - alpha * signal.slope * e * signal.total) + alpha * recommended
