"""Positions through the eyes of an agent: what a search over a learned value function thinks of them.

An agent rates the actions of the player to move; `ActionValues` makes of it what a position is worth to every player.
The player to move gets his best rating. In a zero-sum game of two the other one gets the opposite. In all other games
everyone else is asked at his own next turn: the best-rated actions are followed, and all outcomes of chance events on
the way are weighed by their probabilities. Someone who has no turn within some moves counts his score there.

`NTupleValues` rates by an n-tuple network in compiled code; the wrappers in `boardlab.agents` make any other agent
rate in plain Python, and the searches then run as plain Python, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.game import Game, State
from boardlab.rng import Rng
from boardlab.search.evaluation import StaticEvaluation
from boardlab.search.player import Player, draw_best
from boardlab.search.zero_sum import looks_zero_sum

__all__ = ["ActionValues", "ValuesPlayer"]


class ActionValues(StaticEvaluation):
    """Base class of evaluations that rate actions. A derived class has `rate`; the rest follows."""

    def __init__(self, game: Game) -> None:
        self.opposed = looks_zero_sum(game)
        self.low, self.high = (float(end) for end in game.score_range)
        if self.opposed:
            self.high = min(self.high, -self.low)
            self.low = -self.high
        # so many actions and chance events are followed at most until all players have been asked
        self.longest = 0 if self.opposed or game.num_players == 1 else 4 * game.num_players
        room = 1 + self.longest * max(1, game.num_outcomes)
        self.line = np.zeros(room, game.state)
        self.line_state = np.zeros(1, game.state)
        self.line_share = np.zeros(room, np.float64)
        self.line_asked = np.zeros(room, np.int64)
        self.line_length = np.zeros(room, np.int64)
        self.actions = np.zeros(game.num_actions, np.int64)
        self.ratings = np.zeros(game.num_actions, np.float64)
        self.outcomes = np.zeros(max(1, game.num_outcomes), np.int64)
        self.chances = np.zeros(max(1, game.num_outcomes), np.float64)
        self.scores = np.zeros(game.num_players, np.float64)

    def bounds(self, game: Game) -> tuple[float, float]:
        return game.score_range

    def rate(self, game: Any, s: State, actions: NDArray[np.int64], ratings: NDArray[np.float64]) -> int:
        """Write the legal actions of a position and the final score that each promises to the player to move (both
        num_actions places), within the range of scores (`possible`), and return how many they are."""
        raise NotImplementedError  # abstract

    def evaluate(self, game: Any, s: State, out: NDArray[np.float64]) -> None:
        n = self.rate(game, s, self.actions, self.ratings)
        self.value(game, s, self.actions, self.ratings, n, out)

    def value(
        self,
        game: Any,
        s: State,
        actions: NDArray[np.int64],
        ratings: NDArray[np.float64],
        n: int,
        out: NDArray[np.float64],
    ) -> None:
        """Write the value of a position for every player, from the ratings of its n actions."""
        player: Any = np.int64(game.player(s))
        best = self.best(ratings, n)
        action = actions[best]
        out[player] = ratings[best]
        if self.opposed:
            out[1 - player] = 0.0 - ratings[best]
        elif game.num_players > 1:
            self.ask_others(game, s, player, action, out)

    def best(self, ratings: NDArray[np.float64], n: int) -> int:
        """The place of the highest rating; of several, the first."""
        best = 0
        for i in range(1, n):
            if ratings[i] > ratings[best]:
                best = i
        return best

    def possible(self, value: float) -> float:
        """The value as a score that can be: at the end of the range where it lies beyond (the lower one for NaN)."""
        return min(value, self.high) if value >= self.low else self.low

    def ask_others(self, game: Any, s: State, player: int, action: int, out: NDArray[np.float64]) -> None:
        """Write the values of all players but the one to move, whose best action is given. What is still to be
        followed lies on a stack: a state, its probability, who has been asked before, and how far it is from `s`."""
        for p in range(game.num_players):
            if p != player:
                out[p] = 0.0
        everyone = (1 << game.num_players) - 1
        self.line[0] = s
        game.advance(self.line[0], action)
        self.line_share[0] = 1.0
        self.line_asked[0] = 1 << player
        self.line_length[0] = 1
        top = 1
        while top > 0:
            top -= 1
            here = self.line[top]
            share, asked, length = self.line_share[top], self.line_asked[top], self.line_length[top]
            chance = game.is_chance(here)
            if length == self.longest or (not chance and game.is_over(here)):
                game.scores(here, self.scores)
                for p in range(game.num_players):
                    if not (asked >> p) & 1:
                        out[p] += share * self.scores[p]
            elif chance:
                top += self.follow_outcomes(game, top)
            else:
                mover = np.int64(game.player(here))
                n = self.rate(game, here, self.actions, self.ratings)
                best = self.best(self.ratings, n)
                if not (asked >> mover) & 1:
                    out[mover] += share * self.ratings[best]
                    asked |= 1 << mover
                if asked != everyone:
                    game.advance(here, self.actions[best])
                    self.line_asked[top] = asked
                    self.line_length[top] = length + 1
                    top += 1

    def follow_outcomes(self, game: Any, top: int) -> int:
        """Replace the state at `top` of the stack by all outcomes of its chance event; how many these are."""
        self.line_state[0] = self.line[top]
        share, asked, length = self.line_share[top], self.line_asked[top], self.line_length[top]
        n = game.chance_outcomes(self.line_state[0], self.outcomes, self.chances)
        for i in range(n):
            self.line[top + i] = self.line_state[0]
            game.advance_chance(self.line[top + i], self.outcomes[i])
            self.line_share[top + i] = share * self.chances[i]
            self.line_asked[top + i] = asked
            self.line_length[top + i] = length + 1
        return int(n)


class ValuesPlayer(Player):
    """The action that has the best rating; of several, any."""

    def __init__(self, game: Game, values: ActionValues) -> None:
        self.values = values
        self.actions = np.zeros(game.num_actions, np.int64)
        self.ratings = np.zeros(game.num_actions, np.float64)

    def choose(self, game: Any, s: State, played: NDArray[np.int64], count: int, rng: Rng) -> int:
        n = self.values.rate(game, s, self.actions, self.ratings)
        return draw_best(self.actions, self.ratings, n, 0.0, rng)
