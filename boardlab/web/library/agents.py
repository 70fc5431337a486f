"""The agents that a client may ask for, and the only way from a client's words to one of them: registered names, and
the ids of agent files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from boardlab.agents.base import Agent
from boardlab.agents.learning import LearningAgent
from boardlab.agents.levels import Level, find_level
from boardlab.agents.registry import agent_classes, current_agent_name
from boardlab.components.component import checked_text, parameters_of
from boardlab.errors import BoardlabError, unknown_name
from boardlab.game import Game
from boardlab.web.library.agent_files import AgentFiles
from boardlab.web.library.forms import refuse_paths
from boardlab.web.server.errors import Problem
from boardlab.web.server.models import AgentChoice, Option

__all__ = ["FILE_OPTION", "AgentLibrary", "ChosenAgent", "Learning", "needs_file", "playing_agents"]

FILE_OPTION = "agent"
"""The option of an agent that works on a trained one, for which a client names an agent file."""


@dataclass(frozen=True)
class ChosenAgent:
    """An agent as the workers make it: registered with options, from a file, or the first working on the second."""

    agent: str | None
    options: Mapping[str, Option]
    path: Path | None
    spec: str
    """The text that makes the same agent elsewhere in boardlab."""
    label: str
    """What people call it."""
    file: str | None = None
    """The id of the agent file, where it lies in the library."""

    @property
    def key(self) -> str:
        """What it is, wherever its file lies and whatever that is called."""
        return self.spec.replace(str(self.path), self.file or f"packaged/{self.path.name}") if self.path else self.spec

    def message(self) -> dict[str, object]:
        """The agent as part of a job."""
        return {"agent": self.agent, "options": dict(self.options), "path": str(self.path) if self.path else None}


class Learning(NamedTuple):
    """An agent that has learned: its file, what it is called, and its game."""

    path: Path
    name: str
    game: str


class AgentLibrary:
    """Finds agents for clients."""

    def __init__(self, files: AgentFiles) -> None:
        self._files = files
        self.learning: Callable[[str], Learning | None] = lambda run_id: None
        """The agent of a training run that is not over, by the id of the run."""

    def agent(self, game: Game, choice: AgentChoice) -> ChosenAgent:
        """The agent of a client's choice for a game."""
        if choice.level is not None:
            return _of_level(find_level(game, choice.level))
        path, name = None, ""
        if choice.file is not None:
            path, name, trained_for = self.learning(choice.file) or self._kept(choice.file)
            if trained_for != game.spec:
                raise Problem(422, f"{name} was trained for {trained_for}, it cannot play {game.spec}")
            if choice.agent is None:
                return ChosenAgent(None, {}, path, str(path), name, choice.file)
        assert choice.agent is not None
        cls = _class_of(choice.agent)
        _refuse_misuse(choice, cls)
        refuse_paths(choice.options)
        options: dict[str, Option] = dict(choice.options)
        text = checked_text(cls, {**options, **({FILE_OPTION: str(path)} if path else {})}, cls.name)
        refusal = cls.refusal(game)
        if refusal is not None:
            raise BoardlabError(refusal)
        spec = f"{choice.agent}:{text}" if text else choice.agent
        label = spec.replace(str(path), name) if path else spec
        return ChosenAgent(choice.agent, options, path, spec, label, choice.file)

    def _kept(self, file_id: str) -> Learning:
        path, file = self._files.path(file_id), self._files.get(file_id)
        return Learning(path, file.name, file.game)


def _of_level(level: Level) -> ChosenAgent:
    return ChosenAgent(level.agent, dict(level.options), level.path, level.spec, f"{level.title} ({level.player})")


def playing_agents() -> dict[str, type[Agent]]:
    """The registered agents that a client may seat: not those that start programs, nor those that have to learn first
    (they come as files)."""
    return {
        name: cls
        for name, cls in agent_classes().items()
        if not cls.runs_programs and not issubclass(cls, LearningAgent)
    }


def needs_file(cls: type[Agent]) -> bool:
    """Whether the agent works on a trained one."""
    return FILE_OPTION in parameters_of(cls)


def _class_of(name: str) -> type[Agent]:
    known = playing_agents()
    current = current_agent_name(name)
    if current not in known:
        raise unknown_name("agent", name, known)
    return known[current]


def _refuse_misuse(choice: AgentChoice, cls: type[Agent]) -> None:
    if FILE_OPTION in choice.options:
        raise Problem(422, f"the option {FILE_OPTION} is given as the id of an agent file, in the key file")
    if choice.file is not None and not needs_file(cls):
        raise Problem(422, f"{choice.agent} does not work on an agent file")
    if choice.file is None and needs_file(cls):
        raise Problem(422, f"{choice.agent} works on an agent file: choose one")
