"""Indices of boards that lie in one vector register, against the sums that they are by definition."""

from __future__ import annotations

import numpy as np
import pytest
from learners import make_learner, train_plainly
from reference_learner import Options
from test_learner import digest, train

from boardlab import make
from boardlab.compiler import kernel, plain
from boardlab.compiler.permuted_sums import differing_cells, permuted_sums
from boardlab.compiler.processor import PERMUTES
from boardlab.ntuple import permuted
from boardlab.ntuple.creation import make_tuples

NEEDS_IT = pytest.mark.skipif(not PERMUTES, reason="this processor does not permute bytes")
MADE = pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=NEEDS_IT)], ids=["plain", "compiled"])


@pytest.fixture(autouse=True)
def as_if_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are made on any processor."""
    monkeypatch.setattr(permuted, "PERMUTES", True)


@kernel
def add_all(cells, tables, base, out):
    permuted_sums(cells, tables.taken, tables.weights, tables.factors, base, out)


@kernel
def compare(cells, others):
    return differing_cells(cells, others, len(cells))


def some_steps(entries: int, longest: int, values: int, cells: int) -> np.ndarray:
    """What cells count in the index of tuples of up to so many of them."""
    rng, steps = np.random.default_rng(entries + longest), np.zeros((cells, entries), np.int64)
    for e in range(entries):
        chosen = rng.permutation(cells)[: longest - e % 2]
        steps[chosen, e] = values ** np.arange(len(chosen))
    return steps


@MADE
@pytest.mark.parametrize(
    ("entries", "longest", "values", "cells"), [(32, 1, 4, 64), (40, 4, 9, 33), (100, 5, 3, 64), (400, 8, 4, 64)]
)
def test_sums_are_those_of_the_steps(entries: int, longest: int, values: int, cells: int, compiled: bool) -> None:
    steps = some_steps(entries, longest, values, cells)
    tables = permuted.permuted_of(steps, np.full(cells, values))
    assert tables.taken.shape == (-(-entries // 32), (longest + 1) // 2, 64)
    rng, base = np.random.default_rng(7), np.arange(entries, dtype=np.int32) << 20
    for _ in range(20):
        board, out = np.zeros(64, np.int8), np.zeros(entries, np.int32)
        board[:cells] = rng.integers(0, values, cells)
        (add_all if compiled else plain(add_all))(board, tables, base, out)
        assert np.array_equal(out, base + board[:cells] @ steps)


@MADE
def test_differing_cells_are_bits(compiled: bool) -> None:
    board = np.arange(64, dtype=np.int8)
    for cells in ((), (0,), (63,), (1, 5, 40), range(64)):
        other = board.copy()
        other[list(cells)] += 1
        found = (compare if compiled else plain(compare))(board, other)
        assert int(found) == sum(1 << cell for cell in cells)
    found = (compare if compiled else plain(compare))(board[:40], other[:40])
    assert int(found) == (1 << 40) - 1, "nothing beyond the board"


def test_what_does_not_fit_into_a_register_has_no_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(steps: np.ndarray, values: int = 4) -> bool:
        return len(permuted.permuted_of(steps, np.full(len(steps), values)).taken) > 0

    fitting = some_steps(32, 6, 4, 64)
    assert made(fitting)
    assert not made(some_steps(32, 6, 4, 65))
    assert not made(fitting[:, :31]), "too few entries"
    assert not made(some_steps(32, 9, 3, 64)), "too long"
    assert not made(some_steps(32, 8, 5, 64), 5), "too large indices"
    assert not made(some_steps(32, 2, 200, 64), 200), "too many values"
    assert not made(-fitting)
    assert not made(0 * fitting), "no cells at all"
    uneven = fitting.copy()
    uneven[uneven == 64] = 70  # no multiple of 16, which it is taken together with
    assert not made(uneven)
    monkeypatch.setattr(permuted, "PERMUTES", False)
    assert not made(fitting)


def test_other_processors_learn_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the bit."""
    monkeypatch.setattr("boardlab.learn.learner.train_episodes", train_plainly)
    game = make("othello:size=6")
    options = Options(make_tuples(game, "walk:32x2", 1), lam=0.5, horizon=2, rule="tcl-exp")

    def learned() -> tuple[bool, str]:
        learner = make_learner(game, options, 3)
        return bool(learner.work().values.st.permuted), digest(train(learner, 2))

    with_it = learned()
    monkeypatch.setattr(permuted, "PERMUTES", False)
    without = learned()
    assert (with_it[0], without[0]) == (True, False)
    assert with_it[1] == without[1]
