"""Machine code that can wait: what is needed first is compiled first.

An agent has its searches compiled when it is made (`compiled`), so that its first move is not the slow one. Whoever
makes it for later (`compiled_later`) gets the work as a list, to be done when it suits. The opponent of a training is
needed for the first evaluation, not to learn: in Connect Four that was a sixth of the wait before the first episode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["compiled", "compiled_later"]

Work = Callable[[], None]

_waiting: ContextVar[list[Work] | None] = ContextVar("_waiting", default=None)


def compiled(work: Work) -> None:
    """Compile now, or when whoever has asked for that thinks fit."""
    waiting = _waiting.get()
    if waiting is None:
        work()
    else:
        waiting.append(work)


@contextmanager
def compiled_later() -> Iterator[list[Work]]:
    """Within it nothing of this kind is compiled; the list is what remains to be done."""
    waiting: list[Work] = []
    token = _waiting.set(waiting)
    try:
        yield waiting
    finally:
        _waiting.reset(token)
