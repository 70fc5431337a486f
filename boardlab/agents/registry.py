"""Finding agents by name: `NAME`, `NAME:parameter=value,...`, an entry point of the group `boardlab.agents`, or
`path/to/file.py:Class`. A trained agent is named by its file, `path/to/file.agent`."""

from __future__ import annotations

from boardlab.agents.base import Agent
from boardlab.agents.classes import agent_classes, current_agent_name, find_agent_class, offer_agent
from boardlab.agents.files import load_agent
from boardlab.arguments import text
from boardlab.errors import BoardlabError
from boardlab.game import Game, require_game
from boardlab.registry import has_parameters, split_spec

__all__ = ["agent_classes", "current_agent_name", "find_agent_class", "is_agent_file", "make_agent", "offer_agent"]


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
    agent = find_agent_class(origin)(game, **parameters)
    agent.__dict__["_origin"] = current_agent_name(origin)
    return agent


def _trained_agent(path: str, game: Game) -> Agent:
    agent = load_agent(path)
    if agent.game != game:
        raise BoardlabError(f"the agent in {path} was trained for {agent.game.spec}, it cannot play {game.spec}")
    return agent
