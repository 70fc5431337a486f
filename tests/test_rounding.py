"""Sums of single precision that are rounded at random."""

from __future__ import annotations

import numpy as np
import pytest

from boardlab.compiler import kernel, plain
from boardlab.learn.rounding import add_rounding_at_random
from boardlab.learn.rules import make_rule
from boardlab.learn.rules.base import Signal

BOTH = pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])


@kernel
def add_each(totals, steps, out):
    for k in range(len(totals)):
        out[k] = add_rounding_at_random(totals[k], steps[k], np.float32(k))


@kernel
def add_all(total, steps):
    for k in range(len(steps)):
        total[0] = add_rounding_at_random(total[0], steps[k], np.float32(k))


@BOTH
def test_a_sum_is_one_of_its_neighbours(compiled: bool) -> None:
    rng = np.random.default_rng(1)
    totals = np.exp(rng.uniform(-20.0, 40.0, 3000)).astype(np.float32)
    steps = (totals * np.exp(rng.uniform(-25.0, 5.0, 3000))).astype(np.float32)
    steps[:100] = 0.0
    totals[50:150] = 0.0
    out = np.zeros_like(totals)
    (add_each if compiled else plain(add_each))(totals, steps, out)
    exact = totals.astype(np.float64) + steps
    lower = exact.astype(np.float32)
    lower = np.where(lower > exact, np.nextafter(lower, np.float32(0.0)), lower)
    higher = np.where(lower == exact, lower, np.nextafter(lower, np.float32(np.inf)))
    assert np.all((out == lower) | (out == higher))
    uneven = lower != higher
    assert 0.2 < np.mean(out[uneven] == higher[uneven]) < 0.8


def test_machine_code_rounds_as_python_does() -> None:
    rng = np.random.default_rng(2)
    totals, steps = rng.uniform(1e6, 1e9, 2000).astype(np.float32), rng.uniform(0.0, 50.0, 2000).astype(np.float32)
    ours, python = np.zeros((2, 2000), np.float32)
    add_each(totals, steps, ours)
    plain(add_each)(totals, steps, python)
    assert np.array_equal(ours, python)
    assert np.count_nonzero(ours != totals + steps) > 200


@pytest.mark.parametrize(("begin", "most"), [(3e7, 0.3), (1e6, 0.01), (1e9, 20.0), (0.0, 1.0)])
def test_small_steps_add_up(begin: float, most: float) -> None:
    steps = (np.random.default_rng(3).random(100_000) * most).astype(np.float32)
    steps[50_000:] = most / 2
    total, nearest = np.full(1, begin, np.float32), np.float32(begin)
    add_all(total, steps)
    grown = float(steps.sum(dtype=np.float64))
    assert (float(total[0]) - begin) / grown == pytest.approx(1.0, abs=0.02)
    if begin:
        for step in steps[:1000]:
            nearest += step
        assert nearest == np.float32(begin), "rounded to the nearest it never grows"


@pytest.mark.parametrize("name", ["tcl", "tcl-delta", "tcl-exp", "tcl-pl"])
def test_counters_of_fine_temporal_coherence_go_on_growing(name: str) -> None:
    """Those of other rules stand still."""
    zero, alpha, scalars = np.float32(0.0), np.float32(0.01), np.zeros(0, np.float32)
    grown = {}
    for fine in (False, True):
        rule = make_rule(f"{name}:fine={str(fine).lower()}", 1e-4, 2.7)
        weights, memory = np.zeros(1, np.float32), np.array([[0.0], [3e7]], np.float32)
        for delta in np.random.default_rng(4).uniform(-0.8, 0.8, 2000).astype(np.float32):
            rule.update(
                weights, memory, 0, np.float32(1.0), zero, Signal(alpha, delta, zero, zero, zero, zero, scalars)
            )
        assert 0.0 < abs(memory[0, 0]) < 100.0
        grown[fine] = float(memory[1, 0]) - 3e7
    assert grown[False] == 0.0
    assert grown[True] == pytest.approx(800.0, rel=0.1)
