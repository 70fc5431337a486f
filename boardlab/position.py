"""`Position`: a game in progress, as people use it from Python.

    >>> from boardlab import make
    >>> p = make("connect4").start()
    >>> p.play("4").play("4").play("3")
    >>> print(p)

It runs the plain methods of the game, so nothing has to be compiled, checks everything that it is told, and
remembers the way back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.arguments import shown, whole_number
from boardlab.compiler.fences import BrokenRule
from boardlab.errors import BoardlabError, IllegalAction
from boardlab.game import Game, action_list, require_game
from boardlab.rng import Rng, require_rng

__all__ = ["Event", "Position", "event_from_code", "event_to_code"]

MOST_ROLLS = 10_000
"""More chance events than this never follow each other without an action."""


@dataclass(frozen=True)
class Event:
    """One step of a game: an action of `player`, or a chance outcome (`player` is None)."""

    player: int | None
    number: int

    @property
    def code(self) -> int:
        """The event as one number, see `event_to_code`."""
        return event_to_code(self.number, chance=self.player is None)


def event_to_code(number: int, *, chance: bool) -> int:
    """An event as one number, as it is stored and sent: an action is its own number, a chance outcome k is -1 - k."""
    return -1 - number if chance else number


def event_from_code(code: int) -> tuple[int, bool]:
    """The number that a code stands for, and whether it is that of a chance outcome."""
    return (-1 - code, True) if code < 0 else (code, False)


class Position:
    """A position with its history. Actions are given by number or by name."""

    def __init__(self, game: Game, state: np.void | None = None) -> None:
        require_game(game)
        self.game = game
        self._states = np.zeros(1, game.state).view(np.recarray)
        if state is None:
            game.reset(self._states[0])
        else:
            dtype, shape = getattr(state, "dtype", None), getattr(state, "shape", None)
            if dtype != game.state or shape != ():
                given = dtype if shape == () else shown(state)
                raise BoardlabError(f"a state of {game.title} is one record with the fields {game.state}, not {given}")
            self._states[0] = state
        self._past: list[tuple[Event, bytes]] = []
        self._stage = (b"", False, False)

    # ------------------------------------------------------------ looking

    @property
    def state(self) -> Any:
        """The state record that the rules work on; a view, so take care."""
        return self._states[0]

    @property
    def player(self) -> int:
        """Who moves, from 0."""
        return int(self.game.player(self.state))

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._known_stage()[2]

    @property
    def is_chance(self) -> bool:
        """Whether a chance event is due: `roll` it, or say how it comes out with `play_chance`."""
        return self._known_stage()[1]

    @property
    def scores(self) -> list[float]:
        """Cumulative reward of every player."""
        out = np.zeros(self.game.num_players)
        self.game.scores(self.state, out)
        return [float(x) for x in out]

    @property
    def legal_actions(self) -> list[int]:
        """The actions that may be played; none when the game is over or a chance event is due."""
        if self.is_chance or self.is_over:
            return []
        actions = np.zeros(self.game.num_actions, np.int64)
        n = self.game.legal_actions(self.state, actions)
        if n < 1:
            raise BrokenRule(f"legal_actions found none, but the game goes on: is_over must say that it ends\n{self}")
        return [int(a) for a in actions[:n]]

    @property
    def chance_outcomes(self) -> dict[int, float]:
        """The possible outcomes of the chance event that is due, with their probabilities."""
        if not self.is_chance:
            return {}
        outcomes = np.zeros(self.game.num_outcomes, np.int64)
        chances = np.zeros(self.game.num_outcomes, np.float64)
        n = self.game.chance_outcomes(self.state, outcomes, chances)
        return {int(o): float(c) for o, c in zip(outcomes[:n], chances[:n], strict=True)}

    @property
    def cells(self) -> NDArray[np.int8]:
        """The board as n-tuples see it, shape (num_cells,)."""
        out = np.zeros(self.game.num_cells, np.int8)
        self.game.cells(self.state, out)
        return out

    @property
    def history(self) -> list[Event]:
        """All steps that led here."""
        return [event for event, _ in self._past]

    @property
    def last_action(self) -> int | None:
        """The last action played, if any."""
        return next((e.number for e, _ in reversed(self._past) if e.player is not None), None)

    def require_mover(self) -> None:
        """Refuse a position in which nobody is to move."""
        _, chance, over = self._known_stage()
        if chance:
            raise IllegalAction("a chance event is due before the next action: roll(rng) or play_chance(outcome)")
        if over:
            raise IllegalAction(f"the game is over; {self.status}")

    # ------------------------------------------------------------ moving

    def play(self, action: int | str) -> Position:
        """Play an action, given by its number or its name. Returns the position itself, for chaining."""
        number = self._legal(action)
        if len(self._past) >= self.game.max_moves:  # with the chance events; without them it may be allowed
            self._require_end()
        self._remember(Event(self.player, number))
        self.game.advance(self.state, number)
        return self

    def play_chance(self, outcome: int) -> Position:
        """Let the chance event that is due come out as `outcome`."""
        possible = self.chance_outcomes
        if not possible:
            raise IllegalAction(f"no chance event is due; {self.game.player_name(self.player)} is to move")
        number = whole_number(outcome, f"a chance outcome of {self.game.title}")
        if number not in possible:
            listed = ", ".join(str(o) for o in list(possible)[:40])
            raise IllegalAction(f"{shown(number)} is no possible outcome; possible: {listed}")
        self._remember(Event(None, number))
        self.game.advance_chance(self.state, number)
        return self

    def play_code(self, code: int) -> Position:
        """Let an event happen that is given by its code."""
        number, chance = event_from_code(code)
        return self.play_chance(number) if chance else self.play(number)

    def roll(self, rng: Rng) -> Position:
        """Draw the chance events that are due; does nothing where none is."""
        require_rng(rng)
        for _ in range(MOST_ROLLS):
            if not self.is_chance:
                return self
            self.play_chance(int(self.game.sample_chance(self.state, rng)))
        raise BrokenRule(f"a chance event is still due after {MOST_ROLLS:,} in a row: advance_chance must end that")

    def undo(self) -> Position:
        """Take back the last action and the chance events after it."""
        if self.last_action is None:
            raise BoardlabError("there is no move to take back")
        while True:
            event, state = self._past.pop()
            if event.player is not None:
                self._states[0] = np.frombuffer(state, self.game.state)[0]
                return self

    def copy(self) -> Position:
        """An independent position with the same history."""
        other = Position(self.game, self.state)
        other._past = list(self._past)
        return other

    def __copy__(self) -> Position:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Position:
        return self.copy()  # a game is constant, so copies can share it

    # ------------------------------------------------------------ showing

    def __str__(self) -> str:
        return f"{self.game.describe(self.state)}\n{self.status}"

    def __repr__(self) -> str:
        played = " ".join(self.game.action_name(e.number) for e in self.history if e.player is not None)
        return f"<{self.game!r} after [{played}]: {self.status}>"

    @property
    def status(self) -> str:
        """Who is to move or how it ended, in words."""
        game = self.game
        if self.is_chance:
            return "chance event due"
        if not self.is_over:
            score = f", score {self.scores[0]:g}" if game.num_players == 1 else ""
            return f"{game.player_name(self.player)} to move{score}"
        scores = self.scores
        if game.num_players == 1:
            return f"game over, score {scores[0]:g}"
        if min(scores) == max(scores):
            return "game over, draw"
        winners = [game.player_name(p) for p, x in enumerate(scores) if x == max(scores)]
        return f"game over, {' and '.join(winners)} won ({' : '.join(f'{x:g}' for x in scores)})"

    def svg(self) -> str:
        """The position as an SVG picture."""
        return self.game.draw(self.state, self.last_action)

    def _repr_svg_(self) -> str:
        return self.svg()

    # ------------------------------------------------------------

    def _require_end(self) -> None:
        """Refuse a game that is longer than it can be."""
        most = self.game.max_moves
        if sum(event.player is not None for event, _ in self._past) >= most:
            raise BrokenRule(f"the game is not over after max_moves = {most} actions: make it end, or set it higher")

    def _legal(self, action: int | str) -> int:
        self.require_mover()
        game, legal = self.game, self.legal_actions
        if isinstance(action, str):
            number = game.parse_action(action)
        else:
            number = whole_number(action, f"an action of {game.title} that is not given by its name")
        if number not in legal:
            name = action if isinstance(action, str) else f"action {shown(number)}"
            raise IllegalAction(f"{name} is not legal here; legal: {action_list(game, legal)}")
        return number

    def _remember(self, event: Event) -> None:
        self._past.append((event, self._states.tobytes()))

    def _known_stage(self) -> tuple[bytes, bool, bool]:
        """The state, whether a chance event is due, and whether the game is over: asked of the rules once for a state,
        which may have been changed from outside since."""
        state = self._states.tobytes()
        if state != self._stage[0]:
            chance = bool(self.game.is_chance(self.state))
            self._stage = (state, chance, not chance and bool(self.game.is_over(self.state)))
        return self._stage
