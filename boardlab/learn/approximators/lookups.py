"""Sums of looked-up weights: of a whole board, and of an afterstate by its difference from the current position, so
that only the weights of changed entries are looked up anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.compiler import helper, inlined
from boardlab.compiler.bits import prefetch_row
from boardlab.compiler.sums import difference, gathered_total, total
from boardlab.compiler.vectors import gather
from boardlab.ntuple.indexing import (
    after_indices,
    apply_changes,
    change_of_group,
    compare,
    copy_values,
    follow,
    fresh_indices,
    index_change,
    many_changes,
    permuted_indices,
    set_up,
    variant_indices,
)
from boardlab.ntuple.steps import single_change, step_indices

__all__ = [
    "anew_total",
    "await_change",
    "awaited_total",
    "begin_board",
    "changed_total",
    "compared_total",
    "follow_board",
    "next_round",
    "stepped_total",
    "sum_distinct",
    "write_cells",
]


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
def prepare_move(st: Any, weights: Any, board: Any, view: int) -> None:
    """Look up all weights of the current position, into `board.known`, and their sum, into `board.base`, when the first
    afterstate of a move needs them."""
    if board.unprepared[0]:
        board.unprepared[0] = False
        count = len(st.base)
        gather(weights, board.indices[view], count, board.known)
        board.base[0] = total(board.known, count)


@inlined
def compared_total(game: Any, values: Any, weights: Any, view: int, s: Any, i: int) -> Any:
    """The network's sum (before the output function) for afterstate `s` of the i-th action, whose cells are compared
    with those of the current position. Mostly it is still due: the weights are only called for, see `await_change`.
    Where most of the board changed, these are all."""
    st, board = values.st, values.board
    write_cells(game, values.inversion, s, view, board.after)
    if st.exchanges:
        after_indices(st, board, view, board.plain)
        return gathered_total(weights, board.moved, variant_indices(st, board, board.after, board.plain, board.moved))
    if st.anew and many_changes(st, board, view):
        fresh_indices(st, board.after, board.variant_codes, board.ahead[i])
    else:
        n = compare(st, board, view)
        if n == 1:
            change = board.change[np.uint64(index_change(st, board, view, 0))]
            await_change(st, weights, board, view, change[1], change[2], i)
            return np.float32(0.0)
        copy_values(board.indices[view], board.ahead[i])
        apply_changes(st, board, view, n, board.ahead[i])
    _await_all(values, weights, i)
    return np.float32(0.0)


@inlined
def anew_total(game: Any, values: Any, weights: Any, s: Any, i: int) -> Any:
    """The same for boards whose indices are always made anew."""
    board = values.board
    game.cells(s, board.after)
    fresh_indices(values.st, board.after, board.variant_codes, board.ahead[i])
    _await_all(values, weights, i)
    return np.float32(0.0)


@inlined
def stepped_total(game: Any, values: Any, weights: Any, s: Any, i: int) -> Any:
    """The same for boards whose indices go by steps. They are made anew where one register holds the board (Othello:
    1.08 times as fast); else, afterstates of one position being alike, each is compared with the one before it."""
    st, board = values.st, values.board
    new, new_words = board.rated[i], board.rated_words[i]
    game.cells(s, new)
    cell = single_change(st, board.cells[0], new, board.words[0], new_words)
    if cell >= 0:
        change = board.change[np.uint64(change_of_group(st, board, cell, board.codes[0, cell], new[cell]))]
        await_change(st, weights, board, 0, change[1], change[2], i)
        return np.float32(0.0)
    if st.permuted:
        permuted_indices(st, new, board.ahead[i])
    else:
        old, old_words, source = board.cells[0], board.words[0], board.indices[0]
        if i > 0 and board.awaited[i - 1] == len(st.base):
            old, old_words, source = board.rated[i - 1], board.rated_words[i - 1], board.ahead[i - 1]
        step_indices(st, board, old, new, old_words, new_words, source, board.ahead[i])
    _await_all(values, weights, i)
    return np.float32(0.0)


@inlined
def changed_total(st: Any, weights: Any, board: Any, view: int, i: int) -> Any:
    """The sum of the afterstate of the i-th action, which changes a single group, at once."""
    prepare_move(st, weights, board, view)
    known, index = board.known, board.indices[view]
    entry, delta = board.change_entry, board.change_delta
    start, count = np.uint64(board.plan[i, 0]), np.uint64(board.plan[i, 1])
    zero, one = np.float32(0.0), np.uint64(1)
    a, b, c, d = zero, zero, zero, zero
    k, end = start, start + count
    while k + np.uint64(4) <= end:
        a += _gained(weights, index, known, entry, delta, k)
        b += _gained(weights, index, known, entry, delta, k + one)
        c += _gained(weights, index, known, entry, delta, k + np.uint64(2))
        d += _gained(weights, index, known, entry, delta, k + np.uint64(3))
        k += np.uint64(4)
    while k < end:
        a += _gained(weights, index, known, entry, delta, k)
        k += one
    return board.base[0] + ((a + b) + (c + d))


@inlined
def _gained(weights: Any, index: Any, known: Any, entry: Any, delta: Any, k: Any) -> Any:
    """What the k-th of all collected changes of an index adds to a sum."""
    e = np.uint64(entry[k])
    return weights[np.uint64(index[e] + delta[k])] - known[e]


@inlined
def await_change(st: Any, weights: Any, board: Any, view: int, begin: int, length: int, i: int) -> None:
    """Call for the weights that a change of a single group, `length` places of the list from `begin` on, brings in.
    Their indices and the weights that they replace are noted, and they are summed when those of all afterstates are on
    their way from memory. To wait for each of them took a third of all time with Connect Four."""
    prepare_move(st, weights, board, view)
    known, index, ahead, replaced = board.known, board.indices[view], board.ahead[i], board.replaced[i]
    entry, delta = board.change_entry, board.change_delta
    start, count = np.uint64(begin), np.uint64(length)
    for k in range(count):
        e = np.uint64(entry[start + k])
        place = index[e] + delta[start + k]
        ahead[k] = place
        prefetch_row(weights, place)
        replaced[k] = known[e]
    board.awaited[i] = count
    board.differs[i] = True


@inlined
def _await_all(values: Any, weights: Any, i: int) -> None:
    """Call for all weights of an afterstate, whose indices are noted. Those of small tables need not be called for
    (Othello: 6 %)."""
    board = values.board
    board.awaited[i] = len(values.st.base)
    board.differs[i] = False
    if not values.near:
        for k in range(len(values.st.base)):
            prefetch_row(weights, board.ahead[i, k])


@inlined
def awaited_total(weights: Any, board: Any, i: int) -> Any:
    """The sum that was still due: that of the current position and the difference, or all weights anew. Symmetric
    actions shall have equal sums, and files of before go on as they did there, so the order of additions matters."""
    if board.differs[i]:
        return board.base[0] + difference(weights, board.ahead[i], board.replaced[i], board.awaited[i])
    return gathered_total(weights, board.ahead[i], board.awaited[i])


@inlined
def next_round(values: Any) -> int:
    """The number by which the weights of one more position are marked as seen."""
    if values.round[0] == np.iinfo(np.int32).max:
        for i in range(len(values.seen)):
            values.seen[i] = 0
        values.round[0] = 0
    values.round[0] += 1
    return int(values.round[0])


@inlined
def sum_distinct(values: Any, weights: Any, index: Any, count: int) -> Any:
    """Sum of the weights at the first `count` indices, each once."""
    seen, number = values.seen, next_round(values)
    result = np.float32(0.0)
    for k in range(count):
        i = np.uint64(index[k])
        if seen[i] != number:
            seen[i] = number
            result += weights[i]
    return result
