"""`solve` against a plain search of all continuations, another solver and known results; and the command."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import pytest
from small_games import Dice, Harvest
from typer.testing import CliRunner

from boardlab import BoardlabError, Position, make
from boardlab.cli.main import app
from boardlab.cli.solve import value_text
from boardlab.game import Game
from boardlab.matches.starts import position_after
from boardlab.rng import make_rng, random_below
from boardlab.solvers import exhaustive, solution
from boardlab.solvers.exhaustive import ExhaustiveSolver
from boardlab.solvers.solution import Solution, solve

Outcome = tuple[float, int | None]


def plain_outcomes(position: Position, known: dict[bytes, Outcome]) -> dict[int, Outcome]:
    """Value for the player to move and plies to the end of each action, in a zero-sum game of two players: the winner
    takes the shortest way, the loser the longest, a draw has no length."""
    outcomes = {}
    player = position.player
    for action in position.legal_actions:
        score, plies = plain_end(position.copy().play(action), known)
        outcomes[action] = (score if player == 0 else 0.0 - score), None if plies is None else plies + 1
    return outcomes


def plain_end(position: Position, known: dict[bytes, Outcome]) -> Outcome:
    """Score of the first player and plies to the end."""
    if position.is_over:
        score = position.scores[0]
        return score, 0 if score else None
    key = position.state.tobytes()
    if key not in known:
        outcomes = plain_outcomes(position, known).values()
        top = max(value for value, _ in outcomes)
        lengths = [plies for value, plies in outcomes if value == top and plies is not None]
        plies = (min(lengths) if top > 0 else max(lengths)) if lengths else None
        known[key] = (top if position.player == 0 else 0.0 - top), plies
    return known[key]


def random_position(game: Game, plies: int, seed: int) -> Position:
    """An unfinished position after so many random actions."""
    rng = make_rng(seed)
    while True:
        position = game.start()
        while not position.is_over and len(position.history) < plies:
            legal = position.legal_actions
            position.play(legal[random_below(rng, len(legal))])
        if not position.is_over:
            return position


def found(solved: Solution) -> dict[int, Outcome]:
    return {a.action: (a.value, a.plies_to_end) for a in solved.actions}


@pytest.mark.parametrize(
    ("spec", "plies"),
    [
        ("tictactoe", 1),
        ("tictactoe", 4),
        ("nim:heaps=3,stones=3", 0),
        ("nimm3", 0),
        ("hex:size=3", 2),
        ("sim:nodes=5", 4),
    ],
)
def test_small_games_against_a_plain_search(spec: str, plies: int) -> None:
    position = random_position(make(spec), plies, seed=1)
    wanted = plain_outcomes(position, {})
    solved = solve(position)
    assert found(solved) == wanted
    values = [value for value, _ in wanted.values()]
    assert solved.value == max(values)
    top = [plies for value, plies in wanted.values() if value == max(values)]
    assert solved.plies_to_end == (None if top[0] is None else min(top) if solved.value > 0 else max(top))
    best = [action for action, outcome in wanted.items() if outcome == (solved.value, solved.plies_to_end)]
    assert solved.best == [position.game.action_name(action) for action in best]
    assert solved.player == position.player
    assert solved.moves == [position.game.action_name(e.number) for e in position.history]


def test_best_play_lasts_as_long_as_it_says() -> None:
    position = make("hex:size=3").start()
    left = solve(position).plies_to_end
    assert left == 5
    while not position.is_over:
        solved = solve(position)
        assert solved.plies_to_end == left
        left -= 1
        position.play(solved.best[-1])
    assert left == 0


def test_no_length_where_best_play_does_not_say() -> None:
    harvest = solve(Harvest().start())
    assert (harvest.value, harvest.plies_to_end) == (4.0, None)  # not zero-sum
    three = solve(make("nim:players=3,heaps=2,stones=2").start())
    assert all(a.plies_to_end is None for a in three.actions)
    dice = Dice().start()
    assert solve(dice).plies_to_end is None
    with pytest.raises(BoardlabError, match="a chance event of Dice is due"):
        solve(dice.play(1))


def test_nim_is_solved_by_theory_where_no_search_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exhaustive, "MOST_POSITIONS", 20_000)
    solved = solve(make("nim:heaps=4,stones=9").start().play("a9"))
    assert solved.value == 1.0  # three heaps of 9
    assert solved.best == ["b9", "c9", "d9"]
    assert solved.plies_to_end is None
    assert {a.value for a in solved.actions if a.name not in solved.best} == {-1.0}


def test_what_is_too_far_away_to_be_told_is_the_longest() -> None:
    far_loss, near_loss, far_win, near_win = (
        solution.ActionValue(0, "", value, plies) for value, plies in ((-1.0, None), (-1.0, 2), (1.0, None), (1.0, 1))
    )
    ranks = [action.rank for action in (near_loss, far_loss, far_win, near_win)]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == 4


def test_the_limit_ends_the_search_for_the_length() -> None:
    """A won game whose end is far: with few positions only the near ones are told."""
    position = make("nim:heaps=3,stones=4").start()
    values = {action: value for action, (value, _) in plain_outcomes(position, {}).items()}
    plies = {action: n for action, (_, n) in plain_outcomes(position, {}).items()}
    solver = ExhaustiveSolver(position.game, megabytes=1, position_limit=1_000_000)
    assert solver.plies_to_end(position, values) == plies
    few = ExhaustiveSolver(position.game, megabytes=1, position_limit=100).plies_to_end(position, values)
    assert few.items() < plies.items()


# ------------------------------------------------------------ Connect Four


@pytest.mark.parametrize("seed", range(3))
def test_connect_four_endgames_against_a_plain_search(seed: int) -> None:
    position = random_position(make("connect4"), 32, seed)
    wanted = {a: (v, 10 if p is None else p) for a, (v, p) in plain_outcomes(position, {}).items()}
    assert found(solve(position)) == wanted  # a draw fills the board


@pytest.mark.parametrize(("plies", "seed"), [(14, 2), (17, 3), (20, 4)])
def test_a_mirrored_board_has_mirrored_values(plies: int, seed: int) -> None:
    position = random_position(make("connect4"), plies, seed)
    mirrored = position.game.start()
    for event in position.history:
        mirrored.play(6 - event.number)
    solved = found(solve(position))
    assert found(solve(mirrored)) == {6 - action: outcome for action, outcome in solved.items()}


@pytest.mark.skipif(find_spec("bitbully") is None, reason="bitbully is an extra")
@pytest.mark.parametrize(("plies", "seed"), [(16, 5), (19, 6), (22, 7)])
def test_connect_four_against_another_solver(plies: int, seed: int) -> None:
    from bitbully import bitbully_core as core

    position = random_position(make("connect4"), plies, seed)
    oracle = core.BitBullyCore()
    for action, (value, to_end) in found(solve(position)).items():
        if position.copy().play(action).is_over:  # bitbully solves unfinished games
            assert (value, to_end) == (1.0, 1)
            continue
        board = core.BoardCore()
        board.play([event.number for event in position.history] + [action])
        score = -int(oracle.mtdf(board, 0))
        assert value == (score > 0) - (score < 0)
        first_player_wins = (score > 0) == (plies % 2 == 0)
        last = 42 if score == 0 else 2 * (22 - abs(score)) - first_player_wins
        assert to_end == last - plies


def test_another_board_is_searched() -> None:
    position = position_after(make("connect4:columns=4,rows=4"), "1122")
    assert found(solve(position)) == plain_outcomes(position, {})


# ------------------------------------------------------------ Dots and Boxes


@pytest.mark.parametrize(
    ("spec", "moves"), [("dots:rows=1,columns=2", ""), ("dots:rows=2,columns=2", "a1b1 a1a2 b1b2 a2b2")]
)
def test_boxes_that_are_taken_count(spec: str, moves: str) -> None:
    """In the second position a player owns a box already; the game always lasts to the last edge."""
    position = position_after(make(spec), moves)
    assert any(position.scores) == bool(moves)
    wanted = {a: (value, len(position.legal_actions)) for a, (value, _) in plain_outcomes(position, {}).items()}
    assert found(solve(position)) == wanted


# ------------------------------------------------------------ mistakes


@pytest.mark.parametrize(
    ("spec", "moves", "sentence"),
    [
        ("connect4", "48", "'8' is no action of Connect Four; an action looks like 1"),
        ("connect4", "4444444", "4 is not legal here; legal: 1, 2, 3, 5, 6, 7"),
        ("tictactoe", "a1 b1 a2 b2 a3", "there is nothing to solve: game over, X won (1 : -1)"),
        ("tictactoe", "a1 b1 a2 b2 a3 c3", "the game is over"),
        ("2048", "", "a chance event of 2048 is due; solve takes a position with a player to move"),
        ("2048", "left", "2048 has chance events, so no position can be named by its moves alone"),
        ("hex:size=4", "", "Hex has more than 1,000 positions below this one, too many to be searched to the end"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(
    spec: str, moves: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exhaustive, "MOST_POSITIONS", 1000)
    result = CliRunner().invoke(app, ["solve", spec, *moves.split()])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"boardlab: {sentence}")
    assert result.stderr.count("\n") == 1


# ------------------------------------------------------------ the command


def test_json() -> None:
    result = CliRunner().invoke(app, ["solve", "tictactoe", "b2,a2", "b1", "--json"])
    assert result.exit_code == 0
    solved: dict[str, Any] = json.loads(result.stdout)
    assert list(solved) == ["game", "moves", "player", "value", "plies_to_end", "best", "actions"]
    assert solved["game"] == "tictactoe"
    assert solved["moves"] == ["b2", "a2", "b1"]
    assert (solved["player"], solved["value"], solved["plies_to_end"]) == (1, -1.0, 4)
    assert solved["best"] == ["b3"]
    assert len(solved["actions"]) == 6
    assert solved["actions"][0] == {"action": 0, "name": "a1", "value": -1.0, "plies_to_end": 2}


def test_the_table_has_the_best_move_first() -> None:
    result = CliRunner().invoke(app, ["solve", "tictactoe", "b2", "a2", "b1"])
    lines = [line.strip() for line in result.stdout.splitlines() if line.strip()]
    assert lines[0] == "Tic-tac-toe (tictactoe) after b2 a2 b1"
    assert lines[1:5] == ["a b c", "1 . X .", "2 O X .", "3 . . ."]
    assert lines[5] == "O to move: lost in 4 plies"
    assert lines[8] == "b3    lost in 4 plies  best"
    assert lines[9] == "a1    lost in 2 plies"


def test_moves_of_one_character_need_nothing_between_them() -> None:
    game = make("connect4")
    for text in ("4453", "4 4 5 3", "4,4,5,3", "44 53"):
        assert [event.number for event in position_after(game, text).history] == [3, 3, 4, 2]
    wide = make("connect4:columns=10,rows=5")
    assert [event.number for event in position_after(wide, "1 10").history] == [0, 9]
    with pytest.raises(BoardlabError, match="'44' is no action"):
        position_after(wide, "44")


@pytest.mark.parametrize(
    ("spec", "value", "plies", "text"),
    [
        ("connect4", 1.0, 41, "won in 41 plies"),
        ("connect4", 0.0, 2, "drawn in 2 plies"),
        ("hex", -1.0, 1, "lost in 1 ply"),
        ("tictactoe", 0.0, None, "drawn"),
        ("dots", 3.0, 24, "score +3 in 24 plies"),
        ("dots", 0.0, 24, "score 0 in 24 plies"),
        ("nim:players=3", 0.2, None, "score 0.2"),
    ],
)
def test_values_in_words(spec: str, value: float, plies: int | None, text: str) -> None:
    assert value_text(make(spec), value, plies) == text
