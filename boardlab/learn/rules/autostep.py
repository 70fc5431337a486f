"""Autostep (Mahmood et al. 2012): IDBD made insensitive to its own settings."""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.learn.rules.base import StepSizeRule
from boardlab.parameters import parameter

__all__ = ["Autostep"]


class Autostep(StepSizeRule):
    """Autostep: IDBD whose steps are measured in units of their usual size, v; and whose weights together never
    correct more than the whole error."""

    name = "autostep"
    slots = 3
    passes = 2
    outputs = ("identity",)
    with_traces = False
    own_alpha = True
    instead = "nl-idbd for a logistic one, or elk1 for a tanh one"
    alpha0: np.float32 = parameter(0.005, 1e-8, 10.0, doc="first step size of every weight")
    mu: np.float32 = parameter(1e-4, 0.0, 1.0, doc="step size of the step sizes")
    tau: np.float32 = parameter(1e4, 1.0, 1e9, doc="how many active updates v remembers, divided by the step size")

    def first_memory(self) -> tuple[float, ...]:
        return (float(self.alpha0), 0.0, 0.0)

    def prepare(self, memory: Any, i: int, e: Any, x: Any, signal: Any) -> Any:
        alpha, v = memory[0, i], memory[2, i]
        agreement = signal.delta * x * memory[1, i]
        size = abs(agreement)
        v = max(size, v + alpha * x * x * (size - v) / self.tau)
        if v > 0.0:
            alpha *= np.exp(self.mu * agreement / v)
        memory[0, i] = alpha
        memory[2, i] = v
        return alpha * x * x

    def update(self, weights: Any, memory: Any, i: int, e: Any, x: Any, signal: Any) -> None:
        if x == 0.0:
            return
        one = np.float32(1.0)
        alpha = memory[0, i] / max(signal.total, one)
        weights[i] += alpha * signal.delta * x
        memory[0, i] = alpha
        memory[1, i] = memory[1, i] * max(one - alpha * x * x, np.float32(0.0)) + alpha * signal.delta * x
