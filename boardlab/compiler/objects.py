"""Lets compiled code use plain Python objects: games, step-size rules, searches.

A class that derives from `Compilable` is written as ordinary Python; a kernel (`@kernel`) that receives an instance can
call its methods and read its attributes:

* integers, booleans and tuples of them are compile-time constants: they are part of the type, so the compiler
  unrolls loops and drops branches with them;
* floats, NumPy arrays and other compilable objects are fields read at run time: changing them does not recompile
  anything;
* everything else (names, dictionaries, text) exists only in Python.

A named tuple becomes such an object with `@by_address` (`blocks`), too: then all it holds is read at run time.

The Numba type of an instance carries a hash of its constants and of all code that its methods can reach
(`code_hash`). Kernels are cached on disk by type, so a second process finds the machine code, and an edited
game gets a new type and is compiled anew. The cache directory of a kernel carries a hash of its module and of all of
boardlab that this imports, because Numba does not notice when a helper in another module changes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple, Self, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.core.types.misc import VarArg
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_builtin,
    lower_getattr_generic,
    models,
    overload,
    register_jitable,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import populate_array

from boardlab.compiler.branches import Known
from boardlab.compiler.code_hash import code_hash, source_digest
from boardlab.compiler.helpers import HelperCompiler, KernelCompiler
from boardlab.compiler.kept import KeptCode
from boardlab.compiler.prints import without_prints

__all__ = [
    "Compilable",
    "ObjectModel",
    "ObjectType",
    "cache_folder",
    "clear_record",
    "compile_method",
    "helper",
    "hot_kernel",
    "inlined",
    "inlined_method",
    "is_our_own",
    "kernel",
    "layout_of",
    "name_meaning",
    "plain",
]

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile `function` on first use, without the interpreter lock, and keep the machine code on disk."""
    return _cached(function)


def hot_kernel(function: Function) -> Function:
    """A kernel for inner loops: nothing is allocated in it (no `np.empty`), and in return arrays are handed around
    without counting references, which otherwise costs more than the work on small arrays."""
    return _cached(function, _nrt=False)


def _cached(function: Function, **flags: bool) -> Function:
    """A kernel that another one calls becomes part of it, as a helper does: it would be compiled, optimised and stored
    for itself, which nobody needs who only draws random numbers in a kernel."""
    file = Path(function.__code__.co_filename).resolve()
    numba.config.CACHE_DIR = str(_cache_directory(file))
    compiled = numba.njit(nogil=True, error_model="numpy", pipeline_class=KernelCompiler, **flags)(function)
    compiled._cache = KeptCode(function)
    linked = numba.njit(error_model="numpy", pipeline_class=HelperCompiler, **flags)(function)
    compiled.get_call_template, compiled.get_overload = linked.get_call_template, linked.get_overload
    return compiled


def plain(compiled: Function) -> Function:
    """The Python function that a kernel was made from, which takes objects of any kind. Arrays of records must be
    given as `numpy.recarray`."""
    function: Function = compiled.py_func  # type: ignore[attr-defined]
    return function


def helper(function: Function) -> Function:
    """Let compiled code call `function`; called from Python it stays the plain function. One of a user's own never
    leaves its arrays: an index out of bounds ends the kernel with an IndexError."""
    checked = not is_our_own(function.__module__)
    return register_jitable(pipeline_class=HelperCompiler, boundscheck=checked, forceinline=False)(function)


def inlined(function: Function) -> Function:
    """A `helper` that becomes part of whoever calls it: handing over many arrays costs more than a short loop."""
    return register_jitable(forceinline=True, pipeline_class=HelperCompiler)(function)


def inlined_method(function: Function) -> Function:
    """The same for a method of a `Compilable`, whose object may have many arrays. Nothing is allocated in it."""
    function.inlined = True  # type: ignore[attr-defined]
    return function


def clear_record(s: Any) -> None:
    """Make a state record all zeros, in plain and in compiled code."""
    for name in s.dtype.names:
        s[name] = np.zeros_like(s[name])


@intrinsic
def _fill_with_zeros(typing_context: Any, record: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        cgutils.memset(builder, arguments[0], context.get_constant(types.intp, record.size), 0)
        return context.get_dummy_value()

    return types.void(record), generate


@overload(clear_record, strict=False)
def _clear_record(s: Any) -> Any:
    return lambda s: _fill_with_zeros(s)  # noqa: PLW0108 (Numba compiles the lambda)


class Compilable:
    """An object whose methods and attributes compiled code can use. Treat it as constant once it is used."""

    @property
    def _numba_type_(self) -> ObjectType:
        made = self.__dict__.get("_made_type")
        if made is None:
            self.before_compiling()
            made = self.__dict__["_made_type"] = _object_type(self)
        return made

    def take_type(self, other: Self) -> None:
        """Be of the type of another object whose attributes have the same types and constants, which saves the work of
        finding it out."""
        self.__dict__["_made_type"] = other._numba_type_

    def before_compiling(self) -> None:
        """Called once, before any of its methods is compiled. It must not raise a ValueError, which Numba would take
        for its own."""

    @property
    def bare(self: Self) -> Self:
        """The object without fences (see `fences`), which only compiled code has."""
        return self

    @classmethod
    def fences(cls) -> Mapping[str, Callable[..., Any]] | None:
        """For code that is not believed: what kernels call instead of some of its methods. A fence reaches the method
        itself as `self.bare.method(...)`. All methods are then compiled so that an index out of bounds ends the kernel
        with an IndexError. None: the methods are called as they are, and go wherever their indices point."""
        return None


def is_our_own(module: str) -> bool:
    """Whether a module is part of boardlab, and so has been tested; all other code is not believed."""
    return module.split(".", maxsplit=1)[0] == "boardlab"


# ---------------------------------------------------------------- the Numba type of an object


class ObjectType(types.Type):
    """Type of one class with one set of constants. It is pickled into Numba's cache index: plain data only."""

    def __init__(self, name: str, fields: tuple[tuple[str, types.Type], ...], bare: ObjectType | None = None) -> None:
        self.fields = fields
        self.bare = bare
        """The same object without its fences, as its own methods see it; None where it has none."""
        super().__init__(name=name)

    def known(self, name: str) -> Known | types.Type | None:
        """What is known of an attribute before anything runs: its value, or its type."""
        constants = _meanings[self.name].constants
        return Known(constants[name]) if name in constants else dict(self.fields).get(name)


class _Meaning:
    """What an ObjectType stands for in this process: its class and the values of its constants."""

    def __init__(self, cls: type[Compilable], constants: dict[str, Any] | None = None) -> None:
        self.cls = cls
        self.constants = constants or {}


_meanings: dict[str, _Meaning] = {}


def _object_type(instance: Compilable) -> ObjectType:
    cls = type(instance)
    constants: dict[str, Any] = {}
    fields: list[tuple[str, types.Type]] = []
    for name, value in sorted(_attributes(instance)):
        if isinstance(value, (np.ndarray, float, np.floating)):
            fields.append((name, numba.typeof(value)))
        elif isinstance(value, Compilable):
            fields.append((name, value._numba_type_))
        elif _is_constant(value):
            constants[name] = value
    text = f"{code_hash(cls)} {cls.__module__} {cls.__qualname__} {constants!r} {fields!r}"
    name = f"{cls.__qualname__}[{hashlib.sha256(text.encode()).hexdigest()[:16]}]"
    meaning = _meanings.setdefault(name, _Meaning(cls, constants))
    bare = ObjectType(name, tuple(fields))
    if cls.fences() is None:
        return bare
    _meanings[f"fenced.{name}"] = meaning
    return ObjectType(f"fenced.{name}", tuple(fields), bare)


def name_meaning(name: str, cls: type[Compilable]) -> None:
    """A type of this name stands for a class of objects of which nothing but their fields is known."""
    _meanings[name] = _Meaning(cls)


def _attributes(instance: Compilable) -> Iterator[tuple[str, Any]]:
    """Data attributes of the instance and of its classes, the most specific one of each name."""
    seen: set[str] = set()
    for owner in (instance, *type(instance).__mro__):
        for name, value in vars(owner).items():
            if name not in seen and not name.startswith("_"):
                seen.add(name)
                yield name, value


def _is_constant(value: object) -> bool:
    if isinstance(value, tuple):
        return len(value) > 0 and all(_is_constant(item) for item in value)
    return isinstance(value, (bool, int, np.integer, np.bool_))


@cache
def _bound_method(object_type: ObjectType, method: str) -> types.BoundFunction | None:
    """The type of `game.method` in compiled code: the class's own function, compiled with the object as self."""
    cls, fences = _meanings[object_type.name].cls, _meanings[object_type.name].cls.fences()
    is_fence = fences is not None and object_type.bare is not None and method in fences
    function = fences[method] if fences is not None and is_fence else getattr(cls, method, None)
    if not isinstance(function, FunctionType):
        return None
    this = object_type if is_fence else object_type.bare or object_type
    options = {"error_model": "numpy", "_nrt": True, "boundscheck": fences is not None and not is_fence}
    if getattr(function, "inlined", False):
        options |= {"forceinline": True, "_nrt": False}
    compiled = numba.njit(pipeline_class=HelperCompiler, **options)(without_prints(function))
    dispatcher = types.Dispatcher(compiled)
    method_key = f"{object_type.name}.{method}"

    class Method(AbstractTemplate):
        key = method_key
        keep_alive = compiled  # the dispatcher type holds only a weak reference

        def generic(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
            try:
                signature: Any = dispatcher.get_call_type(self.context, (this, *arguments), keywords)
            except KeyError as missing:  # Numba's answer to a field that a record does not have
                raise TypingError(f"{method} uses a state that has no field {missing}") from missing
            return signature.as_method().replace(recvr=object_type)

    @lower_builtin(method_key, object_type, VarArg(types.Any))
    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        implementation = context.get_function(dispatcher, signature.replace(args=(this, *signature.args[1:])))
        context.add_linking_libs(getattr(implementation, "libs", ()))
        return implementation(builder, arguments)

    return types.BoundFunction(Method, object_type)


def compile_method(instance: Compilable, method: str, arguments: tuple[Any, ...]) -> None:
    """Compile a method for arguments like the given ones, as far as kernels need it; Numba's errors where it fails."""
    bound = _bound_method(numba.typeof(instance), method)
    assert bound is not None
    bound.template(cpu_target.typing_context).generic(tuple(map(numba.typeof, arguments)), {})


@typeof_impl.register(Compilable)
def _typeof(value: Compilable, context: Any) -> ObjectType:
    return value._numba_type_


@register_model(ObjectType)
class ObjectModel(models.PrimitiveModel):
    """An object is the address of its fields. By value it would be handed to every helper field by field, some hundred
    numbers for a learner, and to put them together and to take them apart was a third of the time of compiling. The
    address says nothing of what is there: spelled out in each line, that was half of the text for LLVM to read."""

    def __init__(self, manager: Any, object_type: ObjectType) -> None:
        super().__init__(manager, object_type, cgutils.voidptr_t)


class Layout(NamedTuple):
    """How the fields of an object lie in memory, each at a multiple of 8 bytes: an array as its address, shape and
    strides, without a reference count (the instance holds its arrays for as long as a kernel runs, and counting
    references would cost more than most methods), another object as its address, everything else as it is."""

    offsets: dict[str, int]
    size: int
    """Bytes."""


@cache
def layout_of(object_type: ObjectType) -> Layout:
    """The layout of all objects of a type."""
    offsets, end = {}, 0
    for name, field_type in object_type.fields:
        offsets[name] = end
        end += 8 * (1 + 2 * field_type.ndim) if isinstance(field_type, types.Array) else _bytes(field_type)
    return Layout(offsets, end)


@cache
def _bytes(kind: types.Type) -> int:
    """Memory of a value, in whole words."""
    context = cpu_target.target_context
    return (int(context.get_abi_sizeof(context.get_value_type(kind))) + 7) // 8 * 8


@cache
def _item_bytes(kind: types.Type) -> int:
    """Memory of an item of an array."""
    context = cpu_target.target_context
    return int(context.get_abi_sizeof(context.get_data_type(kind)))


def _place(builder: Any, instance: Any, offset: int, kind: Any) -> Any:
    """The address of a number of an object, as one of the LLVM type `kind`."""
    place = builder.gep(instance, [ir.IntType(64)(offset)], inbounds=True)
    return builder.bitcast(place, kind.as_pointer())


def _load(builder: Any, instance: Any, offset: int, kind: Any) -> Any:
    """A number of an object. Nobody changes it while a kernel runs, so the compiler may read it once for all."""
    number = builder.load(_place(builder, instance, offset, kind))
    number.set_metadata("invariant.load", builder.module.add_metadata([]))
    return number


@infer_getattr
class _ObjectAttributes(AttributeTemplate):
    key = ObjectType

    def generic_resolve(self, object_type: ObjectType, name: str) -> Any:
        fields = dict(object_type.fields)
        if name in fields:
            return fields[name]
        if name == "bare":
            return object_type.bare or object_type
        constants = _meanings[object_type.name].constants
        return numba.typeof(constants[name]) if name in constants else _bound_method(object_type, name)


@lower_getattr_generic(ObjectType)
def _lower_attribute(context: Any, builder: Any, object_type: ObjectType, value: Any, name: str) -> Any:
    field_type = dict(object_type.fields).get(name)
    if field_type is not None:
        offset = layout_of(object_type).offsets[name]
        if not isinstance(field_type, types.Array):
            return _load(builder, value, offset, context.get_value_type(field_type))
        array, word, ndim = context.make_array(field_type)(context, builder), ir.IntType(64), field_type.ndim
        extents = [_load(builder, value, offset + 8 * n, word) for n in range(1, 1 + 2 * ndim)]
        itemsize = context.get_constant(types.intp, _item_bytes(field_type.dtype))
        data = _load(builder, value, offset, array.data.type)
        populate_array(array, data, extents[:ndim], extents[ndim:], itemsize, None)
        return array._getvalue()
    if name == "bare":
        return value  # the fields are the same
    constant = _meanings[object_type.name].constants[name]
    return context.get_constant_generic(builder, numba.typeof(constant), constant)


@unbox(ObjectType)
def _unbox(object_type: ObjectType, instance: Any, c: Any) -> NativeValue:
    layout, builder = layout_of(object_type), c.builder
    memory = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(64), max(1, layout.size // 8)))
    memory = builder.bitcast(memory, cgutils.voidptr_t)
    failed = cgutils.false_bit
    for name, field_type in object_type.fields:
        attribute = c.pyapi.object_getattr_string(instance, name)
        native = c.unbox(field_type, attribute)
        c.pyapi.decref(attribute)
        values = [native.value]
        if isinstance(field_type, types.Array):
            array = c.context.make_array(field_type)(c.context, builder, value=native.value)
            extents = (cgutils.unpack_tuple(builder, numbers) for numbers in (array.shape, array.strides))
            values = [array.data, *chain.from_iterable(extents)]
            if c.context.enable_nrt:
                c.context.nrt.decref(builder, field_type, native.value)
        for n, value in enumerate(values):
            builder.store(value, _place(builder, memory, layout.offsets[name] + 8 * n, value.type))
        failed = builder.or_(failed, native.is_error)
    return NativeValue(_opaque(builder, memory), is_error=failed)


def _opaque(builder: Any, address: Any) -> Any:
    """The same address, as if it came from elsewhere: what is read there is not what was written here, as far as the
    compiler can see, so it may take it for unchangeable (`_load`)."""
    kind = ir.FunctionType(address.type, [address.type])
    return builder.asm(kind, "", "=r,0,~{memory}", [address], side_effect=True)


# ---------------------------------------------------------------- where compiled code is kept


def cache_folder() -> Path:
    """Where we keep what can be made again: BOARDLAB_CACHE_DIR, or a folder in the user's cache."""
    base = os.environ.get("BOARDLAB_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    return Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "boardlab"


def _cache_directory(file: Path) -> Path:
    """Where the compiled code of a source file is kept: in a folder for this state of the file and of all of boardlab
    that it imports."""
    return cache_folder() / source_digest(file if file.is_file() else Path(__file__).resolve())[:16]
