"""A search tree that grows while it is used and follows the game from move to move: the driver of the kernels in
`mcts`."""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.compiler.errors import readable_compile_errors
from boardlab.game import Game
from boardlab.position import Event, Position
from boardlab.rng import Rng, make_rng
from boardlab.search.evaluation import CurrentScores, StaticEvaluation
from boardlab.search.mcts import CHANCE, copy_subtree, node_dtype, run_simulations
from boardlab.search.pace import Pace, now
from boardlab.search.plain_games import for_plain_games_too

__all__ = ["LONGEST_PATH", "ActionStatistics", "MctsTree", "most_nodes", "path_length"]

_run_simulations = for_plain_games_too(run_simulations)

FIRST_NODES = 1 << 14
LONGEST_PATH = 4096

ActionStatistics = dict[int, tuple[int, float]]
"""For each legal action: how often it was visited, and the mean score of the player to move (0 without visits)."""


def most_nodes(megabytes: int, node: np.dtype[Any]) -> int:
    """How many nodes a tree of so many megabytes may have."""
    return max(FIRST_NODES, (megabytes << 20) // node.itemsize)


def path_length(depth: int | None) -> int:
    """Room for the nodes on the way from the root to the deepest ones, the root among them."""
    return LONGEST_PATH if depth is None else depth + 1


class MctsTree:
    """The tree of one game. `search` makes its root the position that is asked about: by going down where that is
    the continuation of the last one, otherwise by beginning anew."""

    node = node_dtype()

    def __init__(
        self,
        game: Game,
        megabytes: int = 256,
        evaluation: StaticEvaluation | None = None,
        *,
        depth: int | None = None,
    ) -> None:
        """`megabytes` is how much the nodes may take; a full tree is still used, but gets no more nodes. `evaluation`
        says what counts where a random game is cut off, the scores so far without. `depth` bounds how far the tree
        looks ahead."""
        self.game = game
        self.evaluation = evaluation or CurrentScores()
        self.most_nodes = most_nodes(megabytes, self.node)
        width = max(game.num_actions, game.num_outcomes)
        self.states = np.zeros(2, game.state)
        self.nodes = np.zeros(FIRST_NODES, self.node)
        self.path = np.zeros(path_length(depth), np.int64)
        self.edges = np.zeros(width, np.int64)
        self.chances = np.zeros(width, np.float64)
        self.scores = np.zeros(game.num_players, np.float64)
        self.pace = Pace(1) if game.plain else Pace()
        self.size = 1
        self.span = np.array([np.inf, -np.inf])
        self._position: Position | None = None
        self._history: list[Event] = []

    def compile(self) -> None:
        """Have the machine code ready."""
        with readable_compile_errors(self.game):
            self._simulate(make_rng(0), 0.0, 0, 0)
            copy_subtree(self.nodes, 0, self.nodes[:1].copy())

    def search(
        self,
        position: Position,
        rng: Rng,
        *,
        simulations: int | None,
        seconds: float | None = None,
        exploration: float = 0.6,
        rollout_depth: int | None = None,
    ) -> ActionStatistics:
        """Add so many simulations, or as many as the time allows, and tell what the tree now knows."""
        begin = now()
        self._move_to(position)
        left = None if seconds is None else seconds - (now() - begin)
        depth = self.game.max_moves if rollout_depth is None else rollout_depth
        for batch in self.pace.batches(simulations, left):
            done = 0
            while done < batch:
                done += self._simulate(rng, exploration, depth, batch - done)
                if done < batch:
                    self._resize(min(2 * len(self.nodes), self.most_nodes))
        return self.statistics()

    def statistics(self) -> ActionStatistics:
        """What the tree knows of the actions at its root, in the order of their numbers."""
        root = self.nodes[0]
        children = self.nodes[root["first"] : root["first"] + root["count"]]
        known = {int(c["edge"]): (int(c["visits"]), float(c["total"]) / max(int(c["visits"]), 1)) for c in children}
        return dict(sorted(known.items()))

    def forget(self) -> None:
        """Begin anew at the next search."""
        self._position = None

    def knows(self, position: Position) -> bool:
        """Whether this very position is at the root and has been searched."""
        return (
            self._position is position
            and self._history == position.history
            and self._root_bytes() == position.state.tobytes()
            and int(self.nodes[0]["visits"]) > 0
        )

    # ------------------------------------------------------------

    def _simulate(self, rng: Rng, exploration: float, depth: int, simulations: int) -> int:
        done, self.size = _run_simulations(
            self.game,
            self.evaluation,
            self.states,
            self.nodes,
            self.path,
            self.edges,
            self.chances,
            self.scores,
            self.span,
            self.size,
            rng,
            exploration,
            depth,
            simulations,
            len(self.nodes) < self.most_nodes,
        )
        return int(done)

    def _plant(self) -> None:
        """A tree of nothing but its root."""
        self.nodes[0] = np.zeros(1, self.node)[0]
        self.size = 1
        self.span[:] = np.inf, -np.inf

    def _resize(self, capacity: int) -> None:
        nodes = np.zeros(capacity, self.node)
        nodes[: self.size] = self.nodes[: self.size]
        self.nodes = nodes

    def _root_bytes(self) -> bytes:
        return self.states[:1].tobytes()

    def _move_to(self, position: Position) -> None:
        """Make the position the root. The tree is kept where it is the same game in progress, told by the object
        itself (another game may well begin with the same moves), and what has been played since is in the tree."""
        node = self._continuation(position) if self._position is position else None
        if node is None:
            self._plant()
        elif node > 0:
            kept = np.zeros(len(self.nodes), self.node)
            self.size = int(copy_subtree(self.nodes, node, kept))
            self.nodes = kept
        self.states[0] = position.state
        self._position = position
        self._history = position.history

    def _continuation(self, position: Position) -> int | None:
        """The node of the position below the present root, if there is one."""
        old, new = self._history, position.history
        if len(new) <= len(old) or new[: len(old)] != old:
            return None
        state = self.states[:1].copy().view(np.recarray)
        node = 0
        for event in new[len(old) :]:
            child = self._child(node, event)
            if child is None:
                return None
            node = child
            self._replay(state[0], event)
        return node if state.tobytes() == position.state.tobytes() else None

    def _child(self, node: int, event: Event) -> int | None:
        parent = self.nodes[node]
        if (event.player is None) != (parent["player"] == CHANCE):
            return None
        first, count = int(parent["first"]), int(parent["count"])
        edges = self.nodes["edge"][first : first + count].tolist()
        return first + edges.index(event.number) if event.number in edges else None

    def _replay(self, state: Any, event: Event) -> None:
        if event.player is None:
            self.game.advance_chance(state, event.number)
        else:
            self.game.advance(state, event.number)
