"""The horizon of Algorithm 7 for weights that learn each by itself: what one after the other has in common is fetched
once.

Positions of a chain that follow each other look mostly at the same weights (Othello: 220 of 400). A *run* is a weight
that several positions in a row have at the same place of their lists. Each run is gathered, learns as often as it has
positions, and is put back: with a horizon of 7 that are 1,200 weights a move instead of 2,800. Runs are listed by the
newest position that they belong to, the longest first, so that those which reach back to a position are always the
first ones of a list. A weight that has several runs learns from the newest one first, as position after position does;
so the result is the same, to the bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.compiler import inlined, inlined_method
from boardlab.compiler.vectors import SELECTED_AT_ONCE, gather, scatter, select
from boardlab.learn.rules import Signal
from boardlab.learn.traces.base import Sizes
from boardlab.learn.traces.horizon import Horizon, gather_notes, scatter_notes
from boardlab.system.machine import own_copy, own_zeros

__all__ = ["RunHorizon"]

_BLOCK = SELECTED_AT_ONCE
"""Runs are learned in whole blocks: the rest of one would be learned number by number."""
_PORTION = 64
"""So many runs are gathered, learned and put back at a time: their cache lines, two each, are still near when they are
put back, which those of a whole list are not (Othello: 1.04 times as fast; 32 and 128 gain 0.02 and 0.03 less)."""
_PAYS_FROM = 1500
"""Weights of all positions of a horizon from which on listing runs pays: with 2,800 of them (Othello) learning is 1.24
times as fast as position after position, with 1,600 1.13 times, with 1,000 0.9, and with 24 (Nim) 0.72."""


class RunHorizon(Horizon):
    """For rules of one pass, and weights that learn once however often a position hits them."""

    name = ""

    @staticmethod
    def pays(sizes: Sizes) -> bool:
        """Whether it is faster than a plain horizon, which learns the same."""
        return sizes.horizon > 1 and sizes.most_active * sizes.horizon >= _PAYS_FROM

    def make_room(self, sizes: Sizes) -> None:
        super().make_room(sizes)
        chains, places, room = *self.counts.shape, sizes.most_active + _BLOCK
        self.side = own_zeros(room, np.float32)
        self.notes = own_zeros((sizes.slots, room), np.float32)
        self.runs = own_zeros((chains, places, room), np.int32)
        """Weights of the runs whose newest position lies at a place."""
        self.reaching = own_zeros((chains, places, places), np.int32)
        """How many of them reach back by so many positions, shape (chains, places, positions)."""
        self.entries = own_zeros((chains, room), np.int32)
        """Where the runs of the newest position stand in its list."""
        self.chosen = own_zeros(room, np.bool_)
        """Which runs go on, or which weights of the newest position begin one."""
        self.numbers = own_copy(np.arange(room, dtype=np.int32))
        """0, 1, 2 and so on, to select from."""
        self.faded = own_zeros(places, np.float32)
        self.steps = own_zeros(places, np.float32)
        """Eligibility and step size of each position while a chain learns, the newest one first."""

    @inlined_method
    def announce(self, memory: Any, who: int) -> None:
        """Nothing is called for: the newest position is mostly made of runs that have just been put back (Othello: 1.02
        times as fast as with it)."""

    @inlined_method
    def forget_older(self, values: Any, who: int) -> None:
        self.lengths[who] = 1
        reaching = self.reaching[who, self.head[who]]
        for back in range(1, len(reaching)):
            reaching[back] = 0

    @inlined_method
    def push(self, values: Any, network: Any, rule: Any, settings: Any, who: int) -> None:
        old, new = self.head[who], self.fresh(who)
        count = self.counts[who, new]
        goes_on = self.lengths[who] > 0 and self.counts[who, old] == count
        for back in range(len(self.reaching[who, new])):
            self.reaching[who, new, back] = 0
        n = _go_on(self, who, old, new) if goes_on else np.uint64(0)
        index, before, hits, chosen = self.index[who, new], self.index[who, old], self.hits[who, new], self.chosen
        for k in range(count):
            chosen[k] = (hits[k] != 0.0) & ((index[k] != before[k]) | (not goes_on))
        select(self.numbers, chosen, count, self.entries[who], n)
        self.reaching[who, new, 0] = select(index, chosen, count, self.runs[who, new], n)
        self.head[who] = new
        self.lengths[who] = min(self.index.shape[1] - 1, self.lengths[who] + 1)

    @inlined_method
    def adapt(
        self, values: Any, network: Any, rule: Any, settings: Any, who: int, target: float, alpha: float, is_next: bool
    ) -> None:
        length = self.lengths[who]
        delta, d = self.judge(values, network, who, target)
        self.fade(settings, who, alpha)
        owner = self.owners[who, self.head[who]]
        scalars = network.scalars[0 if len(network.scalars) == 1 else owner]
        place, zero = self.head[who], np.float32(0.0)
        for age in range(length):
            for first in range(0, self.reaching[who, place, 0], _PORTION):
                runs, count = self.runs[who, place, first:], min(_PORTION, self.reaching[who, place, 0] - first)
                gather(network.flat, runs, count, self.side)
                gather_notes(rule, network.flat_memory, runs, count, self.notes)
                for back in range(length - age):
                    signal = Signal(self.steps[age + back], delta, d, np.float32(settings.gamma), zero, zero, scalars)
                    some = min(count, self.reaching[who, place, back] - first)
                    _learn(rule, self, who, first, some, self.faded[age + back], age + back == 0, signal)
                scatter(self.side, runs, count, network.flat)
                scatter_notes(rule, self.notes, runs, count, network.flat_memory)
            place = place - 1 if place > 0 else self.index.shape[1] - 1

    @inlined_method
    def fade(self, settings: Any, who: int, alpha: float) -> None:
        """Write down how eligible each position is. All hits of a position have the same sign."""
        place = self.head[who]
        owner, decay = self.owners[who, place], np.float32(1.0)
        for age in range(self.lengths[who]):
            e = self.gains[who, place] * decay
            self.faded[age] = e if (self.owners[who, place] == owner) == (self.hits[who, place, 0] >= 0.0) else -e
            kept = self.counts[who, place]
            self.steps[age] = alpha / kept if settings.divide_alpha else alpha
            decay *= settings.fade
            place = place - 1 if place > 0 else self.index.shape[1] - 1


@inlined
def _go_on(trace: Any, who: int, old: int, new: int) -> Any:
    """Part the runs of the newest position into those that the next one at `new` has, too, and those that end; returns
    how many the first are."""
    index, runs, entries, chosen = trace.index[who, new], trace.runs[who, old], trace.entries[who], trace.chosen
    reaching, farther = trace.reaching[who, old], trace.reaching[who, new]
    count = reaching[0]
    going, start = np.uint64(0), np.uint64(0)  # signed places are tested for being negative
    for back in range(len(reaching) - 1, -1, -1):
        for r in range(start, np.uint64(reaching[back])):
            goes_on = index[np.uint64(entries[r])] == runs[r]
            chosen[r] = goes_on
            going += np.uint64(goes_on)
        start = np.uint64(reaching[back])
        reaching[back] -= going
        if back + 1 < len(farther):
            farther[back + 1] = going
    select(entries, chosen, count, entries, 0)
    n = select(runs, chosen, count, trace.runs[who, new], 0)
    for r in range(count):
        chosen[r] = not chosen[r]
    select(runs, chosen, count, runs, 0)
    return n


@inlined
def _learn(rule: Any, trace: Any, who: int, first: int, count: int, e: Any, newest: bool, signal: Any) -> None:
    """Let the rule move the first `count` of the gathered weights, which are the runs from `first` on."""
    side, notes = trace.side, trace.notes
    hits, entries, zero = trace.hits[who, trace.head[who]], trace.entries[who, first:], np.float32(0.0)
    for r in range((count + _BLOCK - 1) & -_BLOCK):
        x = hits[np.uint64(entries[r])] if newest and r < count else zero
        rule.update(side, notes, r, e if r < count else zero, x, signal)
