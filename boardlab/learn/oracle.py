"""Who knows the worth of a position, for episodes that end after some moves with what perfect play would bring instead
of being played to their end ("reward after x moves" of Thill 2015). By default nobody knows anything; the oracles of
games that can be solved are in `boardlab.solvers.oracle`. An oracle is compiled into the episodes of those who use it,
and only of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import Compilable
from boardlab.game import State

__all__ = ["Oracle"]


class Oracle(Compilable):
    """Knows nothing, so that every game is played to its end."""

    def value(self, game: Any, s: State, out: NDArray[np.float64]) -> bool:
        """Write what every player scores in the end if all play perfectly from `s` on to `out`, float64 of shape
        (num_players,), and return True; in a finished game these are the scores. False where it cannot tell; `out` may
        then hold anything. The position stays as it is."""
        return False

    def for_thread(self) -> Oracle:
        """The same oracle for another thread, which may ask it at the same time. Python only."""
        return self
