"""How much memory and how many cores there are, and arrays for code that runs in several threads at once."""

from __future__ import annotations

import math
import os
from collections.abc import Collection
from contextlib import suppress
from glob import glob
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["cores", "free_memory", "memory_of_sessions", "own_copy", "own_zeros", "total_memory"]

_LINE = 128
"""Bytes that a core fetches at a time: two cache lines of 64."""


def own_zeros(shape: int | tuple[int, ...], dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """Zeros that share no cache line with any other array. Where two threads write to one line, each waits for the
    other, which can cost a third of their speed. A line lies behind, so that whole registers can be read at the end."""
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
    return _meminfo("MemAvailable:")


def total_memory() -> int:
    """Bytes that this machine has, as Linux tells; elsewhere no limit is known."""
    return _meminfo("MemTotal:")


def _meminfo(name: str) -> int:
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))
    except (OSError, StopIteration):
        return 1 << 62


def memory_of_sessions(sessions: Collection[int]) -> dict[int, int]:
    """Bytes in use by each of these processes, which lead sessions, and by all that they have started, even where that
    leads a session of its own; as Linux tells, elsewhere 0. What processes share is counted for each of them."""
    found = dict.fromkeys(sessions, 0)
    page = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
    processes: dict[int, tuple[int, int, int]] = {}  # parent, session, pages
    for path in glob("/proc/[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError), open(path, encoding="ascii", errors="replace") as file:
            number, _, rest = file.read().partition(" (")
            fields = rest.rpartition(")")[2].split()  # the name before it may have any characters
            processes[int(number)] = int(fields[1]), int(fields[3]), int(fields[21])
    for pid, (_, _, pages) in processes.items():
        owner: int | None = pid
        while owner in processes:
            parent, session, _ = processes[owner]
            if session in found:
                found[session] += pages * page
                break
            owner = parent
    return found
