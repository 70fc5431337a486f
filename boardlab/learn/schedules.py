"""How alpha and epsilon change over the episodes: constant, linear, exponential or sigmoidal from start to end."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardlabError

__all__ = ["Shape", "schedule"]

Shape = Literal["constant", "linear", "exponential", "sigmoidal"]

_STEEPNESS = 10.0
"""The sigmoid runs from -5 to 5: it stays near the start, falls in the middle of training and stays near the end."""


def schedule(shape: Shape, start: float, end: float, total: int, first: int, count: int) -> NDArray[np.float64]:
    """The values for episodes first..first+count-1 of `total`; beyond the total it stays at the end value."""
    if shape == "constant":
        return np.full(count, start)
    progress = np.minimum(np.arange(first, first + count) / max(1, total - 1), 1.0)
    if shape == "linear":
        return start + (end - start) * progress
    if shape == "exponential":
        if start <= 0.0 or end <= 0.0:
            raise BoardlabError(f"an exponential schedule runs between numbers above 0, not from {start:g} to {end:g}")
        return np.asarray(start * (end / start) ** progress)
    curve = 1.0 / (1.0 + np.exp(-_STEEPNESS * (progress - 0.5)))
    lowest, highest = 1.0 / (1.0 + np.exp(_STEEPNESS / 2)), 1.0 / (1.0 + np.exp(-_STEEPNESS / 2))
    return np.asarray(start + (end - start) * (curve - lowest) / (highest - lowest))
