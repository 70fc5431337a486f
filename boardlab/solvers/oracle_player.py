"""Who plays by what an oracle knows (`boardlab.learn.oracle`), in compiled code: the action after which perfect play
brings the most; of several, any."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.game import Game, State
from boardlab.learn.oracle import Oracle
from boardlab.rng import Rng
from boardlab.search.player import Player, draw_best

__all__ = ["OraclePlayer"]


class OraclePlayer(Player):
    """For games without chance, whose oracle knows every position."""

    def __init__(self, game: Game, oracle: Oracle) -> None:
        self.oracle = oracle
        self.states = np.zeros(1, game.state)
        self.actions = np.zeros(game.num_actions, np.int64)
        self.worth = np.zeros(game.num_actions)
        self.scores = np.zeros(game.num_players)

    def choose(self, game: Any, s: State, played: NDArray[np.int64], count: int, rng: Rng) -> int:
        player = np.int64(game.player(s))
        n = game.legal_actions(s, self.actions)
        if n == 1:
            return int(self.actions[0])
        for i in range(n):
            self.states[0] = s
            game.advance(self.states[0], self.actions[i])
            if not self.oracle.value(game, self.states[0], self.scores):
                return -1
            self.worth[i] = self.scores[player]
        return draw_best(self.actions, self.worth, n, 0.0, rng)
