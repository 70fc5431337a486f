"""Long pieces of work, as trainings and matches, in a process of its own that talks with its parent by JSON lines.

This is the parent's side, `boardlab.system.pipe` the other one.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["LongWork", "Message", "death_sentence"]

Message = dict[str, Any]


class LongWork:
    """A running process. `told(message)` is called for every line that it says and `ended(code)` when it is gone; both
    in a thread that belongs to it. `environment` are variables that it has besides those of its parent."""

    def __init__(
        self,
        module: str,
        argument: str,
        told: Callable[[Message], None],
        ended: Callable[[int], None],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._told, self._ended = told, ended
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, argument],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, **(environment or {})},
            start_new_session=True,  # Ctrl-C in the terminal is for the parent alone
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

    def terminate(self) -> None:
        """Ask the process to end: SIGTERM."""
        with contextlib.suppress(OSError):
            self._process.terminate()

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
        return f"its process ended unexpectedly (exit code {code}); the terminal tells more"
    reason = "; perhaps there was too little memory" if -code == signal.SIGKILL else ""
    return f"its process was ended by signal {-code}{reason}"
