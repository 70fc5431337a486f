"""Sixteen weights at a time, each with a pair of numbers of its own (the N and A of temporal coherence): out of their
tables into three rows, and back.

The rows are local ones (`boardlab.compiler.local`) and are written and read as a whole, so that nothing waits for
numbers that were written one by one. In plain Python the same functions are simple loops.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

from boardlab.compiler.registers import (
    address_of,
    block_at,
    joined,
    lane_numbers,
    pairs_at,
    places_from,
    taken_from,
    taken_pairs_from,
)

__all__ = ["LANES", "put_lanes", "take_lanes"]

LANES = 16
_LONG, _INT = ir.IntType(64), ir.IntType(32)


def take_lanes(weights: Any, pairs: Any, index: Any, k: int, rows: Any) -> None:
    """rows[0, i] = weights[index[k + i]] and rows[1, i], rows[2, i] = pairs[index[k + i]]. `weights` (n,), `pairs`
    (n, 2) and `rows`, three or more of 16 numbers or more, are float32; `index` is int32 and not negative."""
    places = index[k : k + LANES]
    rows[0, :LANES] = weights[places]
    rows[1, :LANES], rows[2, :LANES] = pairs[places].T


def put_lanes(rows: Any, index: Any, k: int, weights: Any, pairs: Any) -> None:
    """They go back, in this order."""
    for i in range(LANES):
        weights[index[k + i]] = rows[0, i]
        pairs[index[k + i]] = rows[1, i], rows[2, i]


# ---------------------------------------------------------------- and in machine code


def _rows_at(context: Any, builder: Any, kind: Any, rows: Any) -> list[Any]:
    """The addresses of the lanes of the first three rows."""
    array = make_array(kind)(context, builder, rows)
    length = cgutils.unpack_tuple(builder, array.shape)[1]
    return [block_at(builder, array.data, builder.mul(length, _LONG(row)), LANES) for row in range(3)]


@intrinsic
def _take(typing_context: Any, weights: Any, pairs: Any, index: Any, k: Any, rows: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, doubles, places = (address_of(context, builder, signature.args[n], arguments[n]) for n in range(3))
        halves = [arguments[3], builder.add(arguments[3], _LONG(LANES // 2))]
        first, second, third = _rows_at(context, builder, signature.args[4], arguments[4])
        single = joined(builder, [taken_from(builder, table, places, half) for half in halves])
        builder.store(single, first, align=4)
        both = [joined(builder, taken_pairs_from(builder, doubles, places, half)) for half in halves]
        for offset, row in enumerate((second, third)):
            builder.store(builder.shuffle_vector(*both, lane_numbers(*range(offset, 2 * LANES, 2))), row, align=4)
        return context.get_dummy_value()

    return types.void(weights, pairs, index, types.int64, rows), generate


@intrinsic
def _put(typing_context: Any, rows: Any, index: Any, k: Any, weights: Any, pairs: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        single, *both = (
            builder.load(row, align=4) for row in _rows_at(context, builder, signature.args[0], arguments[0])
        )
        places, table, doubles = (address_of(context, builder, signature.args[n], arguments[n]) for n in (1, 3, 4))
        doubles = pairs_at(builder, doubles)
        for lane, place in enumerate(places_from(builder, places, arguments[2], LANES)):
            builder.store(builder.extract_element(single, _INT(lane)), builder.gep(table, [place]))
            pair = builder.shuffle_vector(*both, lane_numbers(lane, LANES + lane))
            builder.store(pair, builder.gep(doubles, [place]), align=4)
        return context.get_dummy_value()

    return types.void(rows, index, types.int64, weights, pairs), generate


@overload(take_lanes, strict=False)
def _compiled_take(weights: Any, pairs: Any, index: Any, k: Any, rows: Any) -> Any:
    return lambda weights, pairs, index, k, rows: _take(weights, pairs, index, k, rows)  # noqa: PLW0108


@overload(put_lanes, strict=False)
def _compiled_put(rows: Any, index: Any, k: Any, weights: Any, pairs: Any) -> Any:
    return lambda rows, index, k, weights, pairs: _put(rows, index, k, weights, pairs)  # noqa: PLW0108
