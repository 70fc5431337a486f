"""Evaluators: the procedures of the published tables, their results where these can be told, and learning curves."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from training_files import small_agent
from typer.testing import CliRunner

from boardlab import BoardlabError, make
from boardlab.agents.random import RandomAgent
from boardlab.cli.info import success_lines
from boardlab.cli.main import app
from boardlab.lab.curves import success_measures
from boardlab.lab.history import CurvePoint, History
from boardlab.matches.curves import asymptotic_success, smoothed, time_to_learn
from boardlab.matches.evaluators.registry import (
    default_evaluator,
    evaluator_classes,
    make_evaluator,
    suitable_evaluators,
)
from boardlab.registry import game_classes

BOTH, FIRST, THREE, ALONE = [(0, 1), (1, 0)], [(0, 1)], [(0, 1, 1), (1, 0, 1), (1, 1, 0)], [(0,)]
GBG = "exploration=1.414,tree_depth=10,reuse_tree=false,final=mean"


@pytest.mark.parametrize(
    ("name", "spec", "starts", "seatings", "games", "opponent", "measure"),
    [  # the evaluations behind Table 1 of the FARL paper, the protocols of Thill 2015 and Thill et al. 2012
        ("perfect", "tictactoe", 10, BOTH, 20, "perfect", "score"),
        ("c4-perfect", "connect4", 0, FIRST, 40, "c4-perfect", "score"),
        ("c4-perfect-dl", "connect4", 0, FIRST, 40, "c4-perfect-dl", "score"),
        ("c4-thesis", "connect4", 0, FIRST, 200, "c4-minimax", "success"),
        ("dots-thesis", "dots", 0, BOTH, 50, "dots-perfect", "outcome"),
        ("c4-2012", "connect4", 0, FIRST, 50, "c4-minimax:protocol=2012", "success"),
        ("hex-mcts", "hex", 22, BOTH, 220, f"mcts:iterations=10000,{GBG}", "score"),
        ("othello-bench", "othello", 244, BOTH, 488, "othello-positional", "score"),
        ("othello-gbg", "othello", 244, BOTH, 488, "othello-positional:waiting=true", "score"),
        ("nim-perfect", "nim", 10, BOTH, 20, "perfect", "score"),
        ("nim3p-perfect", "nim:players=3", 10, THREE, 300, "perfect", "score"),
        ("nim3p-mcts", "nim:players=3", 10, THREE, 300, f"mcts:iterations=5000,{GBG}", "score"),
        ("score", "2048", 0, ALONE, 250, "", "score"),
        ("random", "dots", 0, BOTH, 200, "random", "score"),
    ],
)
def test_the_procedures(
    name: str, spec: str, starts: int, seatings: list[tuple[int, ...]], games: int, opponent: str, measure: str
) -> None:
    evaluator = make_evaluator(name, make(spec))
    positions = evaluator.starts(seed=1)
    assert len(positions) == starts
    assert not any(position.is_over for position in positions)
    assert evaluator.seatings() == seatings
    assert evaluator.games(len(positions)) == games
    assert (evaluator.opponent, evaluator.measure) == (opponent, measure)


@pytest.mark.parametrize("opponent", ["perfect", "mcts:iterations=30", "max-n:depth=3", "mc:rollouts=5"])
def test_an_opponent_who_stays_plays_as_a_new_one_does(opponent: str) -> None:
    """Whatever it keeps from the games before decides nothing."""
    game = make("tictactoe")
    evaluator = make_evaluator("all-roles", game)
    for seed in (1, 2, 1):
        new = make_evaluator("all-roles", game).evaluate("random", games=20, against=opponent, seed=seed)
        assert evaluator.evaluate("random", games=20, against=opponent, seed=seed).match == new.match
    assert evaluator.invited(opponent) is evaluator.invited(opponent)


def test_the_start_positions_of_hex_are_half_the_board() -> None:
    """With their half-turns they are all positions after one stone."""
    game = make("hex")
    empty, *others = make_evaluator("hex-mcts", game).starts(seed=0)
    cells = [position.last_action for position in others]
    assert empty.history == []
    assert len(set(cells)) == 21
    assert {c for c in cells if c is not None} | {35 - c for c in cells if c is not None} == set(range(36))


def test_perfect_against_perfect_is_even() -> None:
    result = make_evaluator("perfect", make("tictactoe")).evaluate("perfect", seed=1)
    assert (result.result.mean, result.result.games) == (0.0, 20)
    assert result.standing.draws == 20
    nim = make_evaluator("nim-perfect", make("nim")).evaluate("perfect", seed=2)
    assert nim.result.mean == 0.0  # each start is won in one of the two roles
    assert (nim.standing.wins, nim.standing.losses) == (10, 10)


def test_three_perfect_players_share_the_reward() -> None:
    """The FARL paper: the best that can be expected is 0.4, a third of 1.2."""
    result = make_evaluator("nim3p-perfect", make("nim:players=3")).evaluate("perfect", seed=1).result
    assert result.games == 300
    assert result.low < 0.4 < result.high
    weak = make_evaluator("nim3p-perfect", make("nim:players=3")).evaluate("random", seed=1).result
    assert weak.high < 0.3


def test_random_loses_against_perfect_and_bench() -> None:
    assert make_evaluator("perfect", make("tictactoe")).evaluate("random", seed=1).result.high < -0.5
    bench = make_evaluator("othello-bench", make("othello")).evaluate("random", seed=1, games=20)
    assert bench.result.mean < 0.0
    assert bench.match.contestants == ("random", "othello-positional")


def test_an_agent_object_other_games_and_another_opponent() -> None:
    game = make("tictactoe")
    result = make_evaluator("perfect", game).evaluate(RandomAgent(game), games=40, against="random", seed=3)
    assert result.opponent == "random"
    assert result.result.games == 40
    assert [r.seats for r in result.match.records[:2]] == BOTH


def test_the_usual_evaluator_suits_every_game() -> None:
    for cls in game_classes().values():
        game = cls()
        usual = default_evaluator(game)
        assert usual in suitable_evaluators(game)
        assert suitable_evaluators(game)[0] == usual or not game.evaluators
        assert set(game.evaluators) <= set(evaluator_classes())
    assert default_evaluator(make("hex")) == "mcts"  # hex-mcts takes minutes, too long for a look in between
    assert default_evaluator(make("hex", size=4)) == "perfect"
    assert default_evaluator(make("othello", size=6)) == "random"


@pytest.mark.parametrize(
    ("name", "spec", "sentence"),
    [
        ("othello-bench", "hex", "the evaluator othello-bench is for Othello on the board of 8 x 8, not for hex"),
        ("c4-perfect", "connect4:columns=6", "is for Connect Four on the board of 7 x 6, not for connect4:columns=6"),
        ("nim3p-perfect", "nim", "the evaluator nim3p-perfect is for Nim with 3 players, not for nim"),
        ("random", "2048", "the evaluator random is for games of two players or more, not for 2048"),
        ("score", "nim", "the evaluator score is for games of one player, not for nim"),
        ("perfect", "connect4", "is for games without chance that are small enough to be solved, not for connect4"),
        ("perfct", "nim", "there is no evaluator 'perfct'; did you mean 'perfect'?"),
    ],
)
def test_an_evaluator_that_does_not_suit(name: str, spec: str, sentence: str) -> None:
    with pytest.raises(BoardlabError) as caught:
        make_evaluator(name, make(spec))
    assert sentence in str(caught.value)


OWN = """
from boardlab.matches.evaluators.base import Evaluator

class AsSecond(Evaluator):
    opponent = "random"
    measure = "success"

    @classmethod
    def unsuited(cls, game):
        return ""

    def seatings(self):
        return [(1, 0)]

    def games(self, starts):
        return 6
"""


@pytest.mark.parametrize(
    ("spec", "game", "opponent"),
    [
        ("mcts:iterations=2000", "tictactoe", "mcts:iterations=2000"),
        ("hex-mcts:iterations=7", "hex", f"mcts:iterations=7,{GBG}"),
        ("all-roles:against=[mcts:iterations=3,exploration=2]", "nim", "mcts:iterations=3,exploration=2"),
        ("all-roles", "nim", "random"),
    ],
)
def test_parameters_of_evaluators(spec: str, game: str, opponent: str) -> None:
    evaluator = make_evaluator(spec, make(game))
    assert (evaluator.opponent, evaluator.spec) == (opponent, spec)


def test_an_evaluation_says_with_which_parameters_it_was_made() -> None:
    code, out, _ = run("eval", "random", "--game", "tictactoe", "--evaluator", "mcts:iterations=9", "--games=2")
    assert code == 0
    assert "mcts:iterations=9: mean score" in out
    start_only = make_evaluator("perfect:plies=0", make("tictactoe")).evaluate("perfect", seed=1)
    assert (start_only.evaluator, start_only.result.games) == ("perfect:plies=0", 2)
    with pytest.raises(BoardlabError, match="there is no parameter of the evaluator random 'iterations'"):
        make_evaluator("random:iterations=3", make("tictactoe"))


def test_an_evaluator_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN)
    result = make_evaluator(f"{file}:AsSecond", make("tictactoe")).evaluate("perfect", seed=1)
    assert result.evaluator == "AsSecond"
    assert result.result == result.standing.success
    assert result.result.games == 6
    assert result.standing.role_scores[0] is None
    assert "success rate" in str(result)


# ------------------------------------------------------------ learning curves


def test_asymptotic_success_is_the_mean_of_the_end() -> None:
    games = list(range(10_000, 1_010_000, 10_000))
    success = [0.5] * 80 + [0.9] * 10 + [0.8] * 10
    assert asymptotic_success(games, success) == pytest.approx(0.85)  # the last 20 evaluations
    assert asymptotic_success(games, success, last=100_000) == pytest.approx(0.8)
    assert asymptotic_success([5], [0.3]) == 0.3


def history(evaluator: str, success: list[float]) -> History:
    """Of a training that was measured every 100,000 episodes."""
    points = [
        CurvePoint(episodes=100_000 * (i + 1), seconds=0, score=s, low=s, high=s, games=200, alpha=1, epsilon=0)
        for i, s in enumerate(success)
    ]
    return History(evaluator=evaluator, evaluations=points)


def test_a_training_by_the_thesis_protocol_tells_its_measures() -> None:
    rising = history("c4-thesis", [0.0, 0.6, 0.7, 0.8, 0.9, 0.9, 0.8])
    assert success_measures(rising) == {
        "asymptotic_success": pytest.approx(0.85),
        "time_to_learn": pytest.approx(450_000),  # the smoothed curve has 0.78 at 400,000 and 0.82 at 500,000
    }
    assert success_lines(rising)[0] == "asymptotic success rate (of the last 200,000 episodes): 85.0%"
    assert success_lines(history("c4-2012", [0.1, 0.2]))[1] == "time-to-learn (until 80 %): not reached"
    assert success_lines(history("c4-perfect", [0.1, 0.2])) == []  # a mean score, no rate of success
    assert success_measures(history("c4-thesis", [])) is None
    assert success_measures(history("own.py:AsSecond", [0.5])) is None  # the file may be gone by now


def test_time_to_learn_is_the_first_crossing() -> None:
    games = [100, 200, 300, 400, 500]
    assert time_to_learn(games, [0.0, 0.2, 0.4, 0.6, 1.0], level=0.5, window=1) == pytest.approx(350)
    assert time_to_learn(games, [0.0, 0.2, 0.4, 0.6, 0.7]) is None
    assert time_to_learn(games, [0.9, 0.2, 0.4, 0.6, 0.7], window=1) == 100
    spike = [0.0, 0.0, 0.9, 0.0, 0.0, 0.0, 0.85, 0.9, 0.9]
    assert time_to_learn(range(9), spike, window=1) == pytest.approx(1 + 0.8 / 0.9)  # as it is
    assert time_to_learn(range(9), spike, window=3) == pytest.approx(6 + (0.8 - 1.75 / 3) / (2.65 / 3 - 1.75 / 3))


def test_smoothing_takes_what_is_on_both_sides() -> None:
    values = np.array([1.0, 4.0, 1.0, 1.0, 6.0])
    np.testing.assert_allclose(smoothed(values, 3), [1.0, 2.0, 2.0, 8 / 3, 6.0])
    np.testing.assert_allclose(smoothed(values, 5), [1.0, 2.0, 13 / 5, 8 / 3, 6.0])
    with pytest.raises(BoardlabError, match="the smoothing window is an odd number of evaluations, not 4"):
        smoothed(values, 4)
    with pytest.raises(BoardlabError, match="must ascend"):
        time_to_learn([2, 1], [0.1, 0.2])
    with pytest.raises(BoardlabError, match="one success rate for each"):
        asymptotic_success([1, 2], [0.1])


# ------------------------------------------------------------ the commands


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stdout, result.stderr


def test_eval_prints_the_result() -> None:
    code, out, _ = run("eval", "perfect", "--game", "tictactoe", "--seed", "1")
    assert code == 0
    assert out.splitlines()[-1] == "perfect: mean score 0.000, 95 % interval -0.091 .. 0.091, 20 games against perfect"
    code, out, _ = run("eval", "random", "--game", "2048", "--games", "3", "--seed", "1")
    assert code == 0
    assert out.splitlines()[-1].startswith("score: mean score ")


def test_eval_against_an_agent_as_json() -> None:
    code, out, _ = run("eval", "perfect", "--game", "nim", "--against", "random", "--games", "30", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["evaluator"], found["opponent"], found["games"]) == ("all-roles", "random", 30)
    assert found["low"] <= found["mean"] <= found["high"]
    assert found["mean"] == found["standing"]["score"]["mean"]


def test_eval_of_a_file_knows_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    small_agent().save("learned.agent")
    code, out, _ = run("eval", "learned.agent", "--games", "4", "--json")
    assert code == 0
    assert (json.loads(out)["game"], json.loads(out)["agent"]) == ("tictactoe", "learned.agent")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["eval", "random"], "boardlab: say which game random should play, such as --game connect4"),
        (["eval", "missing.agent"], "boardlab: "),
        (["eval", "random", "--game", "2048", "--against", "random"], "boardlab: the evaluator all-roles is for games"),
        (
            ["eval", "random", "--game", "2048", "--evaluator", "score", "--against", "random"],
            "boardlab: 2048 is played alone; boardlab match compares agents on it",
        ),
        (["eval", "random", "--game", "hex", "--evaluator", "perfect"], "boardlab: the evaluator perfect is for games"),
        (["agents", "mctss"], "boardlab: there is no agent 'mctss'; did you mean 'mcts'?"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(arguments: list[str], sentence: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(sentence)
    assert err.count("\n") == 1


def test_lists_of_agents_and_evaluators() -> None:
    code, out, _ = run("evaluators", "hex")
    assert code == 0
    assert "hex-mcts" in out
    assert "othello-bench" not in out
    assert "othello-bench" in run("evaluators")[1]
    assert all(name in run("agents")[1] for name in ("mcts", "max-n", "expectimax-n", "mc", "perfect", "random"))
    assert "rollout_depth" in run("agents", "mcts")[1]
    assert "It has no options." in run("agents", "random")[1]
