"""Kernels that turn boards into look-up indices, from scratch and by difference.

A `Board` (`boardlab.ntuple.board`) follows one game: the cells, the code of every group and the index of every entry of
the current position, for each view of the board (one, or one a player with board inversion). An afterstate is compared
cell by cell with the current position; only the entries that look at a changed group are touched.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.compiler import helper, inlined
from boardlab.compiler.bits import lowest_bit, popcount
from boardlab.compiler.permuted_sums import permuted_sums

__all__ = [
    "after_indices",
    "apply_changes",
    "change_of_group",
    "compare",
    "copy_values",
    "follow",
    "follow_plan",
    "follow_rated",
    "fresh_indices",
    "group_state",
    "index_change",
    "make_room",
    "many_changes",
    "permuted_indices",
    "plan_change",
    "set_up",
    "variant_indices",
]


@inlined
def copy_values(source: Any, target: Any) -> None:
    """Copy all of `source` to the front of `target`; a slice assignment would allocate."""
    for k in range(len(source)):
        target[k] = source[k]


@inlined
def group_state(st: Any, g: Any, code: int) -> int:
    """State number of a group from its code. A code that the game excluded counts as state 0. Indices of the hot path
    are made unsigned, so that none is tested for being counted from the end."""
    return max(0, st.code_state[np.uint64(st.code_start[np.uint64(g)] + code)])


@inlined
def set_codes(st: Any, cells: Any, codes: Any) -> None:
    """Codes of all groups of a board. `cells` (num_cells or more), `codes` (G,)."""
    for g in range(len(codes)):
        codes[g] = 0
    for i in range(len(st.cell_group)):
        codes[np.uint64(st.cell_group[i])] += cells[i] * st.cell_radix[i]


@inlined
def set_up(st: Any, cells: Any, codes: Any, index: Any) -> None:
    """Codes and indices of a board from scratch. `cells` (num_cells or more; as in a `Board`), `codes` (G,), `index`
    (E,)."""
    set_codes(st, cells, codes)
    if st.permuted:
        permuted_indices(st, cells, index)
        return
    copy_values(st.base, index)
    for g in range(0, len(codes), 4):  # four rows at a time, so that the sums are loaded and stored less often
        a, b = st.rows[np.uint64(_code_row(st, codes, g))], st.rows[np.uint64(_code_row(st, codes, g + 1))]
        c, d = st.rows[np.uint64(_code_row(st, codes, g + 2))], st.rows[np.uint64(_code_row(st, codes, g + 3))]
        for e in range(len(a)):
            index[e] += (a[e] + b[e]) + (c[e] + d[e])


@inlined
def permuted_indices(st: Any, cells: Any, index: Any) -> None:
    """Indices of a board that lies in one register."""
    permuted_sums(cells, st.taken, st.taken_weights, st.taken_factors, st.base, index)


@inlined
def _code_row(st: Any, codes: Any, g: int) -> int:
    """Which row of `st.rows` belongs to group g; behind the last group, that of zeros."""
    return (
        int(st.code_row[np.uint64(st.code_start[np.uint64(g)] + codes[np.uint64(g)])])
        if g < len(codes)
        else len(st.rows) - 1
    )


@inlined
def fresh_indices(st: Any, cells: Any, codes: Any, index: Any) -> None:
    """Indices of a board from scratch, where nobody asks for its codes: from cells in twos where there are such rows,
    which together with `_repeats` took 0.92 of the time of a move of 2048."""
    if not st.coupled:
        set_up(st, cells, codes, index)
        return
    for k in range(len(index)):
        index[k] = 0
    couples = len(st.cell_group) // 2
    for j in range(0, couples, 8):
        a = st.couple_rows[np.uint64(_couple_row(st, cells, j, couples))]
        b = st.couple_rows[np.uint64(_couple_row(st, cells, j + 1, couples))]
        c = st.couple_rows[np.uint64(_couple_row(st, cells, j + 2, couples))]
        d = st.couple_rows[np.uint64(_couple_row(st, cells, j + 3, couples))]
        e = st.couple_rows[np.uint64(_couple_row(st, cells, j + 4, couples))]
        f = st.couple_rows[np.uint64(_couple_row(st, cells, j + 5, couples))]
        g = st.couple_rows[np.uint64(_couple_row(st, cells, j + 6, couples))]
        h = st.couple_rows[np.uint64(_couple_row(st, cells, j + 7, couples))]
        for k in range(len(a)):
            index[k] += ((a[k] + b[k]) + (c[k] + d[k])) + ((e[k] + f[k]) + (g[k] + h[k]))


@inlined
def _couple_row(st: Any, cells: Any, j: int, couples: int) -> int:
    """Which row of `st.couple_rows` belongs to couple j; behind the last couple, that of zeros."""
    if j >= couples:
        return len(st.couple_rows) - 1
    values = int(st.couple_values[0])
    return (j * values + int(cells[np.uint64(2 * j + 1)])) * values + int(cells[np.uint64(2 * j)])


@inlined
def many_changes(st: Any, board: Any, view: int) -> bool:
    """Whether `board.after` differs in so many cells that its indices are better made anew."""
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
            differing &= ~(np.int64(255) << np.int64(8 * byte))
            i = np.uint64(8 * word + byte)
            g = np.uint64(st.cell_group[i])
            k = np.uint64(board.place[g])
            if k >= np.uint64(n) or board.changed[k] != st.cell_group[i]:
                k = np.uint64(n)
                board.place[g] = n
                board.changed[k] = st.cell_group[i]
                board.new_codes[k] = board.codes[view, g]
                n += 1
            board.new_codes[k] += (new[i] - old[i]) * st.cell_radix[i]
    return n


@inlined
def make_room(st: Any, board: Any, n: int) -> None:
    """Forget all changes that were collected if n more may not find room."""
    if board.used[0] + n * len(st.base) > len(board.change_entry) or board.used[1] + n > len(board.rows):
        _forget_changes(board)


@helper
def _forget_changes(board: Any) -> None:
    for k in range(len(board.change)):
        board.change[k, 0] = 0
    for p in range(len(board.met)):
        for state in range(board.met.shape[1]):
            board.met[p, state, 0] = 0
    board.used[0] = 0
    board.used[1] = 1


@inlined
def index_change(st: Any, board: Any, view: int, k: int) -> int:
    """The number of the k-th change that `compare` found; its index changes are ready afterwards."""
    g = np.uint64(board.changed[np.uint64(k)])
    return change_of_group(st, board, g, board.codes[view, g], board.new_codes[np.uint64(k)])


@inlined
def change_of_group(st: Any, board: Any, g: Any, old: int, new: int) -> int:
    """The number of the change of group g from one code to another; its index changes are ready afterwards."""
    x = group_state(st, g, old)
    y = group_state(st, g, new)
    number = st.change_start[np.uint64(g)] + x * st.num_states[np.uint64(g)] + y
    if board.change[np.uint64(number), 0] == 0:
        _collect(st, board, int(g), x, y, number)
    return int(number)


@inlined
def plan_change(game: Any, st: Any, board: Any, s: Any, action: int, i: int) -> None:
    """Ask the game which cells the i-th action of `s`, the current position, changes. Where they are in one group, its
    change is noted: the afterstate needs no cells and no comparison then, which took 32 of 150 ns (Connect Four)."""
    cells, values = board.told_cells[i], board.told_values[i]
    n = game.changed_cells(s, action, cells, values)
    board.told[i] = n
    board.plan[i, 0] = -1
    if n > 0:
        g = np.uint64(st.cell_group[np.uint64(cells[0])])
        code = board.codes[0, g]
        together = True
        for k in range(n):
            cell = np.uint64(cells[k])
            together &= np.uint64(st.cell_group[cell]) == g
            code += (values[k] - board.cells[0, cell]) * st.cell_radix[cell]
        if together:
            _plan_group(st, board, g, code, i)


@inlined
def _plan_group(st: Any, board: Any, g: Any, code: int, i: int) -> None:
    """Note the change of group g to another code, mostly as it was met before."""
    state = st.row_start[g] + group_state(st, g, board.codes[0, g])
    met = board.met[board.turn[0], np.uint64(state)]
    if met[0] != code + 1:
        number = np.uint64(change_of_group(st, board, g, board.codes[0, g], code))
        met[0], met[1], met[2] = code + 1, board.change[number, 1], board.change[number, 2]
    board.plan[i, 0], board.plan[i, 1] = met[1], met[2]
    board.plan_code[i] = code


@inlined
def follow_plan(st: Any, board: Any, i: int) -> None:
    """Make the afterstate of the i-th action, whose change is noted, the current position."""
    cells, values, index = board.told_cells[i], board.told_values[i], board.indices[0]
    g = np.uint64(st.cell_group[np.uint64(cells[0])])
    start = np.uint64(board.plan[i, 0])
    for k in range(np.uint64(board.plan[i, 1])):
        index[np.uint64(board.change_entry[start + k])] += board.change_delta[start + k]
    board.codes[0, g] = board.plan_code[i]
    for k in range(board.told[i]):
        board.cells[0, cells[k]] = values[k]


@helper
def _collect(st: Any, board: Any, g: int, x: int, y: int, number: int) -> None:
    """Note how all indices change when group g goes from state x to y: as a row, and as a list of those that do. Who
    needs several changes at a time has made room for all of them before: those of all actions of a position have it."""
    make_room(st, board, 1)
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
    board.change[number, 0] = board.used[1]
    board.change[number, 1] = start
    board.change[number, 2] = n
    board.used[0] = start + n
    board.used[1] += 1


@inlined
def apply_changes(st: Any, board: Any, view: int, n: int, index: Any) -> None:
    """Carry the n changes that `compare` found over to `index` (E,): whole rows, four at a time, by vector
    instructions."""
    make_room(st, board, n)
    for first in range(0, n, 4):
        a = board.rows[np.uint64(_change_row(st, board, view, first, n))]
        b = board.rows[np.uint64(_change_row(st, board, view, first + 1, n))]
        c = board.rows[np.uint64(_change_row(st, board, view, first + 2, n))]
        d = board.rows[np.uint64(_change_row(st, board, view, first + 3, n))]
        for e in range(len(a)):
            index[e] += (a[e] + b[e]) + (c[e] + d[e])


@inlined
def _change_row(st: Any, board: Any, view: int, k: int, n: int) -> int:
    """Which row has the k-th of n changes; behind them, that of zeros."""
    return int(board.change[np.uint64(index_change(st, board, view, k)), 0]) if k < n else 0


@inlined
def follow(st: Any, board: Any, view: int) -> None:
    """Make the position of `board.after` the current one of this view."""
    if st.permuted or (st.anew and many_changes(st, board, view)):
        set_up(st, board.after, board.codes[view], board.indices[view])
    else:
        n = compare(st, board, view)
        apply_changes(st, board, view, n, board.indices[view])
        for k in range(n):
            board.codes[view, board.changed[k]] = board.new_codes[k]
    copy_values(board.after, board.cells[view])


@inlined
def follow_rated(st: Any, board: Any, i: int) -> None:
    """The same for the afterstate of the i-th action. Where it was rated by all its indices, they are at hand."""
    if board.awaited[i] == len(st.base):
        copy_values(board.ahead[i], board.indices[0])
        set_codes(st, board.after, board.codes[0])
        copy_values(board.after, board.cells[0])
    else:
        follow(st, board, 0)


@inlined
def after_indices(st: Any, board: Any, view: int, out: Any) -> None:
    """The indices of `board.after` (E,), by its difference from the current position, or anew where that is less."""
    if st.anew and many_changes(st, board, view):
        fresh_indices(st, board.after, board.variant_codes, out)
    else:
        n = compare(st, board, view)
        copy_values(board.indices[view], out)
        apply_changes(st, board, view, n, out)


@helper
def variant_indices(st: Any, board: Any, cells: Any, plain: Any, out: Any) -> int:
    """All indices of a board whose game has exchangeable cells: those of every board that comes from exchanging pairs
    whose values differ, the board itself (whose indices are `plain`) at last. Writes them to `out` and returns their
    number, a multiple of E."""
    differing = 0
    for k in range(len(st.pairs)):
        if cells[st.pairs[k, 0]] != cells[st.pairs[k, 1]]:
            differing |= 1 << k
    n = 0
    chosen = differing
    while True:
        index = out[n : n + len(plain)]
        copy_values(plain, index)
        set_codes(st, cells, board.variant_codes)
        for k in range(len(st.pairs)):
            if (chosen >> k) & 1:
                a, b = st.pairs[k, 0], st.pairs[k, 1]
                _change_cell(st, board.variant_codes, index, a, cells[b] - cells[a])
                _change_cell(st, board.variant_codes, index, b, cells[a] - cells[b])
        n += len(plain)
        if chosen == 0:
            return n
        chosen = (chosen - 1) & differing


@inlined
def _change_cell(st: Any, codes: Any, index: Any, cell: int, change: int) -> None:
    """Carry the change of a cell's value over to the code of its group and to all indices."""
    g = st.cell_group[cell]
    before = st.rows[st.row_start[g] + group_state(st, g, codes[g])]
    codes[g] += change * st.cell_radix[cell]
    after = st.rows[st.row_start[g] + group_state(st, g, codes[g])]
    for e in range(len(index)):
        index[e] += after[e] - before[e]
