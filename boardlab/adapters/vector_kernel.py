"""Many boards in one call of machine code: the kernels of `vector`.

They do board by board what `gymnasium.BoardEnv` does in plain Python, with the same random numbers in the same order,
and the tests compare the two to the bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.adapters.seats import MOST_STARTS, RANDOM_SEAT
from boardlab.compiler import Compilable, helper, hot_kernel
from boardlab.compiler.handles import call_by_address
from boardlab.game import Game, State
from boardlab.rng import Rng, random_below, random_float
from boardlab.search.player import NOTHING_PLAYED, Seat

__all__ = ["EVERY_SEAT", "Boards", "Nobody", "PlayerOpponent", "RandomOpponent", "Results", "run_boards"]

EVERY_SEAT = -2
"""The learner's seat is that of whoever is to move: self-play."""


class Boards(Compilable):
    """What is known of n boards, each with random numbers of its own."""

    def __init__(self, game: Game, n: int, seat: int) -> None:
        self.seat = seat
        """The learner's, RANDOM_SEAT or EVERY_SEAT."""
        self.low = float(game.score_range[0])
        self.states = np.zeros(n, game.state)
        self.blank = np.zeros(1, game.state)
        self.rngs = np.zeros((n, 4), np.uint64)
        self.seats = np.zeros(n, np.int64)
        self.scores = np.zeros((n, game.num_players), np.float64)
        self.masks = np.zeros((n, game.num_actions), np.int8)
        self.over = np.ones(n, np.bool_)
        self.due = np.ones(n, np.bool_)
        """Where a new game is to begin instead of an action."""
        self.actions = np.zeros(game.num_actions, np.int64)
        self.now = np.zeros(game.num_players, np.float64)


class Results(NamedTuple):
    """What a step gives: rows of numbers for every board."""

    observations: NDArray[Any]
    """(n, size)"""
    rewards: NDArray[np.float64]
    """(n, num_players): how the scores have changed"""
    terminations: NDArray[np.bool_]
    final_observations: NDArray[Any]
    """(n, size) where boards are reset in the same step, else (0, size); rows of finished games are written"""
    final_scores: NDArray[np.float64]
    """(n, num_players)"""


class Nobody(Compilable):
    """No opponents: the learner plays in every seat."""

    def choose(self, game: Any, s: State, actions: NDArray[np.int64], n: int, rng: Rng) -> int:
        """One of the n legal actions."""
        return int(actions[0])


class RandomOpponent(Compilable):
    """Plays any legal action."""

    def choose(self, game: Any, s: State, actions: NDArray[np.int64], n: int, rng: Rng) -> int:
        """One of the n legal actions."""
        return int(actions[random_below(rng, n)])


class PlayerOpponent(Compilable):
    """Any compiled player, called by its address, so that boards are compiled once for all of them; a random action
    with the probability epsilon."""

    def __init__(self, game: Game, seat: Seat, epsilon: float) -> None:
        self._seat = seat
        self.addresses, self.epsilon = np.array(seat.addresses, np.int64), float(epsilon)
        self.states = np.zeros(1, game.state)
        self.played = NOTHING_PLAYED

    def choose(self, game: Any, s: State, actions: NDArray[np.int64], n: int, rng: Rng) -> int:
        """One of the n legal actions."""
        if self.epsilon > 0.0 and random_float(rng) < self.epsilon:
            return int(actions[random_below(rng, n)])
        self.states[0] = s
        given = (self.states, self.played, 0, rng)
        return int(call_by_address(self.addresses[0], self.addresses[2], given))


@helper
def _play_on(game: Any, opponent: Any, boards: Any, i: int) -> None:
    """Play board i until it is the learner's turn, or the game is over; then note scores and legal actions."""
    s = boards.states[i]
    rng = boards.rngs[i]
    mask = boards.masks[i]
    n = 0
    while True:
        while game.is_chance(s):
            game.advance_chance(s, game.sample_chance(s, rng))
        if game.is_over(s):
            boards.over[i] = True
            break
        n = game.legal_actions(s, boards.actions)
        player = np.int64(game.player(s))
        if boards.seat == EVERY_SEAT:
            boards.seats[i] = player
        if player == boards.seats[i]:
            boards.over[i] = False
            break
        game.advance(s, opponent.choose(game, s, boards.actions, n, rng))
    for a in range(game.num_actions):
        mask[a] = 0
    if not boards.over[i]:
        for k in range(n):
            mask[boards.actions[k]] = 1
    game.scores(s, boards.scores[i])


@helper
def _start(game: Any, opponent: Any, boards: Any, i: int) -> bool:
    """Begin games on board i until one comes to the learner's turn; whether one did."""
    for _ in range(MOST_STARTS):
        if boards.seat == RANDOM_SEAT:
            boards.seats[i] = random_below(boards.rngs[i], game.num_players)
        elif boards.seat >= 0:
            boards.seats[i] = boards.seat
        boards.states[i] = boards.blank[0]
        game.reset(boards.states[i])
        _play_on(game, opponent, boards, i)
        if not boards.over[i]:
            return True
    return False


@helper
def _random_legal(boards: Any, i: int) -> int:
    """Any action that the mask of board i allows."""
    n = 0
    for a in range(boards.masks.shape[1]):
        n += int(boards.masks[i, a])
    left = random_below(boards.rngs[i], n)
    for a in range(boards.masks.shape[1]):
        if boards.masks[i, a] == 1:
            if left == 0:
                return a
            left -= 1
    return -1


@helper
def _act(game: Any, opponent: Any, boards: Any, i: int, action: int, replace_illegal: bool) -> None:
    """Play the learner's action on board i. An illegal one is replaced, or ends the game with his worst score."""
    legal = 0 <= action < game.num_actions and boards.masks[i, action] == 1
    if not legal and not replace_illegal:
        boards.over[i] = True
        boards.scores[i, boards.seats[i]] = boards.low
        boards.masks[i, :] = 0
        return
    game.advance(boards.states[i], action if legal else _random_legal(boards, i))
    _play_on(game, opponent, boards, i)


@hot_kernel
def run_boards(
    game: Any,
    opponent: Any,
    view: Any,
    boards: Any,
    actions: NDArray[np.int64],
    replace_illegal: bool,
    same_step: bool,
    results: Any,
) -> bool:
    """Play one action on every board and on until the learners' next turn, and write what they see. Where a new game is
    due it begins instead; where one ends now, the next begins at once with `same_step`. No actions: new games begin,
    and nothing else. Whether all learners got a turn."""
    for i in range(len(boards.due)):
        due = boards.due[i]
        for p in range(game.num_players):
            boards.now[p] = boards.scores[i, p]
        if not due and len(actions) > 0:
            _act(game, opponent, boards, i, actions[i], replace_illegal)
        over = boards.over[i] and not due
        results.terminations[i] = over
        for p in range(game.num_players):
            results.rewards[i, p] = boards.scores[i, p] - boards.now[p]
        if over and same_step:
            view.write(game, boards.states[i], boards.seats[i], results.final_observations[i])
            for p in range(game.num_players):
                results.final_scores[i, p] = boards.scores[i, p]
        if (due or (over and same_step)) and not _start(game, opponent, boards, i):
            return False
        view.write(game, boards.states[i], boards.seats[i], results.observations[i])
    return True
