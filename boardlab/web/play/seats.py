"""Who sits at a live game: people and agents, as they were chosen, as they are shown, and how far agents are ready."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from boardlab.game import Game
from boardlab.web.library.agents import AgentLibrary, ChosenAgent
from boardlab.web.play.live_game_views import SeatView
from boardlab.web.server.errors import Problem
from boardlab.web.server.models import SeatChoice
from boardlab.web.workers.preparation import Compiling, Preparation

__all__ = ["Seated", "being_compiled", "compiling_words", "seat_views", "seated"]


@dataclass(frozen=True)
class Seated:
    """Who has a seat; `agent` is None for a person."""

    choice: SeatChoice
    agent: ChosenAgent | None

    @property
    def label(self) -> str:
        """What the page calls it."""
        return self.agent.label if self.agent else str(self.choice.person)


def seated(agents: AgentLibrary, game: Game, choices: Sequence[SeatChoice]) -> list[Seated]:
    """Those who were chosen, one for each player of the game."""
    if len(choices) != game.num_players:
        raise Problem(422, f"{game.title} has {game.num_players} seats, not {len(choices)}")
    return [Seated(c, None if c.person else agents.agent(game, c.choice())) for c in choices]


def seat_views(seats: Sequence[Seated], free: Sequence[bool]) -> list[SeatView]:
    """The seats as the page shows them; some of them may be free."""
    return [
        SeatView(kind="agent" if s.agent else "person", label=s.label, choice=s.choice, free=is_free)
        for s, is_free in zip(seats, free, strict=True)
    ]


def being_compiled(preparation: Preparation, game: Game, seats: Sequence[Seated]) -> Compiling | None:
    """How far the agent is that is made ready."""
    views = [preparation.compiling(game, s.agent) for s in seats if s.agent]
    return next((view for view in views if view is not None), None)


def compiling_words(preparation: Preparation, game: Game, seats: Sequence[Seated]) -> str | None:
    """Which agents are not ready yet."""
    waiting = {s.label for s in seats if s.agent and preparation.is_under_way(game, s.agent)}
    return f"{' and '.join(sorted(waiting))}: being compiled for this machine, once" if waiting else None
