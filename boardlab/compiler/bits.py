"""Bit operations that the processor does in one instruction, usable in compiled and in plain Python code."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

__all__ = ["lowest_bit", "popcount", "prefetch_row"]


def popcount(x: int) -> int:
    """How many bits of `x` are set (64 bits)."""
    return (int(x) & 0xFFFFFFFFFFFFFFFF).bit_count()


def lowest_bit(x: int) -> int:
    """Index of the lowest bit set in `x`, which must not be 0."""
    return (int(x) & -int(x)).bit_length() - 1


@intrinsic
def _ctpop(typing_context: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def _cttz(typing_context: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), generate


def prefetch_row(array: Any, i: int) -> None:
    """Tell the processor that row i of the array will be needed soon. Does nothing in plain Python."""


@intrinsic
def _prefetch(typing_context: Any, array: Any, i: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = make_array(signature.args[0])(context, builder, arguments[0])
        if array.ndim == 1 and array.layout == "C":
            address = builder.bitcast(builder.gep(view.data, [arguments[1]]), ir.IntType(8).as_pointer())
        else:
            stride = builder.extract_value(view.strides, 0)
            start = builder.ptrtoint(view.data, ir.IntType(64))
            place = builder.add(start, builder.mul(arguments[1], stride))
            address = builder.inttoptr(place, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@overload(prefetch_row, strict=False)
def _prefetch_row(array: Any, i: Any) -> Any:
    return lambda array, i: _prefetch(array, numba.int64(i))


@overload(popcount, strict=False)
def _popcount(x: Any) -> Any:
    return lambda x: _ctpop(numba.uint64(x))


@overload(lowest_bit, strict=False)
def _lowest_bit(x: Any) -> Any:
    return lambda x: _cttz(numba.uint64(x))
