"""Replay memory: the kernels draw and learn the same transitions as a reference with a plain list of them. It is saved
with the agent, resumes to the bit, and a damaged one is refused.

The reference has to know every draw. So weights begin with random numbers and no symmetric boards are looked at: then
two actions are equal only where both end the game, and everybody agrees on that.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learners import BOTH_WAYS, EPISODES, compare, make_learner, make_reference, random_games, train_both
from reference_learner import Options

from boardlab import BoardlabError, make
from boardlab.agents.files import load_agent
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.learn.replay import ARRAYS
from boardlab.store import write_agent_file

TicTacToe = partial(make, "tictactoe")
ROWS = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [2, 4, 6]]
OPTIONS = Options(ROWS, symmetries=False, spread=0.2, replay=40, replays=2, replay_from=10)


def agree(episodes: int = 200, **changes: Any) -> None:
    options = Options(**{**vars(OPTIONS), **changes})
    rates = np.full(episodes, 0.1), np.full(episodes, 0.2)
    learner, reference = train_both(TicTacToe, options, *rates, seed=3)
    compare(learner, reference)
    stored = reference.stored  # type: ignore[attr-defined]
    assert learner.replay.used.tolist() == [options.replay, stored.added % options.replay]
    without = make_learner(TicTacToe(), Options(**{**vars(options), "replays": 0}), 3)
    without.train(*rates)
    assert np.abs(without.network.weights - learner.network.weights).max() > 0.01


@BOTH_WAYS
def test_td_farl(way: str) -> None:
    agree(EPISODES[way])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "changes"),
    [
        ("td-farl", {"output": "logistic", "learn_from_random": False, "gamma": 0.9, "tables": "shared"}),
        ("q-farl", {}),
        ("q-farl", {"rule": "tcl", "initial": 0.1, "output": "identity", "gamma": 0.9}),
        ("td-self-play", {}),
        ("td-self-play", {"tables": "shared", "output": "logistic", "gamma": 0.9}),
        ("td-self-play", {"tables": "inversion", "rule": "tcl", "initial": 0.1}),
        ("q-self-play", {}),
        ("q-self-play", {"tables": "inversion", "output": "logistic", "gamma": 0.9}),
    ],
)
def test_algorithms(algorithm: str, changes: dict[str, Any]) -> None:
    agree(algorithm=algorithm, **changes)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["td-farl", "q-farl", "td-self-play", "q-self-play"])
def test_recorded_games_are_replayed_too(algorithm: str) -> None:
    options = Options(**{**vars(OPTIONS), "algorithm": algorithm})
    learner = make_learner(TicTacToe(), options, 3)
    reference = make_reference(TicTacToe(), learner, options)
    rng = learner.streams[0].copy()
    games = random_games(TicTacToe(), 60)
    learner.learn_from(games, [[]] * len(games), np.full(len(games), 0.1))
    for game in games:
        reference.episode_from(game, [], 0.1, rng)
    compare(learner, reference)


# ------------------------------------------------------------ files


def small_agent() -> TDNTuple:
    settings = {"rule": "plain", "tuples": "walk:2x3", "replay": 50, "replays": 2, "replay_from": 5, "alpha": 0.2}
    return TDNTuple(TicTacToe(), learn_from_random=True, **settings)


@BOTH_WAYS
def test_a_training_resumes_to_the_bit(tmp_path: Path, way: str) -> None:
    whole, first = small_agent(), small_agent()
    whole.train(80)
    first.train(37)
    first.save(tmp_path / "a.agent")
    second = load_agent(tmp_path / "a.agent")
    second.train(43)
    ours, theirs = whole.learner, second.learner  # type: ignore[attr-defined]
    np.testing.assert_array_equal(ours.network.weights[:, :-1], theirs.network.weights[:, :-1])
    np.testing.assert_array_equal(ours.streams[0], theirs.streams[0])
    np.testing.assert_array_equal(ours.replay.used, theirs.replay.used)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(ours.replay, name), getattr(theirs.replay, name))


DAMAGES: dict[str, tuple[str, Any]] = {
    "weight": ("index", lambda a: np.where(a == a.max(), 1 << 30, a)),
    "negative weight": ("next_index", lambda a: np.where(a == a.max(), -1, a)),
    "length": ("counts", lambda a: a * 1000),
    "next length": ("next_counts", lambda a: a * 1000),
    "player": ("owners", lambda a: a + 2),
    "choices": ("choices", lambda a: a + 9),
    "mirror": ("mirrors", lambda a: a + 2),
    "not a number": ("hits", lambda a: np.where(a == 1, np.nan, a).astype(np.float32)),
    "infinite": ("rewards", lambda a: np.where(a == a[0], np.inf, a)),
    "too short": ("rewards", lambda a: a[:-1]),
    "another type": ("counts", lambda a: a.astype(np.float64)),
}


@BOTH_WAYS
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_one_is_refused(damage: str, tmp_path: Path, way: str) -> None:
    agent = small_agent()
    agent.train(20)
    facts, arrays = agent.dump()
    name, change = DAMAGES[damage]
    arrays[f"replay_{name}"] = change(arrays[f"replay_{name}"])
    path = tmp_path / "a.agent"
    parameters = agent.parameters.model_dump(mode="json")
    write_agent_file(path, agent.name, parameters, agent.game.spec, facts.model_dump(mode="json"), {}, arrays)
    with pytest.raises(BoardlabError, match=r"a\.agent is a damaged agent file: "):
        load_agent(path)


@BOTH_WAYS
def test_a_replay_memory_has_the_size_that_it_says(tmp_path: Path, way: str) -> None:
    agent = small_agent()
    agent.train(20)
    facts, arrays = agent.dump()
    path = tmp_path / "a.agent"
    for replayed in ([51, 0], [50, 50], [-1, 0], [3, 3]):
        told = {**facts.model_dump(mode="json"), "replayed": replayed}
        parameters = agent.parameters.model_dump(mode="json")
        write_agent_file(path, agent.name, parameters, agent.game.spec, told, {}, arrays)
        with pytest.raises(BoardlabError, match=r"a\.agent is a damaged agent file: its replay memory"):
            load_agent(path)
