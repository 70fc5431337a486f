"""Turns Numba's pages of output about a rule that does not compile into one sentence: which method, which line of
whose file, what cannot be compiled, and what to write instead."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from boardlab.errors import BoardlabError

__all__ = ["CompileError", "explain_compile_error", "is_compile_error", "readable_compile_errors"]

_PACKAGE = Path(__file__).resolve().parent.parent

_NOISE = re.compile(r"^(Failed in nopython mode|- Resolution failure|During: |None$|\s*$|\s*>>>|There (are|is) \d)")
_PLACES = re.compile(r'File "(?P<f1>[^"]+)", line (?P<l1>\d+)|(?:at|from) (?P<f2>\S+\.py) \((?P<l2>\d+)\)')

_CURES: list[tuple[str, Callable[[re.Match[str]], str]]] = [
    (r"Unknown attribute '(\w+)' of type [\w.]+\[\w{16}\]", lambda m: _unknown_attribute(m[1])),
    (
        r"Unknown attribute '(\w+)' of type Record|no field '(\w+)'",
        lambda m: f"the state has no field '{m[1] or m[2]}'",
    ),
    (
        r"Untyped global name '(\w+)'.*<class 'function'>",
        lambda m: f"{m[1]} is a plain function: put @helper (from boardlab) above it, or make it a method",
    ),
    (r"Untyped global name 'super'", lambda m: "super() cannot be compiled: give the shared part a name of its own"),
    (
        r"Untyped global name '(\w+)'.*Cannot determine Numba type of <class '([\w.]+)'>",
        lambda m: f"compiled rules cannot use the global {m[1]} (a {m[2]}): numbers, tuples of them and arrays will do",
    ),
    (r"NameError: (.*)", lambda m: m[1]),
    (
        r"Cannot unify (.+) and (.+) for '(\w+)[.\d]*'",
        lambda m: f"'{m[3]}' has the type {_kind(m[1])} on one way and {_kind(m[2])} on another: give it one type",
    ),
    (
        r"Cannot unify (.+) and (.+) for '\$",  # a value without a name, as that of a conditional expression
        lambda m: f"a value has the type {_kind(m[1])} on one way and {_kind(m[2])} on another: give it one type",
    ),
    (
        r"Can't unify return type from the following types: (.+)",
        lambda m: f"it returns different types on different ways ({m[1]}): return the same type everywhere",
    ),
    (
        r"Casting (OptionalType\(\w+\)|none) to",
        lambda m: "a rule that should return a number returns nothing on some way: end every way with a return",
    ),
    (r"due to \"TypeError: (.+?)\"", lambda m: f"a call does not fit the function: {m[1]}"),
    (r"yield in a closure", lambda m: "a generator (x for x in ...) cannot be compiled: write a loop"),
    (r"unsupported opcode \((\w+)\)", lambda m: f"this statement ({m[1]}) cannot be compiled: write it plainer"),
    (
        r"Cannot resolve setattr: \([\w.]+\[\w{16}\]\)\.(\w+)",
        lambda m: f"self.{m[1]} cannot be changed by the rules: what changes belongs in the state",
    ),
]


class CompileError(BoardlabError):
    """Rules that Numba cannot compile, explained."""


def _unknown_attribute(name: str) -> str:
    return (
        f"compiled rules cannot use self.{name}: only methods, integers, floats, tuples of integers and NumPy arrays "
        "that the class or its setup() defines"
    )


def _kind(numba_type: str) -> str:
    """`Literal[int](3)` as `int`."""
    literal = re.match(r"Literal\[(\w+)\]", numba_type)
    return literal[1] if literal else numba_type


def is_compile_error(error: BaseException) -> bool:
    """Whether Numba raised it (asked without importing Numba)."""
    return type(error).__module__.startswith("numba.")


@contextmanager
def readable_compile_errors(game: object) -> Iterator[None]:
    """Around the first call of a kernel: a `CompileError` with one sentence instead of Numba's own errors."""
    try:
        yield
    except Exception as error:
        if not is_compile_error(error):
            raise
        raise CompileError(f"{type(game).__name__} does not compile: {explain_compile_error(error)}") from error


def explain_compile_error(error: BaseException) -> str:
    """What Numba complains about, where, and what to write instead."""
    text = str(error)
    place = _place(text)
    reason = next((line.strip() for line in text.splitlines() if not _NOISE.match(line)), text)
    reason = re.sub(r"(\s*Raised from |: %).*$", "", reason).rstrip(".")
    for pattern, cure in _CURES:
        match = re.search(pattern, text)
        if match:
            reason = cure(match)
            break
    return f"{place}: {reason}" if place else reason


def _place(text: str) -> str:
    """File, line and function of the innermost place in a game, `mygame.py, line 12, in advance`."""
    for match in _PLACES.finditer(text):
        path = Path(match["f1"] or match["f2"])
        line = int(match["l1"] or match["l2"])
        resolved = path.resolve()
        if "numba" in resolved.parts or (resolved.is_relative_to(_PACKAGE) and "games" not in resolved.parts):
            continue
        function = _function_at(resolved, line)
        return f"{path.name}, line {line}" + (f", in {function}" if function else "")
    method = re.search(r"BoundFunction\([\w.]+\[\w{16}\]\.(\w+)", text)
    return f"in {method[1]}" if method else ""


def _function_at(path: Path, line: int) -> str:
    """Name of the function whose body has this line."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError):
        return ""
    spans = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.lineno <= line <= (n.end_lineno or 0)]
    return max(spans, key=lambda n: n.lineno).name if spans else ""
