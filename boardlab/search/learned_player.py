"""Who plays by what a learner thinks of afterstates or actions, in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.game import Game, State
from boardlab.learn.algorithms.base import winning_action
from boardlab.learn.learner import Learner, rate_actions
from boardlab.rng import Rng, make_rng
from boardlab.search.player import Player, Seat, draw_best

__all__ = ["LearnedPlayer", "LearnedSeat"]


class LearnedPlayer(Player):
    """The action of the highest rating; of several, any. A diverged network says NaN, and then all are alike. Who has
    learned with `take_wins` takes an action that wins at once, whatever it thinks of the others."""

    def __init__(self, game: Game, learner: Learner) -> None:
        self.rater = learner.make_rater()
        self.shift, self.scale = float(learner.values.shift), float(learner.values.scale)
        self.take_wins = bool(learner.settings.take_wins)
        self.actions = np.zeros(game.num_actions, np.int64)
        self.count = np.zeros(1, np.int64)

    def choose(self, game: Any, s: State, played: NDArray[np.int64], count: int, rng: Rng) -> int:
        rater: Any = self.rater
        rater.states[0] = s
        n = rate_actions(game, rater)
        self.count[0] = n
        totals = rater.moves.totals
        for i in range(n):
            totals[i] = (totals[i] - self.shift) / self.scale
            self.actions[i] = rater.moves.actions[i]
        won = winning_action(game, rater.states, rater.moves, n) if self.take_wins else -1
        return won if won >= 0 else draw_best(self.actions, totals, n, 0.0, rng)


class LearnedSeat(Seat):
    """A learned player that also tells its ratings. They are what its choice leaves behind, so that both are the same
    machine code."""

    def __init__(self, game: Game, player: LearnedPlayer) -> None:
        super().__init__(game, player)
        self._moves: Any = player.rater.moves
        self._count = player.count
        self._spare = make_rng(0)

    def rate(self, state: Any) -> dict[int, float]:
        """Reward plus discounted value of every legal action of a position in which some player is to move, in the
        units of the game's scores where the output is linear in them."""
        self.choose(state, self._spare)
        n = int(self._count[0])
        return dict(zip(self._moves.actions[:n].tolist(), self._moves.totals[:n].tolist(), strict=True))
