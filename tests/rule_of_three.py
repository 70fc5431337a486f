"""A step-size rule that keeps three numbers for each weight: no pair, as most have."""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.learn.rules import StepSizeRule


class ThreeSlots(StepSizeRule):
    """Steps that get smaller with all earlier steps, with their number, and where the newest position hits often."""

    slots = 3

    def first_memory(self) -> tuple[float, ...]:
        """The sum of all steps, their number, and the sum of hits."""
        return (0.0, 1.0, 0.0)

    def update(self, weights: Any, memory: Any, i: int, e: Any, x: Any, signal: Any) -> None:
        step = signal.alpha * signal.delta * e / (memory[1, i] + memory[0, i] + memory[2, i])
        weights[i] += step
        memory[0, i] += abs(step)
        memory[1, i] += np.float32(0.0) if e == 0.0 else np.float32(1.0)
        memory[2, i] += x
