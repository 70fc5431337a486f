"""Boardlab's games in PettingZoo: its own tests, and the conventions of its classic games."""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from adapter_games import ALL, FEW, own_games

from boardlab import BoardlabError, IllegalAction, make

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, render_test, seed_test

from boardlab.adapters import pettingzoo

OF_DICTIONARIES = {
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Observation is not a NumPy array",
}
"""What PettingZoo says of every environment with masks in its observations that is not one of its own."""


def checked(spec: str, cycles: int, **options: Any) -> None:
    """PettingZoo's three tests, without any other warning."""
    make_env = partial(pettingzoo.env, spec, **options)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        api_test(make_env(), num_cycles=cycles)
        seed_test(make_env, num_cycles=cycles)
        render_test(make_env)
    found = {str(warning.message) for warning in said} - OF_DICTIONARIES
    assert found <= ({"Observation is a single number"} if "nimm3" in spec else set())


@pytest.mark.parametrize("spec", FEW)
def test_pettingzoos_own_tests(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    checked(spec, 50)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ALL)
def test_pettingzoos_own_tests_of_every_game(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    checked(spec, 500)


@pytest.mark.slow
def test_pettingzoos_own_tests_of_the_guides_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for spec in own_games(tmp_path):
        checked(spec, 500)


def test_the_conventions_of_classic_games() -> None:
    env = pettingzoo.env("connect4", render_mode="ansi")
    env.reset(seed=1)
    assert env.possible_agents == ["player_0", "player_1"] and str(env) == "boardlab_connect4_v0"
    seen = env.observe("player_0")
    assert seen["observation"].shape == (6, 7, 4) and seen["observation"].dtype == np.int8
    assert seen["action_mask"].tolist() == [1] * 7
    assert env.observe("player_1")["action_mask"].tolist() == [0] * 7  # it is not his turn
    for action in (3, 3, 2, 2, 1, 1, 0):
        env.step(action)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert "X won" in env.render()
    last = {}
    for agent in env.agent_iter():
        last[agent] = env.last()[1]
        env.step(None)
    assert last == {"player_0": 1.0, "player_1": -1.0} and env.agents == []


def test_an_illegal_action_ends_the_game() -> None:
    env = pettingzoo.env("dots:rows=1,columns=1")
    env.reset(seed=1)
    env.step(0)
    env.step(0)
    rewards = {}
    for agent in env.agent_iter():
        rewards[agent] = env.last()[1]
        env.step(None)
    assert rewards == {"player_0": 0.0, "player_1": -1.0}
    raw = pettingzoo.raw_env("dots:rows=1,columns=1")
    raw.reset(seed=1)
    raw.step(0)
    with pytest.raises(IllegalAction):
        raw.step(0)


def test_several_moves_in_a_row_and_rewards_on_the_way() -> None:
    env = pettingzoo.env("dots:rows=1,columns=2")
    env.reset(seed=1)
    movers = []
    for name in ("a1-b1", "a2-b2", "a1-a2", "b1-b2", "b1-c1", "b2-c2", "c1-c2"):
        movers.append(env.agent_selection)
        env.step(env.unwrapped.game.parse_action(name))
    assert movers == ["player_0", "player_1", "player_0", "player_1", "player_1", "player_0", "player_1"]
    assert env.unwrapped.position.scores == [-2.0, 2.0]
    assert env.last(observe=False)[1] in (1.0, -2.0, -1.0)


def test_a_player_who_must_pass_is_not_asked() -> None:
    """All games of Othello on the small board have the same movers as a plain position, passes among them."""
    env, game, passes = pettingzoo.env("othello:size=6"), make("othello:size=6"), 0
    draw = np.random.default_rng(1)
    for seed in range(12):
        env.reset(seed=seed)
        position = game.start()
        while not position.is_over:
            mover = position.player
            assert env.agent_selection == f"player_{mover}"
            action = int(draw.choice(position.legal_actions))
            env.step(action)
            position.play(action)
            passes += not position.is_over and position.player == mover
        assert all(env.terminations.values())
    assert passes > 0


def test_rewards_add_up_to_the_scores() -> None:
    for spec in ("2048", "sim:players=3", "nim:players=3"):
        env = pettingzoo.env(spec)
        env.reset(seed=2)
        totals = dict.fromkeys(env.possible_agents, 0.0)
        env.action_space("player_0").seed(3)
        for agent in env.agent_iter():
            observation, reward, over, _, _ = env.last()
            totals[agent] += reward
            env.step(None if over else int(np.flatnonzero(observation["action_mask"])[-1]))
        assert list(totals.values()) == pytest.approx(env.unwrapped.position.scores)


def test_chance_comes_from_the_seed() -> None:
    env = pettingzoo.env("2048", observation="cells")
    boards = []
    for seed in (4, None, 4, None, 5):
        env.reset(seed=seed)
        boards.append(env.observe("player_0")["observation"].tolist())
    assert boards[:2] == boards[2:4] and boards[0] != boards[1] and boards[0] != boards[4]
    assert env.state().tolist() == boards[4]


def test_mistakes_are_sentences() -> None:
    with pytest.raises(BoardlabError, match="there is no game 'chess'"):
        pettingzoo.env("chess")
    with pytest.raises(BoardlabError, match="there is no parameter of Hex 'columns'"):
        pettingzoo.env("hex", columns=3)
    with pytest.raises(BoardlabError, match="there is no render mode"):
        pettingzoo.env("hex", render_mode="3d")
