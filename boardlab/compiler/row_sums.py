"""Sums of rows of a table, each taken several times, in vector registers.

A loop of Python over rows would load and store the sums for every few of them; here they stay in registers until all
rows are added (Othello: indices of afterstates are stepped in half the time). In plain Python the same function is a
simple loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

from boardlab.compiler.objects import inlined
from boardlab.compiler.registers import block_at, everywhere

__all__ = ["add_rows"]

_WIDE, _NARROW = 128, 16
"""So many numbers at a time: as many as fill some registers, then those of one."""
_LONG, _INT = ir.IntType(64), ir.IntType(32)


@inlined
def add_rows(rows: Any, places: Any, factors: Any, n: int, source: Any, out: Any) -> None:
    """out[k] = source[k] + the sum of factors[j] * rows[places[j], k] over the first n places. `rows` (R, K) is int16
    or int32, and has room for the sum, too; the others are int32, `source` and `out` (K,)."""
    wide = len(out) // _WIDE * _WIDE
    narrow = len(out) // _NARROW * _NARROW
    _add_wide(rows, places, factors, n, source, out, 0, wide)
    _add_narrow(rows, places, factors, n, source, out, wide, narrow)
    for k in range(np.uint64(narrow), np.uint64(len(out))):
        total = source[k]
        for j in range(n):
            total += factors[j] * rows[np.uint64(places[j]), k]
        out[k] = total


def _add_wide(rows: Any, places: Any, factors: Any, n: int, source: Any, out: Any, begin: int, end: int) -> None:
    """The numbers from `begin` to `end`, which are whole blocks."""
    out[begin:end] = source[begin:end] + factors[:n] @ rows[places[:n], begin:end].astype(np.int32)


def _add_narrow(rows: Any, places: Any, factors: Any, n: int, source: Any, out: Any, begin: int, end: int) -> None:
    _add_wide(rows, places, factors, n, source, out, begin, end)


def _adding(width: int) -> Any:
    """The same in machine code, for blocks of so many numbers."""

    @intrinsic
    def add_blocks(
        typing_context: Any, rows: Any, places: Any, factors: Any, n: Any, source: Any, out: Any, begin: Any, end: Any
    ) -> Any:
        if rows.layout != "C":
            raise TypingError("rows are read one number after the other, so their array has to be in this order")

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            arrays = [make_array(signature.args[i])(context, builder, arguments[i]) for i in (0, 1, 2, 4, 5)]
            table, at, times, old, new = (array.data for array in arrays)
            length = cgutils.unpack_tuple(builder, arrays[0].shape)[1]
            block = ir.VectorType(table.type.pointee, width)
            indices = ir.VectorType(_INT, width)
            sums = cgutils.alloca_once(builder, block)
            with cgutils.for_range_slice(builder, arguments[6], arguments[7], _LONG(width), intp=_LONG) as (first, _):
                builder.store(ir.Constant(block, [0] * width), sums)
                with cgutils.for_range(builder, arguments[3]) as rows_added:
                    place = builder.zext(builder.load(builder.gep(at, [rows_added.index])), _LONG)
                    begin_of_row = builder.add(builder.mul(place, length), first)
                    row = builder.load(block_at(builder, table, begin_of_row, width), align=1)
                    factor = builder.load(builder.gep(times, [rows_added.index]))
                    if block.element.width < _INT.width:
                        factor = builder.trunc(factor, block.element)
                    added = builder.mul(row, everywhere(builder, factor, width))
                    builder.store(builder.add(builder.load(sums), added), sums)
                total = builder.load(sums)
                if block.element.width < _INT.width:
                    total = builder.sext(total, indices)
                total = builder.add(total, builder.load(block_at(builder, old, first, width), align=4))
                builder.store(total, block_at(builder, new, first, width), align=4)
            return context.get_dummy_value()

        return types.void(rows, places, factors, types.int64, source, out, types.int64, types.int64), generate

    return add_blocks


_wide, _narrow = _adding(_WIDE), _adding(_NARROW)


@overload(_add_wide, strict=False)
def _compiled_wide(rows: Any, places: Any, factors: Any, n: Any, source: Any, out: Any, begin: Any, end: Any) -> Any:
    return lambda rows, places, factors, n, source, out, begin, end: _wide(  # noqa: PLW0108
        rows, places, factors, n, source, out, begin, end
    )


@overload(_add_narrow, strict=False)
def _compiled_narrow(rows: Any, places: Any, factors: Any, n: Any, source: Any, out: Any, begin: Any, end: Any) -> Any:
    return lambda rows, places, factors, n, source, out, begin, end: _narrow(  # noqa: PLW0108
        rows, places, factors, n, source, out, begin, end
    )
