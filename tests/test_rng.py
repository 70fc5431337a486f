"""The random numbers are xoshiro256++ seeded by splitmix64, and behave like random numbers."""

from __future__ import annotations

import numpy as np
import pytest

from boardlab.rng import fresh_seed, make_rng, random_below, random_bits, random_float

MASK = (1 << 64) - 1


def rotated(x: int, k: int) -> int:
    return ((x << k) | (x >> (64 - k))) & MASK


def reference(state: list[int], count: int) -> list[int]:
    """xoshiro256++ in plain integers, as its authors describe it."""
    a, b, c, d = state
    numbers = []
    for _ in range(count):
        numbers.append((rotated((a + d) & MASK, 23) + a) & MASK)
        shifted = (b << 17) & MASK
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = rotated(d, 45)
    return numbers


def test_published_values() -> None:
    """The first numbers from the state 1, 2, 3, 4, and splitmix64 from the seed 1234567."""
    rng = np.array([1, 2, 3, 4], np.uint64)
    expected = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]
    assert [int(random_bits(rng)) for _ in range(5)] == expected == reference([1, 2, 3, 4], 5)
    words = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert make_rng(1234567).tolist() == words


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**63 + 5])
def test_all_numbers_are_those_of_the_reference(seed: int) -> None:
    rng = make_rng(seed)
    start = [int(x) for x in rng]
    assert [int(random_bits(rng)) for _ in range(1000)] == reference(start, 1000)


def test_below_and_float_are_the_upper_bits() -> None:
    rng, other = make_rng(8), make_rng(8)
    bits = reference([int(x) for x in rng], 200)
    assert [int(random_below(rng, 1000)) for _ in range(200)] == [((x >> 32) * 1000) >> 32 for x in bits]
    assert [float(random_float(other)) for _ in range(200)] == [(x >> 11) / 2**53 for x in bits]


@pytest.mark.parametrize("n", [1, 2, 6, 7, 100])
def test_below_is_uniform(n: int) -> None:
    rng = make_rng(11)
    draws = 2000 * n
    counts = np.bincount([random_below(rng, n) for _ in range(draws)], minlength=n)
    assert len(counts) == n
    chi_square = float(((counts - 2000) ** 2 / 2000).sum())
    assert chi_square < (n - 1) + 6 * np.sqrt(2 * (n - 1)) + 1e-9


def test_floats_fill_the_unit_interval() -> None:
    rng = make_rng(12)
    numbers = np.array([random_float(rng) for _ in range(20_000)])
    assert numbers.min() >= 0.0 and numbers.max() < 1.0
    assert abs(numbers.mean() - 0.5) < 6 * np.sqrt(1 / 12 / 20_000)
    counts = np.histogram(numbers, 20, (0.0, 1.0))[0]
    assert float(((counts - 1000) ** 2 / 1000).sum()) < 19 + 6 * np.sqrt(38)


def test_streams_of_a_seed_differ() -> None:
    states = {make_rng(seed, stream).tobytes() for seed in range(50) for stream in range(50)}
    assert len(states) == 2500
    assert make_rng(3).tobytes() == make_rng(3, 0).tobytes()


def test_seeds() -> None:
    with pytest.raises(ValueError, match="a seed is a whole number from 0 on, not -1"):
        make_rng(-1)
    seeds = {fresh_seed() for _ in range(20)}
    assert len(seeds) > 15 and all(0 <= seed < 2**31 for seed in seeds)
