"""Look-up indices against the plain definition: a tuple on a symmetric board is the list of the values of its cells,
and each such list has a weight of its own."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learners import by_pattern, largest_difference, make_learner
from reference_learner import Options

from boardlab import BoardlabError, Game, make, make_rng
from boardlab.compiler import kernel
from boardlab.games.connect4 import ConnectFour
from boardlab.ntuple import board as board_module
from boardlab.ntuple import indexing
from boardlab.ntuple.creation import make_tuples
from boardlab.ntuple.layout import Layout, make_layout


class MixedCells(Game):
    """Three dials with 2, 3 and 5 places and a fourth that never moves; a turn of a dial is a move, eight in all."""

    num_players, num_actions, max_moves = 1, 3, 8
    num_cells, num_values = 4, (2, 3, 5, 1)
    state = np.dtype([("board", np.int8, (4,)), ("moves", np.int8), ("player", np.int8)])

    def reset(self, s: Any) -> None:
        s.moves = 0

    def legal_actions(self, s: Any, actions: Any) -> int:
        for i in range(3):
            actions[i] = i
        return 3

    def advance(self, s: Any, action: int) -> None:
        s.board[action] = (int(s.board[action]) + 1) % self.num_values[action]
        s.moves = int(s.moves) + 1

    def is_over(self, s: Any) -> bool:
        return int(s.moves) == 8

    def scores(self, s: Any, out: Any) -> None:
        out[0] = 1.0 if int(s.board[0]) + int(s.board[1]) + int(s.board[2]) == 7 else 0.0


class SingleCellConnectFour(ConnectFour):
    """Connect Four that does not tell which cells depend on each other."""

    name = "single-cell-connect4"

    def cell_groups(self) -> list[tuple[list[int], np.ndarray]]:
        return []


@kernel
def begin(structure, board, cells):
    indexing.copy_values(cells, board.cells[0])
    indexing.set_up(structure, board.cells[0], board.codes[0], board.indices[0])


@kernel
def go_on(structure, board, cells):
    indexing.copy_values(cells, board.after)
    indexing.follow(structure, board, 0)


@kernel
def variants(structure, board, cells, out):
    indexing.copy_values(cells, board.after)
    indexing.set_up(structure, board.after, board.variant_codes, board.plain)
    return indexing.variant_indices(structure, board, board.after, board.plain, out)


def random_boards(game: Game, seed: int) -> list[np.ndarray]:
    """The cells after every step of a random game, chance events included."""
    draws, rng = random.Random(seed), make_rng(seed)
    position = game.start().roll(rng)
    boards = [position.cells]
    while not position.is_over:
        position.play(draws.choice(position.legal_actions))
        boards.append(position.cells)
        if position.is_chance:
            boards.append(position.roll(rng).cells)
    return boards


def look_up(game: Game, layout: Layout, cells: np.ndarray) -> list[int]:
    """The index of every entry of a board, from scratch."""
    board = board_module.make_board(game, layout.structure, 1)
    begin(layout.structure, board, cells)
    return board.indices[0].tolist()


def patterns(game: Game, layout: Layout, cells: np.ndarray, *, symmetries: bool = True) -> list[tuple[int, list[int]]]:
    """Tuple and cell values of every entry, by the definition."""
    boards = [cells[row] for row in game.symmetries()] if symmetries else [cells]
    found = [(t, [int(b[c]) for c in cells_of_t]) for b in boards for t, cells_of_t in enumerate(layout.tuples)]
    return sorted(found, key=lambda entry: entry[0]) if layout.by_tuple else found


GAMES = [
    ("tictactoe", "walk:4x3+2x5"),
    ("connect4", "mode1"),
    ("connect4:columns=5,rows=4,coding=3", "points:6x5"),
    ("2048", "walk:3x4"),
    ("othello:size=6", "walk:5x4"),
    ("othello:size=6", "walk:16x3"),
    ("hex:size=4", "walk:5x4"),
    ("nim:permute=true", "default"),
    ("sim:nodes=5,players=3", "points:4x4"),
    ("dots:rows=2,columns=3", "box-walk:3x7"),
    (MixedCells(), "points:2x3+1x4"),
]


@pytest.mark.parametrize(("spec", "tuples"), GAMES)
def test_each_pattern_has_one_index_and_each_index_one_pattern(spec: str | Game, tuples: str) -> None:
    """Over whole games: the indices that follow the moves are those from scratch, and they stand for the patterns."""
    game = make(spec) if isinstance(spec, str) else spec
    layout = make_layout(game, make_tuples(game, tuples, 3))
    for seed in range(4):
        boards = random_boards(game, seed)
        followed = board_module.make_board(game, layout.structure, 1)
        begin(layout.structure, followed, boards[0])
        for cells in boards:
            go_on(layout.structure, followed, cells)
            indices = followed.indices[0].tolist()
            assert indices == look_up(game, layout, cells)
            for index, (t, pattern) in zip(indices, patterns(game, layout, cells), strict=True):
                inside = index - layout.offsets[t]
                assert 0 <= inside < layout.sizes[t]
                assert layout.pattern(t, inside) == pattern


@pytest.mark.parametrize(("spec", "tuples"), GAMES)
def test_no_two_indices_stand_for_the_same_pattern(spec: str | Game, tuples: str) -> None:
    game = make(spec) if isinstance(spec, str) else spec
    layout = make_layout(game, make_tuples(game, tuples, 3))
    for t in range(min(6, len(layout.tuples))):
        some = range(min(layout.sizes[t], 5000))
        assert len({tuple(layout.pattern(t, index)) for index in some}) == len(some)
    assert layout.num_weights == sum(layout.sizes)
    ends = [o + s for o, s in zip(layout.offsets, layout.sizes, strict=True)]
    assert [0, *ends] == [*layout.offsets, layout.num_weights]  # the tables lie side by side


def test_lists_of_changes_may_overflow(monkeypatch: pytest.MonkeyPatch) -> None:
    """With hardly any room the lists are collected again and again, and the indices stay right."""
    monkeypatch.setattr(board_module, "_CHANGE_ROOM", 1)
    monkeypatch.setattr(board_module, "_ROW_ROOM", 1)
    game = make("othello:size=6")
    layout = make_layout(game, make_tuples(game, "walk:20x4", 3))
    boards = [cells for seed in range(3) for cells in random_boards(game, seed)]
    board = board_module.make_board(game, layout.structure, 1)
    begin(layout.structure, board, boards[0])
    rows_used = []
    for cells in boards:
        go_on(layout.structure, board, cells)
        assert board.indices[0].tolist() == look_up(game, layout, cells)
        rows_used.append(int(board.used[1]))
    assert rows_used != sorted(rows_used)  # they were forgotten in between


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_jump_can_be_followed(data: st.DataObject) -> None:
    """From any board to any other, however many cells change."""
    game = make("2048")
    layout = make_layout(game, [[0, 1, 4, 5], [15, 3], [7]])
    board = board_module.make_board(game, layout.structure, 1)
    cells = st.lists(st.integers(0, 17), min_size=16, max_size=16).map(lambda values: np.array(values, np.int8))
    begin(layout.structure, board, data.draw(cells))
    target = data.draw(cells)
    go_on(layout.structure, board, target)
    assert board.indices[0].tolist() == look_up(game, layout, target)


@pytest.mark.parametrize("spec", ["tictactoe", "connect4", "othello:size=6", "hex:size=4", "2048", "nim:permute=true"])
def test_symmetric_boards_look_up_the_same_weights(spec: str) -> None:
    game = make(spec)
    layout = make_layout(game, make_tuples(game, "walk:6x3", 4))
    for cells in random_boards(game, 5):
        found = [sorted(look_up(game, layout, cells[row])) for row in game.symmetries()]
        assert all(indices == found[0] for indices in found)


def test_symmetries_can_be_switched_off() -> None:
    game = make("tictactoe")
    tuples = [[0, 1, 2, 5], [8, 4]]
    layout = make_layout(game, tuples, symmetries=False)
    for cells in random_boards(game, 2):
        indices = look_up(game, layout, cells)
        assert len(indices) == len(tuples)
        for index, (t, pattern) in zip(indices, patterns(game, layout, cells, symmetries=False), strict=True):
            assert layout.pattern(t, index - layout.offsets[t]) == pattern


def test_groups_of_cells_leave_out_what_cannot_occur() -> None:
    """A column of Connect Four with the paper's coding has 127 states instead of 4^6."""
    grouped, single = make("connect4"), SingleCellConnectFour()
    tuples = make_tuples(grouped, "mode1", 0)
    small, large = make_layout(grouped, tuples), make_layout(single, tuples)
    assert set(large.sizes) == {4**8}
    assert small.num_weights < 0.09 * large.num_weights
    column = make_layout(grouped, [list(range(6))])
    assert column.sizes == (sum(2**height for height in range(7)),)
    possible = {tuple(column.pattern(0, index)) for index in range(column.sizes[0])}
    assert (1, 2, 3, 0, 0, 0) in possible and (3, 0, 0, 0, 0, 0) in possible and (0, 1, 0, 0, 0, 0) not in possible


@pytest.mark.slow
def test_groups_of_cells_do_not_change_what_is_learned() -> None:
    """All moves are random, so that both learn from the same games; sums are rounded differently."""
    games = make("connect4:columns=5,rows=4"), SingleCellConnectFour(columns=5, rows=4)
    options = Options(make_tuples(games[0], "walk:8x5", 1), rule="tcl-exp", initial=0.1, lam=0.5, horizon=4)
    learners = [make_learner(game, options, seed=1) for game in games]
    for learner in learners:
        learner.train(np.full(500, 1.0), np.full(500, 1.0))
    weights = [by_pattern(learner.values.layout, learner.network.weights) for learner in learners]
    assert len(weights[0]) > 1000
    assert largest_difference(*weights) < 1e-5


def test_cells_with_differing_numbers_of_values() -> None:
    layout = make_layout(MixedCells(), [[0, 1, 2], [2, 0], [3]])
    assert layout.sizes == (2 * 3 * 5, 5 * 2, 1)
    possible = {tuple(layout.pattern(1, index)) for index in range(10)}
    assert possible == set(itertools.product(range(5), range(2)))


@pytest.mark.parametrize("spec", ["dots:rows=2,columns=2", "dots:rows=1,columns=3"])
def test_exchangeable_cells(spec: str) -> None:
    """All boards that come from exchanging pairs of differing values, each with all its symmetric boards."""
    game = make(spec)
    layout = make_layout(game, make_tuples(game, "walk:3x5", 2))
    board = board_module.make_board(game, layout.structure, 1)
    met = set()
    for cells in random_boards(game, 3) + random_boards(game, 4):
        differing = [(a, b) for a, b in game.exchangeable_cells() if cells[a] != cells[b]]
        expected: Counter[tuple[int, tuple[int, ...]]] = Counter()
        for chosen in itertools.chain.from_iterable(
            itertools.combinations(differing, size) for size in range(len(differing) + 1)
        ):
            exchanged = cells.copy()
            for a, b in chosen:
                exchanged[[a, b]] = exchanged[[b, a]]
            expected.update((t, tuple(pattern)) for t, pattern in patterns(game, layout, exchanged))
        n = variants(layout.structure, board, cells, board.moved)
        assert n == len(layout.structure.base) << len(differing)
        found = []
        for k, index in enumerate(board.moved[:n].tolist()):
            t = k % len(layout.tuples)
            found.append((t, tuple(layout.pattern(t, index - layout.offsets[t]))))
        assert Counter(found) == expected
        met.add(len(differing))
    assert {0, 1, 2} <= met


def test_without_symmetries_nothing_is_exchanged() -> None:
    layout = make_layout(make("dots:rows=2,columns=2"), [[0, 1, 2]], symmetries=False)
    assert layout.structure.pairs.shape == (0, 2)


def test_an_empty_tuple_is_a_bias() -> None:
    game = make("tictactoe")
    layout = make_layout(game, [[0, 1], []])
    assert layout.sizes == (9, 1)
    assert layout.pattern(1, 0) == []
    for cells in random_boards(game, 1):
        assert look_up(game, layout, cells)[1::2] == [9] * 8


def test_eight_symmetric_boards_of_a_tuple_lie_side_by_side() -> None:
    """Unless there are others beside them: fewer boards, or cells that are exchanged, or a few tuples."""

    def by_tuple(spec: str, tuples: int = 16, some: list[int] | None = None) -> bool:
        return make_layout(make(spec), [[0, k + 1] for k in range(tuples)], some=some).by_tuple

    orders = {spec: by_tuple(spec) for spec in ("othello", "hex", "dots", "connect4")}
    assert orders == {"othello": True, "hex": False, "dots": False, "connect4": False}
    assert by_tuple("tictactoe", 1) and not by_tuple("2048", 4) and not by_tuple("othello", some=[0, 3])


@pytest.mark.parametrize(
    ("spec", "tuples", "number"),
    [
        ("2048", [list(range(8))], 18**8),
        ("2048", [list(range(16))], 18**16),  # beyond 64 bits
        ("othello", [list(range(32))], 4**32),  # 2^64, which would wrap to 0
        ("hex:size=6", [list(range(19)), list(range(20))], 3**19 + 3**20),
    ],
)
def test_too_many_weights_are_refused_with_their_number(spec: str, tuples: list[list[int]], number: int) -> None:
    with pytest.raises(BoardlabError, match=f"need {number:,} weights a table set; at most 2,147,483,647"):
        make_layout(make(spec), tuples)


@pytest.mark.parametrize(
    ("tuples", "words"),
    [
        ([], "at least one tuple"),
        ([[0, 1], [3, 3]], r"different cells in 0\.\.8, not \[3, 3\]"),
        ([[0, 9]], r"different cells in 0\.\.8, not \[0, 9\]"),
        ([[-1]], r"different cells in 0\.\.8, not \[-1\]"),
    ],
)
def test_tuples_that_do_not_fit_the_board(tuples: list[list[int]], words: str) -> None:
    with pytest.raises(BoardlabError, match=words):
        make_layout(make("tictactoe"), tuples)


def test_a_game_without_cells() -> None:
    class NoCells(MixedCells):
        num_cells = 0

    with pytest.raises(BoardlabError, match="has no cells, so n-tuples cannot see it"):
        make_layout(NoCells(), [[0]])


def test_many_tuples_on_few_cells_are_laid_out_without_repeating_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand walks over the 24 edges of Dots and Boxes: what a cell can hold is found once for each of them."""
    game, unique, asked = make("dots"), np.unique, Counter[str]()

    def counted(*values: Any, **more: Any) -> Any:
        asked["unique"] += 1
        return unique(*values, **more)

    monkeypatch.setattr(np, "unique", counted)
    layout = make_layout(game, make_tuples(game, "walk:1000x12", 1))
    assert len(layout.sizes) == 1000 and set(layout.sizes) == {2**12}
    assert asked["unique"] <= game.num_cells


def test_cells_in_twos_give_the_indices_of_single_cells() -> None:
    """2048 has rows of couples, Othello too many entries for them; both are held against `set_up`."""
    for spec, tuples, coupled in (("2048", "mode2", True), ("othello", "walk:50x6", False)):
        game = make(spec)
        structure = make_layout(game, make_tuples(game, tuples, 1)).structure
        assert (len(structure.couple_rows) > 0) == coupled
        rng = np.random.default_rng(7)
        slow, fast = np.zeros((2, len(structure.base)), np.int32)
        codes = np.zeros(len(structure.num_states), np.int32)
        for _ in range(200):
            cells = rng.integers(0, game.num_values, game.num_cells).astype(np.int8)
            indexing.set_up(structure, cells, codes, slow)
            indexing.fresh_indices(structure, cells, codes, fast)
            assert (slow == fast).all()
