"""Looks for a position in which somebody is to move and cannot, though the game is not over.

Random play seldom gets there. So here the players work together: all but one of them choose what leaves the next player
the fewest answers, that one what leaves the most, and nobody ends the game as long as anything else can be played.
"""

from __future__ import annotations

import time
from itertools import cycle
from typing import Any

import numpy as np

from boardlab.check.explain import explain_exception, position_text
from boardlab.check.report import Violation
from boardlab.check.time_limit import RULE_SECONDS, TimeLimit, TooLong
from boardlab.game import Game
from boardlab.rng import Rng, make_rng, random_below

__all__ = ["find_cornered"]

ROLLS = 1000
"""Chance events in a row after which a game is given up; other checks explain it."""
LEAST_MOVES = 3_000
"""So many moves are tried on a slow machine, too, or while it is busy."""
PATIENCE = 10.0
"""Seconds of CPU after which the hunt ends all the same, in a game whose rules are very slow."""


def find_cornered(game: Game, seconds: float, seed: int) -> Any | None:
    """A state without legal actions in a game that goes on; None where none was found in so many seconds of CPU, and by
    trying `LEAST_MOVES`. A rule that fails on the way is a `Violation`."""
    limit = TimeLimit(RULE_SECONDS)
    hunt, rng = _Hunt(game, limit, seconds), make_rng(seed, 1)
    with limit.watching():
        try:
            for victim in cycle(range(game.num_players)):
                found = hunt.play(victim, rng)
                if found is not None or hunt.given_up:
                    break
        except (Exception, TooLong) as error:
            limit.sign_of_life()
            where = position_text(game, hunt.states[0])
            raise Violation(f"{explain_exception(error)}\nIn the position, or after one more move,\n{where}") from error
    return found


class _Hunt:
    def __init__(self, game: Game, limit: TimeLimit, seconds: float) -> None:
        self.game, self.limit, self.seconds = game, limit, seconds
        self.began, self.tried = time.thread_time(), 0
        self.states = np.zeros(3, game.state).view(np.recarray)
        self.actions = np.zeros(game.num_actions, np.int64)
        self.answers = np.zeros(game.num_actions, np.int64)

    @property
    def given_up(self) -> bool:
        spent = time.thread_time() - self.began
        return spent > (self.seconds if self.tried >= LEAST_MOVES else PATIENCE)

    def play(self, victim: int, rng: Rng) -> Any | None:
        """One game against `victim`; the state in which he, or another one, cannot move, if it comes to that."""
        game, s = self.game, self.states[0]
        self.states[0] = self.states[2]
        game.reset(s)
        self._roll(s, rng)
        for _ in range(game.max_moves):
            self.limit.sign_of_life()
            if game.is_over(s) or self.given_up:
                return None
            n = game.legal_actions(s, self.actions)
            if n < 1:
                return s
            game.advance(s, self._choose(n, hunting=game.player(s) != victim, rng=rng))
            self._roll(s, rng)
            self.tried += n
        return None

    def _choose(self, n: int, *, hunting: bool, rng: Rng) -> int:
        """One of the first n actions: for a hunter one that leaves the fewest answers, for the victim the most."""
        costs = [self._cost(int(a), hunting, rng) for a in self.actions[:n]]
        best = [int(a) for a, cost in zip(self.actions, costs) if cost == min(costs)]
        return best[random_below(rng, len(best))]

    def _cost(self, action: int, hunting: bool, rng: Rng) -> int:
        """How many answers an action leaves, or the negative of it; more than there can be where it ends the game."""
        game, s = self.game, self.states[1]
        self.states[1] = self.states[0]
        game.advance(s, action)
        self._roll(s, rng)
        if game.is_over(s):
            return game.num_actions + 1
        n = int(game.legal_actions(s, self.answers))
        return n if hunting else -n

    def _roll(self, s: Any, rng: Rng) -> None:
        for _ in range(ROLLS):
            if not self.game.is_chance(s):
                return
            self.game.advance_chance(s, self.game.sample_chance(s, rng))
