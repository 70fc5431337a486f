"""PUCT: any agent with a Monte Carlo tree search over its values."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from boardlab.agents.mcts import TreeAgent
from boardlab.agents.wrapper import Wrapper
from boardlab.game import Game
from boardlab.learn.chooser import Chooser
from boardlab.search.action_values import ActionValues
from boardlab.search.mcts_tree import MctsTree
from boardlab.search.player import Player
from boardlab.search.puct_tree import PuctTree
from boardlab.search.tree_player import PuctPlayer

__all__ = ["Puct"]


class Puct(Wrapper, TreeAgent):
    """Monte Carlo tree search guided by another agent (PUCT): the agent's values of actions are the prior
    probabilities, and its values of positions replace random games."""

    name = "puct"
    default_iterations = 1000

    class Parameters(TreeAgent.Parameters, Wrapper.Parameters):
        """The options of PUCT."""

        iterations: int | None = Field(
            None,
            ge=1,
            le=1_000_000_000,
            description="simulations for a move; 1000 where neither iterations nor time is given",
        )
        exploration: float = Field(
            1.0,
            ge=0.0,
            le=100.0,
            description="weight of prior probabilities (c of PUCT); scores count from 0 to 1 beside it",
        )
        temperature: float = Field(
            1.0,
            gt=0.0,
            le=1e9,
            description="how even the prior probabilities are (a softmax); 1 is the difference between the best and the"
            " worst action",
        )
        rollout_depth: int = Field(
            0, ge=0, le=1_000_000, description="random actions that are played before the agent is asked for a value"
        )

    parameters: Parameters

    def make_tree(self) -> MctsTree:
        """A tree over what the wrapped agent thinks."""
        options = self.parameters
        return PuctTree(self.game, self.evaluation, options.memory, temperature=options.temperature)

    def player(self) -> Player | None:
        options, evaluation = self._playing(), self.agent.action_values()
        if options is None or evaluation is None or evaluation.plain:
            return None
        return PuctPlayer(self.game, evaluation, temperature=self.parameters.temperature, **options)

    @classmethod
    def chooser(cls, game: Game, parameters: Any, evaluation: ActionValues) -> Chooser:
        from boardlab.search.self_play import PuctChooser

        return PuctChooser(
            game,
            evaluation,
            parameters.iterations or cls.default_iterations,
            exploration=parameters.exploration,
            temperature=parameters.temperature,
            rollout_depth=parameters.rollout_depth,
        )
