"""alpha-bounds (Dabney and Barto 2012), with the slope of the output: equation 5.1 of Thill 2015."""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.learn.rules.base import StepSizeRule
from boardlab.parameters import parameter

__all__ = ["AlphaBounds"]


class AlphaBounds(StepSizeRule):
    """alpha-bounds: one step size for all weights, as large as it may be without an update that turns its own error
    around; it only ever falls."""

    name = "alpha-bounds"
    scalars = 1
    passes = 2
    needs_next = True
    outputs = ("identity", "tanh")
    own_alpha = True
    instead = "nl-idbd for a logistic one"
    alpha0: np.float32 = parameter(1.0, 1e-8, 10.0, doc="first step size, for all weights")

    def first_scalars(self) -> tuple[float, ...]:
        return (float(self.alpha0),)

    def prepare(self, memory: Any, i: int, e: Any, x: Any, signal: Any) -> Any:
        return e * x

    def settle(self, signal: Any) -> None:
        """The error changes by alpha delta times this, if the weights change by alpha delta e."""
        effect = abs(signal.gamma * signal.ahead - signal.slope * signal.total)
        if signal.scalars[0] * effect > 1.0:
            signal.scalars[0] = np.float32(1.0) / effect

    def update(self, weights: Any, memory: Any, i: int, e: Any, x: Any, signal: Any) -> None:
        weights[i] += signal.scalars[0] * signal.delta * e
