"""All that `boardlab.compiler.vectors` does, in one kernel. As a program it tells what comes out, so that machine code
for another processor can be compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.compiler import kernel, plain
from boardlab.compiler.processor import COMPRESSES, GATHERS
from boardlab.compiler.vectors import (
    SELECTED_AT_ONCE,
    difference,
    dot,
    gather,
    gather_pairs,
    gathered_total,
    scatter,
    scatter_pairs,
    select,
    total,
)

COUNT = 21
"""Two whole blocks and a rest."""
CHOSEN = np.random.default_rng(3).random(50) < 0.6


@kernel
def move_all(table: Any, whole: Any, pairs: Any, index: Any, chosen: Any, out: Any) -> None:
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


def given() -> Any:
    """A table of numbers, one of whole numbers, one of pairs, places in them, and which of them are chosen."""
    rng = np.random.default_rng(2)
    table, pairs = rng.random(50, np.float32), rng.random((50, 2), np.float32)
    return table, rng.integers(0, 1 << 30, 50, np.int32), pairs, rng.permutation(50)[:COUNT].astype(np.int32), CHOSEN


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
        ]
    )
    out = np.zeros(1, kind).view(np.recarray)
    out.same = given()[1]
    (move_all if compiled else plain(move_all))(*given(), out[0])
    for field, end in zip(("selected", "same"), out.ends[0], strict=True):
        out[field][0, end:] = 0  # what lies behind is not said
    return out[0]


if __name__ == "__main__":
    print(COMPRESSES or GATHERS, results(compiled=True).tobytes().hex())
