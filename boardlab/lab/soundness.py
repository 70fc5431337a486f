"""Whether a training still learns anything: step sizes that are too large make weights grow without end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.agents.learning import LearningAgent
from boardlab.errors import BoardlabError

__all__ = ["Soundness", "TrainingDiverged"]

_LARGEST = 1e15
"""No weight that means anything is as large; float32 ends at 3e38."""
_AT_ONCE = 1 << 18
"""Weights that one look takes in: well below a thousandth of a second."""


class TrainingDiverged(BoardlabError):
    """Weights are no longer finite numbers; what was learned is worth nothing and is not to be saved."""


class Soundness:
    """Looks at the weights of an agent between two stretches of training: at all of them where they are few, else at
    every k-th one, and the next time at those beside it."""

    def __init__(self, agent: LearningAgent) -> None:
        self.agent = agent
        self._looks = 0

    def require(self, *, everywhere: bool = False) -> None:
        """Raise TrainingDiverged where a weight is no sane number: one of those that are looked at now, or any."""
        arrays = self.agent.weights().values()
        self._looks += 1
        if not all(_is_sane(array if everywhere else self._sample(array)) for array in arrays):
            raise TrainingDiverged(
                f"the training has diverged after {self.agent.episodes:,} episodes: some weights are no longer finite"
                f" numbers; take a smaller {self.agent.step_size_words()}"
            )

    def _sample(self, array: NDArray[Any]) -> NDArray[Any]:
        step = -(-array.size // _AT_ONCE) or 1
        return array[..., self._looks % step :: step]


def _is_sane(numbers: NDArray[Any]) -> bool:
    """Whether all are finite and not too large; a comparison with NaN is never true."""
    return numbers.size == 0 or bool(np.max(numbers) < _LARGEST and np.min(numbers) > -_LARGEST)
