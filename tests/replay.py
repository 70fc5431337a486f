"""Shared by the tests of games: play an action sequence and note what the game says after every ply, once by its plain
methods and once by its compiled ones."""

from __future__ import annotations

import random
from xml.etree import ElementTree

import numpy as np

from boardlab.compiler import kernel
from boardlab.game import Game


@kernel
def _replay(game, states, actions, cells, views, features, modes, legal, facts, scores):
    game.reset(states[0])
    listed = np.empty(game.num_actions, np.int64)
    for k in range(len(states)):
        s = states[k]
        game.cells(s, cells[k])
        for player in range(game.num_players):
            game.cells_of(s, player, views[k, player])
        for mode in range(modes):
            game.features(s, mode, features[k, mode])
        game.scores(s, scores[k])
        facts[k, 0] = game.player(s)
        facts[k, 1] = game.is_over(s)
        if not game.is_over(s):
            n = game.legal_actions(s, listed)
            for i in range(n):
                legal[k, i] = listed[i]
        if k < len(actions):
            states[k + 1] = states[k]
            game.advance(states[k + 1], actions[k])


def replay(game: Game, actions: list[int], *, compiled: bool) -> dict[str, np.ndarray]:
    """What the game says in each of the len(actions) + 1 positions; `legal` is filled up with -1."""
    plies = len(actions) + 1
    modes = len(game.feature_modes)
    length = max(game.num_features(mode) for mode in range(modes))
    states = np.zeros(plies, game.state)
    told = {
        "cells": np.zeros((plies, game.num_cells), np.int8),
        "views": np.zeros((plies, game.num_players, game.num_cells), np.int8),
        "features": np.zeros((plies, modes, length), np.float64),
        "legal": np.full((plies, game.num_actions), -1, np.int64),
        "facts": np.zeros((plies, 2), np.int64),
        "scores": np.zeros((plies, game.num_players), np.float64),
    }
    arrays = (told["cells"], told["views"], told["features"], modes, told["legal"], told["facts"], told["scores"])
    moves = np.array(actions, np.int64)
    if compiled:
        _replay(game, states, moves, *arrays)
    else:
        _replay.py_func(game, states.view(np.recarray), moves, *arrays)
    return {"states": states, **told}


def assert_compiled_equals_plain(game: Game, actions: list[int]) -> None:
    compiled, plain = (replay(game, actions, compiled=way) for way in (True, False))
    for name, expected in plain.items():
        assert compiled[name].tobytes() == expected.tobytes(), (name, game, actions)


def random_actions(game: Game, seed: int) -> list[int]:
    """The actions of a random game, by the plain methods."""
    rng = random.Random(seed)
    position = game.start()
    played = []
    while not position.is_over:
        played.append(rng.choice(position.legal_actions))
        position.play(played[-1])
    return played


def clickable(svg: str) -> list[int]:
    """The actions that the parts of a picture carry, in increasing order; fails where the SVG is not well formed."""
    root = ElementTree.fromstring(svg)
    return sorted(int(part.attrib["data-action"]) for part in root.iter() if "data-action" in part.attrib)
