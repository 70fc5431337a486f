"""What a position of any small game is worth, for compiled code: every continuation is searched to its end, by
alpha-beta in zero-sum games of two players, by max-n in others, and what is found is kept in a transposition table."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import clear_record
from boardlab.errors import BoardlabError
from boardlab.game import Game, State
from boardlab.learn.oracle import Oracle
from boardlab.search.alphabeta import NOT_ZERO_SUM, run_alpha_beta, window_dtype
from boardlab.search.maxn import DONE, OUT_OF_RANGE, Stack, frame_dtype, make_stack, run_max_n
from boardlab.search.table import make_table
from boardlab.search.zero_sum import looks_zero_sum
from boardlab.solvers.exhaustive import Undecided

__all__ = ["exhaustive_oracle"]

_MOST_POSITIONS = 1_000_000
"""So many positions a question may take, some tenths of a second; then the oracle does not know."""
_NO_LIMIT = 1 << 30


def exhaustive_oracle(game: Game, megabytes: int = 64) -> Oracle:
    """The oracle of a game that is small enough, or of the last part of one that is not."""
    two = game.num_players == 2 and game.num_outcomes == 0 and looks_zero_sum(game)
    return _AlphaBetaOracle(game, megabytes) if two else _MaxNOracle(game, megabytes)


class _SearchingOracle(Oracle):
    """What both searches need: a stack of their own, and a table."""

    def __init__(self, game: Game, megabytes: int, frames: np.dtype[Any]) -> None:
        self._given = game, megabytes
        self.table = make_table(game.num_players, megabytes)
        self.evaluation = Undecided()
        self.low, self.high = (float(end) for end in self.evaluation.bounds(game))
        levels = 2 + game.max_moves * (2 if game.num_outcomes else 1)
        states, self.data, kept, self.edges, self.chances, self.values = make_stack(game, frames, levels)
        self.states, self.frames = states.view(np.recarray), kept.view(np.recarray)
        self.results = np.zeros((self.edges.shape[1], game.num_players))  # a chance event may be the root, too
        self.progress = np.zeros(2, np.int64)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy begins with an empty table."""
        return type(self), self._given

    def for_thread(self) -> Oracle:
        """With a table of its own: an entry is too large for two threads to write it at once."""
        return copy(self)

    def value(self, game: Any, s: State, out: NDArray[np.float64]) -> bool:
        if not game.is_chance(s) and game.is_over(s):
            game.scores(s, out)
            return True
        self.put_root(game, s)
        status = self.search(game, Stack(self.states, self.data, self.frames, self.edges, self.chances, self.values))
        if status in (OUT_OF_RANGE, NOT_ZERO_SUM):
            raise BoardlabError("a score is not what the game promises; boardlab check tells where")
        if status != DONE:
            return False
        self.tell(out)
        return True

    def put_root(self, game: Any, s: State) -> None:
        """Put the position on the stack, with its actions or chance outcomes."""
        root = self.frames[0]
        self.states[0] = s
        clear_record(root)
        root.depth = _NO_LIMIT
        if game.is_chance(s):
            root.player = -1
            root.count = game.chance_outcomes(s, self.edges[0], self.chances[0])
        else:
            root.player = game.player(s)
            root.count = game.legal_actions(s, self.edges[0])
        self.progress[0] = 0
        self.progress[1] = 0

    def search(self, game: Any, stack: Stack) -> int:
        """Search from the root on the stack; what came of it."""
        raise NotImplementedError  # abstract

    def tell(self, out: NDArray[np.float64]) -> None:
        """Write what the search has found for the root."""
        raise NotImplementedError  # abstract


class _AlphaBetaOracle(_SearchingOracle):
    def __init__(self, game: Game, megabytes: int) -> None:
        super().__init__(game, megabytes, window_dtype())

    def search(self, game: Any, stack: Stack) -> int:
        bounds, most = (self.low, self.high), _MOST_POSITIONS
        return run_alpha_beta(game, self.evaluation, stack, self.table, self.results, self.progress, bounds, True, most)

    def tell(self, out: NDArray[np.float64]) -> None:
        out[0] = self.frames[0].value
        out[1] = 0.0 - out[0]


class _MaxNOracle(_SearchingOracle):
    def __init__(self, game: Game, megabytes: int) -> None:
        super().__init__(game, megabytes, frame_dtype())

    def search(self, game: Any, stack: Stack) -> int:
        bounds, most = (self.low, self.high), _MOST_POSITIONS
        return run_max_n(game, self.evaluation, stack, self.table, self.results, self.progress, bounds, most)

    def tell(self, out: NDArray[np.float64]) -> None:
        for player in range(len(out)):
            out[player] = self.values[0, player]
