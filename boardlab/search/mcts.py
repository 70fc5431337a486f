"""Monte Carlo tree search with UCT (Kocsis and Szepesvari 2006) for any number of players, with chance events.

A node of the tree stands for what follows an edge: an action, or an outcome of a chance event. Its children lie side
by side, in random order, and are made at its second visit. Positions are not stored: each simulation plays the edges
again from the root. A node sums up what the player who chose it has scored, so one number a node serves any number of
players. A chance event is drawn anew each time, so its outcomes are visited as often as they occur.

Scores enter the choice of an action on a scale from 0 to 1 between the lowest and the highest result seen in this
search: the weight of exploration then means the same in every game.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper, hot_kernel
from boardlab.compiler.fences import BrokenRule
from boardlab.rng import Rng, random_below
from boardlab.search.mc import rollout

__all__ = ["CHANCE", "back_up", "copy_subtree", "follow_chance", "node_dtype", "run_simulations"]

CHANCE = -1


def node_dtype() -> np.dtype[Any]:
    """One node of the tree; all zeros but for the edge when it has not been visited."""
    return np.dtype(
        [
            ("total", np.float64),  # sum of the scores of the player who chose the edge; 0 after a chance event
            ("visits", np.int32),
            ("edge", np.int32),  # the action or outcome that leads here
            ("first", np.int32),  # number of the first child
            ("count", np.int32),  # children; 0 until they are made
            ("tried", np.int32),  # how many of the children have been visited; they are visited in order first
            ("player", np.int32),  # who moves here, or CHANCE; once children are made
        ],
        align=True,
    )


@hot_kernel
def run_simulations(
    game: Any,
    evaluation: Any,
    states: Any,
    nodes: Any,
    path: NDArray[np.int64],
    edges: NDArray[np.int64],
    chances: NDArray[np.float64],
    scores: NDArray[np.float64],
    span: NDArray[np.float64],
    size: int,
    rng: Rng,
    exploration: float,
    depth: int,
    simulations: int,
    may_grow: bool,
) -> tuple[int, int]:
    """Add simulations to the tree of the position states[0]; returns how many, and the size of the tree. The
    evaluation tells what every player gets where a random game ends.

    `nodes` has its root at 0 and room for more; when that could get scarce the kernel returns early if it `may_grow`,
    else it goes on without new nodes. `path` bounds how deep the tree is followed; `edges` and `chances` are room for
    the edges of one position, `scores` for those of all players; `span` holds the lowest and highest result so far.
    """
    s = states[1]
    for done in range(simulations):
        if may_grow and size + len(edges) > len(nodes):
            return done, size
        states[1] = states[0]
        node = 0
        level = 0
        while level + 1 < len(path):
            if nodes[node].count == 0:
                if level > 0 and nodes[node].visits == 0:
                    break
                added = _make_children(game, s, nodes, node, size, edges, chances, rng)
                if added == 0:
                    break
                size += added
            node = _follow(game, s, nodes, node, rng, exploration, span)
            level += 1
            path[level] = node
        rollout(game, s, depth, edges, rng)
        evaluation.evaluate(game, s, scores)
        back_up(nodes, path, level, scores, span)
    return simulations, size


@helper
def _make_children(
    game: Any,
    s: Any,
    nodes: Any,
    node: int,
    size: int,
    edges: NDArray[np.int64],
    chances: NDArray[np.float64],
    rng: Rng,
) -> int:
    """Make the children of a node, in random order, from number `size` on; how many: none where the game is over or
    there is no room."""
    if game.is_chance(s):
        player = CHANCE
        n = game.chance_outcomes(s, edges, chances)
    elif game.is_over(s):
        return 0
    else:
        player = game.player(s)
        n = game.legal_actions(s, edges)
    if size + n > len(nodes):
        return 0
    for i in range(n):
        k = i + random_below(rng, n - i)
        edge = edges[k]
        edges[k] = edges[i]
        child = nodes[size + i]
        child.edge = edge
        child.total = 0.0
        child.visits = 0
        child.count = 0
        child.tried = 0
    nodes[node].player = player
    nodes[node].first = size
    nodes[node].count = n
    return n


@helper
def _follow(game: Any, s: Any, nodes: Any, node: int, rng: Rng, exploration: float, span: NDArray[np.float64]) -> int:
    """Choose an edge of the node and play it; the child that it leads to."""
    parent = nodes[node]
    if parent.player == CHANCE:
        return follow_chance(game, s, nodes, parent.first, parent.count, rng)
    if parent.tried < parent.count:
        child = parent.first + parent.tried
        parent.tried += 1
    else:
        child = _highest_bound(nodes, parent, exploration, span)
    game.advance(s, nodes[child].edge)
    return child


@helper
def follow_chance(game: Any, s: Any, nodes: Any, first: int, count: int, rng: Rng) -> int:
    """Draw the chance event that is due; the child of its outcome, one of the `count` nodes from `first` on."""
    outcome = game.sample_chance(s, rng)
    game.advance_chance(s, outcome)
    for child in range(first, first + count):
        if nodes[child].edge == outcome:
            return child
    raise BrokenRule("sample_chance drew an outcome that chance_outcomes does not list")


@helper
def _highest_bound(nodes: Any, parent: Any, exploration: float, span: NDArray[np.float64]) -> int:
    """The child with the highest upper confidence bound, mean + exploration * sqrt(ln(parent's visits) / visits)."""
    scale = 1.0 / (span[1] - span[0]) if span[1] > span[0] else 0.0
    width = exploration * np.sqrt(np.log(np.float64(parent.visits)))
    best = parent.first
    highest = -np.inf
    for child in range(parent.first, parent.first + parent.count):
        visits = np.float64(nodes[child].visits)
        bound = (nodes[child].total / visits - span[0]) * scale + width / np.sqrt(visits)
        if bound > highest:
            highest = bound
            best = child
    return best


@helper
def back_up(
    nodes: Any, path: NDArray[np.int64], level: int, scores: NDArray[np.float64], span: NDArray[np.float64]
) -> None:
    """Add a result to all nodes on the path."""
    for p in range(len(scores)):
        span[0] = min(span[0], scores[p])
        span[1] = max(span[1], scores[p])
    nodes[0].visits += 1
    for i in range(1, level + 1):
        nodes[path[i]].visits += 1
        player = nodes[path[i - 1]].player
        if player != CHANCE:
            nodes[path[i]].total += scores[player]


@hot_kernel
def copy_subtree(nodes: Any, root: int, out: Any) -> int:
    """Copy the tree below `root` to `out`, its root to 0; returns its size. Breadth first: the copied nodes are the
    queue."""
    out[0] = nodes[root]
    size = 1
    i = 0
    while i < size:
        first = out[i].first
        if out[i].count > 0:
            out[i].first = size
            for k in range(out[i].count):
                out[size + k] = nodes[first + k]
            size += out[i].count
        i += 1
    return size
