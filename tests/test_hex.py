"""Hex against plain breadth-first search, counting, exhaustive search and OpenSpiel."""

from __future__ import annotations

import heapq
import itertools
import math
import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay import assert_compiled_equals_plain, clickable, random_actions, replay

from boardlab import make
from boardlab.errors import BoardlabError
from boardlab.playouts import count_sequences

STEPS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]
sizes = st.integers(2, 11)
small_sizes = st.integers(2, 6)
seeds = st.integers(0, 2**32)


def around(size: int, cell: int) -> list[int]:
    x, y = divmod(cell, size)
    return [size * (x + dx) + y + dy for dx, dy in STEPS if 0 <= x + dx < size and 0 <= y + dy < size]


def has_chain(size: int, stones: set[int], player: int) -> bool:
    """Whether the stones join the two sides of the player: breadth-first search from his low side."""

    def line(cell: int) -> int:
        return divmod(cell, size)[player]

    seen = {cell for cell in stones if line(cell) == 0}
    waiting = list(seen)
    for cell in waiting:
        for other in around(size, cell):
            if other in stones and other not in seen:
                seen.add(other)
                waiting.append(other)
    return any(line(cell) == size - 1 for cell in seen)


@given(sizes, seeds)
@settings(max_examples=40, deadline=None)
def test_ends_exactly_when_a_search_finds_a_chain(size, seed):
    cells = list(range(size * size))
    random.Random(seed).shuffle(cells)
    position = make("hex", size=size).start()
    stones = (set(), set())
    winner = None
    for ply, cell in enumerate(cells):
        stones[ply % 2].add(cell)
        if winner is None:
            position.play(cell)
            assert position.cells.tolist() == [(c in stones[0]) + 2 * (c in stones[1]) for c in range(size * size)]
            assert position.is_over == has_chain(size, stones[ply % 2], ply % 2)
            if position.is_over:
                winner = ply % 2
                assert position.scores == [1.0 - 2 * winner, 2 * winner - 1.0]
                assert position.legal_actions == []
            else:
                assert position.scores == [0.0, 0.0]
                assert position.player == (ply + 1) % 2
                assert sorted(position.legal_actions) == sorted(set(range(size * size)) - stones[0] - stones[1])
    # a full board has exactly one winner: who has the chain first keeps it, and the other can have none
    assert winner is not None
    assert [has_chain(size, stones[p], p) for p in (0, 1)] == [winner == 0, winner == 1]


@pytest.mark.parametrize(("size", "games"), [(6, 20), (11, 1)])  # one and three words of free cells
def test_compiled_equals_plain(size, games):
    game = make("hex", size=size)
    for seed in range(games):
        assert_compiled_equals_plain(game, random_actions(game, seed))


def test_number_of_sequences():
    """No game is shorter than 2 size - 1 plies; those so short have a chain of `size` stones of the first player."""
    size = 3
    cells, shortest = size * size, 2 * size - 1
    chains = sum(has_chain(size, set(c), 0) for c in itertools.combinations(range(cells), size))
    counts = count_sequences(make("hex", size=size), shortest + 1)
    for depth in range(shortest + 1):
        assert counts[depth, 0] == math.perm(cells, depth)
        assert counts[depth, 1] == (
            0 if depth < shortest else chains * math.factorial(size) * math.perm(cells - size, size - 1)
        )
    assert counts[shortest + 1, 0] == (counts[shortest, 0] - counts[shortest, 1]) * (cells - shortest)


def plain_winning_openings(size: int) -> list[int]:
    """First moves that win for the first player, by search with `has_chain`."""

    @cache
    def mover_wins(own: frozenset[int], other: frozenset[int], player: int) -> bool:
        free = set(range(size * size)) - own - other
        return any(
            has_chain(size, set(own | {c}), player) or not mover_wins(other, own | {c}, 1 - player) for c in free
        )

    return [c for c in range(size * size) if not mover_wins(frozenset(), frozenset({c}), 1)]


def winning_openings(size: int) -> list[int]:
    """The same by the rules of the game."""
    game = make("hex", size=size)
    known: dict[bytes, bool] = {}

    def mover_wins(position) -> bool:
        key = position.cells.tobytes()
        if key not in known:
            known[key] = not position.is_over and any(
                not mover_wins(position.copy().play(a)) for a in position.legal_actions
            )
        return known[key]

    return [a for a in range(game.num_actions) if not mover_wins(game.start().play(a))]


@pytest.mark.parametrize("size", [2, 3])
def test_first_player_wins_small_boards(size):
    openings = winning_openings(size)
    assert openings == plain_winning_openings(size)
    assert openings
    assert set(range(size - 1, size * size - 1, size - 1)) <= set(openings)  # the short diagonal


@given(small_sizes, seeds)
@settings(max_examples=20, deadline=None)
def test_turned_games_are_equivalent(size, seed):
    game = make("hex", size=size)
    actions = random_actions(game, seed)
    original = replay(game, actions, compiled=False)
    for cells, moves in zip(game.symmetries(), game.action_symmetries(), strict=True):
        other = replay(game, [int(moves[a]) for a in actions], compiled=False)
        assert np.array_equal(other["cells"], original["cells"][:, cells])
        assert np.array_equal(other["facts"], original["facts"])
        assert np.array_equal(other["scores"], original["scores"])
    assert game.symmetries().tolist() == [list(range(size * size)), list(range(size * size))[::-1]]


@given(small_sizes, seeds)
@settings(max_examples=20, deadline=None)
def test_inverted_board_puts_the_second_player_in_the_place_of_the_first(size, seed):
    game = make("hex", size=size)
    told = replay(game, random_actions(game, seed), compiled=False)
    for cells, (first, second), scores in zip(told["cells"], told["views"], told["scores"], strict=True):
        assert np.array_equal(first, cells)
        mirrored = np.array([0, 2, 1])[cells].reshape(size, size).T.ravel()
        assert np.array_equal(second, mirrored)
        assert has_chain(size, set(np.flatnonzero(second == 1).tolist()), 0) == (scores[1] == 1.0)


@given(small_sizes, seeds)
@settings(max_examples=20, deadline=None)
def test_features_count_stones_and_shortest_connections(size, seed):
    game = make("hex", size=size)
    told = replay(game, random_actions(game, seed)[: seed % (size * size)], compiled=False)
    cells = told["cells"][-1].tolist()
    features = told["features"][-1]
    assert features[0].tolist() == cells
    for player in (0, 1):
        assert features[1, 2 * player] == cells.count(player + 1)
        assert features[1, 2 * player + 1] == shortest_connection(size, cells, player)


def shortest_connection(size: int, cells: list[int], player: int) -> int:
    """Dijkstra from the low side; size * size where the other player has cut it off."""
    cost = {c: int(v == 0) for c, v in enumerate(cells) if v in (0, player + 1)}
    queue = [(cost[c], c) for c in cost if divmod(c, size)[player] == 0]
    heapq.heapify(queue)
    done = set()
    while queue:
        length, cell = heapq.heappop(queue)
        if divmod(cell, size)[player] == size - 1:
            return length
        if cell not in done:
            done.add(cell)
            for other in around(size, cell):
                if other in cost:
                    heapq.heappush(queue, (length + cost[other], other))
    return size * size


def test_neighbours_and_tuple_sets():
    game = make("hex")
    neighbours = game.neighbours()
    assert [sorted(n) for n in neighbours] == [sorted(around(6, c)) for c in range(36)]
    sets = game.tuple_sets()
    assert [len(t) for t in sets["mode2"]] == [6] * 25
    for walk in sets["mode2"]:  # a random walk on this board leaves a connected set of cells
        reached = walk[:1]
        for cell in reached:
            reached += [n for n in neighbours[cell] if n in walk and n not in reached]
        assert sorted(reached) == sorted(walk)
    assert make("hex", size=5).tuple_sets() == {}


@pytest.mark.parametrize("size", [2, 3, 6, 11])
def test_agrees_with_open_spiel(size):
    pyspiel = pytest.importorskip("pyspiel")
    reference_game = pyspiel.load_game(f"hex(board_size={size})")
    rng = random.Random(size)
    for _ in range(10):
        position = make("hex", size=size).start()
        reference = reference_game.new_initial_state()
        while not reference.is_terminal():
            assert position.player == reference.current_player()
            assert sorted(position.legal_actions) == reference.legal_actions()
            action = rng.choice(position.legal_actions)
            position.play(action)
            reference.apply_action(action)
        assert position.is_over
        assert position.scores == reference.returns()


def test_text_names_and_picture():
    position = make("hex", size=3).start()
    position.play("a1").play("C1").play("b2").play("a3")
    assert str(position) == "   a b c\n 1 X . O\n  2 . X .\n   3 O . .\nX to move"
    assert position.legal_actions == [1, 3, 5, 7, 8]
    assert clickable(position.svg()) == list(range(9))
    position.play("a2").play("c3").play("b3")
    assert position.status == "game over, X won (1 : -1)"


def test_wrong_sizes_are_refused():
    for size in (1, 12):
        with pytest.raises(BoardlabError, match="from 2 to 11"):
            make("hex", size=size)
