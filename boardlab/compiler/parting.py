"""Parting a list by what the numbers of another one say, sixteen at a time: which of its runs a position goes on with.

Where the processor moves chosen numbers of a register side by side by one instruction, comparing, counting and moving
are one pass, without a branch for each number. Elsewhere, and in plain Python, it is a simple loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from boardlab.compiler.objects import inlined
from boardlab.compiler.processor import COMPRESSES
from boardlab.compiler.registers import address_of, block_at, everywhere, joined, lane_numbers, taken_from

__all__ = ["PARTED_AT_ONCE", "part_equal"]

PARTED_AT_ONCE = 16
"""So many numbers may be written behind the last one, and are read behind `end`."""
_LONG, _INT, _SHORT = ir.IntType(64), ir.IntType(32), ir.IntType(16)
_MASK = ir.VectorType(ir.IntType(1), PARTED_AT_ONCE)


@inlined
def part_equal(
    index: Any, entries: Any, runs: Any, begin: Any, end: Any, kept: Any, going: Any, ended: Any, n: Any
) -> Any:
    """For r from `begin` to `end`: where index[entries[r]] == runs[r], both are appended to the first n of `kept` and
    of `going`, else runs[r] to the first `begin` - n of `ended`. Returns what n is then. All arrays are int32 and apart
    from each other, places are uint64."""
    return _part(index, entries, runs, np.uint64(begin), np.uint64(end), kept, going, ended, np.uint64(n))


def _part(index: Any, entries: Any, runs: Any, begin: Any, end: Any, kept: Any, going: Any, ended: Any, n: Any) -> Any:
    for r in range(begin, end):
        if index[np.uint64(entries[r])] == runs[r]:
            kept[n] = entries[r]
            going[n] = runs[r]
            n += np.uint64(1)
        else:
            ended[r - n] = runs[r]
    return n


@intrinsic
def _parted(
    typing_context: Any,
    index: Any,
    entries: Any,
    runs: Any,
    begin: Any,
    end: Any,
    kept: Any,
    going: Any,
    ended: Any,
    n: Any,
) -> Any:
    block = ir.VectorType(_INT, PARTED_AT_ONCE)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        looked, places, numbers, *going, out = (
            address_of(context, builder, signature.args[i], arguments[i]) for i in (0, 1, 2, 5, 6, 7)
        )
        first, last = arguments[3], arguments[4]
        compress = builder.module.declare_intrinsic(
            "llvm.x86.avx512.mask.compress.v16i32", fnty=ir.FunctionType(block, [block, block, _MASK])
        )
        count_ones = builder.module.declare_intrinsic("llvm.ctpop", [_SHORT])
        so_far = cgutils.alloca_once_value(builder, arguments[8])
        lanes = lane_numbers(*range(PARTED_AT_ONCE))
        with cgutils.for_range_slice(builder, first, last, _LONG(PARTED_AT_ONCE), intp=_LONG) as (r, _):
            halves = [r, builder.add(r, _LONG(PARTED_AT_ONCE // 2))]
            seen = joined(builder, [taken_from(builder, looked, places, half) for half in halves])
            entry, run = (
                builder.load(block_at(builder, data, r, PARTED_AT_ONCE), align=4) for data in (places, numbers)
            )
            left = builder.trunc(builder.sub(last, r), _INT)
            there = builder.icmp_unsigned("<", lanes, everywhere(builder, left, PARTED_AT_ONCE))
            same = builder.icmp_unsigned("==", seen, run)
            other = builder.and_(builder.not_(same), there)
            same = builder.and_(same, there)
            count = builder.load(so_far)
            for data, values in zip(going, (entry, run), strict=True):
                builder.store(
                    builder.call(compress, [values, values, same]),
                    block_at(builder, data, count, PARTED_AT_ONCE),
                    align=4,
                )
            place = builder.sub(r, count)
            builder.store(
                builder.call(compress, [run, run, other]), block_at(builder, out, place, PARTED_AT_ONCE), align=4
            )
            ones = builder.zext(builder.call(count_ones, [builder.bitcast(same, _SHORT)]), _LONG)
            builder.store(builder.add(count, ones), so_far)
        return builder.load(so_far)

    return types.uint64(index, entries, runs, types.uint64, types.uint64, kept, going, ended, types.uint64), generate


@overload(_part, strict=False)
def _compiled(
    index: Any, entries: Any, runs: Any, begin: Any, end: Any, kept: Any, going: Any, ended: Any, n: Any
) -> Any:
    if not COMPRESSES:
        return _part
    return lambda index, entries, runs, begin, end, kept, going, ended, n: _parted(  # noqa: PLW0108
        index, entries, runs, begin, end, kept, going, ended, n
    )
