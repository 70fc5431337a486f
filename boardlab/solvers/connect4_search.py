"""The search of the Connect Four solver: negamax with null windows on bitboards, as one loop over an explicit stack.

`solve` narrows the score with searches that only ask whether it reaches a threshold; since the threshold of a child
follows from that of its parent, a node needs no window of its own. `_visit` decides a node or lists its moves:

* moves that lose at once are left out, and a move that leaves no answer ends the search of its node;
* all children are looked up in the transposition table and bounded by follow-up play (`connect4_bits`) before any
  of them is searched;
* the rest is ordered by the threats that a move makes, the lines through its cell, and its history of cut-offs.

Scores are those of the literature: 22 minus the winner's stones at the end, negative for a loss, 0 for a draw.

An entry of the transposition table (`bound_table`) is key 49 bits | effort 3 | upper bound 6 | lower bound 6.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper, hot_kernel
from boardlab.compiler.bits import lowest_bit, popcount, prefetch_row
from boardlab.solvers.bound_table import effort_class, keep
from boardlab.solvers.connect4_bits import BOARD, BOTTOM, canonical, follow_up_bound, position_key, winning_cells

__all__ = ["STACK_SIZE", "new_history", "solve"]

Words = NDArray[np.int64]

_CELLS = 42
_MIRROR_UNTIL = 14
"""Up to this ply mirror images share an entry; later they hardly meet."""
_PROBE_CHILDREN_UNTIL = 30
_TABLE_UNTIL = 36
"""From this ply on a search is cheaper than a look into memory."""
_DEEP_FROM = 28
_DEEP_SHIFT = 65 - 19
"""From this ply on positions, which are many and met again soon, share 2^19 entries that stay in the cache."""
_UNKNOWN = 64
_MULTIPLIER = np.int64(0x9E3779B97F4A7C15 - (1 << 64))

# A row of the stack holds one node: the words below, the moves in order with the threats that they make (the next to
# be tried last), their ranks, and the same before ordering.
_ROW = 48
_MINE, _MASK, _THREATS, _KEY, _BEST, _BOUNDS, _LEFT, _NODES = range(8)
_MOVES, _MADE, _RANK, _RAW_MOVES, _RAW_MADE = 8, 16, 24, 32, 40
_LISTED = 15
STACK_SIZE = _ROW * (_CELLS + 1)

_THREAT_VALUE = 64
_HISTORY_LIMIT = 200


def _lines_through_cells() -> Words:
    """How many of the 69 lines of four go through each cell; shape (64,), by bit."""
    lines = np.zeros(64, np.int64)
    for column in range(7):
        for row in range(6):
            for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
                if column + 3 * right < 7 and 0 <= row + 3 * up < 6:
                    for step in range(4):
                        lines[7 * (column + step * right) + row + step * up] += 1
    return lines


_LINES = _lines_through_cells()


def new_history() -> Words:
    """The history of cut-offs of each player and cell, shape (128,), for `solve` to learn from."""
    return np.zeros(128, np.int64)


@hot_kernel
def solve(
    mine: int, mask: int, low: int, high: int, guess: int, table: Words, stack: Words, history: Words, nodes: Words
) -> int:
    """The score of a position that is not over, for the player to move, whose stones are `mine`; where it is not
    above `low` or not below `high`, only on which side it lies (a score never exceeds 21).

    The search begins at `guess`. `stack` is scratch of `STACK_SIZE` words, not to be shared; table and history may
    be. The number of visited nodes is added to `nodes[0]`.
    """
    least, most = _narrow(mine, mask)
    if least >= high or most <= low:
        return least if least >= high else most
    low = max(low, least)
    high = min(high, most)
    while low < high:
        threshold = min(max(guess, low + 1), high)
        value = _search(mine, mask, threshold, table, stack, history, nodes)
        if value >= threshold:
            low = value
            guess = value + 1
        else:
            high = value
            guess = value
    return low


@helper
def _narrow(mine: int, mask: int) -> tuple[int, int]:
    """Bounds of the score; they meet where the game is decided within two plies."""
    ply = popcount(mask)
    playable = (mask + BOTTOM) & BOARD
    if winning_cells(mine) & playable:
        return (43 - ply) >> 1, (43 - ply) >> 1
    if ply >= _CELLS - 1:
        return 0, 0
    if _safe_moves(playable, winning_cells(mine ^ mask) & BOARD & ~mask) == 0:
        return -((42 - ply) >> 1), -((42 - ply) >> 1)
    return -((40 - ply) >> 1), (41 - ply) >> 1


@hot_kernel
def _search(mine: int, mask: int, threshold: int, table: Words, stack: Words, history: Words, nodes: Words) -> int:
    """A bound of the score of a position: a lower one if it reaches `threshold`, else an upper one. In the position
    no move wins at once, and one does not lose at once."""
    shift = 65 - lowest_bit(table.size)
    root = popcount(mask)
    ply = root
    stack[root * _ROW + _MINE] = mine
    stack[root * _ROW + _MASK] = mask
    stack[root * _ROW + _THREATS] = winning_cells(mine ^ mask) & BOARD & ~mask
    visited = 0
    while True:
        visited += 1
        value = _visit(ply, threshold, shift, table, stack, history)
        if value == _UNKNOWN:
            stack[ply * _ROW + _NODES] = visited
            _descend(ply, stack)
            ply += 1
            threshold = 1 - threshold
            continue
        while True:  # hand the value to the parents until one has another move to try
            if ply == root:
                nodes[0] += visited
                return value
            ply -= 1
            threshold = 1 - threshold
            row = ply * _ROW
            value = max(-value, stack[row + _BEST])
            if value < threshold and stack[row + _LEFT] > 0:
                stack[row + _BEST] = value
                _descend(ply, stack)
                ply += 1
                threshold = 1 - threshold
                break
            if value >= threshold:
                _learn(ply, stack, history)
            if stack[row + _KEY]:
                effort = effort_class(visited - stack[row + _NODES])
                _store(stack[row + _KEY], ply, value, threshold, stack[row + _BOUNDS], effort, shift, table)


@helper
def _visit(ply: int, threshold: int, shift: int, table: Words, stack: Words, history: Words) -> int:
    """The value of the node in row `ply`, if it can be told without searching; else its moves are put into the row
    and `_UNKNOWN` is returned."""
    low = -((40 - ply) >> 1)
    high = (41 - ply) >> 1
    if high < threshold:
        return high
    if low >= threshold:
        return low
    row = ply * _ROW
    mine, mask = stack[row + _MINE], stack[row + _MASK]
    playable = (mask + BOTTOM) & BOARD
    moves = _safe_moves(playable, stack[row + _THREATS])
    forced = moves & (moves - 1) == 0
    key = 0
    if not forced and ply < _TABLE_UNTIL:
        key = _table_key(mine, mask, ply)
        entry = _probe(key, ply, shift, table)
        if entry >= 0:
            low = max(low, (entry & 63) - 32)
            high = min(high, ((entry >> 6) & 63) - 32)
            if low >= threshold:
                return low
            if high < threshold:
                return high
    probing = not forced and ply < _PROBE_CHILDREN_UNTIL
    count = _list_moves(row, ply, moves, playable, probing, shift, table, stack)
    bounds = (low + 32) | ((high + 32) << 6)
    if count < 0:
        best = (41 - ply) >> 1
    elif (39 - ply) >> 1 < threshold:  # no move wins by its threats, so a win takes two stones more
        best = (39 - ply) >> 1
    else:
        best = _order_moves(row, ply, count, threshold, probing, shift, table, stack, history)
        if best < threshold and stack[row + _LEFT] > 0:
            stack[row + _KEY] = key
            stack[row + _BEST] = best
            stack[row + _BOUNDS] = bounds
            return _UNKNOWN
    if probing:
        _store(key, ply, best, threshold, bounds, 0, shift, table)
    return best


@helper
def _safe_moves(playable: int, threats: int) -> int:
    """The moves, as cells, that do not let the other player win at once, whose `threats` are given."""
    forced = playable & threats
    if forced:
        if forced & (forced - 1):
            return 0
        playable = forced
    return playable & ~(threats >> 1)


@helper
def _list_moves(
    row: int, ply: int, moves: int, playable: int, probing: bool, shift: int, table: Words, stack: Words
) -> int:
    """List the moves and the threats that each leaves its player with; returns their number, or -1 if one of them
    leaves the other player without an answer. The children's table entries are fetched meanwhile."""
    mine, mask = stack[row + _MINE], stack[row + _MASK]
    count = 0
    while moves:
        move = moves & -moves
        moves ^= move
        taken = mask | move
        made = winning_cells(mine | move) & BOARD & ~taken
        if _safe_moves((playable ^ move) | ((move << 1) & BOARD), made) == 0:
            return -1
        if probing:
            key = _table_key(mine ^ mask, taken, ply + 1)
            prefetch_row(table, np.int64(_slot(key, ply + 1, shift)))  # type: ignore[arg-type]
        stack[row + _RAW_MOVES + count] = move
        stack[row + _RAW_MADE + count] = made
        count += 1
    return count


@helper
def _order_moves(
    row: int,
    ply: int,
    count: int,
    threshold: int,
    probing: bool,
    shift: int,
    table: Words,
    stack: Words,
    history: Words,
) -> int:
    """Put the moves that have to be searched in order and their number into the row. Returns the best value known
    of the others; if it reaches the threshold, nothing has to be searched."""
    mine, mask = stack[row + _MINE], stack[row + _MASK]
    other = mine ^ mask
    best = -_UNKNOWN
    listed = 0
    for k in range(count):
        move, made = stack[row + _RAW_MOVES + k], stack[row + _RAW_MADE + k]
        taken = mask | move
        if probing:
            entry = _probe(_table_key(other, taken, ply + 1), ply + 1, shift, table)
            if entry >= 0:
                if 32 - ((entry >> 6) & 63) >= threshold:
                    return 32 - ((entry >> 6) & 63)
                if 32 - (entry & 63) < threshold:
                    best = max(best, 32 - (entry & 63))
                    continue
        if made & (taken + BOTTOM) == 0:
            bound = follow_up_bound(other, mine | move, taken, made, ply + 1, 1 - threshold)
            if bound < 1 - threshold:
                return -bound
        bit = lowest_bit(move)
        rank = _THREAT_VALUE * popcount(made) + _LINES[bit] + history[((ply & 1) << 6) + bit]
        place = row + listed
        while place > row and stack[place - 1 + _RANK] > rank:
            stack[place + _RANK] = stack[place - 1 + _RANK]
            stack[place + _MOVES] = stack[place - 1 + _MOVES]
            stack[place + _MADE] = stack[place - 1 + _MADE]
            place -= 1
        stack[place + _RANK] = rank
        stack[place + _MOVES] = move
        stack[place + _MADE] = made
        listed += 1
    stack[row + _LEFT] = listed
    stack[row + _LISTED] = listed
    return best


@helper
def _descend(ply: int, stack: Words) -> None:
    """Make the node of the next move of row `ply` in the row below."""
    row = ply * _ROW
    left = stack[row + _LEFT] - 1
    stack[row + _LEFT] = left
    mask = stack[row + _MASK]
    stack[row + _ROW + _MINE] = stack[row + _MINE] ^ mask
    stack[row + _ROW + _MASK] = mask | stack[row + _MOVES + left]
    stack[row + _ROW + _THREATS] = stack[row + _MADE + left]


@helper
def _learn(ply: int, stack: Words, history: Words) -> None:
    """The last move tried in row `ply` was good enough: count it up, and down those tried before it in vain."""
    row = ply * _ROW
    left, listed = stack[row + _LEFT], stack[row + _LISTED]
    side = (ply & 1) << 6
    good = side + lowest_bit(stack[row + _MOVES + left])
    history[good] = min(_HISTORY_LIMIT, history[good] + listed - left - 1)
    for k in range(left + 1, listed):
        vain = side + lowest_bit(stack[row + _MOVES + k])
        history[vain] = max(-_HISTORY_LIMIT, history[vain] - 1)


# ---------------------------------------------------------------- transposition table


@helper
def _table_key(mine: int, mask: int, ply: int) -> int:
    key = position_key(mine, mask)
    return canonical(key) if ply <= _MIRROR_UNTIL else key


@helper
def _slot(key: int, ply: int, shift: int) -> np.uint64:
    """Index of the first of the two entries of a key."""
    if ply >= _DEEP_FROM:
        shift = max(shift, _DEEP_SHIFT)
    return (np.uint64(key * _MULTIPLIER) >> np.uint64(shift)) << np.uint64(1)


@helper
def _probe(key: int, ply: int, shift: int, table: Words) -> int:
    """The bounds of a position, lower + 32 in the low six bits and upper + 32 above it; -1 where it is not there."""
    slot = _slot(key, ply, shift)
    entry = table[slot] ^ (key << 15)
    if entry >> 15 != 0:
        entry = table[slot + np.uint64(1)] ^ (key << 15)
    return entry & 0xFFF if entry >> 15 == 0 else -1


@helper
def _store(key: int, ply: int, value: int, threshold: int, bounds: int, effort: int, shift: int, table: Words) -> None:
    """Keep the result of a search together with the bounds known before it."""
    if value >= threshold:
        bounds = (bounds & ~63) | (value + 32)
    else:
        bounds = (bounds & 63) | ((value + 32) << 6)
    keep(table, _slot(key, ply, shift), key, effort, bounds, 12)
