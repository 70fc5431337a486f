"""Step-size memory that begins as zeros, for rules that mind them (`StepSizeRule.from_zeros`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rule_runs import apply, fresh, random_updates

from boardlab.learn.rules import make_rule, rule_classes
from boardlab.learn.rules.coherence import TemporalCoherence

COHERENT = [name for name, cls in rule_classes().items() if cls.from_zeros]


@pytest.mark.parametrize("initial", [1e-4, 0.5, 0.0])
@pytest.mark.parametrize("name", COHERENT)
def test_a_memory_of_zeros_stands_for_the_first_one(name: str, initial: float) -> None:
    """To the bit; who has no part in an update stays untouched, though its memory is filled."""
    updates = random_updates(rule_classes()[name].outputs[0], False, seed=5, number=60, largest=0.3)
    silent = updates.index == 7
    updates = updates._replace(e=np.where(silent, 0, updates.e), x=np.where(silent, 0, updates.x))
    rule = make_rule(name, initial, 2.7)
    lazy = rule.without_filling()
    filled, unfilled = fresh(rule), fresh(rule)
    unfilled.memory[:] = 0.0
    assert not lazy.touched(unfilled.memory).any() and (lazy.filled(unfilled.memory) == np.float32(initial)).all()
    apply.py_func(rule, filled, updates)
    apply.py_func(lazy, unfilled, updates)
    assert unfilled.weights.tobytes() == filled.weights.tobytes()
    assert lazy.filled(unfilled.memory).tobytes() == filled.memory.tobytes()
    assert lazy.touched(unfilled.memory).tolist() == rule.touched(filled.memory).tolist()
    assert rule.touched(filled.memory).any() and not rule.touched(filled.memory)[7]


def test_only_who_minds_zeros_gets_them() -> None:
    class OtherStart(TemporalCoherence):
        def first_memory(self) -> tuple[float, ...]:
            return (1.0, 2.0)

    class OtherUpdate(TemporalCoherence):
        def update(self, weights: Any, memory: Any, i: int, e: Any, x: Any, signal: Any) -> None:
            weights[i] += memory[1, i]

    assert set(COHERENT) == {"tcl", "tcl-delta", "tcl-exp", "tcl-pl"}
    assert TemporalCoherence().without_filling().unfilled
    for rule in (OtherStart(), OtherUpdate(), make_rule("idbd", 1e-4, 2.7)):
        assert rule.without_filling() is rule and not rule.unfilled
