"""What an agent is that learns: the lab trains it, a file keeps it, the arena looks into it. Store, lab, command line,
arena and measurements know no other class.

Besides `choose` and `values` of every agent, a learner says how it learns (`train`, `learn_from`, `rates`), what it has
learned (`weights`, `step_sizes`), what there is to see in it (`tuple_views`, `weight_table`), and how it is kept:
`Facts` is its own part of the agent file, `dump` fills it, and `restored` makes the agent again.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from boardlab.agents.base import Agent
from boardlab.agents.tuple_views import TupleViews
from boardlab.components.component import Component
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.learn.learner import Counts
from boardlab.store import Part, write_agent_file
from boardlab.store.weights_file import read_weights, write_weights

__all__ = ["LearningAgent"]


class LearningAgent(Agent):
    """Base class of agents that learn by self-play."""

    class Parameters(Agent.Parameters):
        """The options of a learner, which declares these two where it wants them, with their defaults."""

        if TYPE_CHECKING:
            episodes: int
            seed: int

    class Facts(Part):
        """What the agent has become by training, besides its arrays: its own part of `agent.json`, to which it adds
        what it needs. Read strictly, as files come from anywhere."""

        episodes: int = Field(ge=0, le=10**12)

    parameters: Parameters
    history: dict[str, Any]
    """What its training did, as the lab writes it down (`boardlab.history_of` reads it); the agent only keeps it."""
    kind: str
    """What a file says to find the class again: its name, or `path/to/file.py:Class`."""

    def __new__(cls, *arguments: object, **settings: object) -> Self:
        agent = super().__new__(cls, *arguments, **settings)
        agent.history, agent.kind = {}, cls.name
        return agent

    @classmethod
    def components(cls) -> Mapping[str, Mapping[str, type[Component]]]:
        """The parameters whose text is a component with parameters of its own, as `rule=tcl-exp:beta=2`, each with the
        classes that there are by name. Forms offer them, and tell their parameters."""
        return {}

    # ------------------------------------------------------------ learning

    @property
    @abstractmethod
    def episodes(self) -> int:
        """Episodes learned so far."""

    @abstractmethod
    def train(self, episodes: int, threads: int = 1) -> Counts:
        """Learn from so many more episodes of self-play."""

    def check_threads(self, threads: int) -> None:
        """Say so, in a `BoardlabError`, where it cannot learn with so many threads; asked before a training begins."""

    def learn_from(self, games: Sequence[Sequence[int]], chance: Sequence[Sequence[int]]) -> Counts:
        """Learn from games that others have played, one episode each: `games` has the actions of each game from its
        start, `chance` the outcomes of its chance events, both in the order in which they happened."""
        raise BoardlabError(f"{self.name} learns by self-play only, not from recorded games")

    @abstractmethod
    def rates(self, first: int, count: int) -> dict[str, NDArray[np.float64]]:
        """What changes with the episodes, by name (alpha, epsilon): its value in each of the episodes
        first..first+count-1, float64 of shape (count,)."""

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

    def step_size_words(self) -> str:
        """What a training that has diverged needs smaller, as `alpha than 3.7`."""
        alpha = getattr(self.parameters, "alpha", None)
        return "step size" if alpha is None else f"alpha than {alpha:g}"

    def snapshot(self) -> Self | None:
        """The agent as it is now, to be measured while this one learns on; it need not be able to learn. None where
        learning has to wait for that."""
        return None

    # ------------------------------------------------------------ what was learned

    @abstractmethod
    def weights(self) -> dict[str, NDArray[Any]]:
        """All learned weights in arrays of floats, by name. They are the agent's own: whoever writes into them changes
        it."""

    def step_sizes(self) -> NDArray[np.floating[Any]] | None:
        """The step sizes that single weights have, or their factors of alpha, of some thousand weights that learning
        has touched; None where all weights have the same."""
        return None

    def weight_table(self) -> list[tuple[str, list[float]]] | None:
        """The weights of features by the names of these, one for each output; None where weights have no names."""
        return None

    def tuple_views(self) -> TupleViews | None:
        """Its n-tuples with their look-up tables; None where it has none."""
        return None

    # ------------------------------------------------------------ files

    def export_weights(self, path: Path | str) -> None:
        """Write the weights alone to a NumPy archive (`.npz`), for other programs."""
        write_weights(Path(path), self.weights())

    def import_weights(self, path: Path | str) -> None:
        """Take the weights of such a file, whose arrays must have the names and shapes of this agent's."""
        mine = self.weights()
        for name, array in read_weights(Path(path), mine).items():
            mine[name][...] = array

    def save(self, path: Path | str) -> None:
        """Write the agent with its history to a file, from which `load_agent` makes it again, to play or to go on
        learning. The file is whole at any time."""
        facts, arrays = self.dump()
        parameters = self.parameters.model_dump(mode="json")
        write_agent_file(
            Path(path), self.kind, parameters, self.game.spec, facts.model_dump(mode="json"), self.history, arrays
        )

    @abstractmethod
    def dump(self) -> tuple[Facts, dict[str, NDArray[Any]]]:
        """What must be kept besides game and parameters: facts for JSON, and arrays."""

    @classmethod
    @abstractmethod
    def restored(cls, game: Game, parameters: dict[str, Any], facts: Any, array: Callable[..., NDArray[Any]]) -> Self:
        """The agent that `dump` described. `facts` is an object of its class `Facts`; `array(name, dtype, most)` gives
        an array of at most `most` numbers."""

    @classmethod
    def described(cls, facts: Any, shape: Callable[[str, type[np.generic]], tuple[int, ...]]) -> dict[str, str]:
        """What to tell of an agent file, in words by title, as `weights`. Nothing is loaded for it:
        `shape(name, dtype)` gives the shape of an array of the file."""
        return {}
