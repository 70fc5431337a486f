"""What a learner thinks of positions, as an evaluation in compiled code: searches over any approximator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.game import Game, State
from boardlab.learn.algorithms.base import Algorithm
from boardlab.learn.approximators.base import Approximator, Arrays, make_moves
from boardlab.learn.outputs import LOGISTIC, activate
from boardlab.search.action_values import ActionValues

__all__ = ["LearnedValues"]


class LearnedValues(ActionValues):
    """Rates an action exactly as the learner does. The last position is kept, and the next one is looked up by its
    difference from it."""

    def __init__(
        self, game: Game, values: Approximator, algorithm: Algorithm, gamma: float, learned: Callable[[], int]
    ) -> None:
        """`values` has its weights and work space; `learned` tells how many episodes it has learned from."""
        super().__init__(game)
        self.approximator = values
        self.moves = Arrays(make_moves(game))
        self.states = np.zeros(2, game.state)
        self.ends = algorithm.values_ends
        self.gamma = 1.0 if algorithm.values_ends or algorithm.of_actions else float(gamma)
        self._learned = learned
        start = np.zeros(1, game.state).view(np.recarray)[0]
        game.reset(start)
        values.begin(game, start)

    def stamp(self) -> int:
        return self._learned()

    def rate(self, game: Any, s: State, actions: NDArray[np.int64], ratings: NDArray[np.float64]) -> int:
        moves: Any = self.moves
        values = self.approximator
        values.follow(game, s)
        player: Any = np.int64(game.player(s))
        game.scores(s, moves.scores)
        score = moves.scores[player]
        n = game.legal_actions(s, actions)
        for i in range(n):
            moves.actions[i] = actions[i]
        self.states[0] = s
        values.rate(game, self.states, moves, n, player, score, self.ends)
        before = 0.0 if values.output == LOGISTIC else score
        for i in range(n):
            value = activate(values.output, moves.totals[i]) if moves.open[i] else 0.0
            gain = (moves.rewards[i] + self.gamma * value - values.shift) / values.scale
            ratings[i] = self.possible(before + gain)
        return int(n)
