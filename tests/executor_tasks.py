"""Tasks for the tests of executors, which find this module on their PYTHONPATH."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from boardlab.errors import BoardlabError


def double(number: int) -> dict[str, int]:
    return {"twice": 2 * number, "process": os.getpid()}


def environment(variable: str) -> str | None:
    print("what is printed is not part of the answer")
    return os.environ.get(variable)


def refuse() -> None:
    raise BoardlabError("this cannot be")


def fall_over() -> None:
    raise KeyError("a mistake of ours")


def give_a_path() -> Path:
    return Path()


def die(once: str | None = None) -> str:
    """End by SIGKILL; where a file is named, only while there is none."""
    if once is not None and Path(once).exists():
        return "done at the second attempt"
    if once is not None:
        Path(once).touch()
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


def sleep_until_told(began: str, ended: str) -> None:
    """Wait for SIGTERM, and leave a file when it has come."""
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    Path(began).touch()
    while not told:
        time.sleep(0.01)
    Path(ended).touch()


def hang(began: str) -> None:
    Path(began).write_text(str(os.getpid()))
    while True:
        time.sleep(1)


def note(number: int, path: str) -> None:
    with Path(path).open("a") as stream:
        stream.write(f"{number}\n")
