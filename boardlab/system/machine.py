"""How much memory and how many cores there are, and arrays for code that runs in several threads at once."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["cores", "free_memory", "own_copy", "own_zeros"]

_LINE = 128
"""Bytes that a core fetches at a time: two cache lines of 64."""


def own_zeros(shape: int | tuple[int, ...], dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """Zeros that share no cache line with any other array. Where two threads write to one line, each waits for the
    other, which can cost a third of their speed."""
    size = math.prod(np.atleast_1d(shape).tolist()) * np.dtype(dtype).itemsize
    whole = np.zeros(size + 2 * _LINE, np.uint8)
    start = -whole.ctypes.data % _LINE
    return whole[start : start + size].view(dtype).reshape(shape)


def own_copy(array: NDArray[Any]) -> NDArray[Any]:
    """A copy on cache lines of its own."""
    copy = own_zeros(array.shape, array.dtype)
    copy[...] = array
    return copy


def cores() -> int:
    """How many processes or threads this machine can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def free_memory() -> int:
    """Bytes that can be taken without swapping, as Linux tells; elsewhere no limit is known."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return 1 << 62
