"""How an n-tuple network learns what an action changes: from the game, which tells it, or by comparing boards.

Each way is a class of its own, so that only the code of one of them is compiled into a learner.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.compiler import Compilable, helper, inlined_method
from boardlab.compiler.sums import gathered_total
from boardlab.learn.approximators.lookups import (
    anew_total,
    await_change,
    begin_board,
    changed_total,
    compared_total,
    follow_board,
    stepped_total,
    sum_distinct,
    write_cells,
)
from boardlab.ntuple.indexing import (
    after_indices,
    copy_values,
    follow_plan,
    follow_rated,
    fresh_indices,
    plan_change,
    variant_indices,
)
from boardlab.ntuple.steps import follow_stepped

__all__ = ["ComparedChanges", "MadeAnew", "SteppedChanges", "ToldChanges", "total_anew"]


class ComparedChanges(Compilable):
    """Cells before and after an action are compared; any game can be learned so. `values` is the network."""

    @inlined_method
    def begin(self, values: Any, game: Any, s: Any) -> None:
        """Make `s` the current position, from scratch."""
        begin_board(game, values.st, values.inversion, values.board, s)

    @inlined_method
    def follow(self, values: Any, game: Any, s: Any) -> None:
        """Make `s` the current position."""
        follow_board(game, values.st, values.inversion, values.board, s)

    @inlined_method
    def arrive(self, values: Any) -> None:
        """The indices of the current position are needed."""

    @inlined_method
    def follow_chosen(self, values: Any, game: Any, s: Any, i: int) -> None:
        """Make `s`, the afterstate of the i-th of the rated actions, the current position."""
        if values.inversion:
            follow_board(game, values.st, values.inversion, values.board, s)
        else:
            game.cells(s, values.board.after)
            follow_rated(values.st, values.board, i)

    @inlined_method
    def foresee(self, values: Any, game: Any, s: Any, action: int, i: int) -> bool:
        """Whether `foreseen_total` knows the afterstate of the i-th action of position `s`."""
        return False

    @inlined_method
    def foreseen_total(self, values: Any, owner: int, i: int) -> Any:
        """Its total, where it is not still due."""
        return np.float32(0.0)

    @inlined_method
    def afterstate_total(self, values: Any, game: Any, s: Any, owner: int, i: int) -> Any:
        """The total of `s`, the afterstate of the i-th action, where it is not still due."""
        weights = values.weights[0 if len(values.weights) == 1 else owner]
        view = owner if values.inversion else 0
        return compared_total(game, values, weights, view, s, i)


class MadeAnew(ComparedChanges):
    """Nothing is compared where most of the board changes with every move: indices are made from cells in twos, and
    those of a position after a chance event, which nobody rates, only if somebody asks (2048: 1.2 times as fast). Till
    then the board has the cells of the position, afterwards not always."""

    @inlined_method
    def begin(self, values: Any, game: Any, s: Any) -> None:
        self.follow(values, game, s)

    @inlined_method
    def follow(self, values: Any, game: Any, s: Any) -> None:
        game.cells(s, values.board.cells[0])
        values.board.behind[0] = True

    @inlined_method
    def arrive(self, values: Any) -> None:
        board = values.board
        if board.behind[0]:
            fresh_indices(values.st, board.cells[0], board.codes[0], board.indices[0])
            board.behind[0] = False

    @inlined_method
    def follow_chosen(self, values: Any, game: Any, s: Any, i: int) -> None:
        if values.board.awaited[i] >= 0:
            copy_values(values.board.ahead[i], values.board.indices[0])
            values.board.behind[0] = False
        else:
            self.follow(values, game, s)

    @inlined_method
    def afterstate_total(self, values: Any, game: Any, s: Any, owner: int, i: int) -> Any:
        return anew_total(game, values, values.weights[0 if len(values.weights) == 1 else owner], s, i)


class SteppedChanges(ComparedChanges):
    """The same where indices go by steps with the values of single cells (`Structure.steps`)."""

    @inlined_method
    def follow_chosen(self, values: Any, game: Any, s: Any, i: int) -> None:
        if values.board.awaited[i] == len(values.st.base):
            follow_stepped(values.st, values.board, i)
        else:
            follow_board(game, values.st, values.inversion, values.board, s)

    @inlined_method
    def afterstate_total(self, values: Any, game: Any, s: Any, owner: int, i: int) -> Any:
        weights = values.weights[0 if len(values.weights) == 1 else owner]
        return stepped_total(game, values, weights, s, i)


class ToldChanges(ComparedChanges):
    """The game tells which cells an action changes (`Game.changed_cells`). What it does not tell is looked up anew."""

    @inlined_method
    def follow(self, values: Any, game: Any, s: Any) -> None:
        begin_board(game, values.st, values.inversion, values.board, s)

    @inlined_method
    def follow_chosen(self, values: Any, game: Any, s: Any, i: int) -> None:
        if values.board.planned[0] and values.board.plan[i, 0] >= 0:
            follow_plan(values.st, values.board, i)
        else:
            begin_board(game, values.st, values.inversion, values.board, s)

    @inlined_method
    def foresee(self, values: Any, game: Any, s: Any, action: int, i: int) -> bool:
        values.board.planned[0] = True
        plan_change(game, values.st, values.board, s, action, i)
        return values.board.plan[i, 0] >= 0 and not values.st.exchanges and not values.distinct

    @inlined_method
    def foreseen_total(self, values: Any, owner: int, i: int) -> Any:
        weights = values.weights[0 if len(values.weights) == 1 else owner]
        if values.near:
            return changed_total(values.st, weights, values.board, 0, i)
        plan = values.board.plan[i]
        await_change(values.st, weights, values.board, 0, plan[0], plan[1], i)
        return np.float32(0.0)

    @inlined_method
    def afterstate_total(self, values: Any, game: Any, s: Any, owner: int, i: int) -> Any:
        return total_anew(values, game, s, owner)


@helper
def total_anew(values: Any, game: Any, s: Any, owner: int) -> Any:
    """The total of an afterstate, from scratch."""
    board, st = values.board, values.st
    write_cells(game, values.inversion, s, owner, board.after)
    count = len(st.base)
    if st.exchanges:
        after_indices(st, board, owner if values.inversion else 0, board.plain)
        count = variant_indices(st, board, board.after, board.plain, board.moved)
    else:
        fresh_indices(st, board.after, board.variant_codes, board.moved)
    if values.distinct:
        return sum_distinct(values, values.weights[0 if len(values.weights) == 1 else owner], board.moved, count)
    return gathered_total(values.weights[0 if len(values.weights) == 1 else owner], board.moved, count)
