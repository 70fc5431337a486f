"""Bit operations that the processor does in one instruction, usable in compiled and in plain Python code."""

from __future__ import annotations

from typing import Any

import numba
from numba.core import types
from numba.extending import intrinsic, overload

__all__ = ["lowest_bit", "popcount"]


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


@overload(popcount, strict=False)
def _popcount(x: Any) -> Any:
    return lambda x: _ctpop(numba.uint64(x))


@overload(lowest_bit, strict=False)
def _lowest_bit(x: Any) -> Any:
    return lambda x: _cttz(numba.uint64(x))
