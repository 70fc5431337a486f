"""Othello against walking the rays on plain lists, published counts and games, and OpenSpiel."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay import assert_compiled_equals_plain, clickable, random_actions

from boardlab import Position, make, make_rng
from boardlab.errors import BoardlabError, IllegalAction
from boardlab.playouts import count_sequences

RAYS = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if (dr, dc) != (0, 0)]
BLACK, WHITE, EMPTY = 0, 1, 2
seeds = st.integers(0, 2**32)
sizes = st.sampled_from([6, 8])


class SlowOthello:
    """The rules on a dictionary {(row, column): colour}."""

    def __init__(self, size: int) -> None:
        m = size // 2
        self.size, self.player = size, BLACK
        self.discs = {(m - 1, m - 1): WHITE, (m, m): WHITE, (m - 1, m): BLACK, (m, m - 1): BLACK}

    def flips(self, player: int, row: int, column: int) -> list[tuple[int, int]]:
        if (row, column) in self.discs:
            return []
        flipped = []
        for dr, dc in RAYS:
            line = []
            place = (row + dr, column + dc)
            while self.discs.get(place) == 1 - player:
                line.append(place)
                place = (place[0] + dr, place[1] + dc)
            if self.discs.get(place) == player:
                flipped += line
        return flipped

    def moves(self, player: int) -> list[int]:
        return [cell for cell in range(self.size**2) if self.flips(player, *divmod(cell, self.size))]

    def legal(self) -> list[int]:
        return self.moves(self.player)

    def play(self, cell: int) -> None:
        place = divmod(cell, self.size)
        for disc in [*self.flips(self.player, *place), place]:
            self.discs[disc] = self.player
        if self.moves(1 - self.player):
            self.player = 1 - self.player

    def board(self) -> list[int]:
        return [self.discs.get(divmod(cell, self.size), EMPTY) for cell in range(self.size**2)]

    def copy(self) -> SlowOthello:
        other = SlowOthello(self.size)
        other.player, other.discs = self.player, dict(self.discs)
        return other


def picture(*rows: str, player: int = BLACK) -> Position:
    """The position of an 8x8 board drawn with X for Black, O for White and a dot for empty; missing rows are empty."""
    game = make("othello")
    state = np.zeros(1, game.state).view(np.recarray)[0]
    text = "".join(rows).ljust(64, ".")
    for colour, letter in enumerate("XO"):
        state.discs[colour] = sum(1 << cell for cell, mark in enumerate(text) if mark == letter)
    state.player = player
    state.moves = game.moves_of(state.discs[player], state.discs[1 - player])
    return Position(game, state)


def discs(position: Position) -> tuple[int, int]:
    counts = Counter(position.cells.tolist())
    return counts[BLACK], counts[WHITE]


# ------------------------------------------------------------ rules


def test_published_perft():
    counts = count_sequences(make("othello"), 9)[:, 0]
    assert counts[:9].tolist() == [1, 4, 12, 56, 244, 1396, 8200, 55092, 390216]
    # Published counts take a pass for a ply; here 24 sequences of 8 plies skip White and go on in 56 ways.
    assert counts[9] - 56 + 24 == 3005288


def test_small_board_perft_by_walking_rays():
    def walk(board: SlowOthello, depth: int) -> None:
        legal = board.legal()
        expected[depth] += [1, not legal]
        if depth < 5:
            for cell in legal:
                child = board.copy()
                child.play(cell)
                walk(child, depth + 1)

    expected = np.zeros((6, 2), np.int64)
    walk(SlowOthello(6), 0)
    assert np.array_equal(count_sequences(make("othello:size=6"), 5), expected)


@given(sizes, seeds)
@settings(max_examples=30, deadline=None)
def test_games_agree_with_walking_rays(size, seed):
    rng = random.Random(seed)
    game = make("othello", size=size)
    position, slow = game.start(), SlowOthello(size)
    while legal := slow.legal():
        assert position.legal_actions == legal
        assert position.player == slow.player
        assert position.scores == [0.0, 0.0]
        board = slow.board()
        assert position.cells.tolist() == [3 if cell in legal else value for cell, value in enumerate(board)]
        action = rng.choice(legal)
        position.play(action)
        slow.play(action)
    assert position.is_over
    assert position.cells.tolist() == slow.board()
    margin = sum({BLACK: 1, WHITE: -1, EMPTY: 0}[v] for v in slow.board())
    assert position.scores == [np.sign(margin), -np.sign(margin)]


@pytest.mark.parametrize("spec", ["othello", "othello:size=6,coding=3"])
def test_compiled_equals_plain(spec):
    game = make(spec)
    for seed in range(5):
        assert_compiled_equals_plain(game, random_actions(game, seed))


def test_wipeout_in_nine_plies():
    position = make("othello").start()
    for name in ("e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"):
        assert not position.is_over
        position.play(name)
    assert position.is_over
    assert discs(position) == (13, 0)
    assert position.scores == [1.0, -1.0]
    assert position.status == "game over, Black won (1 : -1)"


def test_who_cannot_move_is_skipped():
    position = picture("XO......", *["........"] * 6, "XO......")
    assert position.legal_actions == [2, 58]
    position.play("c1")
    assert (position.player, position.legal_actions) == (BLACK, [58])
    position.play("c8")
    assert position.is_over
    assert discs(position) == (6, 0)


def test_random_games_contain_skips():
    skips = 0
    for seed in range(10):
        position = make("othello").start()
        for action in random_actions(position.game, seed):
            position.play(action)
        players = [event.player for event in position.history]
        skips += sum(a == b for a, b in itertools.pairwise(players))
    assert skips > 0


def test_lines_do_not_run_around_the_edge():
    assert picture("......OX", "O.......").legal_actions == [5]
    assert picture("X.......", "........", ".......O").legal_actions == []
    full_row = picture("XOOOOOO.")
    assert full_row.legal_actions == [7]
    assert discs(full_row.play("h1")) == (8, 0)


def test_equal_discs_are_a_draw():
    position = picture("XO......", *["........"] * 3, "O.O.O...")
    assert not position.is_over
    position.play("c1")
    assert position.is_over
    assert discs(position) == (3, 3)
    assert position.scores == [0.0, 0.0]


# ------------------------------------------------------------ the learner's view


def test_cell_coding():
    start = make("othello").start()
    counts = Counter(start.cells.tolist())
    assert counts == {0: 2, 1: 2, 2: 56, 3: 4}
    assert {i for i, v in enumerate(start.cells) if v == 3} == set(start.legal_actions)
    assert {i for i, v in enumerate(start.cells) if v == 0} == {28, 35}
    plain = make("othello:coding=3").start()
    assert Counter(plain.cells.tolist()) == {0: 2, 1: 2, 2: 60}


def test_board_inversion_swaps_the_colours():
    position = make("othello").start().play("d3").play("c3")
    out = np.zeros(64, np.int8)
    for player in (BLACK, WHITE):
        position.game.cells_of(position.state, player, out)
        swapped = {0: 1, 1: 0, 2: 2, 3: 3} if player == WHITE else {v: v for v in range(4)}
        assert out.tolist() == [swapped[v] for v in position.cells.tolist()]


@pytest.mark.parametrize("spec", ["othello", "othello:size=6"])
def test_half_of_the_symmetries_keep_the_start(spec):
    game = make(spec)
    cells, actions, kept = game.symmetries(), game.action_symmetries(), game.start_symmetries()
    assert len(cells) == 8
    assert len(kept) == 4
    assert kept[0] == 0
    played = random_actions(game, 7)
    for k in kept:
        position, image = game.start(), game.start()
        for action in played:
            assert sorted(image.legal_actions) == sorted(actions[k, position.legal_actions])
            position.play(action)
            image.play(int(actions[k, action]))
            assert np.array_equal(image.cells, position.cells[cells[k]])
        assert image.scores == position.scores


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_all_symmetries_keep_what_follows_from_a_position(seed):
    game = make("othello")
    played = random_actions(game, seed)
    position = game.start()
    for action in played[: seed % 55]:
        position.play(action)
    for p, new_action in zip(game.symmetries(), game.action_symmetries()):
        marks = np.array(list("XO.."))[position.cells[p]]
        image = picture("".join(marks), player=position.player)
        assert np.array_equal(image.cells, position.cells[p])
        for action in position.legal_actions:
            after = position.copy().play(action)
            assert np.array_equal(image.copy().play(int(new_action[action])).cells, after.cells[p])


def test_random_start_is_default_or_four_plies():
    game = make("othello")
    rng = make_rng(3)
    plies = Counter()
    for _ in range(300):
        states = np.zeros(1, game.state).view(np.recarray)
        game.random_start(states[0], rng)
        plies[sum(discs(Position(game, states[0]))) - 4] += 1
    assert set(plies) == {0, 4}
    assert 0.23 < plies[0] / 300 < 0.37


def test_mobility_features_by_walking_rays():
    game = make("othello")
    position, slow = game.start(), SlowOthello(8)
    out = np.zeros(game.num_features(1))
    for action in random_actions(game, 11):
        position.play(action)
        slow.play(action)
        game.features(position.state, 1, out)
        board = slow.board()
        near_empty = {
            cell
            for cell in range(64)
            for dr, dc in RAYS
            if 0 <= cell // 8 + dr < 8 and 0 <= cell % 8 + dc < 8 and board[cell + 8 * dr + dc] == EMPTY
        }
        expected = []
        for player in (BLACK, WHITE):
            own = {cell for cell in range(64) if board[cell] == player}
            expected += [len(own), len(slow.moves(player)), len(own & {0, 7, 56, 63}), len(own & near_empty)]
        assert out.tolist() == expected


def test_tuple_sets_fit_the_board():
    sets = make("othello").tuple_sets()
    recommended = next(iter(sets.values()))
    assert len(recommended) == 50
    assert all(len(t) == 6 and set(t) <= set(range(64)) for t in recommended)
    assert make("othello:size=6").tuple_sets() == {}


# ------------------------------------------------------------ the person's view


def test_text_and_picture():
    position = make("othello").start().play("e6")
    text = str(position).splitlines()
    assert text[0] == "   a b c d e f g h"
    assert text[6] == " 6 . . . + X + . ."
    assert text[-2:] == ["X Black 4, O White 1", "White to move"]
    assert clickable(position.svg()) == list(range(64))
    shown = "\n".join(line for line in position.svg().splitlines() if "data-ghost" not in line)
    assert shown.count("<circle") == 5 + 3 + 1  # discs, legal moves, last move
    assert clickable(make("othello:size=6").start().svg()) == list(range(36))


def test_mistakes_are_explained():
    with pytest.raises(BoardlabError, match="size is 8 or 6, not 7"):
        make("othello", size=7)
    with pytest.raises(IllegalAction, match="legal: d3, c4, f5, e6"):
        make("othello").start().play("a1")


# ------------------------------------------------------------ OpenSpiel


def test_same_games_as_open_spiel():
    pyspiel = pytest.importorskip("pyspiel")
    theirs_game = pyspiel.load_game("othello")
    passed = 64
    for seed in range(10):
        rng = random.Random(seed)
        ours, theirs = make("othello").start(), theirs_game.new_initial_state()
        while not ours.is_over:
            if theirs.legal_actions() == [passed]:
                theirs.apply_action(passed)
            assert theirs.current_player() == ours.player
            assert theirs.legal_actions() == ours.legal_actions
            action = rng.choice(ours.legal_actions)
            ours.play(action)
            theirs.apply_action(action)
        assert theirs.is_terminal()
        assert theirs.returns() == ours.scores
