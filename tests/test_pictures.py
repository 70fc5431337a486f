"""What the pictures of all games have: coordinates, ghosts of moves, what decided the game, counts, and what slides."""

from __future__ import annotations

import random
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

from boardlab import Game, Position, make
from boardlab.adapters.pixels import pixels_of
from boardlab.drawing import Picture
from boardlab.games.game2048 import Game2048
from boardlab.registry import game_classes

SEEDS = range(12)


def played(game: Game, seed: int) -> Position:
    """A random game, played to its end by the plain rules."""
    chance, position = random.Random(seed), game.start()
    while not position.is_over:
        outcomes = position.chance_outcomes
        if outcomes:
            position.play_chance(chance.choice(list(outcomes)))
        else:
            position.play(chance.choice(position.legal_actions))
    return position


def shapes(svg: str, attribute: str) -> list[dict[str, str]]:
    return [dict(part.attrib) for part in ElementTree.fromstring(svg).iter() if attribute in part.attrib]


@pytest.mark.parametrize("name", sorted(game_classes()))
def test_every_board_has_coordinates(name: str) -> None:
    texts = [part.text or "" for part in ElementTree.fromstring(make(name).start().svg()).iter()]
    expected = {"connect4": "1234567", "nim": "abc", "nimm3": "123", "sim": "123456"}.get(name, "abc123")
    assert all(any(text.startswith(mark) for text in texts) for mark in expected)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "hex", "othello", "nim", "nimm3"])
def test_legal_moves_have_ghosts_and_others_have_none(name: str) -> None:
    game = make(name)
    for seed in range(3):
        position = game.start()
        chance = random.Random(seed)
        while not position.is_over:
            ghosts = {a for shape in shapes(position.svg(), "data-ghost") for a in shape["data-ghost"].split()}
            assert ghosts == {str(a) for a in position.legal_actions if game.action_name(a) != "pass"}
            position.play(chance.choice(position.legal_actions))
        assert not shapes(position.svg(), "data-ghost")


def test_ghosts_are_not_painted_where_nobody_points() -> None:
    plain, haunted = Picture(20, 20), Picture(20, 20)
    haunted.circle(10, 10, 8, "#000000", ghost=1)
    assert (pixels_of(plain.svg()) == pixels_of(haunted.svg())).all()
    haunted.circle(10, 10, 8, "#000000")
    assert (pixels_of(plain.svg()) != pixels_of(haunted.svg())).any()


def test_nim_shows_what_a_click_takes() -> None:
    """The ghosts of an action are as many as the stones that it takes, all on its heap."""
    position = make("nim").start().play("b2")
    found = [shape["data-ghost"].split() for shape in shapes(position.svg(), "data-ghost")]
    for action in position.legal_actions:
        heap, take = divmod(action, 5)
        assert sum(str(action) in ghost for ghost in found) == take + 1
        assert all({int(a) // 5 for a in ghost} == {heap} for ghost in found if str(action) in ghost)


# ------------------------------------------------------------ what decided the game


@pytest.mark.parametrize("name", ["connect4", "connect4:columns=5,rows=4", "tictactoe"])
def test_the_winning_line_is_a_line(name: str) -> None:
    """By a search of all lines of the board, which knows nothing of bits."""
    game = make(name)
    length = 3 if game.name == "tictactoe" else 4
    for seed in range(40):
        position = played(game, seed)
        board = position.cells
        marks = {game.cell_place(cell): game.symbols[board[cell]] for cell in range(game.num_cells)}
        expected = set()
        for (r, c), mark in marks.items():
            for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = [(r + k * dr, c + k * dc) for k in range(length)]
                if mark != "." and all(marks.get(place) == mark for place in line):
                    expected.update(line)
        assert {game.cell_place(cell) for cell in game.deciding_cells(position.state)} == expected
        assert bool(expected) == (max(position.scores) > 0)
    assert game.deciding_cells(game.start().state) == []


def test_the_winning_chain_of_hex_joins_the_sides() -> None:
    game = make("hex:size=5")
    around = game.neighbours()
    for seed in SEEDS:
        position = played(game, seed)
        winner = position.scores.index(1.0)
        chain = game.deciding_cells(position.state)
        assert {game.symbols[position.cells[cell]] for cell in chain} == {game.player_name(winner)}
        ends = [cell for cell in chain if sum(other in chain for other in around[cell]) == 1]
        assert sorted(divmod(cell, 5)[winner] for cell in ends) == [0, 4], "a path from side to side, no detours"
        assert all(sum(other in chain for other in around[cell]) == 2 for cell in chain if cell not in ends)


def test_the_triangle_of_sim() -> None:
    game = make("sim")
    for seed in SEEDS:
        position = played(game, seed)
        edges = game.deciding_cells(position.state)
        ends = [frozenset(game.ends[edge].tolist()) for edge in edges]  # type: ignore[attr-defined]
        triangles = [three for three in combinations(ends, 3) if len(frozenset.union(*three)) == 3]
        assert triangles and set(ends) == {side for three in triangles for side in three}


@pytest.mark.parametrize(("name", "word"), [("othello", "disc"), ("dots", "box")])
def test_counts(name: str, word: str) -> None:
    game = make(name)
    position = played(game, 3)
    counts = [int(text.split()[0]) for text in game.counts(position.state)]
    assert all(word in text for text in game.counts(position.state))
    if name == "dots":
        assert sum(counts) == 9 and counts[0] - counts[1] == position.scores[0]
    else:
        text = game.describe(position.state).splitlines()
        board = "".join(line[2:] for line in text[1:-1])
        assert counts == [board.count(game.symbols[0]), board.count(game.symbols[1])]
    assert make("tictactoe").counts(make("tictactoe").start().state) == []


# ------------------------------------------------------------ what slides


def test_sliding_tiles_make_the_board_that_the_rules_make() -> None:
    game = Game2048()
    chance = random.Random(1)
    for _ in range(300):
        state = game.start().state
        for cell in range(16):
            state.board[cell] = chance.choice((0, 0, 1, 1, 2, 3))
        action = chance.randrange(4)
        board = [0] * 16
        for start, end in game.slides(state, action):
            tile = int(state.board[start])
            assert board[end] in (0, tile), "only equal tiles merge"
            board[end] = tile + 1 if board[end] else tile
        game.advance(state, action)
        assert np.array_equal(board, state.board)


class Three(Game):
    """A game of one's own that has nothing of all this: a row of three cells."""

    state = np.dtype([("board", np.int8, (3,)), ("player", np.int8)])
    num_actions = num_cells = 3
    num_values = 3
    grid = (1, 3)

    def reset(self, s):  # type: ignore[no-untyped-def]
        s.player = 0

    def legal_actions(self, s, actions):  # type: ignore[no-untyped-def]
        n = 0
        for i in range(3):
            if s.board[i] == 0:
                actions[n] = i
                n += 1
        return n

    def advance(self, s, action):  # type: ignore[no-untyped-def]
        s.board[action] = 1 + int(s.player)
        s.player = 1 - int(s.player)

    def is_over(self, s):  # type: ignore[no-untyped-def]
        return bool(np.all(s.board > 0))

    def scores(self, s, out):  # type: ignore[no-untyped-def]
        out[:] = 0.0


def test_a_game_of_ones_own_has_it_by_default() -> None:
    svg = Three().start().play(1).svg()
    assert {shape["data-ghost"] for shape in shapes(svg, "data-ghost")} == {"0", "2"}
    assert [shape["data-piece"] for shape in shapes(svg, "data-piece")] == ["1"]
    assert [shape["data-holds"] for shape in shapes(svg, "data-holds")] == ["player 1"]
    assert [shape["data-column"] for shape in shapes(svg, "data-column")] == ["0", "1", "2"]
    texts = [part.text for part in ElementTree.fromstring(svg).iter() if part.tag.endswith("text")]
    assert texts == ["a", "b", "c", "1"]
