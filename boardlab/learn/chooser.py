"""How moves are chosen in self-play, before the values of afterstates decide: by default not at all. A search derives
from `Chooser` (`boardlab.search.self_play`); it is compiled into the episodes of those who use it, and only of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import Compilable
from boardlab.game import State
from boardlab.rng import Rng

__all__ = ["Chooser"]


class Chooser(Compilable):
    """Leaves all legal actions to the learner, who takes the one with the best afterstate."""

    def narrow(self, game: Any, s: State, actions: NDArray[np.int64], n: int, rng: Rng) -> int:
        """Put those of the n legal actions of position `s` that may be played to the front of `actions`; return how
        many they are."""
        return n
