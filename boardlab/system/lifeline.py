"""Child processes that end with the process that started them, however that one ends.

A lifeline is a pipe whose other end is held by the parent alone. The system closes it with the parent, after SIGKILL
too, and then there is something to read at the child's end: that the pipe is over. A process of ours waits for it in a
thread, which compiled code does not hold up (`end_with_parent`; what the arena starts has its input for a lifeline, see
`pipe`). A program of somebody else knows nothing of lifelines, so a shell waits in its stead (`tie`).
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import parent_process
from multiprocessing.connection import wait

__all__ = ["end_with_parent", "tie"]

_KILL_GROUP = 'read line; kill -s KILL -- "-$0"'


def end_with_parent(last: Callable[[], None] = lambda: None) -> None:
    """Let this worker process of `multiprocessing` end as soon as the one that started it is gone, whatever it does at
    that time; `last` is called before."""
    parent = parent_process()
    assert parent is not None, "only a worker process has a parent to end with"
    lifeline = parent.sentinel

    def watch() -> None:
        wait([lifeline])
        with suppress(Exception):
            last()
        os._exit(1)

    threading.Thread(target=watch, name="lifeline", daemon=True).start()


def tie(process: subprocess.Popen[str]) -> Callable[[], None]:
    """Let a program, which leads a process group, be killed with its group when this process is gone. Returns what
    unties it again, which has to be done before its number may belong to another program. Without a POSIX shell nothing
    is tied."""
    if os.name != "posix":
        return lambda: None
    guard = subprocess.Popen(
        ["/bin/sh", "-c", _KILL_GROUP, str(process.pid)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # what is sent to our group is not for it
    )

    def untie() -> None:
        guard.kill()
        guard.wait()
        if guard.stdin is not None:
            guard.stdin.close()

    return untie
