"""Finding agents by name: `NAME`, `NAME:parameter=value,...`, an entry point of the group `boardlab.agents`, or
`path/to/file.py:Class`."""

from __future__ import annotations

from boardlab.agents.base import Agent
from boardlab.game import Game
from boardlab.registry import Registry, split_spec

__all__ = ["agent_classes", "make_agent"]

_agents: Registry[Agent] = Registry("agent", Agent, "boardlab.agents")  # type: ignore[type-abstract]


def agent_classes() -> dict[str, type[Agent]]:
    """All agents that can be made by name."""
    return _agents.classes


def make_agent(spec: str, game: Game) -> Agent:
    """The agent of a specification, ready to play `game`."""
    origin, parameters = split_spec(spec)
    agent = _agents.find(origin)(game, **parameters)
    agent.__dict__["_origin"] = origin
    return agent
