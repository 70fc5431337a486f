"""The tree of PUCT: the driver of the kernel in `puct`, with the growth and the reuse of `mcts_tree`."""

from __future__ import annotations

import numpy as np

from boardlab.compiler import plain
from boardlab.game import Game
from boardlab.position import Position
from boardlab.rng import Rng
from boardlab.search.action_values import ActionValues
from boardlab.search.mcts_tree import LONGEST_PATH, ActionStatistics, MctsTree
from boardlab.search.pace import Pace
from boardlab.search.puct import make_room, puct_node_dtype, run_puct

__all__ = ["PuctTree"]


class PuctTree(MctsTree):
    """A search tree over what an agent thinks of actions. Where that is plain Python, so is the search."""

    node = puct_node_dtype()

    def __init__(self, game: Game, evaluation: ActionValues, megabytes: int = 256, *, temperature: float = 1.0) -> None:
        """`temperature` is how much the prior probabilities are smoothed, see `puct`."""
        super().__init__(game, megabytes, evaluation)
        self.evaluation: ActionValues = evaluation
        self.temperature = temperature
        self.room = make_room(game, LONGEST_PATH)
        self.span = self.room.span
        self.stamp = evaluation.stamp()
        if evaluation.plain:
            self.pace = Pace(1)

    def statistics(self) -> ActionStatistics:
        """As in `mcts_tree`; an action without visits has its rating for a mean."""
        root = self.nodes[0]
        children = self.nodes[root["first"] : root["first"] + root["count"]]
        known = {}
        for child in children:
            visits = int(child["visits"])
            known[int(child["edge"])] = visits, float(child["total"]) / visits if visits else float(child["rating"])
        return dict(sorted(known.items()))

    def _simulate(self, rng: Rng, exploration: float, depth: int, simulations: int) -> int:
        run, states, nodes = run_puct, self.states, self.nodes
        if self.evaluation.plain:
            run, states, nodes = plain(run_puct), states.view(np.recarray), nodes.view(np.recarray)
        done, self.size = run(
            self.game,
            self.evaluation,
            states,
            nodes,
            self.room,
            self.size,
            rng,
            exploration,
            self.temperature,
            depth,
            simulations,
            len(self.nodes) < self.most_nodes,
        )
        return int(done)

    def _move_to(self, position: Position) -> None:
        if self.stamp != self.evaluation.stamp():
            self.stamp = self.evaluation.stamp()
            self.forget()
        super()._move_to(position)
