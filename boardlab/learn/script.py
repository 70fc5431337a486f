"""Games that somebody else has played, to learn from them instead of from self-play."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boardlab.compiler import Compilable
from boardlab.system.machine import own_copy, own_zeros

__all__ = ["Script"]


class Script(Compilable):
    """Actions and chance outcomes of some games, one after the other; without any, moves are chosen as usual."""

    def __init__(self, games: Sequence[Sequence[int]] = (), chance: Sequence[Sequence[int]] = ()) -> None:
        self.plays = len(games) > 0
        self.actions = own_copy(np.array([a for game in games for a in game], np.int64))
        self.outcomes = own_copy(np.array([o for game in chance for o in game], np.int64))
        self.ends = own_copy(np.cumsum([len(game) for game in games], dtype=np.int64))
        self.chance_ends = own_copy(np.cumsum([len(game) for game in chance], dtype=np.int64))
        self.at = own_zeros(3, np.int64)
        """Which game, which of all actions, which of all outcomes."""

    # ------------------------------------------------------------ compiled

    def next_game(self) -> None:
        """The game that was read is over."""
        self.at[1] = self.ends[self.at[0]]
        if len(self.chance_ends) > 0:
            self.at[2] = self.chance_ends[self.at[0]]
        self.at[0] += 1

    def is_at_end(self) -> bool:
        """Whether the game has no more actions."""
        return bool(self.at[1] >= self.ends[self.at[0]])

    def action(self) -> int:
        """The action of this move."""
        return int(self.actions[self.at[1]])

    def next_outcome(self) -> int:
        """The outcome of this chance event."""
        self.at[2] += 1
        return int(self.outcomes[self.at[2] - 1])
