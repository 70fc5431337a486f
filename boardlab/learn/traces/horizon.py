"""A horizon of remembered positions (Algorithm 7 of the FARL paper); of length 1 it is learning without eligibility.

Several symmetric boards may hit the same weight. With `once` it learns as if it was hit once (the set M of
Algorithm 7), while the value counts it as often as it is hit; without, it learns as often, too (Thill 2015).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.compiler import helper, inlined, inlined_method
from boardlab.learn.outputs import activate, gain, slope
from boardlab.learn.rules import Signal
from boardlab.learn.traces.base import Trace, apply_rule, dot
from boardlab.system.machine import own_zeros

__all__ = ["Horizon"]


class Horizon(Trace):
    """The newest positions, each with the derivative that it had when it was the newest."""

    def __init__(
        self, chains: int, length: int, most_kept: int, most_active: int, slots: int, *, once: bool, marks: int
    ) -> None:
        """`marks` is the number of weights in all where the rule needs to know the next position, else 0."""
        super().__init__(chains, length, most_kept, most_active, slots)
        self.once = once
        self.vector = False
        self.gains = own_zeros((chains, length + 1), np.float32)
        self.e = own_zeros(most_active, np.float32)
        self.zeros = own_zeros(most_active, np.float32)
        self.marks = own_zeros(marks, np.float32)

    @inlined_method
    def forget(self, network: Any, rule: Any, who: int) -> None:
        self.lengths[who] = 0

    @inlined_method
    def push(self, values: Any, network: Any, rule: Any, settings: Any, who: int) -> None:
        self.head[who] = self.fresh(who)
        self.lengths[who] = min(self.index.shape[1] - 1, self.lengths[who] + 1)

    @inlined_method
    def skip(self, values: Any, network: Any, who: int) -> None:
        """The horizon of later adaptations reaches back to this position: its derivative is kept."""
        _look_back(self, values, network, who)

    @inlined_method
    def adapt(
        self, values: Any, network: Any, rule: Any, settings: Any, who: int, target: float, alpha: float, is_next: bool
    ) -> None:
        """The weights are gathered, moved side by side (so that the compiler can use vector instructions) and put
        back, one position after the other."""
        value = _look_back(self, values, network, who)
        delta = np.float32(target - value)
        d = np.float32(slope(values.output, value))
        place = self.head[who]
        owner = self.owners[who, place]
        scalars = network.scalars[0 if len(network.scalars) == 1 else owner]
        ahead = np.float32(0.0)
        if rule.needs_next and is_next:
            ahead = d * _ahead(self, who)
        decay = np.float32(1.0)
        for age in range(self.lengths[who]):
            count = self.counts[who, place]
            if age > 0:
                _gather(self.side, network.flat, self.index[who, place], count)
            step = np.float32(alpha / count) if settings.divide_alpha else np.float32(alpha)
            e = self.gains[who, place] * decay
            if self.owners[who, place] != owner:
                e = -e  # what is good for one of two players is bad for the other
            signal = Signal(step, delta, d, np.float32(settings.gamma), ahead, np.float32(0.0), scalars)
            if values.direct:
                index, hits = self.index[who, place], self.hits[who, place]
                _move(rule, self, network, index, hits, count, e, signal, self.once, age == 0)
            else:
                _move(rule, self, network, self.active, self.x, len(self.active), e, signal, False, True)
            decay *= settings.fade
            place = place - 1 if place > 0 else self.index.shape[1] - 1


@inlined
def _look_back(trace: Any, values: Any, network: Any, who: int) -> float:
    """The value of the newest position, now. Its weights are gathered, and its derivative is kept."""
    place = trace.head[who]
    count = trace.counts[who, place]
    if values.direct:
        _gather(trace.side, network.flat, trace.index[who, place], count)
        total = dot(trace.hits[who, place], trace.side, count)
    else:
        total = np.float32(values.expand(trace.index[who, place], trace.hits[who, place], count, trace.active, trace.x))
        _gather(trace.side, network.flat, trace.active, len(trace.active))
    value = activate(values.output, total)
    trace.gains[who, place] = gain(values.output, value)
    return value


@inlined
def _gather(side: Any, weights: Any, index: Any, count: int) -> None:
    for k in range(count):
        side[k] = weights[np.uint64(index[k])]


@inlined
def _move(
    rule: Any, trace: Any, network: Any, index: Any, x: Any, count: int, e: Any, signal: Any, once: bool, newest: bool
) -> None:
    """Let the rule move the gathered weights of one position, and put them back. Only those of the newest position are
    active (x), the others just eligible."""
    side, notes = trace.side, trace.notes
    weights, memory = network.flat, network.flat_memory
    for k in range(count):
        i = np.uint64(index[k])
        for slot in range(rule.slots):
            notes[slot, k] = memory[i, slot]
    if once and rule.passes == 1:
        active = x if newest else trace.zeros
        for k in range(count):
            rule.update(side, notes, k, e, active[k], signal)
    else:
        for k in range(count):
            trace.e[k] = e * (np.float32(1.0 if x[k] != 0.0 else 0.0) if once else x[k])
        apply_rule(rule, side, notes, count, trace.e, x if newest else trace.zeros, signal)
    for k in range(count):
        i = np.uint64(index[k])
        weights[i] = side[k]
        for slot in range(rule.slots):
            memory[i, slot] = notes[slot, k]


@helper
def _ahead(trace: Any, who: int) -> Any:
    """The sum of e_i * x'_i over the weights that the newest position and the next one share."""
    place, fresh = trace.head[who], trace.fresh(who)
    index, count = trace.index[who, place], trace.counts[who, place]
    for k in range(count):
        hits = trace.hits[who, place, k]
        if trace.once:
            hits = np.float32(1.0 if hits != 0.0 else 0.0)
        trace.marks[index[k]] = trace.gains[who, place] * hits
    shared = np.float32(0.0)
    for k in range(trace.counts[who, fresh]):
        hits = trace.hits[who, fresh, k]
        if hits != 0.0:
            shared += trace.marks[trace.index[who, fresh, k]] * hits
    for k in range(count):
        trace.marks[index[k]] = 0.0
    return shared if trace.owners[who, place] == trace.owners[who, fresh] else -shared
