"""Hashes of everything that compiled code depends on, so that edited code is never served old machine code.

For a game (`code_hash`) this is the bytecode of every function, and the value of every constant, in the modules that
its methods can reach: what this process runs, not what the files say by now. boardlab's own modules, but for the
games, count by their text and that of all modules that they import (`source_digest`); kernels do, too.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

__all__ = ["code_hash", "source_digest"]

_LIBRARIES = tuple(Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "platstdlib", "purelib", "platlib"))
_PACKAGE = Path(__file__).resolve().parent.parent
_IMPORT = re.compile(r"^[ \t]*(?:from|import) (boardlab[\w.]*)(?: import (\([^)]*\)|[^\n(]+))?", re.MULTILINE)


def code_hash(cls: type) -> str:
    """The hash for a class: of its own methods and of all modules from which they take functions and constants."""
    owners = [owner for owner in cls.__mro__ if owner.__module__ in sys.modules]
    pending = [sys.modules[owner.__module__] for owner in owners]
    texts: dict[str, str] = {}
    while pending:
        module = pending.pop()
        if module.__name__ in texts:
            continue
        if not _is_tracked(module):
            texts[module.__name__] = source_digest(_file(module)) if _is_ours(module) else ""
            continue
        texts[module.__name__] = "\n".join(_module_texts(module))
        for value in list(vars(module).values()):
            name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            if isinstance(name, str) and name in sys.modules:
                pending.append(sys.modules[name])
    # a class made inside a function is in no module's list
    own = [text for owner in owners if owner.__module__ in texts for text in _member_texts(owner)]
    return hashlib.sha256(repr((sorted(texts.items()), own)).encode()).hexdigest()


def _file(module: ModuleType) -> Path:
    return _resolved(getattr(module, "__file__", None) or "")


@cache
def _resolved(file: str) -> Path:
    return Path(file).resolve()


def _is_ours(module: ModuleType) -> bool:
    return _is_within(_file(module), _PACKAGE)


@cache
def _is_within(file: Path, folder: Path) -> bool:
    return file.is_relative_to(folder)


def _is_tracked(module: ModuleType) -> bool:
    """Whether a module is looked at function by function: that of a game, ours or a user's."""
    if getattr(module, "__file__", None) is None:
        return module.__name__ == "__main__"
    if _is_ours(module):
        return _is_within(_file(module), _PACKAGE / "games")
    return not any(_is_within(_file(module), library) for library in _LIBRARIES)


@cache
def source_digest(file: Path) -> str:
    """Hash of a source file and of all of boardlab that it imports, directly or through others."""
    digest = hashlib.sha256()
    for path in sorted(_reached(file)):
        digest.update(f"{path.name} ".encode() + _source(path))
    return digest.hexdigest()


def _reached(file: Path) -> set[Path]:
    reached: set[Path] = set()
    pending = [file]
    while pending:
        path = pending.pop()
        if path not in reached:
            reached.add(path)
            pending += _imports(path)
    return reached


@cache
def _source(file: Path) -> bytes:
    return file.read_bytes()


@cache
def _imports(file: Path) -> list[Path]:
    """The modules of boardlab that a file imports, wherever in it. A name out of a package is one of its modules, or
    else something that the package itself has."""
    modules, found = _modules(), []
    for module, names in _IMPORT.findall(_source(file).decode()):
        for name in re.findall(r"\w+", names) or ["__init__"]:
            path = modules.get(module) or modules.get(f"{module}.{name}") or modules.get(f"{module}.__init__")
            found += [path] if path else []
    return found


@cache
def _modules() -> dict[str, Path]:
    """The files of boardlab by the names of their modules; those of packages end with `__init__`."""
    names: dict[str, Path] = {}
    for folder, _, files in os.walk(_PACKAGE):
        package = ".".join(Path(folder).relative_to(_PACKAGE.parent).parts)
        names |= {f"{package}.{file[:-3]}": Path(folder, file) for file in files if file.endswith(".py")}
    return names


def _module_texts(module: ModuleType) -> Iterator[str]:
    for name, value in sorted(vars(module).items()):
        if name.startswith("__"):
            continue
        if isinstance(value, type):
            yield from (f"{name} {text}" for text in _member_texts(value) if value.__module__ == module.__name__)
        else:
            yield f"{name} {_text(value)}"


def _member_texts(cls: type) -> list[str]:
    return [f"{name} {_text(value)}" for name, value in sorted(vars(cls).items()) if not name.startswith("__")]


def _text(value: Any) -> str:
    """The same text for the same meaning in every process; empty for what compiled code cannot use."""
    value = getattr(value, "py_func", value)  # a compiled function stands for its source
    if isinstance(value, FunctionType):
        return f"{_text(value.__code__)} {_texts(value.__defaults__ or ())} {_texts(_closure(value))}"
    if isinstance(value, CodeType):
        return (
            f"{value.co_code.hex()} {value.co_names} {value.co_varnames} {value.co_freevars} {_texts(value.co_consts)}"
        )
    if isinstance(value, tuple):
        return _texts(value)
    if isinstance(value, frozenset):
        return _texts(sorted(value, key=repr))
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        return repr(value)
    return ""


def _texts(values: Iterable[Any]) -> str:
    return f"({', '.join(_text(value) for value in values)})"


def _closure(function: FunctionType) -> Iterator[Any]:
    """What a function takes from around it; of functions only their code, because they may close over each other."""
    for cell in function.__closure__ or ():
        try:
            value = cell.cell_contents
        except ValueError:  # not yet filled
            continue
        yield getattr(value, "__code__", value)
