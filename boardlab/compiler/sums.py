"""Sums of numbers, of products and of what is looked up in a table. Which numbers go to which partial sum is part of
the result, to the bit. In plain Python the same functions are simple loops.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from boardlab.compiler.objects import inlined
from boardlab.compiler.processor import GATHERS
from boardlab.compiler.registers import EIGHT, address_of, block_at, places_from, taken_from

__all__ = ["difference", "dot", "gathered_dot", "gathered_total", "total"]

_ONE, _TWO, _THREE, _FOUR = (np.uint64(n) for n in (1, 2, 3, 4))  # signed places are tested for being negative
_LONG, _INT = ir.IntType(64), ir.IntType(32)


@inlined
def total(numbers: Any, count: int) -> Any:
    """The sum of the first `count` numbers, in four partial sums, so that additions overlap."""
    zero = np.float32(0.0)
    a, b, c, d = zero, zero, zero, zero
    fours = np.uint64(count) // _FOUR
    for four in range(fours):
        k = np.uint64(four) * _FOUR
        a += numbers[k]
        b += numbers[k + _ONE]
        c += numbers[k + _TWO]
        d += numbers[k + _THREE]
    for rest in range(fours * _FOUR, np.uint64(count)):
        a += numbers[rest]
    return (a + b) + (c + d)


@inlined
def gathered_total(source: Any, index: Any, count: int) -> Any:
    """The sum of source[index[k]] over the first `count` places, in eight partial sums."""
    whole = count & ~7
    a, b, c, d, e, f, g, h = _block_sums(source, index, whole)
    for k in range(whole, count):
        a += source[np.uint64(index[k])]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@inlined
def dot(factors: Any, numbers: Any, count: int) -> Any:
    """The sum of the first `count` products."""
    zero = np.float32(0.0)
    a, b, c, d = zero, zero, zero, zero
    fours = np.uint64(count) // _FOUR
    for four in range(fours):
        k = np.uint64(four) * _FOUR
        a += factors[k] * numbers[k]
        b += factors[k + _ONE] * numbers[k + _ONE]
        c += factors[k + _TWO] * numbers[k + _TWO]
        d += factors[k + _THREE] * numbers[k + _THREE]
    for rest in range(fours * _FOUR, np.uint64(count)):
        a += factors[rest] * numbers[rest]
    return (a + b) + (c + d)


@inlined
def gathered_dot(factors: Any, source: Any, index: Any, count: int) -> Any:
    """The same of factors[k] * source[index[k]], to the bit."""
    whole = count & ~3
    a, b, c, d = _fours_of_products(factors, source, index, whole)
    for k in range(whole, count):
        a += factors[k] * source[np.uint64(index[k])]
    return (a + b) + (c + d)


@inlined
def difference(source: Any, index: Any, numbers: Any, count: int) -> Any:
    """The sum of source[index[k]] - numbers[k] over the first `count` places."""
    zero = np.float32(0.0)
    a, b, c, d = zero, zero, zero, zero
    fours = np.uint64(count) // _FOUR
    for four in range(fours):
        k = np.uint64(four) * _FOUR
        a += source[np.uint64(index[k])] - numbers[k]
        b += source[np.uint64(index[k + _ONE])] - numbers[k + _ONE]
        c += source[np.uint64(index[k + _TWO])] - numbers[k + _TWO]
        d += source[np.uint64(index[k + _THREE])] - numbers[k + _THREE]
    for rest in range(fours * _FOUR, np.uint64(count)):
        a += source[np.uint64(index[rest])] - numbers[rest]
    return (a + b) + (c + d)


# ---------------------------------------------------------------- blocks, in plain Python


def _block_sums(source: Any, index: Any, count: int) -> tuple[Any, ...]:
    """The sums of the first numbers of all blocks, of the second ones, and so on."""
    sums = np.zeros(EIGHT, np.float32)
    for k in range(0, count, EIGHT):
        sums += source[index[k : k + EIGHT]]
    return tuple(sums)


def _fours_of_products(factors: Any, source: Any, index: Any, count: int) -> tuple[Any, ...]:
    """The sums of the first products of all fours, of the second ones, and so on."""
    sums = np.zeros(4, np.float32)
    for k in range(0, count, 4):
        sums += factors[k : k + 4] * source[index[k : k + 4]]
    return tuple(sums)


# ---------------------------------------------------------------- and in machine code


@intrinsic
def _summed_blocks(typing_context: Any, source: Any, index: Any, count: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, places = (address_of(context, builder, signature.args[n], arguments[n]) for n in (0, 1))
        nothing = ir.Constant(ir.VectorType(ir.FloatType(), EIGHT), [0.0] * EIGHT) if GATHERS else ir.FloatType()(0.0)
        sums = [cgutils.alloca_once_value(builder, nothing) for _ in range(1 if GATHERS else EIGHT)]
        with cgutils.for_range(builder, builder.lshr(arguments[2], _LONG(3))) as blocks:
            k = builder.shl(blocks.index, _LONG(3))
            if GATHERS:
                taken = [taken_from(builder, table, places, k)]
            else:
                taken = [builder.load(builder.gep(table, [place])) for place in places_from(builder, places, k)]
            for lane, number in zip(sums, taken, strict=True):
                builder.store(builder.fadd(builder.load(lane), number), lane)
        lanes = [builder.load(lane) for lane in sums]
        if GATHERS:
            lanes = [builder.extract_element(lanes[0], _INT(lane)) for lane in range(EIGHT)]
        return context.make_tuple(builder, signature.return_type, lanes)

    return types.containers.UniTuple(types.float32, EIGHT)(source, index, types.int64), generate


@intrinsic
def _summed_products(typing_context: Any, factors: Any, source: Any, index: Any, count: Any) -> Any:
    fours = ir.VectorType(ir.FloatType(), 4)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        by, table, places = (address_of(context, builder, signature.args[n], arguments[n]) for n in range(3))
        sums = cgutils.alloca_once_value(builder, ir.Constant(fours, [0.0] * 4))
        with cgutils.for_range(builder, builder.lshr(arguments[3], _LONG(2))) as blocks:
            k = builder.shl(blocks.index, _LONG(2))
            taken = ir.Constant(fours, ir.Undefined)
            for lane, place in enumerate(places_from(builder, places, k, 4)):
                taken = builder.insert_element(taken, builder.load(builder.gep(table, [place])), _INT(lane))
            products = builder.fmul(builder.load(block_at(builder, by, k, 4), align=4), taken)
            builder.store(builder.fadd(builder.load(sums), products), sums)
        lanes = [builder.extract_element(builder.load(sums), _INT(lane)) for lane in range(4)]
        return context.make_tuple(builder, signature.return_type, lanes)

    return types.containers.UniTuple(types.float32, 4)(factors, source, index, types.int64), generate


@overload(_block_sums, strict=False)
def _compiled_block_sums(source: Any, index: Any, count: Any) -> Any:
    return lambda source, index, count: _summed_blocks(source, index, count)  # noqa: PLW0108


@overload(_fours_of_products, strict=False)
def _compiled_products(factors: Any, source: Any, index: Any, count: Any) -> Any:
    return lambda factors, source, index, count: _summed_products(factors, source, index, count)  # noqa: PLW0108
