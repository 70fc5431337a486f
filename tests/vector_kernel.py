"""All that `boardlab.compiler.vectors`, `sums`, `row_sums`, `lanes`, `local` and `parting` do, in one kernel. As a
program it tells what comes out, so that machine code for another processor can be compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.compiler import kernel, plain
from boardlab.compiler.lanes import LANES, put_lanes, take_lanes
from boardlab.compiler.local import local_rows
from boardlab.compiler.parting import PARTED_AT_ONCE, part_equal
from boardlab.compiler.processor import COMPRESSES, CONFLICTS, GATHERS
from boardlab.compiler.row_sums import add_rows
from boardlab.compiler.sums import difference, dot, gathered_dot, gathered_total, total
from boardlab.compiler.vectors import (
    SELECTED_AT_ONCE,
    count_equal_in_eights,
    gather,
    gather_pairs,
    scatter,
    scatter_pairs,
    select,
)

COUNT = 21
"""Two whole blocks and a rest."""
SPARE = 99
ADDED, LENGTH = 5, 150
"""So many rows are added; they have room for a block of each width, and a rest."""
PARTS = (0, 3, 3, 25, 47)
"""A list of runs is parted range by range: of one number, of none, of a block and a rest."""
CHOSEN = np.random.default_rng(3).random(50) < 0.6


@kernel
def move_all(table: Any, whole: Any, pairs: Any, index: Any, chosen: Any, rows: Any, factors: Any, out: Any) -> None:
    side, places, first, second = out.side, out.places, out.first, out.second
    gather(table, index, COUNT, side)
    gather(whole, index, COUNT, places)
    gather_pairs(pairs, index, COUNT, first, second)
    out.sums[0] = total(side, COUNT)
    out.sums[1] = dot(first, side, COUNT)
    out.sums[2] = difference(table, index, first, COUNT)
    out.sums[3] = gathered_total(table, index, COUNT)
    scatter(side, index, COUNT, out.table)
    scatter_pairs(first, second, index, COUNT, out.pairs)
    out.ends[0] = select(whole, chosen, len(whole), out.selected, 2)
    out.ends[1] = select(out.same, chosen, len(whole), out.same, 0)
    count_equal_in_eights(out.equal, out.hits, len(out.equal), SPARE)
    add_rows(rows, index, factors, ADDED, out.before, out.after)
    add_rows(rows, index, factors, 0, out.before, out.unchanged)
    out.dot[0] = gathered_dot(first, table, index, COUNT)
    lanes = local_rows(4, LANES)
    take_lanes(table, pairs, index, 2, lanes)
    for lane in range(LANES):
        lanes[3, lane] = 2 * lanes[0, lane]
        lanes[0, lane] += lanes[3, lane]
        lanes[2, lane] += 1
    put_lanes(lanes, index, 2, out.moved, out.moved_pairs)
    n = np.uint64(0)
    for k in range(len(PARTS) - 1):
        n = part_equal(whole, out.entries, out.runs, PARTS[k], PARTS[k + 1], out.kept, out.going, out.ended, n)
        out.parted[k] = n


def given() -> Any:
    """A table of numbers, one of whole numbers, one of pairs, places in them, which of them are chosen, rows, and how
    often they are added."""
    rng = np.random.default_rng(2)
    table, pairs = rng.random(50, np.float32), rng.random((50, 2), np.float32)
    whole, index = rng.integers(0, 1 << 30, 50, np.int32), rng.permutation(50)[:COUNT].astype(np.int32)
    rows, factors = rng.integers(-99, 99, (50, LENGTH), np.int16), rng.integers(-3, 4, ADDED, np.int32)
    return table, whole, pairs, index, CHOSEN, rows, factors


def equal_numbers() -> Any:
    """Three times eight numbers, some of which are equal."""
    return np.random.default_rng(4).integers(0, 5, 24, np.int32)


def results(compiled: bool) -> Any:
    """What comes out, as a record."""
    kind = np.dtype(
        [
            ("side", np.float32, 24),
            ("places", np.int32, 24),
            ("first", np.float32, 24),
            ("second", np.float32, 24),
            ("sums", np.float32, 4),
            ("table", np.float32, 50),
            ("pairs", np.float32, (50, 2)),
            ("selected", np.int32, 2 + 50 + SELECTED_AT_ONCE),
            ("same", np.int32, 50),
            ("ends", np.int64, 2),
            ("equal", np.int32, 24),
            ("hits", np.float32, 24),
            ("before", np.int32, LENGTH),
            ("after", np.int32, LENGTH),
            ("unchanged", np.int32, LENGTH),
            ("dot", np.float32, 1),
            ("moved", np.float32, 50),
            ("moved_pairs", np.float32, (50, 2)),
            ("entries", np.int32, 50 + PARTED_AT_ONCE),
            ("runs", np.int32, 50 + PARTED_AT_ONCE),
            ("kept", np.int32, 50 + PARTED_AT_ONCE),
            ("going", np.int32, 50 + PARTED_AT_ONCE),
            ("ended", np.int32, 50 + PARTED_AT_ONCE),
            ("parted", np.int64, len(PARTS) - 1),
        ]
    )
    out = np.zeros(1, kind).view(np.recarray)
    out.same, out.equal, out.hits, out.before = given()[1], equal_numbers(), -1.0, np.arange(LENGTH)
    out.entries[0, :50] = np.random.default_rng(5).permutation(50)
    out.runs = np.where(np.arange(66) % 3 == 0, 7, given()[1][out.entries])
    (move_all if compiled else plain(move_all))(*given(), out[0])
    for field, end in zip(("selected", "same"), out.ends[0], strict=True):
        out[field][0, end:] = 0  # what lies behind is not said
    going = out.parted[0, -1]
    for field, end in (("kept", going), ("going", going), ("ended", PARTS[-1] - going)):
        out[field][0, end:] = 0
    return out[0]


if __name__ == "__main__":
    print(COMPRESSES or CONFLICTS or GATHERS, results(compiled=True).tobytes().hex())
