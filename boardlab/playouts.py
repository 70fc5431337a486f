"""Random games and counts of action sequences (perft), compiled for any game."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compile import kernel
from boardlab.game import Game
from boardlab.rng import Rng, random_below

__all__ = ["count_sequences", "random_games"]


def random_games(game: Game, games: int, rng: Rng) -> tuple[int, NDArray[np.float64]]:
    """Play random games from the start; return the number of actions played and the sum of the final scores of
    every player, shape (num_players,)."""
    totals = np.zeros(game.num_players, np.float64)
    moves = _random_games(game, np.zeros(2, game.state), games, rng, totals)
    return int(moves), totals


@kernel
def _random_games(game: Any, states: Any, games: int, rng: Rng, totals: NDArray[np.float64]) -> int:
    actions = np.empty(game.num_actions, np.int64)
    scores = np.empty(game.num_players, np.float64)
    moves = 0
    blank = states[1]
    s = states[0]
    for _ in range(games):
        states[0] = blank
        game.reset(s)
        while True:
            while game.is_chance(s):
                game.advance_chance(s, game.sample_chance(s, rng))
            if game.is_over(s):
                break
            n = game.legal_actions(s, actions)
            game.advance(s, actions[random_below(rng, n)])
            moves += 1
        game.scores(s, scores)
        for p in range(game.num_players):
            totals[p] += scores[p]
    return moves


def count_sequences(game: Game, depth: int) -> NDArray[np.int64]:
    """Perft: row d of the result, shape (depth + 1, 2), has the number of sequences of d actions from the start
    and how many of them end the game. Every possible outcome of a chance event counts as a sequence of its own."""
    counts = np.zeros((depth + 1, 2), np.int64)
    _count_sequences(game, np.zeros(2 * depth + 3, game.state), depth, counts)
    return counts


@kernel
def _count_sequences(game: Any, states: Any, depth: int, counts: NDArray[np.int64]) -> None:
    """Depth first with an explicit stack. Level k of the stack is a position and the edges (actions, or chance
    outcomes) that are still to be tried from it; only actions make the sequence longer."""
    levels = len(states)
    width = max(game.num_actions, game.num_outcomes)
    edges = np.empty((levels, width), np.int64)
    chances = np.empty(width, np.float64)
    left = np.zeros(levels, np.int64)
    played = np.zeros(levels, np.int64)
    game.reset(states[0])
    k = 0
    entered = True
    while k >= 0:
        s = states[k]
        chance = game.is_chance(s)
        if entered:
            entered = False
            if chance:
                left[k] = game.chance_outcomes(s, edges[k], chances)
            else:
                over = game.is_over(s)
                counts[played[k], 0] += 1
                counts[played[k], 1] += over
                left[k] = 0 if over or played[k] == depth else game.legal_actions(s, edges[k])
        if left[k] == 0:
            k -= 1
            continue
        left[k] -= 1
        states[k + 1] = states[k]
        edge = edges[k, left[k]]
        if chance:
            game.advance_chance(states[k + 1], edge)
        else:
            game.advance(states[k + 1], edge)
        played[k + 1] = played[k] + (0 if chance else 1)
        k += 1
        entered = True
