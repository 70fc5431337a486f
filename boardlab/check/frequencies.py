"""Whether `sample_chance` draws the outcomes as often as `chance_outcomes` says."""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.check.report import Violation
from boardlab.game import Game

__all__ = ["Frequencies"]


class Frequencies:
    """Counts over all chance events, for each outcome: drawn, expected, and the variance of that."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.drawn, self.expected, self.variance = np.zeros((3, game.num_outcomes))

    def add(self, log: Any) -> None:
        """Add the chance events of a log without violations."""
        size = self.game.num_outcomes
        if size == 0:
            return
        events = log[log["chance"] & (log["event"] >= 0)]
        listed = np.arange(size) < events["num_outcomes"][:, None]
        outcomes, chances = events["outcomes"][:, :size][listed], events["chances"][:, :size][listed]
        self.drawn += np.bincount(events["event"], minlength=size)
        self.expected += np.bincount(outcomes, chances, minlength=size)
        self.variance += np.bincount(outcomes, chances * (1.0 - chances), minlength=size)

    def check(self) -> None:
        """Every outcome must lie within six standard deviations, and ten draws more because rare outcomes are not
        normally distributed."""
        excess = np.abs(self.drawn - self.expected) - (6.0 * np.sqrt(self.variance) + 10.0)
        for outcome in np.flatnonzero(excess > 0)[:1]:
            raise Violation(
                f"sample_chance drew the outcome {outcome} ({self.game.outcome_name(int(outcome))}) "
                f"{self.drawn[outcome]:.0f} times, but by the probabilities of chance_outcomes it should have come "
                f"about {self.expected[outcome]:.0f} times"
            )
