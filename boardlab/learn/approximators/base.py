"""What an approximator is: f(w; s), the sum that a network gives to a position, or f(w; s, a) for every action, and its
gradient. The output function sigma comes after it, learning knows nothing of what is inside.

A position is kept as a list of (index, hits): for look-up tables and linear functions that is the gradient itself,
every weight and how often it counts; an `ExpandingApproximator` keeps its inputs in the list, and makes the gradient
of them when it is needed (`expand`). Indices count through all table sets, and each set ends with a spare weight that
nobody reads.

An approximator of one's own is a class in a file, `approximator=path/to/file.py:Class`. It derives from `Approximator`,
sets its sizes in `design`, and has `begin`, `follow`, `afterstate_total` (or `action_total`) and `keep`, which are
compiled.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import Compilable, by_address, inlined, inlined_method
from boardlab.compiler.sums import dot
from boardlab.compiler.vectors import gather
from boardlab.components.component import Component, take_parameters
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.learn.outputs import IDENTITY, LOGISTIC, OUTPUTS, TANH
from boardlab.registry import Registry
from boardlab.system.machine import own_zeros

__all__ = [
    "Approximator",
    "Arrays",
    "ExpandingApproximator",
    "Moves",
    "Shape",
    "approximator_classes",
    "make_approximator",
    "make_moves",
    "reward_of",
]

_STREAM = 78
"""Random initial weights come from a stream of their own."""


class Shape(NamedTuple):
    """What an approximator is designed for, besides its own parameters."""

    of_actions: bool = False
    """Values of the actions in a position, instead of values of afterstates."""
    tables: str = "per-player"
    """`per-player`, `shared`, or `inversion` (one table set, everyone sees the board as the first player)."""
    first_view: bool = False
    """With shared tables: values are those of the first player of two, the second one has the opposite."""
    waiting: bool = False
    """For two players: an afterstate belongs to the one who waits there, not to the one who moved. That differs where a
    player moves again."""
    output: str = "tanh"
    bias: bool = False
    tuples: tuple[tuple[int, ...], ...] = ()
    symmetries: bool = True
    num_symmetries: int = 0
    """So many of the symmetries, drawn at random; 0: all."""
    distinct: bool = False
    """Whether a weight that several symmetric boards hit counts once."""
    seed: int = 1


@by_address
class Moves(NamedTuple):
    """The actions of one move and what is thought of them; A actions, N players."""

    actions: NDArray[np.int64]
    """Legal actions of the position, shape (A,)."""
    scores: NDArray[np.float64]
    """Scores of all players, shape (N,)."""
    totals: NDArray[np.float64]
    """What the network gives to each action before the output function, then its value, shape (A,)."""
    rewards: NDArray[np.float64]
    """Reward of every action, shape (A,)."""
    open: NDArray[np.bool_]
    """Whether a value comes on top of it: the game goes on, shape (A,)."""
    pace: NDArray[np.float64]
    """What the scores of a finished game are multiplied by, shape (1,): 1, or less for a late end."""


def make_moves(game: Game) -> Moves:
    """Work space of one thread."""
    return Moves(
        actions=own_zeros(game.num_actions, np.int64),
        scores=own_zeros(game.num_players, np.float64),
        totals=own_zeros(game.num_actions),
        rewards=own_zeros(game.num_actions),
        open=own_zeros(game.num_actions, np.bool_),
        pace=own_zeros(1) + 1.0,
    )


class Arrays(Compilable):
    """The arrays of a named tuple, and its switches. Its numbers would become constants of the machine code, so they
    are left out."""

    def __init__(self, fields: Any) -> None:
        self.__dict__.update({k: v for k, v in fields._asdict().items() if isinstance(v, (np.ndarray, bool))})
        self._fields = fields

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy of the tuple knows which of its arrays share their memory."""
        return Arrays, (self._fields,)


class Approximator(Component, Compilable, ABC):
    """Base class. After `design` it knows its sizes, after `attached` it has its weights."""

    direct = True
    """Whether the list that `keep` makes is the gradient."""
    looks_once = False
    """Whether one move may hit a weight several times, by symmetric boards (Algorithm 7 lets it learn once then)."""
    random_start: ClassVar[bool] = False
    """Whether its weights have to differ at the beginning, because otherwise they would always learn the same."""
    weights: NDArray[np.float32]
    """Those of all table sets, shape (table sets, weights + 1); after `attached`."""

    def __init__(self, **settings: object) -> None:
        take_parameters(self, settings, f"the approximator {self.name or type(self).__name__}")

    def design(self, game: Game, shape: Shape) -> None:
        """Lay the network out for a game. A derived class adds its sizes."""
        self._game, self._shape = game, shape
        asked = "action_total" if shape.of_actions else "afterstate_total"
        if getattr(type(self), asked) is getattr(Approximator, asked):
            what = "actions, so td-farl or td-self-play would do" if shape.of_actions else "afterstates"
            raise BoardlabError(f"the approximator {self.spec} has no {asked}: it cannot give values to {what}")
        low, high = game.score_range
        self.output = OUTPUTS[shape.output]
        self.of_actions, self.inversion = shape.of_actions, shape.tables == "inversion"
        self.first_view, self.waiting = shape.first_view and shape.tables == "shared", shape.waiting
        self.scale = {TANH: 1.0 / max(abs(low), abs(high)), LOGISTIC: 1.0 / (high - low), IDENTITY: 1.0}[self.output]
        self.shift = -low * self.scale if self.output == LOGISTIC else 0.0
        self._num_weights = self._most_kept = self._most_active = 0

    @property
    def table_sets(self) -> int:
        """One for each player, or one for all."""
        return self._game.num_players if self._shape.tables == "per-player" else 1

    @property
    def num_weights(self) -> int:
        """Weights of one table set."""
        return self._num_weights

    @property
    def most_kept(self) -> int:
        """Length of the longest list that `keep` makes."""
        return self._most_kept

    @property
    def most_active(self) -> int:
        """Length of the longest gradient."""
        return self._most_active

    @property
    def summary(self) -> str:
        """What it is made of, in some words."""
        return self.spec

    def first_weights(self, spread: float, value: float) -> NDArray[np.float32]:
        """Weights at the beginning, shape (table sets, weights + 1): all alike, so that every position has about
        `value`, and random numbers from -spread / 2 to spread / 2 on top."""
        weights = np.zeros((self.table_sets, self.num_weights + 1), np.float32)
        if value != 0.0:
            weights[:, :-1] = self.start_weight(value)
        if spread > 0.0:
            drawn = np.random.default_rng([self._shape.seed, _STREAM]).random(weights[:, :-1].shape, np.float32)
            weights[:, :-1] += np.float32(spread) * (drawn - np.float32(0.5)) * self.relative_spread()
        return weights

    def relative_spread(self) -> np.float32 | NDArray[np.float32]:
        """What the random numbers at the beginning are multiplied by: one factor, or one for each weight."""
        return np.float32(1.0)

    def weight_names(self) -> list[str] | None:
        """What people call the weights of one output; those of all outputs follow each other. None where weights have
        no names."""
        return None

    def start_weight(self, value: float) -> float:
        """The weight that all have where every position shall be worth `value` (a scaled one)."""
        raise BoardlabError(
            f"{self.name} has no weight that gives every position the same value; leave start_value out"
        )

    def attached(self, weights: NDArray[np.float32]) -> Self:
        """A copy that works with these weights, shape (table sets, weights + 1), and has a work space of its own."""
        mine = copy(self)
        mine.__dict__.pop("_made_type", None)
        mine.weights = weights
        mine.make_room()
        return mine

    def make_room(self) -> None:
        """Make the work space of one thread."""

    # ------------------------------------------------------------ compiled

    @abstractmethod
    def begin(self, game: Any, s: Any) -> None:
        """Make `s` the current position, from scratch."""

    @abstractmethod
    def follow(self, game: Any, s: Any) -> None:
        """Make `s` the current position; the one before is mostly a move ago."""

    @inlined_method
    def turn_to(self, p: int) -> None:
        """The actions of player p in the current position are rated next."""

    @inlined_method
    def foresee(self, game: Any, s: Any, action: int, i: int) -> bool:
        """The i-th action of `s`, the current position, is rated next; whether `foreseen_total` needs no afterstate
        for it."""
        return False

    @inlined_method
    def foreseen_total(self, owner: int, i: int) -> Any:
        """What the network gives to the afterstate of the i-th action, which `foresee` knows without playing it, or
        anything where `settle` will write it."""
        return np.float32(0.0)

    @inlined_method
    def follow_chosen(self, game: Any, s: Any, i: int) -> None:
        """Make `s` the current position: the afterstate of the i-th of the actions that were rated last."""
        self.follow(game, s)

    @inlined_method
    def afterstate_total(self, game: Any, s: Any, owner: int, again: bool, i: int) -> Any:
        """What the network gives to `s`, the afterstate of the i-th action, which belongs to `owner`. That is the
        player who is to move, unless he moves `again`."""
        return np.float32(0.0)

    @inlined_method
    def action_total(self, action: int, p: int) -> Any:
        """What the network gives to an action of player p in the current position."""
        return np.float32(0.0)

    @inlined_method
    def settle(self, moves: Any, n: int) -> None:
        """All n actions have been asked for: write totals that are still due."""

    @inlined_method
    def rate(self, game: Any, states: Any, moves: Any, n: int, p: int, score: float, ends: bool) -> bool:
        """What the first n of `moves.actions` are worth to player p in the current position, `states[0]`: rewards
        (since he had `score`) and totals of their afterstates; or, for an approximator of actions, totals alone. With
        `ends` also finished games get a total, and no reward. Returns whether all rewards are alike and the game goes
        on after every action."""
        alike = True
        self.turn_to(p)
        if self.of_actions:
            for i in range(n):
                moves.totals[i] = self.action_total(moves.actions[i], p)
                moves.rewards[i] = 0.0
                moves.open[i] = True
        else:
            alike = self.rate_afterstates(game, states, moves, n, p, score, ends)
        self.settle(moves, n)
        if self.first_view and p == 1:
            for i in range(n):
                moves.totals[i] = -moves.totals[i]
        return alike

    @inlined_method
    def rate_afterstates(self, game: Any, states: Any, moves: Any, n: int, p: int, score: float, ends: bool) -> bool:
        """Rewards and totals of the afterstates of all actions. One that belongs to the other player counts with the
        opposite sign, unless all values are those of the first player anyway. Quiet actions are not played at all
        (Hex: a fifth more games a second)."""
        s = states[1]
        alike = True
        quiet_reward = 0.0
        if game.tells_changes:
            game.scores(states[0], moves.scores)
            quiet_reward = reward_of(self, False, moves.scores[p], score)
        for i in range(n):  # all at first: what is looked up for one does not wait for another
            moves.open[i] = self.foresee(game, states[0], moves.actions[i], i)
        for i in range(n):
            foreseen = moves.open[i]
            if foreseen and not ends and not self.waiting and game.is_quiet(states[0], moves.actions[i]):
                over, again, reward = False, False, quiet_reward
            else:
                states[1] = states[0]
                game.advance(s, moves.actions[i])
                over = not game.is_chance(s) and game.is_over(s)
                again = self.waiting and not over and not game.is_chance(s) and game.player(s) == p
                game.scores(s, moves.scores)
                gained = moves.scores[p] * moves.pace[0] if over else moves.scores[p]
                reward = 0.0 if ends else reward_of(self, over, gained, score)
            valued = ends or not over
            moves.rewards[i] = reward
            moves.open[i] = valued
            moves.totals[i] = 0.0
            if valued and foreseen and not again:
                moves.totals[i] = self.foreseen_total(p, i)
            elif valued:
                total = self.afterstate_total(game, s, 1 - p if again else p, again, i)
                moves.totals[i] = -total if again and not self.first_view else total
            alike &= valued and reward == moves.rewards[0]
        return alike

    @abstractmethod
    def keep(self, game: Any, s: Any, p: int, action: int, index: Any, hits: Any) -> int:
        """Write the list of the current position `s`, an afterstate of player p (or of his action in it); its
        length."""

    @inlined_method
    def look(self, index: Any, hits: Any, count: int, weights: Any, room: Any, newest: bool) -> Any:
        """The gradient of a kept position as (indices, x, length), and the total of the `newest` one. The weights that
        it is made of lie side by side in `room.side` afterwards."""
        gather(weights, index, count, room.side)
        return index, hits, count, dot(hits, room.side, count) if newest else np.float32(0.0)


class ExpandingApproximator(Approximator):
    """Base class of approximators whose gradient is not what they keep of a position."""

    direct = False

    @abstractmethod
    def expand(self, index: Any, hits: Any, count: int, active: Any, x: Any) -> float:
        """Write the gradient of a kept position, `most_active` weights, and return its total."""

    @inlined_method
    def look(self, index: Any, hits: Any, count: int, weights: Any, room: Any, newest: bool) -> Any:
        total = np.float32(self.expand(index, hits, count, room.active, room.x))
        gather(weights, room.active, len(room.active), room.side)
        return room.active, room.x, len(room.active), total


@inlined
def reward_of(values: Any, over: bool, score: float, earlier: float) -> float:
    """The reward between two scores of a player. A logistic output predicts the score of the finished game, moved
    into 0..1, so nothing is paid before the end."""
    if values.output == LOGISTIC:
        return score * values.scale + values.shift if over else 0.0
    return (score - earlier) * values.scale


_approximators: Registry[Approximator] = Registry("approximator", Approximator, "boardlab.learn.approximators")  # type: ignore[type-abstract]


def approximator_classes() -> dict[str, type[Approximator]]:
    """All approximators that can be made by name."""
    return _approximators.classes


def make_approximator(spec: str) -> Approximator:
    """The approximator of a specification, as `mlp:hidden=20`."""
    return _approximators.make(spec)
