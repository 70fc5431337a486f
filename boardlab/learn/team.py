"""Several threads that train one network together, without locks.

Where the tables are large, all threads work on the same ones: they seldom meet at a weight, and a lost update now and
then does no harm. Small tables would be fought over, cache line by cache line, and two threads would be hardly faster
than one (measured on Connect Four: 1.1 times). There every thread learns for a round on a copy of its own, and the
copies are merged after each round: a weight takes the mean change of those threads that have changed it.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import hot_kernel
from boardlab.learn.algorithms.base import Work
from boardlab.learn.episode import train_episodes
from boardlab.learn.traces.base import Network
from boardlab.rng import Rng

__all__ = ["SMALL_TABLES", "Merge", "train_together"]

SMALL_TABLES = 1 << 24
"""Up to so many numbers (weights and step-size memory) the threads have copies of their own."""

_NUMBERS_PER_EPISODE = 450
_SHORTEST_ROUND = 100
"""Merging takes as long as there are numbers, so the rounds of a thread are in proportion: 5,000 episodes between two
merges for Connect Four, where merging then takes some hundredths of the time."""
_TURNS = 10
"""How often a thread takes episodes in a round."""


def train_together(
    game: Any,
    team: list[Work],
    alphas: NDArray[np.float64],
    epsilons: NDArray[np.float64],
    rngs: list[Rng],
    merge: Merge | None,
) -> None:
    """Learn from one episode for each alpha and epsilon, with one thread for each of the team. A thread that is done
    with its episodes takes the next few of the round, so that none waits long for another one."""
    threads = len(team)
    step = threads * merge.round_episodes if merge else max(1, len(alphas))
    few = -(-step // (threads * _TURNS))

    def learn(k: int, turns: Iterator[int], end: int) -> None:
        for first in turns:
            turn = slice(first, min(first + few, end))
            train_episodes(game, team[k], alphas[turn], epsilons[turn], rngs[k])

    with ThreadPoolExecutor(threads) as pool:
        for first in range(0, len(alphas), step):
            end = min(first + step, len(alphas))
            turns = iter(range(first, end, few))  # all threads draw from it
            for job in [pool.submit(learn, k, turns, end) for k in range(threads)]:
                job.result()
            if merge:
                merge.collect(pool)


class Merge:
    """The copies of a network that the threads learn on, and how they become one again. Between two rounds all are
    equal; whoever changes the network otherwise makes a new `Merge`."""

    def __init__(self, network: Network, threads: int) -> None:
        self.threads = threads
        self.shared = [network.weights.reshape(-1), network.memory.reshape(-1)]
        self.copies = [np.tile(whole, (threads, 1)) for whole in self.shared]
        self.round_episodes = max(_SHORTEST_ROUND, sum(map(len, self.shared)) // _NUMBERS_PER_EPISODE)
        self.networks = [
            Network.of(
                self.copies[0][k].reshape(network.weights.shape),
                self.copies[1][k].reshape(network.memory.shape),
                network.scalars,
            )
            for k in range(threads)
        ]

    def collect(self, pool: ThreadPoolExecutor) -> None:
        """Merge what the threads have learned into the network, and the network into their copies."""
        jobs = []
        for whole, copies in zip(self.shared, self.copies, strict=True):
            bounds = np.linspace(0, len(whole), self.threads + 1).astype(np.int64)
            jobs += [pool.submit(_merge, whole, copies, int(a), int(b)) for a, b in pairwise(bounds)]
        for job in jobs:
            job.result()


@hot_kernel
def _merge(whole: Any, copies: Any, low: int, high: int) -> None:
    """Add to numbers low..high-1 the mean change of those copies that have changed them."""
    for i in range(low, high):
        old = whole[i]
        total = np.float32(0.0)
        changed = 0
        for k in range(len(copies)):
            if copies[k, i] != old:
                total += copies[k, i] - old
                changed += 1
        if changed > 0:
            whole[i] = old + total / np.float32(changed)
            for k in range(len(copies)):
                copies[k, i] = whole[i]
