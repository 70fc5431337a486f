"""Alpha-beta for zero-sum games of two players without chance: the values of Max-N with far fewer positions.

All values are the first player's, who maximises; the second one minimises, and nothing is assumed about whose turn
follows whose. The table keeps a lower and an upper bound for each position and its best action, which is tried first
when the bounds do not decide; else the action that last closed a window at this level goes first. A search with `ties`
finds all best actions at the root with their exact value: the window of each action after the first reaches just below
the best value so far. Without it every action at the root has an exact value. `tree_search` is the driver.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper, hot_kernel
from boardlab.search.maxn import DONE, NO_ROOM, OUT_OF_RANGE, UNFINISHED, Stack
from boardlab.search.table import find_entry, hash_record, holds_at, replaced_entry

__all__ = ["NOT_ZERO_SUM", "run_alpha_beta", "window_dtype"]

NOT_ZERO_SUM = 4

LEAF, OPENED = 0, -1


def window_dtype() -> np.dtype[Any]:
    """What is kept of each position on the way from the root to the one that is looked at."""
    return np.dtype(
        [
            ("low", np.float64),  # the window with which the position was reached
            ("high", np.float64),
            ("alpha", np.float64),  # the window that is left
            ("beta", np.float64),
            ("value", np.float64),  # of the best action so far
            ("hashes", np.uint64, (2,)),
            ("player", np.int32),
            ("count", np.int32),  # legal actions
            ("next", np.int32),  # the action to be tried next
            ("depth", np.int32),  # actions left to the depth limit
            ("height", np.int32),  # actions of the longest line below
            ("action", np.int32),  # the best action so far
            ("killer", np.int32),  # the last action that closed a window at this level
            ("cut", np.bool_),  # whether the depth limit cut off a line below
        ],
        align=True,
    )


@hot_kernel
def run_alpha_beta(
    game: Any,
    evaluation: Any,
    stack: Stack,
    table: Any,
    results: NDArray[np.float64],
    progress: NDArray[np.int64],
    bounds: tuple[float, float],
    ties: bool,
    budget: int,
) -> int:
    """Go on with a search for about `budget` more positions, as `run_max_n` does. With `ties` the results of actions
    that are not best are bounds only. Returns NOT_ZERO_SUM, too."""
    states, data, frames, edges, _, values = stack
    k = progress[0]
    status = UNFINISHED
    last = progress[1] + budget
    while progress[1] < last:
        if frames[k].next == frames[k].count:
            if k == 0:
                status = DONE
                break
            _remember(frames[k], table, bounds)
        else:
            if k + 1 == len(states):
                status = NO_ROOM
                break
            _descend(game, states, frames, edges, bounds, k, ties)
            k += 1
            progress[1] += 1
            found = _open(game, evaluation, states[k], data, frames[k], edges[k], values[k], table, bounds, k)
            if found == OPENED:
                continue
            if found != LEAF:
                status = found
                break
        k -= 1
        if k == 0:
            results[frames[0].next - 1, 0] = frames[1].value
            results[frames[0].next - 1, 1] = 0.0 - frames[1].value  # not -0.0
        _hand_up(frames[k + 1], frames[k], edges[k], k == 0)
    progress[0] = k
    return status


@helper
def _descend(
    game: Any,
    states: Any,
    frames: Any,
    edges: NDArray[np.int64],
    bounds: tuple[float, float],
    k: int,
    ties: bool,
) -> None:
    """Make level k + 1 the position after the next action of level k, with the window that it gets."""
    parent, child = frames[k], frames[k + 1]
    states[k + 1] = states[k]
    game.advance(states[k + 1], edges[k, parent.next])
    child.depth = parent.depth - 1
    child.low, child.high = parent.alpha, parent.beta
    if k == 0:
        child.low, child.high = bounds
        if ties and parent.next > 0:
            if parent.player == 0:
                child.low = np.nextafter(parent.value, -np.inf)
            else:
                child.high = np.nextafter(parent.value, np.inf)
    parent.next += 1


@helper
def _open(
    game: Any,
    evaluation: Any,
    s: Any,
    data: NDArray[np.uint8],
    frame: Any,
    edges: NDArray[np.int64],
    scores: NDArray[np.float64],
    table: Any,
    bounds: tuple[float, float],
    k: int,
) -> int:
    """Look at a position. OPENED where its actions have to be searched, LEAF where its value is in the frame, or
    what is wrong with its value."""
    frame.height = 0
    frame.action = -1
    over = game.is_over(s)
    frame.cut = not over and frame.depth == 0
    if over or frame.cut:
        if over:
            game.scores(s, scores)
        else:
            evaluation.evaluate(game, s, scores)
        frame.value = scores[0]
        if scores[0] + scores[1] != 0.0:
            return NOT_ZERO_SUM
        return LEAF if bounds[0] <= scores[0] <= bounds[1] else OUT_OF_RANGE
    first = frame.killer
    if len(table) > 0:
        hash_record(data, k, frame.hashes)
        place = find_entry(table, frame.hashes)
        if place >= 0:
            if holds_at(table[place], frame.depth) and _decides(table[place], frame):
                return LEAF
            if table[place].action >= 0:
                first = table[place].action
    frame.player = game.player(s)
    frame.count = game.legal_actions(s, edges)
    frame.next = 0
    frame.alpha = frame.low
    frame.beta = frame.high
    if first >= 0:
        _try_first(edges, frame.count, first)
    return OPENED


@helper
def _decides(entry: Any, frame: Any) -> bool:
    """Whether the bounds of the entry settle the value within the window; if so it is put into the frame."""
    lower, upper = entry.values[0], entry.values[1]
    if lower < frame.high and upper > frame.low and lower < upper:
        return False
    frame.value = lower if lower >= frame.high else upper
    frame.cut = entry.cut
    frame.height = entry.depth
    return True


@helper
def _try_first(edges: NDArray[np.int64], count: int, action: int) -> None:
    for i in range(count):
        if edges[i] == action:
            edges[i] = edges[0]
            edges[0] = action
            return


@helper
def _hand_up(child: Any, parent: Any, edges: NDArray[np.int64], at_root: bool) -> None:
    """Let the parent know what its latest action is worth; it is done when the window closes."""
    parent.cut = parent.cut or child.cut
    parent.height = max(parent.height, child.height + 1)
    first = parent.next == 1
    if first or (child.value > parent.value if parent.player == 0 else child.value < parent.value):
        parent.value = child.value
        parent.action = edges[parent.next - 1]
    if parent.player == 0:
        parent.alpha = max(parent.alpha, parent.value)
    else:
        parent.beta = min(parent.beta, parent.value)
    if parent.alpha >= parent.beta and not at_root:
        parent.killer = parent.action
        parent.next = parent.count


@helper
def _remember(frame: Any, table: Any, bounds: tuple[float, float]) -> None:
    """Write a finished position to the table: its value is exact inside of the window, else a bound."""
    if len(table) == 0:
        return
    depth = frame.depth if frame.cut else frame.height
    entry = table[replaced_entry(table, frame.hashes, depth)]
    entry.key = frame.hashes[0]
    entry.check = frame.hashes[1]
    entry.values[0] = frame.value if frame.value > frame.low else bounds[0]
    entry.values[1] = frame.value if frame.value < frame.high else bounds[1]
    entry.depth = depth
    entry.action = frame.action
    entry.cut = frame.cut
