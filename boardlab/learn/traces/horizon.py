"""A horizon of remembered positions (Algorithm 7 of the FARL paper); of length 1 it is learning without eligibility.

Several symmetric boards may hit the same weight. With `once` it learns as if it was hit once (the set M of
Algorithm 7), while the value counts it as often as it is hit; without, it learns as often, too (Thill 2015).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.compiler import inlined, inlined_method
from boardlab.compiler.bits import prefetch_row
from boardlab.compiler.vectors import gather_pairs, scatter, scatter_pairs
from boardlab.learn.outputs import activate, gain, slope
from boardlab.learn.rules import Signal
from boardlab.learn.traces.base import Sizes, Trace, apply_rule
from boardlab.system.machine import own_zeros

__all__ = ["Horizon", "SeeingHorizon", "gather_notes", "scatter_notes"]


class Horizon(Trace):
    """The newest positions, each with the derivative that it had when it was the newest."""

    name = "horizon"

    def make_room(self, sizes: Sizes) -> None:
        super().make_room(sizes)
        self.gains = own_zeros(self.counts.shape, np.float32)
        self.e = own_zeros(sizes.most_active, np.float32)
        self.zeros = own_zeros(sizes.most_active, np.float32)

    def remembered(self, sizes: Sizes) -> int:
        return sizes.horizon

    @inlined_method
    def forget(self, network: Any, rule: Any, who: int) -> None:
        self.lengths[who] = 0

    @inlined_method
    def forget_older(self, values: Any, who: int) -> None:
        self.lengths[who] = 1

    @inlined_method
    def push(self, values: Any, network: Any, rule: Any, settings: Any, who: int) -> None:
        self.head[who] = self.fresh(who)
        self.lengths[who] = min(self.index.shape[1] - 1, self.lengths[who] + 1)

    @inlined_method
    def announce(self, memory: Any, who: int) -> None:
        """Fetch what the next adaptation of the newest position will need."""
        if self.lengths[who] > 0:
            place = self.head[who]
            for k in range(self.counts[who, place]):
                prefetch_row(memory, self.index[who, place, k])

    @inlined_method
    def skip(self, values: Any, network: Any, who: int) -> None:
        """The horizon of later adaptations reaches back to this position: its derivative is kept."""
        self.judge(values, network, who, 0.0)

    @inlined_method
    def judge(self, values: Any, network: Any, who: int, target: float) -> tuple[Any, Any]:
        """The error and the slope of the newest position, whose derivative is kept. Its weights lie side by side
        afterwards."""
        place = self.head[who]
        _, _, _, total = values.look(
            self.index[who, place], self.hits[who, place], self.counts[who, place], network.flat, self, True
        )
        return self.judged(values, who, total, target)

    @inlined_method
    def judged(self, values: Any, who: int, total: Any, target: float) -> tuple[Any, Any]:
        """The same, given its total."""
        value = activate(values.output, total)
        self.gains[who, self.head[who]] = gain(values.output, value)
        return np.float32(target - value), np.float32(slope(values.output, value))

    @inlined_method
    def adapt(
        self, values: Any, network: Any, rule: Any, settings: Any, who: int, target: float, alpha: float, is_next: bool
    ) -> None:
        """The weights are gathered, moved side by side (so that the compiler can use vector instructions) and put
        back, one position after the other."""
        place = self.head[who]
        owner = self.owners[who, place]
        delta, d, ahead, decay = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(1.0)
        scalars = network.scalars[0 if len(network.scalars) == 1 else owner]
        for age in range(self.lengths[who]):
            kept = self.counts[who, place]
            index, x, count, total = values.look(
                self.index[who, place], self.hits[who, place], kept, network.flat, self, age == 0
            )
            if age == 0:
                value = activate(values.output, total)
                self.gains[who, place] = gain(values.output, value)
                delta = np.float32(target - value)
                d = np.float32(slope(values.output, value))
                if is_next:
                    ahead = d * np.float32(self.ahead(who))
            step = np.float32(alpha / kept) if settings.divide_alpha else np.float32(alpha)
            e = self.gains[who, place] * decay
            if self.owners[who, place] != owner:
                e = -e  # what is good for one of two players is bad for the other
            signal = Signal(step, delta, d, np.float32(settings.gamma), ahead, np.float32(0.0), scalars)
            _move(rule, self, network, index, x, count, e, signal, age == 0)
            decay *= settings.fade
            place = place - 1 if place > 0 else self.index.shape[1] - 1

    def ahead(self, who: int) -> Any:
        """The sum of e_i * x'_i over the weights that the newest position and the next one share: here nobody asks."""
        return np.float32(0.0)


class SeeingHorizon(Horizon):
    """The same for rules that want to know the next position."""

    name = ""

    def make_room(self, sizes: Sizes) -> None:
        super().make_room(sizes)
        self.marks = own_zeros(sizes.weights, np.float32)

    def ahead(self, who: int) -> Any:
        place, fresh = self.head[who], self.fresh(who)
        index, count = self.index[who, place], self.counts[who, place]
        for k in range(count):
            hits = self.hits[who, place, k]
            if self.once:
                hits = np.float32(1.0 if hits != 0.0 else 0.0)
            self.marks[index[k]] = self.gains[who, place] * hits
        shared = np.float32(0.0)
        for k in range(self.counts[who, fresh]):
            hits = self.hits[who, fresh, k]
            if hits != 0.0:
                shared += self.marks[self.index[who, fresh, k]] * hits
        for k in range(count):
            self.marks[index[k]] = 0.0
        return shared if self.owners[who, place] == self.owners[who, fresh] else -shared


@inlined
def _move(
    rule: Any, trace: Any, network: Any, index: Any, x: Any, count: int, e: Any, signal: Any, newest: bool
) -> None:
    """Let the rule move the gathered weights of one position, and put them back. Only those of the newest position are
    active (x), the others just eligible."""
    side, notes = trace.side, trace.notes
    weights, memory = network.flat, network.flat_memory
    gather_notes(rule, memory, index, count, notes)
    if trace.once and rule.passes == 1:
        active = x if newest else trace.zeros
        if x[0] < 0.0:
            e = -e  # all hits of a position have the same sign
        for k in range(count):  # what is not hit has no part in it: the spare weight would grow beyond all numbers
            rule.update(side, notes, k, e if x[k] != 0.0 else np.float32(0.0), active[k], signal)
    else:
        for k in range(count):
            trace.e[k] = e * (np.sign(x[k]) if trace.once else x[k])
        apply_rule(rule, side, notes, count, trace.e, x if newest else trace.zeros, signal)
    scatter(side, index, count, weights)
    scatter_notes(rule, notes, index, count, memory)


@inlined
def gather_notes(rule: Any, memory: Any, index: Any, count: int, notes: Any) -> None:
    """The step-size memory of some weights, side by side."""
    if rule.slots == 2:
        gather_pairs(memory, index, count, notes[0], notes[1])
    else:
        for k in range(count):
            for slot in range(rule.slots):
                notes[slot, k] = memory[np.uint64(index[k]), slot]


@inlined
def scatter_notes(rule: Any, notes: Any, index: Any, count: int, memory: Any) -> None:
    """The step-size memory of some weights goes back to where it came from."""
    if rule.slots == 2:
        scatter_pairs(notes[0], notes[1], index, count, memory)
    else:
        for k in range(count):
            for slot in range(rule.slots):
                memory[np.uint64(index[k]), slot] = notes[slot, k]
