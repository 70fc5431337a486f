"""The rule of TD learning itself (Thill 2015, equation 3.22 with a scalar step size)."""

from __future__ import annotations

from typing import Any

from boardlab.learn.rules.base import StepSizeRule

__all__ = ["Plain"]


class Plain(StepSizeRule):
    """TDL: the same step size for every weight."""

    name = "plain"

    def update(self, weights: Any, memory: Any, i: int, e: Any, x: Any, signal: Any) -> None:
        weights[i] += signal.alpha * signal.delta * e
