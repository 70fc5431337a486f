"""Episodes of self-play, for any algorithm: start, moves, chance events, the end.

An episode that is cut off after `max_moves` may learn a result nevertheless (`at_limit`): none, the score so far, the
game's own estimate, or the perfect player's value of the position.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import hot_kernel, inlined
from boardlab.compiler.fences import BrokenRule
from boardlab.game import final_estimate
from boardlab.learn.algorithms.base import forget
from boardlab.rng import Rng

__all__ = ["AT_LIMIT", "train_episodes"]

NOTHING, SCORE, ESTIMATE, PERFECT = 0, 1, 2, 3
AT_LIMIT = {"nothing": NOTHING, "score": SCORE, "estimate": ESTIMATE, "perfect": PERFECT}


@hot_kernel
def train_episodes(game: Any, work: Any, alphas: NDArray[np.float64], epsilons: NDArray[np.float64], rng: Rng) -> None:
    """Learn from one episode for each of `alphas` and `epsilons`."""
    s = work.states[0]
    settings, algorithm = work.settings, work.algorithm
    work.recorded[0] = 0
    for episode in range(len(alphas)):
        _start(game, work, rng)
        moves = 0
        p: Any = 0
        rolled = False
        while not game.is_over(s) and moves < settings.max_moves and not work.script.is_at_end():
            p = np.int64(game.player(s))  # one integer type for all players: each other would be compiled anew
            work.moves.pace[0] = max(0.0, 1.0 - settings.haste * moves)  # a late win is no loss
            algorithm.move(game, work, p, alphas[episode], epsilons[episode], rng)
            moves += 1
            work.script.went_on()
            rolled = game.is_chance(s)
            if rolled:
                _roll(game, work, s, rng)
            algorithm.rolled(game, work, p, alphas[episode])
            if rolled:
                work.values.follow(game, s)
            work.replay.learn_again(work, alphas[episode], rng)
        _end(game, work, p, rolled, moves, alphas[episode])
        work.counts[0] += 1
        work.counts[1] += moves
        work.learned[0] += 1


@inlined
def _start(game: Any, work: Any, rng: Rng) -> None:
    """A fresh episode: position, network, and nothing remembered."""
    s = work.states[0]
    work.states[0] = work.states[2]
    work.script.start(game, s, work.settings.choose_start, rng)
    _roll(game, work, s, rng)
    work.values.begin(game, s)
    game.scores(s, work.moves.scores)
    for p in range(game.num_players):
        work.paid[p] = work.moves.scores[p]
    work.algorithm.start(game, work)


@inlined
def _roll(game: Any, work: Any, s: Any, rng: Rng) -> None:
    """Draw the chance events that are due, or read them."""
    while game.is_chance(s):
        game.advance_chance(s, work.script.outcome(game, s, rng))


@inlined
def _end(game: Any, work: Any, last: int, rolled: bool, moves: int, alpha: float) -> None:
    """What the end of the episode teaches; then everything is forgotten."""
    s, scores = work.states[0], work.moves.scores
    over = game.is_over(s)
    if moves > 0 and (over or _result_at_limit(game, work, s)):
        if over:
            game.scores(s, scores)
            for p in range(game.num_players):
                scores[p] *= work.moves.pace[0]
        work.algorithm.ended(game, work, last, rolled and over, not over, alpha)
    elif moves == game.max_moves and not over:
        raise BrokenRule("the game is not over after max_moves actions: make it end, or set max_moves higher")
    for chain in range(len(work.trace.head)):
        forget(work, chain)
    work.script.ended()


@inlined
def _result_at_limit(game: Any, work: Any, s: Any) -> bool:
    """Write the result of an episode that is cut off to the scores; whether it has one."""
    kind, scores = work.settings.at_limit, work.moves.scores
    if kind == SCORE:
        game.scores(s, scores)
        return True
    if kind == ESTIMATE:
        final_estimate(game, s, scores, True)
        return True
    if kind == PERFECT:
        return work.oracle.value(game, s, scores)
    return False
