"""Looking into positions: what they are, what agents think of them, and what n-tuples see in them.

A position is given by a game and the events since its start, which may be one that was set up by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boardlab.game import Game
from boardlab.web.library.agents import AgentLibrary, ChosenAgent
from boardlab.web.play.timeline import Timeline
from boardlab.web.server.errors import Problem
from boardlab.web.server.models import AgentChoice, ApiAnswer, Event, PositionView, Setup
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.workers.questions import Questions
from boardlab.web.workers.setups import SetupMaker

__all__ = [
    "ActionOpinion",
    "Inspected",
    "Inspector",
    "Look",
    "SetupView",
    "TupleLook",
    "setup_view",
]


class ActionOpinion(ApiAnswer):
    """What an agent thinks of an action: the score that it expects. None where it cannot tell."""

    action: int
    name: str
    value: float | None


class Inspected(PositionView):
    """A position and what an agent thinks of it."""

    game: str
    title: str
    players: list[str]
    ply: int
    label: str | None
    """The agent that was asked."""
    values: list[ActionOpinion] | None
    """None where no agent was asked, or where it has no opinion."""
    best: list[int]
    """The actions that it likes best."""
    seconds: float
    message: str | None


class TupleLine(ApiAnswer):
    """One n-tuple and what it adds to the value of a position."""

    index: int
    cells: list[int]
    length: int
    contribution: float | None
    weights: list[float | None]
    """One for each symmetric board."""


class TupleLook(ApiAnswer):
    """A position as an n-tuple network sees it."""

    value: float | None
    """What `player` expects, in the units of the game's scores where the output is linear in them."""
    total: float | None
    """The sum of all weights, before the output function."""
    player: int
    tuples: list[TupleLine]
    svg_of_board: str


class SetupPlace(ApiAnswer):
    """A place of a position that a person can set."""

    outline: list[tuple[float, float]]
    """The corners of a field, or the two ends of an edge; y grows downwards."""
    values: int
    """It has a value from 0 to one less."""


class SetupView(ApiAnswer):
    """A position as it can be changed by hand; without places where the game has no cells."""

    places: list[SetupPlace]
    names: list[str]
    """What people call the values."""
    players: list[str]
    values: list[int]
    start: list[int]
    """The values at the start of the game."""
    player: int
    status: str
    svg: str


@dataclass(frozen=True)
class Look:
    """A position and the timeline that leads to it."""

    view: PositionView
    timeline: Timeline


class Inspector:
    """Looks into positions for a client."""

    def __init__(self, settings: ArenaSettings, agents: AgentLibrary, setups: SetupMaker, questions: Questions) -> None:
        self._plies, self._agents, self._setups, self._questions = settings.plies, agents, setups, questions

    async def look(self, game: Game, events: Sequence[Event], setup: Setup | None) -> Look:
        """The position."""
        if len(events) > self._plies:
            raise Problem(422, f"a game here has at most {self._plies:,} moves and chance events")
        timeline = Timeline(game, await self._setups.state(game, setup))
        timeline.extend(events)
        return Look(view=timeline.view(), timeline=timeline)

    async def thoughts(self, seen: Look, choice: AgentChoice | None) -> Inspected:
        """What an agent thinks of the position."""
        game = seen.timeline.game
        found: dict[str, Any] = {"values": None, "best": [], "seconds": 0.0, "message": None, "label": None}
        if choice is not None:
            chosen = self._agents.agent(game, choice)
            found["label"] = chosen.label
            if seen.view.to_move is None:
                found["message"] = "nobody is to move here"
            else:
                found.update(await self._ask(seen.timeline, chosen))
                if found["values"] is None:
                    found["message"] = f"{chosen.label} has no opinion of single actions"
        return Inspected(
            **seen.view.__dict__,
            game=game.spec,
            title=game.title,
            players=[game.player_name(p) for p in range(game.num_players)],
            ply=seen.timeline.ply,
            **found,
        )

    async def tuple_look(self, seen: Look, file: str, action: int | None) -> TupleLook:
        """The weights that an n-tuple file looks up in the position, or in the one that an action leads to."""
        timeline = shown = seen.timeline
        player = timeline.position.player
        chosen = self._agents.agent(timeline.game, AgentChoice(file=file))
        if action is not None:
            shown = Timeline(timeline.game, np.frombuffer(timeline.states[timeline.ply], timeline.game.state)[0])
            shown.play(action)
        question = {"job": "tuples", **timeline.for_worker(), "player": player, "action": action}
        answer = await self._questions.look_into(chosen, question)
        svg = shown.game.draw(shown.position.state, shown.last_action)
        return TupleLook.model_validate({**answer, "player": player, "svg_of_board": svg})

    async def _ask(self, timeline: Timeline, agent: ChosenAgent) -> dict[str, Any]:
        question = {"job": "values", **timeline.for_worker(), "choose": False, "random": [0, timeline.ply]}
        answer = await self._questions.ask(timeline.game, agent, question)
        if answer["values"] is None:
            return {"values": None, "best": [], "seconds": answer["seconds"]}
        name = timeline.game.action_name
        values = [ActionOpinion(action=a, name=name(a), value=v) for a, v in answer["values"]]
        top = max((v.value for v in values if v.value is not None), default=None)
        best = [v.action for v in values if v.value is not None and v.value == top]
        return {"values": values, "best": best, "seconds": answer["seconds"]}


def setup_view(seen: Look) -> SetupView:
    """The position, as it can be changed by hand."""
    game, position = seen.timeline.game, seen.timeline.position
    counts = [int(n) for n in game.setup_values()]
    start = game.start()
    return SetupView(
        places=[SetupPlace(outline=game.setup_outline(k), values=count) for k, count in enumerate(counts)],
        names=game.setup_names(),
        players=[game.player_name(p) for p in range(game.num_players)],
        values=game.setup_of(position.state) if counts else [],
        start=game.setup_of(start.state) if counts else [],
        player=position.player,
        status=seen.view.status,
        svg=seen.view.svg,
    )
