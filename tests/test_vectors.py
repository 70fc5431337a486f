"""Numbers that are taken out of tables and put back, side by side, by vector instructions of this processor and without
them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from partial_sums import partial_sums
from vector_kernel import ADDED, COUNT, LENGTH, PARTS, SPARE, equal_numbers, given, results


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "compiled"])
def out(request: pytest.FixtureRequest) -> Any:
    return results(request.param)


def test_numbers_are_taken_and_put_back(out: Any) -> None:
    table, whole, pairs, index, *_ = given()
    assert np.array_equal(out.side[:COUNT], table[index])
    assert np.array_equal(out.places[:COUNT], whole[index])
    assert np.array_equal(np.stack([out.first, out.second], 1)[:COUNT], pairs[index])
    assert np.array_equal(out.table[index], table[index])
    assert np.array_equal(out.pairs[index], pairs[index])
    others = np.setdiff1d(np.arange(len(table)), index)
    assert not out.table[others].any() and not out.pairs[others].any()


def test_sums_are_made_of_partial_ones(out: Any) -> None:
    table, _, pairs, index, *_ = given()
    numbers, first = table[index], pairs[index, 0]
    products, differences = first * numbers, numbers - first
    expected = [partial_sums(n, 4) for n in (numbers, products, differences)] + [partial_sums(numbers, 8)]
    assert out.sums.tolist() == [float(n) for n in expected]
    assert out.dot[0] == out.sums[1] != 0.0


def test_chosen_numbers_stand_side_by_side(out: Any) -> None:
    """Behind what is there already, or in their own array."""
    _, whole, _, _, chosen, *_ = given()
    expected = whole[chosen]
    assert out.ends.tolist() == [2 + len(expected), len(expected)]
    assert np.array_equal(out.selected[: out.ends[0]], [0, 0, *expected])
    assert np.array_equal(out.same[: out.ends[1]], expected)


def test_the_first_of_equal_numbers_gets_all_hits(out: Any) -> None:
    """Eight at a time; those of another eight are others."""
    for k in range(0, len(out.equal), 8):
        numbers = equal_numbers()[k : k + 8].tolist()
        first = [number not in numbers[:i] for i, number in enumerate(numbers)]
        assert out.equal[k : k + 8].tolist() == [n if new else SPARE for n, new in zip(numbers, first, strict=True)]
        assert out.hits[k : k + 8].tolist() == [-numbers.count(n) * new for n, new in zip(numbers, first, strict=True)]
    assert 0 < np.count_nonzero(out.hits) < len(out.hits)


def test_rows_are_added_as_often_as_told(out: Any) -> None:
    *_, index, _, rows, factors = given()
    expected = [k + sum(int(factors[j]) * int(rows[index[j], k]) for j in range(ADDED)) for k in range(LENGTH)]
    assert out.after.tolist() == expected
    assert out.unchanged.tolist() == list(range(LENGTH))


def test_lanes_are_taken_and_put_back(out: Any) -> None:
    table, _, pairs, index, *_ = given()
    places = index[2:18]
    assert np.array_equal(out.moved[places], 3 * table[places])
    assert np.array_equal(out.moved_pairs[places], pairs[places] + np.float32([0, 1]))
    assert np.count_nonzero(out.moved) == len(places)


def test_runs_are_parted_by_what_stands_at_their_entries(out: Any) -> None:
    whole = given()[1]
    same = [r for r in range(PARTS[-1]) if whole[out.entries[r]] == out.runs[r]]
    others = [r for r in range(PARTS[-1]) if r not in same]
    assert 0 < len(others) < len(same)
    assert out.parted.tolist() == [sum(r < end for r in same) for end in PARTS[1:]]
    assert np.array_equal(out.kept[: len(same)], out.entries[same])
    assert np.array_equal(out.going[: len(same)], out.runs[same])
    assert np.array_equal(out.ended[: len(others)], out.runs[others])


def test_code_for_any_processor_gives_the_same(tmp_path: Path) -> None:
    variables = {"NUMBA_CPU_NAME": "generic", "BOARDLAB_CACHE_DIR": str(tmp_path)}
    program = Path(__file__).with_name("vector_kernel.py")
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, check=True, env={**os.environ, **variables}
    )
    assert done.stdout.split() == ["False", results(compiled=True).tobytes().hex()]
