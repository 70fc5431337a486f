"""Dots and Boxes as Strings and Coins: what captures and chains leave to search, and what needs no search at all.

The dual view of the literature (Berlekamp 2000): a box is a coin, an edge that is not drawn is a string between two
coins or from a coin to the ground. Drawing an edge cuts a string; who frees a coin gets it and moves again. What the
rest of a game is worth does not depend on the boxes taken so far.

*Captures.* While a coin hangs on one string only, it can be taken. Let T be the number of coins that can be taken one
after the other and R what is then left. Nothing is better than to take all T and to move in R, or to take all but a
few, cut one string between those, and leave the other player to take them and to move in R. The few are two at the
end of a tree that hangs on something else, else four in the middle of a tree that hangs on nothing (not a star). So

    value = max(T + V(R), T - handout - V(R)),    handout = 4, 8, or no such choice,

and V is asked only for positions in which every coin has two strings or more.

*Openings.* In such a position a move in a chain of coins with two strings each gives the whole chain away, whichever
string is cut, so a chain is one move. Only the handout differs: a chain of two, cut in its middle, leaves none, nor
does a single coin; longer chains leave 4 and loops 8.

*Lone chains and loops*, which join nothing else, are a multiset of lengths. Lengths that differ by d change V by d at
most as long as the handout is the same. So of the chains up to two, the longer chains, and the loops, only the
shortest is worth opening. Two lone chains of one coin cancel out, and so do two of two coins: who opens one hands the
turn over at the price of its coins, and the other player hands it back at the same price with the other one. A position
of lone chains and loops alone is looked up in a table of all multisets.

Coins and strings are bitboards with rows of `width` = columns + 1 bits: coin (r, c) is bit r * width + c, the string
above it the same bit of the low half of a word, the string to the left of it the same bit of the high half.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper, inlined
from boardlab.compiler.bits import popcount
from boardlab.games.dots import DotsAndBoxes
from boardlab.solvers.dots_keys import Keys, make_keys

__all__ = [
    "HANDOUTS",
    "DotsBoard",
    "beside",
    "capture",
    "capture_value",
    "coins_with",
    "handout",
    "live_coins",
    "make_board",
    "may_be_lone",
    "spread",
    "without_coins",
    "without_lone",
]

Words = NDArray[np.int64]

HANDOUTS = (0, 4, 8)
"""What the handout of a chain up to two, of a longer chain, and of a loop is worth; 0 where there is none."""
_LOOP = 15
"""A loop of n coins is the kind n + 15 of a lone component, a chain the kind n."""
_KINDS = 32


class DotsBoard(NamedTuple):
    """What the search needs to know about a board; all arrays int64."""

    width: int
    half: int
    """Where the high half of a word of strings begins."""
    low: int
    """The bits of the low half."""
    coins: int
    """The bits that are coins."""
    keys: Keys
    joined: Words
    """Shape (multisets, kinds): the multiset with a chain of that length, or a loop of 15 more, added."""
    value: Words
    """Shape (multisets,): what it is worth to the player to move."""
    shortest: Words
    """Shape (multisets, 3): the shortest chain up to two, longer chain and loop; 0 where it has none."""
    rest: Words
    """Shape (multisets, 3): the multiset without that."""


# ---------------------------------------------------------------- strings and coins


@inlined
def coins_with(strings: int, board: DotsBoard) -> tuple[int, int, int]:
    """The coins with one string, with two, and with more."""
    across, down = strings & board.low, strings >> board.half
    below, right = across >> board.width, down >> 1
    odd_vertical, odd_level = across ^ below, down ^ right
    odd = odd_vertical ^ odd_level
    pair = ((across & below) ^ (down & right)) | (odd_vertical & odd_level)
    four = across & below & down & right
    return odd & ~pair & board.coins, pair & ~odd & board.coins, ((odd & pair) | four) & board.coins


@inlined
def live_coins(strings: int, board: DotsBoard) -> int:
    """The coins that still have strings."""
    across, down = strings & board.low, strings >> board.half
    return (across | (across >> board.width) | down | (down >> 1)) & board.coins


@inlined
def without_coins(strings: int, coins: int, board: DotsBoard) -> int:
    """The strings that are left when those of the coins are cut."""
    return strings & ~(coins | (coins << board.width) | ((coins | (coins << 1)) << board.half))


@inlined
def beside(coins: int, strings: int, board: DotsBoard) -> int:
    """The coins that strings tie to any of the coins; a string to the ground may give a bit that is no coin."""
    across, down = strings & board.low, strings >> board.half
    level = ((coins & down) >> 1) | ((coins << 1) & down)
    vertical = ((coins & across) >> board.width) | ((coins << board.width) & across)
    return level | vertical


@inlined
def spread(coins: int, within: int, strings: int, board: DotsBoard) -> int:
    """The coins, and those of `within` that hang together with them."""
    while True:
        more = coins | (beside(coins, strings, board) & within)
        if more == coins:
            return coins
        coins = more


@inlined
def capture(strings: int, board: DotsBoard) -> int:
    """The strings that are left when all coins that can be taken are taken."""
    while True:
        single = coins_with(strings, board)[0]
        if single == 0:
            return strings
        strings = without_coins(strings, single, board)


@helper
def handout(strings: int, taken: int, board: DotsBoard) -> int:
    """The handout where the coins `taken`, those that `capture` takes, can be taken one after the other. They form
    trees: one that hangs on something has a string for each coin, one that hangs on nothing a string less."""
    inner = taken & ~coins_with(strings, board)[0]
    best = 0
    while taken:
        tree = spread(taken & -taken, taken, strings, board)
        taken ^= tree
        size = popcount(tree)
        if popcount(strings ^ without_coins(strings, tree, board)) == size:
            if size > 1:
                return HANDOUTS[1]
        elif popcount(tree & inner) > 1:
            best = HANDOUTS[2]
    return best


@helper
def capture_value(taken: int, handed: int, value: int) -> int:
    """What it is worth to have so many coins to take, with that handout, and a rest of that value."""
    return max(taken + value, taken - handed - value) if handed else taken + value


@inlined
def may_be_lone(joints: int, left: int, strings: int, board: DotsBoard) -> bool:
    """Whether a move that has left these of the joints can have made a lone chain or loop: not if every coin that is a
    joint no longer still has one beside it."""
    return joints & ~left & ~beside(left, strings, board) != 0


@helper
def without_lone(strings: int, multiset: int, board: DotsBoard) -> tuple[int, int]:
    """Move lone chains and loops from the strings, in which nothing can be taken, to the multiset."""
    _, double, joints = coins_with(strings, board)
    lone = double & ~spread(joints, double, strings, board)
    while lone:
        chain = spread(lone & -lone, lone, strings, board)
        lone ^= chain
        left = without_coins(strings, chain, board)
        length = popcount(chain)
        if popcount(strings ^ left) == length:
            length += _LOOP
        multiset = board.joined[multiset, length]
        strings = left
    return strings, multiset


# ---------------------------------------------------------------- tables of a board


def make_board(game: DotsAndBoxes) -> DotsBoard:
    """The tables for the board of a game."""
    width = game.columns + 1
    half = (game.rows + 1) * width
    coins = sum(1 << (r * width + c) for r in range(game.rows) for c in range(game.columns))
    return DotsBoard(width, half, (1 << half) - 1, coins, make_keys(game), *_multisets(game.num_boxes))


def _multisets(most: int) -> tuple[Words, Words, Words, Words]:
    """All multisets of lone chains and loops with at most so many coins, by their number of coins: the fields of
    `DotsBoard` from `joined` on."""
    kinds = [*range(1, most + 1), *(n + _LOOP for n in range(4, most + 1, 2))]
    found: list[tuple[int, ...]] = [()]
    for members in found:
        room = most - _coins(members)
        found += [
            (*members, k)
            for k in kinds
            if k >= max((*members, 1)) and _coins((k,)) <= room and not (k <= 2 and k in members)
        ]
    found.sort(key=_coins)
    place = {members: i for i, members in enumerate(found)}
    joined = np.zeros((len(found), _KINDS), np.int64)
    value = np.zeros(len(found), np.int64)
    shortest, rest = np.zeros((2, len(found), 3), np.int64)
    for i, members in enumerate(found):
        for k in kinds:
            joined[i, k] = place.get(_with(members, k), 0)
        options = []
        for k in {_class(k): k for k in reversed(members)}.values():
            after = place[_without(members, k)]
            shortest[i, _class(k)], rest[i, _class(k)] = _coins((k,)), after
            options.append(-capture_value(_coins((k,)), HANDOUTS[_class(k)], int(value[after])))
        value[i] = max(options, default=0)
    return joined, value, shortest, rest


def _with(members: tuple[int, ...], kind: int) -> tuple[int, ...]:
    """Two chains of one coin are worth nothing, and so are two chains of two."""
    return _without(members, kind) if kind <= 2 and kind in members else tuple(sorted((*members, kind)))


def _without(members: tuple[int, ...], kind: int) -> tuple[int, ...]:
    place = members.index(kind)
    return members[:place] + members[place + 1 :]


def _coins(members: tuple[int, ...]) -> int:
    return sum(k if k <= _LOOP + 1 else k - _LOOP for k in members)


def _class(kind: int) -> int:
    return 0 if kind <= 2 else 1 if kind <= _LOOP + 1 else 2
