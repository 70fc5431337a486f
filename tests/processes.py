"""Shared by the tests of what becomes of processes: who has started whom, as Linux tells it, and a full disk."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["all_gone", "descendants", "largest_file", "wait_until"]


def wait_until(what: Callable[[], object], seconds: float = 120.0) -> None:
    """Come back when it is true. The time is only there to end a test that hangs."""
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until
        time.sleep(0.05)


def descendants(pid: int) -> set[int]:
    """The processes that a process has started, and those that they have started; zombies do not count."""
    parents = {int(path.parent.name): _parent(path) for path in Path("/proc").glob("[0-9]*/stat")}
    found: set[int] = set()
    while new := {child for child, parent in parents.items() if parent in {pid, *found}} - found:
        found |= new
    return found


def all_gone(pids: Iterable[int]) -> bool:
    return all(_parent(Path(f"/proc/{pid}/stat")) is None for pid in pids)


def _parent(stat: Path) -> int | None:
    """The parent of a living process; its name, in brackets, may have blanks."""
    try:
        state, parent = stat.read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return None
    return None if state == "Z" else int(parent)


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """The system refuses to write more into a file, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
