"""What the transposition tables of the solvers share: their size, and which of two entries a new one replaces.

A table is an int64 array of 2^k entries, two adjacent ones for a position: the first is kept by the more expensive
search, the second takes what is left over. An entry is one word, so that threads may share a table without locks; from
the top it holds the key, the class of the effort (3 bits), and the bounds, whose width is the solver's own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper

__all__ = ["effort_class", "keep", "new_table"]


def new_table(megabytes: int) -> NDArray[np.int64]:
    """An empty table, the largest power of two of entries that fits."""
    return np.zeros(1 << (megabytes * (1 << 17)).bit_length() - 1, np.int64)


@helper
def effort_class(visited: int) -> int:
    """The number of nodes of a search as one of eight classes."""
    effort = 0
    while visited > 3 and effort < 7:
        visited >>= 3
        effort += 1
    return effort


@helper
def keep(table: NDArray[np.int64], slot: np.uint64, key: int, effort: int, bounds: int, width: int) -> None:
    """Enter bounds of so many bits for a key at its first entry, or at the second where the first cost more."""
    entry = (((key << 3) | effort) << width) | bounds
    old = table[slot]
    if (old ^ entry) >> (width + 3) == 0 or effort >= ((old >> width) & 7):
        table[slot] = entry
    else:
        table[slot + np.uint64(1)] = entry
