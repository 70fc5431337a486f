"""Step-size rules against their formulas (design/STEPSIZE.md), worked out here in double precision."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardlab import BoardlabError
from boardlab.compiler import kernel
from boardlab.learn.rules import make_rule, rule_names

BETA = 2.7

TRANSFER = {
    "tcl": lambda q: q,
    "tcl-delta": lambda q: q,
    "tcl-exp": lambda q: math.exp(BETA * (q - 1)),
    "tcl-pl": lambda q: max(math.exp(-BETA), BETA * q + 1 - BETA),
}

sizes = st.floats(-2, 2).map(lambda x: float(np.float32(x)))
updates = st.lists(
    st.tuples(st.floats(0.001, 4), sizes, st.floats(0, 1).map(lambda x: float(np.float32(x)))), min_size=1, max_size=12
)


@kernel
def run(rule, weights, memory, steps):
    for k in range(len(steps)):
        rule.update(weights, memory, 0, steps[k, 0], steps[k, 1], steps[k, 2])


@given(updates)
def test_plain(steps: list[tuple[float, float, float]]) -> None:
    """w += alpha delta e."""
    rule = make_rule("plain", 0.0, 0.0)
    weights = np.array([0.25, 7.0], np.float32)
    for alpha, delta, e in steps:
        rule.update(weights, np.zeros((0, 2), np.float32), 0, alpha, delta, e)
    expected = 0.25 + math.fsum(alpha * delta * e for alpha, delta, e in steps)
    assert weights[0] == pytest.approx(expected, abs=1e-5)
    assert weights[1] == 7.0
    assert rule.slots == 0 and rule.first_memory() == ()


@pytest.mark.parametrize("name", TRANSFER)
@pytest.mark.parametrize("initial", [0.0, 1e-4, 1.0])
@given(steps=updates)
def test_temporal_coherence(name: str, initial: float, steps: list[tuple[float, float, float]]) -> None:
    """q = |N| / A (1 if A = 0); w += alpha g(q) delta e with the old counters; r = delta e, or delta; N += r;
    A += |r|. Each update starts from the counters as they are stored, so that rounding does not add up."""
    rule = make_rule(name, initial, BETA)
    weights = np.zeros(2, np.float32)
    memory = np.repeat(np.array(rule.first_memory(), np.float32)[:, None], 2, axis=1)
    assert memory[:, 0] == pytest.approx([initial, initial])
    for alpha, delta, e in steps:
        w, (n, a) = float(weights[0]), memory[:, 0].astype(float)
        rule.update(weights, memory, 0, np.float32(alpha), np.float32(delta), np.float32(e))
        q = abs(n) / a if a > 0 else 1.0
        r = delta if name == "tcl-delta" else delta * e
        step = alpha * TRANSFER[name](q) * delta * e
        assert weights[0] == pytest.approx(w + step, abs=1e-5 * abs(step) + 1e-6 * abs(w) + 1e-9)
        assert memory[0, 0] == pytest.approx(n + r, rel=1e-6, abs=1e-6)
        assert memory[1, 0] == pytest.approx(a + abs(r), rel=1e-6, abs=1e-6)
    assert weights[1] == 0.0 and memory[:, 1] == pytest.approx([initial, initial])


def test_changes_of_one_sign_keep_the_step_and_alternating_ones_lose_it() -> None:
    """After changes 1, 1, 1 the next step is a full one; after 1, -1, 1 it is a third."""
    for signs, factor in (((1, 1, 1), 1.0), ((1, -1, 1), 1 / 3)):
        rule = make_rule("tcl", 0.0, BETA)
        weights, memory = np.zeros(1, np.float32), np.zeros((2, 1), np.float32)
        for sign in signs:
            rule.update(weights, memory, 0, np.float32(0.5), np.float32(sign), np.float32(1))
        before = weights[0]
        rule.update(weights, memory, 0, np.float32(0.5), np.float32(1), np.float32(1))
        assert weights[0] - before == pytest.approx(0.5 * factor, rel=1e-5)


@pytest.mark.parametrize(("beta", "bound"), [(0.5, 5e-6), (2.7, 5e-6), (4.0, 5e-6), (20.0, 3e-3)])
def test_the_fast_exponential(beta: float, bound: float) -> None:
    """Against math.exp over all coherences; at 1 it is exactly 1, and it grows with the coherence."""
    rule = make_rule("tcl-exp", 1e-4, beta)
    coherences = np.linspace(0, 1, 2001, dtype=np.float32)
    found = np.array([rule.transfer(q) for q in coherences], np.float64)
    exact = np.array([math.exp(float(np.float32(beta)) * (float(q) - 1)) for q in coherences])
    assert np.max(np.abs(found / exact - 1)) < bound
    assert found[-1] == 1.0
    assert np.all(np.diff(found) > -1e-6)


@pytest.mark.parametrize("name", ["plain", "tcl-exp"])
def test_compiled_and_plain_updates_agree(name: str) -> None:
    rule = make_rule(name, 1e-4, BETA)
    steps = np.random.default_rng(1).uniform(-1, 1, (200, 3)).astype(np.float32)
    ends = []
    for way in (run, run.py_func):
        weights = np.zeros(1, np.float32)
        memory = np.array(rule.first_memory(), np.float32).reshape(rule.slots, 1)
        way(rule, weights, memory, steps)
        ends.append([*weights, *memory.ravel()])
    assert ends[0] == pytest.approx(ends[1], rel=1e-5)


def test_settings_do_not_recompile() -> None:
    """Floats of a rule are read at run time: two values of beta are one type for the compiler."""
    assert make_rule("tcl-exp", 0.1, 1.0)._numba_type_ == make_rule("tcl-exp", 0.2, 3.0)._numba_type_
    assert make_rule("tcl-exp", 0.1, 1.0)._numba_type_ != make_rule("tcl", 0.1, 1.0)._numba_type_


def test_rules_by_name() -> None:
    assert rule_names() == ["plain", "tcl", "tcl-delta", "tcl-exp", "tcl-pl"]
    assert all(make_rule(name, 1e-4, BETA).name == name for name in rule_names())
    with pytest.raises(BoardlabError, match="there is no step-size rule 'tcl-ex'; did you mean 'tcl-exp'"):
        make_rule("tcl-ex", 1e-4, BETA)


def test_a_rule_has_parameters_of_its_own_or_those_of_the_agent() -> None:
    agents, own = make_rule("tcl-exp", 0.5, 3.0), make_rule("tcl-exp:beta=2,initial=0.25", 0.5, 3.0)
    assert (float(agents.initial), float(agents.beta)) == (0.5, 3.0)
    assert (float(own.initial), float(own.beta)) == (0.25, 2.0)
    assert own.spec == "tcl-exp:initial=0.25,beta=2.0"
    assert own._numba_type_ == agents._numba_type_  # numbers are read at run time
    with pytest.raises(BoardlabError, match="beta is a number from 0 to 20, not 21"):
        make_rule("tcl-exp:beta=21", 0.5, 3.0)
    with pytest.raises(BoardlabError, match="there is no parameter of the step-size rule plain 'beta'"):
        make_rule("plain:beta=2", 0.5, 3.0)
