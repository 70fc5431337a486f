"""Agent files that an older boardlab wrote (at commit 63790d2, when td-ntuple was one kernel): they load, play as they
did, and go on learning exactly as they did there.

tests/data/before-*.agent are small agents of Tic-tac-toe after 300 episodes, the .npz files beside them what the same
old code made of them in 300 more, and what it thought of the first move before.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from boardlab.agents.files import load_agent

DATA = Path(__file__).with_name("data")


@pytest.mark.parametrize("kind", ["horizon", "traces"])
def test_an_agent_of_before_goes_on(kind: str) -> None:
    agent = load_agent(DATA / f"before-{kind}.agent")
    assert agent.episodes == 300
    then = np.load(DATA / f"before-{kind}.npz")
    assert agent.values(agent.game.start()) == pytest.approx(dict(enumerate(then["values"])), abs=1e-12)
    agent.train(300)
    learner = agent.learner  # type: ignore[attr-defined]
    np.testing.assert_array_equal(learner.streams[0], then["rng"])  # the same moves
    np.testing.assert_array_equal(learner.network.weights[:, :-1], then["weights"][:, :-1])
    np.testing.assert_array_equal(learner.network.memory[:, :-1], then["memory"][:, :-1])
