"""Sums of single precision that go on growing when what is added is less than their last digit.

A float32 has 24 digits: a sum of sixteen million equal numbers never gets any larger. Rounded to the nearest, every
smaller step after that is lost. Rounded at random, up as often as the step is a part of the last digit, the sum is
right in the mean. The random digits are made of the numbers at hand, so that the same training gives the same result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.compiler import inlined

__all__ = ["add_rounding_at_random"]

_LOST = np.uint64(29)
"""Digits that a number of double precision has more."""
_LOST_DIGITS = np.uint64((1 << 29) - 1)
_HALF = np.uint64(0xFFFFFFFF)
_SPREAD = np.uint64(0x9E3779B1)
"""The golden ratio: products with it are spread evenly over all numbers of 32 bits."""
_HIGH = np.uint64(17)


@inlined
def add_rounding_at_random(total: Any, step: Any, other: Any) -> Any:
    """total + step, both float32 and not negative: one of its two neighbours among them, the nearer one more often.
    `other` is a number that is another one each time, also where the same step is added again and again."""
    digits = np.float64(np.float64(total) + np.float64(step)).view(np.uint64)
    mixed = _mixed(np.uint64(np.float32(step).view(np.uint32)) ^ np.uint64(np.float32(total).view(np.uint32)))
    mixed = _mixed(mixed ^ np.uint64(np.float32(other).view(np.uint32)))
    digits += (mixed >> _HIGH) & _LOST_DIGITS
    return np.float32(np.uint64(digits & ~_LOST_DIGITS).view(np.float64))


@inlined
def _mixed(digits: Any) -> Any:
    """Other digits, of which each depends on all that are given."""
    product = (digits & _HALF) * _SPREAD
    return ((product ^ (product >> _LOST)) & _HALF) * _SPREAD
