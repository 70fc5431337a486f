"""The gallery: the strongest players that come with boardlab, for every game: trained agents, whose files are part of
the package, and perfect players. A client who wants to do more with a trained one than to look gets a copy of it."""

from __future__ import annotations

import filecmp
import shutil

from boardlab.agents.levels import exact_player, levels
from boardlab.agents.packaged import PackagedAgent, packaged_agents
from boardlab.agents.registry import find_agent_class
from boardlab.components.component import short_doc
from boardlab.game import Game
from boardlab.lab.presets import preset_doc, preset_names
from boardlab.web.library.agent_files import AgentFileDetail, AgentFiles, Strength
from boardlab.web.library.games import GameLibrary
from boardlab.web.server.errors import Problem
from boardlab.web.server.models import ApiAnswer

__all__ = ["Gallery", "GalleryAgent"]


class GalleryAgent(ApiAnswer):
    """A player of the gallery."""

    name: str
    """Of the file of a trained agent, or of the perfect player."""
    trained: bool
    game: str
    title: str
    agent: str
    doc: str
    """How it was trained, or how it plays."""
    strong: bool
    """Whether it is the opponent of the level Strong, or of Perfect."""
    episodes: int
    seconds: float
    """CPU time of the training."""
    strength: Strength | None
    figures: dict[str, str]
    bytes: int
    svg: str
    """A position of its game."""


class Gallery:
    """Shows what there is, and hands out copies."""

    def __init__(self, games: GameLibrary, files: AgentFiles) -> None:
        self._games, self._files = games, files

    def all(self) -> list[GalleryAgent]:
        """All players: of each game those that are perfect, then those that have learned."""
        exact = [self._exact(self._games.game(name)) for name in self._games.classes()]
        trained = [self._trained(agent) for agent in packaged_agents()]
        found = [agent for agent in (*exact, *trained) if agent is not None]
        return sorted(found, key=lambda agent: (agent.title, agent.trained, agent.game, agent.name))

    def copy(self, name: str) -> AgentFileDetail:
        """A trained agent among the files of the arena: the copy that is there already, or a new one."""
        agent = next((agent for agent in packaged_agents() if agent.name == name), None)
        if agent is None:
            raise Problem(404, f"the gallery has no trained agent {name}")
        for file in self._files.all():
            path = self._files.whereabouts(file.id)[1]
            if file.name.startswith(name) and filecmp.cmp(path, agent.path, shallow=False):
                return self._files.get(file.id)
        place = self._files.new_upload()
        try:
            shutil.copyfile(agent.path, place)
            return self._files.keep(place, name, free_name=True)
        finally:
            place.unlink(missing_ok=True)

    def _exact(self, game: Game) -> GalleryAgent | None:
        name = exact_player(game)
        if name is None:
            return None
        about = {"doc": short_doc(find_agent_class(name)), "agent": name, "strong": "perfect" in levels(game)}
        learned: dict[str, object] = {"episodes": 0, "seconds": 0.0, "strength": None, "figures": {}, "bytes": 0}
        return self._line(game, name=name, trained=False, **about, **learned)

    def _trained(self, agent: PackagedAgent) -> GalleryAgent:
        game = self._games.game(agent.game)
        file = self._files.described(agent.path)
        doc = preset_doc(game, file.preset) if file.preset in preset_names(game) else ""
        shown = file.model_dump(include={"agent", "episodes", "seconds", "figures", "bytes"})
        strong = levels(game).get("strong")
        is_strong = strong is not None and strong.path == agent.path
        return self._line(
            game, name=agent.name, trained=True, doc=doc, strength=file.strength, strong=is_strong, **shown
        )

    def _line(self, game: Game, **about: object) -> GalleryAgent:
        place = {"game": game.spec, "title": game.title, "svg": self._games.lively_svg(game.spec)}
        return GalleryAgent.model_validate({**place, **about})
