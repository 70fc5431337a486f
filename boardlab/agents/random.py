"""The agent that plays at random: the yardstick that every other one has to beat."""

from __future__ import annotations

from boardlab.agents.base import Agent
from boardlab.position import Position
from boardlab.rng import Rng, random_below
from boardlab.search.player import Player, RandomPlayer

__all__ = ["RandomAgent"]


class RandomAgent(Agent):
    """Plays any legal action, each with the same probability."""

    name = "random"

    def choose(self, position: Position, rng: Rng) -> int:
        legal = position.legal_actions
        return legal[random_below(rng, len(legal))]

    def player(self) -> Player:
        return RandomPlayer(self.game)
