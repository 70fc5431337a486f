"""Kernels that turn boards into look-up indices, from scratch and by difference.

A `Board` follows one game: the cells, the code of every group and the index of every entry of the current position,
for each view of the board (one, or one a player with board inversion). An afterstate is compared cell by cell with the
current position; only the entries that look at a changed group are touched.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.bits import lowest_bit
from boardlab.compile import helper, inlined
from boardlab.game import Game
from boardlab.ntuple.layout import Structure

__all__ = [
    "Board",
    "apply_changes",
    "compare",
    "copy_values",
    "follow",
    "group_state",
    "index_change",
    "make_board",
    "set_up",
    "variant_indices",
]


class Board(NamedTuple):
    """Work space of one thread. V views, G groups, E entries; cells are padded to whole words of 8."""

    cells: NDArray[np.int8]
    """Cells of the current position, shape (V, padded cells)."""
    after: NDArray[np.int8]
    """Cells of the position that is compared with it, shape (padded cells,)."""
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
    actions: NDArray[np.int64]
    """Legal actions of the position, shape (num_actions,)."""
    scores: NDArray[np.float64]
    """Scores of all players, shape (num_players,)."""
    totals: NDArray[np.float64]
    """Sum of the weights of every afterstate of a move, then its value, shape (num_actions,)."""
    rewards: NDArray[np.float64]
    """Reward of every action of a move, shape (num_actions,)."""
    open: NDArray[np.bool_]
    """Whether the game goes on after it, shape (num_actions,)."""
    change_start: NDArray[np.int32]
    """Where the list of each change begins; -1 for one that was not met yet."""
    change_count: NDArray[np.int32]
    change_entry: NDArray[np.int32]
    change_delta: NDArray[np.int32]
    change_row: NDArray[np.int32]
    """Row of each change in `rows`."""
    rows: NDArray[np.int32]
    """The same changes as the lists, for all entries, shape (room, E)."""
    used: NDArray[np.int64]
    """How much of the change lists and of the rows is in use, shape (2,)."""


_CHANGE_ROOM = 1 << 20
_ROW_ROOM = 1 << 13


def make_board(game: Game, structure: Structure, views: int) -> Board:
    """Work space for one thread."""
    padded = -(-game.num_cells // 8) * 8
    groups = len(structure.num_states)
    entries = len(structure.base)
    changes = int(structure.change_start[-1])
    largest = int(np.diff(structure.entry_start).max())
    room = max(largest, min(_CHANGE_ROOM, changes * largest))
    return Board(
        cells=np.zeros((views, padded), np.int8),
        after=np.zeros(padded, np.int8),
        codes=np.zeros((views, groups), np.int32),
        indices=np.zeros((views, entries), np.int32),
        changed=np.zeros(groups, np.int32),
        place=np.zeros(groups, np.int32),
        new_codes=np.zeros(groups, np.int32),
        variant=np.zeros(padded, np.int8),
        variant_codes=np.zeros(groups, np.int32),
        known=np.zeros(entries, np.float32),
        base=np.zeros(1, np.float32),
        unprepared=np.ones(1, np.bool_),
        moved=np.zeros(entries << len(structure.pairs), np.int32),
        actions=np.zeros(game.num_actions, np.int64),
        scores=np.zeros(game.num_players, np.float64),
        totals=np.zeros(game.num_actions),
        rewards=np.zeros(game.num_actions),
        open=np.zeros(game.num_actions, np.bool_),
        change_start=np.full(changes, -1, np.int32),
        change_count=np.zeros(changes, np.int32),
        change_entry=np.zeros(room, np.int32),
        change_delta=np.zeros(room, np.int32),
        change_row=np.zeros(changes, np.int32),
        rows=np.zeros((min(_ROW_ROOM, changes), entries), np.int32),
        used=np.zeros(2, np.int64),
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
        first = st.entry_start[g]
        count = st.entry_start[g + 1] - first
        row = st.contribution_start[g] + group_state(st, g, codes[g]) * count
        for k in range(count):
            index[st.entries[first + k]] += st.contributions[row + k]


@inlined
def compare(st: Any, board: Any, view: int) -> int:
    """Find the groups in which `board.after` differs from the current position; return their number."""
    old = board.cells[view]
    new = board.after
    old_words = old.view(np.int64)
    new_words = new.view(np.int64)
    n = 0
    for word in range(len(new_words)):
        differing = old_words[word] ^ new_words[word]
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
def index_change(st: Any, board: Any, view: int, k: int) -> int:
    """The number of the k-th change that `compare` found; its list of index changes is ready afterwards."""
    g = board.changed[k]
    x = group_state(st, g, board.codes[view, g])
    y = group_state(st, g, board.new_codes[k])
    number = st.change_start[g] + x * st.num_states[g] + y
    if board.change_start[number] < 0:
        _collect(st, board, g, x, y, number)
    return number


@helper
def _collect(st: Any, board: Any, g: int, x: int, y: int, number: int) -> None:
    """List the entries whose index changes when group g goes from state x to y, and by how much."""
    first = st.entry_start[g]
    count = st.entry_start[g + 1] - first
    if board.used[0] + count > len(board.change_entry) or board.used[1] == len(board.rows):
        for k in range(len(board.change_start)):
            board.change_start[k] = -1
        board.used[0] = 0
        board.used[1] = 0
    start = board.used[0]
    row = board.rows[board.used[1]]
    for e in range(len(row)):
        row[e] = 0
    n = 0
    before = st.contribution_start[g] + x * count
    after = st.contribution_start[g] + y * count
    for k in range(count):
        delta = st.contributions[after + k] - st.contributions[before + k]
        if delta != 0:
            board.change_entry[start + n] = st.entries[first + k]
            board.change_delta[start + n] = delta
            row[st.entries[first + k]] = delta
            n += 1
    board.change_start[number] = start
    board.change_count[number] = n
    board.change_row[number] = board.used[1]
    board.used[0] = start + n
    board.used[1] += 1


@inlined
def apply_changes(st: Any, board: Any, view: int, n: int, index: Any) -> None:
    """Carry the n changes that `compare` found over to `index` (E,): whole rows, by vector instructions."""
    for k in range(n):
        row = board.rows[board.change_row[index_change(st, board, view, k)]]
        for e in range(len(row)):
            index[e] += row[e]


@inlined
def follow(st: Any, board: Any, view: int) -> None:
    """Make the position of `board.after` the current one of this view."""
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
