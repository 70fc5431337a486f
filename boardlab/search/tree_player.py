"""Monte Carlo tree search and PUCT in compiled code, for whole games: what `mcts_tree` and `puct_tree` do for Python,
with the same kernels. Their trees need not grow, because it is known before how large they can get."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import clear_record, helper
from boardlab.game import Game, State
from boardlab.rng import Rng
from boardlab.search.action_values import ActionValues
from boardlab.search.evaluation import StaticEvaluation
from boardlab.search.mcts import CHANCE, copy_subtree, node_dtype, run_simulations
from boardlab.search.mcts_tree import most_nodes, path_length
from boardlab.search.player import Player
from boardlab.search.puct import Room, make_room, puct_node_dtype, run_puct

__all__ = ["MOST_ITERATIONS", "MctsPlayer", "PuctPlayer", "TreePlayer"]

MOST_ITERATIONS = 1_000_000
"""With more of them a move takes so long that nothing is gained by playing whole games in machine code, which hears
Ctrl-C only between moves."""


class TreePlayer(Player):
    """What both have in common: the tree, and how it follows the game."""

    def __init__(
        self,
        game: Game,
        evaluation: StaticEvaluation,
        node: np.dtype[Any],
        *,
        iterations: int,
        exploration: float,
        rollout_depth: int | None,
        reuse_tree: bool,
        megabytes: int,
        tree_depth: int | None = None,
        by_mean: bool = False,
    ) -> None:
        """`megabytes` is how much the nodes may take; a full tree is still used, but gets no more nodes. `by_mean`: the
        action with the best mean is chosen, not the one with the most visits."""
        self.evaluation = evaluation
        depth = game.max_moves if rollout_depth is None else rollout_depth
        self.limits = np.array([iterations, depth, reuse_tree, by_mean], np.int64)
        self.exploration = float(exploration)
        width = max(game.num_actions, game.num_outcomes)
        searches = game.max_moves if reuse_tree else 1
        nodes = min(most_nodes(megabytes, node), 1 + searches * iterations * 2 * width)
        self.nodes, self.other_nodes = np.zeros(nodes, node), np.zeros(nodes if reuse_tree else 1, node)
        self.tree = np.array([0, 0, -1], np.int64)
        """Which of both arrays the tree is in, how many nodes it has, and after how many events of the game its root
        is; -1: it has none."""
        self.states = np.zeros(2, game.state)
        self.actions = np.zeros(game.num_actions, np.int64)
        self.path, self.edges, self.numbers, self.scores, self.span = make_room(game, path_length(tree_depth))

    def forget(self) -> None:
        self.tree[2] = -1

    def remembers(self) -> bool:
        return bool(self.limits[2])

    def choose(self, game: Any, s: State, played: NDArray[np.int64], count: int, rng: Rng) -> int:
        """The action with the most visits, or with the best mean; of several, the one that is ahead in the other."""
        if game.legal_actions(s, self.actions) == 1:
            return int(self.actions[0])
        if self.limits[2] == 0:
            self.forget()
        self.move_to(played, count)
        self.states[0] = s
        nodes = self.other_nodes if self.tree[0] == 1 else self.nodes
        self.search(game, nodes, rng)
        best = nodes[0].first
        for child in range(best + 1, best + nodes[0].count):
            if self.prefers(nodes[child], nodes[best]):
                best = child
        return int(nodes[best].edge)

    def prefers(self, node: Any, other: Any) -> bool:
        """Whether the action of one child is rather chosen than that of the other; of equal ones, that with the lower
        number."""
        more = np.float64(node.visits) - np.float64(other.visits)
        better = self.mean(node) - self.mean(other)
        first, second = (better, more) if self.limits[3] == 1 else (more, better)
        if first != 0.0:
            return bool(first > 0.0)
        return bool(second > 0.0 or (second == 0.0 and node.edge < other.edge))

    def search(self, game: Any, nodes: Any, rng: Rng) -> None:
        """Add the simulations of one move to the tree of the position states[0]."""
        raise NotImplementedError  # abstract

    def mean(self, node: Any) -> float:
        """What the player to move at the root expects of one of its children."""
        raise NotImplementedError  # abstract

    def move_to(self, played: NDArray[np.int64], count: int) -> None:
        """Make the present position the root: by going down where what has been played since the last search is in the
        tree, otherwise by beginning anew."""
        node = 0
        if self.tree[2] >= 0:
            nodes = self.other_nodes if self.tree[0] == 1 else self.nodes
            out = self.nodes if self.tree[0] == 1 else self.other_nodes
            node = below(nodes, played, self.tree[2], count)
            if node > 0:
                self.tree[1] = copy_subtree(nodes, node, out)
                self.tree[0] = 1 - self.tree[0]
        if node <= 0:
            self.tree[0] = 0
            self.tree[1] = 1
            clear_record(self.nodes[0])
            self.span[0] = np.inf
            self.span[1] = -np.inf
        self.tree[2] = count


@helper
def below(nodes: Any, played: NDArray[np.int64], first: int, count: int) -> int:
    """The node that the events first..count-1 lead to from the root; 0 where there is none."""
    node = 0
    for k in range(first, count):
        chance = played[k] < 0
        edge = -1 - played[k] if chance else played[k]
        parent = nodes[node]
        node = 0
        if chance == (parent.player == CHANCE):
            for child in range(parent.first, parent.first + parent.count):
                if nodes[child].edge == edge:
                    node = child
        if node == 0:
            return 0
    return node


class MctsPlayer(TreePlayer):
    """Monte Carlo tree search with UCT."""

    def __init__(self, game: Game, evaluation: StaticEvaluation, **options: Any) -> None:
        super().__init__(game, evaluation, node_dtype(), **options)

    def search(self, game: Any, nodes: Any, rng: Rng) -> None:
        _, size = run_simulations(
            game,
            self.evaluation,
            self.states,
            nodes,
            self.path,
            self.edges,
            self.numbers,
            self.scores,
            self.span,
            self.tree[1],
            rng,
            self.exploration,
            self.limits[1],
            self.limits[0],
            False,
        )
        self.tree[1] = size

    def mean(self, node: Any) -> float:
        return node.total / max(np.float64(node.visits), 1.0)


class PuctPlayer(TreePlayer):
    """PUCT over what an agent thinks."""

    def __init__(self, game: Game, evaluation: ActionValues, *, temperature: float, **options: Any) -> None:
        super().__init__(game, evaluation, puct_node_dtype(), **options)
        self.temperature = float(temperature)

    def search(self, game: Any, nodes: Any, rng: Rng) -> None:
        _, size = run_puct(
            game,
            self.evaluation,
            self.states,
            nodes,
            Room(self.path, self.edges, self.numbers, self.scores, self.span),
            self.tree[1],
            rng,
            self.exploration,
            self.temperature,
            self.limits[1],
            self.limits[0],
            False,
        )
        self.tree[1] = size

    def mean(self, node: Any) -> float:
        return node.total / np.float64(node.visits) if node.visits > 0 else node.rating
