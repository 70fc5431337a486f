"""The games and agents that a client may ask for, and the only way from a client's words to one of them.

Registered names alone are allowed, and the games that were named when the arena was started: a text from a browser
never makes boardlab import a file.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from boardlab.agents.base import Agent
from boardlab.agents.registry import agent_classes, current_agent_name
from boardlab.component import checked_text, parameters_of
from boardlab.errors import BoardlabError, unknown_name
from boardlab.game import Game
from boardlab.registry import game_classes, make, split_spec
from boardlab.web.errors import Problem
from boardlab.web.forms import refuse_paths
from boardlab.web.models import AgentChoice, Option

__all__ = ["Chosen", "Shelf", "needs_file", "playing_agents"]

FILE_OPTION = "agent"
"""The option of an agent that works on a trained one, for which a client names an agent file."""

_KEPT_GAMES = 64


@dataclass(frozen=True)
class Chosen:
    """An agent as the workers make it: registered with options, from a file, or the first working on the second."""

    agent: str | None
    options: Mapping[str, Option]
    path: Path | None
    spec: str
    """The text that makes the same agent elsewhere in boardlab."""
    label: str
    """What people call it."""

    def message(self) -> dict[str, object]:
        """The agent as part of a job."""
        return {"agent": self.agent, "options": dict(self.options), "path": str(self.path) if self.path else None}


class Shelf:
    """Finds games and agents for clients."""

    def __init__(self, own_games: tuple[str, ...] = ()) -> None:
        """`own_games` are those of the command line; a file that cannot be imported is refused right here."""
        self._own = {origin: type(make(origin)) for origin in (split_spec(text)[0] for text in own_games)}
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._lock = Lock()

    def game_classes(self) -> dict[str, type[Game]]:
        """All games by the name that a client uses, one's own first."""
        return {**self._own, **game_classes()}

    def game(self, spec: str) -> Game:
        """The game of a specification, made once and kept for a while; from any thread."""
        with self._lock:
            if spec in self._games:
                self._games.move_to_end(spec)
                return self._games[spec]
            origin, _ = split_spec(spec)
            if origin not in self.game_classes():
                raise unknown_name("game", origin, self.game_classes())
            self._games[spec] = game = make(spec)
            if len(self._games) > _KEPT_GAMES:
                self._games.popitem(last=False)
            return game

    def agent(self, game: Game, choice: AgentChoice, file_of: Callable[[str], tuple[Path, str, str]]) -> Chosen:
        """The agent of a client's choice. `file_of(id)` gives path, name and game of an agent file."""
        path, name = None, ""
        if choice.file is not None:
            path, name, trained_for = file_of(choice.file)
            if trained_for != game.spec:
                raise Problem(422, f"{name} was trained for {trained_for}, it cannot play {game.spec}")
            if choice.agent is None:
                return Chosen(None, {}, path, str(path), name)
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
        return Chosen(choice.agent, options, path, spec, spec.replace(str(path), name) if path else spec)


def playing_agents() -> dict[str, type[Agent]]:
    """The registered agents that a client may seat: not those that start programs, nor those that have to learn first
    (they come as files)."""
    return {
        name: cls for name, cls in agent_classes().items() if not cls.runs_programs and not hasattr(cls, "restored")
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
