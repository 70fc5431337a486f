"""Finding agents by name: `NAME`, `NAME:parameter=value,...`, an entry point of the group `boardlab.agents`, or
`path/to/file.py:Class`. A trained agent is named by its file, `path/to/file.agent`."""

from __future__ import annotations

from boardlab.agents.base import Agent
from boardlab.arguments import text
from boardlab.errors import BoardlabError
from boardlab.game import Game, require_game
from boardlab.registry import Registry, has_parameters, split_spec

__all__ = ["agent_class", "agent_classes", "current_agent_name", "is_agent_file", "make_agent", "offer_agent"]

_agents: Registry[Agent] = Registry("agent", Agent, "boardlab.agents")  # type: ignore[type-abstract]


def agent_classes() -> dict[str, type[Agent]]:
    """All agents that can be made by name."""
    return _agents.classes


def agent_class(origin: str) -> type[Agent]:
    """The class of a name, of now or of before, or of `path/to/file.py:Class`."""
    return _agents.find(origin)


def current_agent_name(name: str) -> str:
    """How an agent is called now that was called `name` once."""
    return _agents.current(name)


def offer_agent(origin: str) -> None:
    """Let the agent `path/to/file.py:Class` be among those that can be made by name, in this process."""
    _agents.offer(origin)


def is_agent_file(spec: str) -> bool:
    """Whether a specification is the path of an agent file."""
    return spec.endswith(".agent") and not has_parameters(spec)


def make_agent(spec: str, game: Game) -> Agent:
    """The agent of a specification, ready to play `game`."""
    text(spec, "an agent is named by a text, as mcts:iterations=500 or the path of its file")
    require_game(game)
    if is_agent_file(spec):
        return _trained_agent(spec, game)
    origin, parameters = split_spec(spec)
    agent = _agents.find(origin)(game, **parameters)
    agent.__dict__["_origin"] = _agents.current(origin)
    return agent


def _trained_agent(path: str, game: Game) -> Agent:
    from boardlab.store import load_agent

    agent = load_agent(path)
    if agent.game != game:
        raise BoardlabError(f"the agent in {path} was trained for {agent.game.spec}, it cannot play {game.spec}")
    return agent
