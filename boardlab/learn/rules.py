"""Step-size rules: how far each weight moves, given the error signal. One class each, in this package, in an installed
one (entry points of the group `boardlab.learn`) or in a file of one's own, `path/to/file.py:Class`.

A rule is a plain class that compiles (see boardlab.compiler): its floats are runtime fields, so that a change of alpha
does not recompile anything. It may keep `slots` numbers for each weight. The kernels call

    update(weights, memory, i, alpha, delta, e)

for every weight i that takes part in an update. These were gathered side by side before: `weights` is float32 (n,),
`memory` float32 (slots, n). `alpha` is the step size of this episode, already divided by the number of active weights
where the network does so, `delta` the error signal, and `e` the eligibility of the weight (the gradient of the value,
times lambda^k for older positions).

The rules here are those of Thill 2015 (3.5): plain TD and temporal coherence in its variants; `TCL` with
initial = 1e-4 is that of the FARL paper (appendix A.5).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from boardlab.compiler import Compilable
from boardlab.components.component import Component, parameters_of, settings_of, take_parameters
from boardlab.errors import BoardlabError
from boardlab.parameters import parameter
from boardlab.registry import Registry, split_spec

__all__ = [
    "Plain",
    "Signal",
    "StepSizeRule",
    "TemporalCoherence",
    "is_known_rule",
    "make_rule",
    "offer_rule",
    "rule_class",
    "rule_classes",
    "rule_names",
]


class Signal(NamedTuple):
    """What all weights of one update have in common."""

    alpha: Any
    delta: Any
    slope: Any
    gamma: Any
    ahead: Any
    total: Any
    scalars: Any


class StepSizeRule(Component, Compilable, ABC):
    """Base class. `name` is what people write; `slots` is how many numbers it keeps per weight. Parameters are declared
    in the body, as those of a game, and given as `rule=NAME:parameter=value,...`."""

    slots = 0
    scalars = 0
    passes = 1
    needs_next = False
    outputs: ClassVar[tuple[str, ...]] = ("tanh", "logistic", "identity")
    with_traces = True
    own_alpha = False

    def first_scalars(self) -> tuple[float, ...]:
        return ()

    def prepare(self, memory: Any, i: int, e: float, x: float, signal: Any) -> float:
        return 0.0

    def settle(self, signal: Any) -> None:
        pass

    def __init__(self, initial: float = 1e-4, beta: float = 2.7, /, **settings: object) -> None:
        """Make the rule with the given parameters. `initial` and `beta` are the agent's parameters `tc_init` (what N
        and A start with) and `beta` (shape of a transfer function), for rules that have such things: declared, they may
        be given for the rule as well. Numbers are float32 in compiled code, whole numbers constants."""
        agents = {"initial": float(initial), "beta": float(beta)}
        declared = {name: value for name, value in agents.items() if name in parameters_of(type(self))}
        take_parameters(self, {**declared, **settings}, f"the step-size rule {self.name or type(self).__name__}")
        for name, value in {**agents, **settings_of(self)}.items():
            self.__dict__[name] = np.float32(value) if isinstance(value, float) else value

    def first_memory(self) -> tuple[float, ...]:
        """What the slots of every weight hold at the beginning."""
        return ()

    @abstractmethod
    def update(self, weights: Any, memory: Any, i: int, e: float, x: float, signal: Any) -> None:
        """Move weight i."""


class Plain(StepSizeRule):
    """TDL: the same step size for every weight."""

    name = "plain"

    def update(self, weights: Any, memory: Any, i: int, e: float, x: float, signal: Any) -> None:
        weights[i] += signal.alpha * signal.delta * e


class TemporalCoherence(StepSizeRule):
    """TCL: a weight whose recommended changes agree in sign keeps its full step size, one whose changes cancel each
    other loses it. N sums the changes, A their absolute values; the step size is multiplied by |N| / A."""

    name = "tcl"
    slots = 2
    initial: np.float32 = parameter(1e-4, 0.0, 1e6, doc="what N and A start with; by default the agent's tc_init")

    def first_memory(self) -> tuple[float, ...]:
        return (float(self.initial), float(self.initial))

    def update(self, weights: Any, memory: Any, i: int, e: float, x: float, signal: Any) -> None:
        n = memory[0, i]
        a = memory[1, i]
        coherence = np.float32(1.0) if a == 0.0 else abs(n) / a
        weights[i] += signal.alpha * self.transfer(coherence) * (signal.delta * e)
        change = self.recommended(signal.delta, e)
        memory[0, i] = n + change
        memory[1, i] = a + abs(change)

    def transfer(self, coherence: Any) -> Any:
        """From |N| / A to the factor of the step size."""
        return coherence

    def recommended(self, delta: float, e: float) -> float:
        """What is summed in N and A: here the recommended weight change, TCL[r]."""
        return delta * e


class TemporalCoherenceDelta(TemporalCoherence):
    """TCL[delta]: N and A sum the error signal itself."""

    name = "tcl-delta"

    def recommended(self, delta: float, e: float) -> float:
        return delta


class TemporalCoherenceExponential(TemporalCoherence):
    """TCL-EXP: the factor is exp(beta (|N| / A - 1)), equation 5 of the FARL paper."""

    name = "tcl-exp"
    beta: np.float32 = parameter(2.7, 0.0, 20.0, doc="shape of the transfer function; by default the agent's beta")

    def transfer(self, coherence: Any) -> Any:
        """exp(x) as (Taylor polynomial of exp(x / 64))^64: relative error below 5e-6 for |x| < 4 (0.3 % at the
        largest beta), and a third of the time of the library's exp."""
        y = self.beta * (coherence - np.float32(1.0)) * np.float32(1.0 / 64.0)
        half, third, quarter = np.float32(1 / 2), np.float32(1 / 3), np.float32(1 / 4)
        z = np.float32(1.0) + y * (
            np.float32(1.0) + y * half * (np.float32(1.0) + y * third * (np.float32(1.0) + y * quarter))
        )
        z2 = z * z
        z4 = z2 * z2
        z8 = z4 * z4
        z16 = z8 * z8
        z32 = z16 * z16
        return z32 * z32


class TemporalCoherencePiecewise(TemporalCoherence):
    """TCL-PL: the factor is piecewise linear, max(exp(-beta), beta q + 1 - beta)."""

    name = "tcl-pl"
    beta: np.float32 = parameter(2.7, 0.0, 20.0, doc="shape of the transfer function; by default the agent's beta")

    def transfer(self, coherence: Any) -> Any:
        return max(np.exp(-self.beta), self.beta * coherence + np.float32(1.0) - self.beta)


_rules: Registry[StepSizeRule] = Registry("step-size rule", StepSizeRule, "boardlab.learn")  # type: ignore[type-abstract]


def rule_classes() -> dict[str, type[StepSizeRule]]:
    """All step-size rules that can be made by name."""
    return _rules.classes


def rule_names() -> list[str]:
    """Their names."""
    return list(_rules.classes)


def rule_class(origin: str) -> type[StepSizeRule]:
    """The class of a name, or of `path/to/file.py:Class`."""
    return _rules.find(origin)


def offer_rule(origin: str) -> None:
    """Let the rule `path/to/file.py:Class` be among those that can be made by name, in this process."""
    _rules.offer(origin)


def is_known_rule(spec: str) -> bool:
    """Whether a specification names an installed rule, for which no file has to be imported."""
    return _rules.current(split_spec(spec)[0]) in _rules.classes


def make_rule(spec: str, initial: float, beta: float) -> StepSizeRule:
    """The rule of a specification: a name or `path/to/file.py:Class`, with parameters of its own where it has some;
    `initial` and `beta` are those of the agent."""
    origin, settings = split_spec(spec)
    rule = _rules.find(origin)(initial, beta, **settings)
    if len(rule.first_memory()) != rule.slots:
        raise BoardlabError(
            f"the step-size rule {spec} has {rule.slots} slots, so its first_memory returns as many numbers,"
            f" not {rule.first_memory()}"
        )
    return rule
