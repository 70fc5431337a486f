"""The opening book of the Dots-and-Boxes solver: the exact margin of every position with a few edges.

The file holds a word for each position, edges and margin, of positions that are the same (`dots_keys`) only one. It is
read into a dictionary by key. `make_dots_book` makes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import hot_kernel
from boardlab.errors import BoardlabError
from boardlab.games.dots import DotsAndBoxes
from boardlab.solvers.book_file import read_book, write_book
from boardlab.solvers.dots_keys import Keys, key_of, make_keys, string_bit

__all__ = ["DotsBook", "Positions", "as_record", "book_file", "from_records"]

Words = NDArray[np.int64]

_MAGIC = b"db-book\n"
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
        self.bits = [string_bit(game, edge) for edge in range(game.num_actions)]

    def keys_of(self, edges: Iterable[int]) -> list[int]:
        """The keys of sets of edges."""
        drawn = np.fromiter(edges, np.int64)
        strings = np.zeros_like(drawn)
        for edge, bit in enumerate(self.bits):
            strings |= ((~drawn >> edge) & 1) << bit
        out = np.empty_like(drawn)
        _fill_keys(strings, self.keys, out)
        return [int(key) for key in out]

    def after(self, edges: int) -> list[int]:
        """The sets of edges after each move."""
        return [edges | 1 << edge for edge in range(self.game.num_actions) if not edges >> edge & 1]

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

    def __init__(self, game: DotsAndBoxes, margins: dict[int, int], plies: int = 0) -> None:
        """Make a book of positions with up to so many edges, or more, from margins by set of edges, of which it keeps
        one for each key."""
        self.positions = Positions(game)
        self.edges = dict(zip(self.positions.keys_of(margins), margins, strict=True))
        """By key, one of the sets of edges that have it."""
        self.margins = {key: margins[edges] for key, edges in self.edges.items()}
        self.plies = max(plies, *(edges.bit_count() for edges in margins), 0)

    @property
    def known(self) -> list[int]:
        """For each number of edges the number of positions without a gap."""
        counts = [edges.bit_count() for edges in self.edges.values()]
        return [counts.count(ply) for ply in range(self.plies + 1)]

    @property
    def size(self) -> list[int]:
        """For each number of edges the number of positions."""
        return [len(self.positions.depth_first(ply)) for ply in range(self.plies + 1)]

    def gaps(self) -> list[int]:
        """The sets of edges that it should know and does not, those with fewer edges first."""
        wanted = [edges for ply in range(self.plies + 1) for edges in self.positions.depth_first(ply)]
        keys = self.positions.keys_of(wanted)
        return [edges for key, edges in zip(keys, wanted, strict=True) if key not in self.margins]

    def by_edges(self) -> dict[int, int]:
        """The margins by set of edges."""
        return {edges: self.margins[key] for key, edges in self.edges.items()}

    def margin(self, edges: int) -> int | None:
        """The margin of a position; None where the book does not know it."""
        if edges.bit_count() > self.plies:
            return None
        return self.margins.get(self.positions.keys_of([edges])[0])

    def save(self, path: Path) -> None:
        """Write the book file."""
        game = self.positions.game
        words = sorted(as_record(edges, margin) for edges, margin in self.by_edges().items())
        write_book(path, _MAGIC, _VERSION, _tag(game), np.array(words, "<i8").tobytes())

    @classmethod
    def load(cls, game: DotsAndBoxes, path: Path) -> DotsBook:
        """Read a book file."""
        tag, content = read_book(path, _MAGIC, _VERSION, game.title)
        if tag != _tag(game):
            raise BoardlabError(f"the opening book {path} is for {tag >> 8} x {tag & 255} boxes, not for {game.spec}")
        return cls(game, from_records(np.frombuffer(content, "<i8")))


def _tag(game: DotsAndBoxes) -> int:
    return game.rows << 8 | game.columns


def as_record(edges: int, margin: int) -> int:
    """A position and its margin as one word."""
    return (edges << 8) + margin + _ZERO


def from_records(words: Words) -> dict[int, int]:
    """Margins by set of edges."""
    return {word >> 8: (word & 255) - _ZERO for word in words.tolist()}
