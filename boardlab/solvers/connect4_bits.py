"""Bitboards of Connect Four, 7 columns by 6 rows, for the solver: threats, keys, and what follow-up play guarantees.

A column takes seven bits, its top one always empty, as in `boardlab.games.connect4`. A position is the stones of the
player to move and the mask of all stones. Rows are counted from 0 here, so the even rows 0, 2 and 4 are those that
the literature calls odd. All functions run in plain Python and compiled; those on `Bits` take NumPy arrays as well.

`follow_up_bound` is the part of the theory of zugzwang (Allis 1988: claimeven and baseinverse) that can be decided with
a few instructions. Let the player who is not to move, the follower, answer every stone in the column where it fell. In
a column with an even number of stones he then gets the odd rows and the mover the even ones. The lowest empty cells of
the columns with an odd number of stones, the bases, are paired: when the mover takes one of a pair, the follower takes
the other. If the mover completes no four with all that he can get this way, he cannot win; and if a threat of the
follower is all that is left over, he has lost."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper
from boardlab.compiler.bits import lowest_bit, popcount

__all__ = [
    "BOARD",
    "BOTTOM",
    "NO_BOUND",
    "canonical",
    "follow_up_bound",
    "fours",
    "has_four",
    "mirrored",
    "position_key",
    "winning_cells",
]

Bits = TypeVar("Bits", int, NDArray[np.int64])
"""A bitboard or key, or an array of them."""

BOTTOM = sum(1 << (7 * column) for column in range(7))
"""The lowest cell of every column."""
BOARD = BOTTOM * 0b0111111
EVEN_ROWS = BOTTOM * 0b0010101
ODD_ROWS = BOTTOM * 0b0101010
ABOVE = BOTTOM << 6
"""The bit above the top cell of every column."""
NO_BOUND = 99
"""What `follow_up_bound` returns where follow-up play guarantees nothing of use."""


@helper
def winning_cells(stones: Bits) -> Bits:
    """Cells that complete four in a row with three of `stones`, of which the lower three if in a column; occupied
    cells and cells outside of the board included."""
    cells = (stones << 1) & (stones << 2) & (stones << 3)
    pair = (stones << 7) & (stones << 14)
    cells |= pair & ((stones << 21) | (stones >> 7))
    pair = (stones >> 7) & (stones >> 14)
    cells |= pair & ((stones << 7) | (stones >> 21))
    pair = (stones << 6) & (stones << 12)
    cells |= pair & ((stones << 18) | (stones >> 6))
    pair = (stones >> 6) & (stones >> 12)
    cells |= pair & ((stones << 6) | (stones >> 18))
    pair = (stones << 8) & (stones << 16)
    cells |= pair & ((stones << 24) | (stones >> 8))
    pair = (stones >> 8) & (stones >> 16)
    return cells | (pair & ((stones << 8) | (stones >> 24)))


@helper
def fours(stones: Bits) -> Bits:
    """The lowest or leftmost cells of four in a row."""
    vertical = stones & (stones >> 1)
    level = stones & (stones >> 7)
    falling = stones & (stones >> 6)
    rising = stones & (stones >> 8)
    straight = (vertical & (vertical >> 2)) | (level & (level >> 14))
    return straight | (falling & (falling >> 12)) | (rising & (rising >> 16))


@helper
def has_four(stones: int) -> bool:
    """Whether `stones` have four in a row."""
    return fours(stones) != 0


@helper
def position_key(mine: Bits, mask: Bits) -> Bits:
    """A number of 49 bits that tells the position: in every column the player's stones below a leading 1."""
    return mine + mask + BOTTOM


@helper
def mirrored(key: Bits) -> Bits:
    """The key of the position with left and right exchanged."""
    outer = ((key & 0x7F) << 42) | ((key >> 42) & 0x7F)
    second = ((key & 0x3F80) << 28) | ((key >> 28) & 0x3F80)
    third = ((key & 0x1FC000) << 14) | ((key >> 14) & 0x1FC000)
    return outer | second | third | (key & 0xFE00000)


@helper
def canonical(key: int) -> int:
    """The smaller one of the keys of the position and of its mirror image."""
    return min(key, mirrored(key))


# ---------------------------------------------------------------- zugzwang


@helper
def follow_up_bound(mine: int, theirs: int, mask: int, threats: int, ply: int, threshold: int) -> int:
    """An upper bound of the score of the player to move, below `threshold`, or `NO_BOUND`.

    `threats` are the empty cells that complete four for the other player, none of which may be playable.
    Parity decides who can follow up to the end: with an even number of empty cells the second player always has an
    answer; the first one only beside a column that has a threat of his in an even row, where nobody wants to begin.
    """
    empty = BOARD & ~mask
    bases = (mask + BOTTOM) & ODD_ROWS
    # the mover who plays below such a threat has lost, so the cells above it are out of his reach
    share = empty & EVEN_ROWS & ~(ABOVE - (threats & ODD_ROWS))
    if ply & 1:
        return _bound_for_second(mine, empty, bases, share, threats & EVEN_ROWS, ply, threshold)
    bound = 0
    if threshold == 0:
        if not has_four(theirs | (empty & ODD_ROWS & ~bases)):
            return NO_BOUND
        bound = -1
    elif threshold < 0:
        bound = NO_BOUND
        waiting = threats & ODD_ROWS
        while waiting:
            threat = waiting & -waiting
            waiting &= ~_column_of(threat)
            bound = min(bound, _latest_loss(ply, empty, threat))
        if bound >= threshold:
            return NO_BOUND
    reach = mine | share
    if has_four(reach) or not _can_pair(reach, bases):
        return NO_BOUND
    return bound


@helper
def _bound_for_second(mine: int, empty: int, bases: int, share: int, waiting: int, ply: int, threshold: int) -> int:
    """The second player is to move; `waiting` are the first player's threats in even rows."""
    while waiting:
        threat = waiting & -waiting
        column = _column_of(threat)
        waiting &= ~column
        bound = _latest_loss(ply, empty, threat)
        if bound >= threshold:
            continue
        below = empty & column & (threat - 1)
        pairs = bases & ~column
        lowest = below & -below
        if lowest & EVEN_ROWS:  # must be taken before the column comes to the follower's parity
            pairs |= lowest
            below ^= lowest
        reach = mine | (share & ~column) | (below & ODD_ROWS)
        if not has_four(reach) and _can_pair(reach, pairs):
            return bound
    if threshold > 0 and not has_four(mine | empty):
        return 0
    return NO_BOUND


@helper
def _column_of(cell: int) -> int:
    """The six cells of the column of a cell."""
    bit = lowest_bit(cell)
    return 63 << (bit - bit % 7)


@helper
def _latest_loss(ply: int, empty: int, threat: int) -> int:
    """The mover's score if he loses to a threat that is reached when nothing else is left."""
    last = ply + popcount(empty & (~_column_of(threat) | (threat - 1))) + 1
    return ((last + 1) >> 1) - 22


@helper
def _can_pair(reach: int, bases: int) -> bool:
    """Whether the follower can pair the bases, an even number, so that the mover, who gets one of each pair and has
    no four in `reach`, completes none. Six bases would be 15 pairings, which is not worth the time."""
    if not has_four(reach | bases):
        return True
    count = popcount(bases)
    first = bases & -bases
    if count == 2:
        return not (has_four(reach | first) or has_four(reach | (bases ^ first)))
    if count != 4:
        return False
    rest = bases ^ first
    second = rest & -rest
    rest ^= second
    third = rest & -rest
    return _can_pair_four(reach, first, second, third, rest ^ third)


@helper
def _can_pair_four(reach: int, a: int, b: int, c: int, d: int) -> bool:
    """One of three pairings has to do; each lets the mover choose among the four combinations across the pairs."""
    adjacent = has_four(reach | a | b) or has_four(reach | c | d)
    crossing = has_four(reach | a | c) or has_four(reach | b | d)
    if not (adjacent or crossing):
        return True  # a with d, b with c
    nested = has_four(reach | a | d) or has_four(reach | b | c)
    return not (nested or (adjacent and crossing))
