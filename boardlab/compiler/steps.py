"""How far compiling is: Numba says when it begins with a function, and whoever waits can be told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["compiling_steps"]


@contextmanager
def compiling_steps(told: Callable[[int], None]) -> Iterator[None]:
    """Within it, `told` is called with the number of functions that were begun so far, whenever that grows. What is
    found on the disk counts as nothing."""
    from numba.core import event

    class Steps(event.Listener):
        begun = 0

        def on_start(self, _event: Any) -> None:
            self.begun += 1
            told(self.begun)

        def on_end(self, _event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Steps()):
        yield
