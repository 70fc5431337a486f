"""2048 against merging plain lists, counting, the arithmetic of its score, and OpenSpiel."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay import clickable

from boardlab import Position, make, make_rng
from boardlab.compiler import kernel
from boardlab.errors import BoardlabError, IllegalAction
from boardlab.games.game2048 import slide_tables
from boardlab.playouts import count_sequences, random_games
from boardlab.rng import random_below

LEFT, UP, RIGHT, DOWN = range(4)
boards = st.lists(st.integers(0, 5) | st.sampled_from([0, 15, 16]), min_size=16, max_size=16)


def slow_line(line: list[int]) -> tuple[list[int], int]:
    """The line slid to its front, and the score: push each tile, merging it with a last one not yet merged."""
    done: list[int] = []
    may_merge = False
    gain = 0
    for k in line:
        if k == 0:
            continue
        if may_merge and done[-1] == k and k < 17:
            done[-1] += 1
            gain += 2 ** done[-1]
            may_merge = False
        else:
            done.append(k)
            may_merge = True
    return done + [0] * (4 - len(done)), gain


def slow_slide(board: list[int], action: int) -> tuple[list[int], int]:
    """Turn the board until the tiles slide to the left, slide every row, and turn it back."""
    turns = {LEFT: 0, UP: 1, RIGHT: 2, DOWN: 3}[action]
    grid = np.rot90(np.array(board).reshape(4, 4), turns)
    slid = [slow_line(row.tolist()) for row in grid]
    back = np.rot90(np.array([row for row, _ in slid]), -turns)
    return back.ravel().tolist(), sum(gain for _, gain in slid)


def on_board(board: list[int], *, due: int = 0) -> Position:
    """The position with these tiles: the last one on the board is placed by chance, so that the rules take note."""
    game = make("2048")
    state = np.zeros(1, game.state).view(np.recarray)[0]
    state.board[:] = board
    state.due = due
    if due == 0:
        small = next(cell for cell, k in enumerate(board) if k in (1, 2))
        state.board[small] = 0
        state.due = 1
        game.advance_chance(state, 2 * small + board[small] - 1)
    return Position(game, state)


# ------------------------------------------------------------ rules


def test_every_line_slides_as_a_list_does():
    slid, gains, moves = slide_tables()
    lines = list(itertools.product(range(18), repeat=4))
    assert len(slid) == len(gains) == len(moves) == len(lines)
    for index, line in enumerate(lines):
        new, gain = slow_line(list(line))
        assert (slid[index].tolist(), gains[index]) == (new, gain)
        forward = tuple(new) != line
        back = slow_line(list(line[::-1]))[0] != list(line[::-1])
        assert moves[index] == forward + 2 * back


@given(boards, st.integers(0, 15), st.integers(0, 3))
@settings(max_examples=200, deadline=None)
def test_boards_slide_as_lists_do(board, cell, action):
    board[cell] = 1
    position = on_board(board)
    expected, gain = slow_slide(board, action)
    assert (action in position.legal_actions) == (expected != board)
    if expected != board:
        position.play(action)
        assert position.cells.tolist() == expected
        assert position.scores == [gain]
        assert position.is_chance


def test_merging_rules():
    cases = {
        (1, 1, 1, 1): ([2, 2, 0, 0], 8),
        (1, 1, 2, 0): ([2, 2, 0, 0], 4),
        (2, 1, 1, 0): ([2, 2, 0, 0], 4),
        (1, 0, 0, 1): ([2, 0, 0, 0], 4),
        (1, 2, 1, 2): ([1, 2, 1, 2], 0),
        (1, 1, 1, 0): ([2, 1, 0, 0], 4),
    }
    for line, (slid, gain) in cases.items():
        position = on_board([*line, *[0] * 11, 1])
        assert position.play("left").cells.tolist()[:4] == slid
        assert position.scores == [gain]


def test_the_largest_tiles():
    position = on_board([16, 0, 0, 16, *[0] * 11, 1]).play("right")
    assert position.cells.tolist()[:4] == [0, 0, 0, 17]
    assert position.scores == [131072.0]
    assert position.game.num_values == 18
    assert on_board([15, 15, 16, 17, *[0] * 11, 1]).play("left").cells.tolist()[:4] == [16, 16, 17, 0]


def test_the_start_waits_for_two_tiles():
    position = make("2048").start()
    for tiles in range(2):
        assert position.is_chance
        assert not position.is_over
        assert position.legal_actions == []
        assert len(position.chance_outcomes) == 2 * (16 - tiles)
        position.play_chance(2 * tiles + 1)
    assert not position.is_chance
    assert position.cells.tolist() == [2, 2, *[0] * 14]
    assert position.legal_actions == [LEFT, RIGHT, DOWN]
    assert position.play("l").is_chance


def test_the_end_comes_when_nothing_slides():
    stuck = [1, 2, 1, 2, 2, 1, 2, 1, 1, 2, 1, 2, 2, 1, 2, 3]
    before = stuck.copy()
    before[0] = 0
    position = on_board(before, due=1)
    assert not position.is_over
    assert not position.game.is_over(position.state)
    assert list(position.chance_outcomes) == [0, 1]
    assert position.copy().play_chance(0).is_over
    assert position.copy().play_chance(0).legal_actions == []
    assert position.play_chance(1).legal_actions == [LEFT, UP, RIGHT, DOWN]  # the 4 has equals to its right and below


def test_chance_outcomes():
    position = on_board([1, 0, 3, 0, *range(1, 13)], due=1)
    outcomes = position.chance_outcomes
    assert outcomes == pytest.approx({2: 0.45, 3: 0.05, 6: 0.45, 7: 0.05})
    assert position.copy().play_chance(3).cells[1] == 2
    assert position.copy().play_chance(6).cells[3] == 1


@given(boards, st.integers(0, 15))
@settings(max_examples=50, deadline=None)
def test_chances_sum_to_one(board, cell):
    board[cell] = 0
    outcomes = on_board(board, due=1).chance_outcomes
    assert sum(outcomes.values()) == pytest.approx(1.0, abs=1e-12)
    assert {o // 2 for o in outcomes} == {c for c, k in enumerate(board) if k == 0}


def test_drawn_outcomes_follow_their_chances():
    position = on_board([1, 0, 3, 0, 1, 2, 3, 4, 1, 2, 3, 4, 0, 2, 3, 4], due=1)
    rng, draws = make_rng(1), 6000
    drawn = Counter(int(position.game.sample_chance(position.state, rng)) for _ in range(draws))
    expected = position.chance_outcomes
    assert set(drawn) == set(expected)
    chi_square = sum((drawn[o] - draws * p) ** 2 / (draws * p) for o, p in expected.items())
    assert chi_square < 20.5  # 5 degrees of freedom: the chance of more is 0.001


def test_number_of_sequences():
    """Two ordered tiles on different cells, then every slide that changes the board, then every new tile."""
    slides = 0
    for a, b in itertools.permutations(range(16), 2):
        for tile_a, tile_b in itertools.product((1, 2), repeat=2):
            board = [0] * 16
            board[a], board[b] = tile_a, tile_b
            afterstates = [slow_slide(board, action)[0] for action in range(4)]
            slides += sum(2 * after.count(0) for after in afterstates if after != board)
    assert count_sequences(make("2048"), 1).tolist() == [[16 * 15 * 4, 0], [slides, 0]]


@given(st.integers(0, 2**31))
@settings(max_examples=10, deadline=None)
def test_the_score_tells_how_the_tiles_were_made(seed):
    """A tile 2^k made of twos has scored (k - 1) 2^k in all; each new 4 came without the 4 points of a merge."""
    choice, rng = random.Random(seed), make_rng(seed)
    position = make("2048").start().roll(rng)
    while not position.is_over:
        position.play(choice.choice(position.legal_actions)).roll(rng)
    fours = sum(e.number % 2 for e in position.history if e.player is None)
    tiles = [int(k) for k in position.cells]
    assert position.scores == [sum((k - 1) * 2**k for k in tiles if k) - 4 * fours]


# ------------------------------------------------------------ compiled


@kernel
def _step(game, states, event, cells, legal, chances, features, facts):
    """One event on states[0], and all that the game says then."""
    s = states[0]
    if game.is_chance(s):
        game.advance_chance(s, event)
    else:
        game.advance(s, event)
    game.cells(s, cells)
    game.features(s, 0, features[0])
    game.features(s, 1, features[1])
    facts[0] = game.is_over(s)
    facts[1] = game.is_chance(s)
    facts[2] = game.player(s)
    facts[3] = 0
    if game.is_chance(s):
        facts[3] = game.chance_outcomes(s, legal, chances)
    elif not game.is_over(s):
        facts[3] = game.legal_actions(s, legal)
    game.scores(s, features[2])


def told(game, state: np.ndarray, event: int, *, compiled: bool) -> list[np.ndarray]:
    states = state.copy()
    out = [np.zeros(16, np.int8), np.zeros(32, np.int64), np.zeros(32), np.zeros((3, 16)), np.zeros(4, np.int64)]
    if compiled:
        _step(game, states, event, *out)
    else:
        _step.py_func(game, states.view(np.recarray), event, *out)
    return [states, *out]


def test_compiled_equals_plain():
    game = make("2048")
    choice = random.Random(2)
    for _ in range(4):
        state = np.zeros(1, game.state)
        game.reset(state.view(np.recarray)[0])
        event = 2 * choice.randrange(16)
        while True:
            plain = told(game, state, event, compiled=False)
            compiled = told(game, state, event, compiled=True)
            assert [a.tobytes() for a in plain] == [a.tobytes() for a in compiled]
            state, (over, _, _, count) = plain[0], plain[5]
            if over:
                break
            event = choice.choice(plain[2][:count].tolist())


def test_compiled_random_games_equal_plain_ones():
    game = make("2048")
    moves, totals = random_games(game, 3, make_rng(5))
    plain_moves, plain_totals = random_games_plain(game, 3, 5)
    assert (moves, totals[0]) == (plain_moves, plain_totals)


def random_games_plain(game, games: int, seed: int) -> tuple[int, float]:
    """What the compiled random games do, with the same random numbers, by plain methods."""
    rng, moves, total = make_rng(seed), 0, 0.0
    for _ in range(games):
        position = game.start().roll(rng)
        while not position.is_over:
            legal = position.legal_actions
            position.play(legal[random_below(rng, len(legal))]).roll(rng)
            moves += 1
        total += position.scores[0]
    return moves, total


# ------------------------------------------------------------ the learner's view


def test_symmetric_games_stay_symmetric():
    game = make("2048")
    cells, actions, outcomes = game.symmetries(), game.action_symmetries(), game.outcome_symmetries()
    assert cells.shape == (8, 16)
    assert actions.shape == (8, 4)
    assert outcomes.shape == (8, 32)
    assert game.start_symmetries() == list(range(8))
    choice = random.Random(4)
    position = game.start()
    images = [game.start() for _ in cells]
    for _ in range(80):
        if position.is_over:
            break
        possible = list(position.chance_outcomes) or position.legal_actions
        event = choice.choice(possible)
        for k, image in enumerate(images):
            if position.is_chance:
                assert sorted(image.chance_outcomes) == sorted(outcomes[k, possible])
                image.play_chance(int(outcomes[k, event]))
            else:
                assert sorted(image.legal_actions) == sorted(actions[k, possible])
                image.play(int(actions[k, event]))
        if position.is_chance:
            position.play_chance(event)
        else:
            position.play(event)
        for p, image in zip(cells, images):
            assert np.array_equal(image.cells, position.cells[p])
            assert image.scores == position.scores


def test_random_start_is_the_default_start():
    game = make("2048")
    states = np.zeros(2, game.state).view(np.recarray)
    game.random_start(states[0], make_rng(0))
    game.reset(states[1])
    assert states[0] == states[1]


def test_features():
    position = on_board([1, 1, 2, 3, 0, 5, 4, 0, 0, 5, 0, 0, 0, 0, 0, 0])
    out = np.zeros(16)
    position.game.features(position.state, 0, out)
    assert out.tolist() == position.cells.tolist()
    position.game.features(position.state, 1, out)
    # Rows: 5 between 0 and 4, 0 rises 5 and falls 5; 5 between zeros likewise. Columns: 1 5 5 0 rises 4 and falls 5;
    # 2 4 0 0 rises 2 and falls 4.
    assert out[:4].tolist() == [9.0, 2.0, 5.0 + 5.0 + 4.0 + 2.0, 5.0]


def test_neighbours_and_tuple_sets():
    game = make("2048")
    assert game.neighbours()[0] == [1, 4]
    assert game.neighbours()[5] == [1, 4, 6, 9]
    recommended = next(iter(game.tuple_sets().values()))
    assert [len(t) for t in recommended] == [6, 6, 6, 6]


# ------------------------------------------------------------ the person's view


def test_text_and_names():
    position = on_board([17, 0, 0, 1, *[0] * 12])
    assert position.game.describe(position.state).splitlines() == [
        "131072      .      .      2",
        *["     .      .      .      ."] * 3,
    ]
    game = position.game
    assert [game.action_name(a) for a in range(4)] == ["left", "up", "right", "down"]
    assert [game.parse_action(text) for text in ("l", "U", " right ", "Down")] == [0, 1, 2, 3]
    assert game.outcome_name(0) == "2 on a1"
    assert game.outcome_name(13) == "4 on c2"
    assert position.status == "Player to move, score 0"


def test_picture():
    position = on_board([*range(2, 17), 1])
    position.state.board[0] = 17
    svg = position.svg()
    assert clickable(svg) == [LEFT, UP, RIGHT, DOWN]
    assert all(f">{2**k}<" in svg for k in (1, *range(3, 18)))


def test_mistakes_are_explained():
    position = on_board([1, *[0] * 15])
    with pytest.raises(BoardlabError, match="'north' is no action of 2048; write left, up, right or down"):
        position.play("north")
    with pytest.raises(IllegalAction, match="left is not legal here; legal: right, down"):
        position.play("left")
    with pytest.raises(IllegalAction, match="chance event is due"):
        position.play("right").play("left")


# ------------------------------------------------------------ OpenSpiel


def test_same_games_as_open_spiel():
    pyspiel = pytest.importorskip("pyspiel")
    their_action = {LEFT: 3, UP: 0, RIGHT: 1, DOWN: 2}
    for seed in range(3):
        choice = random.Random(seed)
        ours, theirs = make("2048").start(), pyspiel.load_game("2048").new_initial_state()
        while not ours.is_over:
            assert theirs.is_chance_node() == ours.is_chance
            if ours.is_chance:
                assert dict(theirs.chance_outcomes()) == pytest.approx(ours.chance_outcomes)
                outcome = choice.choice(list(ours.chance_outcomes))
                ours.play_chance(outcome)
                theirs.apply_action(outcome)
            else:
                # They leave out some slides whose only effect is a merge (left of 4 4 . .), and none else.
                common = [a for a in ours.legal_actions if their_action[a] in theirs.legal_actions()]
                assert len(common) == len(theirs.legal_actions())
                action = choice.choice(common)
                ours.play(action)
                theirs.apply_action(their_action[action])
            tiles = [2**k if k else 0 for k in ours.cells.tolist()]
            assert theirs.observation_tensor(0) == tiles
            assert theirs.returns() == ours.scores
        assert theirs.is_terminal()
