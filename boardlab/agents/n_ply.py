"""n-ply: any agent with a look-ahead of n plies, by max-n or expectimax-n over its values."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from boardlab.agents.maxn import DepthFirst
from boardlab.agents.wrapper import Wrapper
from boardlab.game import Game
from boardlab.learn.chooser import Chooser
from boardlab.position import Position
from boardlab.rng import Rng
from boardlab.search.action_values import ActionValues
from boardlab.search.depth_player import depth_first_player
from boardlab.search.evaluation import StaticEvaluation
from boardlab.search.player import Player
from boardlab.search.tree_search import TreeSearch

__all__ = ["NPly"]


class NPly(Wrapper, DepthFirst):
    """Looks some plies ahead, as max-n and expectimax-n do, and asks another agent what the positions there are worth.
    With a depth of 0 it is that agent itself."""

    name = "n-ply"
    default_depth = 2

    class Parameters(DepthFirst.Parameters, Wrapper.Parameters):
        """The options of n-ply."""

        depth: int | None = Field(
            None,
            ge=0,
            le=1_000_000,
            description="actions to look ahead before the agent is asked; 2 where neither depth nor time is given",
        )

    parameters: Parameters

    @property
    def greedy(self) -> bool:  # type: ignore[override] # with a depth of 0 it is the agent
        """With a depth of 0, only if the wrapped agent is."""
        return self.parameters.depth != 0 or self.agent.greedy

    @property
    def bounded(self) -> bool:  # type: ignore[override]
        """With a depth of 0, only if the wrapped agent is."""
        return self.parameters.depth != 0 or self.agent.bounded

    def at_the_limit(self) -> StaticEvaluation:
        """What the wrapped agent thinks."""
        return self.evaluation

    def choose(self, position: Position, rng: Rng) -> int:
        if self.parameters.depth == 0:
            return self.agent.choose(position, rng)
        return super().choose(position, rng)

    def values(self, position: Position) -> dict[int, float]:
        if self.parameters.depth == 0:
            return self.agent.values(position) or {}
        return super().values(position)

    def player(self) -> Player | None:
        options = self.parameters
        if options.depth == 0:
            return self.agent.player() if self.agent.plays_compiled else None
        evaluation = self.agent.action_values()
        if options.time is not None or evaluation is None or evaluation.plain:
            return None
        tree = TreeSearch(self.game, evaluation, megabytes=0, alpha_beta=self.tree.alpha_beta)
        return depth_first_player(tree, options.depth or self.default_depth, options.table)

    @classmethod
    def chooser(cls, game: Game, parameters: Any, evaluation: ActionValues) -> Chooser:
        from boardlab.search.self_play import n_ply_chooser

        depth = cls.default_depth if parameters.depth is None else parameters.depth
        return n_ply_chooser(game, evaluation, depth) if depth > 0 else Chooser()
