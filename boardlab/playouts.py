"""Random games, counts of action sequences (perft) and counts of distinct positions, compiled for any game.

`count_sequences` walks the tree depth first, `positions_by_depth` breadth first with a hash set of the state
records. Both treat every outcome of a chance event as possible, whatever its probability.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.arguments import whole_number
from boardlab.compiler import kernel
from boardlab.compiler.fences import BrokenRule
from boardlab.errors import BoardlabError
from boardlab.game import Game, require_game
from boardlab.rng import Rng, random_below, require_rng

__all__ = ["count_positions", "count_sequences", "positions_by_depth", "random_games"]


def random_games(game: Game, games: int, rng: Rng) -> tuple[int, NDArray[np.float64]]:
    """Play random games from the start; return the number of actions played and the sum of the final scores of
    every player, shape (num_players,)."""
    require_game(game)
    require_rng(rng)
    totals = np.zeros(game.num_players, np.float64)
    number = whole_number(games, "the number of games", 0)
    moves = _random_games(game, np.zeros(2, game.state), number, rng, totals)
    return int(moves), totals


@kernel
def _random_games(game: Any, states: Any, games: int, rng: Rng, totals: NDArray[np.float64]) -> int:
    actions = np.empty(game.num_actions, np.int64)
    scores = np.empty(game.num_players, np.float64)
    moves = 0
    blank = states[1]
    s = states[0]
    for _ in range(games):
        states[0] = blank
        game.reset(s)
        end = moves + game.max_moves
        while True:
            while game.is_chance(s):
                game.advance_chance(s, game.sample_chance(s, rng))
            if game.is_over(s):
                break
            if not game.believed and moves == end:  # ours are known to end
                raise BrokenRule("the game is not over after max_moves actions: make it end, or set max_moves higher")
            n = game.legal_actions(s, actions)
            game.advance(s, actions[random_below(rng, n)])
            moves += 1
        game.scores(s, scores)
        for p in range(game.num_players):
            totals[p] += scores[p]
    return moves


def count_sequences(game: Game, depth: int) -> NDArray[np.int64]:
    """Perft: row d of the result, shape (depth + 1, 2), has the number of sequences of d actions from the start
    and how many of them end the game. Every possible outcome of a chance event counts as a sequence of its own."""
    levels = 2 * depth + 3  # enough where each action has one chance event at most and the start has two
    while True:
        counts = np.zeros((depth + 1, 2), np.int64)
        if _count_sequences(game, np.zeros(levels, game.state), depth, counts):
            return counts
        levels *= 2


@kernel
def _count_sequences(game: Any, states: Any, depth: int, counts: NDArray[np.int64]) -> bool:
    """Depth first with an explicit stack. Level k of the stack is a position and the edges (actions, or chance
    outcomes) that are still to be tried from it; only actions make the sequence longer. False when the stack
    was too small."""
    levels = len(states)
    width = max(game.num_actions, game.num_outcomes)
    edges = np.empty((levels, width), np.int64)
    chances = np.empty(width, np.float64)
    left = np.zeros(levels, np.int64)
    played = np.zeros(levels, np.int64)
    game.reset(states[0])
    k = 0
    entered = True
    while k >= 0:
        s = states[k]
        chance = game.is_chance(s)
        if entered:
            entered = False
            if chance:
                left[k] = game.chance_outcomes(s, edges[k], chances)
            else:
                over = game.is_over(s)
                counts[played[k], 0] += 1
                counts[played[k], 1] += over
                left[k] = 0 if over or played[k] == depth else game.legal_actions(s, edges[k])
        if left[k] == 0:
            k -= 1
            continue
        if k + 1 == levels:
            return False
        left[k] -= 1
        states[k + 1] = states[k]
        edge = edges[k, left[k]]
        if chance:
            game.advance_chance(states[k + 1], edge)
        else:
            game.advance(states[k + 1], edge)
        played[k + 1] = played[k] + (0 if chance else 1)
        k += 1
        entered = True
    return True


def count_positions(game: Game, depth: int, memory: int = 2 << 30) -> tuple[NDArray[np.int64], int]:
    """How many distinct positions there are after 0..depth actions, shape (depth + 1,), and how many in all
    (a position that occurs at several depths counts once there). `memory` is the most to be used, in bytes."""
    found = positions_by_depth(game, memory)
    rows = [next(found) for _ in range(depth + 1)]
    return np.array([row[0] for row in rows], np.int64), rows[-1][1]


def positions_by_depth(game: Game, memory: int = 2 << 30) -> Iterator[tuple[int, int]]:
    """For each depth from 0 on, the number of distinct positions after so many actions and of all up to there.

    Two positions are the same when their records are equal to the byte. So a game whose record remembers how
    it was reached (its last move, a score) has more positions than boards. Padding of an aligned dtype does no
    harm: records start as zeros and are copied whole.
    """
    positions = _PositionSet(game, memory)
    depth = 0
    while True:
        positions.expand(depth, chance=True)
        yield int(positions.sizes[1, depth % 2]), int(positions.sizes[1, 2])
        positions.sizes[:, 1 - depth % 2] = 0
        positions.expand(depth, chance=False)
        depth += 1


class _PositionSet:
    """The distinct positions found so far and which of them occur at the current and at the next depth.

    `states` holds the records, `data` is their bytes; `table` is an open-addressing hash table (0 empty, else
    index + 1); `seen` has for each position the last depth that lists it, plus 1; `lists[d % 2]` are the indices
    of the positions at depth d. Positions that wait for a chance event are held as well but not counted:
    `sizes[0]` are the lengths of the two lists and of the set, `sizes[1]` the same without such positions.
    """

    def __init__(self, game: Game, memory: int) -> None:
        self.game, self.memory = game, memory
        self._allocate(1 << 12)
        start = self.states.view(np.recarray)[0]
        game.reset(start)
        counted = not game.is_chance(start)
        self.sizes = np.array([[1, 0, 1], [counted, 0, counted]], np.int64)
        self.seen[0] = 1
        _fill_table(self.data, self.table, 1)

    def expand(self, depth: int, chance: bool) -> None:
        """Add the positions after the actions at this depth to the next one, or, with `chance`, those after its
        chance events to this depth itself."""
        start = 0
        while True:
            start = _expand(
                self.game, self.states, self.data, self.table, self.seen, self.lists, self.sizes, depth, chance, start
            )
            if start == self.sizes[0, depth % 2]:
                return
            self._grow(depth)

    def _allocate(self, capacity: int) -> None:
        self.states = np.zeros(capacity, self.game.state)
        self.data = self.states.view(np.uint8).reshape(capacity, -1)
        self.table = np.zeros(2 * capacity, np.int32)
        self.seen = np.zeros(capacity, np.int32)
        self.lists = np.zeros((2, capacity), np.int32)

    def _grow(self, depth: int) -> None:
        used = self.states.nbytes + self.table.nbytes + self.seen.nbytes + self.lists.nbytes
        size = len(self.states)
        if 3 * used > self.memory or size >= 1 << 30:  # the old arrays and those of twice the size
            raise BoardlabError(
                f"{self.game.title} has more than {size:,} distinct positions within {depth + 1} actions; to count "
                f"them needs more than {self.memory / 2**30:.2g} GiB of memory: choose a smaller depth"
            )
        states, seen, lists = self.states, self.seen, self.lists
        self._allocate(2 * size)
        self.states[:size], self.seen[:size], self.lists[:, :size] = states, seen, lists
        _fill_table(self.data, self.table, size)


@kernel
def _expand(
    game: Any,
    states: Any,
    data: NDArray[np.uint8],
    table: NDArray[np.int32],
    seen: NDArray[np.int32],
    lists: NDArray[np.int32],
    sizes: NDArray[np.int64],
    depth: int,
    chance: bool,
    start: int,
) -> int:
    """Go through the list of this depth from `start` on; return where it stopped: at the end of the list, or at
    the position whose successors found no room (to do it again is harmless: what is there is found)."""
    edges = np.empty(max(game.num_actions, game.num_outcomes), np.int64)
    chances = np.empty(len(edges), np.float64)
    now = depth % 2
    target = now if chance else 1 - now
    stamp = depth + 1 if chance else depth + 2
    i = start
    while i < sizes[0, now]:
        s = states[lists[now, i]]
        n = 0
        if chance == game.is_chance(s):
            if chance:
                n = game.chance_outcomes(s, edges, chances)
            elif not game.is_over(s):
                n = game.legal_actions(s, edges)
        for e in range(n):
            new = sizes[0, 2]
            if new == len(states):
                return i
            states[new] = s
            if chance:
                game.advance_chance(states[new], edges[e])
            else:
                game.advance(states[new], edges[e])
            counted = not game.is_chance(states[new])
            slot = _slot(data, table, new)
            if table[slot] == 0:
                table[slot] = new + 1
                sizes[0, 2] += 1
                sizes[1, 2] += counted
            index = table[slot] - 1
            if seen[index] != stamp:
                seen[index] = stamp
                lists[target, sizes[0, target]] = index
                sizes[0, target] += 1
                sizes[1, target] += counted
        i += 1
    return i


@kernel
def _slot(data: NDArray[np.uint8], table: NDArray[np.int32], index: int) -> int:
    """Where the record `index`, or one equal to it, stands in the table, or the empty place for it (FNV-1a hash
    of its bytes, linear probing)."""
    bits = np.uint64(0xCBF29CE484222325)
    for k in range(data.shape[1]):
        bits = (bits ^ np.uint64(data[index, k])) * np.uint64(0x100000001B3)
    slot = np.int64((bits ^ (bits >> np.uint64(32))) & np.uint64(len(table) - 1))
    while table[slot] != 0:
        other = table[slot] - 1
        k = 0
        while k < data.shape[1] and data[other, k] == data[index, k]:
            k += 1
        if k == data.shape[1]:
            break
        slot = (slot + 1) & (len(table) - 1)
    return slot  # type: ignore[return-value]


@kernel
def _fill_table(data: NDArray[np.uint8], table: NDArray[np.int32], size: int) -> None:
    for index in range(size):
        table[_slot(data, table, index)] = index + 1
