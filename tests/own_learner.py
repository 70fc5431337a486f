"""A learner of a user's own, in plain Python: what each value of each cell is worth, learned from random games.

It has no n-tuples, no rule and no epsilon: whoever handles it knows only what `LearningAgent` promises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from boardlab.agents.learning import LearningAgent
from boardlab.components.models import read_model
from boardlab.game import Game
from boardlab.learn.learner import Counts
from boardlab.position import Position
from boardlab.rng import Rng, make_rng, random_below


class CellWorth(LearningAgent):
    """Learns what a value of a cell is worth to the first player, from random games."""

    name = "cell-worth"

    class Parameters(LearningAgent.Parameters):
        """Its options."""

        episodes: int = Field(200, ge=1, le=10**9, description="how many games")
        alpha: float = Field(0.05, gt=0, le=1e9, description="step size")
        seed: int = Field(1, ge=0, le=999_999_999_999, description="all of the training follows from it")

    class Facts(LearningAgent.Facts):
        """Besides the episodes, how long the games were."""

        moves: int = Field(ge=0)

    parameters: Parameters

    def setup(self) -> None:
        self._episodes = self._moves = 0
        self.worth = np.zeros((self.game.num_cells, int(self.game.cell_values().max())))

    def choose(self, position: Position, rng: Rng) -> int:
        values = self.values(position)
        best = max(values.values())
        ties = [action for action, value in values.items() if value == best]
        return ties[random_below(rng, len(ties))]

    def values(self, position: Position) -> dict[int, float]:
        sign = 1 if position.player == 0 else -1
        return {action: sign * self._value(position.copy().play(action)) for action in position.legal_actions}

    def _value(self, position: Position) -> float:
        return float(self.worth[np.arange(len(position.cells)), position.cells].sum())

    # ------------------------------------------------------------ learning

    @property
    def episodes(self) -> int:
        return self._episodes

    def train(self, episodes: int, threads: int = 1) -> Counts:
        games = []
        for number in range(self._episodes, self._episodes + episodes):
            rng, position = make_rng(self.parameters.seed, number), self.game.start()
            while not position.is_over:
                actions = position.legal_actions
                position.play(actions[random_below(rng, len(actions))])
            games.append([event.number for event in position.history])
        return self.learn_from(games, [[]] * episodes)

    def learn_from(self, games: Sequence[Sequence[int]], chance: Sequence[Sequence[int]]) -> Counts:
        for actions in games:
            position = self.game.start()
            for action in actions:
                position.play(action)
            rest = position.scores[0] - self._value(position)
            places = np.arange(len(position.cells)), position.cells
            with np.errstate(over="ignore", invalid="ignore"):
                self.worth[places] += self.parameters.alpha * rest
        moves = sum(map(len, games))
        self._episodes += len(games)
        self._moves += moves
        return Counts(len(games), moves, 0)

    def rates(self, first: int, count: int) -> dict[str, NDArray[np.float64]]:
        return {"alpha": np.full(count, self.parameters.alpha), "doubt": 1.0 / (1.0 + np.arange(first, first + count))}

    def compile(self) -> None:
        """Nothing is compiled."""

    @property
    def memory_needed(self) -> int:
        return self.worth.nbytes

    @property
    def summary(self) -> str:
        return f"{self.worth.size} values of cells"

    # ------------------------------------------------------------ what was learned

    def weights(self) -> dict[str, NDArray[Any]]:
        return {"weights": self.worth}

    def step_sizes(self) -> NDArray[np.floating[Any]] | None:
        return np.linspace(0.0, 1.0, 101) / (1 + self._episodes)

    def weight_table(self) -> list[tuple[str, list[float]]]:
        return [(f"cell {k}", row.tolist()) for k, row in enumerate(self.worth)]

    # ------------------------------------------------------------ files

    def dump(self) -> tuple[Facts, dict[str, NDArray[Any]]]:
        return self.Facts(episodes=self._episodes, moves=self._moves), {"weights": self.worth}

    @classmethod
    def restored(cls, game: Game, parameters: dict[str, Any], facts: Facts, array: Callable[..., NDArray[Any]]) -> Self:
        agent = cls(game, **read_model(cls.Parameters, parameters, cls.name).model_dump())
        agent._episodes, agent._moves = facts.episodes, facts.moves
        agent.worth[:] = array("weights", np.float64, agent.worth.size).reshape(agent.worth.shape)
        return agent

    @classmethod
    def described(cls, facts: Facts, shape: Callable[[str, type[np.generic]], tuple[int, ...]]) -> dict[str, str]:
        cells, values = shape("weights", np.float64)
        return {"weights": f"{values} values of {cells} cells"}
