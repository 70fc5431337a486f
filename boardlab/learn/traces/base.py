"""What eligibility is: the last positions of a chain, and how an error moves their weights.

A chain belongs to `who`: with final adaptation every player has one of his own, in self-play one move back there is one
for all. Each keeps its positions as lists of (index, hits) in a ring, one place more than it remembers: the position
that comes next lies there already while the newest one learns.

    fresh(who)                  the place for the next position
    push(..., who)              it becomes the newest one
    adapt(..., who, target)     the newest position, and those before it as far as they are eligible, learn
    skip(..., who)              the newest position does not learn, now or later by itself
    forget(who)                 nothing of the chain is eligible any more

Kinds: `Horizon` (none, and the horizon of Algorithm 7 of the FARL paper) and `TraceVector` (accumulating and replacing
traces of Thill 2015).
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import Compilable, inlined, inlined_method
from boardlab.learn.rules import Signal
from boardlab.system.machine import own_zeros

__all__ = ["Network", "Trace", "apply_rule"]


class Network(NamedTuple):
    """The trained numbers."""

    weights: NDArray[np.float32]
    """Shape (table sets, weights + 1)."""
    memory: NDArray[np.float32]
    """What the step-size rule keeps for each weight, shape (table sets, weights + 1 or 0, slots)."""
    scalars: NDArray[np.float32]
    """What it keeps for each table set, shape (table sets, scalars)."""
    flat: NDArray[np.float32]
    """The weights of all table sets, one after the other: the same memory."""
    flat_memory: NDArray[np.float32]
    """And their step-size memory, shape (all weights or 0, slots)."""

    @classmethod
    def of(cls, weights: NDArray[np.float32], memory: NDArray[np.float32], scalars: NDArray[np.float32]) -> Self:
        """The network with these numbers."""
        flat_memory = memory.reshape(-1 if memory.size else 0, memory.shape[2])
        return cls(weights, memory, scalars, weights.reshape(-1), flat_memory)

    def __reduce__(self) -> tuple[Any, ...]:
        """The flat arrays of a copy are the memory of its own."""
        return Network.of, self[:3]


class Trace(Compilable):
    """Base class: the positions that are remembered."""

    def __init__(self, chains: int, length: int, most_kept: int, most_active: int, slots: int) -> None:
        places = length + 1
        self.index = own_zeros((chains, places, most_kept), np.int32)
        self.hits = own_zeros((chains, places, most_kept), np.float32)
        self.counts = own_zeros((chains, places), np.int32)
        self.owners = own_zeros((chains, places), np.int64)
        """Whose afterstate it is."""
        self.head = own_zeros(chains, np.int64)
        self.lengths = own_zeros(chains, np.int64)
        """How many positions are remembered."""
        self.side = own_zeros(most_active, np.float32)
        """Work space: the weights that are being adapted, side by side."""
        self.notes = own_zeros((slots, most_active), np.float32)
        """Their step-size memory."""
        self.active = own_zeros(most_active, np.int32)
        self.x = own_zeros(most_active, np.float32)
        """Work space: the gradient of approximators that expand what they keep."""

    @inlined_method
    def fresh(self, who: int) -> int:
        """The place behind the newest position."""
        place = self.head[who] + 1
        return place if place < self.index.shape[1] else 0


@inlined
def apply_rule(rule: Any, weights: Any, notes: Any, count: int, e: Any, x: Any, signal: Any) -> None:
    """Let the rule move weights that lie side by side, each with its own eligibility."""
    if rule.passes == 2:
        total = np.float32(0.0)
        for k in range(count):
            total += np.float32(rule.prepare(notes, k, e[k], x[k], signal))
        signal = Signal(signal.alpha, signal.delta, signal.slope, signal.gamma, signal.ahead, total, signal.scalars)
        rule.settle(signal)
    for k in range(count):
        rule.update(weights, notes, k, e[k], x[k], signal)
