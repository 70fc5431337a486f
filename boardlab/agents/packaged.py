"""The trained agents that come with boardlab: files in `data/agents`, made by `tools/train_agents.py`."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.store import read_agent_file

__all__ = ["FOLDER", "PackagedAgent", "packaged_agents"]

FOLDER = Path(str(files("boardlab") / "data" / "agents"))

STRONG = ("othello", "hex")
"""Those that were not beaten by tree search with 20,000 simulations, and answer at once: `boardlab match othello
othello.agent mcts:iterations=20000 --games 20 --seed 1` was won by 15 to 5, the same for Hex (60 games, seed 2) by
33 to 27."""


@dataclass(frozen=True)
class PackagedAgent:
    """One of them."""

    path: Path
    game: str
    """What it plays, as a specification."""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.path.stem

    @property
    def strong(self) -> bool:
        """Whether it is the opponent of the level Strong."""
        return self.name in STRONG


def packaged_agents(game: Game | None = None) -> list[PackagedAgent]:
    """All of them by their names, or those for a game."""
    return [agent for agent in _all() if game is None or agent.game == game.spec]


@cache
def _all() -> tuple[PackagedAgent, ...]:
    found = []
    for path in sorted(FOLDER.glob("*.agent")):
        with contextlib.suppress(BoardlabError):  # one that cannot be read is no reason to refuse all games
            file = read_agent_file(path)
            with file.archive:
                found.append(PackagedAgent(path, file.about.game))
    return tuple(found)
