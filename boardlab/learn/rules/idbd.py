"""Incremental Delta-Bar-Delta (Sutton 1992), Algorithm 3 of Thill 2015, and its form for a logistic output with
eligibility traces, nl-IDBD(lambda): equations 3.46 and A.37 there, after Koop 2008. The bounds of b and of its steps
are not in the papers, but in the program behind the published results."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.learn.rules.base import StepSizeRule
from boardlab.parameters import parameter

__all__ = ["IDBD"]

LOWEST = np.float32(-10.0)
LARGEST_STEP = np.float32(2.0)


class IDBD(StepSizeRule):
    """IDBD: each weight learns the logarithm b of its step size. Where its change agrees with h, a fading sum of its
    past changes, the step was too small and grows; otherwise it shrinks."""

    name = "idbd"
    slots = 2
    outputs = ("identity",)
    with_traces = False
    own_alpha = True
    instead = "nl-idbd for a logistic one"
    alpha0: np.float32 = parameter(0.0067, 5e-5, 10.0, doc="first step size of every weight")
    theta: np.float32 = parameter(3.0, 0.0, 1e6, doc="step size of the step sizes")

    def first_memory(self) -> tuple[float, ...]:
        return (math.log(self.alpha0), 0.0)

    def step_sizes(self, memory: NDArray[np.float32]) -> NDArray[np.floating[Any]]:
        return np.exp(memory[:, 0])

    def update(self, weights: Any, memory: Any, i: int, e: Any, x: Any, signal: Any) -> None:
        recommended = signal.delta * e
        h = memory[1, i]
        b = memory[0, i] + min(max(self.theta * recommended * h, -LARGEST_STEP), LARGEST_STEP)
        b = max(b, LOWEST)
        alpha = np.exp(b)
        weights[i] += alpha * recommended
        memory[0, i] = b
        memory[1, i] = h * max(np.float32(1.0) - alpha * e * x * signal.slope, np.float32(0.0)) + alpha * recommended


class NonLinearIDBD(IDBD):
    """nl-IDBD, and with lambda > 0 nl-IDBD(lambda): IDBD for a logistic output and the cross-entropy loss."""

    name = "nl-idbd"
    outputs = ("logistic",)
    with_traces = True
    instead = "idbd for a linear one, or elk1 for a tanh one"
    alpha0: np.float32 = parameter(0.0302, 5e-5, 10.0, doc="first step size of every weight")
    theta: np.float32 = parameter(3.1, 0.0, 1e6, doc="step size of the step sizes")
