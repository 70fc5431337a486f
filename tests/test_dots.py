"""Dots and Boxes against boxes counted from sets of dot pairs, exhaustive search, published values and OpenSpiel."""

from __future__ import annotations

import itertools
import math
import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay import assert_compiled_equals_plain, clickable, random_actions, replay

from boardlab import check_game, make
from boardlab.compiler import kernel
from boardlab.errors import BoardlabError
from boardlab.ntuple.creation import make_tuples
from boardlab.playouts import count_sequences

sides = st.integers(1, 5)
seeds = st.integers(0, 2**32)


def edges_of(rows: int, columns: int) -> list[frozenset]:
    """The edges in their order: the horizontal ones row by row, then the vertical ones row by row."""
    horizontal = [frozenset({(r, c), (r, c + 1)}) for r in range(rows + 1) for c in range(columns)]
    vertical = [frozenset({(r, c), (r + 1, c)}) for r in range(rows) for c in range(columns + 1)]
    return horizontal + vertical


def boxes_of(rows: int, columns: int) -> list[set]:
    """The edges of each box: those with both dots among its four corners."""
    edges = edges_of(rows, columns)
    corners = [{(r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)} for r in range(rows) for c in range(columns)]
    return [{e for e in edges if e <= square} for square in corners]


@given(sides, sides, seeds)
@settings(max_examples=40, deadline=None)
def test_boxes_margin_and_turns_follow_from_the_edges(rows, columns, seed):
    position = make("dots", rows=rows, columns=columns).start()
    edges, boxes = edges_of(rows, columns), boxes_of(rows, columns)
    order = list(range(len(edges)))
    random.Random(seed).shuffle(order)
    drawn: set = set()
    owned = [0, 0]
    player = 0
    for k, edge in enumerate(order):
        assert not position.is_over
        assert position.player == player
        assert position.legal_actions == sorted(order[k:])
        complete = sum(box <= drawn for box in boxes)
        drawn.add(edges[edge])
        taken = sum(box <= drawn for box in boxes) - complete
        owned[player] += taken
        player = player if taken else 1 - player
        position.play(edge)
        assert position.scores == [owned[0] - owned[1], owned[1] - owned[0]]
        assert position.cells.tolist() == [int(e in drawn) for e in edges]
    assert position.is_over
    assert sum(owned) == rows * columns
    low, high = position.game.score_range
    assert low <= min(position.scores) and max(position.scores) <= high == rows * columns


@pytest.mark.parametrize("spec", ["dots:rows=2,columns=3", "dots:rows=5,columns=5"])
def test_compiled_equals_plain(spec):
    game = make(spec)
    for seed in range(15):
        assert_compiled_equals_plain(game, random_actions(game, seed))


def test_every_order_of_the_edges_is_a_game():
    counts = count_sequences(make("dots", rows=1, columns=2), 7)
    assert counts[:, 0].tolist() == [math.perm(7, d) for d in range(8)]
    assert counts[:, 1].tolist() == [0] * 7 + [math.factorial(7)]


def best_margin(rows: int, columns: int):
    """Own boxes minus the other's that the mover can still make, for every set of edges drawn (a bitmask)."""
    edges = edges_of(rows, columns)
    masks = [sum(1 << i for i, e in enumerate(edges) if e in box) for box in boxes_of(rows, columns)]

    @cache
    def value(drawn: int) -> int:
        results = []
        for i in range(len(edges)):
            if not drawn >> i & 1:
                after = drawn | 1 << i
                taken = sum(after & m == m and drawn & m != m for m in masks)
                results.append(taken + value(after) if taken else -value(after))
        return max(results, default=0)

    return value


def best_margin_by_the_game(game) -> int:
    """The same for the start position, by the rules of the game and the scores it gives on the way."""
    known: dict[bytes, float] = {}

    def value(position) -> float:
        key = position.cells.tobytes()
        if key not in known:
            player = position.player
            results = []
            for action in position.legal_actions:
                after = position.copy().play(action)
                reward = after.scores[player] - position.scores[player]
                results.append(reward + (1 if after.player == player else -1) * value(after))
            known[key] = max(results, default=0.0)
        return known[key]

    return int(value(game.start()))


@pytest.mark.parametrize(
    ("rows", "columns", "margin"),
    [
        (1, 1, -1),  # the fourth edge takes the box, and it is the second player's
        (1, 2, None),
        (2, 1, None),
        (1, 3, None),
        (2, 2, 2),  # published as a win of the first player; the search makes it 3 : 1
    ],
)
def test_values_of_small_boards(rows, columns, margin):
    found = best_margin_by_the_game(make("dots", rows=rows, columns=columns))
    assert found == best_margin(rows, columns)(0)
    assert margin is None or found == margin


@kernel
def _solve_by_the_game(game, states, value):
    """Retrograde over all sets of edges (value: (2^edges,)); a set depends only on larger numbers."""
    actions = np.empty(game.num_actions, np.int64)
    before, after = np.empty(2), np.empty(2)
    for drawn in range(len(value) - 2, -1, -1):
        states[0] = states[2]
        game.reset(states[0])
        states[0].edges = drawn
        game.scores(states[0], before)
        best = -100
        for i in range(game.legal_actions(states[0], actions)):
            states[1] = states[0]
            game.advance(states[1], actions[i])
            game.scores(states[1], after)
            rest = value[drawn | 1 << actions[i]]
            gain = int(after[0] - before[0])
            best = max(best, gain + rest if game.player(states[1]) == 0 else gain - rest)
        value[drawn] = best


@kernel
def _solve_by_masks(masks, edges, value):
    """The same by the masks of the boxes alone."""
    for drawn in range(len(value) - 2, -1, -1):
        best = -100
        for i in range(edges):
            after = drawn | 1 << i
            if after != drawn:
                taken = 0
                for mask in masks:
                    taken += after & mask == mask and drawn & mask != mask
                best = max(best, taken + value[after] if taken else -value[after])
        value[drawn] = best


@pytest.mark.slow
def test_second_player_wins_three_by_three():
    """He wins by 6 : 3; the values of all 2^24 sets of edges agree."""
    game = make("dots")
    found, expected = np.zeros((2, 1 << 24), np.int8)
    _solve_by_the_game(game, np.zeros(3, game.state), found)
    edges = edges_of(3, 3)
    masks = np.array([sum(1 << edges.index(e) for e in box) for box in boxes_of(3, 3)])
    _solve_by_masks(masks, len(edges), expected)
    assert np.array_equal(found, expected)
    assert found[0] == -3


@given(sides, sides, seeds)
@settings(max_examples=25, deadline=None)
def test_symmetric_games_are_equivalent(rows, columns, seed):
    game = make("dots", rows=rows, columns=columns)
    symmetries = game.symmetries()
    assert len(symmetries) == (8 if rows == columns else 4)
    assert len(np.unique(symmetries, axis=0)) == len(symmetries)
    assert symmetries[0].tolist() == list(range(game.num_cells))
    actions = random_actions(game, seed)
    original = replay(game, actions, compiled=False)
    for cells, moves in zip(symmetries, game.action_symmetries(), strict=True):
        other = replay(game, [int(moves[a]) for a in actions], compiled=False)
        assert np.array_equal(other["cells"], original["cells"][:, cells])
        for name in ("facts", "scores"):
            assert np.array_equal(other[name], original[name])


@given(sides, sides, seeds)
@settings(max_examples=25, deadline=None)
def test_exchanged_corner_edges_make_no_difference(rows, columns, seed):
    """Any subset of the pairs may be exchanged at once: moves and boxes stay the same throughout the game."""
    game = make("dots", rows=rows, columns=columns)
    exchange = np.arange(game.num_cells)
    rng = random.Random(seed)
    for first, second in game.exchangeable_cells().tolist():
        if rng.random() < 0.7:
            exchange[[first, second]] = second, first
    actions = random_actions(game, seed)
    original = replay(game, actions, compiled=False)
    other = replay(game, [int(exchange[a]) for a in actions], compiled=False)
    assert np.array_equal(other["cells"], original["cells"][:, exchange])
    for name in ("facts", "scores"):
        assert np.array_equal(other[name], original[name])


@given(sides, sides, seeds)
@settings(max_examples=25, deadline=None)
def test_with_coding_3_cells_count_the_edges_that_are_alike(rows, columns, seed):
    """Edges of one box alone, the same one, all say how many of them are drawn, and the last cell how many of all."""
    game = make("dots", rows=rows, columns=columns, coding=3)
    edges, boxes = edges_of(rows, columns), boxes_of(rows, columns)
    beside = [[b for b, box in enumerate(boxes) if e in box] for e in edges]
    drawn: set[int] = set()
    position = game.start()
    for action in random_actions(game, seed):
        alike = [
            {o for o in range(len(edges)) if o == e or (beside[o] == beside[e] and len(beside[e]) == 1)}
            for e in range(len(edges))
        ]
        assert position.cells.tolist() == [*(len(drawn & same) for same in alike), len(drawn)]
        assert (position.cells < game.cell_values()).all()
        position.play(action)
        drawn.add(action)
    plain = make("dots", rows=rows, columns=columns)
    exchange = np.arange(plain.num_cells)
    for first, second in plain.exchangeable_cells().tolist():
        exchange[[first, second]] = second, first
    actions = random_actions(game, seed)
    other = replay(game, [int(exchange[a]) for a in actions], compiled=False)
    assert np.array_equal(other["cells"], replay(game, actions, compiled=False)["cells"])


@pytest.mark.parametrize("spec", ["dots:rows=2,columns=3,coding=3", "dots:rows=1,columns=2,coding=3"])
def test_coding_3_passes_all_checks(spec):
    assert check_game(make(spec), games=30).games == 30


def test_every_walk_over_boxes_sees_the_number_of_edges():
    plain, counting = make("dots"), make("dots:coding=3")
    for length in (1, 5, 12):
        walks = make_tuples(plain, f"box-walk:9x{length}", 3)
        assert make_tuples(counting, f"box-walk:9x{length + 1}", 3) == [[24, *walk] for walk in walks]


def test_exchangeable_pairs_are_the_corners():
    for rows, columns in itertools.product(range(1, 6), repeat=2):
        game = make("dots", rows=rows, columns=columns)
        pairs = game.exchangeable_cells().tolist()
        assert len({edge for pair in pairs for edge in pair}) == 2 * len(pairs)
        if rows > 1 and columns > 1:
            edges = edges_of(rows, columns)
            shared = {dot for a, b in pairs for dot in edges[a] & edges[b]}
            assert shared == {(0, 0), (0, columns), (rows, 0), (rows, columns)}
    assert len(make("dots", rows=1, columns=1).exchangeable_cells()) == 2


def test_exchanging_a_pair_keeps_the_value_of_every_position():
    for rows, columns in ((2, 2), (1, 3)):
        value = best_margin(rows, columns)
        game = make("dots", rows=rows, columns=columns)
        for a, b in game.exchangeable_cells().tolist():
            for drawn in range(1 << game.num_cells):
                if drawn >> a & 1 and not drawn >> b & 1:
                    assert value(drawn) == value(drawn ^ (1 << a) ^ (1 << b))


@given(sides, sides)
@settings(max_examples=25, deadline=None)
def test_geometry(rows, columns):
    game = make("dots", rows=rows, columns=columns)
    edges = edges_of(rows, columns)
    assert game.num_actions == len(edges)
    boxes = game.boxes()
    assert [{edges[e] for e in box} for box in boxes] == boxes_of(rows, columns)
    for edge, near in enumerate(game.neighbours()):
        meet = [o for o in range(len(edges)) if len(edges[edge] & edges[o]) == 1]
        share = [o for box in boxes if edge in box for o in box if o != edge]
        assert near == sorted({*meet, *share})


def test_features():
    game = make("dots", rows=2, columns=2)
    position = game.start()
    for name in ("a1-b1", "a1-a2", "b1-b2", "c1-c2", "a2-b2"):  # the fifth edge closes the first box, X moves again
        position.play(name)
    out = np.zeros(7)
    game.features(position.state, 1, out)
    assert out.tolist() == [1, 1, 1, 0, 1, 1, 0]
    position.play("b2-c2")
    game.features(position.state, 1, out)
    assert out.tolist() == [0, 2, 0, 1, 1, 1, 1]
    everything = np.zeros(12)
    game.features(position.state, 0, everything)
    assert everything.tolist() == position.cells.tolist()


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 3), (3, 2), (5, 5)])
def test_agrees_with_open_spiel(rows, columns):
    pyspiel = pytest.importorskip("pyspiel")
    reference_game = pyspiel.load_game(f"dots_and_boxes(num_rows={rows},num_cols={columns},utility_margin=true)")
    rng = random.Random(rows)
    for _ in range(10):
        position = make("dots", rows=rows, columns=columns).start()
        reference = reference_game.new_initial_state()
        while not reference.is_terminal():
            assert position.player == reference.current_player()
            assert position.legal_actions == reference.legal_actions()
            action = rng.choice(position.legal_actions)
            position.play(action)
            reference.apply_action(action)
        assert position.is_over
        assert position.scores == reference.returns()


def test_names_text_and_picture():
    position = make("dots", rows=1, columns=2).start()
    position.play("a1-b1").play("A2-A1").play("b2 a2").play("b1b2")
    assert position.player == 1  # O closed the left box and moves again
    assert position.play("c1-c2").player == 0
    lines = ["   a   b   c", " 1 +---+   +", "   | O |   |", " 2 +---+   +", "X to move"]
    assert str(position) == "\n".join(lines)
    assert clickable(position.svg()) == position.legal_actions
    for action in range(position.game.num_actions):
        assert position.game.parse_action(position.game.action_name(action)) == action
    for wrong in ("a1-c1", "a1-b2", "a1", "c1-d1"):
        with pytest.raises(BoardlabError, match="two neighbouring dots"):
            position.play(wrong)
    position.play("b1-c1").play("b2-c2")
    assert position.status == "game over, O won (-2 : 2)"
    assert clickable(position.svg()) == []


def test_wrong_sizes_are_refused():
    for wrong in ({"rows": 0}, {"columns": 6}):
        with pytest.raises(BoardlabError, match="from 1 to 5"):
            make("dots", **wrong)
