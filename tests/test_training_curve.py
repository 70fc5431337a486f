"""What a training does besides learning: a second evaluator, an early end, step sizes in the history, and the end of
one that diverges."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from own_learner import CellWorth
from training_files import learned, small_agent
from typer.testing import CliRunner

from boardlab import BoardlabError, make, train
from boardlab.agents.files import load_agent
from boardlab.agents.learning import LearningAgent
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.cli.main import app
from boardlab.lab.curves import draw_curve, write_curve
from boardlab.lab.history import CurvePoint, History, Score, StepSizes, history_of
from boardlab.lab.soundness import Soundness, TrainingDiverged
from boardlab.lab.stop import Stop
from boardlab.lab.training import Measure, Plan, TrainingRun, follow
from boardlab.learn.step_sizes import sampled_step_sizes
from boardlab.matches.intervals import Estimate

OWN = f"{Path(__file__).parent / 'own_learner.py'}:CellWorth"


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    yield


def command(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stdout, " ".join(result.stderr.split())


def own(**settings: Any) -> CellWorth:
    agent = CellWorth(make("tictactoe"), **settings)
    agent.kind = OWN
    return agent


class Told:
    """Evaluations with these results, one after the other."""

    def __init__(self, *scores: float) -> None:
        self.scores = iter(scores)

    def __call__(self, agent: Any) -> Estimate:
        score = next(self.scores)
        return Estimate(score, score - 0.1, score + 0.1, 10)


# ------------------------------------------------------------ two evaluators


def test_two_evaluators_in_one_curve() -> None:
    second = Measure("other", "somebody", Told(0.1, 0.2))
    run = TrainingRun(own(), Plan(20, evaluate=Told(0.5, 0.6), evaluator="first", evaluate_every=10, second=second))
    reports = [report for report in run.run() if report.evaluation]
    assert [(r.evaluation.mean, r.second.mean) for r in reports if r.evaluation and r.second] == [
        (0.5, 0.1),
        (0.6, 0.2),
    ]
    history = history_of(run.agent)
    assert (history.second_evaluator, history.second_procedure) == ("other", "other against somebody")
    assert [point.second for point in history.evaluations] == [
        Score(score=s, low=s - 0.1, high=s + 0.1, games=10) for s in (0.1, 0.2)
    ]


def test_every_evaluation_has_games_of_its_own() -> None:
    """An agent whose weights hardly move is measured by other games each time, and by the same ones when the training
    is repeated, or goes on."""
    often: dict[str, Any] = {"evaluation_games": 30, "evaluate_every": 2, "progress": False}

    def begun(seed: int, episodes: int) -> LearningAgent:
        return train("tictactoe", agent=OWN, alpha=1e-9, seed=seed, episodes=episodes, against="random", **often)

    def scores(agent: LearningAgent) -> list[float]:
        return [point.score for point in history_of(agent).evaluations]

    whole = scores(begun(1, 10))
    assert len(set(whole)) > 1
    assert scores(begun(1, 10)) == whole
    assert scores(begun(2, 10)) != whole
    assert scores(train(begun(1, 4), episodes=10, **often)) == whole


def test_the_second_evaluator_on_the_command_line() -> None:
    usual = ["train", "tictactoe", "--agent", OWN, "--out", "a.agent", "--evaluator", "random", "-n", "40"]
    code, out, err = command(*usual, "--also", "mcts:iterations=5", "--evaluation-games", "4", "--evaluate-every", "20")
    assert (code, err) == (0, "")
    assert "and by mcts:iterations=5 against mcts:iterations=5" in out
    history = history_of(load_agent("a.agent"))
    assert [point.second and point.second.games for point in history.evaluations] == [4, 4]
    rows = list(csv.DictReader(Path("a.csv").read_text().splitlines()))
    assert [float(row["second_score"]) for row in rows] == [p.second.score for p in history.evaluations if p.second]
    told = command("info", "a.agent")[1]
    assert "second: mcts:iterations=5 against mcts:iterations=5" in told and "second" in told
    # one that goes on is measured as before
    assert command("train", "--resume", "a.agent", "-n", "60", "--evaluate-every", "20")[0] == 0
    assert [bool(point.second) for point in history_of(load_agent("a.agent")).evaluations] == [True, True, True]
    assert "a resumed training keeps" in command("train", "--resume", "a.agent", "--also", "random")[2]
    assert "there is no evaluator 'mtcs'" in command(*usual[:-2], "--also", "mtcs", "--out", "b.agent")[2]


# ------------------------------------------------------------ an early end


@pytest.mark.parametrize(
    ("scores", "in_a_row", "ends"),
    [
        ((0.9, 0.1, 0.1, 0.1), 1, 10),
        ((0.9, 0.1, 0.95, 0.9, 0.1), 2, 40),
        ((0.9, 0.9, 0.1, 0.9, 0.9), 3, 50),
        ((0.1, 0.1, 0.1, 0.1, 0.9), 1, 50),
    ],
)
def test_it_ends_when_the_goal_was_reached_in_a_row(scores: tuple[float, ...], in_a_row: int, ends: int) -> None:
    plan = Plan(50, evaluate=Told(*scores), evaluator="told", evaluate_every=10, goal=0.9, in_a_row=in_a_row)
    run = TrainingRun(own(), plan)
    assert follow(run, Stop())
    assert run.agent.episodes == ends
    history = history_of(run.agent)
    words = "0.9 reached" if in_a_row == 1 else f"0.9 reached {in_a_row} times in a row"
    assert (history.finished, history.stopped) == (True, words if ends < 50 else "")


def test_a_row_of_what() -> None:
    usual = ["train", "tictactoe", "--agent", OWN]
    assert command(*usual, "--in-a-row", "3")[2] == (
        "boardlab: these parameters of a training do not fit together: in_a_row counts evaluations that reach stop_at;"
        " say that, too"
    )
    assert "recorded games are learned from by one thread" in command(*usual, "--from", "g", "--threads", "2")[2]


def test_the_row_goes_on_after_an_interrupt() -> None:
    agent = own()
    first = Plan(20, evaluate=Told(0.1, 0.9), evaluator="told", evaluate_every=10, goal=0.9, in_a_row=2)
    follow(TrainingRun(agent, first), Stop())
    second = Plan(100, evaluate=Told(0.9, 0.1), evaluator="told", evaluate_every=10, goal=0.9, in_a_row=2)
    follow(TrainingRun(agent, second), Stop())
    assert agent.episodes == 30


def test_an_early_end_on_the_command_line_and_more_afterwards() -> None:
    usual = ["--evaluator", "random", "--evaluation-games", "4", "--evaluate-every", "10", "-n", "200", "--seed", "1"]
    stop = ["--stop-at", "-1", "--in-a-row", "3"]
    code, out, err = command("train", "tictactoe", "--agent", OWN, "--out", "a.agent", *usual, *stop)
    assert (code, err) == (0, "")
    assert "ends early with -1 reached 3 times in a row" in out
    assert "ended early: -1 reached 3 times in a row" in out and "(30 episodes," in out
    assert "ended early: -1 reached 3 times in a row" in command("info", "a.agent")[1]
    code, out, err = command("train", "--resume", "a.agent", "-n", "50", "--evaluate-every", "10")
    assert (code, err) == (0, "")
    assert history_of(load_agent("a.agent")).stopped == "" and load_agent("a.agent").episodes == 50


# ------------------------------------------------------------ step sizes


def test_step_sizes_are_kept_as_quantiles() -> None:
    run = TrainingRun(own(), Plan(9, evaluate=Told(0.5), evaluator="told"))
    follow(run, Stop())
    (point,) = history_of(run.agent).evaluations
    expected = {"p5": 0.005, "p25": 0.025, "p50": 0.05, "p75": 0.075, "p95": 0.095}
    assert point.step_sizes is not None and point.step_sizes.model_dump() == pytest.approx(expected)
    write_curve(history_of(run.agent), Path("a.csv"))
    (row,) = csv.DictReader(Path("a.csv").read_text().splitlines())
    assert {name: float(row[f"step_{name}"]) for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize("rule", ["tcl", "tcl-exp", "tcl-pl"])
def test_the_factors_of_temporal_coherence_are_those_of_the_rule(rule: str) -> None:
    """Against the definition, weight by weight, for all that were touched and no other."""
    agent = small_agent(rule=rule)
    agent.train(30)
    memory = agent.learner.network.memory[:, :-1].reshape(-1, 2).astype(float)
    touched = memory[(memory != np.float32(1e-4)).any(axis=1)]
    q = np.abs(touched[:, 0]) / touched[:, 1]
    expected = {"tcl": q, "tcl-exp": np.exp(2.7 * (q - 1)), "tcl-pl": np.maximum(np.exp(-2.7), 2.7 * q - 1.7)}[rule]
    found = agent.step_sizes()
    assert found is not None and 100 < len(found) == len(expected) < 4096
    assert np.sort(found) == pytest.approx(np.sort(expected), rel=1e-4)
    assert small_agent(rule="plain").step_sizes() is None
    fresh = small_agent(rule=rule).step_sizes()
    assert fresh is None or len(fresh) == 0


def test_a_step_size_that_is_no_number_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    for sample, median in (([1.0, np.nan, 3.0, np.inf, 2.0], 2.0), ([np.nan], None)):
        monkeypatch.setattr(CellWorth, "step_sizes", lambda _, found=sample: np.array(found))
        run = TrainingRun(own(), Plan(5, evaluate=Told(0.5), evaluator="told"))
        follow(run, Stop())
        steps = run.history.evaluations[0].step_sizes
        assert (steps and steps.p50) == median


def test_a_sample_of_large_tables_is_small_and_spread() -> None:
    rule = small_agent(rule="tcl").learner.rule
    memory = np.full((3, 1_000_000, 2), rule.first_memory(), np.float32)
    memory[:, :, 1] += np.linspace(0.0, 1.0, 1_000_000, dtype=np.float32)
    found = sampled_step_sizes(rule, memory)
    assert found is not None and 2000 < len(found) <= 4096
    assert (found < 2e-4).any() and (found > 1e-3).any()


def test_both_evaluators_and_the_step_sizes_are_drawn() -> None:
    steps = StepSizes(p5=0.1, p25=0.2, p50=0.3, p75=0.4, p95=0.5)
    usual: dict[str, Any] = {"seconds": 1.0, "low": 0.1, "high": 0.9, "games": 4, "rates": {"alpha": 1.0}}
    second = Score(score=0.3, low=0.2, high=0.4, games=4)
    bare = [CurvePoint(episodes=n, score=0.5, **usual) for n in (10, 20)]
    full = [CurvePoint(episodes=n, score=0.5, second=second, step_sizes=steps, **usual) for n in (10, 20)]
    sizes = []
    for name, points in (("bare", bare), ("full", full)):
        history = History(evaluator="random", second_evaluator="mcts", evaluations=points)
        draw_curve([("a", history)], Path(f"{name}.svg"), "Title")
        sizes.append(Path(f"{name}.svg").read_text().count("<path"))
    assert sizes[1] > sizes[0] + 5


# ------------------------------------------------------------ a training that diverges


def test_a_training_that_diverges_ends_with_a_sentence_and_keeps_its_checkpoint() -> None:
    usual = [
        "--evaluator",
        "random",
        "--evaluation-games",
        "2",
        "--seed",
        "1",
        "-n",
        "4000",
        "--evaluate-every",
        "4000",
    ]
    code, _, err = command("train", "tictactoe", "--agent", OWN, "-o", "alpha=50", "--out", "a.agent", *usual)
    assert code == 2
    assert err.startswith("boardlab: the training has diverged after ")
    assert "some weights are no longer finite numbers; take a smaller alpha than 50" in err
    agent = load_agent("a.agent")
    assert np.isfinite(agent.weights()["weights"]).all()
    assert not history_of(agent).finished


def test_the_checkpoint_of_before_is_named() -> None:
    agent = own(alpha=0.01)
    run = TrainingRun(agent, Plan(10_000, path=Path("a.agent"), checkpoint_seconds=0.0))
    reports = run.run()
    while agent.episodes < 50:
        next(reports)
    kept = load_agent("a.agent").episodes
    agent.worth[3, 1] = np.nan
    with pytest.raises(
        TrainingDiverged, match=rf"after [\d,]+ episodes: .* a\.agent has the agent after {kept} episodes"
    ):
        follow_rest(reports)
    assert load_agent("a.agent").episodes == kept


def follow_rest(reports: Any) -> None:
    for _ in reports:
        pass


def test_nothing_of_a_diverged_training_is_saved() -> None:
    agent = own()
    run = TrainingRun(agent, Plan(100, path=Path("a.agent")))
    run.save()
    before = Path("a.agent").read_bytes()
    agent.worth[0, 0] = np.inf
    with pytest.raises(TrainingDiverged):
        follow(run, Stop())
    with pytest.raises(TrainingDiverged):
        run.save()
    assert Path("a.agent").read_bytes() == before


def test_python_is_told_as_well() -> None:
    with pytest.raises(BoardlabError, match=r"the training has diverged after .* take a smaller alpha than 70$"):
        train("tictactoe", agent=OWN, alpha=70, episodes=2000, seed=1, against="random", progress=False)


def test_td_ntuple_that_diverges() -> None:
    settings = {"rule": "plain", "output": "identity", "divide_alpha": False, "alpha": 900.0, "tuples": "points:3x6"}
    with pytest.raises(BoardlabError, match=r"has diverged after .* take a smaller alpha than 900"):
        train("tictactoe", episodes=5000, seed=1, against="random", progress=False, **settings)


class Large(CellWorth):
    """With more weights than one look takes in."""

    def weights(self) -> dict[str, Any]:
        return {"weights": self.table}


def test_every_weight_is_looked_at_in_turn() -> None:
    agent = Large(make("tictactoe"))
    agent.table = np.zeros((2, 500_000), np.float32)  # type: ignore[attr-defined]
    looks = Soundness(agent)
    looks.require(everywhere=True)
    agent.table[1, 123_456] = np.nan  # type: ignore[attr-defined]
    with pytest.raises(TrainingDiverged):
        looks.require(everywhere=True)
    with pytest.raises(TrainingDiverged):
        for _ in range(4):
            looks.require()


def test_looking_changes_nothing() -> None:
    """A training that is watched learns what it would learn anyway."""
    agent = small_agent(rule="tcl-exp")
    follow(TrainingRun(agent, Plan(300, evaluate=Told(0.1, 0.2, 0.3), evaluator="told", evaluate_every=100)), Stop())
    straight = small_agent(rule="tcl-exp")
    straight.train(300)
    assert learned(agent) == learned(straight)
    assert isinstance(agent, TDNTuple)
    assert all(point.step_sizes for point in history_of(agent).evaluations)
    agent.save("a.agent")
    told = json.loads(command("info", "a.agent", "--json")[1])
    assert 0 < told["history"]["evaluations"][2]["step_sizes"]["p50"] <= 1
