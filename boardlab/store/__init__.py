"""Agent files: written atomically, read by strict code, no pickle."""

from boardlab.store.agent_file import (
    About,
    AgentFile,
    CurvePoint,
    Facts,
    History,
    load_agent,
    read_agent_file,
    save_agent,
)

__all__ = ["About", "AgentFile", "CurvePoint", "Facts", "History", "load_agent", "read_agent_file", "save_agent"]
