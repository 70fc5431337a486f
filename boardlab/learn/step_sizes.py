"""How far single weights still move: the step sizes that a rule keeps for its weights, as a sample that costs little
even where the tables are large."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.learn.rules import StepSizeRule

__all__ = ["sampled_step_sizes"]

_LOOKED_AT = 1 << 18
"""Weights that are looked at, at most, to find those that learning has touched."""
_SAMPLE = 4096


def sampled_step_sizes(rule: StepSizeRule, memory: NDArray[np.float32]) -> NDArray[np.floating[Any]] | None:
    """The step sizes of some thousand weights that learning has touched, evenly spread over the tables; `memory` is
    float32 (table sets, weights, slots)."""
    if rule.slots == 0:
        return None
    seen = memory[:, :: -(-memory.shape[1] * memory.shape[0] // _LOOKED_AT)].reshape(-1, rule.slots)
    touched = np.flatnonzero(rule.touched(seen))
    return rule.step_sizes(seen[touched[:: -(-len(touched) // _SAMPLE) or 1]])
