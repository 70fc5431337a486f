"""N-tuple networks: sums of looked-up weights, for afterstates, or with one output for every action.

A network of actions has a table for each action. The action of a symmetric board is mapped along with it, so that an
entry of the k-th symmetric board looks into the table of the action that a becomes there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import inlined, inlined_method
from boardlab.compiler.sums import gathered_total
from boardlab.compiler.vectors import count_equal_in_eights
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.learn.approximators.base import Approximator, Arrays, Shape
from boardlab.learn.approximators.changes import ComparedChanges, MadeAnew, SteppedChanges, ToldChanges, total_anew
from boardlab.learn.approximators.lookups import awaited_total, next_round, sum_distinct
from boardlab.learn.outputs import inverse
from boardlab.ntuple.board import make_board
from boardlab.ntuple.indexing import make_room, variant_indices
from boardlab.ntuple.layout import Layout, Structure, make_layout
from boardlab.rng import make_rng, random_below
from boardlab.system.machine import own_zeros

__all__ = ["NTuple"]

_STREAM = 79
"""Which symmetries are taken comes from a stream of its own."""
_FEW_TUPLES = 16
"""With fewer tuples equal indices are searched one by one (Tic-tac-toe: 20 % more games a second; 2048: 5 %)."""
_MANY_ENTRIES = 32
"""With so many entries it pays to ask first whether any are equal (2048: 5 %)."""
_NEAR = 1 << 22
"""Bytes of tables that the caches hold well enough. Larger ones are called for before they are used, which gained 17 %
with 100 tuples of 10 cells, and cost 4 % with the 3.6 MB of Connect Four."""


class NTuple(Approximator):
    """Look-up tables: the weights of all n-tuples on all symmetric boards are summed up."""

    name = "ntuple"
    looks_once = True

    def design(self, game: Game, shape: Shape) -> None:
        super().design(game, shape)
        tuples = [*shape.tuples, ()] if shape.bias else list(shape.tuples)
        some = _some_symmetries(game, shape)
        self._layout = make_layout(game, tuples, symmetries=shape.symmetries, some=some, exchanges=not shape.of_actions)
        self._shifts = np.zeros((0, 0), np.int32)
        self._num_weights = self._layout.num_weights
        if shape.of_actions:
            self._shifts = _action_shifts(game, shape, some, self._layout)
            self._num_weights *= game.num_actions
        if self.table_sets * (self._num_weights + 1) >= 1 << 31:
            raise BoardlabError(
                f"this network needs {self._num_weights:,} weights in each of {self.table_sets} table sets, and at most"
                f" {(1 << 31) - 1:,} are possible in all; take shorter or fewer n-tuples"
            )
        pairs = 0 if shape.of_actions else len(game.exchangeable_cells()) * shape.symmetries
        self._most_kept = self._most_active = self._layout.num_entries << pairs
        self.distinct = shape.distinct

    @property
    def layout(self) -> Layout:
        """The n-tuples and their look-up tables; of one action, where each action has its own."""
        return self._layout

    @property
    def action_shifts(self) -> NDArray[np.int32]:
        """How far the tables of each action lie behind those of action 0, shape (actions, entries)."""
        return self._shifts

    @property
    def summary(self) -> str:
        count = len(self._layout.tuples)
        return f"{count} n-tuple{'s' * (count > 1)}"

    def start_weight(self, value: float) -> float:
        if self.distinct:
            raise BoardlabError("with hits=distinct positions have more or fewer weights; leave start_value out")
        return inverse(self.output, value) / self._layout.num_entries

    def make_room(self) -> None:
        game, structure = self._game, self._layout.structure
        self.st: Any = Arrays(structure)
        self.near = self.weights.nbytes <= _NEAR
        self.changes = self._way_of_changes(structure)
        self.board: Any = Arrays(make_board(game, structure, game.num_players if self.inversion else 1))
        self.sizes = np.array([structure.num_tuples], np.int64)  # in an array, so that it is no constant
        self.shifts = self._shifts
        self.seen = own_zeros(self._num_weights + 1 if self.distinct else 0, np.int32)
        self.round = own_zeros(1, np.int32)

    def _way_of_changes(self, structure: Structure) -> ComparedChanges:
        if self.inversion or self.of_actions:
            return ComparedChanges()
        if self._game.tells_changes and not self._game.num_outcomes:
            return ToldChanges()
        if structure.coupled and not structure.exchanges and self._game.num_outcomes:
            return MadeAnew()
        stepped = len(structure.steps) > 0 and len(structure.pairs) == 0
        return SteppedChanges() if stepped else ComparedChanges()

    # ------------------------------------------------------------ compiled

    @inlined_method
    def begin(self, game: Any, s: Any) -> None:
        self.changes.begin(self, game, s)

    @inlined_method
    def follow(self, game: Any, s: Any) -> None:
        self.changes.follow(self, game, s)

    @inlined_method
    def turn_to(self, p: int) -> None:
        board: Any = self.board
        board.turn[0] = p
        board.unprepared[0] = True
        board.planned[0] = False
        make_room(self.st, board, len(board.plan))

    @inlined_method
    def foresee(self, game: Any, s: Any, action: int, i: int) -> bool:
        self.board.awaited[i] = -1
        return self.changes.foresee(self, game, s, action, i)

    @inlined_method
    def foreseen_total(self, owner: int, i: int) -> Any:
        return self.changes.foreseen_total(self, owner, i)

    @inlined_method
    def follow_chosen(self, game: Any, s: Any, i: int) -> None:
        self.changes.follow_chosen(self, game, s, i)

    @inlined_method
    def afterstate_total(self, game: Any, s: Any, owner: int, again: bool, i: int) -> Any:
        if again or self.distinct:  # what is known of the current position is that of the other player, or no help
            return total_anew(self, game, s, owner)
        return self.changes.afterstate_total(self, game, s, owner, i)

    @inlined_method
    def action_total(self, action: int, p: int) -> Any:
        board: Any = self.board
        index, shift = board.indices[p if self.inversion else 0], self.shifts[action]
        for k in range(len(index)):
            board.moved[k] = index[k] + shift[k]
        if self.distinct:
            return sum_distinct(self, self.weights[0 if len(self.weights) == 1 else p], board.moved, len(index))
        return gathered_total(self.weights[0 if len(self.weights) == 1 else p], board.moved, len(index))

    @inlined_method
    def settle(self, moves: Any, n: int) -> None:
        board: Any = self.board
        weights = self.weights[0 if len(self.weights) == 1 else board.turn[0]]
        if not self.of_actions:
            for i in range(n):
                if board.awaited[i] >= 0:
                    moves.totals[i] = awaited_total(weights, board, i)

    @inlined_method
    def keep(self, game: Any, s: Any, p: int, action: int, index: Any, hits: Any) -> int:
        """Only indices of one tuple can be equal: the first of equal ones counts them all, the others become the spare
        weight. Where indices come symmetry by symmetry, they lie `num_tuples` apart."""
        self.changes.arrive(self)
        board: Any = self.board
        st: Any = self.st
        table = 0 if len(self.weights) == 1 else p
        offset = table * self.weights.shape[1]
        spare = offset + self.weights.shape[1] - 1
        view = p if self.inversion else 0
        one = np.float32(-1.0) if self.first_view and p == 1 else np.float32(1.0)
        if st.exchanges:
            count = variant_indices(st, board, board.cells[view], board.indices[view], board.moved)
            for k in range(count):
                index[k] = board.moved[k] + offset
                hits[k] = one
        else:
            count = len(st.base)
            source = board.indices[view]
            for k in range(count):
                index[k] = source[k] + offset
                hits[k] = one
            if self.of_actions:
                shift = self.shifts[action]
                for k in range(count):
                    index[k] += shift[k]
        if self.distinct:
            _drop_equal(self, index, hits, count, offset, spare)
        elif st.by_tuple:
            count_equal_in_eights(index, hits, count, spare)
        else:
            _count_equal(board, index, hits, count, self.sizes[0], spare)
        return count


@inlined
def _drop_equal(values: Any, index: Any, hits: Any, count: int, offset: int, spare: int) -> None:
    """Let the first of equal indices stand, the others become the spare weight."""
    seen, number = values.seen, next_round(values)
    for k in range(count):
        i = np.uint64(index[k] - offset)
        if seen[i] == number:
            index[k] = spare
            hits[k] = 0.0
        seen[i] = number


@inlined
def _count_equal(board: Any, index: Any, hits: Any, count: int, num_tuples: int, spare: int) -> None:
    """Count equal indices at the first of them."""
    if num_tuples < _FEW_TUPLES:
        if count < _MANY_ENTRIES or _repeats(index, count, num_tuples, board.twice):
            _count_one_by_one(index, hits, count, num_tuples, spare)
        return
    if count == 2 * num_tuples and not _any_equal(index[num_tuples:count], index[:num_tuples]):
        return
    again, zero, one = board.again[: count - num_tuples], np.float32(0.0), hits[0]
    later, later_hits = index[num_tuples:count], hits[num_tuples:count]
    for k in range(len(again)):
        again[k] = zero
    for apart in range(0, len(again), num_tuples):
        _compare(later[apart:], index, hits, again[apart:], one)
    for k in range(len(again)):
        later_hits[k] = zero if again[k] != zero else later_hits[k]
        later[k] = spare if again[k] != zero else later[k]


@inlined
def _repeats(index: Any, count: int, num_tuples: int, twice: Any) -> bool:
    """Whether any tuple sees the same on two symmetric boards. Boards further apart than half of all are near again in
    the second row, and all comparisons are equally long."""
    for k in range(count):
        twice[k] = index[k]
        twice[count + k] = index[k]
    found = False
    for distance in range(num_tuples, count // 2 + 1, num_tuples):
        found |= _any_equal(twice[distance : distance + count], twice[:count])
    return found


@inlined
def _count_one_by_one(index: Any, hits: Any, count: int, num_tuples: int, spare: int) -> None:
    """The same where so few indices lie between those of one tuple that vector instructions find no work."""
    end, step = np.uint64(count), np.uint64(num_tuples)
    for k in range(end - step):
        later = np.uint64(k) + step
        while later < end:  # a range with this step would be divided to find its length
            if index[later] == index[k] and index[k] != spare:
                hits[k] += hits[later]
                hits[later] = 0.0
                index[later] = spare
            later += step


@inlined
def _any_equal(later: Any, earlier: Any) -> bool:
    """Whether any two boards so far apart share an index. Often none do; this form becomes vector instructions."""
    found = False
    for k in range(len(later)):
        found |= later[k] == earlier[k]
    return found


@inlined
def _compare(later: Any, earlier: Any, hits: Any, again: Any, one: Any) -> None:
    """Note which indices of boards so far apart are equal: one more hit for the earlier one, and the later one has been
    there before. Written without branches, so that it becomes vector instructions."""
    zero = np.float32(0.0)
    for k in range(len(later)):
        same = later[k] == earlier[k]
        hits[k] += one if same else zero
        again[k] += one if same else zero


# ---------------------------------------------------------------- layout


def _some_symmetries(game: Game, shape: Shape) -> list[int] | None:
    """The board itself and so many other symmetric ones, drawn at random; None: all."""
    total = len(game.symmetries()) if shape.symmetries else 1
    if shape.num_symmetries == 0 or shape.num_symmetries >= total:
        return None
    rng = make_rng(shape.seed, _STREAM)
    others = list(range(1, total))
    chosen = [others.pop(int(random_below(rng, len(others)))) for _ in range(shape.num_symmetries - 1)]
    return [0, *sorted(chosen)]


def _action_shifts(game: Game, shape: Shape, some: list[int] | None, layout: Layout) -> NDArray[np.int32]:
    """How far the table of an action lies behind that of action 0, for every entry, shape (actions, entries)."""
    mapped = game.action_symmetries()
    count = len(game.symmetries()) if shape.symmetries else 1
    if mapped is None and count > 1:
        raise BoardlabError(
            f"{game.title} does not say what its actions become on symmetric boards (action_symmetries); take"
            " symmetries=false"
        )
    if layout.num_weights * game.num_actions >= 1 << 31:
        raise BoardlabError(
            f"tables of {layout.num_weights:,} weights for each of {game.num_actions:,} actions are too many; take"
            " shorter or fewer n-tuples"
        )
    rows = np.arange(game.num_actions)[None, :] if mapped is None else np.asarray(mapped)[:count]
    if some is not None:
        rows = rows[some]
    spread = np.tile(rows.T, len(layout.tuples)) if layout.by_tuple else np.repeat(rows.T, len(layout.tuples), axis=1)
    return (spread * layout.num_weights).astype(np.int32)
