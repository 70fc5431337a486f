"""Lets compiled code use plain Python objects: games, and later step-size rules.

The only module that knows Numba's extension machinery. A class that derives from `Compilable` is written as
ordinary Python; a kernel (`@kernel`) that receives an instance can call its methods and read its attributes:

* integers, booleans and tuples of them are compile-time constants: they are part of the type, so the compiler
  unrolls loops and drops branches with them;
* floats and NumPy arrays are fields read at run time: changing them does not recompile anything;
* everything else (names, dictionaries, text) exists only in Python.

The Numba type of an instance carries a hash of its constants and of the source of every module that its
methods can reach. Kernels are cached on disk by type, so a second process finds the machine code, and an edited
game gets a new type and is compiled anew. The cache directory carries a hash of boardlab's own sources, because
Numba does not notice when a helper in another module changes.
"""

from __future__ import annotations

import hashlib
import os
import sys
import sysconfig
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import cgutils, types
from numba.core.types.misc import VarArg
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_builtin,
    lower_getattr_generic,
    models,
    register_jitable,
    register_model,
    typeof_impl,
    unbox,
)

__all__ = ["Compilable", "cache_directory", "helper", "kernel"]

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile `function` on first use, without the interpreter lock, and keep the machine code on disk."""
    return numba.njit(cache=True, nogil=True, error_model="numpy")(function)


def helper(function: Function) -> Function:
    """Let compiled code call `function`; called from Python it stays the plain function."""
    return register_jitable(function)


class Compilable:
    """An object whose methods and attributes compiled code can use. Treat it as constant once it is used."""

    @property
    def _numba_type_(self) -> ObjectType:
        made = self.__dict__.get("_made_type")
        if made is None:
            made = self.__dict__["_made_type"] = _object_type(self)
        return made


# ---------------------------------------------------------------- the Numba type of an object


class ObjectType(types.Type):
    """Type of one class with one set of constants. It is pickled into Numba's cache index: plain data only."""

    def __init__(self, name: str, fields: tuple[tuple[str, types.Type], ...]) -> None:
        self.fields = fields
        super().__init__(name=name)


class _Meaning:
    """What an ObjectType stands for in this process: its class and the values of its constants."""

    def __init__(self, cls: type, constants: dict[str, Any]) -> None:
        self.cls = cls
        self.constants = constants


_meanings: dict[str, _Meaning] = {}


def _object_type(instance: Compilable) -> ObjectType:
    cls = type(instance)
    constants: dict[str, Any] = {}
    fields: list[tuple[str, types.Type]] = []
    for name, value in sorted(_attributes(instance)):
        if isinstance(value, np.ndarray) or (isinstance(value, float) and not isinstance(value, np.generic)):
            fields.append((name, numba.typeof(value)))
        elif _is_constant(value):
            constants[name] = value
    text = f"{source_hash(cls)} {cls.__module__} {cls.__qualname__} {constants!r} {fields!r}"
    name = f"{cls.__qualname__}[{hashlib.sha256(text.encode()).hexdigest()[:16]}]"
    if name not in _meanings:
        _meanings[name] = _Meaning(cls, constants)
    return ObjectType(name, tuple(fields))


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
    function = getattr(_meanings[object_type.name].cls, method, None)
    if not isinstance(function, FunctionType):
        return None
    compiled = numba.njit(error_model="numpy")(function)
    dispatcher = types.Dispatcher(compiled)
    method_key = f"{object_type.name}.{method}"

    class Method(AbstractTemplate):
        key = method_key
        keep_alive = compiled  # the dispatcher type holds only a weak reference

        def generic(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
            signature: Any = dispatcher.get_call_type(self.context, (self.this, *arguments), keywords)
            return signature.as_method()

    @lower_builtin(method_key, object_type, VarArg(types.Any))
    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        implementation = context.get_function(dispatcher, signature)
        context.add_linking_libs(getattr(implementation, "libs", ()))
        return implementation(builder, arguments)

    return types.BoundFunction(Method, object_type)


@typeof_impl.register(Compilable)
def _typeof(value: Compilable, context: Any) -> ObjectType:
    return value._numba_type_


@register_model(ObjectType)
class _ObjectModel(models.StructModel):
    def __init__(self, manager: Any, object_type: ObjectType) -> None:
        super().__init__(manager, object_type, list(object_type.fields))


@infer_getattr
class _ObjectAttributes(AttributeTemplate):
    key = ObjectType

    def generic_resolve(self, object_type: ObjectType, name: str) -> Any:
        fields = dict(object_type.fields)
        if name in fields:
            return fields[name]
        constants = _meanings[object_type.name].constants
        return numba.typeof(constants[name]) if name in constants else _bound_method(object_type, name)


@lower_getattr_generic(ObjectType)
def _lower_attribute(context: Any, builder: Any, object_type: ObjectType, value: Any, name: str) -> Any:
    fields = dict(object_type.fields)
    if name in fields:
        struct = cgutils.create_struct_proxy(object_type)(context, builder, value=value)
        return numba.core.imputils.impl_ret_borrowed(context, builder, fields[name], getattr(struct, name))
    constant = _meanings[object_type.name].constants[name]
    return context.get_constant_generic(builder, numba.typeof(constant), constant)


@unbox(ObjectType)
def _unbox(object_type: ObjectType, instance: Any, c: Any) -> NativeValue:
    struct = cgutils.create_struct_proxy(object_type)(c.context, c.builder)
    failed = cgutils.false_bit
    for name, field_type in object_type.fields:
        attribute = c.pyapi.object_getattr_string(instance, name)
        native = c.unbox(field_type, attribute)
        c.pyapi.decref(attribute)
        setattr(struct, name, native.value)
        failed = c.builder.or_(failed, native.is_error)
    return NativeValue(struct._getvalue(), is_error=failed)


# ---------------------------------------------------------------- what the code depends on

_LIBRARIES = tuple(
    str(Path(sysconfig.get_path(kind)).resolve()) for kind in ("stdlib", "platstdlib", "purelib", "platlib")
)
_PACKAGE = Path(__file__).resolve().parent
_NOTHING_COMPILED = ("games", "cli", "web", "lab", "store", "arena", "adapters")  # games carry their own hash


def source_hash(cls: type) -> str:
    """Hash of the sources that the methods of `cls` can reach: the modules of its classes and, from these,
    every module of a function, class or module that they name, outside of the installed libraries."""
    pending = [sys.modules[owner.__module__] for owner in cls.__mro__ if owner.__module__ in sys.modules]
    digests: dict[str, str] = {}
    while pending:
        module = pending.pop()
        if module.__name__ in digests or not _is_tracked(module):
            continue
        digests[module.__name__] = hashlib.sha256(_source(module)).hexdigest()
        for value in list(vars(module).values()):
            name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            if isinstance(name, str) and name in sys.modules:
                pending.append(sys.modules[name])
    return hashlib.sha256(repr(sorted(digests.items())).encode()).hexdigest()


def _is_tracked(module: ModuleType) -> bool:
    """Games, ours or a user's; not an installed library, nor the foundation that `cache_directory` covers."""
    path = getattr(module, "__file__", None)
    if path is None:
        return module.__name__ == "__main__"
    resolved = Path(path).resolve()
    if resolved.is_relative_to(_PACKAGE):
        return resolved.is_relative_to(_PACKAGE / "games")
    return not any(resolved.is_relative_to(library) for library in _LIBRARIES)


def _source(module: ModuleType) -> bytes:
    """The source that was executed, as far as it can be told; code without a file hashes its bytecode."""
    path = getattr(module, "__file__", None)
    if path is not None and Path(path).exists():
        return Path(path).read_bytes()
    parts = []
    for name, value in sorted(vars(module).items()):
        functions = vars(value).values() if isinstance(value, type) else [value]
        parts += [
            f"{name} {f.__code__.co_code!r} {f.__code__.co_consts!r} {f.__code__.co_names!r}"
            for f in functions
            if isinstance(f, FunctionType)
        ]
    return "\n".join(parts).encode()


@cache
def cache_directory() -> Path:
    """Where compiled code is kept: below BOARDLAB_CACHE_DIR or the user's cache, one folder per state of
    boardlab's own sources."""
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        if path.relative_to(_PACKAGE).parts[0] not in _NOTHING_COMPILED:
            digest.update(path.read_bytes())
    base = os.environ.get("BOARDLAB_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    if base is None:
        base = str(Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "boardlab")
    return Path(base) / digest.hexdigest()[:16]


numba.config.CACHE_DIR = str(cache_directory())
