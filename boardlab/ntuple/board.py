"""The work space of a thread that follows one game: the current position and its afterstates, as cells, codes and
indices. What works on it is in `boardlab.ntuple.indexing`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.game import MOST_TOLD, Game
from boardlab.ntuple.layout import Structure
from boardlab.system.machine import own_copy, own_zeros

__all__ = ["Board", "make_board"]


class Board(NamedTuple):
    """Work space of one thread. V views, G groups, E entries; cells are padded to whole words of 8, and 64 bytes
    can be read from each board on."""

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
    behind: NDArray[np.bool_]
    """Whether `indices` are still those of an earlier position, shape (1,)."""
    plain: NDArray[np.int32]
    """Indices of `after` before pairs of cells are exchanged, shape (E,)."""
    variant_codes: NDArray[np.int32]
    """Codes of a board that is indexed anew, or has some pairs exchanged, shape (G,)."""
    known: NDArray[np.float32]
    """Weights of the current position's entries for the player to move, shape (E,)."""
    base: NDArray[np.float32]
    """Their sum, shape (1,)."""
    turn: NDArray[np.int64]
    """Whose move it is, shape (1,)."""
    unprepared: NDArray[np.bool_]
    """Whether both are still to be looked up, shape (1,)."""
    moved: NDArray[np.int32]
    """Indices of `after`, shape (most entries of a position,)."""
    twice: NDArray[np.int32]
    """Indices of a position twice in a row, so that they can be compared with themselves, shape (2 * most entries of a
    position,)."""
    again: NDArray[np.float32]
    """Other than 0 for indices of a position that it had before, shape (most entries of a position,)."""
    ahead: NDArray[np.int32]
    """Indices of afterstates whose weights are on their way from memory, shape (num_actions, E)."""
    awaited: NDArray[np.int64]
    """How many of them the i-th action has; -1 where its total is not due, shape (num_actions,)."""
    differs: NDArray[np.bool_]
    """Whether these are only the ones that differ from those of the current position, shape (num_actions,)."""
    replaced: NDArray[np.float32]
    """The weights that stand in their place in the current position then, shape (num_actions, E)."""
    rated: NDArray[np.int8]
    """Cells of the afterstates that were rated last, where they are kept, shape (num_actions, padded cells)."""
    rated_words: NDArray[np.uint64]
    """Their memory, shape (num_actions, padded cells / 8)."""
    told_cells: NDArray[np.int32]
    """Cells that the i-th action changes, where the game tells it, shape (num_actions, MOST_TOLD)."""
    told_values: NDArray[np.int8]
    """Their values in its afterstate, of the same shape."""
    told: NDArray[np.int64]
    """How many they are; -1 where nothing was told, shape (num_actions,)."""
    plan: NDArray[np.int32]
    """Begin and length of the list of changes that they are; begin -1 where they are not in one group, shape
    (num_actions, 2)."""
    plan_code: NDArray[np.int64]
    """The code of that group in the afterstate, shape (num_actions,)."""
    planned: NDArray[np.bool_]
    """Whether this is so of the current position, shape (1,)."""
    met: NDArray[np.int32]
    """What a player did to a group in a state when he last planned to: the code afterwards, counted from 1, and the
    plan, shape (num_players, states of all groups, 3). Mostly he can do only one thing to it (drop a disc on a
    column), and this small table stays in the cache, where the much larger one of all changes does not."""
    change: NDArray[np.int32]
    """Of each change the row in `rows` (0 for one that was not met yet), begin and length of its list, side by side
    in one cache line, shape (changes, 4)."""
    change_entry: NDArray[np.int32]
    change_delta: NDArray[np.int32]
    rows: NDArray[np.int32]
    """The same changes as the lists, for all entries, shape (room, E); the first row is of zeros."""
    used: NDArray[np.int64]
    """How much of the change lists and of the rows is in use, shape (2,)."""

    def __reduce__(self) -> tuple[Any, ...]:
        """The words of a copy are those of its own cells."""
        return _board_of, ({k: v for k, v in self._asdict().items() if k not in _SHARED},)


_SHARED = {"words": "cells", "after_words": "after", "rated_words": "rated"}
"""Fields that are the memory of others."""


def _board_of(fields: dict[str, Any]) -> Board:
    whole = dict(fields)
    for words, cells in _SHARED.items():
        whole[cells] = own_copy(fields[cells])  # with room behind the last one
        whole[words] = whole[cells].view(np.uint64)
    return Board(**whole)


_CHANGE_ROOM = 1 << 20
_ROW_ROOM = 1 << 13


def make_board(game: Game, structure: Structure, views: int) -> Board:
    """Work space for one thread."""
    padded = -(-game.num_cells // 8) * 8
    groups = len(structure.num_states)
    entries = len(structure.base)
    changes = int(structure.change_start[-1])
    room = max(groups * entries, min(_CHANGE_ROOM, changes * entries)) + game.num_actions * entries
    fields = dict(
        cells=own_zeros((views, padded), np.int8),
        after=own_zeros(padded, np.int8),
        rated=own_zeros((game.num_actions, padded), np.int8),
        codes=own_zeros((views, groups), np.int32),
        indices=own_zeros((views, entries), np.int32),
        changed=own_zeros(groups, np.int32),
        place=own_zeros(groups, np.int32),
        new_codes=own_zeros(groups, np.int32),
        behind=own_zeros(1, np.bool_),
        plain=own_zeros(entries, np.int32),
        variant_codes=own_zeros(groups, np.int32),
        known=own_zeros(entries, np.float32),
        base=own_zeros(1, np.float32),
        turn=own_zeros(1, np.int64),
        unprepared=own_copy(np.ones(1, np.bool_)),
        moved=own_zeros(entries << len(structure.pairs), np.int32),
        twice=own_zeros(2 * entries << len(structure.pairs), np.int32),
        again=own_zeros(entries << len(structure.pairs), np.float32),
        ahead=own_zeros((game.num_actions, entries), np.int32),
        awaited=own_zeros(game.num_actions, np.int64),
        differs=own_zeros(game.num_actions, np.bool_),
        replaced=own_zeros((game.num_actions, entries), np.float32),
        told_cells=own_zeros((game.num_actions, MOST_TOLD), np.int32),
        told_values=own_zeros((game.num_actions, MOST_TOLD), np.int8),
        told=own_zeros(game.num_actions, np.int64),
        plan=own_zeros((game.num_actions, 2), np.int32),
        plan_code=own_zeros(game.num_actions, np.int64),
        planned=own_zeros(1, np.bool_),
        met=own_zeros((game.num_players, len(structure.rows), 3), np.int32),
        change=own_zeros((changes, 4), np.int32),
        change_entry=own_zeros(room, np.int32),
        change_delta=own_zeros(room, np.int32),
        rows=own_zeros((1 + max(groups, min(_ROW_ROOM, changes)) + game.num_actions, entries), np.int32),
        used=own_copy(np.array([0, 1], np.int64)),
    )
    return _board_of(fields)
