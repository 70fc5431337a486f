"""The step-size rules once more: slow, obvious, in dictionaries and Python floats, written from the papers, above
all from section 3.5 and appendix A of Thill 2015. They share no code with boardlab/learn/rules.

    rule = reference_rule("idbd", theta=3.0)
    rule.update(entries, weights, delta, slope, gamma, ahead, alpha)

moves the weights of one update. `entries` lists (key, e, x) of the weights that take part, each key once; `weights` is
a dictionary, in which a missing key counts as 0. A rule keeps its own memory for each key. What it keeps for all
weights together (alpha-bounds, iRProp+) belongs to one table set: take one object for each.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, MutableMapping, Sequence
from typing import Any

Entries = Sequence[tuple[Any, float, float]]
Weights = MutableMapping[Any, float]
Numbers = defaultdict[Hashable, float]


def constant(value: float) -> Numbers:
    """A number for each key, the same at first."""
    return defaultdict(lambda: value)


def positive(z: float) -> float:
    """[z]+"""
    return z if z > 0 else 0.0


def sign(z: float) -> int:
    return (z > 0) - (z < 0)


class TDL:
    """w_i += alpha delta e_i"""

    def update(
        self, entries: Entries, w: Weights, delta: float, slope: float, gamma: float, ahead: float, alpha: float
    ) -> None:
        for i, e, _ in entries:
            w[i] = w.get(i, 0.0) + alpha * delta * e


class TCL:
    """Algorithm 2. g is the transfer function; TCL[r] sums the recommended weight changes, TCL[delta] the errors."""

    def __init__(self, g: Callable[[float], float], initial: float = 1e-4, sum_errors: bool = False) -> None:
        self.g, self.sum_errors = g, sum_errors
        self.N, self.A = constant(initial), constant(initial)

    def update(
        self, entries: Entries, w: Weights, delta: float, slope: float, gamma: float, ahead: float, alpha: float
    ) -> None:
        for i, e, _ in entries:
            own = self.g(abs(self.N[i]) / self.A[i] if self.A[i] != 0 else 1.0)
            w[i] = w.get(i, 0.0) + alpha * own * delta * e
            r = delta * sign(e) if self.sum_errors else delta * e
            self.A[i] += abs(r)
            self.N[i] += r


class IDBD:
    """Algorithm 3 and equation 3.46: with sigma' = 1 and e = x it is Sutton's."""

    def __init__(self, alpha0: float, theta: float) -> None:
        self.theta = theta
        self.beta, self.h = constant(math.log(alpha0)), constant(0.0)

    def update(
        self, entries: Entries, w: Weights, delta: float, slope: float, gamma: float, ahead: float, alpha: float
    ) -> None:
        for i, e, x in entries:
            change = self.theta * delta * e * self.h[i]
            if abs(change) > 2:
                change = 2 * sign(change)
            self.beta[i] = max(-10.0, self.beta[i] + change)
            alpha_i = math.exp(self.beta[i])
            w[i] = w.get(i, 0.0) + alpha_i * delta * e
            self.h[i] = self.h[i] * positive(1 - alpha_i * slope * x * e) + alpha_i * delta * e


class SMD:
    """Equation A.49."""

    def __init__(self, alpha0: float = 0.0302, theta: float = 3.1, mu: float = 1.0) -> None:
        self.theta, self.mu = theta, mu
        self.alpha, self.h = constant(alpha0), constant(0.0)

    def update(
        self, entries: Entries, w: Weights, delta: float, slope: float, gamma: float, ahead: float, alpha: float
    ) -> None:
        together = sum(self.h[j] * x for j, _, x in entries)
        for i, e, _ in entries:
            if e == 0:
                continue
            self.alpha[i] *= max(0.5, 1 + self.theta * delta * e * self.h[i])
            w[i] = w.get(i, 0.0) + self.alpha[i] * delta * e
            self.h[i] = self.mu * self.h[i] - self.mu * self.alpha[i] * slope * e * together + self.alpha[i] * delta * e


class K1:
    """Sutton's K1, for a linear output."""

    def __init__(self, alpha0: float = 0.009, theta: float = 6.0) -> None:
        self.theta = theta
        self.beta, self.h = constant(math.log(alpha0)), constant(0.0)

    def update(
        self, entries: Entries, w: Weights, delta: float, slope: float, gamma: float, ahead: float, alpha: float
    ) -> None:
        for i, _, x in entries:
            self.beta[i] = max(-10.0, self.beta[i] + self.theta * delta * x * self.h[i])
        M = sum(math.exp(self.beta[i]) * x**2 for i, _, x in entries)
        for i, _, x in entries:
            k = math.exp(self.beta[i]) * x / (1 + M)
            w[i] = w.get(i, 0.0) + k * delta
            self.h[i] = (self.h[i] + k * delta) * positive(1 - k * x)


class ELK1:
    """Schraudolph's ELK1, for a tanh output: d is its slope and e = d x."""

    def __init__(self, alpha0: float = 0.0111, theta: float = 5.0) -> None:
        self.theta = theta
        self.beta, self.h = constant(math.log(alpha0)), constant(0.0)

    def update(
        self, entries: Entries, w: Weights, delta: float, slope: float, gamma: float, ahead: float, alpha: float
    ) -> None:
        d = max(slope, 1e-6)
        for i, _, x in entries:
            self.beta[i] = max(-10.0, self.beta[i] + self.theta * delta * x * self.h[i] * slope)
        M = sum(math.exp(self.beta[i]) * x**2 for i, _, x in entries)
        for i, _, x in entries:
            e = d * x
            k = math.exp(self.beta[i]) * e / ((1 + M) * d**2)
            w[i] = w.get(i, 0.0) + k * delta * e
            self.h[i] = (self.h[i] + k * delta) * positive(1 - k * e)


class Autostep:
    """Mahmood et al., table 1."""

    def __init__(self, alpha0: float = 0.005, mu: float = 1e-4, tau: float = 1e4) -> None:
        self.mu, self.tau = mu, tau
        self.alpha, self.h, self.v = constant(alpha0), constant(0.0), constant(0.0)

    def update(
        self, entries: Entries, w: Weights, delta: float, slope: float, gamma: float, ahead: float, alpha: float
    ) -> None:
        active = [(i, x) for i, _, x in entries if x != 0]
        for i, x in active:
            a = delta * x * self.h[i]
            self.v[i] = max(abs(a), self.v[i] + self.alpha[i] * x**2 * (abs(a) - self.v[i]) / self.tau)
            if self.v[i] != 0:
                self.alpha[i] *= math.exp(self.mu * a / self.v[i])
        M = max(sum(self.alpha[i] * x**2 for i, x in active), 1.0)
        for i, x in active:
            self.alpha[i] /= M
            w[i] = w.get(i, 0.0) + self.alpha[i] * delta * x
            self.h[i] = self.h[i] * positive(1 - self.alpha[i] * x**2) + self.alpha[i] * delta * x


class AlphaBounds:
    """Dabney and Barto, equation 15, with sigma' as in Thill's 5.1; `ahead` is e times the gradient of V(s')."""

    def __init__(self, alpha0: float = 1.0) -> None:
        self.alpha = alpha0

    def update(
        self, entries: Entries, w: Weights, delta: float, slope: float, gamma: float, ahead: float, alpha: float
    ) -> None:
        bound = abs(gamma * ahead - sum(e * slope * x for _, e, x in entries))
        if bound > 0:
            self.alpha = min(self.alpha, 1 / bound)
        for i, e, _ in entries:
            w[i] = w.get(i, 0.0) + self.alpha * delta * e


class RProp:
    """The four variants: `plus` takes the last change back when the sign of the gradient has changed, `improved`
    (with plus) only if the error has grown, or (without) does not move then."""

    def __init__(
        self,
        plus: bool,
        improved: bool,
        alpha0: float = 1e-3,
        up: float = 1.2,
        down: float = 0.5,
        lowest: float = 1e-5,
        highest: float = 50.0,
    ) -> None:
        self.plus, self.improved = plus, improved
        self.up, self.down, self.lowest, self.highest = up, down, lowest, highest
        self.step, self.gradient, self.change = constant(alpha0), constant(0.0), constant(0.0)
        self.error = math.inf

    def update(
        self, entries: Entries, w: Weights, delta: float, slope: float, gamma: float, ahead: float, alpha: float
    ) -> None:
        error = delta**2
        for i, e, x in entries:
            if x == 0:
                continue
            gradient = -2 * e * delta
            same = sign(gradient) * sign(self.gradient[i])
            if same > 0:
                self.step[i] = min(self.step[i] * self.up, self.highest)
                self.change[i] = -sign(gradient) * self.step[i]
            elif same == 0:
                self.change[i] = -sign(gradient) * self.step[i]
            else:
                self.step[i] = max(self.step[i] * self.down, self.lowest)
                if self.plus:
                    revert = not self.improved or error > self.error
                    self.change[i] = -self.change[i] if revert else 0.0
                    gradient = 0.0
                elif self.improved:
                    self.change[i] = 0.0
                    gradient = 0.0
                else:
                    self.change[i] = -sign(gradient) * self.step[i]
            w[i] = w.get(i, 0.0) + self.change[i]
            self.gradient[i] = gradient
        self.error = error


class ALAP:
    """Almeida et al., as Thill's program has it."""

    def __init__(self, alpha0: float = 0.004, theta: float = 0.02, c: float = 0.02) -> None:
        self.theta, self.c = theta, c
        self.alpha, self.v, self.gradient = constant(alpha0), constant(0.0), constant(0.0)

    def update(
        self, entries: Entries, w: Weights, delta: float, slope: float, gamma: float, ahead: float, alpha: float
    ) -> None:
        for i, e, x in entries:
            if x == 0:
                continue
            gradient = -e * delta
            self.v[i] = (1 - self.c) * self.v[i] + self.c * gradient**2
            if self.v[i] != 0:
                self.alpha[i] *= 1 + self.theta * gradient * self.gradient[i] / self.v[i]
            self.alpha[i] = max(self.alpha[i], 1e-6)
            w[i] = w.get(i, 0.0) + self.alpha[i] * delta * e
            self.gradient[i] = gradient


def tcl_exp(beta: float = 2.7, initial: float = 1e-4) -> TCL:
    return TCL(lambda q: math.exp(beta * (q - 1)), initial)


def tcl_pl(beta: float = 2.7, initial: float = 1e-4) -> TCL:
    return TCL(lambda q: max(math.exp(-beta), beta * q + 1 - beta), initial)


RULES: dict[str, Callable[..., Any]] = {
    "plain": TDL,
    "tcl": lambda initial=1e-4: TCL(lambda q: q, initial),
    "tcl-delta": lambda initial=1e-4: TCL(lambda q: q, initial, sum_errors=True),
    "tcl-exp": tcl_exp,
    "tcl-pl": tcl_pl,
    "idbd": lambda alpha0=0.0067, theta=3.0: IDBD(alpha0, theta),
    "nl-idbd": lambda alpha0=0.0302, theta=3.1: IDBD(alpha0, theta),
    "smd": SMD,
    "k1": K1,
    "elk1": ELK1,
    "autostep": Autostep,
    "alpha-bounds": AlphaBounds,
    "rprop+": lambda **settings: RProp(plus=True, improved=False, **settings),
    "rprop-": lambda **settings: RProp(plus=False, improved=False, **settings),
    "irprop+": lambda **settings: RProp(plus=True, improved=True, **settings),
    "irprop-": lambda **settings: RProp(plus=False, improved=True, **settings),
    "alap": ALAP,
}


def reference_rule(name: str, **settings: float) -> Any:
    """The reference of a rule, with parameters called as boardlab's."""
    return RULES[name](**settings)
