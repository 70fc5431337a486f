"""The transposition table of the depth-first searches: what is known of positions that were searched before.

A position is known by two 64-bit hashes of the bytes of its record: one gives the place and is stored, the other is
stored as a check, so that two positions are taken for one with a chance of about 2^-100 per look-up in any table that
fits a machine. A place has two entries: one for the tallest subtree seen there, one for the latest.

An entry tells for which remaining depths it holds. A subtree in which the depth limit cut nothing off is worth the
same at its own height and at any greater depth; one that was cut is used only at the very same depth. So a search
gives the same result with a table, whatever is in it, as without.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper

__all__ = ["entry_dtype", "find_entry", "hash_record", "holds_at", "make_table", "replaced_entry"]


def entry_dtype(players: int) -> np.dtype[Any]:
    """One entry of the table of a game for so many players."""
    return np.dtype(
        [
            ("key", np.uint64),  # first hash of the position; 0 in an empty entry
            ("check", np.uint64),  # second hash
            ("values", np.float64, (max(players, 2),)),  # max-n: value for each player; alpha-beta: lower, upper bound
            ("depth", np.int32),  # remaining depth of the search, or the height of the subtree if nothing was cut
            ("action", np.int32),  # the best action, -1 where none is known
            ("cut", np.bool_),  # whether the depth limit cut something off
        ],
        align=True,
    )


def make_table(players: int, megabytes: int) -> NDArray[Any]:
    """An empty table of at most so many megabytes (its length is a power of 2); 0 makes one that holds nothing."""
    entries = (megabytes << 20) // entry_dtype(players).itemsize
    return np.zeros(1 << (entries.bit_length() - 1) if entries else 0, entry_dtype(players))


@helper
def hash_record(data: NDArray[np.uint8], row: int, hashes: NDArray[np.uint64]) -> None:
    """Write the two hashes of the record in row `row` of `data`, uint8 of shape (records, bytes), to `hashes`,
    shape (2,): eight bytes at a time, multiplied and folded, with other constants for each."""
    first = np.uint64(0x9E3779B97F4A7C15)
    second = np.uint64(0xC2B2AE3D27D4EB4F)
    size = data.shape[1]
    start = 0
    while start < size:
        word = np.uint64(0)
        if start + 8 <= size:
            for k in range(8):
                word |= np.uint64(data[row, start + k]) << np.uint64(8 * k)
        else:
            for k in range(size - start):
                word |= np.uint64(data[row, start + k]) << np.uint64(8 * k)
        first = (first ^ word) * np.uint64(0xBF58476D1CE4E5B9)
        first ^= first >> np.uint64(32)
        second = (second + word) * np.uint64(0xD6E8FEB86659FD93)
        second ^= second >> np.uint64(29)
        start += 8
    first *= np.uint64(0x94D049BB133111EB)
    first ^= first >> np.uint64(31)
    hashes[0] = first if first != np.uint64(0) else np.uint64(1)
    hashes[1] = second


@helper
def find_entry(table: Any, hashes: NDArray[np.uint64]) -> int:
    """Where the position of these hashes stands in the table, -1 if it does not."""
    if len(table) == 0:
        return -1
    place = np.int64(hashes[0] & np.uint64(len(table) - 2))
    for i in range(place, place + 2):
        if table[i].key == hashes[0] and table[i].check == hashes[1]:
            return i
    return -1


@helper
def holds_at(entry: Any, depth: int) -> bool:
    """Whether the entry can stand for a search of so many more actions."""
    return bool(entry.depth == depth if entry.cut else entry.depth <= depth)


@helper
def replaced_entry(table: Any, hashes: NDArray[np.uint64], depth: int) -> int:
    """Where to write the position of these hashes, a subtree of this depth: over itself; else over the first entry
    of its place if that is no taller, else over the second."""
    known = find_entry(table, hashes)
    if known >= 0:
        return known
    place = np.int64(hashes[0] & np.uint64(len(table) - 2))
    return place if table[place].depth <= depth else place + 1  # type: ignore[return-value]
