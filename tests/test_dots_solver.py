"""The Dots-and-Boxes solver against tables of all edge sets, against plain search and published values; and the player
that uses it."""

from __future__ import annotations

import random
import threading
from collections import Counter
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest
from test_dots import _solve_by_masks, best_margin

from boardlab import Position, make
from boardlab.agents.registry import make_agent
from boardlab.errors import BoardlabError
from boardlab.games.dots import DotsAndBoxes
from boardlab.matches.evaluators.registry import make_evaluator
from boardlab.rng import make_rng
from boardlab.solvers import dots, dots_team
from boardlab.solvers.dots import DotsSolver
from boardlab.solvers.dots_book import Positions
from boardlab.solvers.dots_chains import make_board


def state_of(game, edges):
    """A state with these edges drawn and no box owned."""
    state = np.zeros((), game.state)
    state["edges"] = edges
    return state[()]


def margins(solver, edge_sets):
    return [solver.margin_to_come(state_of(solver.game, edges)) for edges in edge_sets]


def random_edges(game, count, seed):
    return sum(1 << edge for edge in random.Random(seed).sample(range(game.num_actions), count))


def position_with(game, count, seed):
    """The position after so many random moves."""
    rnd = random.Random(seed)
    position = Position(game)
    for _ in range(count):
        position.play(rnd.choice(position.legal_actions))
    return position


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 2), (2, 1), (1, 4), (4, 1), (2, 2)])
def test_all_edge_sets_of_small_boards(rows, columns):
    game = make("dots", rows=rows, columns=columns)
    value = best_margin(rows, columns)
    everything = range(1 << game.num_actions)
    assert margins(DotsSolver(game), everything) == [value(edges) for edges in everything]


def table_of_all_edge_sets(game):
    table = np.zeros(1 << game.num_actions, np.int8)
    _solve_by_masks(game.box_masks[:-1], game.num_actions, table)
    return table


@pytest.mark.parametrize(("rows", "columns"), [(2, 3), (3, 2), (1, 5)])
def test_edge_sets_of_larger_boards(rows, columns):
    game = make("dots", rows=rows, columns=columns)
    table = table_of_all_edge_sets(game)
    sample = [0, *random.Random(rows).sample(range(1 << game.num_actions), 8000)]
    assert margins(DotsSolver(game), sample) == table[sample].tolist()


@pytest.mark.slow
def test_edge_sets_of_three_by_three():
    """Random ones, and as many of each number of edges."""
    game = make("dots")
    table = table_of_all_edge_sets(game)
    sample = np.random.default_rng(1).integers(0, 1 << 24, 100_000).tolist()
    sample += [random_edges(game, count, seed) for count in range(24) for seed in range(1000)]
    sample += [quiet_edges(game, count, seed) for count in range(1, 12) for seed in range(300)]
    assert margins(DotsSolver(game), sample) == table[sample].tolist()


def search_plainly(game, edges):
    """The margin to come by trying everything."""
    masks = game.box_masks[:-1].tolist()

    @cache
    def value(drawn):
        best = -99
        for edge in range(game.num_actions):
            if not drawn >> edge & 1:
                after = drawn | 1 << edge
                taken = sum(after & m == m and drawn & m != m for m in masks)
                best = max(best, taken + value(after) if taken else -value(after))
        return best if best > -99 else 0

    return value(edges)


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (4, 4), (3, 5), (5, 3), (2, 5)])
def test_late_positions_of_large_boards(rows, columns):
    game = make("dots", rows=rows, columns=columns)
    solver = DotsSolver(game, 16)
    for seed in range(25):
        edges = random_edges(game, game.num_actions - 8 - seed % 4, seed)
        assert solver.margin_to_come(state_of(game, edges)) == search_plainly(game, edges), edges


def quiet_edges(game, count, seed):
    """Edges drawn at random so that no box can be taken."""
    rnd = random.Random(seed)
    masks = game.box_masks[:-1].tolist()
    while True:
        drawn = 0
        for edge in rnd.sample(range(game.num_actions), game.num_actions):
            after = drawn | 1 << edge
            if drawn.bit_count() < count and all((after & m).bit_count() < 3 for m in masks):
                drawn = after
        if drawn.bit_count() == count:
            return drawn


@pytest.mark.parametrize(("spec", "count"), [("dots", 6), ("dots:rows=4,columns=4", 17)])
def test_symmetric_positions_have_the_same_value(spec, count):
    """A fresh solver for each image, corners exchanged at random as well."""
    game = make(spec)
    for seed in range(2):
        edges = quiet_edges(game, count, seed)
        rnd = random.Random(seed)
        found = set()
        for permutation in game.symmetries().tolist():
            image = sum(1 << cell for cell, source in enumerate(permutation) if edges >> source & 1)
            for a, b in game.exchangeable_cells().tolist():
                if (image >> a ^ image >> b) & 1 and rnd.random() < 0.5:
                    image ^= 1 << a | 1 << b
            found.add(DotsSolver(game, 8).margin_to_come(state_of(game, image)))
        assert len(found) == 1


@pytest.mark.parametrize("spec", ["dots:rows=2,columns=3", "dots:rows=3,columns=2", "dots:rows=1,columns=5"])
def test_positions_with_the_same_key_have_the_same_value(spec):
    """All edge sets of the board; on these boards all images of a position have one key."""
    game = make(spec)
    table = table_of_all_edge_sets(game)
    values: dict[int, set[int]] = {}
    for key, value in zip(Positions(game).keys_of(range(len(table))), table.tolist(), strict=True):
        values.setdefault(key, set()).add(value)
    assert all(len(found) == 1 for found in values.values())
    assert len(values) < len(table) / 6


def test_a_corner_turned_over_has_the_same_key():
    """Four boxes at a corner that are tied to others by one of them only; the lower edge breaks the symmetry of the
    board."""
    game = make("dots:rows=4,columns=4")
    edge = game.edge_between
    under, beside, lower = edge((2, 0), (2, 1)), edge((0, 2), (1, 2)), edge((3, 3), (3, 4))
    left, top, inner = edge((1, 0), (2, 0)), edge((0, 1), (0, 2)), edge((1, 1), (1, 2))

    def keys(*edge_sets):
        return Positions(game).keys_of(sum(1 << e for e in edges) for edges in edge_sets)

    turned = keys((lower, under, beside, left), (lower, under, beside, top), (lower, under, beside, inner))
    assert turned[0] == turned[1] != turned[2]
    tied = keys((lower, under, left), (lower, under, top), (lower, beside, left), (lower, beside, top))
    assert len({*tied}) == 4


def test_lone_chains_and_loops_need_no_search():
    """Against all openings of all multisets, not of the shortest ones only."""
    board = make_board(make("dots:rows=3,columns=4"))
    chains = [(length, 0 if length < 3 else 4) for length in range(1, 13)]
    kinds = chains + [(length, 8) for length in (4, 6, 8, 10, 12)]

    @cache
    def value(members):
        best = []
        for length, handout in set(members):
            rest = list(members)
            rest.remove((length, handout))
            left = value(tuple(rest))
            taken = [length + left] + ([length - handout - left] if handout else [])
            best.append(-max(taken))
        return max(best, default=0)

    counted = 0
    for size in range(7):
        for members in combinations_with_replacement(sorted(kinds), size):
            if sum(length for length, _ in members) <= 12:
                place = 0
                for length, handout in members:
                    place = board.joined[place, length + 15 if handout == 8 else length]
                assert board.value[place] == value(members), members
                counted += 1
    assert counted > 250


def test_published_values_of_empty_boards():
    for size, margin in ((1, -1), (2, 2), (3, -3)):
        game = make("dots", rows=size, columns=size)
        assert DotsSolver(game).score(game.start()) == margin


@pytest.mark.slow
def test_a_board_and_its_transpose_have_the_same_value():
    scores = [DotsSolver(game).score(game.start()) for game in (make(f"dots:rows={r},columns={7 - r}") for r in (3, 4))]
    assert scores[0] == scores[1]


@pytest.mark.parametrize("spec", ["dots:rows=2,columns=3", "dots", "dots:rows=4,columns=4"])
def test_scores_values_and_best_actions_belong_together(spec):
    """A score counts the boxes taken so far, and is the best value; an action that keeps the turn has the score of the
    position after it, one that does not its negative."""
    game = make(spec)
    solver = DotsSolver(game, 16)
    for seed in range(15):
        position = position_with(game, game.num_actions - 4 - seed, seed)
        if position.is_over:
            continue
        values = solver.values(position)
        assert list(values) == position.legal_actions
        score = solver.score(position)
        assert score == max(values.values())
        assert score == solver.margin_to_come(position) + position.scores[position.player]
        assert solver.best_actions(position) == [a for a, value in values.items() if value == score]
        assert solver.values(position.state) == values
        for action, value in values.items():
            after = position.copy().play(action)
            sign = 1 if after.player == position.player else -1
            assert value == sign * solver.score(after)


def test_finished_games():
    game = make("dots:rows=1,columns=2")
    solver = DotsSolver(game)
    position = position_with(game, 7, 1)
    assert position.is_over
    assert solver.score(position) == position.scores[position.player]
    assert solver.values(position) == {}
    assert solver.best_actions(position) == []


def test_the_number_of_threads_changes_nothing(monkeypatch):
    monkeypatch.setattr(dots_team, "_BATCH", 64)
    monkeypatch.setattr(dots_team, "_ALONE", 1)
    game = make("dots")
    sample = [quiet_edges(game, 3, seed) for seed in range(4)]
    found = [margins(DotsSolver(game, 4, threads), sample) for threads in (1, 2, 5)]
    assert found[0] == found[1] == found[2]
    assert threading.active_count() == 1


def test_an_interrupted_search_leaves_no_thread_behind(monkeypatch):
    monkeypatch.setattr(dots_team, "_BATCH", 64)
    monkeypatch.setattr(dots_team, "_ALONE", 1)
    began, search = [], dots_team.search

    def interrupted(*arguments):
        began.append(threading.current_thread())
        if len({*began}) == 3 and threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        return search(*arguments)

    monkeypatch.setattr(dots_team, "search", interrupted)
    with pytest.raises(KeyboardInterrupt):
        DotsSolver(make("dots:rows=4,columns=4"), 4, threads=3, book=False).score(make("dots:rows=4,columns=4").start())
    assert threading.active_count() == 1


def test_what_was_found_out_is_kept():
    solver = DotsSolver(make("dots"))
    assert solver.score(make("dots").start()) == -3
    visited = solver.nodes
    assert solver.score(make("dots").start()) == -3
    assert visited > 1000
    assert solver.nodes - visited < 10


def test_the_table_grows_for_a_nearly_empty_board(monkeypatch):
    monkeypatch.setattr(dots, "_MANY_STRINGS", 15)
    monkeypatch.setattr(dots, "_MANY_MEGABYTES", 8)
    game = make("dots:rows=2,columns=3")
    solver, small = DotsSolver(game), DotsSolver(game, megabytes=1)
    late = game.start().play("a1-b1").play("a2-b2").play("a3-b3")
    assert solver.score(late) == small.score(late)
    assert solver._team.table.nbytes == 1 << 20
    assert solver.score(game.start()) == small.score(game.start())
    assert (solver._team.table.nbytes, small._team.table.nbytes) == (8 << 20, 1 << 20)


def test_boards_and_games_that_cannot_be_solved_are_refused():
    for spec in ("dots:rows=4,columns=5", "dots:rows=5,columns=5"):
        with pytest.raises(BoardlabError, match=r"too large to be solved.*up to 40 can be solved, as 4 x 4, 3 x 5"):
            DotsSolver(make(spec))
        with pytest.raises(BoardlabError, match=f"dots-perfect cannot play {spec}"):
            make_agent("dots-perfect", make(spec))
    with pytest.raises(BoardlabError, match="plays Dots and Boxes, not Connect Four"):
        DotsSolver(make("connect4"))
    with pytest.raises(BoardlabError, match="1 to 65536 megabytes, not 0"):
        DotsSolver(make("dots"), 0)
    with pytest.raises(BoardlabError, match="made for dots:rows=2,columns=2, not for dots"):
        DotsSolver(make("dots:rows=2,columns=2")).score(make("dots").start())


def test_a_game_with_other_rules_is_refused():
    class Misere(DotsAndBoxes):
        """Who owns fewer boxes wins."""

    with pytest.raises(BoardlabError, match="plays Dots and Boxes"):
        DotsSolver(Misere())


# ---------------------------------------------------------------- the player


def test_perfect_players_reach_the_margin_of_the_position():
    game = make("dots:rows=2,columns=3")
    agent, rng = make_agent("dots-perfect", game), make_rng(1)
    solver = DotsSolver(game)
    for seed in range(10):
        position = position_with(game, seed % 8, seed)
        player, expected = position.player, solver.score(position)
        while not position.is_over:
            position.play(agent.choose(position, rng))
        assert position.scores[player] == expected


def test_the_perfect_player_draws_among_all_best_actions():
    game = make("dots:rows=2,columns=2")
    agent, rng = make_agent("dots-perfect", game), make_rng(2)
    position = position_with(game, 2, 3)
    values = agent.values(position)
    best = {action for action, value in values.items() if value == max(values.values())}
    assert len(best) < len(values)
    drawn = Counter(agent.choose(position, rng) for _ in range(200 * len(best)))
    assert {*drawn} == best
    assert all(150 < count < 250 for count in drawn.values())


def test_random_players_lose_against_the_perfect_one():
    result = make_evaluator("dots-perfect", make("dots:rows=2,columns=2")).evaluate("random", games=30, seed=1)
    assert result.opponent == "dots-perfect"
    assert result.result.high < -1.0


def test_the_protocol_of_the_thesis_counts_wins_not_boxes():
    game = make("dots:rows=2,columns=2")
    found = make_evaluator("dots-thesis", game).evaluate("random", games=20, seed=1)
    standing = found.standing
    assert found.result.mean == pytest.approx((standing.wins - standing.losses) / 20)
    assert -1.0 <= found.result.low < found.result.mean < found.result.high <= 0.0
    assert standing.score.mean < -1.0  # in boxes
    assert make_evaluator("dots-thesis", game).evaluate("dots-perfect", games=20, seed=1).result.mean == 0.0


def test_the_solver_knows_the_game_in_every_coding():
    position = make("dots:rows=2,columns=2,coding=3").start().play(0)
    assert DotsSolver(make("dots:rows=2,columns=2")).score(position) == DotsSolver(position.game).score(position)
