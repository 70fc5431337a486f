"""Tables for the indices of boards that lie in one vector register (`boardlab.compiler.permuted_sums`).

Where each cell is on its own and its value counts as often as it is large (`Structure.steps`), an index is a sum of
cells, each times its step. The steps of an entry, sorted, are products of the numbers of values before them; so cells
are taken in twos, (1, number of values of the first) times the step of the first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler.permuted_sums import MOST_TWOS, PERMUTED_AT_ONCE, PERMUTED_CELLS
from boardlab.compiler.processor import PERMUTES
from boardlab.system.machine import own_copy

__all__ = ["Permuted", "permuted_of"]


class Permuted(NamedTuple):
    """B blocks of entries, the last of which may overlap with the one before; T twos of cells an entry."""

    taken: NDArray[np.uint8]
    """Cells of each two, side by side, shape (B, T, 64)."""
    weights: NDArray[np.int8]
    """What they count in the sum of the two, of the same shape."""
    factors: NDArray[np.int16]
    """What this sum counts in the index, shape (B, T, 32)."""


_NOTHING = Permuted(np.zeros((0, 0, 64), np.uint8), np.zeros((0, 0, 64), np.int8), np.zeros((0, 0, 32), np.int16))


def permuted_of(steps: NDArray[Any], num_values: NDArray[np.int64]) -> Permuted:
    """The tables for boards whose cells have so many values; empty where boards or indices are too large, there are
    too few of them, or the processor cannot do it. `steps` (num_cells or 0, E)."""
    if not PERMUTES or not 0 < len(steps) <= PERMUTED_CELLS or steps.shape[1] < PERMUTED_AT_ONCE:
        return _NOTHING
    most = (num_values - 1) @ np.abs(steps.astype(np.int64))
    if steps.min() < 0 or most.max() > np.iinfo(np.uint16).max or num_values.max() > np.iinfo(np.int8).max:
        return _NOTHING
    twos = (int((steps != 0).sum(axis=0).max()) + 1) // 2
    if not 0 < twos <= MOST_TWOS:
        return _NOTHING
    entries = steps.shape[1]
    cells, weights = np.zeros((2, entries, 2 * twos), np.int64)
    factors = np.zeros((entries, twos), np.int64)
    for e in range(entries):
        order = np.flatnonzero(steps[:, e])
        order = order[np.argsort(steps[order, e])]
        of_entry = steps[order, e].astype(np.int64)
        cells[e, : len(order)] = order
        factors[e, : (len(order) + 1) // 2] = of_entry[::2]
        weights[e, : len(order)] = of_entry // np.repeat(of_entry[::2], 2)[: len(order)]
    if not np.array_equal((weights * np.repeat(factors, 2, axis=1)).sum(axis=1), steps.sum(axis=0)):
        return _NOTHING  # a step is no multiple of the one before
    if weights.max() > np.iinfo(np.int8).max:
        return _NOTHING
    firsts = [min(first, entries - PERMUTED_AT_ONCE) for first in range(0, entries, PERMUTED_AT_ONCE)]
    rows = np.array(firsts)[:, None] + np.arange(PERMUTED_AT_ONCE)

    def in_blocks(of_cells: NDArray[np.int64]) -> NDArray[np.int64]:
        blocks = of_cells.reshape(entries, twos, 2)[rows].transpose(0, 2, 1, 3)
        return np.ascontiguousarray(blocks).reshape(len(rows), twos, 2 * PERMUTED_AT_ONCE)

    counted = np.ascontiguousarray(factors[rows].transpose(0, 2, 1)).astype(np.uint16).view(np.int16)
    return Permuted(
        own_copy(in_blocks(cells).astype(np.uint8)), own_copy(in_blocks(weights).astype(np.int8)), own_copy(counted)
    )
