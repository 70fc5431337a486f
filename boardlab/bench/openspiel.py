"""OpenSpiel beside boardlab: which of its games are the same as ours, random games of them driven from Python, and its
Monte Carlo tree search.

`pyspiel` (the package `open_spiel`) is a development extra; it is imported only when it is there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

from boardlab.game import Game

__all__ = ["can_search", "is_installed", "mcts_search", "random_games", "same_game"]


def is_installed() -> bool:
    """Whether OpenSpiel can be measured here."""
    return find_spec("pyspiel") is not None


def same_game(game: Game) -> str | None:
    """How OpenSpiel calls this very game with these parameters; None where it has no such game, or refuses these
    parameters."""
    name = _name_of(game)
    return name if name is not None and (not is_installed() or _accepts(name)) else None


def _accepts(name: str) -> bool:
    import pyspiel

    try:
        pyspiel.load_game(name).new_initial_state()
    except pyspiel.SpielError:
        return False
    return True


def _name_of(game: Game) -> str | None:
    name, settings = type(game).name, game.__dict__["settings"]
    if name == "tictactoe":
        return "tic_tac_toe"
    if name == "connect4":
        return f"connect_four(rows={settings['rows']},columns={settings['columns']})"
    if name == "othello" and settings["size"] == 8:
        return "othello"
    if name == "hex":
        return f"hex(board_size={settings['size']})"
    if name == "2048":
        return "2048(max_tile=131072)"
    if name == "dots":
        return f"dots_and_boxes(num_rows={settings['rows']},num_cols={settings['columns']})"
    if name == "nim" and settings["players"] == 2 and settings["heaps"] > 1:  # it reads a single heap as a number
        piles = ";".join([str(settings["stones"])] * settings["heaps"])
        return f"nim(pile_sizes={piles},is_misere=false)"
    return None


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
