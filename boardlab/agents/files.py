"""From an agent file back to its agent and its game. Writing is `LearningAgent.save`."""

from __future__ import annotations

from pathlib import Path

from boardlab.agents.base import Agent
from boardlab.agents.classes import agent_classes
from boardlab.agents.learning import LearningAgent
from boardlab.errors import BoardlabError, printable
from boardlab.game import Game
from boardlab.registry import make
from boardlab.store import AgentFile, read_agent_file
from boardlab.store.archive import explained

__all__ = ["load_agent", "stored_agent", "stored_game"]


def load_agent(path: Path | str) -> LearningAgent:
    """The agent in a file, ready to play or to go on learning."""
    return stored_agent(read_agent_file(Path(path)))


def stored_agent(file: AgentFile, cls: type[Agent] | None = None) -> LearningAgent:
    """The agent of an open file, with its history; its class is found by its name unless it is given."""
    about = file.about
    cls = cls or agent_classes().get(about.agent)
    if cls is None or not issubclass(cls, LearningAgent):
        raise BoardlabError(f"{file.path} holds an agent {printable(about.agent)!r}, which this boardlab does not have")
    with explained(file.path):
        agent = cls.restored(stored_game(file), about.parameters, about.facts.model_dump(), file.array)
    agent.history = about.history
    agent.__dict__["_origin"] = str(file.path)
    return agent


def stored_game(file: AgentFile) -> Game:
    """The game that the agent of an open file was trained for."""
    with explained(file.path):
        return make(file.about.game)
