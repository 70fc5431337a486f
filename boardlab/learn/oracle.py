"""The perfect player's opinion inside of self-play. Solvers derive from it; here it has none."""

from __future__ import annotations

from typing import Any

from boardlab.compiler import Compilable

__all__ = ["Oracle"]


class Oracle(Compilable):
    """Knows nothing."""

    def value(self, game: Any, s: Any, out: Any) -> bool:
        """Write the perfect game value of a position for every player; whether it is known."""
        return False
