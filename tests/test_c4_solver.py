"""The Connect Four solver against exhaustive search, against another solver, and against what is known of the game."""

from __future__ import annotations

import random

import numpy as np
import pytest

from boardlab import make
from boardlab.agents.registry import make_agent
from boardlab.errors import BoardlabError
from boardlab.position import Position
from boardlab.rng import make_rng
from boardlab.solvers import connect4_book
from boardlab.solvers.connect4 import ConnectFourSolver, plies_to_end, score_at_distance
from boardlab.solvers.connect4_bits import BOARD, NO_BOUND, follow_up_bound, winning_cells
from boardlab.solvers.connect4_book import UNKNOWN, OpeningBook, make_book, positions

LINES = [
    sum(1 << (7 * (c + k * dc) + r + k * dr) for k in range(4))
    for c in range(7)
    for r in range(6)
    for dc, dr in ((0, 1), (1, 0), (1, 1), (1, -1))
    if c + 3 * dc < 7 and 0 <= r + 3 * dr < 6
]


@pytest.fixture(scope="module")
def solver():
    return ConnectFourSolver(16, book=False)


def bitboards(moves):
    """Stones of the player to move and of the other one, from column digits."""
    heights = [0] * 7
    boards = [0, 0]
    for i, digit in enumerate(moves):
        if digit == "x":
            continue
        column = int(digit) - 1
        boards[i % 2] |= 1 << (7 * column + heights[column])
        heights[column] += 1
    return boards[len(moves) % 2], boards[1 - len(moves) % 2]


def wins(moves):
    """Whether the last move completed four in a row."""
    mine = bitboards(moves)[1]
    return any(mine & line == line for line in LINES)


def random_game(plies, seed):
    """Column digits of a game of that length that nobody has won."""
    rnd = random.Random(seed)
    while True:
        moves = ""
        while len(moves) < plies:
            columns = [c for c in open_columns(moves) if not wins(moves + c)]
            if not columns:
                break
            moves += rnd.choice(columns)
        if len(moves) == plies:
            return moves


def quiet_game(plies, seed):
    """The same, in which nobody lets the other one win as long as it can be helped, nor can win now."""
    rnd = random.Random(seed)
    while True:
        moves = ""
        while len(moves) < plies:
            columns = [c for c in open_columns(moves) if not wins(moves + c) and not can_win(moves + c)]
            if not columns:
                break
            moves += rnd.choice(columns)
        if len(moves) == plies and not can_win(moves + "x"):
            return moves


def open_columns(moves):
    return [c for c in "1234567" if moves.count(c) < 6]


def can_win(moves):
    """Whether the player to move can; a pass, x, hands the move over."""
    return any(wins(moves + c) for c in open_columns(moves))


def exhaustive(moves):
    """The score by trying everything."""
    known: dict[object, int] = {}

    def negamax(mine, theirs):
        if any(theirs & line == line for line in LINES):
            return -(22 - theirs.bit_count())
        if (mine, theirs) not in known:
            empty = ~(mine | theirs)
            free = [next((1 << b for b in range(7 * c, 7 * c + 6) if empty >> b & 1), 0) for c in range(7)]
            known[mine, theirs] = max((-negamax(theirs, mine | cell) for cell in free if cell), default=0)
        return known[mine, theirs]

    return negamax(*bitboards(moves))


@pytest.mark.parametrize("plies", [41, 40, 39, 38, 37, 36, 35, 34, 33])
def test_scores_are_those_of_exhaustive_search(solver, plies):
    for seed in range(30):
        moves = random_game(plies, seed)
        assert solver.score(moves) == exhaustive(moves), moves


def test_follow_up_bounds_are_never_too_low():
    bounds = []
    for seed in range(60):
        moves = quiet_game(30 + seed % 5, seed)
        mine, theirs = bitboards(moves)
        threats = winning_cells(theirs) & BOARD & ~(mine | theirs)
        score = exhaustive(moves)
        for threshold in range(-4, 5):
            bound = follow_up_bound(mine, theirs, mine | theirs, threats, len(moves), threshold)
            if bound != NO_BOUND:
                assert score <= bound < threshold, (moves, threshold)
                bounds.append(bound)
    assert len(bounds) > 40
    assert min(bounds) < -1


def test_follow_up_play_does_not_stop_a_column_of_four(solver):
    """The mover takes a base in a column where he owns the two cells below and gets the one above."""
    moves = "11645156766516546552442424"
    mine, theirs = bitboards(moves)
    threats = winning_cells(theirs) & BOARD & ~(mine | theirs)
    assert follow_up_bound(mine, theirs, mine | theirs, threats, len(moves), 0) == NO_BOUND
    assert solver.score(moves) == 0


def test_scores_are_those_of_bitbully(solver):
    core = pytest.importorskip("bitbully.bitbully_core")
    oracle = core.BitBullyCore()
    for seed in range(200):
        moves = (quiet_game if seed % 2 else random_game)(16 + seed % 20, seed)
        board = core.BoardCore()
        assert board.play([int(c) - 1 for c in moves])
        assert solver.score(moves) == oracle.mtdf(board, 0), moves


def test_mirror_images_have_the_same_score():
    for seed in range(30):
        moves = random_game(16 + seed % 25, seed)
        mirrored = "".join(str(8 - int(c)) for c in moves)
        one, other = (ConnectFourSolver(4, book=False) for _ in range(2))
        assert one.score(moves) == other.score(mirrored)


def test_the_score_is_the_best_value_and_its_distance_one_more_than_that_of_the_best_child(solver):
    for seed in range(40):
        moves = random_game(18 + seed % 22, 1000 + seed)
        values = solver.values(moves)
        score = solver.score(moves)
        assert score == max(values.values())
        best = [action for action, value in values.items() if value == score]
        assert solver.best_actions(moves) == best
        assert {solver.distance(moves + str(action + 1)) for action in best} == {solver.distance(moves) - 1}
        for wanted in (score - 1, score + 1, 0):
            assert solver.actions_reaching(moves, wanted) == [a for a, v in values.items() if v >= wanted]
        assert solver.is_lost(moves) == (score < 0)


def test_distances():
    assert plies_to_end(21, 0) == 1
    assert plies_to_end(1, 0) == 41
    assert plies_to_end(1, 1) == 41
    assert plies_to_end(-1, 0) == 42
    assert plies_to_end(0, 10) == 32
    assert all(
        plies_to_end(score_at_distance(n, ply), ply) >= n > plies_to_end(score_at_distance(n, ply) - 1, ply)
        for ply in range(12)
        for n in range(4, 25)
    )


def test_positions_of_all_kinds_and_finished_games(solver):
    moves = "44455554221"
    position = make("connect4").start()
    for c in moves:
        position.play(c)
    moves += random_game(1, 0)
    position.play(moves[-1])
    assert solver.values(moves) == solver.values(position) == solver.values(position.state)
    won = "1212121"
    assert solver.score(won) == -18
    assert solver.distance(won) == 0
    assert solver.values(won) == {}


@pytest.mark.parametrize(
    ("moves", "words"),
    [("448", "digits 1 to 7"), ("4444444", "column 4 is full"), ("12121212", "is over before its move 8")],
)
def test_moves_that_cannot_be_are_refused(solver, moves, words):
    with pytest.raises(BoardlabError, match=words):
        solver.score(moves)


def test_other_boards_and_games_are_refused(solver):
    with pytest.raises(BoardlabError, match="7 x 6, not connect4:columns=6,rows=5"):
        solver.score(make("connect4:columns=6,rows=5").start())
    with pytest.raises(BoardlabError, match="knows connect4 on the board 7 x 6, not nimm3"):
        solver.score(make("nimm3").start())
    with pytest.raises(BoardlabError, match="7 x 6, not connect4:columns=6"):
        make_agent("c4-perfect", make("connect4:columns=6"))


# ---------------------------------------------------------------- the opening book


def test_the_book_lists_all_positions_of_the_first_plies():
    counts = []
    for level in positions(6):
        pairs = sum(1 if connect4_book.mirrored(int(key)) == key else 2 for key in level)
        counts.append(pairs)
    assert counts == [1, 7, 49, 238, 1120, 4263, 16422]


def test_early_plies_follow_from_later_ones():
    rng = np.random.default_rng(1)
    book = OpeningBook.empty(3)
    results = {int(key): int(rng.integers(-18, 18)) for key in book.keys[3]}
    book.enter(results)

    def negamax(moves):
        if len(moves) == 3:
            mine, theirs = bitboards(moves)
            key = connect4_book.position_key(mine, mine | theirs)
            return results[min(key, connect4_book.mirrored(key))]
        return max(-negamax(moves + c) for c in "1234567")

    assert book.score(connect4_book.position_key(0, 0), 0) == negamax("")
    assert book.known == [1, 4, 25, 121]
    gap = int(book.keys[3][0])
    with_gap = OpeningBook.empty(3)
    with_gap.enter({key: score for key, score in results.items() if key != gap})
    assert with_gap.known[3] == 120
    assert with_gap.scores[0][0] == UNKNOWN


def test_what_a_book_knows_bounds_the_positions_after_it():
    book, with_book = OpeningBook.load(), ConnectFourSolver(16)
    for seed in range(1, 21):
        before = random_game(4 + seed % 4, seed)
        bounds, scores = {}, {}
        for column in (c for c in open_columns(before) if not wins(before + c)):
            mine, theirs = bitboards(before + column)
            bounds[column] = book.least(mine, mine | theirs)
            scores[column] = with_book.score(before + column)
        assert all(bounds[c] <= scores[c] for c in scores)
        if not any(wins(before + c) for c in open_columns(before)):  # else the book does not have it
            best = min(scores, key=lambda c: scores[c])
            assert bounds[best] == scores[best] == -with_book.score(before)
    assert OpeningBook.empty(3).least(0, 0) == -21


def test_a_book_file_is_read_back_and_a_damaged_one_refused(tmp_path):
    book = OpeningBook.empty(2)
    book.enter({int(key): place - 12 for place, key in enumerate(book.keys[2])})
    path = tmp_path / "book.bin"
    book.save(path)
    again = OpeningBook.load(path)
    assert [level.tolist() for level in again.scores] == [level.tolist() for level in book.scores]
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(BoardlabError, match="damaged"):
        OpeningBook.load(path)
    path.write_bytes(b"something else")
    with pytest.raises(BoardlabError, match="not an opening book"):
        OpeningBook.load(path)


def test_making_a_book_goes_on_where_it_stopped(tmp_path, monkeypatch, solver):
    games = {i: random_game(26, i) for i in range(1, 12)}
    boards = {i: (bitboards(moves)[0], sum(bitboards(moves))) for i, moves in games.items()}
    results = tmp_path / "results"
    reports = []
    for names in (range(1, 6), range(1, 12)):
        monkeypatch.setattr(connect4_book, "_depth_first", lambda plies, names=names: {i: boards[i] for i in names})
        make_book(2, results, megabytes=8, threads=2, report=reports.append)
        if len(names) == 5:
            with results.open("ab") as file:
                file.write(b"cut")
    assert reports[-1].todo == reports[-1].done == 6
    assert connect4_book._read_results(results) == {i: solver.score(moves) for i, moves in games.items()}


def test_theory_of_the_first_move():
    with_book = ConnectFourSolver(16)
    assert with_book.score("") == 1
    assert with_book.distance("") == 41
    values = list(with_book.values("").values())
    assert values == values[::-1] == [-2, -1, 0, 1, 0, -1, -2]
    assert with_book.nodes == 0


@pytest.mark.slow
def test_the_empty_board_without_the_book():
    assert ConnectFourSolver(2048, book=False).score("") == 1


# ---------------------------------------------------------------- players


def late_positions(solver, sign, count):
    """Positions of 22 plies and more whose score has the sign, with the choice of several actions."""
    game = make("connect4")
    found = []
    seed = 0
    while len(found) < count:
        seed += 1
        moves = random_game(22 + seed % 6, seed)
        score = solver.score(moves)
        if (score > 0) - (score < 0) == sign and plies_to_end(score, len(moves)) > 6:
            position = Position(game)
            for c in moves:
                position.play(c)
            found.append(position)
    return found


@pytest.mark.parametrize("name", ["c4-perfect", "c4-perfect-dl", "c4-minimax", "c4-minimax:protocol=2012"])
def test_a_won_game_is_won_in_time_against_random_play(solver, name):
    game = make("connect4")
    agent, rnd, rng = make_agent(name, game), make_agent("random", game), make_rng(1)
    for position in late_positions(solver, 1, 10):
        me, longest = position.player, solver.distance(position)
        start = len(position.history)
        while not position.is_over:
            position.play((agent if position.player == me else rnd).choose(position, rng))
        assert position.scores[me] == 1.0
        assert len(position.history) - start <= longest


def test_a_lost_player_postpones_the_loss_or_not(solver):
    game = make("connect4")
    distant, careless = make_agent("c4-perfect-dl", game), make_agent("c4-perfect", game)
    for position in late_positions(solver, -1, 15):
        values = solver.values(position)
        latest = [action for action, value in values.items() if value == max(values.values())]
        assert {distant.choose(position, make_rng(k)) for k in range(20)} <= set(latest)
        assert {careless.choose(position, make_rng(k)) for k in range(60)} == set(position.legal_actions)
        assert distant.values(position) == dict.fromkeys(position.legal_actions, -1.0)


FIRST_LOSSES = [
    pytest.param("277427712", marks=pytest.mark.slow),  # one action lasts long, the others lose at once
    "4621745375",  # four last for twelve plies, one of them just so
    "4753141224",  # six do, and the other one for ten
    pytest.param("4572544", marks=pytest.mark.slow),  # all of them do
    "43611226564",  # none does
    "244431751564",  # after twelve plies the latest loss counts
]
"""Lost positions, early in the game."""


def plies_until_loss(solver, position, action):
    """How long the game lasts after an action when both play their best, by playing it to its end."""
    played = position.copy().play(action)
    while not played.is_over:
        values = solver.values(played)
        played.play(max(values, key=values.__getitem__))
    assert played.scores[position.player] == -1.0
    return int(played.state.moves) - int(position.state.moves)


@pytest.mark.parametrize("moves", FIRST_LOSSES)
def test_the_minimax_of_the_thesis_varies_its_first_losing_moves(moves):
    """In the first 12 plies any action that puts off the loss for 12 plies, if there is one, else the latest loss."""
    solver = ConnectFourSolver(16)
    position = Position(make("connect4"))
    for c in moves:
        position.play(c)
    assert solver.score(moves) < 0
    lasts = {action: plies_until_loss(solver, position, action) for action in position.legal_actions}
    latest = {action for action, plies in lasts.items() if plies == max(lasts.values())}
    late = {action for action, plies in lasts.items() if plies >= 12}
    wanted = late if len(moves) < 12 and late else latest
    thesis, older = (make_agent(name, position.game) for name in ("c4-minimax", "c4-minimax:protocol=2012"))
    assert {thesis.choose(position, make_rng(k)) for k in range(60)} == wanted
    assert {older.choose(position, make_rng(k)) for k in range(60)} == latest
