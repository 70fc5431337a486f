"""The perfect player of Dots and Boxes in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.game import State
from boardlab.games.dots import DotsAndBoxes
from boardlab.rng import Rng, random_below
from boardlab.search.player import Player
from boardlab.solvers.dots_oracle import DotsOracle

__all__ = ["MOST_COMPILED_EDGES", "DotsPlayer"]

MOST_COMPILED_EDGES = 31
"""On larger boards than 3 x 4 the first moves take long, and are searched by several threads."""


class DotsPlayer(Player):
    """The first best one of the actions in random order. Where the oracle takes too long, games are played move by
    move."""

    def __init__(self, game: DotsAndBoxes) -> None:
        self.oracle = DotsOracle(game)
        self.states = np.zeros(1, game.state)
        self.actions = np.zeros(game.num_actions, np.int64)
        self.scores = np.zeros(game.num_players)

    def choose(self, game: Any, s: State, played: NDArray[np.int64], count: int, rng: Rng) -> int:
        player = np.int64(game.player(s))
        n = game.legal_actions(s, self.actions)
        for last in range(n - 1, 0, -1):
            other = random_below(rng, last + 1)
            action = self.actions[last]
            self.actions[last] = self.actions[other]
            self.actions[other] = action
        if not self.oracle.value(game, s, self.scores):
            return -1
        best = self.scores[player]
        for i in range(n):
            self.states[0] = s
            game.advance(self.states[0], self.actions[i])
            if not self.oracle.value(game, self.states[0], self.scores):
                return -1
            if self.scores[player] == best:
                return int(self.actions[i])
        return -1
