"""What a step-size rule is: how far each weight moves, given the error signal. One class each, in this package, in an
installed one (entry points of the group `boardlab.learn`) or in a file of one's own, `path/to/file.py:Class`.

A rule is a plain class that compiles (see boardlab.compiler): its floats are runtime fields, so that a change of a
step size does not recompile anything; whole numbers and switches are constants. It may keep `slots` numbers for each
weight and `scalars` numbers for each table set. For every update the kernels gather the weights that take part in it
side by side (`weights` is float32 (n,), `memory` float32 (slots, n), i their place) and call

    update(weights, memory, i, e, x, signal)

for each of them; a rule with `passes = 2` sees all of them in `prepare` first, and then has `settle` called once.
`e` is the eligibility of the weight: the gradient of the value of the newest state, g x, and what has faded of those
before it; g is 1 - y^2 for a tanh output, and 1 for identity and for logistic (cross-entropy loss). `x` is df/dw of the
newest state, f being the sum before the output function: how often an n-tuple's weight is hit, the value of a feature.
It is 0 where only the trace is active. A weight with e = x = 0 has no part in the update: a rule leaves it as it is,
together with its memory, so that it does not matter whether somebody lists it.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import Compilable, is_our_own
from boardlab.components.component import Component, parameters_of, settings_of, take_parameters
from boardlab.errors import BoardlabError
from boardlab.registry import Registry, split_spec

__all__ = [
    "Signal",
    "StepSizeRule",
    "make_rule",
    "offer_rule",
    "refusal",
    "rule_class",
    "rule_classes",
    "rule_names",
]


class Signal(NamedTuple):
    """What all weights of one update have in common; float32 each."""

    alpha: Any
    """Step size of this episode, already divided by the number of active weights where the network does so."""
    delta: Any
    """Error signal: the target minus the value."""
    slope: Any
    """Derivative of the output function at the newest state: tanh 1 - y^2, logistic y (1 - y), identity 1."""
    gamma: Any
    """Discount."""
    ahead: Any
    """Sum of e_i dV(s')/dw_i over all weights, s' being the next state; 0 where there is none. Only filled for rules
    with `needs_next`."""
    total: Any
    """What `prepare` summed over all weights of this update; 0 with one pass."""
    scalars: Any
    """What the rule keeps for the table set, shape (scalars,)."""


class StepSizeRule(Component, Compilable, ABC):
    """Base class. `name` is what people write. Parameters are declared in the body, as those of a game, and given as
    `rule=NAME:parameter=value,...`."""

    slots = 0
    """Numbers that are kept for each weight."""
    scalars = 0
    """Numbers that are kept for each table set."""
    passes = 1
    """2: `prepare` is called for every weight, then `settle` once, then `update` for every weight."""
    needs_next = False
    """Whether `Signal.ahead` is used."""
    outputs: ClassVar[tuple[str, ...]] = ("tanh", "logistic", "identity")
    """Output functions for which the rule is defined."""
    with_traces = True
    """Whether it is defined for lambda > 0."""
    own_alpha = False
    """Whether it keeps step sizes of its own, which begin with its parameter `alpha0`: the agent's alpha has no use."""
    from_zeros: ClassVar[bool] = False
    """Whether `update` minds `unfilled`."""
    unfilled = False
    """Whether a memory of nothing but zeros stands for `first_memory`, which it never becomes later on: so large tables
    need not be filled before the first episode."""
    agents_parameters: ClassVar[Mapping[str, str]] = {"tc_init": "initial", "beta": "beta"}
    """Parameters of the agent that a rule may have, too, under these names."""
    instead: ClassVar[str] = ""
    """What else may be taken where the rule is not defined, as `nl-idbd for a logistic one`."""

    def __init__(self, initial: float = 1e-4, beta: float = 2.7, /, **settings: object) -> None:
        """Make the rule with the given parameters. `initial` and `beta` are the agent's parameters `tc_init` (what N
        and A start with) and `beta` (shape of a transfer function), for rules that have such things: declared, they may
        be given for the rule as well. Numbers are float32 in compiled code, whole numbers constants."""
        owner = f"the step-size rule {self.name or type(self).__name__}"
        _refuse_other_signatures(type(self), owner)
        agents = {"initial": float(initial), "beta": float(beta)}
        declared = {name: value for name, value in agents.items() if name in parameters_of(type(self))}
        take_parameters(self, {**declared, **settings}, owner)
        for name, value in {**agents, **settings_of(self)}.items():
            self.__dict__[name] = np.float32(value) if isinstance(value, float) else value

    @classmethod
    def ignored(cls) -> set[str]:
        """The agent's parameters that mean nothing to it. A rule of a user's own may look at `self.initial` and
        `self.beta` without declaring them."""
        declared = parameters_of(cls) if is_our_own(cls.__module__) else cls.agents_parameters.values()
        unused = {agents for agents, own in cls.agents_parameters.items() if own not in declared}
        return unused | ({"alpha", "alpha_end", "alpha_schedule"} if cls.own_alpha else set())

    def first_memory(self) -> tuple[float, ...]:
        """What the slots of every weight hold at the beginning."""
        return ()

    def without_filling(self) -> Self:
        """The same rule for a memory that begins with zeros; itself where it cannot do that. A class that derives from
        one with `from_zeros` may begin or go on differently, and is not believed to mind them, unless it says so."""
        cls = type(self)
        said: Any = next(owner for owner in cls.__mro__ if "from_zeros" in vars(owner))
        if not cls.from_zeros or cls.update is not said.update or cls.first_memory is not said.first_memory:
            return self
        other = copy(self)
        other.__dict__.pop("_made_type", None)
        other.unfilled = True
        return other

    def touched(self, memory: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Which weights have a memory, float32 (..., slots), other than at the beginning, shape (...)."""
        changed, begun = np.zeros((2, *memory.shape[:-1]), np.bool_)
        if self.unfilled and memory.size and memory.max() == memory.min() == 0.0:
            return changed  # the usual case of large tables
        for slot, first in enumerate(self.first_memory()):
            changed |= memory[..., slot] != np.float32(first)
            begun |= memory[..., slot] != 0.0
        return changed & begun if self.unfilled else changed

    def filled(self, memory: NDArray[np.float32]) -> NDArray[np.float32]:
        """The memory of some weights, float32 (..., slots), with `first_memory` where it still has nothing but
        zeros."""
        if not self.unfilled or memory.any(axis=-1).all():
            return memory
        return np.where(memory.any(axis=-1, keepdims=True), memory, np.array(self.first_memory(), np.float32))

    def step_sizes(self, memory: NDArray[np.float32]) -> NDArray[np.floating[Any]] | None:
        """The step size of each weight, or its factor of alpha, from its memory, float32 (weights, slots): for people
        who watch a training. None where all weights have the same."""
        return memory[:, 0] if self.own_alpha and self.slots else None

    def first_scalars(self) -> tuple[float, ...]:
        """What the scalars of every table set hold at the beginning."""
        return ()

    def prepare(self, memory: Any, i: int, e: Any, x: Any, signal: Any) -> Any:
        """First pass: may change the memory of weight i, and returns what is summed into `signal.total`."""
        return np.float32(0.0)

    def settle(self, signal: Any) -> None:
        """Between the passes: may change `signal.scalars`."""

    @abstractmethod
    def update(self, weights: Any, memory: Any, i: int, e: Any, x: Any, signal: Any) -> None:
        """Move weight i."""


def _refuse_other_signatures(cls: type[StepSizeRule], owner: str) -> None:
    """Refuse a rule whose `update` takes something else, as that of a rule written for an older boardlab."""
    names = list(inspect.signature(cls.update).parameters)[1:]
    if len(names) != 6 or {"alpha", "delta"} & set(names):
        raise BoardlabError(
            f"{owner} has update(self, {', '.join(names)}); write update(self, weights, memory, i, e, x, signal),"
            " where signal.alpha and signal.delta are the step size and the error"
        )


def refusal(rule: StepSizeRule, output: str, lam: float) -> str | None:
    """Why a rule does not go together with an output function or with this lambda, and what would do; None if it
    does."""
    name = rule.name or type(rule).__name__
    if output not in rule.outputs:
        fitting = " or ".join(f"output={fit}" for fit in rule.outputs)
        words = " or ".join({"identity": "linear"}.get(fit, fit) for fit in rule.outputs)
        article = "an" if words[0] in "aeiou" else "a"
        instead = f", or {rule.instead}" if rule.instead else ""
        return f"{name} is defined for {article} {words} output; take {fitting}{instead}"
    if lam > 0.0 and not rule.with_traces:
        return (
            f"{name} is not defined for eligibility traces; take lambda=0, or a rule that is, such as tcl-exp, or"
            " nl-idbd with output=logistic"
        )
    return None


_rules: Registry[StepSizeRule] = Registry(
    "step-size rule",
    StepSizeRule,  # type: ignore[type-abstract]
    "boardlab.learn.rules",
    group="boardlab.learn",
)


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


def make_rule(spec: str, initial: float, beta: float) -> StepSizeRule:
    """The rule of a specification: a name or `path/to/file.py:Class`, with parameters of its own where it has some;
    `initial` and `beta` are those of the agent."""
    origin, settings = split_spec(spec)
    rule = _rules.find(origin)(initial, beta, **settings)
    for kept, first, method in (
        ("slots", rule.first_memory(), "first_memory"),
        ("scalars", rule.first_scalars(), "first_scalars"),
    ):
        if len(first) != getattr(rule, kept):
            raise BoardlabError(
                f"the step-size rule {spec} has {getattr(rule, kept)} {kept}, so its {method} returns as many numbers,"
                f" not {first}"
            )
    return rule
