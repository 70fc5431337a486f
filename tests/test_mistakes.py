"""Mistakes: every move held against perfect play, in matches and in sets of positions; adjudication; the pie rule."""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest
from small_games import Dice, Harvest
from typer.testing import CliRunner

from boardlab import BoardlabError, Position, make
from boardlab.agents.base import Agent
from boardlab.cli.main import app
from boardlab.matches.evaluators.mistakes import Mistakes
from boardlab.matches.evaluators.registry import make_evaluator, suitable_evaluators
from boardlab.matches.match import play_match
from boardlab.matches.mistakes import JudgedMove, count_mistakes, judged, mistakes_in_match
from boardlab.matches.play import Fixture, play_fixtures
from boardlab.matches.starts import position_after
from boardlab.rng import Rng, make_rng, random_below
from boardlab.solvers.connect4 import ConnectFourSolver
from boardlab.solvers.connect4_bits import canonical, position_key
from boardlab.solvers.connect4_sets import (
    SETS,
    difficulty,
    load_sets,
    make_sets,
    phase_of,
    plies_left,
    ply_class,
    state_after,
    write_sets,
)
from boardlab.solvers.judge import Judge
from boardlab.store.files import write_atomically

TICTACTOE = make("tictactoe")


@cache
def best_score(cells: tuple[int, ...], mover: int) -> int:
    """Plain minimax of Tic-tac-toe, for who is to move; cells have 0, 1 or 2."""
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    if any(cells[a] == cells[b] == cells[c] != 0 for a, b, c in lines):
        return -1
    return max((-best_score(put(cells, cell, mover), 3 - mover) for cell in range(9) if not cells[cell]), default=0)


def put(cells: tuple[int, ...], cell: int, mover: int) -> tuple[int, ...]:
    return (*cells[:cell], mover, *cells[cell + 1 :])


def reference(position: Position) -> dict[int, float]:
    mover = position.player + 1
    board = tuple((2, 0, 1)[int(cell)] for cell in position.cells)  # O, empty, X
    return {a: float(-best_score(put(board, a, mover), 3 - mover)) for a in position.legal_actions}


class First(Agent):
    """Always takes the lowest action."""

    name = "first"

    def choose(self, position: Position, rng: Rng) -> int:
        return position.legal_actions[0]


class Last(First):
    name = "last"

    def choose(self, position: Position, rng: Rng) -> int:
        return position.legal_actions[-1]


# ------------------------------------------------------------ the judge


def test_the_judge_agrees_with_plain_minimax() -> None:
    judge, rng = Judge(TICTACTOE), make_rng(3)
    for _ in range(40):
        position = TICTACTOE.start()
        while not position.is_over:
            assert judge.values(position) == reference(position)
            mine = max(reference(position).values())
            assert judge.scores(position) == ((mine, -mine) if position.player == 0 else (-mine, mine))
            position.play(position.legal_actions[random_below(rng, len(position.legal_actions))])


def test_the_judge_knows_games_that_are_not_zero_sum_and_games_of_three() -> None:
    start = Harvest().start()
    assert Judge(start.game).scores(start) == tuple(reference_scores(start))
    three = make("nim:players=3").start()
    while sum(three.state.heap) > 4:
        three.play(three.legal_actions[0])
    assert Judge(three.game).scores(three) == tuple(reference_scores(three))


def reference_scores(position: Position) -> list[float]:
    """What every player scores if each maximises his own score, the first of several best actions."""
    if position.is_over:
        return position.scores
    found = [reference_scores(position.copy().play(action)) for action in position.legal_actions]
    return max(found, key=lambda scores: scores[position.player])


def test_a_judge_says_where_it_does_not_know() -> None:
    start = make("hex:size=3").start()
    assert Judge(start.game, most_positions=1).values(start) is None
    assert Judge(start.game, most_positions=1).scores(start) is None


# ------------------------------------------------------------ counting


def test_a_mistake_is_a_move_with_a_better_one_beside_it() -> None:
    values = {0: 1.0, 1: 0.0, 2: -1.0, 3: 1.0}
    assert [judged("x", a, values).loss for a in values] == [0.0, 1.0, 2.0, 0.0]
    assert judged("x", 0, {0: -1.0, 1: -1.0}) == JudgedMove("x", 0.0, 0.0)


def test_the_counts_have_intervals_and_moves_of_a_game_belong_together() -> None:
    moves = [JudgedMove("x", 2.0 * (k % 4 == 0), 2.0, together=k // 8) for k in range(80)]
    count = count_mistakes(moves, (-1.0, 1.0))
    assert (count.moves, count.possible) == (80, 80)
    assert count.mistakes.mean == 0.25
    assert count.mistakes.low < 0.25 < count.mistakes.high
    assert count.loss.mean == 0.5
    lumps = [JudgedMove("x", 2.0 * (k < 20), 2.0, together=k // 10) for k in range(80)]
    wide = count_mistakes(lumps, (-1.0, 1.0)).mistakes
    assert wide.high - wide.low > 1.5 * (count.mistakes.high - count.mistakes.low)


def test_the_mistakes_of_a_match_are_those_of_plain_minimax() -> None:
    match = play_match(TICTACTOE, [First(TICTACTOE), Last(TICTACTOE)], 2, seed=1)
    wanted: dict[str, list[tuple[int, float]]] = {"first": [], "last": []}
    for record in match.records:
        position = TICTACTOE.start()
        for place, event in enumerate(record.events):
            assert event.player is not None
            values = reference(position)
            phase = 3 * place // len(record.events)
            name = ("first", "last")[record.seats[event.player]]
            wanted[name].append((phase, max(values.values()) - values[event.number]))
            position.play(event.number)
    found = mistakes_in_match(TICTACTOE, match)
    assert set(found) == {"first", "last"}
    for name, counts in found.items():
        assert [count.name for count in counts] == ["opening", "middle", "end", "all"]
        for phase, count in enumerate(counts[:3]):
            losses = [loss for place, loss in wanted[name] if place == phase]
            assert (count.moves, count.mistakes.mean) == (len(losses), sum(x > 0 for x in losses) / len(losses))
            assert count.loss.mean == pytest.approx(sum(losses) / len(losses))
    assert sum(loss > 0 for _, loss in wanted["first"] + wanted["last"]) > 1


def test_start_positions_of_a_match_are_where_its_moves_begin() -> None:
    starts = [position_after(TICTACTOE, moves) for moves in ("b2 a2", "a1 b2")]
    match = play_match(TICTACTOE, ["perfect", "random"], 8, seed=1, starts=starts)
    found = mistakes_in_match(TICTACTOE, match, starts)
    assert found["perfect"][-1].mistakes.mean == 0.0
    assert found["random"][-1].mistakes.mean > 0.0


# ------------------------------------------------------------ sets of positions


@pytest.mark.parametrize(
    "game", [TICTACTOE, make("nim"), make("nim:players=3"), pytest.param(Dice(), marks=pytest.mark.slow)], ids=str
)
def test_a_perfect_player_makes_no_mistakes_and_a_random_one_does(game: object) -> None:
    evaluator = Mistakes(game, positions=30)  # type: ignore[arg-type]
    perfect = evaluator.evaluate("perfect", seed=1)
    assert perfect.result.mean == perfect.result.high == 1.0
    random = evaluator.evaluate("random", seed=1)
    assert random.result.high < 1.0
    assert [count.name for count in random.counts] == ["opening", "middle", "end", "all"]  # type: ignore[attr-defined]


def test_the_positions_are_always_the_same_different_ones() -> None:
    one, other = (Mistakes(TICTACTOE, positions=40).sets for _ in range(2))
    assert [position.state for position in one] == [position.state for position in other]
    assert len({position.state for position in one}) == len(one)
    assert all(set(position.values) == set(reference_of(position.state)) for position in one)
    assert all(position.values == reference_of(position.state) for position in one)


def reference_of(state: bytes) -> dict[int, float]:
    return reference(Position(TICTACTOE, np.frombuffer(state, TICTACTOE.state)[0]))


def test_the_evaluator_says_what_it_cannot_do() -> None:
    with pytest.raises(BoardlabError, match="small enough to be solved"):
        make_evaluator("mistakes", make("othello"))
    with pytest.raises(BoardlabError, match="no opponent"):
        make_evaluator("mistakes", TICTACTOE).evaluate("random", against="random")
    with pytest.raises(BoardlabError, match="board of 7 x 6"):
        make_evaluator("c4-mistakes", make("connect4:columns=6"))
    assert "c4-mistakes" in suitable_evaluators(make("connect4"))
    assert "mistakes" not in suitable_evaluators(make("connect4"))


# ------------------------------------------------------------ Connect Four


def test_the_sets_of_connect_four_are_what_their_names_say() -> None:
    sets = load_sets()
    assert tuple(sets) == SETS
    seen = set()
    stones = {"opening": range(14), "middle": range(14, 29), "end": range(29, 42)}
    for name, positions in sets.items():
        assert len(positions) == 1000
        for moves, scores in positions:
            state = position_after(make("connect4"), moves).state if len(seen) % 10 == 0 else None
            if state is not None:
                mine, theirs = int(state.stones[int(state.player)]), int(state.stones[1 - int(state.player)])
                key = int(canonical(position_key(mine, mine | theirs)))
                assert key not in seen
                seen.add(key)
            else:
                seen.add(-len(seen) - 1)
            assert len(moves) in stones[phase_of(name)]
            assert difficulty(plies_left(moves, scores)) == ply_class(name)
            assert [score is None for score in scores] == [moves.count(str(c + 1)) == 6 for c in range(7)]


def test_the_stones_of_a_set_stand_where_play_puts_them() -> None:
    for positions in load_sets().values():
        for moves, _ in positions[::50]:
            assert state_after(moves) == position_after(make("connect4"), moves).state.tobytes(), moves


def test_the_scores_of_the_sets_are_those_of_the_solver() -> None:
    solver = ConnectFourSolver(16, book=False)
    for name in ("middle easy", "middle medium", "end easy"):
        for moves, scores in load_sets()[name][::50]:
            if len(moves) >= 18:
                assert solver.values(moves) == {a: s for a, s in enumerate(scores) if s is not None}, moves


@pytest.mark.slow
def test_the_scores_of_the_openings_are_those_of_the_solver() -> None:
    solver = ConnectFourSolver(256)
    for name in ("opening easy", "opening medium", "opening hard"):
        for moves, scores in load_sets()[name][::20]:
            assert solver.values(moves) == {a: s for a, s in enumerate(scores) if s is not None}, moves


@pytest.mark.slow
@pytest.mark.skipif(find_spec("bitbully") is None, reason="bitbully is an extra")
def test_the_scores_of_the_sets_are_those_of_bitbully() -> None:
    """Without its book, which is why positions of fewer than 11 stones are left out."""
    from bitbully import bitbully_core as core

    oracle = core.BitBullyCore()
    compared = 0
    for name, positions in load_sets().items():
        for moves, scores in positions[:: 20 if phase_of(name) == "opening" else 5]:
            for column, score in enumerate(scores):
                if score is None or len(moves) < 11:
                    continue
                after = position_after(make("connect4"), moves).play(column)
                if after.is_over:  # bitbully solves unfinished games
                    assert score == (0 if after.scores[0] == 0 else (43 - len(moves)) // 2), moves
                    continue
                board = core.BoardCore()
                assert board.play([int(c) - 1 for c in moves] + [column])
                assert -oracle.mtdf(board, 0) == score, (moves, column)
                compared += 1
    assert compared > 2500


@pytest.mark.slow
def test_the_same_seed_gives_the_same_file(tmp_path) -> None:
    for name in ("one", "two"):
        sets = make_sets(3, seed=5, megabytes=64)
        write_atomically(tmp_path / name, lambda stream, sets=sets: write_sets(sets, 5, stream))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert load_sets(tmp_path / "one") == sets
    package = make_sets(3, seed=1)
    assert all(package[name] == list(load_sets()[name][:3]) for name in SETS)  # the package's own seed


def test_a_broken_file_of_positions_is_told(tmp_path) -> None:
    (tmp_path / "a.gz").write_bytes(b"no gzip")
    with pytest.raises(BoardlabError, match="cannot be read"):
        load_sets(tmp_path / "a.gz")


def test_c4_mistakes_prints_a_table_by_set() -> None:
    arguments = ["eval", "random", "--game", "connect4", "--evaluator", "c4-mistakes", "--seed", "1"]
    result = CliRunner().invoke(app, [*arguments, "--games", "300"])
    assert result.exit_code == 0, result.output
    for row in (*SETS, "opening", "hard", "all"):
        assert f"\n{row} " in result.stdout
    data = json.loads(CliRunner().invoke(app, [*arguments, "--games", "120", "--json"]).stdout)
    assert data["games"] == 120
    assert [row["moves"] for row in data["sets"]][:6] == [20] * 6
    assert 0.0 < data["mean"] < 1.0


def test_the_perfect_player_of_connect_four_makes_no_mistakes() -> None:
    evaluator = make_evaluator("c4-mistakes", make("connect4"))
    late = [position for position in evaluator.sets if position.where in ("middle medium", "end easy")][::100]
    evaluator.__dict__["sets"] = late
    assert evaluator.evaluate("c4-perfect-dl", seed=1).result.mean == 1.0


# ------------------------------------------------------------ adjudication, and games that are cut off


def test_adjudicated_games_end_with_the_result_of_perfect_play() -> None:
    match = play_match(TICTACTOE, ["random", "random"], 30, seed=1, adjudicate=4)
    for record in match.records:
        position = TICTACTOE.start()
        for event in record.events:
            position.play(event.number)
        assert record.adjudicated
        assert len(record.events) == 4
        mine = max(reference(position).values())
        assert record.scores == ((mine, -mine) if position.player == 0 else (-mine, mine))
    assert {record.scores for record in match.records} >= {(1.0, -1.0), (0.0, 0.0)}
    assert "30 adjudicated" in str(match)


def test_adjudication_before_the_end_changes_nothing_for_perfect_players() -> None:
    match = play_match(make("nim"), ["perfect", "perfect"], 4, seed=1, adjudicate=2)
    assert [r.scores for r in match.records] == [
        r.scores for r in play_match(make("nim"), ["perfect"] * 2, 4, 1).records
    ]


def test_what_cannot_be_adjudicated() -> None:
    with pytest.raises(BoardlabError, match="has chance events"):
        play_match(Dice(), ["random"] * 3, 3, seed=1, adjudicate=0)
    with pytest.raises(BoardlabError, match="number"):
        play_match(TICTACTOE, ["random"] * 2, 3, seed=1, adjudicate=-1)


def test_a_fixture_can_be_cut_off_and_have_the_random_numbers_of_another() -> None:
    whole = play_fixtures(TICTACTOE, ["random"], [Fixture((0, 0))] * 3, 7)
    short = play_fixtures(TICTACTOE, ["random"], [Fixture((0, 0), number=2, plies=3)], 7)
    assert short[0].events == whole[2].events[:3]
    assert short[0].scores == (0.0, 0.0)


def test_the_record_tells_what_the_players_expected() -> None:
    game = make("nim")
    record = play_fixtures(game, ["perfect", "random"], [Fixture((0, 1), opinions=True)], 1)[0]
    assert len(record.opinions) == sum(record.moves)
    assert set(record.opinions[0::2]) <= {1.0, -1.0}
    assert set(record.opinions[1::2]) == {None}


# ------------------------------------------------------------ the pie rule


def test_with_the_pie_rule_the_second_perfect_player_wins_every_game_of_hex() -> None:
    """Hex has no draws, so after any first move one of the two sides is won, and the second player chooses it."""
    game = make("hex:size=3")
    match = play_match(game, ["perfect", "perfect"], 40, seed=1, pie=True)
    second = [record.scores[0 if record.swapped else 1] for record in match.records]
    assert second == [1.0] * 40
    assert 0 < sum(record.swapped for record in match.records) < 40
    began = [record.seats[1] if record.swapped else record.seats[0] for record in match.records]
    assert began == [0, 1] * 20
    assert "the first move was taken over" in str(match)


def test_an_agent_without_an_opinion_decides_by_chance() -> None:
    match = play_match(make("hex:size=2"), ["random", "random"], 60, seed=1, pie=True)
    assert 15 < sum(record.swapped for record in match.records) < 45


def test_the_pie_rule_is_for_games_that_declare_it() -> None:
    with pytest.raises(BoardlabError, match="does not declare the pie rule"):
        play_match(TICTACTOE, ["random"] * 2, 2, seed=1, pie=True)
    game = make("hex:size=3")
    with pytest.raises(BoardlabError, match="takes no start positions"):
        play_match(game, ["random"] * 2, 2, seed=1, pie=True, starts=[game.start()])


# ------------------------------------------------------------ the command


def test_boardlab_match_counts_mistakes_and_adjudicates() -> None:
    arguments = ["match", "tictactoe", "perfect", "random", "--games", "10", "--seed", "1"]
    result = CliRunner().invoke(app, [*arguments, "--mistakes"])
    assert result.exit_code == 0, result.output
    assert "mistakes of perfect" in result.stdout
    data = json.loads(CliRunner().invoke(app, [*arguments, "--mistakes", "--adjudicate", "3", "--json"]).stdout)
    assert data["adjudicated"] == 10
    assert data["mistakes"]["perfect"][-1]["mistakes"]["mean"] == 0.0
    refused = CliRunner().invoke(app, ["match", "hex:size=2", "random", "random", "--pie", "--mistakes"])
    assert refused.exit_code == 2
    assert "under the pie rule" in refused.stderr
