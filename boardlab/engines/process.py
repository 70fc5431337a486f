"""An engine as a process: lines go in, lines come out, and nothing that it does can block or outlive us.

Threads read its output and its complaints, so that no pipe fills up; every wait has an end; whatever goes wrong ends
the process and is told in one sentence. `gtp` and `nboard` speak with engines through this class.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, Full, Queue
from time import monotonic
from typing import IO, NoReturn

from boardlab.errors import BoardlabError
from boardlab.system.lifeline import tie

__all__ = ["EngineProcess"]

LONGEST_LINE = 10_000
WAITING_LINES = 1_000
"""How many lines of an engine may wait to be read; then it has to wait itself."""
FAREWELL_SECONDS = 1.0
"""How long an engine has to go when it is told to quit."""


class EngineProcess:
    """A running program. It is ended when this object is no longer used, and at the end of Python at the latest,
    even if that is a sudden one."""

    def __init__(self, command: str, timeout: float) -> None:
        """Start the program with its arguments; no shell is involved. An answer may take `timeout` seconds."""
        self.name = command
        """How messages call it; a protocol in which engines say their name may change it."""
        self.timeout = timeout
        self._command = ""
        self._process = process = _start(command)
        untie = tie(process)
        self._lines: Queue[str | None] = Queue(WAITING_LINES)
        self._complaints: deque[str] = deque(maxlen=10)
        over = threading.Event()
        # neither the threads nor the finalizer hold this object, so that it can be thrown away
        _in_background(_read_output, process.stdout, self._lines, over)
        self._listener = _in_background(_read_complaints, process.stderr, self._complaints)
        self._end = weakref.finalize(self, _end, process, over, untie)

    def send(self, command: str) -> None:
        """Write a line to the program."""
        self._command = command
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            self._has_ended()

    def answers(self, seconds: float = 0.0) -> Iterator[str]:
        """The lines that the program writes, until the caller has what he waits for. The program has `seconds` more
        than the timeout for them."""
        end = monotonic() + self.timeout + seconds
        while True:
            try:
                yield self._next(end - monotonic())
            except Empty:
                self.fail(
                    f"did not answer {self._command!r} within {self.timeout + seconds:g} seconds and was stopped; "
                    "the option timeout gives it more"
                )

    def remarks(self, quiet: float) -> Iterator[str]:
        """The lines that the program writes until it says nothing for so many seconds, or the timeout has come."""
        end = monotonic() + self.timeout
        with suppress(Empty):
            while monotonic() < end:
                yield self._next(quiet)

    def fail(self, reason: str) -> NoReturn:
        """End the program, and say what it did."""
        _kill(self._process)
        self.close()
        raise BoardlabError(f"the engine {self.name} {reason}")

    def close(self) -> None:
        """Let the program quit; end it where it does not."""
        self._end()

    def _next(self, seconds: float) -> str:
        line = self._lines.get(timeout=max(seconds, 0.001))
        if line is None:
            self._has_ended()
        return line.strip()

    def _has_ended(self) -> NoReturn:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL_SECONDS)
        self._listener.join(FAREWELL_SECONDS)
        code = self._process.poll()
        how = "has closed its output" if code is None else f"has ended (code {code})"
        words = [line.strip() for line in self._complaints if line.strip()]
        last = f"; its last words: {words[-1]}" if words else ""
        self.fail(f"{how} and does not answer {self._command!r}{last}")


def _start(command: str) -> subprocess.Popen[str]:
    try:
        words = [os.path.expanduser(word) for word in shlex.split(command)]
    except ValueError as error:
        raise BoardlabError(f"the command {command!r} of the engine cannot be read: {error}") from error
    if not words:
        raise BoardlabError("the command of an engine is a program with its arguments, as edax -gtp; it is empty")
    try:
        return subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # Ctrl-C is for us alone, and programs that it starts can be ended with it
        )
    except FileNotFoundError as error:
        raise BoardlabError(
            f"there is no program {words[0]!r} here; the command of an engine is a program with its arguments, "
            "as edax -gtp or /path/to/engine --level 5"
        ) from error
    except OSError as error:
        raise BoardlabError(f"the program {words[0]!r} cannot be started: {error.strerror}") from error


def _in_background(function: Callable[..., None], *arguments: object) -> threading.Thread:
    thread = threading.Thread(target=function, args=arguments, daemon=True)
    thread.start()
    return thread


def _read_output(stream: IO[str], lines: Queue[str | None], over: threading.Event) -> None:
    """Put every line into the queue, and None at the end."""
    with stream:
        for line in iter(lambda: stream.readline(LONGEST_LINE), ""):
            if not _put(lines, line, over):
                return
    _put(lines, None, over)


def _put(lines: Queue[str | None], line: str | None, over: threading.Event) -> bool:
    """Whether the line found its place in the queue before all was over."""
    while not over.is_set():
        with suppress(Full):
            lines.put(line, timeout=0.1)
            return True
    return False


def _read_complaints(stream: IO[str], complaints: deque[str]) -> None:
    with stream:
        complaints.extend(iter(lambda: stream.readline(LONGEST_LINE), ""))


def _end(process: subprocess.Popen[str], over: threading.Event, untie: Callable[[], None]) -> None:
    """Ask the program to quit, and kill it if it does not; afterwards there is no such process any more."""
    over.set()
    assert process.stdin is not None
    with suppress(OSError, ValueError):
        if process.poll() is None:
            process.stdin.write("quit\n")
        process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(FAREWELL_SECONDS)
    _kill(process)
    untie()


def _kill(process: subprocess.Popen[str]) -> None:
    """Kill the program and those that it started."""
    if process.poll() is None:
        if os.name == "posix":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
