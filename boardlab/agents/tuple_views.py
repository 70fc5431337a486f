"""What an n-tuple network looks like from within: which weights a position looks up, and the look-up tables themselves.

`LearningAgent.tuple_views` gives them to whoever shows an agent to people; an agent without n-tuples has none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.game import Game
from boardlab.learn.approximators.ntuple import NTuple
from boardlab.learn.learner import Learner
from boardlab.learn.outputs import activate
from boardlab.ntuple.board import make_board
from boardlab.ntuple.indexing import set_up, variant_indices
from boardlab.position import Position

__all__ = ["LearnerTuples", "Look", "Table", "TupleViews"]


class Look(NamedTuple):
    """A position as a network sees it."""

    value: float
    """What the player expects, in the units of the game's scores where the output is linear in them."""
    total: float
    """The sum of all weights, before the output function."""
    weights: NDArray[np.float32]
    """float32 of shape (boards, tuples): what each tuple looks up on each symmetric board."""


class Table(NamedTuple):
    """The look-up table of one tuple; both arrays have an entry for each combination of the values of its cells."""

    weights: NDArray[np.float32]
    moved: NDArray[np.float32]
    """How much learning has moved each weight, 0 where it never came there."""


class TupleViews(ABC):
    """The n-tuples of an agent, its table sets, and what is in them."""

    tuples: Sequence[Sequence[int]]
    """The cells of each tuple."""
    table_sets: int

    @abstractmethod
    def look(self, position: Position, player: int, action: int | None) -> Look:
        """What `player`, who is to move, thinks of an action, or of the position itself where there is none."""

    @abstractmethod
    def table(self, table_set: int, number: int) -> Table:
        """The table of a tuple in a table set."""

    @abstractmethod
    def pattern(self, number: int, index: int) -> list[int]:
        """The values of the cells of a tuple for which an entry of its table stands."""


class LearnerTuples(TupleViews):
    """The views of a `Learner` with n-tuples. Where each action has tables of its own, these count as table sets."""

    def __init__(self, game: Game, learner: Learner) -> None:
        values = learner.values
        assert isinstance(values, NTuple)
        self.game, self.learner, self.values, self.layout = game, learner, values, values.layout
        self.outputs = game.num_actions if values.of_actions else 1
        self.tuples, self.table_sets = values.layout.tuples, learner.table_sets * self.outputs

    def look(self, position: Position, player: int, action: int | None) -> Look:
        values = self.values
        afterstate = action is not None and not values.of_actions
        seen = position.copy().play(action) if afterstate and action is not None else position
        over = seen.is_over or seen.is_chance
        again = values.waiting and afterstate and not over and seen.player == player
        player = 1 - player if again else player
        cells = np.zeros(-(-self.game.num_cells // 8) * 8, np.int8)
        if values.inversion:
            self.game.cells_of(seen.state, player, cells)
        else:
            self.game.cells(seen.state, cells)
        weights = self.learner.network.weights[0 if self.learner.table_sets == 1 else player]
        indices = self._indices(cells)
        if values.of_actions:
            indices = indices + values.action_shifts[action or 0]
        found = weights[indices]
        if again != (values.first_view and player == 1):  # what is good for the other is bad for him
            found = -found
        if values.distinct:
            _, first = np.unique(indices, return_index=True)
            again_hit = np.ones(len(indices), np.bool_)
            again_hit[first] = False
            found = np.where(again_hit, np.float32(0.0), found)
        total = float(found.sum(dtype=np.float64))
        value = (activate(values.output, total) - values.shift) / values.scale
        return Look(value, total, found.reshape(-1, len(self.tuples)))

    def _indices(self, cells: NDArray[np.int8]) -> NDArray[np.int32]:
        """The look-up indices of a board: symmetry by symmetry, and, where cells are exchangeable, variant by
        variant."""
        structure = self.layout.structure
        index = np.zeros(len(structure.base), np.int32)
        set_up(structure, cells, np.zeros(len(structure.num_states), np.int32), index)
        if len(structure.pairs):
            board = make_board(self.game, structure, 1)
            found = np.zeros(len(structure.base) << len(structure.pairs), np.int32)
            return found[: variant_indices(structure, board, cells, index, found)]
        return index.reshape(len(self.tuples), -1).T.ravel() if self.layout.by_tuple else index

    def table(self, table_set: int, number: int) -> Table:
        learner, layout = self.learner, self.layout
        table, output = divmod(table_set, self.outputs)
        start = output * layout.num_weights + layout.offsets[number]
        entries = slice(start, start + layout.sizes[number])
        weights = learner.network.weights[table, entries]
        first = learner.rule.first_memory()  # what temporal coherence sums up (A), else the weight itself
        memory = learner.rule.filled(learner.network.memory[table, entries])
        kept = memory[:, -1] - np.float32(first[-1]) if first else weights
        return Table(weights, np.abs(kept))

    def pattern(self, number: int, index: int) -> list[int]:
        return self.layout.pattern(number, index)
