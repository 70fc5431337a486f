"""What the opening books of the solvers share: their files, and the files that collect results while one is made."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardlabError

__all__ = ["Progress", "add_records", "read_book", "read_records", "write_book"]

_HEADER = struct.Struct("<8sHHI")  # magic, version, tag, checksum of what follows


def write_book(path: Path, magic: bytes, version: int, tag: int, content: bytes) -> None:
    """Write a book file, with a number that tells what it is about."""
    body = zlib.compress(content, 9)
    unfinished = path.with_suffix(".new")
    unfinished.write_bytes(_HEADER.pack(magic, version, tag, zlib.crc32(body)) + body)
    unfinished.replace(path)


def read_book(path: Path, magic: bytes, version: int, title: str) -> tuple[int, bytes]:
    """The tag and the content of a book file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BoardlabError(f"the opening book {path} cannot be read: {error.strerror}") from error
    if len(data) < _HEADER.size or not data.startswith(magic):
        raise BoardlabError(f"{path} is not an opening book of {title}")
    _, found, tag, checksum = _HEADER.unpack_from(data)
    if found != version:
        raise BoardlabError(f"the opening book {path} has version {found}; this boardlab reads {version}")
    body = data[_HEADER.size :]
    if zlib.crc32(body) != checksum:
        raise BoardlabError(f"the opening book {path} is damaged")
    return tag, zlib.decompress(body)


def add_records(path: Path, records: list[int]) -> None:
    """Append results, one word each, to the file that collects them."""
    with path.open("ab") as file:
        file.write(np.array(records, "<i8").tobytes())


def read_records(path: Path) -> NDArray[np.int64]:
    """The results collected so far; a record that was cut off at the end is cut away."""
    if not path.exists():
        return np.zeros(0, np.int64)
    size = path.stat().st_size
    if size % 8:
        with path.open("r+b") as file:
            file.truncate(size - size % 8)
    return np.fromfile(path, "<i8")


@dataclass(frozen=True)
class Progress:
    """How far the making of a book is; `done` counts this run only."""

    done: int
    todo: int
    seconds: float
    cpu_seconds: float
    nodes: int

    @property
    def seconds_left(self) -> float:
        """At the present pace."""
        return self.seconds / max(self.done, 1) * (self.todo - self.done)
