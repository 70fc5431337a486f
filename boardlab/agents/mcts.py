"""Monte Carlo tree search as an agent."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal

from pydantic import Field

from boardlab.agents.base import Agent
from boardlab.compiler.later import compiled
from boardlab.position import Position
from boardlab.rng import Rng, make_rng
from boardlab.search.evaluation import where_cut_off
from boardlab.search.mcts_tree import LONGEST_PATH, ActionStatistics, MctsTree
from boardlab.search.player import Player
from boardlab.search.tree_player import MOST_ITERATIONS, MctsPlayer

__all__ = ["Mcts", "TreeAgent"]


class TreeAgent(Agent):
    """What agents share that grow a tree of simulations: `mcts`, and `puct` over what another agent thinks."""

    bounded = True
    default_iterations = 10_000

    class Parameters(Agent.Parameters):
        """The options that all of them have."""

        iterations: int | None = Field(
            None,
            ge=1,
            le=1_000_000_000,
            description="simulations for a move; 10000 where neither iterations nor time is given",
        )
        time: float | None = Field(None, ge=0.001, le=86_400, description="seconds for a move")
        exploration: float = Field(
            1.0,
            ge=0.0,
            le=100.0,
            description="weight of the confidence term of UCT; scores count from 0 to 1 beside it",
        )
        rollout_depth: int | None = Field(
            None, ge=0, le=1_000_000, description="actions after which a random game is cut off"
        )
        reuse_tree: bool = Field(True, description="keep what the tree knows of the moves that were really played")
        memory: int = Field(256, ge=1, le=65_536, description="megabytes that the tree may take")

    parameters: Parameters

    def setup(self) -> None:
        self.tree = self.make_tree()
        compiled(self.tree.compile)

    @abstractmethod
    def make_tree(self) -> MctsTree:
        """A tree that knows nothing."""

    def choose(self, position: Position, rng: Rng) -> int:
        """The action that is preferred after a search."""
        legal = position.legal_actions
        if len(legal) == 1:
            return legal[0]
        if not self.parameters.reuse_tree:
            self.tree.forget()
        found = self._search(self.tree, position, rng)
        return max(found, key=lambda action: self.preference(*found[action]))

    def preference(self, visits: int, mean: float) -> tuple[float, float]:
        """The action with the highest one is played: here that with the most visits; of several, with the best mean."""
        return visits, mean

    def values(self, position: Position) -> dict[int, float]:
        """The mean scores in the tree: in the one that the action was chosen with, where it was for this position."""
        if self.tree.knows(position):
            known = self.tree.statistics()
        else:  # in a tree of its own: to look shall not change how the game goes on
            known = self._search(self.make_tree(), position, make_rng(0))
        return {action: mean for action, (_, mean) in known.items()}

    def _iterations(self) -> int | None:
        options = self.parameters
        unlimited = options.iterations is None and options.time is None
        return self.default_iterations if unlimited else options.iterations

    def _playing(self) -> dict[str, Any] | None:
        """The options of the compiled player; None where there is a time limit, or a move takes long anyway."""
        options, iterations = self.parameters, self._iterations()
        if options.time is not None or iterations is None or iterations > MOST_ITERATIONS:
            return None
        return {
            "iterations": iterations,
            "exploration": options.exploration,
            "rollout_depth": options.rollout_depth,
            "reuse_tree": options.reuse_tree,
            "megabytes": options.memory,
        }

    def _search(self, tree: MctsTree, position: Position, rng: Rng) -> ActionStatistics:
        options = self.parameters
        return tree.search(
            position,
            rng,
            simulations=self._iterations(),
            seconds=options.time,
            exploration=options.exploration,
            rollout_depth=options.rollout_depth,
        )


class Mcts(TreeAgent):
    """Monte Carlo tree search with UCT, for any number of players, with or without chance: it grows a tree where its
    random games are promising, and plays the action that it visited most."""

    name = "mcts"

    class Parameters(TreeAgent.Parameters):
        """The options of Monte Carlo tree search."""

        estimate: bool = Field(
            True, description="where it is cut off, the game's own estimate counts if it has one, not the scores so far"
        )
        tree_depth: int | None = Field(
            None, ge=1, le=LONGEST_PATH - 1, description="actions that the tree looks ahead; random games follow"
        )
        final: Literal["visits", "mean"] = Field(
            "visits", description="what it plays: the action with the most visits, or with the best mean"
        )

    parameters: Parameters

    def preference(self, visits: int, mean: float) -> tuple[float, float]:
        return (mean, visits) if self.parameters.final == "mean" else (visits, mean)

    def make_tree(self) -> MctsTree:
        """A tree that ends its simulations with random games."""
        options = self.parameters
        cut = options.rollout_depth is not None
        evaluation = where_cut_off(self.game, cut and options.estimate)
        return MctsTree(self.game, options.memory, evaluation, depth=options.tree_depth)

    def player(self) -> Player | None:
        options, own = self._playing(), self.parameters
        if options is None:
            return None
        by_mean = own.final == "mean"
        return MctsPlayer(self.game, self.tree.evaluation, tree_depth=own.tree_depth, by_mean=by_mean, **options)
