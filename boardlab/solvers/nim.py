"""Nim by theory (Bouton 1901): the player to move loses exactly when the nim-sum of the heaps is 0."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import xor

__all__ = ["nim_sum", "nim_value"]


def nim_sum(heaps: Sequence[int]) -> int:
    """The exclusive or of the heap sizes."""
    return reduce(xor, heaps, 0)


def nim_value(heaps: Sequence[int]) -> float:
    """What the player to move scores if both play perfectly and who takes the last stone wins: 1 or -1."""
    return 1.0 if nim_sum(heaps) else -1.0
