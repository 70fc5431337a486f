"""The bench of environments: what it counts, and that the command answers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip("gymnasium")

from boardlab.bench import env
from boardlab.cli.main import app
from boardlab.rng import make_rng


def test_steps_are_actions_of_the_learner(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call in which a board only begins a new game is no step on that board."""
    made = []

    class Counting(env.BoardVectorEnv):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments)  # type: ignore[arg-type]
            made.append(self)
            self.played = 0

        def step(self, actions: object) -> object:  # type: ignore[override]
            self.played += int(np.count_nonzero(~self.boards.over))
            return super().step(actions)

    monkeypatch.setattr(env, "BoardVectorEnv", Counting)
    run = env._vector(16, seed=1)
    assert run(30)["steps"] + run(20)["steps"] == made[0].played < 50 * 16


def test_the_learner_moves_at_random_among_the_legal_actions() -> None:
    masks = np.zeros((30_000, 5), np.int8)
    masks[:, [1, 2, 4]] = 1
    actions = np.zeros(30_000, np.int64)
    env._random_legal(masks, make_rng(1), actions)
    counts = np.bincount(actions, minlength=5)
    assert counts[[0, 3]].tolist() == [0, 0] and (abs(counts[[1, 2, 4]] - 10_000) < 400).all()


def test_one_players_actions_are_counted() -> None:
    """Where both players are stepped, about half of all plies."""
    pytest.importorskip("pettingzoo")
    pytest.importorskip("pygame")
    assert env._pettingzoo(1)(40)["steps"] == env._single(1)(40)["steps"] == 40
    pytest.importorskip("pyspiel")
    assert 70 <= env._openspiel(4, 1)(40)["steps"] <= 95  # of 4 x 40 plies; whoever begins has one more of some games


def test_the_command() -> None:
    result = CliRunner().invoke(app, ["bench", "env", "--boards", "8", "--seconds", "0.01", "--json"])
    assert result.exit_code == 0, result.output
    answer = json.loads(result.output)
    names = [row["name"] for row in answer["results"]]
    assert names[:2] == ["boardlab VectorEnv", "boardlab BoardEnv"]
    assert answer["results"][0]["ratio"] == 1.0
    assert all(row["best_steps_per_s"] >= row["steps_per_s"] > 0 for row in answer["results"])
    result = CliRunner().invoke(app, ["bench", "env", "--boards", "8", "--seconds", "0.01"])
    assert result.exit_code == 0 and "A step: one action of the learner" in result.output


def test_the_command_without_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(env, "find_spec", lambda name: None)
    assert [r.name for r in env.measure_envs(4, 0.01)] == ["boardlab VectorEnv", "boardlab BoardEnv"]
