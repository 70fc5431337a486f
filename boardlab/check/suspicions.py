"""What looks wrong though no rule is broken: counts over the games that were played, and what they make us wonder."""

from __future__ import annotations

import numpy as np

from boardlab.check.referee import Referee
from boardlab.game import Game

__all__ = ["FEW_GAMES", "Tally"]

FEW_GAMES = 100
"""With fewer games than this, chance alone may explain that all of them end the same way."""


class Tally:
    """Who moved, and how the games ended."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.moves = np.zeros(game.num_players, np.int64)
        self.games = 0
        self.results: set[tuple[float, ...]] = set()

    def add(self, referee: Referee) -> None:
        """Add the games of a log without violations."""
        log = referee.log[: int(referee.desk[0].row)].view(np.ndarray)
        decisions = log[~log["chance"] & ~log["over"]]
        self.moves += np.bincount(decisions["player"], minlength=len(self.moves))
        ends = log[~log["chance"] & log["over"]]
        self.games += len(ends)
        if len(ends) > 0:
            scores = ends["scores"][:, : self.game.num_players]
            self.results.update(tuple(map(float, row)) for row in np.unique(scores, axis=0))

    @property
    def suspicions(self) -> list[str]:
        """What looks wrong, in sentences."""
        if self.games == 0:
            return []
        found = []
        for p in np.flatnonzero(self.moves == 0):
            name = self.game.player_name(int(p))
            found.append(f"{name} never moves in {self.games:,} games; does advance hand the turn on?")
        if self.game.num_players > 1 and all(len(set(result)) == 1 for result in self.results):
            found.append(f"nobody ever wins: {self.games:,} games end with the same score for all; is that meant?")
        elif len(self.results) == 1:
            scores = " : ".join(f"{score:g}" for score in next(iter(self.results)))
            found.append(f"all {self.games:,} games end the same way ({scores}); is that meant?")
        return found
