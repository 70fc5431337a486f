"""Objects that compiled code finds at an address: handed over as one number, however many arrays they have.

An object of ours (`Compilable`) is unboxed field by field at every call from Python, and a kernel that takes several of
them is compiled for each combination of their types. A `Handle` is written once, into a piece of memory. A kernel gets
its address, and `held` gives it the object. A kernel that takes nothing of varying type but handles can be called by
its own address, too (`address_of`, `call_by_address`): the caller then need not be compiled again for every object, and
what was compiled for an object serves all callers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core import cgutils, types
from numba.core.registry import cpu_target
from numba.extending import NativeValue, intrinsic, models, register_model, unbox

from boardlab.compiler.blocks import Block
from boardlab.compiler.objects import Compilable, ObjectType

__all__ = ["Handle", "Handled", "address_of", "call_by_address", "held", "is_ready"]


class HandleType(types.Type):
    """Type of the address of an object."""

    def __init__(self, object_type: ObjectType) -> None:
        self.object_type = object_type
        super().__init__(name=f"handle.{object_type.name}")


class Handled(Compilable):
    """Base class of what handles lead to."""


class Handle:
    """The address of an object as compiled code sees it. The object stays alive with its handle, and its arrays must
    not be replaced by others (what is in them may change)."""

    def __init__(self, instance: Handled) -> None:
        self.instance = instance
        object_type = instance._numba_type_
        self._numba_type_ = HandleType(object_type)
        self._block = Block(object_type, instance)
        self.address = self._block.address


@register_model(HandleType)
class _HandleModel(models.PrimitiveModel):
    def __init__(self, manager: Any, handle_type: HandleType) -> None:
        super().__init__(manager, handle_type, cgutils.voidptr_t)


@unbox(HandleType)
def _unbox(handle_type: HandleType, handle: Any, c: Any) -> NativeValue:
    attribute = c.pyapi.object_getattr_string(handle, "address")
    address = c.unbox(types.uintp, attribute)
    c.pyapi.decref(attribute)
    return NativeValue(c.builder.inttoptr(address.value, cgutils.voidptr_t), is_error=address.is_error)


@intrinsic
def held(typing_context: Any, handle: Any) -> Any:
    """The object that a handle leads to."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return arguments[0]

    return handle.object_type(handle), generate


def address_of(kernel: Callable[..., Any], *arguments: Any) -> int:
    """Where the machine code of a kernel begins that takes arguments like these; it is loaded or compiled now."""
    kinds = tuple(map(numba.typeof, arguments))
    kernel.compile(kinds)  # type: ignore[attr-defined]
    found = kernel.overloads[kinds]  # type: ignore[attr-defined]
    address = int(found.library.get_pointer_to_function(found.fndesc.llvm_func_name))
    if address == 0:
        raise RuntimeError(f"no machine code of {kernel.__name__}")
    return address


def is_ready(kernel: Callable[..., Any], *arguments: Any) -> bool:
    """Whether the machine code for arguments like these is there, in memory or on disk, so that nothing has to be
    compiled. For a handle its object will do."""
    kinds = tuple(HandleType(a._numba_type_) if isinstance(a, Handled) else numba.typeof(a) for a in arguments)
    if kinds in kernel.overloads:  # type: ignore[attr-defined]
        return True
    kept = kernel._cache  # type: ignore[attr-defined]
    try:
        return kept._index_key(kinds, cpu_target.target_context.codegen()) in kept._cache_file._load_index()
    except OSError:
        return False


@intrinsic
def call_by_address(typing_context: Any, function: Any, handle: Any, arguments: Any) -> Any:
    """Call the kernel at the address `function` with the handle of the address `handle` and a tuple of arguments; it
    returns an int64. Errors are raised by the caller."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = (types.voidptr, *arguments.types)
        kind = context.call_conv.get_function_type(types.int64, kinds)
        code = builder.inttoptr(values[0], kind.as_pointer())
        given = (builder.inttoptr(values[1], cgutils.voidptr_t), *cgutils.unpack_tuple(builder, values[2]))
        status, result = context.call_conv.call_function(builder, code, types.int64, kinds, given)
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return result

    return types.int64(function, handle, arguments), generate
