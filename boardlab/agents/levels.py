"""Levels: how strong an opponent people want, as the agent that plays so in a game.

Every game has them, a user's own as well: search with little time, with more, with much or what was learned, and the
perfect player where there is one. Who needs the truth about a position asks `exact_player`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from boardlab.agents.classes import find_agent_class
from boardlab.agents.packaged import packaged_agents
from boardlab.agents.perfect import Perfect, seems_solvable
from boardlab.components.component import checked_text
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.solvers.base import solver_class

__all__ = ["LEVELS", "Level", "exact_player", "find_level", "levels"]

LEVELS = ("easy", "medium", "strong", "perfect")
"""From the weakest to the strongest; the last one where there is a perfect player."""

ITERATIONS = {"easy": 20, "medium": 400, "strong": 20_000}
"""Simulations of the tree search that plays a level."""
PLAIN_ITERATIONS = {"easy": 5, "medium": 40, "strong": 400}
"""The same where the rules do not compile, which is some hundred times slower."""


@dataclass(frozen=True)
class Level:
    """A level of one game: a registered agent with options, or a trained one by its file."""

    name: str
    agent: str | None = None
    options: Mapping[str, int] = field(default_factory=dict)
    path: Path | None = None

    @property
    def title(self) -> str:
        """What people read: Strong."""
        return self.name.capitalize()

    @property
    def spec(self) -> str:
        """The text from which `make_agent` makes the agent."""
        if self.agent is None:
            return str(self.path)
        text = checked_text(find_agent_class(self.agent), dict(self.options), self.agent)
        return f"{self.agent}:{text}" if text else self.agent

    @property
    def player(self) -> str:
        """Who it is, in a word: the name of the agent, or of the file."""
        return self.agent or (self.path.stem if self.path else "")


def exact_player(game: Game) -> str | None:
    """The name of the agent that plays the game perfectly and answers within seconds; None where there is none. A game
    without a solver of its own may still turn out to be too large when the agent is made."""
    own = solver_class(game)
    if own is not None and own.is_quick(game):
        return own.player
    return Perfect.name if own is None and game.num_cells > 0 and seems_solvable(game) else None


def levels(game: Game) -> dict[str, Level]:
    """The levels that a game has, by name, from the weakest on; none where one plays alone."""
    if game.num_players < 2:
        return {}
    iterations = PLAIN_ITERATIONS if game.plain else ITERATIONS
    found = {name: Level(name, "mcts", {"iterations": n}) for name, n in iterations.items()}
    trained = next((agent for agent in packaged_agents(game) if agent.strong), None)
    if trained is not None:
        found["strong"] = Level("strong", path=trained.path)
    exact = exact_player(game)
    if exact is not None:
        found["perfect"] = Level("perfect", exact)
    return found


def find_level(game: Game, name: str) -> Level:
    """The level of this name; a sentence where the game does not have it."""
    known = levels(game)
    if name not in known:
        has = f"it has {', '.join(known)}" if known else "one plays it alone"
        raise BoardlabError(f"{game.spec} has no level {name!r}; {has}")
    return known[name]
