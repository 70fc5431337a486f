"""Sums over cells of a small board that lies in one vector register, from where one instruction takes 64 cells at once.

An index of an n-tuple is a sum of cell values, each times a weight. Here such sums are made from scratch, 32 at a time:
cells are taken in twos, each two are weighed and added by one instruction, and so are these sums (Othello: the 400
indices of a board in a fifth of the time that stepping from another board takes).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

from boardlab.compiler.objects import inlined
from boardlab.compiler.registers import address_of, block_at, lane_numbers

__all__ = ["MOST_TWOS", "PERMUTED_AT_ONCE", "PERMUTED_CELLS", "differing_cells", "permuted_sums"]

PERMUTED_CELLS = 64
"""Bytes of a register."""
PERMUTED_AT_ONCE = 32
"""So many sums are made at a time."""
MOST_TWOS = 4
"""Twos of cells a sum."""
_ALL = np.uint64((1 << PERMUTED_CELLS) - 1)
_LONG, _INT = ir.IntType(64), ir.IntType(32)
_BYTES, _SHORTS = ir.VectorType(ir.IntType(8), PERMUTED_CELLS), ir.VectorType(ir.IntType(16), PERMUTED_AT_ONCE)


def permuted_sums(cells: Any, taken: Any, weights: Any, factors: Any, base: Any, out: Any) -> None:
    """out[k] = base[k] + the weighted sum of some cells. `cells` int8, not negative, and so placed that 64 bytes can be
    read; `base`, `out` (K,) int32, at least 32. The sums are made in B blocks of 32, the last of which may overlap with
    the one before, over twos of cells: `taken` (B, twos, 64) uint8 has the cells of each two side by side, `weights`
    int8 of the same shape what they count in the sum of the two, `factors` (B, twos, 32) int16 what this sum counts.
    Weighted sums are below 65,536, those of twos below 32,768."""
    for block in range(len(taken)):
        first = min(PERMUTED_AT_ONCE * block, len(out) - PERMUTED_AT_ONCE)
        weighed = cells[taken[block]].astype(np.int64) * weights[block]
        sums = ((weighed[:, ::2] + weighed[:, 1::2]) * factors[block].view(np.uint16)).sum(axis=0)
        out[first : first + PERMUTED_AT_ONCE] = base[first : first + PERMUTED_AT_ONCE] + sums


@inlined
def differing_cells(cells: Any, others: Any, count: int) -> Any:
    """The cells, of the first `count` of two such boards, in which they differ: a bit for each."""
    return _differing_bytes(cells, others) & (_ALL >> np.uint64(PERMUTED_CELLS - count))


def _differing_bytes(cells: Any, others: Any) -> Any:
    bits = np.packbits(cells != others, bitorder="little")
    return np.pad(bits, (0, PERMUTED_CELLS // 8 - len(bits))).view(np.uint64)[0]


@intrinsic
def _permuted(typing_context: Any, cells: Any, taken: Any, weights: Any, factors: Any, base: Any, out: Any) -> Any:
    """How many twos there are is seldom asked: the code for each number is written out."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        arrays = [
            make_array(kind)(context, builder, value) for kind, value in zip(signature.args, arguments, strict=True)
        ]
        cells, *tables, begun, sums = (array.data for array in arrays)
        blocks, twos, _ = cgutils.unpack_tuple(builder, arrays[1].shape)
        last = builder.sub(cgutils.unpack_tuple(builder, arrays[5].shape)[0], _LONG(PERMUTED_AT_ONCE))
        board = _loaded(builder, cells, _LONG(0), PERMUTED_CELLS)
        for number in range(1, MOST_TWOS + 1):
            with (
                builder.if_then(builder.icmp_unsigned("==", twos, _LONG(number))),
                cgutils.for_range(builder, blocks) as block,
            ):
                first = builder.mul(block.index, _LONG(PERMUTED_AT_ONCE))
                first = builder.select(builder.icmp_signed("<", first, last), first, last)
                total = _sum_of_twos(builder, board, tables, builder.mul(block.index, _LONG(number)), number)
                _write_sums(builder, total, begun, sums, first)
        return context.get_dummy_value()

    return types.void(cells, taken, weights, factors, base, out), generate


def _sum_of_twos(builder: Any, board: Any, tables: list[Any], first: Any, count: int) -> Any:
    """The weighted sums of so many twos from the given one on."""
    places, weights, factors = tables
    permute, add_twos = (
        builder.module.declare_intrinsic(f"llvm.x86.avx512.{name}.512", fnty=ir.FunctionType(kind, [_BYTES, _BYTES]))
        for name, kind in (("permvar.qi", _BYTES), ("pmaddubs.w", _SHORTS))
    )
    total = ir.Constant(_SHORTS, [0] * PERMUTED_AT_ONCE)
    for two in range(count):
        number = builder.add(first, _LONG(two))
        of_cells, of_sums = (builder.mul(number, _LONG(size)) for size in (PERMUTED_CELLS, PERMUTED_AT_ONCE))
        chosen = builder.call(permute, [board, _loaded(builder, places, of_cells, PERMUTED_CELLS)])
        pairs = builder.call(add_twos, [chosen, _loaded(builder, weights, of_cells, PERMUTED_CELLS)])
        total = builder.add(total, builder.mul(pairs, _loaded(builder, factors, of_sums, PERMUTED_AT_ONCE)))
    return total


def _write_sums(builder: Any, total: Any, begun: Any, sums: Any, first: Any) -> None:
    """They are added to what they begin with, as wide numbers."""
    half = ir.VectorType(_INT, PERMUTED_AT_ONCE // 2)
    for lane in (0, half.count):
        lanes = lane_numbers(*range(lane, lane + half.count))
        wide = builder.zext(builder.shuffle_vector(total, total, lanes), half)
        place = builder.add(first, _LONG(lane))
        wide = builder.add(wide, _loaded(builder, begun, place, half.count))
        builder.store(wide, block_at(builder, sums, place, half.count), align=4)


def _loaded(builder: Any, data: Any, k: Any, count: int) -> Any:
    """So many numbers, from number k on."""
    return builder.load(block_at(builder, data, k, count), align=1)


@intrinsic
def _differing(typing_context: Any, cells: Any, others: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        boards = (address_of(context, builder, signature.args[n], arguments[n]) for n in range(2))
        one, other = (_loaded(builder, board, _LONG(0), PERMUTED_CELLS) for board in boards)
        return builder.bitcast(builder.icmp_unsigned("!=", one, other), _LONG)

    return types.uint64(cells, others), generate


@overload(permuted_sums, strict=False)
def _compiled(cells: Any, taken: Any, weights: Any, factors: Any, base: Any, out: Any) -> Any:
    return lambda cells, taken, weights, factors, base, out: _permuted(  # noqa: PLW0108
        cells, taken, weights, factors, base, out
    )


@overload(_differing_bytes, strict=False)
def _compiled_differing(cells: Any, others: Any) -> Any:
    return lambda cells, others: _differing(cells, others)  # noqa: PLW0108
