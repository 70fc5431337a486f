"""Files of lines that grow while something runs, such as the journal of a tournament.

A line is written in one step, so that a process that is killed loses none. What a killed machine or a full disk leaves
of a last line is cut off by whoever opens the file next. One process at a time may write.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import IO, Self

from boardlab.errors import BoardlabError
from boardlab.store.files import open_locked

__all__ = ["LineFile"]

SYNC_SECONDS = 0.5
"""The disk is told to keep what was written so often; only a machine that loses its power can lose that much."""
_BLOCK = 65536


class LineFile:
    """A file that is open for more lines. Nobody else can write to it until it is closed."""

    def __init__(self, path: Path, name: str, in_use: str) -> None:
        """Open the file, or begin one. `name` is what people call it, `in_use` what they are told where another process
        writes to it."""
        self.path, self._name = path, name
        with self._told():
            path.parent.mkdir(parents=True, exist_ok=True)
            stream = open_locked(path)
        if stream is None:
            raise BoardlabError(in_use)
        self._stream: IO[bytes] = stream
        self._synced = monotonic()

    def cut_off(self, whole: int) -> None:
        """Cut off what is behind so many bytes, which is no whole line, and go to the end."""
        stream = self._stream
        with self._told():
            stream.truncate(whole)
            stream.seek(0, os.SEEK_END)
            if whole > 0:
                stream.seek(-1, os.SEEK_END)
                if stream.read(1) != b"\n":  # only the end of the line was missing
                    stream.write(b"\n")
                    stream.flush()

    def go_on(self) -> None:
        """Go to the end, and cut off what is no whole line there: whatever a last line has without its end."""
        stream = self._stream
        with self._told():
            begin, tail = stream.seek(0, os.SEEK_END), b""
            while begin > 0 and b"\n" not in tail:
                begin = max(0, begin - _BLOCK)
                stream.seek(begin)
                tail = stream.read(_BLOCK)
        self.cut_off(begin + tail.rfind(b"\n") + 1)

    def add(self, line: bytes) -> None:
        """Write one more line, which comes without its end."""
        with self._told():
            self._stream.write(line + b"\n")
            self._stream.flush()
        if monotonic() - self._synced > SYNC_SECONDS:
            self.sync()

    def sync(self) -> None:
        """Let the disk keep everything now."""
        with self._told():
            os.fsync(self._stream.fileno())
        self._synced = monotonic()

    def close(self) -> None:
        """Close the file, also where the disk takes no more."""
        try:
            self.sync()
        finally:
            with self._told():
                self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What the disk refuses is told in a sentence."""
        try:
            yield
        except OSError as error:
            raise BoardlabError(f"{self._name} cannot be written: {error.strerror or error}") from error
