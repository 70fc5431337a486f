"""The search of the Dots-and-Boxes solver: negamax with null windows on strings and coins, over an explicit stack.

A node is a position in which no coin can be taken at once, its lone chains and loops counted as a multiset (see
`dots_chains`). `search` answers whether its value V for the player to move reaches a threshold. A move that gives T
coins away and leaves a rest R is worth -T - V(R), or with a handout min(-T - V(R), handout - T + V(R)): two questions
about R, the second asked only if the first was answered in favour of the move. V has the parity of the number of coins,
so thresholds have it too.

`_visit` decides a node or lists its moves. All children are looked up in the transposition table before any of them is
searched; the others are tried by the history of cut-offs of the string that they cut, and the more coins with two
strings a move leaves outside of lone chains, the earlier.

With many strings a node stands for thousands of others, and it pays to `_look_ahead`: all its children are visited,
and the move comes first that leaves the other player the fewest answers that the table does not refute already. That
halves the nodes: proofs that share much are short ones.

An entry of the transposition table (`bound_table`) is key 51 bits | effort 3 | upper bound 5 | lower bound 5. The
key is that of the strings (40 bits, `dots_keys`) above the multiset (11 bits).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper, hot_kernel, inlined
from boardlab.compiler.bits import lowest_bit, popcount, prefetch_row
from boardlab.solvers.bound_table import effort_class, keep
from boardlab.solvers.dots_chains import (
    HANDOUTS,
    DotsBoard,
    capture,
    capture_value,
    coins_with,
    handout,
    live_coins,
    may_be_lone,
    spread,
    without_coins,
    without_lone,
)
from boardlab.solvers.dots_keys import IMAGES, key_of, key_without, take_images
from boardlab.system.machine import own_zeros

__all__ = ["MOST_EDGES", "REST_SIZE", "STACK_SIZE", "UNKNOWN", "Question", "begin", "new_history", "reduce", "search"]

Words = NDArray[np.int64]

MOST_EDGES = 40
MOST_BOXES = 16
UNKNOWN = 64
"""No value of a position: the search has not come to its end."""

_MULTISET_BITS = 11
_MULTISET = (1 << _MULTISET_BITS) - 1
_MULTIPLIER = np.int64(0x9E3779B97F4A7C15 - (1 << 64))

# A row of the stack holds one node: the words below, and of each move the strings and the key that it leads to, the
# coins that it gives away, its handout, the string it cuts and its rank.
_MOST_MOVES = MOST_EDGES + 3
_STRINGS, _KEY, _COINS, _THRESHOLD, _BEST, _BOUNDS, _LISTED, _LEFT, _MOVE, _LEAST, _NODES = range(11)
_IMAGES = 16
_HEAD = _IMAGES + IMAGES
_TO_STRINGS, _TO_KEY, _GIVEN, _HANDOUT, _CUT, _RANK = range(_HEAD, _HEAD + 6 * _MOST_MOVES, _MOST_MOVES)
_ROW = _HEAD + 6 * _MOST_MOVES
_AT = _ROW * (MOST_EDGES + 1)
"""The word of the stack that tells the row to go on with."""
STACK_SIZE = _AT + 1
REST_SIZE = 5

_CHAIN = 63
"""Stands for the string cut by all moves that open a chain."""
_TRIED = -(1 << 20)
"""The rank of a move that has been searched."""
_OPENING_RANK = -1000
_DOUBLE_VALUE = 100
_HISTORY_LIMIT = 200
_HISTORY_NOISE = 100
_LOOK_AHEAD_FROM = 28
"""With so many strings or more it pays to visit all children before one of them is searched."""
_ANSWER_VALUE = 1000


def new_history(seed: int = 0) -> Words:
    """The history of cut-offs of each string, apart for even and odd numbers of strings, shape (128,). With a seed it
    begins in some disorder, so that several threads take different ways."""
    history: Words = own_zeros(128, np.int64)
    if seed:
        history[:] = np.random.default_rng(seed).integers(-_HISTORY_NOISE, _HISTORY_NOISE, 128)
    return history


@hot_kernel
def reduce(strings: int, board: DotsBoard, out: Words) -> None:
    """What is left to search in any position, shape (REST_SIZE,): the coins that can be taken, their handout, the
    strings of the rest, its multiset and its coins."""
    left = capture(strings, board)
    taken = live_coins(strings, board) & ~live_coins(left, board)
    rest, multiset = without_lone(left, 0, board)
    out[0] = popcount(taken)
    out[1] = handout(strings, taken, board)
    out[2] = rest
    out[3] = multiset
    out[4] = popcount(live_coins(left, board))


class Question(NamedTuple):
    """Whether the value of a position reaches a threshold. The position has coins beside its lone chains and loops, and
    none that can be taken."""

    strings: int
    multiset: int
    coins: int
    threshold: int


@hot_kernel
def begin(question: Question, board: DotsBoard, stack: Words) -> None:
    """Put a question on the stack, for `search` to answer."""
    stack[_STRINGS] = question.strings
    stack[_KEY] = _key(question.strings, question.multiset, board)
    stack[_COINS] = question.coins
    stack[_THRESHOLD] = question.threshold
    stack[_AT] = 0


@hot_kernel
def search(limit: int, board: DotsBoard, table: Words, stack: Words, history: Words, nodes: Words) -> int:
    """Search on from where the stack is. Returns a bound of the value of its first position: a lower one if it
    reaches its threshold, else an upper one; or `UNKNOWN` after `limit` nodes.

    `stack` is scratch of `STACK_SIZE` words, not to be shared; table and history may be. The number of visited nodes
    is added to `nodes[0]`.
    """
    shift = 65 - lowest_bit(table.size)
    row = stack[_AT]
    first = nodes[0]
    visited = first
    while visited - first < limit:
        visited += 1
        value = _visit(row, shift, board, table, stack, history)
        if value == UNKNOWN and popcount(stack[row + _STRINGS]) >= _LOOK_AHEAD_FROM:
            value = _look_ahead(row, shift, board, table, stack, history)
        stack[row + _NODES] = visited
        while value != UNKNOWN:  # hand the value to the parents until one has another question
            if row == 0:
                nodes[0] += visited - first
                return value
            row -= _ROW
            value = _answer(row, value, stack)
            if value != UNKNOWN:
                effort = effort_class(visited - stack[row + _NODES])
                _finish(row, value, effort, shift, table, stack, history)
        _descend(row, stack)
        row += _ROW
    stack[_AT] = row
    nodes[0] += visited - first
    return UNKNOWN


@helper
def _visit(row: int, shift: int, board: DotsBoard, table: Words, stack: Words, history: Words) -> int:
    """The value of the node in the row, if it can be told without searching; else its moves are put into the row
    and `UNKNOWN` is returned."""
    coins, threshold = stack[row + _COINS], stack[row + _THRESHOLD]
    low, high = _bounds(_probe(stack[row + _KEY], shift, table), coins)
    if low >= threshold:
        return low
    if high < threshold:
        return high
    stack[row + _BOUNDS] = ((low + MOST_BOXES) >> 1) | (((high + MOST_BOXES) >> 1) << 5)
    stack[row + _LISTED] = 0
    stack[row + _LEFT] = 0
    best = _list_openings(row, shift, board, table, stack)
    if best < threshold:
        best = max(best, _list_cuts(row, shift, board, table, stack, history))
        if best < threshold:
            best = max(best, _sift(row, shift, table, stack))
    return _settled(row, best, shift, table, stack)


@helper
def _look_ahead(row: int, shift: int, board: DotsBoard, table: Words, stack: Words, history: Words) -> int:
    """Visit all children of the row, but those with a handout. The fewer answers of the other player are still open
    after a move, the earlier it is tried. Returns the value of the row, if it can be told now, else `UNKNOWN`."""
    threshold, below = stack[row + _THRESHOLD], row + _ROW
    best = stack[row + _BEST]
    left = 0
    for move in range(row, row + stack[row + _LISTED]):
        if stack[move + _HANDOUT] == 0:
            given = stack[move + _GIVEN]
            _go_down(row, move, 2 - given - threshold, stack)
            value = _visit(below, shift, board, table, stack, history)
            if value != UNKNOWN:
                best = max(best, -given - value)
                if best >= threshold:
                    break
                continue
            stack[move + _RANK] -= _ANSWER_VALUE * stack[below + _LEFT]
        _keep_move(row, move, left, stack)
        left += 1
    stack[row + _LISTED] = stack[row + _LEFT] = left
    return _settled(row, best, shift, table, stack)


@inlined
def _settled(row: int, best: int, shift: int, table: Words, stack: Words) -> int:
    """The best value known so far as that of the row, if nothing is left to search; else `UNKNOWN`."""
    if best < stack[row + _THRESHOLD] and stack[row + _LEFT] > 0:
        stack[row + _BEST] = best
        stack[row + _LEAST] = UNKNOWN
        return UNKNOWN
    _store(stack[row + _KEY], best, stack[row + _THRESHOLD], stack[row + _BOUNDS], 0, shift, table)
    return best


@inlined
def _list_openings(row: int, shift: int, board: DotsBoard, table: Words, stack: Words) -> int:
    """List the moves that open a chain or loop, as far as they can reach the threshold. Returns the best value known
    of others."""
    strings, coins, threshold = stack[row + _STRINGS], stack[row + _COINS], stack[row + _THRESHOLD]
    multiset = stack[row + _KEY] & _MULTISET
    best = -UNKNOWN
    for kind in range(3):
        given = board.shortest[multiset, kind]
        if given:
            handed = HANDOUTS[kind]
            most = _most(coins - given, given, handed)
            if most < threshold:
                best = max(best, most)
            else:
                key = _key(strings, board.rest[multiset, kind], board)
                _put(row, strings, key, given, handed, _CHAIN, _OPENING_RANK - given, shift, table, stack)
    _, double, joints = coins_with(strings, board)
    while double:
        chain = spread(double & -double, double, strings, board)
        double ^= chain
        handed = HANDOUTS[1] if popcount(chain) > 2 else 0
        after = without_coins(strings, chain, board)
        rest = multiset
        single, _, left = coins_with(after, board)
        given = popcount(chain)
        if single or may_be_lone(joints, left, after, board):
            after = capture(after, board)
            given = popcount(live_coins(strings, board) & ~live_coins(after, board))
            after, rest = without_lone(after, multiset, board)
        most = _most(coins - given, given, handed) if after else -capture_value(given, handed, board.value[rest])
        if most < threshold or after == 0:
            best = max(best, most)
        else:
            key = _key(after, rest, board)
            _put(row, after, key, given, handed, _CHAIN, _OPENING_RANK - given, shift, table, stack)
    return best


@inlined
def _list_cuts(row: int, shift: int, board: DotsBoard, table: Words, stack: Words, history: Words) -> int:
    """List the moves that give nothing away: cut a string that leads to no coin with two. Returns the best value
    known of others."""
    strings, multiset = stack[row + _STRINGS], stack[row + _KEY] & _MULTISET
    best = -UNKNOWN
    count = popcount(strings)
    side = (count & 1) << 6
    _, double, joints = coins_with(strings, board)
    safe = without_coins(strings, double, board)
    take_images(strings, board.keys, stack, row + _IMAGES)
    while safe:
        cut = lowest_bit(safe)
        after = strings ^ (1 << cut)
        safe &= safe - 1
        if may_be_lone(joints, coins_with(after, board)[2], after, board):
            after, rest = without_lone(after, multiset, board)
            if after == 0:
                best = max(best, -board.value[rest])
                continue
            key = _key(after, rest, board)
        else:
            key = (key_without(cut, count, board.keys, stack, row + _IMAGES) << _MULTISET_BITS) | multiset
        rank = history[side + cut] + _DOUBLE_VALUE * popcount(coins_with(after, board)[1])
        _put(row, after, key, 0, 0, cut, rank, shift, table, stack)
    return best


@inlined
def _put(
    row: int,
    strings: int,
    key: int,
    given: int,
    handed: int,
    cut: int,
    rank: int,
    shift: int,
    table: Words,
    stack: Words,
) -> None:
    """Add a move to the row and have its table entries fetched."""
    prefetch_row(table, np.int64(_slot(key, shift)))  # type: ignore[arg-type]
    place = row + stack[row + _LISTED]
    stack[row + _LISTED] += 1
    stack[place + _TO_STRINGS] = strings
    stack[place + _TO_KEY] = key
    stack[place + _GIVEN] = given
    stack[place + _HANDOUT] = handed
    stack[place + _CUT] = cut
    stack[place + _RANK] = rank


@inlined
def _sift(row: int, shift: int, table: Words, stack: Words) -> int:
    """Keep the moves that have to be searched. Returns the best value known of the others; if it reaches the
    threshold, nothing has to be searched."""
    coins, threshold = stack[row + _COINS], stack[row + _THRESHOLD]
    best = -UNKNOWN
    left = 0
    for move in range(row, row + stack[row + _LISTED]):
        given, handed = stack[move + _GIVEN], stack[move + _HANDOUT]
        low, high = _bounds(_probe(stack[move + _TO_KEY], shift, table), coins - given)
        most, least = -given - low, -given - high
        if handed:
            most = min(most, handed - given + high)
            least = min(least, handed - given + low)
        if least >= threshold:
            return least
        if most < threshold:
            best = max(best, most)
            continue
        _keep_move(row, move, left, stack)
        left += 1
    stack[row + _LISTED] = stack[row + _LEFT] = left
    return best


@inlined
def _keep_move(row: int, move: int, place: int, stack: Words) -> None:
    for field in (_TO_STRINGS, _TO_KEY, _GIVEN, _HANDOUT, _CUT, _RANK):
        stack[row + place + field] = stack[move + field]


@inlined
def _descend(row: int, stack: Words) -> None:
    """Put the next question of the row into the row below."""
    if stack[row + _LEAST] == UNKNOWN:
        move = row
        for other in range(row + 1, row + stack[row + _LISTED]):
            if stack[other + _RANK] >= stack[move + _RANK]:
                move = other
        stack[row + _MOVE] = move
        stack[move + _RANK] = _TRIED
        stack[row + _LEFT] -= 1
    move = stack[row + _MOVE]
    threshold, given, handed = stack[row + _THRESHOLD], stack[move + _GIVEN], stack[move + _HANDOUT]
    first = handed > 0 and stack[row + _LEAST] == UNKNOWN
    _go_down(row, move, threshold + given - handed if first else 2 - given - threshold, stack)


@inlined
def _go_down(row: int, move: int, threshold: int, stack: Words) -> None:
    """Put what a move leads to into the row below, with a threshold."""
    stack[row + _ROW + _STRINGS] = stack[move + _TO_STRINGS]
    stack[row + _ROW + _KEY] = stack[move + _TO_KEY]
    stack[row + _ROW + _COINS] = stack[row + _COINS] - stack[move + _GIVEN]
    stack[row + _ROW + _THRESHOLD] = threshold


@inlined
def _answer(row: int, value: int, stack: Words) -> int:
    """Take the value of the row below. Returns the value of the row, or `UNKNOWN` if it has another question."""
    move = stack[row + _MOVE]
    given, handed = stack[move + _GIVEN], stack[move + _HANDOUT]
    least = stack[row + _LEAST]
    reached = value >= stack[row + _ROW + _THRESHOLD]
    if handed == 0:
        value = -given - value
    elif least == UNKNOWN:
        if reached:
            stack[row + _LEAST] = value
            return UNKNOWN
        value = handed - given + value
    else:
        value = -given - value if reached else min(-given - value, handed - given + least)
        stack[row + _LEAST] = UNKNOWN
    value = max(value, stack[row + _BEST])
    if value < stack[row + _THRESHOLD] and stack[row + _LEFT] > 0:
        stack[row + _BEST] = value
        return UNKNOWN
    return value


@inlined
def _finish(row: int, value: int, effort: int, shift: int, table: Words, stack: Words, history: Words) -> None:
    """Keep the value of a searched row. Where the last move tried was good enough, count its string up, and down those
    cut before it in vain."""
    threshold = stack[row + _THRESHOLD]
    _store(stack[row + _KEY], value, threshold, stack[row + _BOUNDS], effort, shift, table)
    move = stack[row + _MOVE]
    if value < threshold or stack[move + _CUT] == _CHAIN:
        return
    side = (popcount(stack[row + _STRINGS]) & 1) << 6
    vain = 0
    for other in range(row, row + stack[row + _LISTED]):
        if stack[other + _RANK] == _TRIED and other != move:
            vain += 1
            place = side + stack[other + _CUT]
            history[place] = max(-_HISTORY_LIMIT, history[place] - 1)
    place = side + stack[move + _CUT]
    history[place] = min(_HISTORY_LIMIT, history[place] + vain)


@inlined
def _most(left: int, given: int, handed: int) -> int:
    """The most that a move can be worth which leaves so many coins: with a handout the other player chooses."""
    return (handed >> 1) - given - (left & 1) if handed else left - given


# ---------------------------------------------------------------- transposition table


@inlined
def _key(strings: int, multiset: int, board: DotsBoard) -> int:
    """What stands for the position in the table."""
    return (key_of(strings, board.keys) << _MULTISET_BITS) | multiset


@inlined
def _slot(key: int, shift: int) -> np.uint64:
    """Index of the first of the two entries of a key."""
    return (np.uint64(key * _MULTIPLIER) >> np.uint64(shift)) << np.uint64(1)


@inlined
def _probe(key: int, shift: int, table: Words) -> int:
    """The bounds of a position, lower in the low five bits and upper above it; -1 where it is not there."""
    slot = _slot(key, shift)
    entry = table[slot] ^ (key << 13)
    if entry >> 13 != 0:
        entry = table[slot + np.uint64(1)] ^ (key << 13)
    return entry & 0x3FF if entry >> 13 == 0 else -1


@inlined
def _bounds(found: int, coins: int) -> tuple[int, int]:
    """The lower and the upper bound of a position with so many coins, as `_probe` has found them."""
    if found < 0:
        return -coins, coins
    odd = (coins & 1) - MOST_BOXES
    return 2 * (found & 31) + odd, 2 * (found >> 5) + odd


@inlined
def _store(key: int, value: int, threshold: int, bounds: int, effort: int, shift: int, table: Words) -> None:
    """Keep the result of a search together with the bounds known before it."""
    code = (value + MOST_BOXES) >> 1
    bounds = (bounds & ~31) | code if value >= threshold else (bounds & 31) | (code << 5)
    keep(table, _slot(key, shift), key, effort, bounds, 10)
