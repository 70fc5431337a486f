"""Temporal coherence learning (Beal and Smith 1999) and its variants of Thill 2015, 3.5.1 and Algorithm 2. `tcl-exp`
with initial = 1e-4 is that of the FARL paper (appendix A.5)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from boardlab.learn.rounding import add_rounding_at_random
from boardlab.learn.rules.base import StepSizeRule
from boardlab.parameters import parameter

__all__ = ["TemporalCoherence"]


class TemporalCoherence(StepSizeRule):
    """TCL: a weight whose recommended changes agree in sign keeps its full step size, one whose changes cancel each
    other loses it. N sums the changes, A their absolute values; the step size is multiplied by |N| / A."""

    name = "tcl"
    slots = 2
    from_zeros: ClassVar[bool] = True
    initial: np.float32 = parameter(1e-4, 0.0, 1e6, doc="what N and A start with; by default the agent's tc_init")
    fine: bool = parameter(
        False,
        doc="A also grows by steps that its 24 digits cannot hold: it is rounded at random then (long trainings)",
    )

    def first_memory(self) -> tuple[float, ...]:
        return (float(self.initial), float(self.initial))

    def step_sizes(self, memory: NDArray[np.float32]) -> NDArray[np.floating[Any]]:
        n, a = np.abs(memory[:, 0]), memory[:, 1]
        coherence = np.divide(n, a, out=np.ones_like(n), where=a != 0)
        return np.array([self.transfer(q) for q in coherence])

    def update(self, weights: Any, memory: Any, i: int, e: Any, x: Any, signal: Any) -> None:
        n, a, initial = memory[0, i], memory[1, i], self.initial
        coherence = np.float32(1.0) if a == 0.0 else abs(n) / a
        weights[i] += signal.alpha * self.transfer(coherence) * (signal.delta * e)
        change = self.recommended(signal.delta, e)
        if self.unfilled:  # A is never 0 later on, unless it began so
            n = initial if a == 0.0 else n
            a = initial if a == 0.0 else a
        memory[0, i] = n + change
        memory[1, i] = add_rounding_at_random(a, abs(change), weights[i]) if self.fine else a + abs(change)

    def transfer(self, coherence: Any) -> Any:
        """From |N| / A to the factor of the step size."""
        return coherence

    def recommended(self, delta: Any, e: Any) -> Any:
        """What is summed in N and A: here the recommended weight change, TCL[r]."""
        return delta * e


class TemporalCoherenceDelta(TemporalCoherence):
    """TCL[delta]: N and A sum the error signal itself, with the sign of the eligibility (which n-tuples never make
    negative)."""

    name = "tcl-delta"

    def recommended(self, delta: Any, e: Any) -> Any:
        zero = np.float32(0.0)
        return delta if e > zero else (-delta if e < zero else zero)


class TemporalCoherenceExponential(TemporalCoherence):
    """TCL-EXP: the factor is exp(beta (|N| / A - 1)), equation 5 of the FARL paper."""

    name = "tcl-exp"
    beta: np.float32 = parameter(2.7, 0.0, 20.0, doc="shape of the transfer function; by default the agent's beta")

    def transfer(self, coherence: Any) -> Any:
        """exp(x) as (Taylor polynomial of exp(x / 64))^64: relative error below 5e-6 for |x| < 4 (0.3 % at the
        largest beta), and a third of the time of the library's exp."""
        y = self.beta * (coherence - np.float32(1.0)) * np.float32(1.0 / 64.0)
        half, third, quarter = np.float32(1 / 2), np.float32(1 / 3), np.float32(1 / 4)
        z = np.float32(1.0) + y * (
            np.float32(1.0) + y * half * (np.float32(1.0) + y * third * (np.float32(1.0) + y * quarter))
        )
        z2 = z * z
        z4 = z2 * z2
        z8 = z4 * z4
        z16 = z8 * z8
        z32 = z16 * z16
        return z32 * z32


class TemporalCoherencePiecewise(TemporalCoherence):
    """TCL-PL: the factor is piecewise linear, max(exp(-beta), beta q + 1 - beta)."""

    name = "tcl-pl"
    beta: np.float32 = parameter(2.7, 0.0, 20.0, doc="shape of the transfer function; by default the agent's beta")

    def transfer(self, coherence: Any) -> Any:
        return max(np.exp(-self.beta), self.beta * coherence + np.float32(1.0) - self.beta)
