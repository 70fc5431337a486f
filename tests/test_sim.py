"""Sim against triangles looked for one by one, Ramsey's theorem, exhaustive search and the published winner."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay import assert_compiled_equals_plain, clickable, random_actions, replay

from boardlab import make
from boardlab.compiler import kernel
from boardlab.errors import BoardlabError
from boardlab.playouts import count_sequences

all_nodes = st.integers(4, 20)
all_players = st.sampled_from([2, 3])
seeds = st.integers(0, 2**32)


def has_triangle(nodes: int, colours: dict[tuple[int, int], int], player: int) -> bool:
    return any(
        all(colours.get(edge) == player for edge in itertools.combinations(three, 2))
        for three in itertools.combinations(range(nodes), 3)
    )


@given(st.integers(4, 12), all_players, seeds)
@settings(max_examples=40, deadline=None)
def test_who_makes_a_triangle_is_out(nodes, players, seed):
    position = make("sim", nodes=nodes, players=players).start()
    edges = list(itertools.combinations(range(nodes), 2))
    order = list(range(len(edges)))
    random.Random(seed).shuffle(order)
    colours: dict[tuple[int, int], int] = {}
    left = list(range(players))
    player = 0
    for k, action in enumerate(order):
        assert position.player == player
        assert position.legal_actions == sorted(order[k:])
        position.play(action)
        colours[edges[action]] = player
        following = left[(left.index(player) + 1) % len(left)]
        if has_triangle(nodes, colours, player):
            left.remove(player)
        player = following
        assert position.cells.tolist() == [colours.get(e, -1) + 1 for e in edges]
        won = 1.0 if len(left) == 1 else 0.0
        assert position.scores == [won if p in left else -1.0 for p in range(players)]
        assert position.is_over == (len(left) == 1 or len(colours) == len(edges))
        if position.is_over:
            break
    if nodes >= {2: 6, 3: 17}[players]:
        assert len(left) == 1


@pytest.mark.parametrize("spec", ["sim", "sim:nodes=9,players=3"])
def test_compiled_equals_plain(spec):
    game = make(spec)
    for seed in range(15):
        assert_compiled_equals_plain(game, random_actions(game, seed))


def test_number_of_sequences():
    """A player needs three edges for a triangle, so no game of four nodes ends before the fifth ply. Of the first
    player's three edges, 4 of the 20 sets are a triangle; the second player has his three after ply 6."""
    counts = count_sequences(make("sim", nodes=4), 6)
    assert counts[:6, 0].tolist() == [math.perm(6, d) for d in range(6)]
    ended = 4 * math.factorial(3) * math.perm(3, 2)
    assert counts[:6, 1].tolist() == [0, 0, 0, 0, 0, ended]
    assert counts[6].tolist() == [math.perm(6, 5) - ended] * 2


def test_five_nodes_can_end_in_a_draw():
    position = make("sim", nodes=5).start()
    pentagon, pentagram = ["1-2", "2-3", "3-4", "4-5", "5-1"], ["1-3", "3-5", "5-2", "2-4", "4-1"]
    for first, second in zip(pentagon, pentagram, strict=True):
        position.play(first).play(second)
    assert position.status == "game over, draw"
    assert position.scores == [0.0, 0.0]


def test_sixteen_nodes_and_three_players_can_end_in_a_draw():
    """Greenwood and Gleason 1955: the edges of 16 nodes, named by the elements of the field of 16, coloured by the
    cubic residue class of the difference, have no triangle of one colour."""
    powers = [1]
    while len(powers) < 15:
        double = powers[-1] << 1
        powers.append(double ^ 0b10011 if double & 16 else double)
    game = make("sim", nodes=16, players=3)
    edges = list(itertools.combinations(range(16), 2))
    classes = [[e for e, (a, b) in enumerate(edges) if powers.index(a ^ b) % 3 == k] for k in range(3)]
    position = game.start()
    for turn in zip(*classes, strict=True):
        for action in turn:
            position.play(action)
    assert position.is_over
    assert position.scores == [0.0, 0.0, 0.0]


@kernel
def _value(game, states, known):
    """The mover's value of the start position of a two-player game, by depth-first search with an explicit stack.
    known: (num_values^num_cells,) values found so far plus 2, indexed by the cells."""
    levels = len(states)
    actions = np.empty((levels, game.num_actions), np.int64)
    left = np.zeros(levels, np.int64)
    best = np.zeros(levels, np.int64)
    index = np.zeros(levels, np.int64)
    cells = np.empty(game.num_cells, np.int8)
    scores = np.empty(2)
    game.reset(states[0])
    k = 0
    entered = True
    while True:
        s = states[k]
        if entered:
            game.cells(s, cells)
            index[k] = 0
            for cell in cells:
                index[k] = 3 * index[k] + cell
            left[k] = 0
            if known[index[k]] != 0:
                best[k] = known[index[k]] - 2
            elif game.is_over(s):
                game.scores(s, scores)
                best[k] = scores[game.player(s)]
            else:
                best[k] = -1
                left[k] = game.legal_actions(s, actions[k])
        if left[k] > 0 and best[k] < 1:
            left[k] -= 1
            states[k + 1] = s
            game.advance(states[k + 1], actions[k, left[k]])
            k += 1
            entered = True
            continue
        known[index[k]] = best[k] + 2
        if k == 0:
            return best[0]
        k -= 1
        best[k] = max(best[k], -best[k + 1])
        entered = False


def plain_value(nodes: int) -> int:
    """The same for the first player by recursion on the two players' sets of edges."""
    edges = list(itertools.combinations(range(nodes), 2))
    numbers = {e: i for i, e in enumerate(edges)}
    triangles = [
        sum(1 << numbers[e] for e in itertools.combinations(three, 2))
        for three in itertools.combinations(range(nodes), 3)
    ]
    known: dict[tuple[int, int], int] = {}

    def value(own: int, other: int) -> int:
        if (own, other) not in known:
            results = []
            for bit in (1 << i for i in range(len(edges))):
                if not (own | other) & bit:
                    lost = any((own | bit) & t == t for t in triangles)
                    results.append(-1 if lost else -value(other, own | bit))
            known[own, other] = max(results, default=0)
        return known[own, other]

    return value(0, 0)


@pytest.mark.parametrize("nodes", [4, 5, 6])
def test_value_of_the_start_position(nodes):
    game = make("sim", nodes=nodes)
    found = _value(game, np.zeros(game.num_cells + 1, game.state), np.zeros(3**game.num_cells, np.int8))
    if nodes == 6:
        assert found == -1  # the second player wins (Mead, Rosa and Huang 1974)
    else:
        assert found == plain_value(nodes)


@given(st.integers(4, 9), all_players, seeds)
@settings(max_examples=12, deadline=None)
def test_renamed_nodes_give_equivalent_games(nodes, players, seed):
    game = make("sim", nodes=nodes, players=players)
    symmetries = game.symmetries()
    assert len(symmetries) == (24 if nodes == 4 else 2 * nodes)
    assert len(np.unique(symmetries, axis=0)) == len(symmetries)
    assert symmetries[0].tolist() == list(range(game.num_cells))
    actions = random_actions(game, seed)
    original = replay(game, actions, compiled=False)
    rng = random.Random(seed)
    moves = game.action_symmetries()
    for k in rng.sample(range(len(symmetries)), 3):
        other = replay(game, [int(moves[k, a]) for a in actions], compiled=False)
        assert np.array_equal(other["cells"], original["cells"][:, symmetries[k]])
        for name in ("facts", "scores"):
            assert np.array_equal(other[name], original[name])


@given(st.integers(4, 9), all_players, seeds)
@settings(max_examples=15, deadline=None)
def test_views_and_features(nodes, players, seed):
    game = make("sim", nodes=nodes, players=players)
    told = replay(game, random_actions(game, seed), compiled=False)
    edges = list(itertools.combinations(range(nodes), 2))
    ply = seed % len(told["cells"])
    cells = told["cells"][ply].tolist()
    for player in range(players):
        turned = [0 if v == 0 else (v - 1 - player) % players + 1 for v in cells]
        assert told["views"][ply, player].tolist() == turned
        colours = {e: v - 1 for e, v in zip(edges, cells, strict=True) if v}
        before = {three for three in itertools.combinations(range(nodes), 3) if is_own(three, colours, player)}
        free = [e for e in edges if e not in colours]
        closing = 0
        for edge in free:
            after = {**colours, edge: player}
            closing += any(
                is_own(t, after, player) and t not in before for t in itertools.combinations(range(nodes), 3)
            )
        expected = [cells.count(player + 1), closing, len(free) - closing]
        assert told["features"][ply, 1, 3 * player : 3 * player + 3].tolist() == expected
    assert told["features"][ply, 0, : len(edges)].tolist() == cells


def is_own(three: tuple[int, int, int], colours: dict[tuple[int, int], int], player: int) -> bool:
    return all(colours.get(edge) == player for edge in itertools.combinations(three, 2))


def test_neighbours_share_a_node():
    edges = list(itertools.combinations(range(6), 2))
    for edge, near in enumerate(make("sim").neighbours()):
        assert near == [o for o, pair in enumerate(edges) if len({*edges[edge], *pair}) == 3]


def test_two_play_on_when_the_third_is_out():
    position = make("sim", players=3).start()
    for name in ("1-2", "1-4", "1-5", "2-3", "4-6", "5-6", "1-3"):
        position.play(name)
    assert not position.is_over
    assert position.scores == [-1.0, 0.0, 0.0]
    assert position.play("2-6").player == 2
    assert position.play("2-5").player == 1
    position.play("1-6")
    assert position.is_over
    assert position.scores == [-1.0, -1.0, 1.0]
    assert position.status == "game over, Y won (-1 : -1 : 1)"


def test_names_text_and_picture():
    position = make("sim", nodes=4).start()
    position.play("1-2").play("4-3").play("1 3")
    text = ["     2  3  4", "  1  X  X  .", "  2     .  .", "  3        O", "X: 1-2 1-3", "O: 3-4", "O to move"]
    assert str(position) == "\n".join(text)
    assert clickable(position.svg()) == position.legal_actions
    for wrong in ("1-1", "1-5", "0-1", "12", "a-b", "1-2-3"):
        with pytest.raises(BoardlabError, match="two different nodes from 1 to 4"):
            position.play(wrong)
    position.play("2-4").play("2-3")
    assert position.status == "game over, O won (-1 : 1)"
    assert "X (triangle): 1-2 1-3 2-3" in str(position)
    assert clickable(position.svg()) == []


@given(all_nodes)
@settings(max_examples=10, deadline=None)
def test_every_edge_has_its_name_and_its_place_in_the_picture(nodes):
    game = make("sim", nodes=nodes)
    assert [game.parse_action(game.action_name(a)) for a in range(game.num_actions)] == list(range(game.num_actions))
    assert clickable(game.start().svg()) == list(range(nodes * (nodes - 1) // 2))


def test_wrong_parameters_are_refused():
    with pytest.raises(BoardlabError, match="from 4 to 20"):
        make("sim", nodes=3)
    with pytest.raises(BoardlabError, match="2 or 3"):
        make("sim", players=4)
