"""What an agent is that learns: the lab trains it, a file keeps it. Lab, command line and arena know no other class."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from boardlab.agents.base import Agent
from boardlab.game import Game
from boardlab.learn.learner import Counts
from boardlab.store import write_agent_file

__all__ = ["LearningAgent"]


class LearningAgent(Agent):
    """Base class of agents that learn by self-play."""

    class Parameters(Agent.Parameters):
        """The options of a learner, which declares these two where it wants them, with their defaults."""

        if TYPE_CHECKING:
            episodes: int
            seed: int

    parameters: Parameters
    history: dict[str, Any]
    """What its training did, as the lab writes it down (`boardlab.history_of` reads it); the agent only keeps it."""

    def __new__(cls, *arguments: object, **settings: object) -> Self:
        agent = super().__new__(cls, *arguments, **settings)
        agent.history = {}
        return agent

    # ------------------------------------------------------------ learning

    @property
    @abstractmethod
    def episodes(self) -> int:
        """Episodes learned so far."""

    @abstractmethod
    def train(self, episodes: int, threads: int = 1) -> Counts:
        """Learn from so many more episodes of self-play."""

    @abstractmethod
    def rates(self, first: int, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Alpha and epsilon of the episodes first..first+count-1, float64 of shape (count,)."""

    @abstractmethod
    def compile(self) -> None:
        """Load the machine code of training, or compile it."""

    @property
    @abstractmethod
    def memory_needed(self) -> int:
        """Bytes of what is learned."""

    @property
    @abstractmethod
    def summary(self) -> str:
        """What it learns with, how much of it there is, and by which rule, in a line."""

    # ------------------------------------------------------------ files

    def save(self, path: Path | str) -> None:
        """Write the agent with its history to a file, from which `load_agent` makes it again, to play or to go on
        learning. The file is whole at any time."""
        facts, arrays = self.dump()
        parameters = self.parameters.model_dump(mode="json")
        write_agent_file(Path(path), self.name, parameters, self.game.spec, facts, self.history, arrays)

    @abstractmethod
    def dump(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What must be kept besides game and parameters: facts for JSON, and arrays."""

    @classmethod
    @abstractmethod
    def restored(
        cls, game: Game, parameters: dict[str, Any], facts: dict[str, Any], array: Callable[..., NDArray[Any]]
    ) -> Self:
        """The agent that `dump` described. `array(name, dtype, most)` gives an array of at most `most` numbers."""
