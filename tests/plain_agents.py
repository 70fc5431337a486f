"""Agents that are plain Python, so that games between them need no compilation."""

from __future__ import annotations

from boardlab.agents.base import Agent
from boardlab.rng import random_below


class Anyone(Agent):
    """Plays any legal action."""

    name = "anyone"

    def choose(self, position, rng):
        return position.legal_actions[random_below(rng, len(position.legal_actions))]


class First(Agent):
    """Always plays the first legal action."""

    name = "first"

    def choose(self, position, rng):
        return position.legal_actions[0]
