"""`boardlab agents`: a list of the agents, or the options of one."""

from __future__ import annotations

from boardlab.agents.registry import agent_classes, find_agent_class
from boardlab.cli.options import tell_all, tell_options

__all__ = ["run"]


def run(name: str | None) -> None:
    """List all agents, or tell about the one with this name or of this file."""
    if name is None:
        tell_all("agent", agent_classes())
    else:
        tell_options(name, find_agent_class(name))
