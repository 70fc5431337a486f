"""Numbers that lie here and there in a table, gathered side by side and put back, eight at a time.

A loop over single numbers would leave eight small stores behind, and the vector load that reads them next waits until
all have reached the cache. Here eight numbers become one register and one store. Pairs (the N and A of temporal
coherence) are moved as one number of 64 bits each. Measured on Connect Four: the update of 140 weights takes 0.7 of the
time. Where the processor is good at it, eight numbers are taken by one instruction (Othello learns 1.1 times as fast).
In plain Python the same functions are simple loops.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from boardlab.compiler.objects import inlined
from boardlab.compiler.processor import COMPRESSES, CONFLICTS
from boardlab.compiler.registers import (
    EIGHT,
    address_of,
    block_at,
    joined,
    lane_numbers,
    pairs_at,
    places_from,
    taken_from,
    taken_pairs_from,
)

__all__ = [
    "SELECTED_AT_ONCE",
    "count_equal_in_eights",
    "gather",
    "gather_pairs",
    "scatter",
    "scatter_pairs",
    "select",
]

SELECTED_AT_ONCE = 16
"""`select` may write so many numbers behind the last one that was chosen."""
_LONG, _INT = ir.IntType(64), ir.IntType(32)


@inlined
def gather(source: Any, index: Any, count: int, target: Any) -> None:
    """target[k] = source[index[k]] for the first `count` places; all arrays have one dimension, indices are int32 and
    not negative."""
    whole = count & ~7
    for k in range(0, whole, 8):
        _gather_block(source, index, k, target)
    for k in range(whole, count):
        target[k] = source[np.uint64(index[k])]


@inlined
def scatter(source: Any, index: Any, count: int, target: Any) -> None:
    """target[index[k]] = source[k], in this order."""
    whole = count & ~7
    for k in range(0, whole, 8):
        _scatter_block(source, index, k, target)
    for k in range(whole, count):
        target[np.uint64(index[k])] = source[k]


@inlined
def gather_pairs(source: Any, index: Any, count: int, first: Any, second: Any) -> None:
    """first[k], second[k] = source[index[k]]; `source` has the shape (n, 2), all numbers are float32."""
    whole = count & ~7
    for k in range(0, whole, 8):
        _gather_pair_block(source, index, k, first, second)
    for k in range(whole, count):
        first[k] = source[np.uint64(index[k]), 0]
        second[k] = source[np.uint64(index[k]), 1]


@inlined
def scatter_pairs(first: Any, second: Any, index: Any, count: int, target: Any) -> None:
    """target[index[k]] = first[k], second[k], in this order; `target` has the shape (n, 2)."""
    whole = count & ~7
    for k in range(0, whole, 8):
        _scatter_pair_block(first, second, index, k, target)
    for k in range(whole, count):
        target[np.uint64(index[k]), 0] = first[k]
        target[np.uint64(index[k]), 1] = second[k]


@inlined
def select(numbers: Any, chosen: Any, count: int, target: Any, n: Any) -> Any:
    """Append those of the first `count` numbers (int32) that are chosen (bool) to the first n of `target`, which may be
    the same array if n is 0; returns how many these are then."""
    whole = count & -SELECTED_AT_ONCE if COMPRESSES else 0
    n = _select_blocks(numbers, chosen, whole, target, np.uint64(n))
    for k in range(np.uint64(whole), np.uint64(count)):  # signed places are tested for being negative
        taken = np.uint64(chosen[k])
        target[n] = numbers[k]
        n += taken
    return n


@inlined
def count_equal_in_eights(index: Any, hits: Any, count: int, spare: int) -> None:
    """Among each eight of the first `count` indices (int32), a multiple of eight, the first of equal ones gets the hits
    of them all, the others become `spare` and get none. All hits are the same before."""
    for k in range(0, count, 8):
        _count_equal_block(index, hits, k, spare)


# ---------------------------------------------------------------- one block, in plain Python


def _gather_block(source: Any, index: Any, k: int, target: Any) -> None:
    target[k : k + EIGHT] = source[index[k : k + EIGHT]]


def _count_equal_block(index: Any, hits: Any, k: int, spare: int) -> None:
    for i in range(k, k + EIGHT):
        for later in range(i + 1, k + EIGHT):
            if index[later] == index[i] and index[i] != spare:
                hits[i] += hits[later]
                hits[later] = 0.0
                index[later] = spare


def _select_blocks(numbers: Any, chosen: Any, count: int, target: Any, n: Any) -> Any:
    found = numbers[:count][chosen[:count]]
    target[int(n) : int(n) + len(found)] = found
    return n + np.uint64(len(found))


def _scatter_block(source: Any, index: Any, k: int, target: Any) -> None:
    for i in range(k, k + EIGHT):
        target[index[i]] = source[i]


def _gather_pair_block(source: Any, index: Any, k: int, first: Any, second: Any) -> None:
    for i in range(k, k + EIGHT):
        first[i], second[i] = source[index[i]]


def _scatter_pair_block(first: Any, second: Any, index: Any, k: int, target: Any) -> None:
    for i in range(k, k + EIGHT):
        target[index[i]] = first[i], second[i]


# ---------------------------------------------------------------- and in machine code


@intrinsic
def _gather_vector(typing_context: Any, source: Any, index: Any, k: Any, target: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, places, out = (address_of(context, builder, signature.args[n], arguments[n]) for n in (0, 1, 3))
        block = taken_from(builder, table, places, arguments[2])
        builder.store(block, block_at(builder, out, arguments[2]), align=4)
        return context.get_dummy_value()

    return types.void(source, index, types.int64, target), generate


@intrinsic
def _scatter_vector(typing_context: Any, source: Any, index: Any, k: Any, target: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers, places, table = (address_of(context, builder, signature.args[n], arguments[n]) for n in (0, 1, 3))
        block = builder.load(block_at(builder, numbers, arguments[2]), align=4)
        for lane, place in enumerate(places_from(builder, places, arguments[2])):
            builder.store(builder.extract_element(block, _INT(lane)), builder.gep(table, [place]))
        return context.get_dummy_value()

    return types.void(source, index, types.int64, target), generate


@intrinsic
def _gather_pair_vectors(typing_context: Any, source: Any, index: Any, k: Any, first: Any, second: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, places, firsts, seconds = (
            address_of(context, builder, signature.args[n], arguments[n]) for n in (0, 1, 3, 4)
        )
        parts = taken_pairs_from(builder, table, places, arguments[2])
        pairs = joined(builder, parts)
        nothing = ir.Constant(pairs.type, ir.Undefined)
        for offset, out in enumerate((firsts, seconds)):
            chosen = builder.shuffle_vector(pairs, nothing, lane_numbers(*range(offset, 2 * EIGHT, 2)))
            builder.store(chosen, block_at(builder, out, arguments[2]), align=4)
        return context.get_dummy_value()

    return types.void(source, index, types.int64, first, second), generate


@intrinsic
def _scatter_pair_vectors(typing_context: Any, first: Any, second: Any, index: Any, k: Any, target: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        firsts, seconds, places, table = (
            address_of(context, builder, signature.args[n], arguments[n]) for n in (0, 1, 2, 4)
        )
        table = pairs_at(builder, table)
        firsts, seconds = (builder.load(block_at(builder, data, arguments[3]), align=4) for data in (firsts, seconds))
        for lane, place in enumerate(places_from(builder, places, arguments[3])):
            pair = builder.shuffle_vector(firsts, seconds, lane_numbers(lane, EIGHT + lane))
            builder.store(pair, builder.gep(table, [place]), align=4)
        return context.get_dummy_value()

    return types.void(first, second, index, types.int64, target), generate


@intrinsic
def _equal_counted(typing_context: Any, index: Any, hits: Any, k: Any, spare: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        places, counts = (address_of(context, builder, signature.args[n], arguments[n]) for n in (0, 1))
        where, counted = block_at(builder, places, arguments[2]), block_at(builder, counts, arguments[2])
        numbers, hit = builder.load(where, align=4), builder.load(counted, align=4)
        again = builder.icmp_unsigned("!=", _equal_before(builder, numbers), lane_numbers(*[0] * EIGHT))
        later = _turned(builder, _equal_before(builder, _turned(builder, numbers)))
        sums = builder.fmul(hit, builder.uitofp(builder.add(later, lane_numbers(*[1] * EIGHT)), hit.type))
        builder.store(builder.select(again, ir.Constant(hit.type, [0.0] * EIGHT), sums), counted, align=4)
        spares = builder.insert_element(numbers, builder.trunc(arguments[3], _INT), _INT(0))
        spares = builder.shuffle_vector(spares, spares, lane_numbers(*[0] * EIGHT))
        builder.store(builder.select(again, spares, numbers), where, align=4)
        return context.get_dummy_value()

    return types.void(index, hits, types.int64, types.int64), generate


def _turned(builder: Any, numbers: Any) -> Any:
    """The numbers of a register in the opposite order."""
    return builder.shuffle_vector(numbers, numbers, lane_numbers(*reversed(range(EIGHT))))


def _equal_before(builder: Any, numbers: Any) -> Any:
    """How many numbers before each one of a register are equal to it."""
    if CONFLICTS:
        function = ir.FunctionType(numbers.type, [numbers.type])
        for call in ("llvm.x86.avx512.conflict.d.256", f"llvm.ctpop.v{EIGHT}i32"):
            numbers = builder.call(builder.module.declare_intrinsic(call, fnty=function), [numbers])
        return numbers
    found = lane_numbers(*[0] * EIGHT)
    for apart in range(1, EIGHT):
        others = builder.shuffle_vector(
            numbers, numbers, lane_numbers(*(max(0, lane - apart) for lane in range(EIGHT)))
        )
        same = builder.zext(builder.icmp_unsigned("==", numbers, others), numbers.type)
        found = builder.add(found, builder.and_(same, lane_numbers(*(int(lane >= apart) for lane in range(EIGHT)))))
    return found


@intrinsic
def _selected_blocks(typing_context: Any, numbers: Any, chosen: Any, count: Any, target: Any, n: Any) -> Any:
    """Each block is read before anything is written over it. Written as a whole: what nobody chose lies behind."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, flags, out = (address_of(context, builder, signature.args[i], arguments[i]) for i in (0, 1, 3))
        place = cgutils.alloca_once_value(builder, arguments[4])
        block, mask = (ir.VectorType(ir.IntType(bits), SELECTED_AT_ONCE) for bits in (32, 1))
        compress = builder.module.declare_intrinsic(
            "llvm.x86.avx512.mask.compress.v16i32", fnty=ir.FunctionType(block, [block, block, mask])
        )
        count_ones = builder.module.declare_intrinsic("llvm.ctpop", [ir.IntType(16)])
        with cgutils.for_range(builder, builder.udiv(arguments[2], _LONG(SELECTED_AT_ONCE))) as blocks:
            k = builder.mul(blocks.index, _LONG(SELECTED_AT_ONCE))
            some = builder.bitcast(builder.gep(flags, [k]), ir.VectorType(ir.IntType(8), SELECTED_AT_ONCE).as_pointer())
            taken = builder.trunc(builder.load(some, align=1), mask)
            values = builder.load(builder.bitcast(builder.gep(source, [k]), block.as_pointer()), align=4)
            n = builder.load(place)
            first = builder.bitcast(builder.gep(out, [n]), block.as_pointer())
            builder.store(builder.call(compress, [values, values, taken]), first, align=4)
            ones = builder.call(count_ones, [builder.bitcast(taken, ir.IntType(16))])
            builder.store(builder.add(n, builder.zext(ones, _LONG)), place)
        return builder.load(place)

    return types.uint64(numbers, chosen, types.int64, target, types.uint64), generate


@overload(_select_blocks, strict=False)
def _compiled_select(numbers: Any, chosen: Any, count: Any, target: Any, n: Any) -> Any:
    if not COMPRESSES:  # there are no blocks
        return lambda numbers, chosen, count, target, n: n
    return lambda numbers, chosen, count, target, n: _selected_blocks(numbers, chosen, count, target, n)  # noqa: PLW0108


@overload(_count_equal_block, strict=False)
def _compiled_count_equal(index: Any, hits: Any, k: Any, spare: Any) -> Any:
    return lambda index, hits, k, spare: _equal_counted(index, hits, k, spare)  # noqa: PLW0108


@overload(_gather_block, strict=False)
def _compiled_gather(source: Any, index: Any, k: Any, target: Any) -> Any:
    return lambda source, index, k, target: _gather_vector(source, index, k, target)  # noqa: PLW0108


@overload(_scatter_block, strict=False)
def _compiled_scatter(source: Any, index: Any, k: Any, target: Any) -> Any:
    return lambda source, index, k, target: _scatter_vector(source, index, k, target)  # noqa: PLW0108


@overload(_gather_pair_block, strict=False)
def _compiled_gather_pairs(source: Any, index: Any, k: Any, first: Any, second: Any) -> Any:
    return lambda source, index, k, first, second: _gather_pair_vectors(source, index, k, first, second)  # noqa: PLW0108


@overload(_scatter_pair_block, strict=False)
def _compiled_scatter_pairs(first: Any, second: Any, index: Any, k: Any, target: Any) -> Any:
    return lambda first, second, index, k, target: _scatter_pair_vectors(first, second, index, k, target)  # noqa: PLW0108
