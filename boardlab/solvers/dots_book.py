"""The opening book of the Dots-and-Boxes solver: the exact margin of every position with a few edges.

The file holds a word for each position, edges and margin, of positions that are the same (`dots_keys`) only one. It is
read into a dictionary by key. The positions of one number of edges are solved, in the order of a depth-first walk, so
that neighbours share most of their search; what has fewer edges follows from them move by move. Results are appended to
a file at once, so the work can be stopped at any time and goes on there.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from boardlab.compile import hot_kernel
from boardlab.errors import BoardlabError
from boardlab.games.dots import DotsAndBoxes
from boardlab.solvers.dots_keys import Keys, key_of, make_keys, string_bit

__all__ = ["DotsBook", "book_file", "make_dots_book"]

Words = NDArray[np.int64]

_MAGIC = b"db-book\n"
_HEADER = struct.Struct("<8sBBHI")  # magic, rows, columns, version, checksum of what follows
_VERSION = 1
_ZERO = 128
"""Margins are stored with so much added, in eight bits."""


def book_file(game: DotsAndBoxes) -> Path:
    """The book of a board that ships with the package, if there is one."""
    return Path(str(files("boardlab"))) / "data" / f"dots_{game.rows}x{game.columns}_book.bin"


@hot_kernel
def _fill_keys(strings: Words, keys: Keys, out: Words) -> None:
    for i in range(strings.size):
        out[i] = key_of(strings[i], keys)


class Positions:
    """Sets of edges of a board and their keys."""

    def __init__(self, game: DotsAndBoxes) -> None:
        self.game = game
        self.keys = make_keys(game)
        self.bits = np.array([1 << string_bit(game, edge) for edge in range(game.num_actions)])

    def keys_of(self, edges: Iterable[int]) -> list[int]:
        """The keys of sets of edges."""
        drawn = np.fromiter(edges, np.int64)
        strings = sum(
            (((~drawn >> edge) & 1) * bit for edge, bit in enumerate(self.bits.tolist())), np.zeros_like(drawn)
        )
        out = np.empty_like(drawn)
        _fill_keys(strings, self.keys, out)
        return [int(key) for key in out]

    def after(self, edges: int) -> list[int]:
        """The sets of edges after each move."""
        return [edges | 1 << edge for edge in range(self.game.num_actions) if not edges >> edge & 1]

    def boxes(self, edges: int) -> int:
        """How many boxes the edges close."""
        return sum(edges & mask == mask for mask in self.game.box_masks[:-1].tolist())

    def depth_first(self, count: int) -> list[int]:
        """The sets of so many edges, of those that are the same only one, as a depth-first walk meets them."""
        seen: set[int] = set()
        found: list[int] = []

        def walk(edges: int) -> None:
            if edges.bit_count() == count:
                found.append(edges)
                return
            after = self.after(edges)
            for key, more in zip(self.keys_of(after), after, strict=True):
                if key not in seen:
                    seen.add(key)
                    walk(more)

        walk(0)
        return found


class DotsBook:
    """Margins by key: boxes to come for the player to move minus those for the other one."""

    def __init__(self, game: DotsAndBoxes, margins: dict[int, int]) -> None:
        """Make a book from margins by set of edges, of which it keeps one for each key."""
        self.positions = Positions(game)
        self.edges: dict[int, int] = dict(zip(self.positions.keys_of(margins), margins, strict=True))
        self.margins = {key: margins[edges] for key, edges in self.edges.items()}
        self.plies = max((edges.bit_count() for edges in self.edges.values()), default=-1)

    def margin(self, edges: int) -> int | None:
        """The margin of a position; None where the book does not know it."""
        if edges.bit_count() > self.plies:
            return None
        return self.margins.get(self.positions.keys_of([edges])[0])

    def derive(self) -> None:
        """Fill in what follows for positions with fewer edges."""
        for count in reversed(range(self.plies)):
            for edges in self.positions.depth_first(count):
                margin = self._best(edges)
                if margin is not None:
                    key = self.positions.keys_of([edges])[0]
                    self.edges[key], self.margins[key] = edges, margin

    def _best(self, edges: int) -> int | None:
        """The margin as the best move leads to; None where the book does not know them all."""
        best = None
        closed = self.positions.boxes(edges)
        after = self.positions.after(edges)
        for key, more in zip(self.positions.keys_of(after), after, strict=True):
            if key not in self.margins:
                return None
            taken = self.positions.boxes(more) - closed
            margin = taken + self.margins[key] if taken else -self.margins[key]
            best = margin if best is None else max(best, margin)
        return best

    def save(self, path: Path) -> None:
        """Write the book file."""
        game = self.positions.game
        words = sorted((edges << 8) + self.margins[key] + _ZERO for key, edges in self.edges.items())
        body = zlib.compress(np.array(words, "<i8").tobytes(), 9)
        unfinished = path.with_suffix(".new")
        unfinished.write_bytes(_HEADER.pack(_MAGIC, game.rows, game.columns, _VERSION, zlib.crc32(body)) + body)
        unfinished.replace(path)

    @classmethod
    def load(cls, game: DotsAndBoxes, path: Path) -> DotsBook:
        """Read a book file."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise BoardlabError(f"the opening book {path} cannot be read: {error.strerror}") from error
        if len(data) < _HEADER.size or not data.startswith(_MAGIC):
            raise BoardlabError(f"{path} is not an opening book of Dots and Boxes")
        _, rows, columns, version, checksum = _HEADER.unpack_from(data)
        if version != _VERSION:
            raise BoardlabError(f"the opening book {path} has version {version}; this boardlab reads {_VERSION}")
        if (rows, columns) != (game.rows, game.columns):
            raise BoardlabError(f"the opening book {path} is for {rows} x {columns} boxes, not for {game.spec}")
        body = data[_HEADER.size :]
        if zlib.crc32(body) != checksum:
            raise BoardlabError(f"the opening book {path} is damaged")
        return cls(game, dict(_margins(np.frombuffer(zlib.decompress(body), "<i8"))))


def _margins(words: Words) -> Iterator[tuple[int, int]]:
    for word in words.tolist():
        yield word >> 8, (word & 255) - _ZERO


# ---------------------------------------------------------------- making it


@dataclass(frozen=True)
class Progress:
    """How far `make_dots_book` is; `done` counts this run only."""

    done: int
    todo: int
    seconds: float

    @property
    def seconds_left(self) -> float:
        """At the present pace."""
        return self.seconds / max(self.done, 1) * (self.todo - self.done)


def make_dots_book(
    game: DotsAndBoxes,
    plies: int,
    results: Path,
    margin_of: Callable[[int], int],
    *,
    minutes: float | None = None,
    report: Callable[[Progress], None] = lambda progress: None,
) -> DotsBook:
    """Solve the positions of so many edges that the file `results` does not hold yet, with `margin_of`, add them to it,
    and return the book of all that it holds. After `minutes` it stops and leaves the rest for another time."""
    known = set(_read_results(results))
    todo = [edges for edges in Positions(game).depth_first(plies) if edges not in known]
    began = said = monotonic()
    for done, edges in enumerate(todo):
        if minutes is not None and monotonic() - began > 60.0 * minutes:
            break
        if monotonic() - said > 10.0:
            said = monotonic()
            report(Progress(done, len(todo), said - began))
        word = (edges << 8) + margin_of(edges) + _ZERO
        with results.open("ab") as file:
            file.write(word.to_bytes(8, "little"))
    book = DotsBook(game, _read_results(results))
    book.derive()
    return book


def _read_results(path: Path) -> dict[int, int]:
    """Margins by set of edges; a record that was cut off at the end is cut away."""
    if not path.exists():
        return {}
    size = path.stat().st_size
    if size % 8:
        with path.open("r+b") as file:
            file.truncate(size - size % 8)
    return dict(_margins(np.fromfile(path, "<i8")))
