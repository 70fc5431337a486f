"""Who chooses actions in compiled code: a plain class with `choose`, as an agent offers it (`Agent.player`).

A player is found by its address (`Seat`), so that whole games of any players run in one kernel that is compiled once
for a game (`boardlab.matches.machine`), and each player is compiled once, whoever plays against it.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import Compilable, helper, hot_kernel
from boardlab.compiler.errors import readable_compile_errors
from boardlab.compiler.handles import Handle, Handled, address_of, held, is_ready
from boardlab.game import Game, State
from boardlab.rng import Rng, make_rng, random_below

__all__ = ["NOTHING_PLAYED", "Player", "RandomPlayer", "Seat", "draw_best"]

NOTHING_PLAYED: NDArray[np.int64] = np.zeros(0, np.int64)


class Player(Compilable):
    """Base class of players. Each has a work space of its own, for one thread."""

    def choose(self, game: Any, s: State, played: NDArray[np.int64], count: int, rng: Rng) -> int:
        """The action to play in position `s`, which stays as it is. `played` has the codes of the first `count` events
        of the game (`boardlab.position.event_to_code`), for players that remember; a game that is not the
        continuation of the last one begins with `forget`. -1 where it cannot tell: games are then played move by
        move."""
        raise NotImplementedError  # abstract

    def forget(self) -> None:
        """Another game begins. Python and compiled code."""

    def remembers(self) -> bool:
        """Whether what it plays depends on the game so far, not only on the position. Python only."""
        return False


class _Places(Handled):
    """A game together with one of its players: what the handle of a seat leads to."""

    def __init__(self, game: Game, player: Player) -> None:
        self.game, self.player = game, player


class Seat:
    """A player of a game, ready to be asked from Python or, by its addresses, from compiled code."""

    def __init__(self, game: Game, player: Player) -> None:
        self.game, self.player = game, player
        with readable_compile_errors(game):
            self.handle = Handle(_Places(game, player))
            self._states = np.zeros(1, game.state)
            like = (self.handle, self._states, NOTHING_PLAYED, 0, make_rng(0))
            self.addresses = (address_of(_choose, *like), address_of(_forget, self.handle), self.handle.address)

    @staticmethod
    def is_ready(game: Game, player: Player) -> bool:
        """Whether nothing has to be compiled for the seat of this player."""
        like = (np.zeros(1, game.state), NOTHING_PLAYED, 0, make_rng(0))
        return is_ready(_choose, _Places(game, player), *like)

    def choose(self, state: Any, rng: Rng, played: NDArray[np.int64] = NOTHING_PLAYED) -> int:
        """The action that the player chooses in a position."""
        self._states[0] = state
        return int(_choose(self.handle, self._states, played, len(played), rng))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A copy of the player is at another address."""
        return type(self)(self.game, deepcopy(self.player, memo))


@hot_kernel
def _choose(seat: Any, states: Any, played: NDArray[np.int64], count: int, rng: Rng) -> int:
    """What the player at a handle chooses in the position states[0]."""
    places = held(seat)
    return np.int64(places.player.choose(places.game, states[0], played, count, rng))  # type: ignore[return-value]


@hot_kernel
def _forget(seat: Any) -> int:
    """Tell the player at a handle that another game begins."""
    held(seat).player.forget()
    return np.int64(0)  # type: ignore[return-value]


@helper
def draw_best(actions: NDArray[np.int64], values: NDArray[np.float64], n: int, slack: float, rng: Rng) -> int:
    """One of those of the first n actions that have the highest value, all with the same probability; values that are
    lower by less than `slack`, relative to it, count as equal. Any action where the values are NaN. The best ones come
    to the front of `actions`."""
    top = values[0]
    for i in range(1, n):
        if values[i] > top:  # noqa: PLR1730 (max is another thing where a value is NaN)
            top = values[i]
    least = top - slack * max(1.0, abs(top)) if slack > 0.0 else top
    ties = 0
    for i in range(n):
        if values[i] >= least or np.isnan(top):
            actions[ties] = actions[i]
            ties += 1
    return int(actions[random_below(rng, ties)])


class RandomPlayer(Player):
    """Any legal action, each with the same probability."""

    def __init__(self, game: Game) -> None:
        self.actions = np.zeros(game.num_actions, np.int64)

    def choose(self, game: Any, s: State, played: NDArray[np.int64], count: int, rng: Rng) -> int:
        n = game.legal_actions(s, self.actions)
        return int(self.actions[random_below(rng, n)])
