"""Searches over games that do not compile: the same kernels, run as plain Python."""

from __future__ import annotations

from functools import wraps
from typing import Any, TypeVar

import numpy as np

from boardlab.compiler import plain

__all__ = ["for_plain_games_too"]

Kernel = TypeVar("Kernel")


def for_plain_games_too(kernel: Kernel) -> Kernel:
    """A kernel whose first argument is a game, and which runs as plain Python where the game does not compile; arrays
    of records then are what plain Python wants."""

    @wraps(kernel)  # type: ignore[arg-type]
    def run(game: Any, *arguments: Any) -> Any:
        if not game.plain:
            return kernel(game, *arguments)  # type: ignore[operator]
        return plain(kernel)(game, *(_as_plain(argument) for argument in arguments))  # type: ignore[operator, type-var]

    return run  # type: ignore[return-value]


def _as_plain(argument: Any) -> Any:
    is_records = isinstance(argument, np.ndarray) and argument.dtype.names is not None
    return argument.view(np.recarray) if is_records else argument
