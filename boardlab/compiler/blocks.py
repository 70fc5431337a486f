"""Objects in memory, written by Python: a kernel gets one address, however much there is.

Numba has compiled code read the attributes of an argument one by one, with a way out for each that is not what it was
said to be: for the work space of a learner, of some sixty arrays, that was a fifth of the machine code. Here Python
writes them, as `objects` reads them, which takes less than a millisecond at each call. So it is done for what is
handed over seldom: named tuples (`by_address`) and what `handles` lead to.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import cgutils, types
from numba.core.types.containers import BaseNamedTuple
from numba.extending import NativeValue, register_model, typeof_impl, unbox
from numba.np.numpy_support import as_dtype
from numpy.typing import NDArray

from boardlab.compiler.objects import Compilable, ObjectModel, ObjectType, layout_of, name_meaning
from boardlab.system.machine import own_zeros

__all__ = ["Block", "by_address"]

Tuple = TypeVar("Tuple", bound=type)


class Block:
    """The fields of an object, and behind them those of the objects in it. It holds the object, whose arrays must not
    be replaced by others meanwhile (what is in them may change)."""

    def __init__(self, object_type: ObjectType, instance: Any) -> None:
        self.instance = instance
        self._memory = own_zeros(max(1, _size(object_type) // 8), np.int64)
        self.address = int(self._memory.ctypes.data)
        self._write(object_type, instance, 0)

    def _write(self, object_type: ObjectType, instance: Any, start: int) -> int:
        """Write an object from a word on; the word behind it and all that is in it."""
        layout = layout_of(object_type)
        end = start + layout.size // 8
        for name, kind in object_type.fields:
            value, place = getattr(instance, name), start + layout.offsets[name] // 8
            if isinstance(kind, ObjectType):
                self._memory[place] = self.address + 8 * end
                end = self._write(kind, value, end)
            else:
                words = _array_words(value) if isinstance(kind, types.Array) else _number_words(kind, value)
                self._memory[place : place + len(words)] = words
        return end


@cache
def _size(object_type: ObjectType) -> int:
    """Bytes of an object and of those in it."""
    nested = [field for _, field in object_type.fields if isinstance(field, ObjectType)]
    return layout_of(object_type).size + sum(map(_size, nested))


def _array_words(array: NDArray[Any]) -> tuple[int, ...]:
    return array.ctypes.data, *array.shape, *array.strides


def _number_words(kind: types.Type, value: Any) -> NDArray[np.int64]:
    """A number, or a named tuple of them, in whole words."""
    item = np.array(value, _dtype(kind)).tobytes()
    return np.frombuffer(item.ljust(-(-len(item) // 8) * 8, b"\0"), np.int64)


@cache
def _dtype(kind: types.Type) -> np.dtype[Any]:
    if isinstance(kind, BaseNamedTuple):
        return np.dtype([(name, _dtype(part)) for name, part in zip(kind.fields, kind.types, strict=True)], align=True)
    found: np.dtype[Any] = as_dtype(kind)
    return found


# ---------------------------------------------------------------- named tuples


class TupleType(ObjectType):
    """Type of a named tuple that compiled code sees as an object."""


register_model(TupleType)(ObjectModel)


def by_address(cls: Tuple) -> Tuple:
    """Let compiled code see the instances of a class of named tuples as it sees objects: helpers get one address each,
    and not all that is in them, number by number. They hold arrays, objects, and named tuples of these or of numbers.
    None is made in compiled code."""

    @typeof_impl.register(cls)
    def _typeof_tuple(value: Any, context: Any) -> ObjectType:
        return _type_by_address(cls, tuple((name, numba.typeof(part)) for name, part in value._asdict().items()))

    cls.block_ = property(lambda value: Block(numba.typeof(value), value))  # type: ignore[attr-defined]
    return cls


@cache
def _type_by_address(cls: type, fields: tuple[tuple[str, types.Type], ...]) -> TupleType:
    text = f"{cls.__module__} {fields!r}"
    name = f"{cls.__qualname__}[{hashlib.sha256(text.encode()).hexdigest()[:16]}]"
    name_meaning(name, Compilable)  # of a tuple nothing but its fields is known
    return TupleType(name, fields)


@unbox(TupleType)
def _unbox(kind: TupleType, value: Any, c: Any) -> NativeValue:
    """The address of a block that is written now, and is held until the kernel returns."""
    block = c.pyapi.object_getattr_string(value, "block_")
    found = cgutils.alloca_once_value(c.builder, cgutils.get_null_value(cgutils.voidptr_t))
    with c.builder.if_then(cgutils.is_not_null(c.builder, block)):
        attribute = c.pyapi.object_getattr_string(block, "address")
        address = c.unbox(types.uintp, attribute)
        c.pyapi.decref(attribute)
        c.builder.store(c.builder.inttoptr(address.value, cgutils.voidptr_t), found)
    address = c.builder.load(found)
    return NativeValue(address, is_error=cgutils.is_null(c.builder, address), cleanup=lambda: c.pyapi.decref(block))
