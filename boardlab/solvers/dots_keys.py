"""Keys of Dots-and-Boxes positions: one for positions that are the same, though they look different.

Positions are the same if their strings and coins form the same graph; a key finds many of those, not all. It is the
smallest among the images of a position under the symmetries of the board, and in each image every *tile* of 2 x 2 coins
(at the rim also less) is put in order: its coins may change places as long as those that are tied to coins of other
tiles stay where they are. That covers the two strings of a corner, a corner turned over, a block that hangs on a single
coin, and saves two fifths of all nodes on 4 x 4.

A position as a key sees it is a word with the strings of each tile side by side; a string between two tiles is there
twice. A table for each tile tells how its strings look in order. What comes out of it has each string once.
"""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import inlined
from boardlab.compiler.bits import popcount
from boardlab.games.dots import DotsAndBoxes

__all__ = ["Keys", "key_of", "key_without", "make_keys", "string_bit", "take_images"]

Words = NDArray[np.int64]

IMAGES = 8
"""Images of a position, of which a board that is no square has each one twice."""
_TILE = 2
_SETS = 1 << 12
"""Sets of strings of a tile: it has at most twelve."""
_SYMMETRIC_UNTIL = 18
"""When more edges than that are drawn, images of a position hardly meet any more, and the keys of all eight images take
nearly as long as the rest of a node."""


class Keys(NamedTuple):
    """The tables for the keys of a board."""

    symmetric_from: int
    """With so many strings or more, all images of a position have one key."""
    maps: Words
    """Shape (images, bytes, 256): what the strings of each byte contribute to the word of an image."""
    cuts: Words
    """Shape (strings, images): what a string contributes to the word of an image."""
    starts: Words
    """Shape (tiles, 2): where the strings of a tile begin in a word, and where in a key."""
    ordered: NDArray[np.int16]
    """Shape (tiles, 4096): the strings of a tile, put in order, as they are in a key. Those that have fewer than twelve
    strings are followed by others in a word, which change nothing."""


@inlined
def key_of(strings: int, keys: Keys) -> int:
    """The key of a position, at most 40 bits."""
    smallest = (1 << 63) - 1
    for image in range(IMAGES if popcount(strings) >= keys.symmetric_from else 1):
        smallest = min(smallest, _in_order(_word(strings, image, keys), keys))
    return smallest


@inlined
def take_images(strings: int, keys: Keys, words: Words, at: int) -> None:
    """Put the words of a position into an array, `IMAGES` of them from `at` on, for `key_without`."""
    for image in range(IMAGES if popcount(strings) > keys.symmetric_from else 1):
        words[at + image] = _word(strings, image, keys)


@inlined
def key_without(string: int, count: int, keys: Keys, words: Words, at: int) -> int:
    """The key of the position of which `take_images` has taken the words, of `count` strings, when one is cut."""
    if count <= keys.symmetric_from:
        return _in_order(words[at] & ~keys.cuts[string, 0], keys)
    smallest = (1 << 63) - 1
    for image in range(IMAGES):
        smallest = min(smallest, _in_order(words[at + image] & ~keys.cuts[string, image], keys))
    return smallest


@inlined
def _word(strings: int, image: int, keys: Keys) -> int:
    word = 0
    for byte in range(keys.maps.shape[1]):
        word |= keys.maps[image, byte, strings & 255]
        strings >>= 8
    return word


@inlined
def _in_order(word: int, keys: Keys) -> int:
    key = 0
    for tile in range(keys.starts.shape[0]):
        key |= keys.ordered[tile, (word >> keys.starts[tile, 0]) & (_SETS - 1)] << keys.starts[tile, 1]
    return key


# ---------------------------------------------------------------- tables


def string_bit(game: DotsAndBoxes, edge: int) -> int:
    """The bit of an edge in a word of strings."""
    (row, column), (end, _) = game.dots(edge)
    width = game.columns + 1
    return row * width + column + (0 if row == end else (game.rows + 1) * width)


def make_keys(game: DotsAndBoxes) -> Keys:
    """The tables for the board of a game."""
    tiles = [_Tile(game, row, column) for row in range(0, game.rows, _TILE) for column in range(0, game.columns, _TILE)]
    starts = np.zeros((len(tiles), 2), np.int64)
    ordered = np.zeros((len(tiles), _SETS), np.int16)
    word = [0] * game.num_actions
    start = end = 0
    for i, tile in enumerate(tiles):
        starts[i] = start, end
        found = np.resize(tile.in_order(), _SETS)
        for place, edge in enumerate(tile.edges):
            if word[edge] == 0:
                ordered[i] |= (((found >> place) & 1) << (end - starts[i, 1])).astype(np.int16)
                end += 1
            word[edge] |= 1 << (start + place)
        start += len(tile.edges)
    bits = [string_bit(game, edge) for edge in range(game.num_actions)]
    cuts = np.zeros((max(bits) + 1, IMAGES), np.int64)
    symmetries = game.symmetries()[:, : game.num_actions]
    for image, permutation in enumerate(np.resize(symmetries, (IMAGES, game.num_actions)).tolist()):
        for edge, source in enumerate(permutation):
            cuts[bits[source], image] = word[edge]
    maps = np.zeros((IMAGES, (max(bits) + 8) // 8, 256), np.int64)
    for bit in bits:
        maps[:, bit // 8, np.arange(256) >> bit % 8 & 1 == 1] |= cuts[bit][:, None]
    return Keys(game.num_actions - _SYMMETRIC_UNTIL, maps, cuts, starts, ordered)


class _Tile:
    """Some coins of a board, with the strings between them, to the ground and to other coins."""

    def __init__(self, game: DotsAndBoxes, row: int, column: int) -> None:
        rows, columns = range(row, min(row + _TILE, game.rows)), range(column, min(column + _TILE, game.columns))
        self.boxes = [r * game.columns + c for r in rows for c in columns]
        self.edges = [edge for edge in range(game.num_actions) if {*game.edge_boxes[edge].tolist()} & {*self.boxes}]
        """The edges that are its strings; the lists below have their places here."""
        self.between: dict[frozenset[int], int] = {}
        self.ground: dict[int, list[int]] = {box: [] for box in self.boxes}
        self.outward: dict[int, list[int]] = {box: [] for box in self.boxes}
        for place, edge in enumerate(self.edges):
            ends = [box for box in game.edge_boxes[edge].tolist() if box < game.num_boxes]
            inside = [box for box in ends if box in self.boxes]
            if len(inside) == 2:
                self.between[frozenset(inside)] = place
            else:
                (self.ground if len(ends) == 1 else self.outward)[inside[0]].append(place)

    def in_order(self) -> Words:
        """For every set of its strings the smallest one that is the same."""
        sets = np.arange(1 << len(self.edges))
        smallest = sets
        for permutation in permutations(self.boxes):
            moved = self._moved(sets, dict(zip(self.boxes, permutation, strict=True)))
            smallest = np.minimum(smallest, moved)
        return smallest

    def _moved(self, sets: Words, to: dict[int, int]) -> Words:
        """The strings when each coin takes another one's place; where that cannot be, a large number."""
        moved = np.zeros_like(sets)
        wrong = np.zeros(sets.shape, bool)
        for box in self.boxes:
            for place in self.outward[box]:
                there = (sets >> place) & 1
                wrong |= (there == 1) & (to[box] != box)
                moved |= there << place
            hanging = sum(((sets >> place) & 1 for place in self.ground[box]), np.zeros_like(sets))
            wrong |= hanging > len(self.ground[to[box]])
            for count, place in enumerate(self.ground[to[box]]):
                moved |= (hanging > count).astype(np.int64) << place
        for pair, place in self.between.items():
            there = (sets >> place) & 1
            target = self.between.get(frozenset(to[box] for box in pair))
            wrong |= (there == 1) & (target is None)
            moved |= there << (target or 0)
        return np.where(wrong, 1 << 62, moved)
