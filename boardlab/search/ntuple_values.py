"""The values of an n-tuple network as an evaluation, in compiled code: searches over what `td-ntuple` has learned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import Compilable
from boardlab.game import Game, State
from boardlab.learn.values import LOGISTIC, Network, activate, begin_board, follow_state, rate_actions
from boardlab.ntuple.indexing import make_board
from boardlab.ntuple.layout import Structure
from boardlab.search.action_values import ActionValues

__all__ = ["NTupleValues"]


class _Arrays(Compilable):
    """The arrays of a named tuple. Its numbers would become constants of the machine code, so they are left out."""

    def __init__(self, fields: Any) -> None:
        self.__dict__.update({k: v for k, v in fields._asdict().items() if isinstance(v, np.ndarray)})
        self._fields = fields

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy of the tuple knows which of its arrays share their memory."""
        return _Arrays, (self._fields,)


class _Net(Compilable):
    """A network without what only learning needs."""

    def __init__(self, network: Network) -> None:
        self.weights = network.weights
        self.inversion, self.output = network.inversion, network.output
        self.scale, self.shift = float(network.scale), float(network.shift)


class NTupleValues(ActionValues):
    """Rates an action by its reward and the network's value of its afterstate, exactly as the learner does. The board
    of the last position is kept, and the next one is looked up by its difference from it."""

    def __init__(
        self, game: Game, structure: Structure, network: Network, gamma: float, learned: Callable[[], int]
    ) -> None:
        """`learned` tells how many episodes the network has learned from."""
        super().__init__(game)
        self.network, self.st = _Net(network), _Arrays(structure)
        self.board = _Arrays(make_board(game, structure, game.num_players if network.inversion else 1))
        self.states = np.zeros(2, game.state)
        self.gamma = float(gamma)
        self._learned = learned
        start = np.zeros(1, game.state).view(np.recarray)[0]
        game.reset(start)
        begin_board(game, self.st, self.network, self.board, start)

    def stamp(self) -> int:
        return self._learned()

    def rate(self, game: Any, s: State, actions: NDArray[np.int64], ratings: NDArray[np.float64]) -> int:
        board: Any = self.board
        network = self.network
        follow_state(game, self.st, network, board, s)
        player: Any = np.int64(game.player(s))
        game.scores(s, board.scores)
        score = board.scores[player]
        n = game.legal_actions(s, actions)
        for i in range(n):
            board.actions[i] = actions[i]
        self.states[0] = s
        rate_actions(game, self, n, player, 0 if len(network.weights) == 1 else player, score)
        before = 0.0 if network.output == LOGISTIC else score
        for i in range(n):
            value = activate(network.output, board.totals[i]) if board.open[i] else 0.0
            gain = (board.rewards[i] + self.gamma * value - network.shift) / network.scale
            ratings[i] = self.possible(before + gain)
        return int(n)
