"""How several processes get along with the same files: locks, claims, and files that are written whole or not at all.

A lock belongs to an open file, so the system releases it with the process that has it, however that one ends; no lock
outlives its owner. A file that serves as a lock, or is being written, is removed or renamed by its owner alone while he
has the lock on it: whoever gets the lock afterwards sees that the file is no longer in its place. What killed processes
left behind is therefore known by its lock being free.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from boardlab.errors import BoardlabError

__all__ = ["InUse", "claimed", "is_claimed", "open_locked", "write_atomically", "write_bytes"]

_LEFT_BEHIND = re.compile(r"\..+\.(agent|csv|json|txt)\.([0-9a-z_]{8}|lock)")
"""Names of files that are being written, and of claims."""


class InUse(BoardlabError):
    """Another process is training the agent of this file."""


# ---------------------------------------------------------------- locks


def open_locked(path: Path, *, wait: bool = False, lockless: bool = True) -> IO[bytes] | None:
    """The file, made if there is none, open for writing and locked until it is closed; None where another one has the
    lock, unless it is to `wait`. `lockless` says whether a disk that knows no locks will do."""
    while True:
        stream = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644), "r+b")
        try:
            locked = _lock(stream.fileno(), wait)
        except OSError:
            locked = lockless
        if locked and _is_in_place(stream, path):
            return stream
        stream.close()
        if not locked:
            return None


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, wait: bool) -> bool:
        while True:
            with suppress(OSError):
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
                return True
            if not wait:
                return False
            time.sleep(0.1)

else:
    import fcntl

    def _lock(descriptor: int, wait: bool) -> bool:
        """Whether we have the lock now; an OSError where there are none."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _is_in_place(stream: IO[bytes], path: Path) -> bool:
    """Whether the open file still has its name: the one who had the lock before may have removed it."""
    try:
        return os.path.samestat(os.fstat(stream.fileno()), path.stat())
    except FileNotFoundError:
        return False


# ---------------------------------------------------------------- claims


@contextmanager
def claimed(path: Path, *, wait: bool = False) -> Iterator[None]:
    """The agent file is ours, there or not yet, until the context ends; InUse where it is another one's, unless it is
    to `wait`. What killed processes left in its folder is removed."""
    missing = [folder for folder in (path.parent, *path.parent.parents) if not folder.exists()]
    lock = path.with_name(f".{path.name}.lock")
    with _explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = open_locked(lock, wait=wait)
    if stream is None:
        raise InUse(f"{path} is being trained by another process just now; wait for its end, or take another name")
    try:
        _remove_left_behind(path.parent)
        yield
    finally:
        _remove(lock, stream)
        with suppress(OSError):  # there is something in them by now
            for folder in missing:
                folder.rmdir()


def is_claimed(path: Path) -> bool:
    """Whether another one has the agent file just now."""
    try:
        with claimed(path):
            return False
    except BoardlabError as error:  # or it cannot be written at all
        return isinstance(error, InUse)


def _remove_left_behind(folder: Path) -> None:
    """Remove what nobody has a lock on of half-written files and claims."""
    for path in folder.iterdir():
        if _LEFT_BEHIND.fullmatch(path.name):
            with suppress(OSError):
                stream = open_locked(path, lockless=False)
                if stream is not None:
                    _remove(path, stream)


def _remove(path: Path, stream: IO[bytes]) -> None:
    """Remove a file that we have locked, before somebody else can have the lock."""
    if sys.platform == "win32":  # where an open file cannot be removed
        stream.close()
    with suppress(OSError):
        path.unlink()
    stream.close()


# ---------------------------------------------------------------- writing


def write_atomically(path: Path, write: Callable[[IO[bytes]], None]) -> None:
    """Write a file beside the old one, and put it in its place when it is complete."""
    with _explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        stream = open_locked(temporary, wait=True)
        assert stream is not None
        try:
            write(stream)
            stream.flush()
            os.fsync(stream.fileno())
            if sys.platform == "win32":  # where an open file cannot be renamed
                stream.close()
            os.replace(temporary, path)
        except BaseException:
            _remove(temporary, stream)
            raise
        stream.close()


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all."""

    def write(stream: IO[bytes]) -> None:
        stream.write(content)

    write_atomically(path, write)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BoardlabError(
            f"{path} cannot be written: {error.strerror or error}; what was there before is untouched"
        ) from error
