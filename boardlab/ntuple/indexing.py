"""Kernels that turn boards into look-up indices, from scratch and by difference.

A `Board` follows one game: the cells, the code of every group and the index of every entry of the current position,
for each view of the board (one, or one a player with board inversion). An afterstate is compared cell by cell with the
current position; only the entries that look at a changed group are touched.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper, inlined
from boardlab.compiler.bits import lowest_bit, popcount
from boardlab.game import Game
from boardlab.ntuple.layout import Structure
from boardlab.system.machine import own_copy, own_zeros

__all__ = [
    "Board",
    "apply_changes",
    "compare",
    "copy_values",
    "follow",
    "group_state",
    "index_change",
    "make_board",
    "make_room",
    "many_changes",
    "set_up",
    "variant_indices",
]


class Board(NamedTuple):
    """Work space of one thread. V views, G groups, E entries; cells are padded to whole words of 8."""

    cells: NDArray[np.int8]
    """Cells of the current position, shape (V, padded cells)."""
    after: NDArray[np.int8]
    """Cells of the position that is compared with it, shape (padded cells,)."""
    words: NDArray[np.uint64]
    """The memory of `cells`, eight cells a word, shape (V, padded cells / 8)."""
    after_words: NDArray[np.uint64]
    """The memory of `after`, shape (padded cells / 8,)."""
    codes: NDArray[np.int32]
    """Code of each group of the current position, shape (V, G)."""
    indices: NDArray[np.int32]
    """Look-up index of each entry of the current position, shape (V, E)."""
    changed: NDArray[np.int32]
    """Groups in which `after` differs, shape (G,)."""
    place: NDArray[np.int32]
    """Where a group stands among the changed ones, if it does, shape (G,)."""
    new_codes: NDArray[np.int32]
    """Their codes in `after`, shape (G,)."""
    variant: NDArray[np.int8]
    """Cells with some pairs exchanged, shape (padded cells,), and the codes of their groups, shape (G,)."""
    variant_codes: NDArray[np.int32]
    known: NDArray[np.float32]
    """Weights of the current position's entries for the player to move, shape (E,)."""
    base: NDArray[np.float32]
    """Their sum, shape (1,)."""
    unprepared: NDArray[np.bool_]
    """Whether both are still to be looked up, shape (1,)."""
    moved: NDArray[np.int32]
    """Indices of `after`, shape (most entries of a position,)."""
    ahead: NDArray[np.int32]
    """Indices of afterstates whose weights are on their way from memory, shape (num_actions, E); empty where no
    position is ever indexed anew."""
    awaited: NDArray[np.bool_]
    """Whether an action has such an afterstate, shape (num_actions,)."""
    change_start: NDArray[np.int32]
    """Where the list of each change begins; -1 for one that was not met yet."""
    change_count: NDArray[np.int32]
    change_entry: NDArray[np.int32]
    change_delta: NDArray[np.int32]
    change_row: NDArray[np.int32]
    """Row of each change in `rows`."""
    rows: NDArray[np.int32]
    """The same changes as the lists, for all entries, shape (room, E); the first row is of zeros."""
    used: NDArray[np.int64]
    """How much of the change lists and of the rows is in use, shape (2,)."""

    def __reduce__(self) -> tuple[Any, ...]:
        """The words of a copy are those of its own cells."""
        return _board_of, ({k: v for k, v in self._asdict().items() if k not in ("words", "after_words")},)


def _board_of(fields: dict[str, Any]) -> Board:
    return Board(words=fields["cells"].view(np.uint64), after_words=fields["after"].view(np.uint64), **fields)


_CHANGE_ROOM = 1 << 20
_ROW_ROOM = 1 << 13


def make_board(game: Game, structure: Structure, views: int) -> Board:
    """Work space for one thread."""
    padded = -(-game.num_cells // 8) * 8
    groups = len(structure.num_states)
    entries = len(structure.base)
    changes = int(structure.change_start[-1])
    room = max(groups * entries, min(_CHANGE_ROOM, changes * entries))
    cells, after = own_zeros((views, padded), np.int8), own_zeros(padded, np.int8)
    return Board(
        cells=cells,
        after=after,
        words=cells.view(np.uint64),
        after_words=after.view(np.uint64),
        codes=own_zeros((views, groups), np.int32),
        indices=own_zeros((views, entries), np.int32),
        changed=own_zeros(groups, np.int32),
        place=own_zeros(groups, np.int32),
        new_codes=own_zeros(groups, np.int32),
        variant=own_zeros(padded, np.int8),
        variant_codes=own_zeros(groups, np.int32),
        known=own_zeros(entries, np.float32),
        base=own_zeros(1, np.float32),
        unprepared=own_copy(np.ones(1, np.bool_)),
        moved=own_zeros(entries << len(structure.pairs), np.int32),
        ahead=own_zeros((game.num_actions if structure.many[0] <= game.num_cells else 0, entries), np.int32),
        awaited=own_zeros(game.num_actions, np.bool_),
        change_start=own_copy(np.full(changes, -1, np.int32)),
        change_count=own_zeros(changes, np.int32),
        change_entry=own_zeros(room, np.int32),
        change_delta=own_zeros(room, np.int32),
        change_row=own_zeros(changes, np.int32),
        rows=own_zeros((1 + max(groups, min(_ROW_ROOM, changes)), entries), np.int32),
        used=own_copy(np.array([0, 1], np.int64)),
    )


@inlined
def copy_values(source: Any, target: Any) -> None:
    """Copy all of `source` to the front of `target`; a slice assignment would allocate."""
    for k in range(len(source)):
        target[k] = source[k]


@inlined
def group_state(st: Any, g: int, code: int) -> int:
    """State number of a group from its code. A code that the game excluded counts as state 0."""
    return max(0, st.code_state[st.code_start[g] + code])


@inlined
def set_up(st: Any, cells: Any, codes: Any, index: Any) -> None:
    """Codes and indices of a board from scratch. `cells` (num_cells or more), `codes` (G,), `index` (E,)."""
    for g in range(len(codes)):
        codes[g] = 0
    for i in range(len(st.cell_group)):
        codes[st.cell_group[i]] += cells[i] * st.cell_radix[i]
    copy_values(st.base, index)
    for g in range(len(codes)):
        row = st.rows[st.row_start[g] + group_state(st, g, codes[g])]
        for e in range(len(row)):
            index[e] += row[e]


@inlined
def many_changes(st: Any, board: Any, view: int) -> bool:
    """Whether `board.after` differs in so many cells that its indices are better made anew."""
    if st.many[0] > len(st.cell_group):
        return False
    n = 0
    for word in range(len(board.after_words)):
        differing = board.words[view, word] ^ board.after_words[word]
        differing |= differing >> np.uint64(4)
        differing |= differing >> np.uint64(2)
        differing |= differing >> np.uint64(1)
        n += popcount(differing & np.uint64(0x0101010101010101))
    return n >= st.many[0]


@inlined
def compare(st: Any, board: Any, view: int) -> int:
    """Find the groups in which `board.after` differs from the current position; return their number."""
    old = board.cells[view]
    new = board.after
    n = 0
    for word in range(len(board.after_words)):
        differing: Any = np.int64(board.words[view, word] ^ board.after_words[word])
        while differing != 0:
            byte = lowest_bit(differing) >> 3
            differing &= ~(255 << (8 * byte))
            i = 8 * word + byte
            g = st.cell_group[i]
            k = board.place[g]
            if k >= n or board.changed[k] != g:
                k = n
                board.place[g] = n
                board.changed[n] = g
                board.new_codes[n] = board.codes[view, g]
                n += 1
            board.new_codes[k] += (new[i] - old[i]) * st.cell_radix[i]
    return n


@inlined
def make_room(st: Any, board: Any, n: int) -> None:
    """Forget all changes that were collected if n more may not find room."""
    if board.used[0] + n * len(st.base) > len(board.change_entry) or board.used[1] + n > len(board.rows):
        for k in range(len(board.change_start)):
            board.change_start[k] = -1
        board.used[0] = 0
        board.used[1] = 1


@inlined
def index_change(st: Any, board: Any, view: int, k: int) -> int:
    """The number of the k-th change that `compare` found; its index changes are ready afterwards."""
    g = board.changed[k]
    x = group_state(st, g, board.codes[view, g])
    y = group_state(st, g, board.new_codes[k])
    number = st.change_start[g] + x * st.num_states[g] + y
    if board.change_start[number] < 0:
        _collect(st, board, g, x, y, number)
    return number


@helper
def _collect(st: Any, board: Any, g: int, x: int, y: int, number: int) -> None:
    """Note how all indices change when group g goes from state x to y: as a row, and as a list of those that do."""
    start = board.used[0]
    row = board.rows[board.used[1]]
    before = st.rows[st.row_start[g] + x]
    after = st.rows[st.row_start[g] + y]
    n = 0
    for e in range(len(row)):
        row[e] = after[e] - before[e]
        if row[e] != 0:
            board.change_entry[start + n] = e
            board.change_delta[start + n] = row[e]
            n += 1
    board.change_start[number] = start
    board.change_count[number] = n
    board.change_row[number] = board.used[1]
    board.used[0] = start + n
    board.used[1] += 1


@inlined
def apply_changes(st: Any, board: Any, view: int, n: int, index: Any) -> None:
    """Carry the n changes that `compare` found over to `index` (E,): whole rows, four at a time, by vector
    instructions."""
    make_room(st, board, n)
    for first in range(0, n, 4):
        a = board.rows[_change_row(st, board, view, first, n)]
        b = board.rows[_change_row(st, board, view, first + 1, n)]
        c = board.rows[_change_row(st, board, view, first + 2, n)]
        d = board.rows[_change_row(st, board, view, first + 3, n)]
        for e in range(len(a)):
            index[e] += (a[e] + b[e]) + (c[e] + d[e])


@inlined
def _change_row(st: Any, board: Any, view: int, k: int, n: int) -> int:
    """Which row has the k-th of n changes; behind them, that of zeros."""
    return int(board.change_row[index_change(st, board, view, k)]) if k < n else 0


@inlined
def follow(st: Any, board: Any, view: int) -> None:
    """Make the position of `board.after` the current one of this view."""
    if many_changes(st, board, view):
        set_up(st, board.after, board.codes[view], board.indices[view])
    else:
        n = compare(st, board, view)
        apply_changes(st, board, view, n, board.indices[view])
        for k in range(n):
            board.codes[view, board.changed[k]] = board.new_codes[k]
    copy_values(board.after, board.cells[view])


@helper
def variant_indices(st: Any, board: Any, cells: Any, out: Any) -> int:
    """All indices of a board whose game has exchangeable cells: those of every board that comes from exchanging
    pairs whose values differ. Writes them to `out` and returns their number (a multiple of E)."""
    entries = len(st.base)
    scratch = board.variant
    copy_values(cells, scratch)
    differing = 0
    for k in range(len(st.pairs)):
        if cells[st.pairs[k, 0]] != cells[st.pairs[k, 1]]:
            differing |= 1 << k
    n = 0
    chosen = differing
    while True:
        for k in range(len(st.pairs)):
            swap = (chosen >> k) & 1
            a, b = st.pairs[k, 0], st.pairs[k, 1]
            scratch[a] = cells[b] if swap else cells[a]
            scratch[b] = cells[a] if swap else cells[b]
        set_up(st, scratch, board.variant_codes, out[n : n + entries])
        n += entries
        if chosen == 0:
            return n
        chosen = (chosen - 1) & differing
