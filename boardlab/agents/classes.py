"""The classes of all agents: ours, and those of installed packages (entry points of the group `boardlab.agents`)."""

from __future__ import annotations

from boardlab.agents.base import Agent
from boardlab.registry import Registry

__all__ = ["agent_classes", "current_agent_name", "find_agent_class", "offer_agent"]

_agents: Registry[Agent] = Registry("agent", Agent, "boardlab.agents")  # type: ignore[type-abstract]


def agent_classes() -> dict[str, type[Agent]]:
    """All agents that can be made by name."""
    return _agents.classes


def find_agent_class(origin: str) -> type[Agent]:
    """The class of a name, of now or of before, or of `path/to/file.py:Class`."""
    return _agents.find(origin)


def current_agent_name(name: str) -> str:
    """How an agent is called now that was called `name` once."""
    return _agents.current(name)


def offer_agent(origin: str) -> None:
    """Let the agent `path/to/file.py:Class` be among those that can be made by name, in this process."""
    _agents.offer(origin)
