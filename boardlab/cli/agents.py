"""`boardlab agents`: a list of the agents, or the options of one."""

from __future__ import annotations

from boardlab.agents.registry import agent_classes, find_agent_class
from boardlab.cli.options import tell_all, tell_options
from boardlab.registry import split_spec

__all__ = ["run"]


def run(spec: str | None) -> None:
    """List all agents, or tell about the one with this name or of this file."""
    if spec is None:
        tell_all("agent", agent_classes())
    else:
        tell_options(spec, find_agent_class(split_spec(spec)[0]))
