"""From an agent file back to its agent and its game, and what a file tells without that. Writing is
`LearningAgent.save`."""

from __future__ import annotations

from pathlib import Path

from boardlab.agents.classes import agent_classes, find_agent_class
from boardlab.agents.learning import LearningAgent
from boardlab.errors import BoardlabError, printable
from boardlab.game import Game
from boardlab.registry import make
from boardlab.store import AgentFile, read_agent_file, read_part
from boardlab.store.archive import explained

__all__ = ["described_file", "facts_in", "learner_class", "load_agent", "stored_agent", "stored_game"]


def load_agent(path: Path | str) -> LearningAgent:
    """The agent in a file, ready to play or to go on learning."""
    return stored_agent(read_agent_file(Path(path)))


def stored_agent(file: AgentFile, cls: type[LearningAgent] | None = None) -> LearningAgent:
    """The agent of an open file, with its history; its class is found by its name unless it is given."""
    about, cls = file.about, cls or learner_class(file)
    facts = facts_in(file, cls)
    with explained(file.path):
        agent = cls.restored(stored_game(file), about.parameters, facts, file.array)
    agent.history, agent.kind = about.history, about.agent
    agent.__dict__["_origin"] = str(file.path)
    return agent


def learner_class(file: AgentFile, *, own: bool = True) -> type[LearningAgent]:
    """The class of the agent in an open file: one that is known by its name or, unless `own` is false, one of a user's
    own file."""
    name = file.about.agent
    with explained(file.path):
        cls = find_agent_class(name) if own and ".py" in name else agent_classes().get(name)
    if cls is None or not issubclass(cls, LearningAgent):
        raise BoardlabError(f"{file.path} holds an agent {printable(name)!r}, which this boardlab does not have")
    return cls


def facts_in(file: AgentFile, cls: type[LearningAgent] | None = None) -> LearningAgent.Facts:
    """What the agent of an open file has become by training, checked by its class."""
    kind = (cls or learner_class(file)).Facts
    return read_part(kind, file.about.facts, "facts", f"{file.path} is a damaged agent file")


def described_file(file: AgentFile) -> dict[str, str]:
    """What the class of its agent has to tell of an open file, in words by title."""
    facts = facts_in(file)
    with explained(file.path):
        return learner_class(file).described(facts, file.shape)


def stored_game(file: AgentFile) -> Game:
    """The game that the agent of an open file was trained for."""
    with explained(file.path):
        return make(file.about.game)
