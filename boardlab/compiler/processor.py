"""What the processor can do that LLVM does not use by itself.

LLVM keeps to registers of 256 bits on processors of Intel, since the first ones with 512 bits ran slower when they were
used, and it takes numbers that lie all over a table one by one. A person who tells Numba of another processor, by
`NUMBA_CPU_NAME`, `NUMBA_CPU_FEATURES` or `NUMBA_ENABLE_AVX`, gets code for that one.
"""

from __future__ import annotations

from llvmlite import binding
from numba.core import config

__all__ = ["COMPRESSES", "CONFLICTS", "GATHERS", "PERMUTES", "use_wide_registers"]

_IS_THIS_ONE = config.CPU_NAME is None and config.CPU_FEATURES is None and bool(config.ENABLE_AVX)


def _features() -> dict[str, bool]:
    try:
        return dict(binding.get_host_cpu_features()) if _IS_THIS_ONE else {}
    except RuntimeError:  # LLVM does not know this processor
        return {}


_FEATURES = _features()

GATHERS = _FEATURES.get("avxvnni", False) and not binding.get_host_cpu_name().startswith("znver")
"""Whether one instruction takes eight numbers out of a table faster than eight do. Not so on processors of AMD, and not
on those of Intel on which it had to be slowed down for safety, which are all older than `avxvnni`."""

COMPRESSES = _FEATURES.get("avx512f", False)
"""Whether one instruction moves chosen numbers of a register side by side."""

CONFLICTS = _FEATURES.get("avx512cd", False) and _FEATURES.get("avx512vl", False)
"""Whether one instruction compares each number of a register with all that come before it."""

PERMUTES = _FEATURES.get("avx512vbmi", False) and _FEATURES.get("avx512bw", False)
"""Whether one instruction takes 64 bytes from anywhere in a register."""


def use_wide_registers() -> None:
    """Compile for 512 bits from now on, where that has no price: from Ice Lake on. (Othello learns 1.1 times as fast,
    other games up to 1.02 times.)"""
    if _FEATURES.get("avx512vbmi2", False):
        config.CPU_FEATURES = f"{binding.get_host_cpu_features().flatten()},-prefer-256-bit"
