"""Several threads on one network: what the merge does with their copies."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from boardlab import make
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.learn.team import Merge
from boardlab.learn.traces.base import Network


def network(weights: list[float], memory: list[float]) -> Network:
    w = np.array([weights], np.float32)
    m = np.array(memory, np.float32).reshape(1, -1, 2)
    return Network.of(w, m, np.zeros((1, 0), np.float32))


def test_a_weight_takes_the_mean_change_of_those_who_changed_it() -> None:
    whole = network([1.0, 2.0, 3.0, 4.0], [0.5] * 8)
    merge = Merge(whole, 3)
    a, b, c = (n.weights[0] for n in merge.networks)
    a[1] += 1.0  # one thread: all of its change
    a[2] += 1.0
    b[2] -= 0.5  # two threads: the mean of both
    a[3], b[3], c[3] = 5.0, 6.0, 10.0  # three
    merge.networks[1].memory[0, 3, 1] = 0.75
    with ThreadPoolExecutor(3) as pool:
        merge.collect(pool)
    assert whole.weights[0].tolist() == [1.0, 3.0, 3.25, 7.0]
    assert whole.memory[0, 3].tolist() == [0.5, 0.75]
    for copy in merge.networks:
        assert np.array_equal(copy.weights, whole.weights)
        assert np.array_equal(copy.memory, whole.memory)


def test_two_threads_learn_tic_tac_toe_and_one_goes_on() -> None:
    agent = TDNTuple(make("tictactoe"), tuples="full", rule="plain", episodes=20_000, epsilon_end=0.0, seed=3)
    counts = agent.train(12_001, threads=2)
    assert (counts.episodes, agent.episodes) == (12_001, 12_001)
    assert 5 * 12_001 <= counts.moves <= 9 * 12_001
    learned = agent.learner.network.weights.copy()
    assert np.count_nonzero(learned) > 1000
    agent.train(100)
    assert np.any(agent.learner.network.weights != learned)
    agent.train(100, threads=2)  # the copies take up what the single thread has learned
    assert agent.episodes == 12_201
    start = agent.values(agent.game.start().play("b2"))
    assert start[agent.game.parse_action("a1")] > start[agent.game.parse_action("b1")]  # corners hold, sides lose
