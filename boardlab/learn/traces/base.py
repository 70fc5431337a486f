"""What eligibility is: the last positions of a chain, and how an error moves their weights.

A chain belongs to `who`: with final adaptation every player has one of his own, in self-play one move back there is one
for all. Each keeps its positions as lists of (index, hits) in a ring, one place more than it remembers: the position
that comes next lies there already while the newest one learns.

    fresh(who)                  the place for the next position
    push(..., who)              it becomes the newest one
    adapt(..., who, target)     the newest position, and those before it as far as they are eligible, learn
    skip(..., who)              the newest position does not learn, now or later by itself
    forget(who)                 nothing of the chain is eligible any more
    forget_older(who)           nothing of the chain but the newest position is

Kinds: `Horizon` (none, and the horizon of Algorithm 7 of the FARL paper) and `TraceVector` (accumulating and replacing
traces of Thill 2015). One of one's own is a class in a file, `method=path/to/file.py:Class`, which derives from `Trace`
or from one of these two.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import Compilable, by_address, inlined, inlined_method
from boardlab.components.component import Component, take_parameters
from boardlab.learn.rules import Signal
from boardlab.registry import Registry
from boardlab.system.machine import own_zeros

__all__ = ["Network", "Sizes", "Trace", "apply_rule", "make_trace", "trace_classes"]


@by_address
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


class Sizes(NamedTuple):
    """What a trace has to have room for, and how it is asked for."""

    chains: int
    most_kept: int
    """Entries of the longest list of a position."""
    most_active: int
    """Weights of the longest gradient."""
    slots: int
    """What the step-size rule keeps for each weight."""
    weights: int
    """In all table sets, with the spare ones."""
    fade: float
    """Gamma * lambda."""
    longest: int
    """Positions of the longest chain."""
    horizon: int
    """Positions that are remembered, by lambda and `horizon_cut`."""
    replace: bool
    """Whether `eligibility` asks for replacing traces."""
    once: bool
    """Whether a weight that several symmetric boards hit learns as if it was hit once."""
    own: bool
    """Whether no chain has weights of another."""


class Trace(Component, Compilable, ABC):
    """Base class: the positions that are remembered."""

    def __init__(self, **settings: object) -> None:
        take_parameters(self, settings, f"the eligibility {self.name or type(self).__name__}")

    def make_room(self, sizes: Sizes) -> None:
        """Make the work space of one thread. A derived class adds its own."""
        self.once = sizes.once
        places = self.remembered(sizes) + 1
        self.index = own_zeros((sizes.chains, places, sizes.most_kept), np.int32)
        self.hits = own_zeros((sizes.chains, places, sizes.most_kept), np.float32)
        self.counts = own_zeros((sizes.chains, places), np.int32)
        self.owners = own_zeros((sizes.chains, places), np.int64)
        """Whose afterstate it is."""
        self.head = own_zeros(sizes.chains, np.int64)
        self.lengths = own_zeros(sizes.chains, np.int64)
        """How many positions are remembered."""
        self.side = own_zeros(sizes.most_active, np.float32)
        """Work space: the weights that are being adapted, side by side."""
        self.notes = own_zeros((sizes.slots, sizes.most_active), np.float32)
        """Their step-size memory."""
        self.active = own_zeros(sizes.most_active, np.int32)
        self.x = own_zeros(sizes.most_active, np.float32)
        """Work space: the gradient of approximators that expand what they keep."""

    def remembered(self, sizes: Sizes) -> int:
        """How many positions of a chain have a place: by default the newest one."""
        return 1

    def bytes_needed(self, sizes: Sizes) -> int:
        """Memory that grows with the number of weights."""
        return 0

    # ------------------------------------------------------------ compiled

    @abstractmethod
    def forget(self, network: Any, rule: Any, who: int) -> None:
        """Nothing of a chain is eligible any more."""

    @inlined_method
    def forget_older(self, values: Any, who: int) -> None:
        """Nothing of a chain but its newest position is eligible any more; a kind that keeps no others need not say
        how."""

    @abstractmethod
    def push(self, values: Any, network: Any, rule: Any, settings: Any, who: int) -> None:
        """The position at `fresh(who)` becomes the newest one of its chain."""

    @abstractmethod
    def adapt(
        self, values: Any, network: Any, rule: Any, settings: Any, who: int, target: float, alpha: float, is_next: bool
    ) -> None:
        """The newest position learns its target, and those before it as far as they are eligible. `is_next`: the
        position that comes next lies at `fresh(who)`."""

    @inlined_method
    def announce(self, memory: Any, who: int) -> None:
        """Fetch what the next adaptation of the newest position will need; by default nothing."""

    @inlined_method
    def skip(self, values: Any, network: Any, who: int) -> None:
        """The newest position does not learn; by default nothing is to be done."""

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


_traces: Registry[Trace] = Registry("eligibility", Trace, "boardlab.learn.traces")  # type: ignore[type-abstract]


def trace_classes() -> dict[str, type[Trace]]:
    """All kinds of eligibility that can be made by name."""
    return _traces.classes


def make_trace(spec: str) -> Trace:
    """The eligibility of a specification, which has no work space yet."""
    return _traces.make(spec)
