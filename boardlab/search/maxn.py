"""Max-N (Luckhardt and Irani 1986) with a depth limit and a transposition table; with chance events it is Expectimax-N.

The value of a position is a vector, one number for each player: the final scores where the game is over, what the
evaluation says at the depth limit; else that of the action which is best for the player to move (of equally good ones
the first), or the mean of the outcomes of a chance event. Depth counts actions; the chance events after the last one
are looked through. A player who has found the highest possible score looks no further (immediate pruning, Korf 1991):
no other action could take its place. `tree_search` is the driver.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper, hot_kernel
from boardlab.game import Game
from boardlab.search.table import find_entry, hash_record, holds_at, replaced_entry

__all__ = ["DONE", "NO_ROOM", "OUT_OF_RANGE", "UNFINISHED", "Stack", "frame_dtype", "make_stack", "run_max_n"]

UNFINISHED, DONE, NO_ROOM, OUT_OF_RANGE = 0, 1, 2, 3


class Stack(NamedTuple):
    """The way from the root to the position that is looked at, one row a level."""

    states: Any
    """The positions, records of the game's dtype."""
    data: NDArray[np.uint8]
    """The same memory as bytes, shape (levels, bytes of a record)."""
    frames: Any
    """What is known of each position, records of a frame dtype."""
    edges: NDArray[np.int64]
    """Legal actions or chance outcomes of each position, shape (levels, most edges)."""
    chances: NDArray[np.float64]
    """Probabilities of the outcomes, shape (levels, num_outcomes)."""
    values: NDArray[np.float64]
    """For each player, shape (levels, num_players): of the best action so far, or the sum so far of the outcomes."""

    def __reduce__(self) -> tuple[Any, ...]:
        """The bytes of a copy are those of its own positions."""
        return _stack_of, (self.states, *self[2:])


def _stack_of(states: Any, *others: Any) -> Stack:
    return Stack(states, states.view(np.uint8).reshape(len(states), -1), *others)


def make_stack(game: Game, frames: np.dtype[Any], levels: int, old: Stack | None = None) -> Stack:
    """An empty stack, or a larger one with the contents of an old one."""
    states = np.zeros(levels, game.state)
    edges = np.zeros((levels, max(game.num_actions, game.num_outcomes)), np.int64)
    chances = np.zeros((levels, game.num_outcomes), np.float64)
    values = np.zeros((levels, game.num_players), np.float64)
    stack = _stack_of(states, np.zeros(levels, frames), edges, chances, values)
    for new, before in zip(stack, old or (), strict=False):
        new[: len(before)] = before
    return stack


def frame_dtype() -> np.dtype[Any]:
    """What is kept of each position on the stack, besides its values."""
    return np.dtype(
        [
            ("hashes", np.uint64, (2,)),
            ("player", np.int32),  # who moves, -1 where a chance event is due
            ("count", np.int32),  # edges: legal actions or chance outcomes
            ("next", np.int32),  # the edge to be tried next
            ("depth", np.int32),  # actions left to the depth limit
            ("height", np.int32),  # actions of the longest line below
            ("action", np.int32),  # the best action so far
            ("cut", np.bool_),  # whether the depth limit cut off a line below
        ],
        align=True,
    )


@hot_kernel
def run_max_n(
    game: Any,
    evaluation: Any,
    stack: Stack,
    table: Any,
    results: NDArray[np.float64],
    progress: NDArray[np.int64],
    bounds: tuple[float, float],
    budget: int,
) -> int:
    """Go on with a search for about `budget` more positions. `progress` is the level of the stack that is looked at
    and the number of positions seen. Row i of `results`, float64 of shape (num_actions, num_players), becomes the
    value of the i-th action at the root. `bounds` are the lowest and highest value that can be. Returns what is the
    matter: DONE, UNFINISHED, NO_ROOM for another level, or OUT_OF_RANGE."""
    states, data, frames, edges, chances, values = stack
    k = progress[0]
    status = UNFINISHED
    last = progress[1] + budget
    while progress[1] < last:
        if frames[k].next == frames[k].count:
            if k == 0:
                status = DONE
                break
            _remember(frames[k], values[k], table)
        else:
            if k + 1 == len(states):
                status = NO_ROOM
                break
            _descend(game, states, frames, edges, k)
            k += 1
            progress[1] += 1
            if _open(game, evaluation, states[k], data, frames[k], edges[k], chances[k], values[k], table, k):
                continue
            if not _within(values[k], bounds):
                status = OUT_OF_RANGE
                break
        k -= 1
        if k == 0:
            for p in range(game.num_players):
                results[frames[0].next - 1, p] = values[1, p]
        _hand_up(frames, edges[k], chances[k], values, k)
        if k > 0 and frames[k].player >= 0 and values[k, frames[k].player] >= bounds[1]:
            frames[k].next = frames[k].count
    progress[0] = k
    return status


@helper
def _descend(game: Any, states: Any, frames: Any, edges: NDArray[np.int64], k: int) -> None:
    """Make level k + 1 the position after the next edge of level k."""
    edge = edges[k, frames[k].next]
    frames[k].next += 1
    states[k + 1] = states[k]
    if frames[k].player < 0:
        game.advance_chance(states[k + 1], edge)
        frames[k + 1].depth = frames[k].depth
    else:
        game.advance(states[k + 1], edge)
        frames[k + 1].depth = frames[k].depth - 1


@helper
def _open(
    game: Any,
    evaluation: Any,
    s: Any,
    data: NDArray[np.uint8],
    frame: Any,
    edges: NDArray[np.int64],
    chances: NDArray[np.float64],
    values: NDArray[np.float64],
    table: Any,
    k: int,
) -> bool:
    """Look at a position. True where its edges have to be searched; otherwise its values are known."""
    frame.cut = False
    frame.height = 0
    frame.action = -1
    frame.next = 0
    chance = game.is_chance(s)
    if not chance:
        if game.is_over(s):
            game.scores(s, values)
            return False
        if frame.depth == 0:
            evaluation.evaluate(game, s, values)
            frame.cut = True
            return False
    if len(table) > 0:
        hash_record(data, k, frame.hashes)
        place = find_entry(table, frame.hashes)
        if place >= 0 and holds_at(table[place], frame.depth):
            for p in range(game.num_players):
                values[p] = table[place].values[p]
            frame.cut = table[place].cut
            frame.height = table[place].depth
            return False
    if chance:
        frame.player = -1
        frame.count = game.chance_outcomes(s, edges, chances)
    else:
        frame.player = game.player(s)
        frame.count = game.legal_actions(s, edges)
    return True


@helper
def _hand_up(
    frames: Any, edges: NDArray[np.int64], chances: NDArray[np.float64], values: NDArray[np.float64], k: int
) -> None:
    """Let level k know what its latest edge is worth."""
    parent, child = frames[k], frames[k + 1]
    edge = parent.next - 1
    parent.cut = parent.cut or child.cut
    if parent.player < 0:
        parent.height = max(parent.height, child.height)
        for p in range(values.shape[1]):
            before = values[k, p] if edge > 0 else 0.0
            values[k, p] = before + chances[edge] * values[k + 1, p]
        return
    parent.height = max(parent.height, child.height + 1)
    if edge == 0 or values[k + 1, parent.player] > values[k, parent.player]:
        parent.action = edges[edge]
        for p in range(values.shape[1]):
            values[k, p] = values[k + 1, p]


@helper
def _remember(frame: Any, values: NDArray[np.float64], table: Any) -> None:
    """Write a finished position to the table."""
    if len(table) == 0:
        return
    depth = frame.depth if frame.cut else frame.height
    entry = table[replaced_entry(table, frame.hashes, depth)]
    entry.key = frame.hashes[0]
    entry.check = frame.hashes[1]
    for p in range(len(values)):
        entry.values[p] = values[p]
    entry.depth = depth
    entry.action = frame.action
    entry.cut = frame.cut


@helper
def _within(values: NDArray[np.float64], bounds: tuple[float, float]) -> bool:
    """Whether all values are possible, but for the rounding in means over chance events."""
    possible = True
    for value in values:
        possible = possible and bounds[0] - 1e-9 <= value <= bounds[1] + 1e-9
    return possible
