"""Shared by the tests of step-size rules: sequences of updates, and what a rule makes of them, compiled or plain."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from reference_rules import reference_rule

from boardlab.compiler import kernel, plain
from boardlab.learn.rules import Signal, make_rule
from boardlab.learn.rules.base import StepSizeRule

NUM_WEIGHTS = 12


class Updates(NamedTuple):
    """T updates of up to K weights each; float32 but for the indices."""

    index: np.ndarray
    """Which weights, all different in an update, shape (T, K)."""
    e: np.ndarray
    x: np.ndarray
    delta: np.ndarray
    slope: np.ndarray
    gamma: np.ndarray
    ahead: np.ndarray
    alpha: np.ndarray


class Kept(NamedTuple):
    """All numbers of a rule in training."""

    weights: np.ndarray
    memory: np.ndarray
    scalars: np.ndarray


def fresh(rule: StepSizeRule, num_weights: int = NUM_WEIGHTS) -> Kept:
    memory = np.zeros((num_weights, rule.slots), np.float32)
    memory[:] = rule.first_memory()
    return Kept(np.zeros(num_weights, np.float32), memory, np.array(rule.first_scalars(), np.float32))


@kernel
def apply(rule, kept, updates):
    """Gather, two passes where the rule has them, scatter: what the kernels of boardlab.learn do."""
    k = updates.index.shape[1]
    weights = np.zeros(k, np.float32)
    memory = np.zeros((rule.slots, k), np.float32)
    zero = np.float32(0.0)
    for t in range(len(updates.index)):
        for j in range(k):
            i = updates.index[t, j]
            weights[j] = kept.weights[i]
            for slot in range(rule.slots):
                memory[slot, j] = kept.memory[i, slot]
        signal = Signal(
            updates.alpha[t],
            updates.delta[t],
            updates.slope[t],
            updates.gamma[t],
            updates.ahead[t],
            zero,
            kept.scalars,
        )
        if rule.passes == 2:
            total = zero
            for j in range(k):
                total += rule.prepare(memory, j, updates.e[t, j], updates.x[t, j], signal)
            signal = Signal(
                updates.alpha[t],
                updates.delta[t],
                updates.slope[t],
                updates.gamma[t],
                updates.ahead[t],
                np.float32(total),
                kept.scalars,
            )
            rule.settle(signal)
        for j in range(k):
            rule.update(weights, memory, j, updates.e[t, j], updates.x[t, j], signal)
        for j in range(k):
            i = updates.index[t, j]
            kept.weights[i] = weights[j]
            for slot in range(rule.slots):
                kept.memory[i, slot] = memory[slot, j]


def run(spec: str, updates: Updates, compiled: bool) -> Kept:
    """What a rule with these parameters makes of the updates."""
    rule = make_rule(spec, 1e-4, 2.7)
    kept = fresh(rule)
    (apply if compiled else plain(apply))(rule, kept, updates)
    return kept


def run_reference(name: str, settings: dict[str, float], updates: Updates) -> dict[int, float]:
    """The weights that the reference makes of them."""
    rule, weights = reference_rule(name, **settings), {}
    for t in range(len(updates.index)):
        entries = [
            (int(i), float(e), float(x)) for i, e, x in zip(updates.index[t], updates.e[t], updates.x[t], strict=True)
        ]
        shared = (updates.delta, updates.slope, updates.gamma, updates.ahead, updates.alpha)
        rule.update(entries, weights, *(float(part[t]) for part in shared))
    return weights


def random_updates(output: str, traces: bool, seed: int, number: int = 400, largest: float = 1.0) -> Updates:
    """Errors that a network with this output could have (every tenth is 0), inputs of 1 and 2 and without traces some
    of 0 and of other sizes, and with traces weights that are only remembered. All states and errors are made up: a
    rule cannot tell."""
    rng = np.random.default_rng(seed)
    k = 7
    index = np.array([rng.permutation(NUM_WEIGHTS)[:k] for _ in range(number)])
    x = rng.choice([1.0, 1.0, 1.0, 2.0, 0.0], (number, k))
    y = {"tanh": rng.uniform(-0.97, 0.97, number), "logistic": rng.uniform(0.03, 0.97, number)}.get(output)
    slope = np.ones(number) if y is None else (1 - y**2 if output == "tanh" else y * (1 - y))
    gain = slope if output == "tanh" else np.ones(number)
    e = gain[:, None] * x
    if traces:
        e = e + rng.choice([0.0, 0.8, 0.64], (number, k)) * rng.uniform(0.2, 1.0, (number, k))
    delta = rng.uniform(-largest, largest, number)
    delta = np.where(index[:, 0] < 6, abs(delta), delta)  # some weights see errors of one sign more often
    delta[::10] = 0.0
    ahead = rng.uniform(0, 3, number)
    alpha = rng.uniform(0.001, 0.1, number)
    numbers = (e, x, delta, slope, np.full(number, 0.9), ahead, alpha)
    return Updates(index.astype(np.int64), *(part.astype(np.float32) for part in numbers))
