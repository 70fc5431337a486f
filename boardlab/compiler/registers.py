"""Pieces of machine code that work on vector registers, for the modules beside this one: how numbers come into them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba.np.arrayobj import make_array

from boardlab.compiler.processor import GATHERS

__all__ = [
    "EIGHT",
    "address_of",
    "block_at",
    "everywhere",
    "joined",
    "lane_numbers",
    "pairs_at",
    "places_from",
    "taken_from",
    "taken_pairs_from",
]

EIGHT = 8
_LONG, _INT = ir.IntType(64), ir.IntType(32)


def address_of(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    """The address of the first number of an array."""
    return make_array(array_type)(context, builder, array).data


def places_from(builder: Any, index: Any, k: Any, lanes: int = EIGHT) -> Iterator[Any]:
    """The indices of a block, as 64-bit numbers, each loaded when it is asked for: all at once leave no register
    for the table's address (Othello: 1.02 times as fast)."""
    first = builder.gep(index, [k])
    return (builder.zext(builder.load(builder.gep(first, [_LONG(lane)])), _LONG) for lane in range(lanes))


def block_at(builder: Any, data: Any, k: Any, lanes: int = EIGHT) -> Any:
    """The address of the block that begins at number k."""
    block = ir.VectorType(data.type.pointee, lanes)
    return builder.bitcast(builder.gep(data, [k]), block.as_pointer())


def pairs_at(builder: Any, data: Any) -> Any:
    """The address of numbers, as that of pairs."""
    return builder.bitcast(data, ir.VectorType(data.type.pointee, 2).as_pointer())


def lane_numbers(*numbers: int) -> Any:
    """A register of constants, or the lanes that a shuffle takes."""
    return ir.Constant(ir.VectorType(_INT, len(numbers)), [_INT(n) for n in numbers])


def everywhere(builder: Any, number: Any, lanes: int) -> Any:
    """A register of nothing but this number."""
    one = builder.insert_element(ir.Constant(ir.VectorType(number.type, lanes), ir.Undefined), number, _INT(0))
    return builder.shuffle_vector(one, one, lane_numbers(*[0] * lanes))


def joined(builder: Any, parts: list[Any]) -> Any:
    """Registers, one behind the other, as one."""
    while len(parts) > 1:
        lanes = lane_numbers(*range(2 * parts[0].type.count))
        parts = [builder.shuffle_vector(parts[n], parts[n + 1], lanes) for n in range(0, len(parts), 2)]
    return parts[0]


def taken_from(builder: Any, table: Any, places: Any, k: Any) -> Any:
    """A register with the eight numbers, of 32 bits, whose places are noted from number k on."""
    if GATHERS:
        numbers = ir.VectorType(ir.FloatType(), EIGHT)
        block = _taken_at_once(builder, "llvm.x86.avx2.gather.d.ps.256", numbers, table, builder.gep(places, [k]))
        return builder.bitcast(block, ir.VectorType(table.type.pointee, EIGHT))
    block = ir.Constant(ir.VectorType(table.type.pointee, EIGHT), ir.Undefined)
    for lane, place in enumerate(places_from(builder, places, k)):
        block = builder.insert_element(block, builder.load(builder.gep(table, [place])), _INT(lane))
    return block


def taken_pairs_from(builder: Any, table: Any, places: Any, k: Any) -> list[Any]:
    """Registers with the eight pairs whose places are noted from number k on, one pair behind the other."""
    if GATHERS:
        pairs, both = ir.VectorType(ir.DoubleType(), EIGHT // 2), ir.VectorType(table.type.pointee, EIGHT)
        halves = [builder.gep(builder.gep(places, [k]), [_LONG(first)]) for first in (0, EIGHT // 2)]
        call = "llvm.x86.avx2.gather.d.pd.256"
        return [builder.bitcast(_taken_at_once(builder, call, pairs, table, half), both) for half in halves]
    table = pairs_at(builder, table)
    return [builder.load(builder.gep(table, [place]), align=4) for place in places_from(builder, places, k)]


def _taken_at_once(builder: Any, call: str, kind: Any, table: Any, places: Any) -> Any:
    """The numbers at some places by one instruction, as a register of this kind."""
    index, byte = ir.VectorType(_INT, kind.count), ir.IntType(8)
    size = 4 if isinstance(kind.element, ir.FloatType) else 8
    function = builder.module.declare_intrinsic(
        call, fnty=ir.FunctionType(kind, [kind, byte.as_pointer(), index, kind, byte])
    )
    all_of_them = builder.bitcast(ir.Constant(ir.VectorType(ir.IntType(8 * size), kind.count), [-1] * kind.count), kind)
    nothing = ir.Constant(kind, [0.0] * kind.count)
    first = builder.load(builder.bitcast(places, index.as_pointer()), align=4)
    where = builder.bitcast(table, byte.as_pointer())
    return builder.call(function, [nothing, where, first, all_of_them, byte(size)])
