"""Numbers for JSON, which knows neither infinity nor NaN."""

from __future__ import annotations

import math

__all__ = ["finite"]


def finite(number: float) -> float | None:
    """The number, or None where it is none: a diverged network says NaN."""
    return float(number) if math.isfinite(number) else None
