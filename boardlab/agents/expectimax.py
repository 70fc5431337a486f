"""Expectimax-N: Max-N that weighs the outcomes of chance events with their probabilities."""

from __future__ import annotations

from pydantic import Field

from boardlab.agents.maxn import MaxN
from boardlab.game import Game

__all__ = ["ExpectimaxN"]


class ExpectimaxN(MaxN):
    """Max-N for games with chance: a chance event is worth the mean of its outcomes. In games without chance it equals
    max-n."""

    name = "expectimax-n"
    default_depth = 3

    class Parameters(MaxN.Parameters):
        """The options of Expectimax-N."""

        depth: int | None = Field(
            None, ge=1, le=1_000_000, description="actions to look ahead; 3 where neither depth nor time is given"
        )

    parameters: Parameters

    @classmethod
    def refusal(cls, game: Game) -> str | None:
        """It plays every game."""
        return None
