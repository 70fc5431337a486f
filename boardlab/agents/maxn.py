"""Max-N: looks so many actions ahead and lets every player choose what is best for himself."""

from __future__ import annotations

from pydantic import Field

from boardlab.agents.base import Agent
from boardlab.compiler.later import compiled
from boardlab.game import Game
from boardlab.position import Position
from boardlab.rng import Rng, random_below
from boardlab.search.depth_player import depth_first_player
from boardlab.search.evaluation import StaticEvaluation, where_cut_off
from boardlab.search.player import Player
from boardlab.search.tree_search import Findings, TreeSearch

__all__ = ["DepthFirst", "MaxN"]


class DepthFirst(Agent):
    """What agents share that look some actions ahead by max-n, or by alpha-beta where that gives the same values."""

    greedy = True
    bounded = True
    default_depth = 6

    class Parameters(Agent.Parameters):
        """The options that all of them have."""

        depth: int | None = Field(
            None, ge=1, le=1_000_000, description="actions to look ahead; 6 where neither depth nor time is given"
        )
        time: float | None = Field(
            None, ge=0.001, le=86_400, description="seconds for a move: it looks deeper and deeper until they are over"
        )
        table: int = Field(64, ge=0, le=65_536, description="megabytes of the transposition table; 0 for none")
        alpha_beta: bool = Field(
            True, description="use alpha-beta in zero-sum games of two players, which gives the same values sooner"
        )

    parameters: Parameters

    def setup(self) -> None:
        options = self.parameters
        self.tree = TreeSearch(self.game, self.at_the_limit(), megabytes=options.table, alpha_beta=options.alpha_beta)
        compiled(self.tree.compile)

    def at_the_limit(self) -> StaticEvaluation:
        """What counts at the depth limit: the game's own estimate, or the scores so far."""
        return where_cut_off(self.game, True)

    def choose(self, position: Position, rng: Rng) -> int:
        """One of the best actions, all with the same probability."""
        legal = position.legal_actions
        if len(legal) == 1:
            return legal[0]
        best = self._search(position, ties=True).best()
        return best[random_below(rng, len(best))]

    def values(self, position: Position) -> dict[int, float]:
        return self._search(position, ties=False).by_action()

    def player(self) -> Player | None:
        options = self.parameters
        if options.time is not None or self.tree.plain:
            return None
        return depth_first_player(self.tree, options.depth or self.default_depth, options.table)

    def _search(self, position: Position, ties: bool) -> Findings:
        options = self.parameters
        if options.time is not None:
            return self.tree.deepen(position.state, options.time, options.depth, ties=ties)
        return self.tree.search(position.state, options.depth or self.default_depth, ties=ties)


class MaxN(DepthFirst):
    """Searches all continuations up to a depth limit and expects every player to choose what is best for that player;
    at the limit the game's own estimate counts, or the scores so far. For two players this is minimax, with
    alpha-beta."""

    name = "max-n"

    class Parameters(DepthFirst.Parameters):
        """The options of Max-N."""

        estimate: bool = Field(
            True, description="at the limit the game's own estimate counts if it has one, not the scores so far"
        )

    parameters: Parameters

    @classmethod
    def refusal(cls, game: Game) -> str | None:
        """Games with chance events belong to Expectimax-N."""
        if game.num_outcomes > 0:
            return f"{cls.name} plays games without chance; for {game.title} use expectimax-n"
        return None

    def at_the_limit(self) -> StaticEvaluation:
        return where_cut_off(self.game, self.parameters.estimate)
