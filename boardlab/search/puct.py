"""PUCT: Monte Carlo tree search guided by an agent's opinion of actions, for any number of players, with chance events.

The rule is that of AlphaZero (Silver et al. 2017), the guide any agent (as in Scheiermann and Konen 2022). A position
that is reached for the first time is rated once: its actions get their prior probabilities, a softmax of the ratings,
and the simulation ends with the value of the position instead of a random game. An action is chosen by

    mean + exploration * prior * sqrt(visits of the position) / (1 + visits of the action)

where an action that was never visited has its rating for a mean. As in `mcts`, scores count from 0 to 1 between the
lowest and the highest that this search has seen, a node sums up what the player who chose it has scored, children lie
side by side in random order, and a chance event is drawn anew each time; its outcomes are made at its second visit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper, hot_kernel
from boardlab.game import Game
from boardlab.rng import Rng, random_below
from boardlab.search.mc import rollout
from boardlab.search.mcts import CHANCE, back_up, follow_chance

__all__ = ["Room", "make_room", "puct_node_dtype", "run_puct"]


def puct_node_dtype() -> np.dtype[Any]:
    """One node of the tree."""
    return np.dtype(
        [
            ("total", np.float64),  # sum of the scores of the player who chose the edge; 0 after a chance event
            ("rating", np.float64),  # what the agent expected of the edge
            ("prior", np.float32),  # how likely the agent would choose it
            ("visits", np.int32),
            ("edge", np.int32),  # the action or outcome that leads here
            ("first", np.int32),  # number of the first child
            ("count", np.int32),  # children; 0 until they are made
            ("player", np.int32),  # who moves here, or CHANCE; once children are made
        ],
        align=True,
    )


class Room(NamedTuple):
    """What a simulation works with."""

    path: NDArray[np.int64]
    """The nodes from the root to the leaf; its length bounds how deep the tree is followed."""
    edges: NDArray[np.int64]
    """The actions or outcomes of one position, shape (most of them,)."""
    numbers: NDArray[np.float64]
    """Their ratings or probabilities, of the same shape."""
    scores: NDArray[np.float64]
    """The result for every player, shape (num_players,)."""
    span: NDArray[np.float64]
    """The lowest and the highest score seen so far, shape (2,)."""


def make_room(game: Game, longest_path: int) -> Room:
    """Room for the simulations of one thread."""
    most = max(game.num_actions, game.num_outcomes)
    return Room(
        path=np.zeros(longest_path, np.int64),
        edges=np.zeros(most, np.int64),
        numbers=np.zeros(most, np.float64),
        scores=np.zeros(game.num_players, np.float64),
        span=np.array([np.inf, -np.inf]),
    )


@hot_kernel
def run_puct(
    game: Any,
    evaluation: Any,
    states: Any,
    nodes: Any,
    room: Room,
    size: int,
    rng: Rng,
    exploration: float,
    temperature: float,
    depth: int,
    simulations: int,
    may_grow: bool,
) -> tuple[int, int]:
    """Add simulations to the tree of the position states[0]; returns how many, and the size of the tree.

    `nodes` has its root at 0 and room for more; when that could get scarce the kernel returns early if it `may_grow`,
    else it goes on without new nodes. Before the value of a leaf is taken, `depth` random actions are played.
    """
    path, edges, _, scores, span = room
    s = states[1]
    for done in range(simulations):
        if may_grow and size + 2 * len(edges) > len(nodes):
            return done, size
        states[1] = states[0]
        node = 0
        level = 0
        valued = False
        while True:
            if nodes[node].count == 0:
                added, valued = _open(game, evaluation, s, nodes, node, size, room, temperature, depth, rng)
                size += added
                if added == 0 or nodes[node].player != CHANCE:
                    break
            if level + 1 == len(path):
                break
            if nodes[node].player == CHANCE:
                node = follow_chance(game, s, nodes, nodes[node].first, nodes[node].count, rng)
            else:
                node = _highest_bound(nodes, nodes[node], exploration, span)
                game.advance(s, nodes[node].edge)
            level += 1
            path[level] = node
        if not valued:
            rollout(game, s, depth, edges, rng)
            if game.is_over(s):
                game.scores(s, scores)
            else:
                evaluation.evaluate(game, s, scores)
        back_up(nodes, path, level, scores, span)
    return simulations, size


@helper
def _open(
    game: Any,
    evaluation: Any,
    s: Any,
    nodes: Any,
    node: int,
    size: int,
    room: Room,
    temperature: float,
    depth: int,
    rng: Rng,
) -> tuple[int, bool]:
    """Look at the position of a node without children: how many it gets, and whether the value of the position is now
    in the scores of `room`. The outcomes of a chance event are made at its second visit, the actions of a player at
    the first, together with their priors."""
    _, edges, numbers, scores, span = room
    if game.is_chance(s):
        if nodes[node].visits == 0:
            return 0, False
        n = game.chance_outcomes(s, edges, numbers)
        return _add_children(nodes, node, size, CHANCE, edges, numbers, n, rng), False
    if game.is_over(s):
        return 0, False
    n = evaluation.rate(game, s, edges, numbers)
    if depth == 0:
        evaluation.value(game, s, edges, numbers, n, scores)
    added = _add_children(nodes, node, size, game.player(s), edges, numbers, n, rng)
    _set_priors(nodes, nodes[node], span, temperature)
    return added, depth == 0


@helper
def _add_children(
    nodes: Any,
    node: int,
    size: int,
    player: int,
    edges: NDArray[np.int64],
    ratings: NDArray[np.float64],
    n: int,
    rng: Rng,
) -> int:
    """Make n children of a node, in random order, from number `size` on; returns n, or 0 where there is no room."""
    if size + n > len(nodes):
        return 0
    for i in range(n):
        k = i + random_below(rng, n - i)
        child = nodes[size + i]
        child.edge = edges[k]
        child.rating = ratings[k]
        edges[k] = edges[i]
        ratings[k] = ratings[i]
        child.prior = 0.0
        child.total = 0.0
        child.visits = 0
        child.count = 0
    nodes[node].player = player
    nodes[node].first = size
    nodes[node].count = n
    return n


@helper
def _set_priors(nodes: Any, parent: Any, span: NDArray[np.float64], temperature: float) -> None:
    """The softmax of the children's ratings; the temperature counts in differences between the best and the worst."""
    low = np.inf
    high = -np.inf
    for child in range(parent.first, parent.first + parent.count):
        low = min(low, nodes[child].rating)
        high = max(high, nodes[child].rating)
    span[0] = min(span[0], low)
    span[1] = max(span[1], high)
    scale = 1.0 / (temperature * (high - low)) if high > low else 0.0
    total = 0.0
    for child in range(parent.first, parent.first + parent.count):
        total += np.exp((nodes[child].rating - high) * scale)
    for child in range(parent.first, parent.first + parent.count):
        nodes[child].prior = np.exp((nodes[child].rating - high) * scale) / total


@helper
def _highest_bound(nodes: Any, parent: Any, exploration: float, span: NDArray[np.float64]) -> int:
    """The child that PUCT chooses."""
    scale = 1.0 / (span[1] - span[0]) if span[1] > span[0] else 0.0
    width = exploration * np.sqrt(np.float64(parent.visits))
    best = parent.first
    highest = -np.inf
    for child in range(parent.first, parent.first + parent.count):
        visits = np.float64(nodes[child].visits)
        mean = nodes[child].total / visits if visits > 0.0 else nodes[child].rating
        bound = (mean - span[0]) * scale + width * nodes[child].prior / (1.0 + visits)
        if bound > highest:
            highest = bound
            best = child
    return best
