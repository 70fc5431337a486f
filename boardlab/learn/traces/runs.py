"""The horizon of Algorithm 7 for weights that learn each by itself: what one after the other has in common is fetched
once.

Positions of a chain that follow each other look mostly at the same weights (Othello: 220 of 400). A *run* is a weight
that several positions in a row have at the same place of their lists. Each run is gathered, learns as often as it has
positions, and is put back: with a horizon of 7 that are 1,200 weights a move instead of 2,800. Runs are listed by the
newest position that they belong to, the longest first, so that those which reach back to a position are always the
first ones of a list. A weight that has several runs learns from the newest one first, as position after position does;
so the result is the same, to the bit.

Sixteen runs at a time are one row of weights, which a rule moves for one position after the other before they are put
back. With lists of 64, the processor waited for one step after the other (Othello learns 1.14 times as fast now). Lists
are filled up with the spare weight, so that there are only whole rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boardlab.compiler import helper, inlined, inlined_method
from boardlab.compiler.bits import prefetch_row
from boardlab.compiler.lanes import LANES, put_lanes, take_lanes
from boardlab.compiler.local import local_rows
from boardlab.compiler.parting import PARTED_AT_ONCE, part_equal
from boardlab.compiler.sums import gathered_dot
from boardlab.compiler.vectors import SELECTED_AT_ONCE, select
from boardlab.learn.rules import Signal
from boardlab.learn.traces.base import Sizes
from boardlab.learn.traces.horizon import Horizon
from boardlab.system.machine import own_copy, own_zeros

__all__ = ["RunHorizon"]

_BEYOND = max(SELECTED_AT_ONCE, PARTED_AT_ONCE, LANES)
"""Lists have room for so many numbers behind the last one."""
_MOST_SLOTS = 4
"""Rules that keep more for a weight learn position after position."""
_ROWS = 1 + _MOST_SLOTS + 1
"""Of a work space: weights, their step-size memory, and how often the newest position hits them."""
_PAYS_FROM = 350
"""Weights of all positions of a horizon from which on listing runs pays: with 2,800 of them (Othello) learning is 1.44
times as fast as position after position, with 560 (Connect Four) 1.2 times, with 350 (Hex) 1.08 times, with 320 that
all lie in the nearest cache (Tic-tac-toe) 0.91, and with 130 (2048) 0.93."""


class RunHorizon(Horizon):
    """For rules of one pass, and weights that learn once however often a position hits them."""

    name = ""

    @staticmethod
    def pays(sizes: Sizes) -> bool:
        """Whether it is faster than a plain horizon, which learns the same."""
        return sizes.horizon > 1 and sizes.slots <= _MOST_SLOTS and sizes.most_active * sizes.horizon >= _PAYS_FROM

    def make_room(self, sizes: Sizes) -> None:
        super().make_room(sizes)
        chains, places, room = *self.counts.shape, sizes.most_active + _BEYOND
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
        self.kept, self.ended = own_zeros(room, np.int32), own_zeros(room, np.int32)
        """Work space: where the runs that go on stand, and those that end."""
        self.faded = own_zeros(places, np.float32)
        self.steps = own_zeros(places, np.float32)
        """Eligibility and step size of each position while a chain learns, the newest one first."""

    @inlined_method
    def announce(self, memory: Any, who: int) -> None:
        """Nothing is called for: what is new was called for when it came (`call_for`)."""

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
        self.call_for(network.flat_memory, who, n)
        _fill_up(self, network, who, new)
        if goes_on:
            _fill_up(self, network, who, old)
        self.head[who] = new
        self.lengths[who] = min(self.index.shape[1] - 1, self.lengths[who] + 1)

    @inlined_method
    def call_for(self, memory: Any, who: int, n: Any) -> None:
        """Call for the step-size memory of the runs that the next position begins, those behind the first n: it is
        mostly far away, and needed when the player moves again (Othello: 1.02 times as fast)."""
        new = self.fresh(who)
        for r in range(n, np.uint64(self.reaching[who, new, 0])):
            prefetch_row(memory, self.runs[who, new, r])

    @inlined_method
    def judge(self, values: Any, network: Any, who: int, target: float) -> tuple[Any, Any]:
        """Nobody needs the weights side by side."""
        place = self.head[who]
        total = gathered_dot(self.hits[who, place], network.flat, self.index[who, place], self.counts[who, place])
        return self.judged(values, who, total, target)

    @inlined_method
    def adapt(
        self, values: Any, network: Any, rule: Any, settings: Any, who: int, target: float, alpha: float, is_next: bool
    ) -> None:
        length = self.lengths[who]
        delta, d = self.judge(values, network, who, target)
        self.fade(settings, who, alpha)
        owner = self.owners[who, self.head[who]]
        scalars = network.scalars[0 if len(network.scalars) == 1 else owner]
        _learn_runs(self, rule, network, who, length, delta, d, np.float32(settings.gamma), scalars)

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
    runs, entries, kept, ended = trace.runs[who, old], trace.entries[who], trace.kept, trace.ended
    index, going = trace.index[who, new], trace.runs[who, new]
    reaching, farther = trace.reaching[who, old], trace.reaching[who, new]
    n, start = np.uint64(0), np.uint64(0)  # signed places are tested for being negative
    for back in range(len(reaching) - 1, -1, -1):
        end = np.uint64(reaching[back])
        n = part_equal(index, entries, runs, start, end, kept, going, ended, n)
        start = end
        reaching[back] -= n
        if back + 1 < len(farther):
            farther[back + 1] = n
    for r in range(n):
        entries[r] = kept[r]
    for r in range(start - n):
        runs[r] = ended[r]
    return n


@inlined
def _fill_up(trace: Any, network: Any, who: int, place: int) -> None:
    """Let the last row of a list have nothing but the spare weight behind the last run, which never moves."""
    runs, count, spare = trace.runs[who, place], np.uint64(trace.reaching[who, place, 0]), len(network.flat) - 1
    for lane in range(LANES):
        runs[count + np.uint64(lane)] = spare


@helper
def _learn_runs(
    trace: Any, rule: Any, network: Any, who: int, length: int, delta: Any, d: Any, gamma: Any, scalars: Any
) -> None:
    """Let the rule move all weights of a chain, row by row."""
    rows, zero, place = local_rows(_ROWS, LANES), np.float32(0.0), trace.head[who]
    for age in range(length):
        reaching, runs = trace.reaching[who, place], trace.runs[who, place]
        for first in range(0, reaching[0], LANES):
            _take(rule, network, runs, first, rows)
            _note_hits(trace, who, first, reaching[0] - first if age == 0 else 0, rows[_ROWS - 1])
            for back in range(length - age):
                count = reaching[back] - first
                if count <= 0:
                    break
                signal = Signal(trace.steps[age + back], delta, d, gamma, zero, zero, scalars)
                _move(rule, rows, count, trace.faded[age + back], signal)
                _note_hits(trace, who, first, 0, rows[_ROWS - 1])
            _put(rule, network, runs, first, rows)
        place = place - 1 if place > 0 else trace.index.shape[1] - 1


@inlined
def _move(rule: Any, rows: Any, count: int, e: Any, signal: Any) -> None:
    """Let the rule move the first `count` weights of a row, which have the same eligibility."""
    weights, notes, hits = rows[0], rows[1 : _ROWS - 1], rows[_ROWS - 1]
    left, zero = np.float32(count), np.float32(0.0)
    for lane in range(LANES):
        rule.update(weights, notes, lane, e if np.float32(lane) < left else zero, hits[lane], signal)


@inlined
def _note_hits(trace: Any, who: int, first: int, count: int, out: Any) -> None:
    """How often the newest position hits the first `count` weights of the row of its runs that begins with the given
    one; the others are just eligible. LLVM leaves this out where the rule does not ask."""
    hits, entries = trace.hits[who, trace.head[who]], trace.entries[who]
    for lane in range(LANES):
        out[lane] = hits[np.uint64(entries[np.uint64(first + lane)])] if lane < count else np.float32(0.0)


@inlined
def _take(rule: Any, network: Any, runs: Any, first: int, rows: Any) -> None:
    """A row of weights, and their step-size memory."""
    if rule.slots == 2:
        take_lanes(network.flat, network.flat_memory, runs, first, rows)
    else:
        for lane in range(LANES):
            k = np.uint64(runs[np.uint64(first + lane)])
            rows[0, lane] = network.flat[k]
            for slot in range(rule.slots):
                rows[1 + slot, lane] = network.flat_memory[k, slot]


@inlined
def _put(rule: Any, network: Any, runs: Any, first: int, rows: Any) -> None:
    """They go back to where they came from."""
    if rule.slots == 2:
        put_lanes(rows, runs, first, network.flat, network.flat_memory)
    else:
        for lane in range(LANES):
            k = np.uint64(runs[np.uint64(first + lane)])
            network.flat[k] = rows[0, lane]
            for slot in range(rule.slots):
                network.flat_memory[k, slot] = rows[1 + slot, lane]
