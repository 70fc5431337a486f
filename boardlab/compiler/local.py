"""Small arrays on the stack, for numbers that stay for a moment.

LLVM knows that nothing else shares their memory, and how long their rows are. A loop over several rows of a work space
asks first, each time it begins, whether one of them lies on top of another.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import lower_builtin, type_callable
from numba.np.arrayobj import make_array, populate_array

__all__ = ["local_rows"]

_ALIGNED = 64
"""Bytes of the widest register."""


def local_rows(rows: int, room: int) -> Any:
    """An array of float32 of this shape, given by constants, with anything in it. In compiled code it is there until
    the function returns that becomes machine code of its own."""
    return np.zeros((rows, room), np.float32)


@type_callable(local_rows)
def _type_rows(context: Any) -> Any:
    def typer(rows: Any, room: Any) -> Any:
        if isinstance(rows, types.IntegerLiteral) and isinstance(room, types.IntegerLiteral):
            return types.Array(types.float32, 2, "C")
        return None

    return typer


@lower_builtin(local_rows, types.IntegerLiteral, types.IntegerLiteral)
def _lower_rows(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    rows, room = (kind.literal_value for kind in signature.args)
    with builder.goto_entry_block():
        memory = builder.alloca(ir.ArrayType(ir.FloatType(), rows * room))
        memory.align = _ALIGNED
    array = make_array(signature.return_type)(context, builder)
    populate_array(
        array,
        data=builder.bitcast(memory, ir.FloatType().as_pointer()),
        shape=[context.get_constant(types.intp, size) for size in (rows, room)],
        strides=[context.get_constant(types.intp, 4 * step) for step in (room, 1)],
        itemsize=context.get_constant(types.intp, 4),
        meminfo=None,
    )
    return array._getvalue()
