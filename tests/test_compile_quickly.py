"""What makes compiling quick: blocks written by Python, steps that are left out, machine code that can wait."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from llvmlite.binding import ffi
from numba.core import postproc
from numba.core.registry import cpu_target
from numpy.typing import NDArray

from boardlab.compiler import Compilable, by_address, helper, kernel
from boardlab.compiler.later import compiled, compiled_later
from boardlab.lab.planning import compile_training, make_plan, new_learner
from boardlab.lab.stop import Stop
from boardlab.lab.wish import TrainingWish
from boardlab.registry import make
from boardlab.search.mcts_tree import MctsTree


class _Numbers(NamedTuple):
    small: bool
    single: np.float32
    other: bool
    double: float
    whole: int


class _Part(Compilable):
    def __init__(self, factor: float, numbers: NDArray[np.int64]) -> None:
        self.factor, self.numbers, self.constant = factor, numbers, 3


@by_address
class _Inner(NamedTuple):
    part: Any
    bytes_: NDArray[np.uint8]


@by_address
class _Outer(NamedTuple):
    inner: Any
    settings: _Numbers
    table: NDArray[np.float64]
    part: Any
    empty: NDArray[np.float64]


@kernel
def _read(outer: Any) -> Any:
    part, settings = outer.inner.part, outer.settings
    total = part.factor * part.numbers[1] + outer.inner.bytes_[2] + outer.table[1, 0] + len(outer.empty)
    total += 10.0 * outer.part.factor + part.constant + settings.single * settings.double + settings.whole
    outer.table[0, 1] = total
    return total, settings.small, settings.other, outer.table.shape, outer.table.strides


@pytest.mark.parametrize("order", [1, -1])
def test_a_tuple_is_read_as_python_wrote_it(order: int) -> None:
    table = np.arange(6.0).reshape(2, 3)[::order, ::order]
    inner = _Inner(_Part(0.5, np.array([7, 8])), np.array([1, 2, 3], np.uint8))
    settings = _Numbers(True, np.float32(1.5), False, 0.25, -5)
    outer = _Outer(inner, settings, table, _Part(2.0, np.zeros(0, np.int64)), np.zeros(0))
    expected = 4.0 + 3.0 + table[1, 0] + 20.0 + 3.0 + 0.375 - 5.0
    assert _read(outer) == (expected, True, False, table.shape, table.strides)
    assert table[0, 1] == expected


@helper
def _in_a_closure(x: int) -> int:
    def twice(y: int) -> int:
        return 2 * y

    return twice(x) + len([i for i in range(x) if i % 2])


@kernel
def _arrays(a: NDArray[np.float64], b: NDArray[np.int64]) -> float:
    c = a * 2.0 + b - a[0]
    c[1:] = 7.0
    d = np.array([float(x) for x in b])
    return float(c.sum() + d[1] + _in_a_closure(3) + _in_a_closure(np.int64(b[0])))


def test_steps_that_are_needed_are_not_left_out() -> None:
    a, b = np.array([1.0, 2.5]), np.array([3, 4])
    assert _arrays(a, b) == _arrays.py_func(a, b)  # type: ignore[attr-defined]


@kernel
def _cube(x: int) -> int:
    return x * x * x


@kernel
def _sum_of_cubes(n: int) -> int:
    return sum([_cube(i) for i in range(n)])


def test_a_kernel_that_another_one_calls_is_part_of_it() -> None:
    assert _sum_of_cubes(4) == 36
    assert not _cube.overloads  # type: ignore[attr-defined]
    assert _cube(3) == 27
    assert len(_cube.overloads) == 1  # type: ignore[attr-defined]


def _numba_itself() -> tuple[Any, ...]:
    target = cpu_target.target_context
    return list(ffi.lib._lock._cblist), postproc.PostProcessor.run, target.refresh, target.typing_context.refresh


@numba.njit
def _squares(n: int) -> Any:
    for i in range(n):
        yield i * i


@kernel
def _of_a_generator(n: int) -> int:
    total = 0
    for square in _squares(n):
        total += square
    return total


@kernel
def _does_not_compile(n: int) -> int:
    return n.nothing  # type: ignore[attr-defined, no-any-return]


def _by_the_interpreter(n: int) -> int:
    total = 0
    for i in range(n):
        total += len(str([i]))
    return total


def test_numba_stays_as_it_was() -> None:
    before = _numba_itself()
    assert _of_a_generator(4) == 14
    with pytest.raises(numba.TypingError):
        _does_not_compile(1)
    assert _numba_itself() == before
    assert numba.jit(forceobj=True, looplift=False)(_by_the_interpreter)(3) == 9


def test_machine_code_that_can_wait() -> None:
    done: list[str] = []
    with compiled_later() as waiting:
        compiled(lambda: done.append("later"))
    compiled(lambda: done.append("now"))
    assert done == ["now"]
    waiting[0]()
    assert done == ["now", "later"]


@pytest.mark.parametrize("beside", [True, False])
def test_an_opponent_is_compiled_by_the_first_evaluation(beside: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    compilations: list[MctsTree] = []
    monkeypatch.setattr(MctsTree, "compile", lambda tree: compilations.append(tree))  # noqa: PLW0108 (bound)
    monkeypatch.setattr("boardlab.lab.planning.cores", lambda: 2)
    wish = TrainingWish(game="nimm3", against="mcts:iterations=10", evaluation_games=2)
    agent = new_learner(make("nimm3"), wish)
    plan = make_plan(agent, wish, Stop(), beside=beside)
    compile_training(agent, plan)
    assert len(compilations) == (0 if beside else 1)
    assert plan.evaluate is not None
    plan.evaluate(agent)
    plan.evaluate(agent)
    assert len(compilations) == 1
    assert isinstance(compilations[0], MctsTree)
