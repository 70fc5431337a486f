"""Errors that come from a user's own code, while a command or the arena runs it: one sentence for each, where there is
one, so that no face of boardlab shows a traceback for them."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import TracebackType

from boardlab.compiler.errors import explain_compile_error, is_compile_error
from boardlab.game import UnsoundRules
from boardlab.registry import USER_MODULE

__all__ = ["explain_user_error"]

_OUT_OF_BOUNDS = "index is out of bounds"
"""What Numba says when compiled code, which it was told to watch, leaves an array."""


def explain_user_error(error: BaseException) -> str | None:
    """A sentence for an error in code that is not ours; None where the fault is ours."""
    if isinstance(error, UnsoundRules):
        return str(error)
    if is_compile_error(error):
        return f"the rules do not compile: {explain_compile_error(error)}"
    if isinstance(error, IndexError) and str(error) == _OUT_OF_BOUNDS:
        return "a rule reads or writes beyond the end of an array; `boardlab check GAME` looks for the position"
    where = _place(error.__traceback__)
    return f"{where} stopped with {type(error).__name__}: {error}" if where else None


def _place(trace: TracebackType | None) -> str:
    """The innermost line of a user's file, as `advance (mygame.py, line 12)`; empty where there is none."""
    place = ""
    for frame, line in traceback.walk_tb(trace):
        if str(frame.f_globals.get("__name__", "")).startswith(USER_MODULE):
            place = f"{frame.f_code.co_name} ({Path(frame.f_code.co_filename).name}, line {line})"
    return place
