"""`Timeline`: a game as a list of events with the state after each of them, so that one can go to any ply at once.

Live games, inspected positions and the pictures of them are all made of it. The rules run uncompiled, as in `Position`,
so that the server never has to compile anything.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Iterable, Mapping
from typing import Literal

import numpy as np

from boardlab.game import Game
from boardlab.position import Event, Position
from boardlab.web.server.models import Event as EventModel
from boardlab.web.server.models import LegalAction, MoveEvent, MoveLine, OutcomeLine, PositionView

__all__ = ["Timeline", "draw_outcome"]

_ARROWS = {"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight"}
_RECENT = 64


class Timeline:
    """Events from a start on, and which of them have happened: those after `ply` have been taken back."""

    def __init__(self, game: Game, state: np.void | None = None) -> None:
        """From the start of the game, or from a state set up by hand."""
        self.game = game
        self.events: list[Event] = []
        self.moves: list[MoveLine] = []
        self.states: list[bytes] = [Position(game, state).state.tobytes()]
        self.ply = 0
        self._shown: tuple[int, PositionView] | None = None

    @classmethod
    def of(cls, game: Game, events: Iterable[EventModel], state: np.void | None = None) -> Timeline:
        """The line of a list of events as it is sent and stored, from the start or from a state; an impossible one is
        refused."""
        line = cls(game, state)
        line.extend(events)
        return line

    # ------------------------------------------------------------ looking

    @property
    def position(self) -> Position:
        """The current position, without its history."""
        return Position(self.game, np.frombuffer(self.states[self.ply], self.game.state)[0])

    @property
    def last_action(self) -> int | None:
        """The last action that has happened."""
        return next((e.number for e in reversed(self.events[: self.ply]) if e.player is not None), None)

    def player_at(self, ply: int) -> int | None:
        """Who acted after `ply` events; None for chance."""
        return self.events[ply].player

    def has_moves_after(self, ply: int) -> bool:
        """Whether anybody has acted since then."""
        return any(event.player is not None for event in self.events[ply : self.ply])

    def codes(self, most: int | None = None) -> list[int]:
        """The events that have happened, or the last ones of them, as they are stored."""
        first = 0 if most is None else max(0, self.ply - most)
        return [event.code for event in self.events[first : self.ply]]

    def for_worker(self) -> dict[str, object]:
        """The current position as part of a job: the state, and the last events by their codes."""
        return {
            "game": self.game.spec,
            "state": base64.b64encode(self.states[self.ply]).decode(),
            "ply": self.ply,
            "recent": self.codes(_RECENT),
        }

    def view(self) -> PositionView:
        """The current position as the page shows it, drawn once however many ask; it is not to be changed."""
        shown = self._shown
        if shown is None or shown[0] != self.ply:
            self._shown = shown = (self.ply, self._drawn())
        return shown[1]

    def _drawn(self) -> PositionView:
        game, position = self.game, self.position
        chance, over, legal = position.is_chance, position.is_over, position.legal_actions
        names = {a: game.action_name(a) for a in legal}
        return PositionView(
            svg=game.draw(position.state, self.last_action),
            text=game.describe(position.state),
            status=position.status,
            to_move=None if chance or over else position.player,
            over=over,
            scores=position.scores,
            legal=[LegalAction(action=a, name=name) for a, name in names.items()],
            last_action=self.last_action,
            chance_due=chance,
            outcomes=[
                OutcomeLine(outcome=o, name=game.outcome_name(o), chance=c) for o, c in position.chance_outcomes.items()
            ],
            moves=list(self.moves),
            keys={_ARROWS[name.lower()]: a for a, name in names.items() if name.lower() in _ARROWS},
            counts=game.counts(position.state),
            slides=[list(pair) for pair in self._slides()],
        )

    def _slides(self) -> list[tuple[int, int]]:
        """What the last action moved; nothing where chance events came before the first one."""
        last = next((k for k in range(self.ply - 1, -1, -1) if self.events[k].player is not None), None)
        if last is None:
            return []
        before = np.frombuffer(self.states[last], self.game.state).copy().view(np.recarray)[0]
        return self.game.slides(before, self.events[last].number)

    # ------------------------------------------------------------ moving

    def extend(self, events: Iterable[EventModel]) -> None:
        """Let more events happen."""
        for event in events:
            if isinstance(event, MoveEvent):
                self.play(event.action)
            else:
                self.play_chance(event.chance)

    def play(self, action: int) -> None:
        """Play an action here; what had been taken back is forgotten."""
        position = self.position
        event = Event(position.player, action)
        self._add(event, position.play(action))

    def play_chance(self, outcome: int) -> None:
        """Let the chance event that is due come out so."""
        self._add(Event(None, outcome), self.position.play_chance(outcome))

    def _add(self, event: Event, after: Position) -> None:
        del self.events[self.ply :], self.moves[self.ply :], self.states[self.ply + 1 :]
        self.ply += 1
        self._shown = None
        self.events.append(event)
        self.moves.append(_move_line(self.game, event, self.ply))
        self.states.append(after.state.tobytes())


def _move_line(game: Game, event: Event, ply: int) -> MoveLine:
    chance = event.player is None
    name = game.outcome_name(event.number) if chance else game.action_name(event.number)
    kind: Literal["action", "chance"] = "chance" if chance else "action"
    return MoveLine(ply=ply, player=event.player, number=event.number, name=name, kind=kind)


def draw_outcome(chances: Mapping[int, float], seed: int, ply: int) -> int:
    """How the chance event after `ply` events comes out. It follows from seed and ply alone, so that to take a move
    back and play it again does not roll the dice anew. (The random numbers of boardlab.rng are compiled code.)"""
    return random.Random(f"{seed} {ply}").choices(list(chances), list(chances.values()))[0]
