"""Compiled rules do not print: `print(...)` in a rule is a look at plain play, for whoever is writing it.

In compiled code a print would stop the search for every line, and most of what it can format does not compile. So
statements that only print are left out there; everything else stays as it is, line numbers too.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from types import FunctionType

__all__ = ["without_prints"]


def without_prints(function: FunctionType) -> FunctionType:
    """The function without statements that only print; the function itself where it has none, or where its source
    cannot be had."""
    if "print" not in function.__code__.co_names or function.__code__.co_freevars:
        return function
    try:
        lines, first = inspect.getsourcelines(function)
        module = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError):
        return function
    module.body = [_silenced(module.body[0])]
    ast.increment_lineno(module, first - 1)
    names: dict[str, FunctionType] = {}
    code = compile(module, function.__code__.co_filename, "exec")
    exec(code, function.__globals__, names)
    silent = names[function.__name__]
    silent.__defaults__, silent.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    silent.__qualname__ = function.__qualname__
    return silent


def _silenced(definition: ast.stmt) -> ast.stmt:
    """The definition without its decorators and prints."""
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    _Silencer().visit(definition)
    return ast.fix_missing_locations(definition)


class _Silencer(ast.NodeTransformer):
    def visit_Expr(self, statement: ast.Expr) -> ast.stmt:
        call = statement.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print":
            return ast.copy_location(ast.Pass(), statement)
        return statement
