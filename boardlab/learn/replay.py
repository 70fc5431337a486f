"""Replay memory: transitions of the past that are learned again.

A transition is a position that learned (its list of indices), the reward that followed, and what came next: one
position, or for Q-learning all of them among which the best is taken. Learning from it is the same code as learning
from a fresh one: it is put into a chain of its own, behind those of the players, with the target that the network
gives it now.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.compiler import Compilable, helper, inlined_method
from boardlab.learn.outputs import LOGISTIC, activate
from boardlab.rng import Rng, random_below
from boardlab.system.machine import own_zeros

__all__ = ["ARRAYS", "NoReplay", "Replay"]

ARRAYS = (
    "index",
    "hits",
    "counts",
    "owners",
    "rewards",
    "mirrors",
    "choices",
    "next_index",
    "next_hits",
    "next_counts",
)


class NoReplay(Compilable):
    """Nothing is kept."""

    @inlined_method
    def store_next(self, work: Any, who: int, reward: float, mirror: bool, ended: bool) -> None:
        """Keep the newest position of a chain with the fresh one, which follows it unless the game has ended. `mirror`:
        the fresh one is valued by the other of two players."""

    @inlined_method
    def store_choices(self, game: Any, work: Any, who: int, p: int, reward: float, mirror: bool, ended: bool) -> None:
        """Keep the newest position of a chain with all that player p can choose in the current position."""

    @inlined_method
    def learn_again(self, work: Any, alpha: float, rng: Rng) -> None:
        """Learn from some kept transitions, drawn at random."""


class Replay(NoReplay):
    """The last `capacity` transitions. `choices` is how many positions may follow one."""

    def __init__(self, capacity: int, most_kept: int, choices: int) -> None:
        self.index = own_zeros((capacity, most_kept), np.int32)
        self.hits = own_zeros((capacity, most_kept), np.float32)
        self.counts = own_zeros(capacity, np.int32)
        self.owners = own_zeros(capacity, np.int64)
        """Whose position it is."""
        self.rewards = own_zeros(capacity, np.float64)
        self.mirrors = own_zeros(capacity, np.int32)
        """1 where what follows is valued by the other of two players."""
        self.choices = own_zeros(capacity, np.int32)
        """How many positions may follow; 0 at the end of a game."""
        self.next_index = own_zeros((capacity, choices, most_kept), np.int32)
        self.next_hits = own_zeros((capacity, choices, most_kept), np.float32)
        self.next_counts = own_zeros((capacity, choices), np.int32)
        self.used = own_zeros(2, np.int64)
        """How many transitions there are, and where the next one goes."""

    @staticmethod
    def bytes_needed(capacity: int, most_kept: int, choices: int) -> int:
        """Memory of so many transitions."""
        return capacity * (32 + 8 * most_kept * (1 + choices) + 4 * choices)

    def store_next(self, work: Any, who: int, reward: float, mirror: bool, ended: bool) -> None:
        trace = work.trace
        slot = _begin(self, trace, who, reward, mirror)
        if not ended:
            fresh = trace.fresh(who)
            count = trace.counts[who, fresh]
            for k in range(count):
                self.next_index[slot, 0, k] = trace.index[who, fresh, k]
                self.next_hits[slot, 0, k] = trace.hits[who, fresh, k]
            self.next_counts[slot, 0] = count
            self.choices[slot] = 1

    def store_choices(self, game: Any, work: Any, who: int, p: int, reward: float, mirror: bool, ended: bool) -> None:
        values, s, of_actions = work.values, work.states[0], work.algorithm.of_actions
        slot = _begin(self, work.trace, who, reward, mirror)
        if ended:
            return
        n = game.legal_actions(s, work.moves.actions)
        for i in range(n):
            a, owner = work.moves.actions[i], p
            if not of_actions:
                work.states[1] = work.states[0]
                game.advance(work.states[1], a)
                values.follow(game, work.states[1])
                owner = work.algorithm.owner(game, work.states[1], p)
            index, hits = self.next_index[slot, i], self.next_hits[slot, i]
            self.next_counts[slot, i] = values.keep(game, s, owner, a, index, hits)
            if owner != p:
                for k in range(self.next_counts[slot, i]):
                    hits[k] = -hits[k]
        if not of_actions:
            values.follow(game, s)
        self.choices[slot] = n

    def learn_again(self, work: Any, alpha: float, rng: Rng) -> None:
        if work.learned[0] < work.settings.replay_from or self.used[0] == 0:
            return
        trace = work.trace
        chain = len(trace.head) - 1
        for _ in range(work.settings.replays):
            slot = random_below(rng, self.used[0])
            place = trace.head[chain]
            count = self.counts[slot]
            for k in range(count):
                trace.index[chain, place, k] = self.index[slot, k]
                trace.hits[chain, place, k] = self.hits[slot, k]
            trace.counts[chain, place] = count
            trace.owners[chain, place] = self.owners[slot]
            trace.lengths[chain] = 1
            target = _target(self, work, slot)
            trace.adapt(work.values, work.network, work.rule, work.settings, chain, target, alpha, False)


@helper
def _begin(replay: Any, trace: Any, who: int, reward: float, mirror: bool) -> int:
    """A place for the newest position of a chain."""
    slot = replay.used[1]
    replay.used[1] = slot + 1 if slot + 1 < len(replay.counts) else 0
    replay.used[0] = max(replay.used[0], slot + 1)
    place = trace.head[who]
    count = trace.counts[who, place]
    for k in range(count):
        replay.index[slot, k] = trace.index[who, place, k]
        replay.hits[slot, k] = trace.hits[who, place, k]
    replay.counts[slot] = count
    replay.owners[slot] = trace.owners[who, place]
    replay.rewards[slot] = reward
    replay.mirrors[slot] = 1 if mirror else 0
    replay.choices[slot] = 0
    return int(slot)


@helper
def _target(replay: Any, work: Any, slot: int) -> float:
    """Reward plus the best that may follow, as the network sees it now."""
    values = work.values
    target = replay.rewards[slot]
    if replay.choices[slot] > 0:
        best = -np.inf
        for i in range(replay.choices[slot]):
            _, _, _, total = values.look(
                replay.next_index[slot, i],
                replay.next_hits[slot, i],
                replay.next_counts[slot, i],
                work.network.flat,
                work.trace,
                True,
            )
            best = max(best, total)
        value = activate(values.output, best)
        if replay.mirrors[slot] == 1:
            value = 1.0 - value if values.output == LOGISTIC else -value
        target += work.settings.gamma * value
    return target
