"""Making n-tuples: fixed sets, random points and walks, box walks, files, and what people are told who ask wrongly."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boardlab import BoardlabError, Game, grids, make, make_rng
from boardlab.ntuple.creation import make_tuples, read_tuples
from boardlab.ntuple.generators import box_walk, cluster, random_points, random_walk, snake


class Islands(Game):
    """Two pairs of neighbouring cells with water between them."""

    num_actions, num_cells, num_values, max_moves = 4, 4, 2, 1
    state = np.dtype([("board", np.int8, (4,)), ("player", np.int8)])

    def reset(self, s: Any) -> None:
        s.player = 0

    def legal_actions(self, s: Any, actions: Any) -> int:
        actions[0] = 0
        return 1

    def advance(self, s: Any, action: int) -> None:
        s.board[action] = 1

    def is_over(self, s: Any) -> bool:
        return bool(s.board[0] == 1)

    def scores(self, s: Any, out: Any) -> None:
        out[:] = 0.0

    def neighbours(self) -> list[list[int]]:
        return [[1], [0], [3], [2]]


class Scattered(Islands):
    """Cells without any neighbours."""

    def neighbours(self) -> list[list[int]]:
        return [[], [], [], []]


def test_fixed_sets_by_name() -> None:
    game = make("connect4")
    assert make_tuples(game, "mode1", 0) == game.tuple_sets()["mode1"]
    assert [len(t) for t in make_tuples(game, "mode1", 0)] == [8] * 70
    assert make_tuples(game, "default", 0) == next(iter(game.tuple_sets().values()))


def test_a_game_without_sets_gets_walks() -> None:
    found = make_tuples(make("connect4:columns=5,rows=4"), "default", 1)
    assert [len(t) for t in found] == [6] * 32
    assert [len(t) for t in make_tuples(Scattered(), "default", 1)] == [4] * 32


def test_several_lengths() -> None:
    found = make_tuples(make("othello"), "walk:3x6+2x4+1x1", 1)
    assert [len(t) for t in found] == [6, 6, 6, 4, 4, 1]


@pytest.mark.parametrize("kind", ["walk:20x5", "cluster:20x5", "snake:20x5", "points:20x5", "box-walk:20x5"])
def test_the_seed_decides(kind: str) -> None:
    game = make("dots")
    assert make_tuples(game, kind, 7) == make_tuples(game, kind, 7)
    assert make_tuples(game, kind, 7) != make_tuples(game, kind, 8)
    assert len({tuple(t) for t in make_tuples(game, kind, 7)}) > 10


@pytest.mark.parametrize("make_one", [random_points, random_walk, cluster, snake, box_walk])
@pytest.mark.parametrize("length", [1, 2, 7, 12])
def test_cells_are_different_and_on_the_board(make_one: Callable[..., list[int]], length: int) -> None:
    game, rng = make("dots:rows=2,columns=2"), make_rng(1)
    for _ in range(50):
        cells = make_one(game, length, rng)
        assert len(cells) == len(set(cells)) == length
        assert set(cells) <= set(range(12))


def test_a_snake_goes_on_from_its_last_cell() -> None:
    game, rng = make("connect4"), make_rng(1)
    neighbours = game.neighbours()
    for _ in range(50):
        cells = snake(game, 8, rng)
        assert len(set(cells)) == 8
        assert all(after in neighbours[before] for before, after in pairwise(cells))
    with pytest.raises(BoardlabError, match="no way over 3 cells"):
        snake(Islands(), 3, rng)
    assert len(snake(Scattered(), 3, rng)) == 3


def test_random_points_go_everywhere_alike() -> None:
    """Each ordered pair of the 9 cells comes up about equally often."""
    game, rng = make("tictactoe"), make_rng(3)
    counts = np.zeros((9, 9), int)
    for _ in range(7200):
        counts[tuple(random_points(game, 2, rng))] += 1
    assert not counts.diagonal().any()
    assert counts[~np.eye(9, dtype=bool)].min() >= 55 and counts.max() <= 150  # 100 each, 5 standard deviations


@pytest.mark.parametrize("spec", ["connect4", "hex:size=5", "2048", "dots", "sim", "othello"])
def test_each_cell_of_a_walk_is_adjacent_to_one_before_it(spec: str) -> None:
    game, rng = make(spec), make_rng(5)
    neighbours = game.neighbours()
    starts = set()
    for _ in range(100):
        walk = random_walk(game, 8, rng)
        starts.add(walk[0])
        for k in range(1, 8):
            assert any(walk[k] in neighbours[before] for before in walk[:k])
    assert len(starts) > 9


def test_the_cells_of_a_cluster_lie_closer_together_than_those_of_a_walk() -> None:
    game, rng = make("hex"), make_rng(5)
    neighbours = game.neighbours()

    def touching(cells: list[int]) -> int:
        return sum(b in neighbours[a] for a in cells for b in cells)

    drawn = [cluster(game, 6, rng) for _ in range(500)]
    assert all(any(cells[k] in neighbours[c] for c in cells[:k]) for cells in drawn for k in range(1, 6))
    walks = [random_walk(game, 6, rng) for _ in range(500)]
    assert sum(map(touching, drawn)) > 1.05 * sum(map(touching, walks))
    assert sorted(cluster(Scattered(), 4, rng)) == [0, 1, 2, 3]
    with pytest.raises(BoardlabError, match="has no 3 cells that hang together; take shorter clusters"):
        cluster(Islands(), 3, rng)


def test_a_walk_over_all_cells_exists() -> None:
    assert sorted(random_walk(make("2048"), 16, make_rng(2))) == list(range(16))


def test_a_walk_without_neighbours_takes_any_cells() -> None:
    assert sorted(random_walk(Scattered(), 4, make_rng(1))) == [0, 1, 2, 3]


def test_a_walk_that_cannot_be_so_long() -> None:
    found = [sorted(random_walk(Islands(), 2, make_rng(seed))) for seed in range(20)]
    assert all(walk in ([0, 1], [2, 3]) for walk in found)
    with pytest.raises(BoardlabError, match="has no 3 cells that hang together; take shorter walks"):
        random_walk(Islands(), 3, make_rng(1))


def is_box_walk(walk: list[int], boxes: list[list[int]], around: list[list[int]]) -> bool:
    """Whether some way from box to neighbouring box takes exactly these edges in this order, box by box, where only
    the last box may be incomplete."""
    ways = [(b, 4) for b, box in enumerate(boxes) if set(walk[:4]) == set(box)]
    seen = set(ways)
    while ways:
        here, taken = ways.pop()
        if taken == len(walk):
            return True
        for b in around[here]:
            new = set(boxes[b]) - set(walk[:taken])
            rest = walk[taken : taken + len(new)]
            if set(rest) == new if len(rest) == len(new) else set(rest) < new:
                step = (b, taken + len(rest))
                ways += [step] if step not in seen else []
                seen.add(step)
    return False


def test_box_walks_go_from_box_to_neighbouring_box() -> None:
    game, rng = make("dots:rows=4,columns=4"), make_rng(9)
    boxes, around = game.boxes(), grids.king_neighbours(4, 4)
    assert all(is_box_walk(box_walk(game, 16, rng), boxes, around) for _ in range(100))
    assert not is_box_walk([*boxes[0], *boxes[15]], boxes, around)
    assert sum(is_box_walk(random_points(game, 16, rng), boxes, around) for _ in range(100)) == 0


def test_a_box_walk_needs_boxes() -> None:
    with pytest.raises(BoardlabError, match=r"box-walk needs a game with boxes, .*; it cannot be used for Hex"):
        make_tuples(make("hex"), "box-walk:3x4", 1)


@pytest.mark.parametrize("content", ["[[0, 1, 2], [4]]", '{"tuples": [[0, 1, 2], [4]], "made by": "hand"}'])
def test_tuples_from_a_file(content: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(content)
    assert make_tuples(make("tictactoe"), str(file), 1) == [[0, 1, 2], [4]]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[[0, 1", "is not JSON"),
        ("[0, 1, 2]", "must hold a list of lists of cell numbers"),
        ('[["a", 1]]', "must hold a list of lists of cell numbers"),
        ("[[true, 1]]", "must hold a list of lists of cell numbers"),
        ('{"cells": [[0]]}', "must hold a list of lists of cell numbers"),
        ("null", "must hold a list of lists of cell numbers"),
    ],
)
def test_a_file_that_does_not_fit(content: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(content)
    with pytest.raises(BoardlabError, match=words):
        read_tuples(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BoardlabError, match=r"the tuples cannot be read: .*nothing\.json"):
        read_tuples(tmp_path / "nothing.json")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mode9", "there is no tuple set of Connect Four 'mode9'"),
        ("walks:3x4", "there is no tuple set of Connect Four 'walks:3x4'"),
        ("walk:3", "must give count and length, as walk:70x8 or walk:50x6"),
        ("walk:3x4+", "must give count and length"),
        ("points:ax4", "must give count and length"),
        ("walk:0x4", "count and length in 'walk:0x4' are 1 or more"),
        ("points:3x0", "count and length in 'points:3x0' are 1 or more"),
        ("walk:1x43", "Connect Four has 42 cells, so a tuple cannot have 43"),
        ("points:1x43", "Connect Four has 42 cells, so a tuple cannot have 43"),
    ],
)
def test_what_cannot_be_made(text: str, words: str) -> None:
    with pytest.raises(BoardlabError, match=words):
        make_tuples(make("connect4"), text, 1)


@pytest.mark.parametrize(
    ("game", "text", "needed"),
    [
        ("connect4", "walk:99999999x9", "up to 97,656.2 GB"),  # 4^9 weights of 4 bytes each
        ("tictactoe", "points:10000x2+1x9", "up to 0.0 GB"),
        ("othello", "walk:100000x6", "up to 1.5 GB"),
    ],
)
def test_absurd_numbers_are_refused_before_anything_is_drawn(game: str, text: str, needed: str) -> None:
    with pytest.raises(BoardlabError, match=rf"a network has at most 10,000; the look-up tables .* {needed} for"):
        make_tuples(make(game), text, 1)


def test_the_largest_number_of_tuples_is_taken() -> None:
    assert len(make_tuples(make("tictactoe"), "points:9999x1+1x9", 1)) == 10_000
