"""Depth-first search in compiled code, for whole games: what `tree_search` does for Python, with the same kernels. The
stack cannot grow here, so it is as large as the search can get; where chance events follow each other without end, it
gives up (-1), and games are played move by move."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import clear_record
from boardlab.game import Game, State
from boardlab.rng import Rng
from boardlab.search.alphabeta import run_alpha_beta, window_dtype
from boardlab.search.evaluation import StaticEvaluation
from boardlab.search.maxn import DONE, Stack, frame_dtype, make_stack, run_max_n
from boardlab.search.player import Player, draw_best
from boardlab.search.table import make_table
from boardlab.search.tree_search import NO_LIMIT, TIES, TreeSearch

__all__ = ["AlphaBetaPlayer", "DepthFirstPlayer", "MaxNPlayer", "depth_first_player"]

EVENTS_PER_ACTION = 8
"""The stack has room for an action and seven chance events after it, for each ply."""
NO_END = 1 << 62


def depth_first_player(tree: TreeSearch, depth: int | None, megabytes: int) -> DepthFirstPlayer:
    """The player that searches as `tree` does, with a table of its own."""
    made = AlphaBetaPlayer if tree.alpha_beta else MaxNPlayer
    return made(tree.game, tree.evaluation, depth, megabytes, tree.position_limit)


class DepthFirstPlayer(Player):
    """One of the best actions of a depth-first search, all with the same probability."""

    def __init__(
        self, game: Game, evaluation: StaticEvaluation, depth: int | None, megabytes: int, position_limit: int | None
    ) -> None:
        """Looks `depth` actions ahead, to the end of the game without."""
        plies = game.max_moves if depth is None else min(depth, game.max_moves)
        levels = (plies + 2) * (EVENTS_PER_ACTION if game.num_outcomes else 1)
        stack = make_stack(game, self.frame(), levels)
        self.states, self.data, self.frames, self.edges, self.chances, self.values = stack
        self.evaluation = evaluation
        self.low, self.high = (float(end) for end in evaluation.bounds(game))
        self.limits = np.array([NO_LIMIT if depth is None else depth, position_limit or NO_END], np.int64)
        self.table = make_table(game.num_players, megabytes)
        self.results = np.zeros((game.num_actions, game.num_players))
        self.mine = np.zeros(game.num_actions)
        self.actions = np.zeros(game.num_actions, np.int64)
        self.progress = np.zeros(2, np.int64)

    @staticmethod
    def frame() -> np.dtype[Any]:
        """What the search keeps of each position. Python only."""
        raise NotImplementedError  # abstract

    def search(self, game: Any, stack: Stack) -> int:
        """Search from the root on the stack; what came of it."""
        raise NotImplementedError  # abstract

    def choose(self, game: Any, s: State, played: NDArray[np.int64], count: int, rng: Rng) -> int:
        n = game.legal_actions(s, self.actions)
        if n == 1:
            return int(self.actions[0])
        player = np.int64(game.player(s))
        self.states[0] = s
        clear_record(self.frames[0])
        self.frames[0].depth = self.limits[0]
        self.frames[0].player = player
        self.frames[0].count = n
        for i in range(n):
            self.edges[0, i] = self.actions[i]
        self.progress[0] = 0
        self.progress[1] = 0
        stack = Stack(self.states, self.data, self.frames, self.edges, self.chances, self.values)
        if self.search(game, stack) != DONE:
            return -1
        for i in range(n):
            self.actions[i] = self.edges[0, i]
            self.mine[i] = self.results[i, player]
        return draw_best(self.actions, self.mine, n, TIES, rng)


class AlphaBetaPlayer(DepthFirstPlayer):
    """By alpha-beta."""

    @staticmethod
    def frame() -> np.dtype[Any]:
        return window_dtype()

    def search(self, game: Any, stack: Stack) -> int:
        bounds, most = (self.low, self.high), self.limits[1]
        return run_alpha_beta(game, self.evaluation, stack, self.table, self.results, self.progress, bounds, True, most)


class MaxNPlayer(DepthFirstPlayer):
    """By max-n, or expectimax-n."""

    @staticmethod
    def frame() -> np.dtype[Any]:
        return frame_dtype()

    def search(self, game: Any, stack: Stack) -> int:
        bounds, most = (self.low, self.high), self.limits[1]
        return run_max_n(game, self.evaluation, stack, self.table, self.results, self.progress, bounds, most)
