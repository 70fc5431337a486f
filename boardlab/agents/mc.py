"""Flat Monte Carlo: the action after which random games end best."""

from __future__ import annotations

from pydantic import Field

from boardlab.agents.base import Agent
from boardlab.compiler.later import compiled
from boardlab.position import Position
from boardlab.rng import Rng, make_rng, random_below
from boardlab.search.evaluation import where_cut_off
from boardlab.search.mc import FlatMonteCarlo, MonteCarloPlayer
from boardlab.search.player import Player

__all__ = ["MonteCarlo"]

DEFAULT_ROLLOUTS = 1000
MOST_ROLLOUTS = 100_000
"""With more of them a move takes so long that nothing is gained by playing whole games in machine code, which hears
Ctrl-C only between moves."""


class MonteCarlo(Agent):
    """Plays many random games after each legal action and chooses the action with the best mean score."""

    name = "mc"
    bounded = True

    class Parameters(Agent.Parameters):
        """The options of flat Monte Carlo."""

        rollouts: int | None = Field(
            None,
            ge=1,
            le=1_000_000_000,
            description="random games after each action; 1000 where neither rollouts nor time is given",
        )
        time: float | None = Field(None, ge=0.001, le=86_400, description="seconds for a move")
        rollout_depth: int | None = Field(
            None, ge=0, le=1_000_000, description="actions after which a random game is cut off"
        )
        estimate: bool = Field(
            True, description="where it is cut off, the game's own estimate counts if it has one, not the scores so far"
        )

    parameters: Parameters

    def setup(self) -> None:
        cut = self.parameters.rollout_depth is not None
        self.monte_carlo = FlatMonteCarlo(self.game, where_cut_off(self.game, cut and self.parameters.estimate))
        compiled(self.monte_carlo.compile)

    def choose(self, position: Position, rng: Rng) -> int:
        """The action with the best mean; of several, any."""
        legal = position.legal_actions
        if len(legal) == 1:
            return legal[0]
        means = self._search(position, rng)
        top = max(means.values())
        best = [action for action, mean in means.items() if mean == top]
        return best[random_below(rng, len(best))]

    def values(self, position: Position) -> dict[int, float]:
        """The means of random games of their own, always the same ones."""
        return self._search(position, make_rng(0))

    def player(self) -> Player | None:
        options = self.parameters
        rollouts = self._rollouts()
        if options.time is not None or rollouts is None or rollouts > MOST_ROLLOUTS:
            return None
        return MonteCarloPlayer(self.game, self.monte_carlo.evaluation, rollouts, options.rollout_depth)

    def _rollouts(self) -> int | None:
        options = self.parameters
        return DEFAULT_ROLLOUTS if options.rollouts is None and options.time is None else options.rollouts

    def _search(self, position: Position, rng: Rng) -> dict[int, float]:
        options = self.parameters
        return self.monte_carlo.search(position.state, self._rollouts(), options.time, options.rollout_depth, rng)
