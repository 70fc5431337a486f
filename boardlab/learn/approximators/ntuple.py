"""N-tuple networks: sums of looked-up weights, for afterstates, or with one output for every action.

A network of actions has a table for each action. The action of a symmetric board is mapped along with it, so that an
entry of the k-th symmetric board looks into the table of the action that a becomes there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper, inlined, inlined_method
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.learn.approximators.base import Approximator, Arrays, Shape, moves_again, reward_of
from boardlab.learn.approximators.lookups import (
    afterstate_total,
    begin_board,
    follow_board,
    sum_weights,
    write_cells,
)
from boardlab.learn.outputs import inverse
from boardlab.ntuple.indexing import make_board, set_up, variant_indices
from boardlab.ntuple.layout import Layout, make_layout
from boardlab.rng import make_rng, random_below

__all__ = ["NTuple"]

_STREAM = 79
"""Which symmetries are taken comes from a stream of its own."""


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
        return inverse(self.output, value) / self._layout.num_entries

    def make_room(self) -> None:
        game, structure = self._game, self._layout.structure
        self.st = Arrays(structure)
        self.board = Arrays(make_board(game, structure, game.num_players if self.inversion else 1))
        self.sizes = np.array([structure.num_tuples], np.int64)  # in an array, so that it is no constant
        self.shifts = self._shifts

    # ------------------------------------------------------------ compiled

    @inlined_method
    def begin(self, game: Any, s: Any) -> None:
        begin_board(game, self.st, self.inversion, self.board, s)

    @inlined_method
    def follow(self, game: Any, s: Any) -> None:
        follow_board(game, self.st, self.inversion, self.board, s)

    @inlined_method
    def rate(self, game: Any, states: Any, moves: Any, n: int, p: int, score: float, ends: bool) -> bool:
        if self.of_actions:
            return _rate_actions(self, moves, n, p)
        return _rate_afterstates(self, game, states, moves, n, p, score, ends)

    @inlined_method
    def keep(self, game: Any, s: Any, p: int, action: int, index: Any, hits: Any) -> int:
        """Indices come symmetry by symmetry, so those of one tuple lie `num_tuples` apart, and only these can be
        equal: the first of equal ones counts them all, the others become the spare weight."""
        board: Any = self.board
        st: Any = self.st
        table = 0 if len(self.weights) == 1 else p
        offset = table * self.weights.shape[1]
        spare = offset + self.weights.shape[1] - 1
        view = p if self.inversion else 0
        one = np.float32(-1.0) if self.first_view and p == 1 else np.float32(1.0)
        if len(st.pairs) > 0:
            count = variant_indices(st, board, board.cells[view], board.moved)
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
        _count_equal(index, hits, count, self.sizes[0], spare)
        return count


@inlined
def _rate_actions(values: Any, moves: Any, n: int, p: int) -> bool:
    """Totals of the actions in the current position."""
    board = values.board
    weights = values.weights[0 if len(values.weights) == 1 else p]
    index = board.indices[p if values.inversion else 0]
    sign = -1.0 if values.first_view and p == 1 else 1.0
    for i in range(n):
        shift = values.shifts[moves.actions[i]]
        for k in range(len(index)):
            board.moved[k] = index[k] + shift[k]
        moves.totals[i] = sign * sum_weights(weights, board.moved, len(index))
        moves.rewards[i] = 0.0
        moves.open[i] = True
    return True


@inlined
def _rate_afterstates(
    values: Any, game: Any, states: Any, moves: Any, n: int, p: int, score: float, ends: bool
) -> bool:
    """Rewards and totals of the afterstates of all actions."""
    board, st = values.board, values.st
    view = p if values.inversion else 0
    weights = values.weights[0 if len(values.weights) == 1 else p]
    board.unprepared[0] = True
    s = states[1]
    alike = True
    for i in range(n):
        states[1] = states[0]
        game.advance(s, moves.actions[i])
        over = not game.is_chance(s) and game.is_over(s)
        game.scores(s, moves.scores)
        gained = moves.scores[p] * moves.pace[0] if over else moves.scores[p]
        reward = 0.0 if ends else reward_of(values, over, gained, score)
        moves.rewards[i] = reward
        moves.open[i] = ends or not over
        moves.totals[i] = 0.0
        board.awaited[i] = False
        if (ends or not over) and moves_again(values, game, s, p, over):
            moves.totals[i] = _total_of_other(values, game, s, 1 - p)
        elif ends or not over:
            moves.totals[i] = afterstate_total(game, st, values.inversion, weights, board, view, s, i)
        alike &= (ends or not over) and reward == moves.rewards[0]
    for i in range(n):
        if board.awaited[i]:
            moves.totals[i] = sum_weights(weights, board.ahead[i], len(st.base))
    if values.first_view and p == 1:
        for i in range(n):
            moves.totals[i] = -moves.totals[i]
    return alike


@helper
def _total_of_other(values: Any, game: Any, s: Any, owner: int) -> Any:
    """The total of an afterstate that belongs to the other player: with the opposite sign, unless all values are those
    of the first player anyway."""
    board, st = values.board, values.st
    write_cells(game, values.inversion, s, owner, board.after)
    count = len(st.base)
    if len(st.pairs) > 0:
        count = variant_indices(st, board, board.after, board.moved)
    else:
        set_up(st, board.after, board.variant_codes, board.moved)
    total = sum_weights(values.weights[0 if len(values.weights) == 1 else owner], board.moved, count)
    return total if values.first_view else -total


@inlined
def _count_equal(index: Any, hits: Any, count: int, num_tuples: int, spare: int) -> None:
    """Count equal indices at the first of them."""
    for distance in range(num_tuples, count, num_tuples):
        if _any_equal(index[distance:count], index[: count - distance]):
            for later in range(distance, count, num_tuples):
                earlier = later - distance
                _merge(
                    index[earlier : earlier + num_tuples],
                    hits[earlier : earlier + num_tuples],
                    index[later : later + num_tuples],
                    hits[later : later + num_tuples],
                    spare,
                )


@inlined
def _any_equal(later: Any, earlier: Any) -> bool:
    """Whether any two boards so far apart share an index. Often none do; this form becomes vector instructions."""
    found = 0
    for k in range(len(later)):
        found |= later[k] == earlier[k]
    return found != 0


@inlined
def _merge(first: Any, first_hits: Any, again: Any, again_hits: Any, spare: int) -> None:
    """Count equal indices of two symmetric boards at the first of them. Written without branches, so that it
    becomes vector instructions; two spare indices are equal, too, but there is nothing to count."""
    zero = np.float32(0.0)
    for t in range(len(again)):
        same = first[t] == again[t]
        counted = again_hits[t]
        first_hits[t] += counted if same else zero
        again_hits[t] = zero if same else counted
        again[t] = spare if same else again[t]


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
    return (np.repeat(rows.T, len(layout.tuples), axis=1) * layout.num_weights).astype(np.int32)
