"""How long a training takes, tried out before it begins: held against real trainings."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest
from training_files import SETTINGS, small_agent
from typer.testing import CliRunner

from boardlab.agents.learning import LearningAgent
from boardlab.cli.main import app
from boardlab.lab import trial
from boardlab.lab.planning import compile_training, make_plan, new_learner
from boardlab.lab.stop import Stop
from boardlab.lab.training import Plan, TrainingRun
from boardlab.lab.trial import Expected, Speed, episode_kind, evaluations_of, try_out
from boardlab.lab.wish import TrainingWish
from boardlab.learn.learner import Counts
from boardlab.registry import make
from boardlab.words import range_text


def held_against_reality(agent: LearningAgent, other: LearningAgent, wish: TrainingWish) -> tuple[float, float, float]:
    """What a trial says of learning, of learning and evaluating, and of a training from the first to the last moment,
    as shares of what that really takes; in CPU time, as the machine may do something else."""
    speed = try_out(other, wish)
    plan = make_plan(agent, wish, Stop(), workers=1, beside=False)
    compile_training(agent, plan)
    episodes, evaluations = plan.episodes - agent.episodes, evaluations_of(plan.episodes, plan.evaluate_every)
    began = time.process_time()
    run = TrainingRun(agent, plan)
    for _ in run.run():
        pass
    spent = time.process_time() - began
    learning = run.history.seconds
    assert len(run.history.evaluations) == evaluations
    return speed.episode * episodes / learning, speed.of(episodes, evaluations) / spent, learning / spent


def test_a_trial_is_right_within_a_factor_of_three() -> None:
    wish = TrainingWish(game="tictactoe", episodes=60_000, evaluator="random", evaluation_games=20)
    agents = [small_agent(episodes=60_000) for _ in range(2)]
    learning, all_of_it, _ = held_against_reality(agents[0], agents[1], wish)
    assert 1 / 3 < learning < 3 and 1 / 3 < all_of_it < 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "preset", "episodes"),
    [
        ("connect4", "quick", 20_000),
        ("tictactoe", "paper", 30_000),
        ("2048", None, 2_000),
        ("hex:size=4", None, 20_000),
    ],
)
def test_trials_of_presets_are_right_within_a_factor_of_three(game: str, preset: str | None, episodes: int) -> None:
    wish = TrainingWish(game=game, preset=preset, episodes=episodes, seed=1, evaluate_every=episodes // 4)
    agents = [new_learner(make(game), wish) for _ in range(2)]
    learning, all_of_it, _ = held_against_reality(agents[0], agents[1], wish)
    assert 1 / 3 < learning < 3 and 1 / 3 < all_of_it < 3


def test_one_that_goes_on_is_tried_as_shortly_as_a_fresh_one() -> None:
    agent = small_agent(episodes=100_000_000)
    agent.learner.episodes = 50_000_000
    try_out(agent, TrainingWish(game="tictactoe", evaluator="random", evaluation_games=2), with_evaluation=False)
    assert 50_000_000 < agent.episodes < 55_000_000


class Learning:
    """A learner with a clock of its own, whose games may grow. It stands still for some seconds at the episodes of
    `stalls`, as a machine does when memory is touched for the first time."""

    def __init__(self, game: str = "tictactoe", power: float = 0.0, stalls: Mapping[int, float] | None = None) -> None:
        self.game, self.power, self.stalls = make(game), power, stalls or {0: 0.3}
        self.episodes, self.clock = 0, 0.0

    def train(self, count: int) -> Counts:
        moves = round(100 * count * (self.episodes + count) ** self.power)
        episodes = range(self.episodes, self.episodes + count)
        self.clock += 1e-5 * moves + sum(stall for at, stall in self.stalls.items() if at in episodes)
        self.episodes += count
        return Counts(count, moves, 0)

    def settled(self, monkeypatch: pytest.MonkeyPatch, episodes: int) -> float:
        """CPU seconds of an episode, as a trial finds them."""
        monkeypatch.setattr(time, "process_time", lambda: self.clock)
        seconds, longer = trial._learn_until_settled(cast(LearningAgent, self), Plan(episodes))
        return seconds * longer


def test_the_first_episode_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Learning().settled(monkeypatch, 1000) == pytest.approx(0.001, rel=0.5)
    assert Learning().settled(monkeypatch, 1) >= 0.3, "where there is only one, it does"


def test_games_of_one_player_grow_by_learning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two players of Tic-tac-toe do not play for ever longer; 2048 goes on the longer, the better it is played."""
    mean = 0.001 * 10_000**0.4 / 1.4
    assert Learning("2048", 0.4).settled(monkeypatch, 10_000) == pytest.approx(mean, rel=0.5)
    assert Learning("tictactoe", 0.4).settled(monkeypatch, 10_000) < mean / 2
    assert Learning("2048").settled(monkeypatch, 10_000) == pytest.approx(0.001, rel=0.5)


def test_a_machine_that_stands_still_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stalls of a real trial of 2048, which said 35 hours instead of 18 minutes."""
    stalls = {0: 0.9, 1: 1.3, 2: 0.05, 17: 0.22}
    assert Learning("2048", 0.4, stalls).settled(monkeypatch, 100_000) == pytest.approx(0.07, rel=0.5)
    late = {0: 0.03, 200: 0.2}
    assert Learning("2048", 0.4, late).settled(monkeypatch, 100_000) == pytest.approx(0.07, rel=0.5)
    assert Learning("2048", 0.4, {0: 60.0}).settled(monkeypatch, 100_000) < 60.0, "it does not try for ever"


@pytest.mark.parametrize(
    ("seconds", "right", "played"),
    [
        ([0.2, 1.7, *[0.3] * 4, *[0.01] * 194], 5.04, 12),  # the perfect player finds the first ones hard
        ([1.0] * 200, 200.0, 7),  # slow ones are given up
        ([0.01] * 200, 2.0, 200),
        ([0.1] * 200, 20.0, 31),
    ],
)
def test_an_evaluation_by_its_first_games(
    seconds: list[float], right: float, played: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock of our own: how long games take, what that is in all, how many are played to see it."""
    now, heard = [100.0], []
    monkeypatch.setattr(time, "process_time", lambda: now[0])
    monkeypatch.setattr(trial, "_learn", lambda *_: None)
    watch = trial._Stopwatch()

    def evaluate(agent: LearningAgent) -> None:
        heard.append(0)
        watch.told(0, len(seconds))
        for number, each in enumerate(seconds, 1):
            now[0] += each
            heard[-1] = number
            watch.told(number, len(seconds))

    found = watch.seconds(evaluate, small_agent(), Plan(1), 1)
    assert right / 1.5 < found < 1.5 * right
    assert heard[1:] == [played, played]


def test_how_often_it_is_evaluated() -> None:
    assert [evaluations_of(1000, every) for every in (250, 300, 2000, 0)] == [4, 4, 1, 1]
    assert evaluations_of(1000, 250, 500) == 2


def test_what_makes_a_difference() -> None:
    kind = episode_kind("td-ntuple", {"alpha": 0.5, "tuples": "a", "lam": 0.5, "seed": 1, "epsilon": 0.1})
    assert kind == episode_kind("td-ntuple", {"alpha": 0.1, "tuples": "a", "lam": 0.5, "seed": 2, "epsilon": 0.2})
    for other in ({"tuples": "b"}, {"lam": 0.9}, {"epsilon": 0.0}):
        settings = {"alpha": 0.5, "tuples": "a", "lam": 0.5, "seed": 1, "epsilon": 0.1, **other}
        assert kind != episode_kind("td-ntuple", settings)


def test_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardlab.lab.trial.cores", lambda: 2)
    said = str(Speed(0.001, 10.0).expect(60_000, 20, threads=2))
    assert said == "about 2 to 4 min on this machine (learning 30 s, 20 evaluations 2 to 3 min)"
    assert str(Expected(8.0, 0, 0.0)) == "about 9.0 s on this machine"
    assert (
        str(Expected(20.0, 1, 4.0)) == "about 23 to 25 s on this machine (learning 20 s, one evaluation 2.0 to 4.0 s)"
    )
    assert [range_text(20, 40), range_text(50, 200), range_text(60, 60)] == ["20 to 40 s", "50 s to 3 min", "60 s"]
    assert range_text(4000, 8000) == "1 h 7 min to 2 h 13 min"


def test_the_command_only_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options = [f"-o{name}={str(value).lower()}" for name, value in SETTINGS.items()]
    given = ["train", "tictactoe", *options, "--evaluator", "random", "--evaluation-games", "4"]
    result = CliRunner().invoke(app, [*given, "--plan"])
    assert result.exit_code == 0 and "1,000 episodes: 17 kB" in result.output, result.output
    assert "of memory, about " in result.output and result.output.endswith(" on this machine\n")
    assert not list(tmp_path.rglob("*.agent")) and not list(tmp_path.rglob("*.csv"))
