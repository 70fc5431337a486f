"""Looking into positions: what they are, what agents think of them, and what n-tuples see in them.

A position is given by a game and the events since its start; fields of the start's record may be set by hand.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from fastapi import Request as HttpRequest

from boardlab.game import Game
from boardlab.web.errors import Problem
from boardlab.web.line import Line
from boardlab.web.models import AgentChoice, Answer, Event, PositionView
from boardlab.web.shelf import Chosen
from boardlab.web.states import StateField, StateValue, changed_state, state_fields

if TYPE_CHECKING:
    from boardlab.web.house import House

__all__ = [
    "ActionValue",
    "Inspected",
    "Look",
    "TupleLook",
    "fields_of",
    "look",
    "thoughts",
    "tuple_look",
    "unless_gone",
]

Result = TypeVar("Result")

TRY_SECONDS = 10.0
"""How long the rules may take on a position that was set up by hand."""
GONE_SECONDS = 0.25
"""How often it is asked whether the page still waits."""


class ActionValue(Answer):
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
    values: list[ActionValue] | None
    """None where no agent was asked, or where it has no opinion."""
    best: list[int]
    """The actions that it likes best."""
    seconds: float
    message: str | None


class TupleLine(Answer):
    """One n-tuple and what it adds to the value of a position."""

    index: int
    cells: list[int]
    length: int
    contribution: float | None
    weights: list[float | None]
    """One for each symmetric board."""


class TupleLook(Answer):
    """A position as an n-tuple network sees it."""

    value: float | None
    """What `player` expects, in the units of the game's scores where the output is linear in them."""
    total: float | None
    """The sum of all weights, before the output function."""
    player: int
    tuples: list[TupleLine]
    svg_of_board: str


@dataclass(frozen=True)
class Look:
    """A position and the line that leads to it."""

    view: PositionView
    line: Line


async def look(house: House, game: Game, events: Sequence[Event], changes: Mapping[str, StateValue] | None) -> Look:
    """The position. One that was set up by hand is first tried in a worker: rules may fail on it, or never end."""
    if len(events) > house.settings.plies:
        raise Problem(422, f"a game here has at most {house.settings.plies:,} moves and chance events")
    line = Line(game)
    if changes:
        line = Line(game, changed_state(game, line.position.state, changes))
        codes = [event.code for event in events]
        await house.workers.run({"job": "try", **line.for_worker(), "events": codes}, TRY_SECONDS)
    line.extend(events)
    return Look(view=line.view(), line=line)


def fields_of(line: Line) -> list[StateField]:
    """The fields of the position's record, for a form."""
    return state_fields(line.game, line.position.state)


async def thoughts(house: House, seen: Look, choice: AgentChoice | None) -> Inspected:
    """What an agent thinks of the position."""
    game = seen.line.game
    found: dict[str, Any] = {"values": None, "best": [], "seconds": 0.0, "message": None, "label": None}
    if choice is not None:
        chosen = house.agent(game, choice)
        found["label"] = chosen.label
        if seen.view.to_move is None:
            found["message"] = "nobody is to move here"
        else:
            found.update(await _ask(house, seen.line, chosen))
            if found["values"] is None:
                found["message"] = f"{chosen.label} has no opinion of single actions"
    return Inspected(
        **seen.view.__dict__,
        game=game.spec,
        title=game.title,
        players=[game.player_name(p) for p in range(game.num_players)],
        ply=seen.line.ply,
        **found,
    )


async def _ask(house: House, line: Line, agent: Chosen) -> dict[str, Any]:
    question = {"job": "values", **line.for_worker(), "choose": False, "random": [0, line.ply]}
    answer = await house.ask(line.game, agent, question)
    if answer["values"] is None:
        return {"values": None, "best": [], "seconds": answer["seconds"]}
    name = line.game.action_name
    values = [ActionValue(action=a, name=name(a), value=v) for a, v in answer["values"]]
    top = max((v.value for v in values if v.value is not None), default=None)
    best = [v.action for v in values if v.value is not None and v.value == top]
    return {"values": values, "best": best, "seconds": answer["seconds"]}


async def tuple_look(house: House, seen: Look, file: str, action: int | None) -> TupleLook:
    """The weights that an n-tuple file looks up in the position, or in the one that an action leads to."""
    line = seen.line
    player = line.position.player
    chosen = house.agent(line.game, AgentChoice(file=file))
    if action is not None:
        after = Line(line.game, np.frombuffer(line.states[line.ply], line.game.state)[0])
        after.play(action)
        line = after
    answer = await house.look_into(chosen, {"job": "tuples", **line.for_worker(), "player": player})
    svg = line.game.draw(line.position.state, line.last_action)
    return TupleLook.model_validate({**answer, "player": player, "svg_of_board": svg})


async def unless_gone(request: HttpRequest, work: Coroutine[Any, Any, Result]) -> Result:
    """The result of `work`, which is given up when the page that asked no longer waits for it."""
    task = asyncio.ensure_future(work)
    try:
        while True:
            done, _ = await asyncio.wait({task}, timeout=GONE_SECONDS)
            if done:
                return task.result()
            if await request.is_disconnected():
                raise Problem(409, "the page no longer waits for the answer")
    finally:
        task.cancel()
