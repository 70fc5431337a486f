"""Random numbers for compiled code: a xoshiro256++ state in a `uint64[4]` array that is passed along.

The same seed gives the same numbers in every process and on every machine. A draw takes about 3 ns;
`numpy.random.Generator` needs 40 ns for the same inside compiled code.
"""

from __future__ import annotations

import secrets

import numpy as np
from numpy.typing import NDArray

from boardlab.arguments import shown, whole_number
from boardlab.compiler import kernel
from boardlab.errors import BoardlabError
from boardlab.system.machine import own_copy

__all__ = [
    "Rng",
    "derived_seed",
    "fresh_seed",
    "make_rng",
    "make_rngs",
    "random_below",
    "random_bits",
    "random_float",
    "require_rng",
]

Rng = NDArray[np.uint64]

_MASK = (1 << 64) - 1
_STREAM = 0xD1342543DE82EF95
_DTYPE, _SHAPE = np.dtype(np.uint64), (4,)


def fresh_seed() -> int:
    """A seed nobody chose, small enough to be typed again."""
    return secrets.randbelow(1 << 31)


def derived_seed(seed: int, number: int) -> int:
    """A seed for each number, which anyone can find again who knows both: as small as one that nobody chose."""
    return int(make_rng(seed, number)[0] >> np.uint64(33))


def make_rng(seed: int, stream: int = 0) -> Rng:
    """The generator state of `seed`; different streams of one seed are independent of each other."""
    seed, stream = whole_number(seed, "a seed", 0), whole_number(stream, "a stream of a seed", 0)
    x = (seed ^ (stream * _STREAM)) & _MASK
    words = []
    for _ in range(4):  # splitmix64, the seeding that the authors of xoshiro recommend
        x = (x + 0x9E3779B97F4A7C15) & _MASK
        z = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        words.append(z ^ (z >> 31))
    return own_copy(np.array(words, dtype=np.uint64))


def make_rngs(seed: int | NDArray[np.uint64], streams: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The generator states of many streams, shape (*streams.shape, 4): what `make_rng` makes of each, all at once. They
    are streams of one seed, or of as many seeds."""
    if not isinstance(seed, np.ndarray):
        seed = np.array(whole_number(seed, "a seed", 0) & _MASK, np.uint64)
    words = np.empty((*streams.shape, 4), np.uint64)
    x = seed ^ (streams.astype(np.uint64) * np.uint64(_STREAM))
    for word in range(4):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        z = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        words[..., word] = z ^ (z >> np.uint64(31))
    return words


def require_rng(rng: Rng) -> None:
    """Refuse random numbers that are not ours: compiled code cannot use them."""
    if type(rng) is not np.ndarray or rng.dtype != _DTYPE or rng.shape != _SHAPE or not rng.flags.carray:
        raise BoardlabError(f"random numbers come from make_rng, as rng = make_rng(seed=1), not from {shown(rng)}")


@kernel
def random_bits(rng: Rng) -> int:
    """64 random bits."""
    a, b, c, d = rng[0], rng[1], rng[2], rng[3]
    total = a + d
    result = ((total << np.uint64(23)) | (total >> np.uint64(41))) + a
    c ^= a
    d ^= b
    rng[0] = a ^ d
    rng[1] = b ^ c
    rng[2] = c ^ (b << np.uint64(17))
    rng[3] = (d << np.uint64(45)) | (d >> np.uint64(19))
    return result  # type: ignore[no-any-return]


@kernel
def random_below(rng: Rng, n: int) -> int:
    """A number in 0..n-1, for n below 2^31 (multiply and shift; the bias is below n / 2^32)."""
    return np.int64(((random_bits(rng) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))  # type: ignore[return-value]


@kernel
def random_float(rng: Rng) -> float:
    """A number in [0, 1)."""
    return np.float64(random_bits(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
