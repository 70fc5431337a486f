"""Schedules of alpha and epsilon: where they start and end, how they go between, and in pieces."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boardlab import BoardlabError
from boardlab.learn.schedules import schedule

SHAPES = ("constant", "linear", "exponential", "sigmoidal")


def test_constant() -> None:
    assert schedule("constant", 0.3, 0.1, 10, 0, 4).tolist() == [0.3] * 4


def test_linear() -> None:
    assert schedule("linear", 1.0, 0.0, 5, 0, 5).tolist() == pytest.approx([1.0, 0.75, 0.5, 0.25, 0.0])


def test_exponential_has_a_constant_ratio() -> None:
    values = schedule("exponential", 0.004, 0.002, 50, 0, 50)
    assert (values[0], values[-1]) == (pytest.approx(0.004), pytest.approx(0.002))
    assert values[1:] / values[:-1] == pytest.approx(0.5 ** (1 / 49))


def test_sigmoidal_falls_in_the_middle() -> None:
    """A logistic curve from -5 to 5, stretched so that it hits start and end."""
    values = schedule("sigmoidal", 2.0, 1.0, 101, 0, 101)
    assert (values[0], values[50], values[-1]) == (pytest.approx(2.0), pytest.approx(1.5), pytest.approx(1.0))
    assert values + values[::-1] == pytest.approx(3.0)
    falls = -np.diff(values)
    assert falls[50] == max(falls) and falls[50] > 20 * falls[0]
    logistic = [1 / (1 + math.exp(-0.1 * k)) for k in range(-50, 51)]
    assert np.diff(values) / np.diff(values)[50] == pytest.approx(np.diff(logistic) / np.diff(logistic)[50])


@pytest.mark.parametrize("shape", SHAPES)
def test_pieces_fit_together(shape: str) -> None:
    whole = schedule(shape, 1.0, 0.5, 100, 0, 120)
    pieces = [schedule(shape, 1.0, 0.5, 100, first, 30) for first in range(0, 120, 30)]
    assert np.array_equal(np.concatenate(pieces), whole)
    assert whole.dtype == np.float64


@pytest.mark.parametrize("shape", SHAPES[1:])
def test_beyond_the_total_it_stays_at_the_end(shape: str) -> None:
    assert schedule(shape, 1.0, 0.5, 10, 9, 50) == pytest.approx(0.5)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_single_episode_has_the_start_value(shape: str) -> None:
    assert schedule(shape, 1.0, 0.5, 1, 0, 1) == pytest.approx(1.0)


@pytest.mark.parametrize(("start", "end"), [(0.0, 1.0), (1.0, 0.0), (-1.0, 1.0)])
def test_an_exponential_schedule_cannot_touch_0(start: float, end: float) -> None:
    with pytest.raises(BoardlabError, match=f"between numbers above 0, not from {start:g} to {end:g}"):
        schedule("exponential", start, end, 10, 0, 10)
