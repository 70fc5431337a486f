"""Long pieces of work, trainings and matches, each in a process of its own that talks with the server by JSON lines.

`LongWork` is the server's side; `settle_in` and `listen` are for the main function of such a process. It ends when its
work is done, and when the server closes the pipe, whatever the reason: its input is its lifeline (`boardlab.lifeline`),
and nothing is left running behind a killed server.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["LongWork", "Message", "death_sentence", "end_at_once", "limit_memory", "listen", "settle_in"]

Message = dict[str, Any]


class LongWork:
    """A running process. `told(message)` is called for every line that it says and `ended(code)` when it is gone; both
    in a thread that belongs to it."""

    def __init__(
        self, module: str, argument: str, told: Callable[[Message], None], ended: Callable[[int], None]
    ) -> None:
        self._told, self._ended = told, ended
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, argument],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C in the terminal is for the server alone
        )
        self._thread = threading.Thread(target=self._listen, name=module, daemon=True)

    def start(self) -> None:
        """Begin to listen; separate from its making, so that the owner knows it before it speaks."""
        self._thread.start()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def send(self, message: Message) -> None:
        """Say something to the process; one that is gone does not hear it."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()

    def kill(self) -> None:
        """End the process and those that it has started."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def wait(self, seconds: float) -> bool:
        """Whether the process has ended, and everybody has been told, within this time."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _listen(self) -> None:
        assert self._process.stdout is not None and self._process.stdin is not None
        for line in self._process.stdout:
            with contextlib.suppress(ValueError):  # a line cut short by the death of the process
                self._told(json.loads(line))
        code = self._process.wait()
        self.kill()  # what it had started itself, had it been killed
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.stdout.close()
        self._ended(code)


def death_sentence(code: int) -> str:
    """Why a process has ended that had not finished its work."""
    if code >= 0:
        return f"its process ended unexpectedly (exit code {code}); the terminal of the arena tells more"
    reason = "; perhaps there was too little memory" if -code == signal.SIGKILL else ""
    return f"its process was ended by signal {-code}{reason}"


# ---------------------------------------------------------------- inside the process


def limit_memory(count: int) -> None:
    """Let this process have so many bytes and not more, where the system knows such a limit."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (count, count))


def settle_in(niceness: int = 10) -> Callable[[Message], None]:
    """What the main function calls first. Returns the function that says something to the server; whatever else is
    printed goes to stderr. Work in the background gives way to the page."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(niceness)
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def tell(message: Message) -> None:
        with contextlib.suppress(OSError):  # the server is gone; the end of our input will say so
            replies.write(json.dumps(message) + "\n")
            replies.flush()

    return tell


def listen(told: Callable[[Message], None], closed: Callable[[], None]) -> None:
    """Hear in a thread what the server says, and that it has closed the pipe."""

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
