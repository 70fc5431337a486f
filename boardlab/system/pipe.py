"""The pipe to the parent, seen from inside one of its child processes: JSON lines in, JSON lines out.

A process ends when its work is done, and when the parent closes the pipe, whatever the reason: its input is its
lifeline (`boardlab.system.lifeline`), and nothing is left running behind a killed server or sweep. The other side is
`boardlab.system.child`.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["end_at_once", "limit_memory", "listen", "settle_in"]

Message = dict[str, Any]


def limit_memory(count: int) -> None:
    """Let this process have so many bytes and not more, where the system knows such a limit."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (count, count))


def settle_in(niceness: int = 10) -> Callable[[Message], None]:
    """What the main function calls first. Returns the function that says something to the parent; whatever else is
    printed goes to stderr. Work in the background gives way to what a person waits for."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(niceness)
    replies, turn = os.fdopen(os.dup(1), "w", encoding="utf-8"), threading.Lock()
    os.dup2(2, 1)

    def tell(message: Message) -> None:
        with turn, contextlib.suppress(OSError):  # the parent is gone; the end of our input will say so
            replies.write(json.dumps(message) + "\n")
            replies.flush()

    return tell


def listen(told: Callable[[Message], None], closed: Callable[[], None]) -> None:
    """Hear in a thread what the parent says, and that it has closed the pipe."""

    def hear() -> None:
        for line in sys.stdin:
            told(json.loads(line))
        closed()

    threading.Thread(target=hear, daemon=True).start()


def end_at_once() -> None:
    """End this process, which leads a process group, and all that it has started, whatever they do."""
    with contextlib.suppress(OSError, AttributeError):
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)
