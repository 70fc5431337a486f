"""Sums of looked-up weights: of a whole board, and of an afterstate by its difference from the current position, so
that only the weights of changed entries are looked up anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.compiler import helper, inlined
from boardlab.compiler.bits import prefetch_row
from boardlab.ntuple.indexing import (
    apply_changes,
    compare,
    copy_values,
    follow,
    index_change,
    make_room,
    many_changes,
    set_up,
    variant_indices,
)

__all__ = ["afterstate_total", "begin_board", "follow_board", "sum_weights", "write_cells"]


@inlined
def sum_weights(weights: Any, index: Any, count: int) -> Any:
    """Sum of the weights at the first `count` indices, in eight partial sums, so that additions overlap."""
    zero = np.float32(0.0)
    a, b, c, d, e, f, g, h = zero, zero, zero, zero, zero, zero, zero, zero
    whole = count & ~7
    for k in range(0, whole, 8):
        a += weights[np.uint64(index[k])]
        b += weights[np.uint64(index[k + 1])]
        c += weights[np.uint64(index[k + 2])]
        d += weights[np.uint64(index[k + 3])]
        e += weights[np.uint64(index[k + 4])]
        f += weights[np.uint64(index[k + 5])]
        g += weights[np.uint64(index[k + 6])]
        h += weights[np.uint64(index[k + 7])]
    for k in range(whole, count):
        a += weights[np.uint64(index[k])]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@inlined
def write_cells(game: Any, inversion: bool, s: Any, view: int, out: Any) -> None:
    """The board as the network sees it."""
    if inversion:
        game.cells_of(s, view, out)
    else:
        game.cells(s, out)


@helper
def begin_board(game: Any, st: Any, inversion: bool, board: Any, s: Any) -> None:
    """Make `s` the current position of the board, from scratch."""
    for view in range(len(board.cells)):
        write_cells(game, inversion, s, view, board.cells[view])
        set_up(st, board.cells[view], board.codes[view], board.indices[view])


@inlined
def follow_board(game: Any, st: Any, inversion: bool, board: Any, s: Any) -> None:
    """Make `s` the current position of the board, by its difference from the one before."""
    for view in range(len(board.cells)):
        write_cells(game, inversion, s, view, board.after)
        follow(st, board, view)


@inlined
def prepare_move(st: Any, weights: Any, board: Any, view: int) -> Any:
    """Look up all weights of the current position: `board.known` gets them, their sum is returned."""
    known = board.known
    index = board.indices[view]
    zero = np.float32(0.0)
    a, b, c, d = zero, zero, zero, zero
    count = len(index)
    whole = count & ~3
    for k in range(0, whole, 4):
        w0 = weights[np.uint64(index[k])]
        w1 = weights[np.uint64(index[k + 1])]
        w2 = weights[np.uint64(index[k + 2])]
        w3 = weights[np.uint64(index[k + 3])]
        known[k], known[k + 1], known[k + 2], known[k + 3] = w0, w1, w2, w3
        a += w0
        b += w1
        c += w2
        d += w3
    for k in range(whole, count):
        known[k] = weights[np.uint64(index[k])]
        a += known[k]
    return (a + b) + (c + d)


@inlined
def afterstate_total(game: Any, st: Any, inversion: bool, weights: Any, board: Any, view: int, s: Any, i: int) -> float:
    """The network's sum (before the output function) for afterstate `s` of the i-th action. The weights of the current
    position are looked up when the first afterstate needs them, into `board.known`, and their sum into `board.base`.
    Where most of the board changed, the weights are only called for: `board.awaited` says that the sum is still due."""
    write_cells(game, inversion, s, view, board.after)
    index, moved = board.indices[view], board.moved
    if len(st.pairs) > 0:
        return sum_weights(weights, moved, variant_indices(st, board, board.after, moved))
    if many_changes(st, board, view):
        board.awaited[i] = True
        set_up(st, board.after, board.variant_codes, board.ahead[i])
        for k in range(len(index)):
            prefetch_row(weights, board.ahead[i, k])
        return 0.0
    n = compare(st, board, view)
    if n == 1:
        if board.unprepared[0]:
            board.unprepared[0] = False
            board.base[0] = prepare_move(st, weights, board, view)
        return board.base[0] + _one_change(st, weights, board, view)
    copy_values(index, moved)
    apply_changes(st, board, view, n, moved)
    return sum_weights(weights, moved, len(index))


@inlined
def _one_change(st: Any, weights: Any, board: Any, view: int) -> Any:
    """How the sum changes when a single group changes."""
    known = board.known
    make_room(st, board, 1)
    number = index_change(st, board, view, 0)
    index = board.indices[view]
    entry, delta = board.change_entry, board.change_delta
    start = np.uint64(board.change_start[number])
    count = np.uint64(board.change_count[number])
    zero = np.float32(0.0)
    a, b, c, d = zero, zero, zero, zero
    end = start + count
    k = start
    while k + np.uint64(4) <= end:
        e0 = np.uint64(entry[k])
        e1 = np.uint64(entry[k + np.uint64(1)])
        e2 = np.uint64(entry[k + np.uint64(2)])
        e3 = np.uint64(entry[k + np.uint64(3)])
        a += weights[np.uint64(index[e0] + delta[k])] - known[e0]
        b += weights[np.uint64(index[e1] + delta[k + np.uint64(1)])] - known[e1]
        c += weights[np.uint64(index[e2] + delta[k + np.uint64(2)])] - known[e2]
        d += weights[np.uint64(index[e3] + delta[k + np.uint64(3)])] - known[e3]
        k += np.uint64(4)
    while k < end:
        e0 = np.uint64(entry[k])
        a += weights[np.uint64(index[e0] + delta[k])] - known[e0]
        k += np.uint64(1)
    return (a + b) + (c + d)
