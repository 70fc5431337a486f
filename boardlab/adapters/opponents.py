"""Who holds the seats that a learner does not: any agent of ours, a function, or a pool of them that is drawn from at
the beginning of every game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.adapters.seats import read_epsilon
from boardlab.adapters.views import View
from boardlab.agents.base import Agent
from boardlab.agents.registry import make_agent
from boardlab.arguments import shown
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.position import Position
from boardlab.rng import Rng, random_below, random_float

__all__ = ["Opponent", "Opponents", "Policy", "action_mask"]

Policy = Callable[[NDArray[Any], NDArray[np.int8]], Any]
"""A function that is told what its player sees and which actions are legal, and returns an action."""
Opponent = str | Agent | Policy
Choose = Callable[[Position, Rng], int]


def action_mask(position: Position) -> NDArray[np.int8]:
    """1 for every legal action, shape (num_actions,)."""
    mask = np.zeros(position.game.num_actions, np.int8)
    mask[position.legal_actions] = 1
    return mask


class Opponents:
    """A pool of opponents of one game, and those of them who play at the moment."""

    def __init__(self, game: Game, view: View, epsilon: float = 0.0) -> None:
        """Functions see positions through `view`; with the probability `epsilon` a move is random, whoever makes it."""
        self.game, self.view, self.epsilon = game, view, read_epsilon(epsilon)
        self.pool: list[Choose] = []
        self.seated: list[Choose] = []

    def replace(self, opponents: Opponent | Sequence[Opponent]) -> None:
        """Let these be the pool from the next game on."""
        if isinstance(opponents, str) or not isinstance(opponents, Sequence):
            opponents = [opponents]
        if not opponents:
            raise BoardlabError("a pool of opponents has one at least")
        self.pool = [self._chooser(one) for one in opponents]

    def take_seats(self, rng: Rng) -> None:
        """Draw who plays the next game, for every seat anew; who draws the learner's is never asked."""
        several = len(self.pool) > 1
        self.seated = [
            self.pool[random_below(rng, len(self.pool)) if several else 0] for _ in range(self.game.num_players)
        ]

    def choose(self, position: Position, rng: Rng) -> int:
        """The action of the opponent whose turn it is."""
        if self.epsilon > 0.0 and random_float(rng) < self.epsilon:
            legal = position.legal_actions
            return legal[random_below(rng, len(legal))]
        return self.seated[position.player](position, rng)

    def _chooser(self, opponent: Opponent) -> Choose:
        if isinstance(opponent, str):
            return make_agent(opponent, self.game).choose
        if isinstance(opponent, Agent):
            if opponent.game != self.game:
                raise BoardlabError(
                    f"{opponent.spec} was made for {opponent.game.spec}, it cannot play {self.game.spec}"
                )
            return opponent.choose
        if not callable(opponent):
            raise BoardlabError(
                f"an opponent is an agent, as mcts:iterations=100, or a function of observation and mask,"
                f" not {shown(opponent)}"
            )
        policy = opponent
        return lambda position, rng: int(policy(*self._seen(position)))

    def _seen(self, position: Position) -> tuple[NDArray[Any], NDArray[np.int8]]:
        return self.view.of(self.game, position.state, position.player), action_mask(position)
