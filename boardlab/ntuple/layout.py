"""From a game and its n-tuples to the arrays that index the look-up tables.

The value of a board is a sum over *entries*: one entry for each tuple on each symmetric board (equation 2 of the
FARL paper). The index of an entry is a sum of contributions, one for each *group* of cells that it looks at.
A group is a single cell, unless the game knows that some cells depend on each other (`Game.cell_groups`): then only
those combinations of their values that can occur get a number, and the look-up tables shrink to what is reachable
(Connect Four: to 8 % of 4^8 a tuple). Entries are numbered symmetry by symmetry, entry = symmetry * m + tuple, or
tuple by tuple, entry = tuple * symmetries + symmetry (`Layout.by_tuple`).

When an action changes a group from one state to another, the change of every index is known beforehand; the
kernels collect these changes once for each (group, old state, new state) and keep them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardlabError, printable
from boardlab.game import Game
from boardlab.ntuple.permuted import permuted_of
from boardlab.system.machine import own_copy

__all__ = ["MOST_TUPLES", "Layout", "Structure", "check_tuples", "make_layout"]

Ints = NDArray[np.int32]

MOST_TUPLES = 10_000
"""The largest networks of the literature have some hundred; this many take seconds to be laid out."""
_ADDED_PER_CHANGE = 256
"""So many numbers are added up by vector instructions in the time that a changed cell takes (measured with 2048)."""
_BOARDS_BY_TUPLE = 8
"""So many symmetric boards fill a register."""
_TUPLES_BY_TUPLE = 16
"""From so many tuples on the order matters to the caches; sums of fewer are added up as for files of before."""
_FEW_CHANGES = 2
"""Two changed cells may belong to one group (a column of Connect Four), whose change costs little. A single one always
does: see `boardlab.learn.approximators.lookups`."""

_COUPLE_BYTES = 1 << 19
"""Rows of couples that still lie in a near cache (2048: 331 kB)."""


class Structure(NamedTuple):
    """What the kernels read. G groups, E entries, T symmetries times exchange variants."""

    num_tuples: int
    num_symmetries: int
    exchanges: bool
    """Whether there are exchangeable cells. The switches are constants of compiled code, which has only what they let
    through."""
    anew: bool
    """Whether indices are ever made anew instead of being changed."""
    coupled: bool
    """Whether there are `couple_rows`."""
    by_tuple: bool
    """`Layout.by_tuple`."""
    permuted: bool
    """Whether there are the arrays of `Permuted`."""
    pairs: Ints
    """Exchangeable cells, shape (k, 2)."""
    base: Ints
    """First index of each entry's table, shape (E,)."""
    cell_group: Ints
    """Group of each cell, shape (num_cells,)."""
    cell_radix: Ints
    """Weight of the cell's value in the code of its group, shape (num_cells,)."""
    code_start: Ints
    """Where the codes of each group begin in `code_state`, shape (G,)."""
    code_state: Ints
    """State number of each code; -1 where the game said that it cannot occur."""
    code_row: Ints
    """Row of each code in `rows`: that of its state, or of state 0."""
    row_start: Ints
    """Row of group g in state x: row_start[g] + x, shape (G,)."""
    rows: Ints
    """What a group in a state adds to the index of every entry, shape (states of all groups + 1, E); the last row is of
    zeros."""
    change_start: Ints
    """Changes of group g from x to y have the number change_start[g] + x * num_states[g] + y, shape (G + 1,)."""
    num_states: Ints
    """Number of states of each group, shape (G,)."""
    many: Ints
    """From so many changed cells on, all indices are cheaper made anew than changed, shape (1,)."""
    couple_rows: Ints
    """What cells 2j and 2j + 1 together add to the index of every entry, for all their values, with `base` in the first
    couple; shape (couples * values^2 + 1, E), the last row of zeros. Empty where it is of no use."""
    couple_values: Ints
    """How many values each of these cells may have, shape (1,)."""
    steps: NDArray[np.int16] | Ints
    """What one more in the value of a cell adds to the index of every entry, shape (num_cells, E), which is a fraction
    of all rows and stays in the cache; int16 where that holds all sums of them. Empty where cells depend on each other,
    or boards are often made anew."""
    taken: NDArray[np.uint8]
    """`Permuted`: cells in twos, by which the indices of a small board are made in registers; empty where there are no
    steps or the processor cannot do it. So are the next two."""
    taken_weights: NDArray[np.int8]
    taken_factors: NDArray[np.int16]


@dataclass(frozen=True)
class Part:
    """Positions of a tuple that share a group, and the combinations of values that they can have."""

    positions: tuple[int, ...]
    patterns: NDArray[np.int8]
    """Shape (number of combinations, len(positions)), sorted; the row number is the digit of the index."""
    weight: int
    """The index is the sum of digit * weight over the parts."""


@dataclass(frozen=True)
class Layout:
    """The indexing of one network: the structure for the kernels and what people want to know of it."""

    tuples: tuple[tuple[int, ...], ...]
    parts: tuple[tuple[Part, ...], ...]
    sizes: tuple[int, ...]
    """Number of weights of each tuple's table."""
    offsets: tuple[int, ...]
    """First index of each tuple's table."""
    num_weights: int
    """Weights of one table set."""
    num_entries: int
    by_tuple: bool
    """Whether entries are numbered tuple by tuple: where there are eight symmetric boards, and many tuples, or one.
    These boards look into one table, so that what the first brings into the cache serves the others, too (Othello: all
    weights of an afterstate are summed up in 0.6 of the time), and equal indices are found among eight numbers of one
    register."""
    make_structure: Callable[[], Structure] = field(repr=False, compare=False)

    @cached_property
    def structure(self) -> Structure:
        """What the kernels read; made when it is first asked for, since for many tuples it takes a while."""
        return self.make_structure()

    def pattern(self, tuple_number: int, index: int) -> list[int]:
        """The cell values that the index, counted from the start of the tuple's table, stands for."""
        values = [0] * len(self.tuples[tuple_number])
        for part in self.parts[tuple_number]:
            digit = index // part.weight % len(part.patterns)
            for position, value in zip(part.positions, part.patterns[digit], strict=True):
                values[position] = int(value)
        return values


@dataclass(frozen=True)
class _Group:
    """Cells whose values depend on each other, and the rows of values that they can have."""

    cells: tuple[int, ...]
    states: NDArray[np.int8]


def make_layout(
    game: Game,
    tuples: Sequence[Sequence[int]],
    *,
    symmetries: bool = True,
    some: Sequence[int] | None = None,
    exchanges: bool = True,
) -> Layout:
    """The layout of the given tuples for a game, with or without its symmetries (`some` of them by number) and its
    exchangeable cells. An empty tuple is a bias."""
    checked = check_tuples(game, tuples)
    permutations = game.symmetries() if symmetries else game.symmetries()[:1]
    if some is not None:
        permutations = permutations[list(some)]
    pairs = game.exchangeable_cells() if symmetries and exchanges else np.zeros((0, 2), np.int64)
    groups = _groups(game)
    group_of = np.empty(game.num_cells, np.int64)
    for g, group in enumerate(groups):
        group_of[list(group.cells)] = g
    values = [dict(zip(group.cells, group.states.T, strict=True)) for group in groups]
    find = _Patterns(permutations, group_of, values)
    parts: list[list[Part]] = []
    sizes: list[int] = []
    total = 0
    for cells in checked:
        parts.append(_parts(cells, find))
        sizes.append(math.prod(len(p.patterns) for p in parts[-1]))
        total += sizes[-1]
        if total >= 1 << 31:  # told at once: thousands more of them would take their time
            some_of = "" if len(sizes) == len(checked) else f"the first {len(sizes):,} of "
            raise BoardlabError(
                f"{some_of}these n-tuples need {total:,} weights a table set; at most {(1 << 31) - 1:,} are possible"
            )
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    by_tuple = len(permutations) == _BOARDS_BY_TUPLE and len(pairs) == 0
    by_tuple &= len(checked) == 1 or len(checked) >= _TUPLES_BY_TUPLE
    return Layout(
        tuple(checked),
        tuple(map(tuple, parts)),
        tuple(sizes),
        tuple(int(o) for o in offsets[:-1]),
        int(offsets[-1]),
        len(permutations) * len(checked),
        by_tuple,
        partial(_structure, game, groups, group_of, values, checked, parts, offsets, permutations, pairs, by_tuple),
    )


def check_tuples(game: Game, tuples: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """The tuples, if they are such for this game: different cells of its board."""
    if game.num_cells == 0:
        raise BoardlabError(
            f"{game.title} has no cells, so n-tuples cannot see it; give it num_cells, num_values and cells"
        )
    if not tuples:
        raise BoardlabError("an n-tuple network needs at least one tuple")
    if len(tuples) > MOST_TUPLES:
        raise BoardlabError(f"an n-tuple network has at most {MOST_TUPLES:,} tuples, not {len(tuples):,}")
    for cells in tuples:
        if len(set(cells)) != len(cells) or any(not 0 <= c < game.num_cells for c in cells):
            raise BoardlabError(
                f"an n-tuple has different cells in 0..{game.num_cells - 1}, not {printable(list(cells))}"
            )
    return [tuple(int(c) for c in cells) for cells in tuples]


def _groups(game: Game) -> list[_Group]:
    """The groups that the game declares, then every other cell on its own."""
    found = [_Group(tuple(cells), np.asarray(states, np.int8)) for cells, states in game.cell_groups()]
    taken = {cell for group in found for cell in group.cells}
    for cell, count in enumerate(game.cell_values()):
        if cell not in taken:
            found.append(_Group((cell,), np.arange(count, dtype=np.int8)[:, None]))
    return found


class _Patterns:
    """Which values cells can have together; found once, however many tuples look at the same cells."""

    def __init__(
        self,
        permutations: NDArray[np.int64],
        group_of: NDArray[np.int64],
        values: list[dict[int, NDArray[np.int8]]],
    ) -> None:
        self._permutations, self._values = permutations, values
        self.groups_on = [tuple(on) for on in group_of[permutations].T.tolist()]
        """The group of each cell on every symmetric board."""
        self._known: dict[tuple[int, ...], NDArray[np.int8]] = {}

    def of(self, cells: tuple[int, ...]) -> NDArray[np.int8]:
        """All combinations that cells of one group can have on any symmetric board, sorted."""
        found = self._known.get(cells)
        if found is None:
            rows = [
                np.stack([self._values[g][permutation[cell]] for cell in cells], axis=1)
                for g, permutation in zip(self.groups_on[cells[0]], self._permutations, strict=True)
            ]
            self._known[cells] = found = np.unique(np.concatenate(rows), axis=0)
        return found


def _parts(cells: tuple[int, ...], find: _Patterns) -> list[Part]:
    """Positions of a tuple stay together where their cells share a group on every symmetric board."""
    together: dict[tuple[int, ...], list[int]] = {}
    for position, cell in enumerate(cells):
        together.setdefault(find.groups_on[cell], []).append(position)
    parts = []
    weight = 1
    for positions in together.values():
        patterns = find.of(tuple(cells[position] for position in positions))
        parts.append(Part(tuple(positions), patterns, weight))
        weight *= len(patterns)
    return parts


def _digits(part: Part, rows: NDArray[np.int8]) -> NDArray[np.int64]:
    """The digit of each row of values."""
    numbers = {row.tobytes(): i for i, row in enumerate(part.patterns)}
    return np.array([numbers[row.tobytes()] for row in np.ascontiguousarray(rows)], np.int64)


def _structure(
    game: Game,
    groups: list[_Group],
    group_of: NDArray[np.int64],
    values: list[dict[int, NDArray[np.int8]]],
    tuples: list[tuple[int, ...]],
    parts: list[list[Part]],
    offsets: NDArray[np.int64],
    permutations: NDArray[np.int64],
    pairs: NDArray[np.int64],
    by_tuple: bool,
) -> Structure:
    m = len(tuples)
    few = _FEW_CHANGES if any(len(group.cells) > 1 for group in groups) else 0
    num_states = np.array([len(group.states) for group in groups])
    row_start = _starts(num_states)
    entries = np.arange(len(permutations) * m).reshape((m, -1) if by_tuple else (-1, m))
    entries = entries.T if by_tuple else entries
    table = np.zeros((row_start[-1] + 1, entries.size), np.int32)
    for k, permutation in enumerate(permutations):
        for t, cells in enumerate(tuples):
            for part in parts[t]:
                g = int(group_of[permutation[cells[part.positions[0]]]])
                rows = np.stack([values[g][int(permutation[cells[p]])] for p in part.positions], axis=1)
                table[row_start[g] : row_start[g + 1], entries[k, t]] += _digits(part, rows) * part.weight
    radix, code_start, code_state = _codes(game, groups)
    base = np.empty(entries.size, np.int32)
    base[entries] = offsets[:-1]
    many = max(2, 1 + few + len(groups) * table.shape[1] // _ADDED_PER_CHANGE)
    couples = _couple_rows(groups, table, base, many)
    steps = _steps(groups, table, row_start) if len(couples) == 0 else np.zeros((0, table.shape[1]), np.int32)
    permuted = permuted_of(steps, np.array([len(group.states) for group in groups]))
    return Structure(
        m,
        len(permutations),
        len(pairs) > 0,
        many <= len(group_of),
        len(couples) > 0,
        by_tuple,
        len(permuted.taken) > 0,
        pairs.astype(np.int32),
        own_copy(base),
        group_of.astype(np.int32),
        radix,
        code_start,
        code_state,
        np.maximum(0, code_state) + np.repeat(row_start[:-1], np.diff(code_start, append=len(code_state))),
        row_start[:-1],
        table,
        _starts(num_states**2),
        num_states.astype(np.int32),
        np.array([many], np.int32),
        couples,
        np.array([num_states[0]], np.int32),
        steps,
        *permuted,
    )


def _couple_rows(groups: list[_Group], table: Ints, base: Ints, many: int) -> Ints:
    """The rows of cells in twos, for single cells with equally many values, and boards that are often made anew."""
    cells, values = len(groups), len(groups[0].states)
    single = all(group.cells == (i,) and len(group.states) == values for i, group in enumerate(groups))
    size = cells // 2 * values**2 * table[0].nbytes
    if not single or cells % 2 or many > cells or size > _COUPLE_BYTES:
        return np.zeros((0, table.shape[1]), np.int32)
    first, second = table[:-1].reshape(cells // 2, 2, values, -1).transpose(1, 0, 2, 3)
    rows = (second[:, :, None] + first[:, None, :]).reshape(-1, table.shape[1])
    rows[: values**2] += base
    return np.concatenate([rows, table[-1:]])


def _steps(groups: list[_Group], table: Ints, row_start: Ints) -> NDArray[np.int16] | Ints:
    """The second rows of all cells, if each cell is on its own and its other rows are multiples of it."""
    nothing = np.zeros((0, table.shape[1]), np.int32)
    if any(group.cells != (i,) or len(group.states) < 2 for i, group in enumerate(groups)):
        return nothing
    steps = table[row_start[:-1] + 1]
    values = np.concatenate([np.arange(len(group.states)) for group in groups])
    cells = np.repeat(np.arange(len(groups)), np.diff(row_start))
    if not np.array_equal(values[:, None] * steps[cells], table[:-1]):
        return nothing
    largest = np.abs(np.diff(row_start) - 1) @ np.abs(steps)
    return steps.astype(np.int16) if largest.max() <= np.iinfo(np.int16).max else steps


def _starts(counts: NDArray[np.int64]) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)


def _codes(game: Game, groups: list[_Group]) -> tuple[Ints, Ints, Ints]:
    """The code of a group is its cells' values read as one number; most codes of a larger group never occur."""
    counts = game.cell_values()
    radix = np.zeros(game.num_cells, np.int32)
    tables = []
    for group in groups:
        weight = 1
        for cell in group.cells:
            radix[cell] = weight
            weight *= int(counts[cell])
        table = np.full(weight, -1, np.int32)
        table[group.states.astype(np.int64) @ radix[list(group.cells)]] = np.arange(len(group.states))
        tables.append(table)
    return radix, _starts(np.array([len(t) for t in tables]))[:-1], np.concatenate(tables)
