"""Agent files: written atomically, read by strict code, no pickle."""

from boardlab.store.agent_file import AgentFile, History, load_agent, read_agent_file, save_agent

__all__ = ["AgentFile", "History", "load_agent", "read_agent_file", "save_agent"]
