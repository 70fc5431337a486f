"""What an agent promises while it plays: legal actions, the same ones from the same random numbers, sensible values,
and a position that stays as it is. It is asked in games that follow its own moves half of the time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from boardlab.agents.base import Agent
from boardlab.agents.checking.report import action_text, in_position, without_exceptions
from boardlab.arguments import shown, whole_number
from boardlab.check.report import Violation
from boardlab.errors import BoardlabError
from boardlab.game import action_list
from boardlab.position import Position
from boardlab.rng import Rng, make_rng, random_below

__all__ = ["Answer", "Player"]

_ROUNDING = 1e-9
_IN_A_ROW = 8
"""So many positions in a row are asked about several times, and then so many only once, as in a game."""


@dataclass(frozen=True)
class Answer:
    """What the agent played in a position, for whoever asks it again elsewhere."""

    events: tuple[int, ...]
    """The way to the position, by the codes of its events."""
    seed: int
    action: int


class Player:
    """Asks an agent in the positions of some games; raises `Violation` at the first promise that it breaks."""

    def __init__(self, agent: Agent, seed: int) -> None:
        self.agent, self.game, self.seed = agent, agent.game, seed
        self.rng = make_rng(seed, 1)
        self.games = self.positions = 0
        self.valued = 0
        self.answers: list[Answer] = []

    def play(self, positions: int, seconds: float) -> None:
        """Ask in so many positions, or in as many as the time allows, which begins when the first answer is there: it
        may have to be compiled."""
        end = math.inf
        position = self.game.start()
        while self.positions < positions and perf_counter() < end:
            self.games += 1
            position = self.game.start().roll(self.rng)
            while not position.is_over and self.positions < positions and perf_counter() < end:
                self._step(position)
                end = min(end, perf_counter() + seconds)
        while not position.is_over:
            self._go_on(position)
        self._ask_in_vain(position)

    def _step(self, position: Position) -> None:
        """Ask everything about a position, then go on."""
        self.positions += 1
        action = self._chosen(position, self.positions)
        if self.agent.repeatable and self.positions % (2 * _IN_A_ROW) < _IN_A_ROW:
            self._ask_again(position)
        values = self._values(position)
        if values is not None:
            self.valued += 1
            self._look_at_values(position, values)
        if random_below(self.rng, 2) == 0:
            position.play(action).roll(self.rng)
        else:
            self._go_on(position)

    def _go_on(self, position: Position) -> None:
        """A random move."""
        legal = position.legal_actions
        position.play(legal[random_below(self.rng, len(legal))]).roll(self.rng)

    def _ask_again(self, position: Position) -> None:
        """The same question with the same random numbers, of the same position as another object, so that a tree
        which an agent keeps for a game in progress does not count."""
        first, rng = self._chosen_with_rng(position.copy(), self.positions)
        second, other = self._chosen_with_rng(position.copy(), self.positions)
        self._same(first, second, position, "choose plays {} and then {} with the same random numbers")
        if not np.array_equal(rng, other):
            raise in_position("choose draws differently many random numbers when it is asked again", position)
        values = self._values(position.copy())
        if values != self._values(position.copy()):
            raise in_position("values gives other numbers when it is asked again", position)
        third, _ = self._chosen_with_rng(position.copy(), self.positions)
        self._same(first, third, position, "choose plays {}, but {} after values was asked: a look must change nothing")
        if self.agent.greedy and values is not None:
            self._require_best(position, first, values)
        events = tuple(event.code for event in position.history)
        self.answers.append(Answer(events, self.positions, first))

    def _require_best(self, position: Position, action: int, values: dict[int, float]) -> None:
        best = max(values, key=lambda other: values[other])
        if values[action] < values[best] - _ROUNDING * max(1.0, abs(values[best])):
            raise in_position(
                f"choose plays {action_text(self.game, action)} of value {values[action]:g}, but"
                f" {action_text(self.game, best)} has {values[best]:g}, and greedy promises to play the best",
                position,
            )

    def _same(self, first: int, other: int, position: Position, sentence: str) -> None:
        if first != other:
            names = action_text(self.game, first), action_text(self.game, other)
            raise in_position(f"{sentence.format(*names)}; all chance must come from rng", position)

    def _chosen(self, position: Position, seed: int) -> int:
        return self._chosen_with_rng(position, seed)[0]

    def _chosen_with_rng(self, position: Position, seed: int) -> tuple[int, Rng]:
        """The action that the agent plays, if it is one, and the random numbers after it."""
        rng, before = make_rng(self.seed, seed + 2), position.copy()
        with without_exceptions(self.agent, "choose", before):
            found: Any = self.agent.choose(position, rng)
        self._untouched("choose", before, position)
        try:
            action = whole_number(found, "an action")
        except BoardlabError:
            raise in_position(f"choose returned {shown(found)}, which is no action", before) from None
        if action not in before.legal_actions:
            legal = action_list(self.game, before.legal_actions)
            name = action_text(self.game, action)
            raise in_position(f"choose played {name}, which is not legal; legal: {legal}", before)
        return action, rng

    def _values(self, position: Position) -> dict[int, float] | None:
        """What the agent thinks, after a look whether there is a finite number for each legal action."""
        before = position.copy()
        with without_exceptions(self.agent, "values", before):
            values: Any = self.agent.values(position)
        self._untouched("values", before, position)
        if values is None:
            return None
        if not isinstance(values, dict):
            raise in_position(f"values returned {shown(values)}, not a dict of numbers by action, or None", before)
        legal = before.legal_actions
        for action in [a for a in legal if a not in values]:
            raise in_position(f"values has no number for the legal {action_text(self.game, action)}", before)
        for action in [a for a in values if a not in legal]:
            name = action_text(self.game, action) if isinstance(action, int) else shown(action)
            raise in_position(f"values has a number for {name}, which is not legal", before)
        for action, value in values.items():
            if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not math.isfinite(value):
                raise in_position(f"the value of {action_text(self.game, action)} is {shown(value)}", before)
        return values

    def _look_at_values(self, position: Position, values: dict[int, float]) -> None:
        low, high = self.game.score_range
        for action, value in values.items():
            if self.agent.bounded and not low - _ROUNDING <= value <= high + _ROUNDING:
                raise in_position(
                    f"the value of {action_text(self.game, action)} is {value:g}, but bounded promises scores within"
                    f" the game's score_range {low:g} to {high:g}",
                    position,
                )

    def _untouched(self, method: str, before: Position, after: Position) -> None:
        if before.history != after.history:
            raise in_position(f"{method} played on the position that it was asked about; it must take a copy()", before)
        if before.state.tobytes() != after.state.tobytes():
            names = [n for n in self.game.state.names or () if not np.array_equal(before.state[n], after.state[n])]
            fields = ", ".join(repr(name) for name in names)
            raise in_position(f"{method} changed the state of the position (field {fields}); take a copy()", before)

    def _ask_in_vain(self, finished: Position) -> None:
        """The guard: nobody can move in a finished game, and an agent says so instead of moving."""
        for method, arguments in (("choose", (make_rng(0),)), ("values", ())):
            try:
                answer = getattr(self.agent, method)(finished, *arguments)
            except BoardlabError:
                continue
            except Exception as error:
                raise Violation(f"{method} of a finished game fails with {type(error).__name__}: {error}") from error
            raise in_position(f"{method} answers {shown(answer)} in a finished game; it must refuse", finished)
