"""Bench, the positional player of Othello that published results are measured against: it looks one ply ahead and adds
up what the cells are worth. The weights are those that co-evolution found for "BENCH", as in GBG
(Konen 2017); row 1 first.

GBG's own Bench has a slip: it takes the discs of the player who is not to move after its action for its own. That is
wrong where the opponent has to pass, and where the game is over. The published results were measured so, which
`waiting` repeats; it costs Bench about one game in a hundred."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from boardlab.agents.base import Agent
from boardlab.compiler import kernel
from boardlab.compiler.errors import readable_compile_errors
from boardlab.compiler.later import compiled
from boardlab.game import Game, State
from boardlab.position import Position
from boardlab.rng import Rng, random_below
from boardlab.search.player import Player, draw_best

__all__ = ["CELL_WEIGHTS", "OthelloPositional"]

CELL_WEIGHTS = np.array(
    [
        [80, -26, 24, -1, -5, 28, -18, 76],
        [-23, -39, -18, -9, -6, -8, -39, -1],
        [46, -16, 4, 1, -3, 6, -20, 52],
        [-13, -5, 2, -1, 4, 3, -12, -2],
        [-5, -6, 1, -2, -3, 0, -9, -5],
        [48, -13, 12, 5, 0, 5, -24, 41],
        [-27, -53, -11, -1, -11, -16, -58, -15],
        [87, -25, 27, -1, 5, 36, -3, 100],
    ],
    np.float64,
)


class OthelloPositional(Agent):
    """Plays Othello looking one ply ahead: it chooses the action after which its own discs are on better cells than the
    opponent's."""

    name = "othello-positional"
    former_names = ("bench-othello",)
    greedy = True

    class Parameters(Agent.Parameters):
        """Whose discs count as its own."""

        waiting: bool = Field(
            False,
            description="as in GBG, it takes the discs of the player who is not to move afterwards for its own, which"
            " is wrong where the opponent has to pass, and at the end",
        )

    parameters: Parameters

    @classmethod
    def refusal(cls, game: Game) -> str | None:
        if game.name != "othello" or game.num_cells != CELL_WEIGHTS.size:
            return f"{cls.name} plays Othello on the board of 8 x 8, not {game.spec}"
        return None

    def setup(self) -> None:
        self.states = np.zeros(2, self.game.state)
        self.sums = np.zeros(self.game.num_actions)
        self.actions = np.zeros(self.game.num_actions, np.int64)
        compiled(self._compile)

    def _compile(self) -> None:
        with readable_compile_errors(self.game):
            self._weigh(self.game.start())

    def choose(self, position: Position, rng: Rng) -> int:
        """The action with the highest sum; of several, any."""
        sums = self._weigh(position)
        top = max(sums.values())
        best = [action for action, total in sums.items() if total == top]
        return best[random_below(rng, len(best))]

    def player(self) -> Player:
        return _PositionalPlayer(self.game, self.parameters.waiting)

    def values(self, position: Position) -> dict[int, float]:
        """The sums of cell weights; no expected scores, but they order the actions."""
        return self._weigh(position)

    def _weigh(self, position: Position) -> dict[int, float]:
        self.states[0] = position.state
        waiting = self.parameters.waiting
        n = _weigh_actions(self.game, self.states, CELL_WEIGHTS.ravel(), waiting, self.actions, self.sums)
        return {int(a): float(total) for a, total in zip(self.actions[:n], self.sums[:n], strict=True)}


@kernel
def _weigh_actions(
    game: Any,
    states: Any,
    weights: NDArray[np.float64],
    waiting: bool,
    actions: NDArray[np.int64],
    sums: NDArray[np.float64],
) -> int:
    """For each action of states[0] the weights of the mover's cells (or, afterwards, of the one who is `waiting`) minus
    those of the opponent's; returns how many actions there are. Cell values 0 and 1 are the discs of the two players.
    """
    cells = np.empty(game.num_cells, np.int8)
    player = game.player(states[0])
    n = game.legal_actions(states[0], actions)
    for i in range(n):
        states[1] = states[0]
        game.advance(states[1], actions[i])
        game.cells(states[1], cells)
        if waiting:
            player = 1 - game.player(states[1])
        total = 0.0
        for cell in range(game.num_cells):
            if cells[cell] < 2:
                total += weights[cell] if cells[cell] == player else -weights[cell]
        sums[i] = total
    return int(n)


class _PositionalPlayer(Player):
    """The same in compiled code."""

    def __init__(self, game: Game, waiting: bool) -> None:
        self.weights = CELL_WEIGHTS.ravel()
        self.waiting = waiting
        self.states = np.zeros(2, game.state)
        self.actions = np.zeros(game.num_actions, np.int64)
        self.sums = np.zeros(game.num_actions)

    def choose(self, game: Any, s: State, played: NDArray[np.int64], count: int, rng: Rng) -> int:
        self.states[0] = s
        n = _weigh_actions(game, self.states, self.weights, self.waiting, self.actions, self.sums)
        return draw_best(self.actions, self.sums, n, 0.0, rng)
