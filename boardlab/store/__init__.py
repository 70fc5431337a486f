"""Agent files: written atomically, claimed by who trains them, read by strict code, no pickle."""

from boardlab.store.agent_file import About, AgentFile, Part, read_agent_file, read_part, write_agent_file
from boardlab.store.files import InUse, claimed, is_claimed, open_locked

__all__ = [
    "About",
    "AgentFile",
    "InUse",
    "Part",
    "claimed",
    "is_claimed",
    "open_locked",
    "read_agent_file",
    "read_part",
    "write_agent_file",
]
