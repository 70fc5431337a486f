"""Games that somebody else has played, to learn from them instead of from self-play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import Compilable, inlined_method
from boardlab.rng import Rng
from boardlab.system.machine import own_copy, own_zeros

__all__ = ["NoScript", "Script"]


class NoScript(Compilable):
    """Moves are chosen, and chance events are drawn, as usual."""

    @inlined_method
    def tells(self, actions: NDArray[np.int64]) -> bool:
        """Put the action of this move at the front, where somebody else has chosen it; whether that is so."""
        return False

    @inlined_method
    def went_on(self) -> None:
        """The action of this move has been played."""

    @inlined_method
    def is_at_end(self) -> bool:
        """Whether there are no more actions."""
        return False

    @inlined_method
    def outcome(self, game: Any, s: Any, rng: Rng) -> int:
        """What chance brings."""
        return game.sample_chance(s, rng)

    @inlined_method
    def start(self, game: Any, s: Any, choose_start: bool, rng: Rng) -> None:
        """Set up the start position."""
        if choose_start:
            game.random_start(s, rng)
        else:
            game.reset(s)

    @inlined_method
    def ended(self) -> None:
        """The game is over."""


class Script(NoScript):
    """Actions and chance outcomes of some games, one after the other."""

    def __init__(self, games: Sequence[Sequence[int]], chance: Sequence[Sequence[int]]) -> None:
        self.actions = own_copy(np.array([a for game in games for a in game], np.int64))
        self.outcomes = own_copy(np.array([o for game in chance for o in game], np.int64))
        self.ends = own_copy(np.cumsum([len(game) for game in games], dtype=np.int64))
        self.chance_ends = own_copy(np.cumsum([len(game) for game in chance], dtype=np.int64))
        self.at = own_zeros(3, np.int64)
        """Which game, which of all actions, which of all outcomes."""

    def tells(self, actions: NDArray[np.int64]) -> bool:
        actions[0] = self.actions[self.at[1]]
        return True

    def went_on(self) -> None:
        self.at[1] += 1

    def is_at_end(self) -> bool:
        return bool(self.at[1] >= self.ends[self.at[0]])

    def outcome(self, game: Any, s: Any, rng: Rng) -> int:
        self.at[2] += 1
        return int(self.outcomes[self.at[2] - 1])

    def start(self, game: Any, s: Any, choose_start: bool, rng: Rng) -> None:
        game.reset(s)

    def ended(self) -> None:
        self.at[1] = self.ends[self.at[0]]
        if len(self.chance_ends) > 0:
            self.at[2] = self.chance_ends[self.at[0]]
        self.at[0] += 1
