"""RProp (Riedmiller and Braun 1993) and its variants (Igel and Huesken 2000). A weight moves by a step of its own in
the direction of the gradient, whatever its size; the error of an update is E = delta^2. The variants differ in what
they do when the direction of a weight has changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.compiler import helper
from boardlab.learn.rules.base import StepSizeRule
from boardlab.parameters import parameter

__all__ = ["RPropMinus"]


class RPropMinus(StepSizeRule):
    """RProp-: only the sign of a change counts. The step of a weight grows while the sign stays and shrinks when it
    changes; the weight moves in any case."""

    name = "rprop-"
    slots = 2
    with_traces = False
    own_alpha = True
    pauses = False
    """Whether a weight whose sign has changed stays where it is, and keeps its step next time."""
    reverts = False
    """Whether it takes its last change back."""
    only_if_worse = False
    """Only if the error has grown since the last update."""
    alpha0: np.float32 = parameter(1e-3, 1e-8, 50.0, doc="first step of every weight")
    up: np.float32 = parameter(1.2, 1.0, 10.0, doc="factor of the step while the sign stays, eta+")
    down: np.float32 = parameter(0.5, 0.0, 1.0, doc="factor of the step when it changes, eta-")
    lowest: np.float32 = parameter(1e-5, 0.0, 50.0, doc="smallest step")
    highest: np.float32 = parameter(50.0, 0.0, 1e6, doc="largest step")

    def first_memory(self) -> tuple[float, ...]:
        return (float(self.alpha0), 0.0, 0.0)[: self.slots]

    def update(self, weights: Any, memory: Any, i: int, e: Any, x: Any, signal: Any) -> None:
        if x == 0.0:
            return
        zero = np.float32(0.0)
        step, before = memory[0, i], memory[1, i]
        sign = _sign(e) * _sign(signal.delta)
        turned = sign * before < zero
        if sign * before > zero:
            step = min(step * self.up, self.highest)
        elif turned:
            step = max(step * self.down, self.lowest)
            if self.pauses:
                sign = zero
        change = sign * step
        if self.reverts:
            if turned and (not self.only_if_worse or signal.scalars[1] > signal.scalars[0]):
                change = -memory[2, i]
            memory[2, i] = change
        weights[i] += change
        memory[0, i] = step
        memory[1, i] = sign


class ImprovedRPropMinus(RPropMinus):
    """iRProp-: as RProp-, but a weight whose sign has changed pauses."""

    name = "irprop-"
    pauses = True


class RPropPlus(ImprovedRPropMinus):
    """RProp+: as RProp-, but a weight whose sign has changed takes its last change back."""

    name = "rprop+"
    slots = 3
    reverts = True


class ImprovedRPropPlus(RPropPlus):
    """iRProp+: as RProp+, but a change is taken back only if the error has grown; otherwise the weight pauses."""

    name = "irprop+"
    scalars = 2
    passes = 2
    only_if_worse = True

    def first_scalars(self) -> tuple[float, ...]:
        return (0.0, 0.0)

    def settle(self, signal: Any) -> None:
        """Keep the error of the last update, and that of this one."""
        signal.scalars[0] = signal.scalars[1]
        signal.scalars[1] = signal.delta * signal.delta


@helper
def _sign(value: Any) -> Any:
    return np.float32(value > 0.0) - np.float32(value < 0.0)
