"""Shared by the tests of training: small agents that compile quickly, and what of an agent must be equal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from boardlab import BoardlabError, make
from boardlab.agents.files import load_agent
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.lab.history import CurvePoint, History, history_of

SETTINGS: dict[str, Any] = {
    **{"rule": "plain", "tuples": "points:3x6", "episodes": 1000, "alpha_end": 0.3, "epsilon_end": 0.02},
    **{"choose_start": True, "learn_from_random": True, "seed": 11},
}


def small_agent(**settings: Any) -> TDNTuple:
    """Tic-tac-toe with plain TD: one (game, rule) pair for all these tests, as each one has to be compiled."""
    return TDNTuple(make("tictactoe"), **{**SETTINGS, **settings})


def learned(agent: Any) -> tuple[int, bytes, bytes, bytes]:
    """All that training changes, to the bit. The last weight of a table is a spare one that nobody reads."""
    learner = agent.learner
    return (
        learner.episodes,
        learner.network.weights[:, :-1].tobytes(),
        learner.network.memory[:, :-1].tobytes(),
        b"".join(stream.tobytes() for stream in learner.streams),
    )


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a trained agent."""
    agent, path = small_agent(), tmp_path_factory.mktemp("kept") / "kept.agent"
    agent.train(400)
    point = CurvePoint(episodes=400, seconds=0.5, score=-0.25, low=-0.5, high=0.0, games=20, alpha=0.6, epsilon=0.06)
    agent.history = History(seconds=0.5, moves=3000, evaluator="perfect", evaluations=[point]).model_dump()
    agent.save(path)
    return path


def refused(path: Path) -> str:
    """The sentence with which a file is refused, as one about this file, by whoever wants to go on training."""
    with pytest.raises(BoardlabError) as caught:
        history_of(load_agent(path))
    sentence = str(caught.value)
    assert "Traceback" not in sentence
    assert "\n" not in sentence
    return sentence
