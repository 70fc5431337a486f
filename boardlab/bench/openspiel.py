"""OpenSpiel beside boardlab: random games of its versions of our games, driven from Python, and its Monte Carlo tree
search.

`pyspiel` (the package `open_spiel`) is a development extra; it is imported only when it is there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from boardlab.engines.openspiel import is_installed, same_game

__all__ = ["can_search", "is_installed", "mcts_search", "random_games", "same_game"]


def random_games(name: str, seed: int) -> Callable[[int], Mapping[str, float]]:
    """A function that plays so many random games of OpenSpiel's game `name`."""
    import pyspiel

    game: Any = pyspiel.load_game(name)
    draw = random.Random(seed).random

    def play(games: int) -> Mapping[str, float]:
        moves = 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(_outcome(state.chance_outcomes(), draw()))
                else:
                    actions = state.legal_actions()
                    state.apply_action(actions[int(draw() * len(actions))])
                    moves += 1
        return {"games": games, "moves": moves}

    return play


def can_search(name: str) -> bool:
    """Whether its tree search takes the game: one that is scored at its end only."""
    import pyspiel

    return bool(pyspiel.load_game(name).get_type().reward_model == pyspiel.GameType.RewardModel.TERMINAL)


def mcts_search(name: str, seed: int) -> Callable[[int], None]:
    """A function that does one search of so many simulations with OpenSpiel's C++ bot, from the start of its game
    `name`, each simulation with one random game, as ours."""
    import pyspiel

    game: Any = pyspiel.load_game(name)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    rollouts = pyspiel.RandomRolloutEvaluator(1, seed)

    def search(simulations: int) -> None:
        pyspiel.MCTSBot(game, rollouts, 1.0, simulations, 1000, False, seed, False).step(state)

    return search


def _outcome(chances: list[tuple[int, float]], x: float) -> int:
    for outcome, chance in chances:
        x -= chance
        if x < 0.0:
            return outcome
    return chances[-1][0]
