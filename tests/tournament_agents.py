"""Agents for the tests of tournaments, which do what nobody may."""

from __future__ import annotations

import os

from boardlab.agents.base import Agent
from boardlab.position import Position
from boardlab.rng import Rng


class Fine(Agent):
    """Plays the last legal action, and talks."""

    name = "fine"

    def choose(self, position: Position, rng: Rng) -> int:
        print("= 77 0.0")
        return position.legal_actions[-1]


class Dies(Agent):
    """Ends its process with its second move."""

    name = "dies"

    def choose(self, position: Position, rng: Rng) -> int:
        if len(position.history) > 1:
            os._exit(3)
        return position.legal_actions[0]


class Hangs(Agent):
    """Never moves again after its first move."""

    name = "hangs"

    def choose(self, position: Position, rng: Rng) -> int:
        while len(position.history) > 1:
            pass
        return position.legal_actions[0]


class Wrong(Agent):
    """Plays what is not legal."""

    name = "wrong"

    def choose(self, position: Position, rng: Rng) -> int:
        return 77


class Raises(Agent):
    """Has a mistake in it."""

    name = "raises"

    def choose(self, position: Position, rng: Rng) -> int:
        return position.legal_actions[100]
