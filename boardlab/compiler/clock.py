"""The clock in compiled code, for kernels that tell how long their parts took without calling Python."""

from __future__ import annotations

import ctypes
import time
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from boardlab.compiler.objects import helper

__all__ = ["clock_address", "read_clock", "read_cpu_clock"]

_MONOTONIC = getattr(time, "CLOCK_MONOTONIC", 0)
_CPU_OF_THREAD = getattr(time, "CLOCK_THREAD_CPUTIME_ID", 0)


def clock_address() -> int:
    """Where the system's `clock_gettime` is; 0 where there is none (Windows), and the time then stands still."""
    try:
        function = ctypes.CDLL(None).clock_gettime
    except (AttributeError, OSError, TypeError):
        return 0
    return ctypes.cast(function, ctypes.c_void_p).value or 0


@intrinsic
def _ask_clock(typing_context: Any, clock: Any, which: Any, ticks: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(ticks)(context, builder, value=arguments[2])
        number, pointer = ir.IntType(32), ir.IntType(64).as_pointer()
        kind = ir.FunctionType(number, (number, pointer))
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        with builder.if_then(builder.icmp_unsigned("!=", arguments[0], ir.Constant(arguments[0].type, 0))):
            builder.call(function, (builder.trunc(arguments[1], number), array.data))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, ticks), generate


@helper
def read_clock(clock: int, ticks: NDArray[np.int64]) -> float:
    """Seconds since some moment in the past, in compiled code. `clock` is the `clock_address`, and `ticks` room for
    two int64."""
    _ask_clock(clock, _MONOTONIC, ticks)
    return float(ticks[0]) + 1e-9 * float(ticks[1])


@helper
def read_cpu_clock(clock: int, ticks: NDArray[np.int64]) -> float:
    """Seconds of CPU time of this thread. That takes longer to find out, about a quarter of a microsecond."""
    _ask_clock(clock, _CPU_OF_THREAD, ticks)
    return float(ticks[0]) + 1e-9 * float(ticks[1])
