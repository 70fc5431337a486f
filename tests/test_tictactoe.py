from __future__ import annotations

import itertools

import numpy as np
import pytest

from boardlab import Position, make
from boardlab.playouts import count_sequences

GAME = make("tictactoe")
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

Board = tuple[str, ...]


def winner(board: Board) -> str:
    return next((board[a] for a, b, c in LINES if board[a] != "." and board[a] == board[b] == board[c]), "")


def play(board: Board, player: str) -> list[Board]:
    """The slow, obvious rules: boards after each move."""
    if winner(board) or "." not in board:
        return []
    return [(*board[:i], player, *board[i + 1 :]) for i in range(9) if board[i] == "."]


def board_of(position: Position) -> Board:
    return tuple("O.X"[value] for value in position.cells)


def test_complete_games() -> None:
    counts = count_sequences(GAME, 9)
    assert counts[:, 1].sum() == 255_168
    assert counts[:, 0].tolist() == [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]


def test_reachable_positions_are_those_of_the_obvious_rules() -> None:
    """Walks all positions with the game's rules and with the obvious ones, side by side."""
    reached: dict[Board, Position] = {tuple("." * 9): GAME.start()}
    level = list(reached)
    for ply in range(9):
        following: dict[Board, Position] = {}
        for board in level:
            position = reached[board]
            assert len(position.legal_actions) == len(play(board, "XO"[ply % 2]))
            for action in position.legal_actions:
                after = position.copy().play(action)
                following.setdefault(board_of(after), after)
        expected = {after for board in level for after in play(board, "XO"[ply % 2])}
        assert set(following) == expected
        reached.update(following)
        level = list(following)
    assert len(reached) == 5478
    for board, position in reached.items():
        assert position.is_over == (bool(winner(board)) or "." not in board)
        wins = {"X": [1.0, -1.0], "O": [-1.0, 1.0], "": [0.0, 0.0]}
        assert position.scores == wins[winner(board)]


def test_results_of_all_games() -> None:
    """131,184 games are won by X, 77,904 by O, 46,080 are drawn: the paths to each finished position, counted."""
    paths: dict[bytes, tuple[Position, int]] = {GAME.start().state.tobytes(): (GAME.start(), 1)}
    results = {1.0: 0, -1.0: 0, 0.0: 0}
    while paths:
        following: dict[bytes, tuple[Position, int]] = {}
        for position, count in paths.values():
            if position.is_over:
                results[position.scores[0]] += count
            for action in position.legal_actions:
                after = position.copy().play(action)
                key = after.state.tobytes()
                following[key] = (after, count + following.get(key, (after, 0))[1])
        paths = following
    assert results == {1.0: 131_184, -1.0: 77_904, 0.0: 46_080}


def test_board_inversion_exchanges_the_stones() -> None:
    position = GAME.start().play("b2").play("a1").play("c3")
    seen = np.zeros(9, np.int8)
    GAME.cells_of(position.state, 1, seen)
    assert position.cells.tolist() == [0, 1, 1, 1, 2, 1, 1, 1, 2]
    assert seen.tolist() == [2, 1, 1, 1, 0, 1, 1, 1, 0]


def features_by_hand(board: Board, player: str) -> list[int]:
    mine = [line for line in LINES if {board[c] for c in line} <= {player, "."}]
    singlets = [line for line in mine if sum(board[c] == player for c in line) == 1]
    doublets = [line for line in mine if sum(board[c] == player for c in line) == 2]
    crosspoints = [c for c in range(9) if board[c] == "." and sum(c in line for line in singlets) >= 2]
    return [len(singlets), len(doublets), len(crosspoints)]


@pytest.mark.parametrize("moves", list(itertools.permutations(range(9), 4))[::101])
def test_line_features(moves: tuple[int, ...]) -> None:
    position = GAME.start()
    for action in moves:
        position.play(action)
        features = np.zeros(6)
        GAME.features(position.state, 1, features)
        board = board_of(position)
        assert features.tolist() == [*features_by_hand(board, "X"), *features_by_hand(board, "O")]


def test_tuple_sets_begin_with_the_full_board() -> None:
    sets = GAME.tuple_sets()
    assert list(sets) == ["full", "mode2", "mode1"]
    assert sets["full"] == [list(range(9))]


def test_text_and_picture() -> None:
    position = GAME.start().play("b2").play("a1").play("b1").play("b3")
    assert str(position) == "   a b c\n 1 O X .\n 2 . X .\n 3 . O .\nX to move"
    svg = position.svg()
    assert svg.count("data-action") == 9
    svg = "\n".join(line for line in svg.splitlines() if "data-ghost" not in line)
    assert svg.count("<line ") == 4 and svg.count("<circle ") == 2
