"""Sums of float32 as the kernels make them, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np


def partial_sums(numbers: Any, lanes: int) -> Any:
    """So many partial sums of float32, the rest goes to the first; then two and two of them."""
    whole = len(numbers) - len(numbers) % lanes
    sums = [np.float32(0.0)] * lanes
    for k, number in enumerate(numbers):
        sums[k % lanes if k < whole else 0] += number
    while len(sums) > 1:
        sums = [sums[k] + sums[k + 1] for k in range(0, len(sums), 2)]
    return sums[0]
