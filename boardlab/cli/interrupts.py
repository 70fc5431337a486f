"""Ctrl-C, or SIGTERM, ends a command even while compiled code runs that does not listen.

Python hears of a signal only when its main thread is back from compiled code, and a rule that loops for ever never
comes back. So a thread listens, too. When the main thread has not answered some seconds after Ctrl-C, it lets whoever
is responsible save what can be saved, says what it does, and ends the process.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["PATIENCE", "end_if_deaf", "saving_when_deaf"]

PATIENCE = 3.0
"""Seconds that the main thread has to answer."""

_save: Callable[[], str] | None = None
_answered = threading.Event()


def _note_answer(_: object) -> int:
    """Called by Python in the main thread, when that runs Python code."""
    _answered.set()
    return 0


_answer = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(_note_answer)


def end_if_deaf() -> None:
    """From now on, Ctrl-C ends this process even if the main thread does not listen."""
    listener, bell = socket.socketpair()  # a pipe would not do on Windows
    bell.setblocking(False)
    signal.set_wakeup_fd(bell.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(listener, bell), daemon=True).start()


@contextmanager
def saving_when_deaf(save: Callable[[], str]) -> Iterator[None]:
    """Within it, `save` is called before a process that does not listen is ended, in another thread, while the main one
    still runs; it returns a sentence about what it did."""
    global _save  # noqa: PLW0603 (there is one main thread)
    _save = save
    try:
        yield
    finally:
        _save = None


def _listen(listener: socket.socket, bell: socket.socket) -> None:
    """Wait for signals; `bell` is only held, so that it stays open."""
    while True:
        if not {signal.SIGINT, signal.SIGTERM} & set(listener.recv(64)):
            continue
        _answered.clear()
        ctypes.pythonapi.Py_AddPendingCall(_answer, None)
        if not _answered.wait(PATIENCE):
            _end()


def _end() -> None:
    kept = ""
    if _save is not None:
        try:
            kept = f"; {_save()}"
        except Exception as error:  # whatever it is, the process has to end
            kept = f"; nothing could be saved: {error}"
    sys.stderr.write(f"\nstopped, though compiled code was still running: a rule that loops for ever?{kept}\n")
    sys.stderr.flush()
    os._exit(130)
