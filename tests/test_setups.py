"""Positions set up by hand: every position that play leads to comes back to the byte, and what cannot be is refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.games.tictactoe import TicTacToe
from boardlab.position import Position
from boardlab.registry import make

GAMES = (
    *(
        "tictactoe",
        "connect4",
        "connect4:coding=3,columns=5,rows=4",
        "hex:size=4",
        "othello",
        "othello:coding=3,size=6",
    ),
    *("nim", "nim:players=3", "nimm3", "dots:rows=2,columns=3", "sim", "sim:players=3", "2048"),
)


class Searched(TicTacToe):
    """Tic-tac-toe as a user would write it, with nothing said about positions set up by hand."""

    name = "searched"
    set_up = Game.set_up
    setup_of = Game.setup_of
    setup_names = Game.setup_names


def random_positions(game: Game, games: int, seed: int) -> list[Position]:
    """All positions of some random games in which no chance event is due."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(games):
        position = Position(game)
        for _ in range(60):
            while position.is_chance:
                outcomes = position.chance_outcomes
                position.play_chance(int(rng.choice(list(outcomes), p=list(outcomes.values()))))
            found.append(position.copy())
            if position.is_over:
                break
            position.play(int(rng.choice(position.legal_actions)))
    return found


@pytest.mark.parametrize("spec", GAMES)
def test_every_position_of_play_comes_back(spec: str) -> None:
    game = make(spec)
    for position in random_positions(game, 4 if "2048" in spec else 12, 7):
        again = game.position_from(game.setup_of(position.state), position.player)
        if spec == "2048":
            again.state.score = position.state.score  # nobody can see it on the board
        assert again.state.tobytes() == position.state.tobytes(), f"{position}"


def reachable() -> set[tuple[bytes, int]]:
    """All positions of Tic-tac-toe by their stones, and who is to move."""
    found: set[tuple[bytes, int]] = set()
    todo = [Position(make("tictactoe"))]
    while todo:
        position = todo.pop()
        key = (position.state.stones.tobytes(), position.player)
        if key not in found:
            found.add(key)
            todo += [position.copy().play(action) for action in position.legal_actions]
    return found


@pytest.mark.slow
def test_exactly_the_positions_of_tictactoe_can_be_set_up() -> None:
    """All 39,366 boards and players: those that play leads to, and no others."""
    game, known = make("tictactoe"), reachable()
    assert len(known) == 5478
    for values in product(range(3), repeat=9):
        for player in range(2):
            try:
                stones = game.position_from(values, player).state.stones.tobytes()
            except BoardlabError:
                masks = [sum(1 << c for c, v in enumerate(values) if v == p + 1) for p in range(2)]
                assert (np.array(masks, np.int16).tobytes(), player) not in known
            else:
                assert (stones, player) in known


def test_a_game_that_says_nothing_of_it_can_be_set_up_by_default() -> None:
    game = Searched()
    for position in random_positions(game, 5, 3):
        again = game.position_from(game.setup_of(position.state), position.player)
        assert again.state.tobytes() == position.state.tobytes()
    with pytest.raises(BoardlabError, match="no moves lead to it with X to move"):
        game.position_from([2, 2, 1, 1, 1, 1, 1, 1, 1], 0)


def cells(game: Game, **stones: int) -> list[int]:
    """An empty board, or the start, with some places changed, as p4=1."""
    values = game.setup_of(game.start().state)
    for name, value in stones.items():
        values[int(name[1:])] = value
    return values


IMPOSSIBLE: list[tuple[str, dict[str, int], int, str]] = [
    ("tictactoe", {"p0": 1, "p1": 1}, 0, "with X to move, X has as many as O; here X has 2 and O has 0"),
    ("tictactoe", {"p0": 1, "p1": 1, "p2": 1, "p3": 2, "p4": 2, "p5": 2}, 0, "could not be to move"),
    ("tictactoe", {"p0": 1, "p1": 2}, 1, "X has one more than O"),
    ("connect4", {"p1": 1}, 1, "a stone in column 1 has nothing below it"),
    ("connect4", {"p0": 2, "p1": 1}, 0, "no stone on top of a column can be the last one of O"),
    ("connect4", {"p0": 2}, 0, "X has as many as O"),
    ("hex:size=2", {"p0": 1, "p2": 1, "p1": 2, "p3": 2}, 0, "could not be to move"),
    ("othello", {"p0": 1}, 0, "a disc lies apart from the others"),
    ("othello", {"p27": 0}, 0, "the four cells in the middle are never empty"),
    ("nim", {}, 1, "no number of moves leads to it"),
    ("nim", {"p0": 4}, 0, "no number of moves leads to it"),
    ("nim", {"p0": -1}, 0, "place 0 of Nim has a value from 0 to 5, not -1"),
    ("nim:players=3", {"p0": 3}, 0, "no number of moves"),
    ("nimm3", {}, 1, "no number of moves leads to it"),
    ("dots:rows=2,columns=2", {"p12": 1}, 0, "box 1 has an owner, but not all its edges"),
    ("dots:rows=2,columns=2", {"p0": 1}, 0, "it is not the turn of"),
    ("sim", {"p0": 1, "p1": 1}, 0, "no turns lead to these numbers of edges"),
    ("sim", {"p0": 1, "p1": 1, "p5": 1, "p2": 2, "p3": 2, "p4": 2}, 0, "X has a triangle"),
    ("2048", {}, 0, "two tiles at least"),
    ("2048", {"p0": 5, "p1": 6}, 0, "a 2 or a 4 that chance has placed"),
]


@pytest.mark.parametrize(("spec", "stones", "player", "reason"), IMPOSSIBLE)
def test_impossible_positions_are_refused(spec: str, stones: dict[str, int], player: int, reason: str) -> None:
    game = make(spec)
    with pytest.raises(BoardlabError, match=reason.replace("(", r"\(")):
        game.position_from(cells(game, **stones), player)


def test_wrong_arguments_are_sentences() -> None:
    game = make("tictactoe")
    wrong: list[tuple[Any, int, str]] = [
        ([0] * 8, 0, "9 places, not 8"),
        ([0] * 9, 2, "players 0 to 1"),
        ([3] * 9, 0, "0 to 2"),
    ]
    for values, player, reason in wrong:
        with pytest.raises(BoardlabError, match=reason):
            game.position_from(values, player)
