"""Searches that choose the moves of self-play, inside of the compiled episodes: n-ply and PUCT over the network that is
learning. They keep nothing from move to move, because the network has changed by then. What is learned from a move
stays the same: the value of the afterstate that it leads to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import clear_record
from boardlab.errors import BoardlabError
from boardlab.game import Game, State
from boardlab.learn.chooser import Chooser
from boardlab.rng import Rng, random_below
from boardlab.search.action_values import ActionValues
from boardlab.search.alphabeta import run_alpha_beta, window_dtype
from boardlab.search.maxn import DONE, NO_ROOM, Stack, frame_dtype, make_stack, run_max_n
from boardlab.search.puct import Room, make_room, puct_node_dtype, run_puct
from boardlab.search.table import make_table

__all__ = ["PuctChooser", "n_ply_chooser"]

NO_END = 1 << 62
EVENTS_PER_ACTION = 8
"""The stack has room for an action and seven chance events after it, for each ply."""
LONGEST_PATH = 256


def n_ply_chooser(game: Game, evaluation: ActionValues, depth: int) -> Chooser:
    """Looks `depth` plies ahead: alpha-beta where that is the same as max-n."""
    two = evaluation.opposed and game.num_outcomes == 0
    return _AlphaBetaChooser(game, evaluation, depth) if two else _MaxNChooser(game, evaluation, depth)


class _NPlyChooser(Chooser):
    """One of the best actions of a depth-first search, all with the same probability."""

    def __init__(self, game: Game, evaluation: ActionValues, depth: int, frames: np.dtype[Any]) -> None:
        stack = make_stack(game, frames, EVENTS_PER_ACTION * (depth + 1))
        self.states, self.data, self.frames, self.edges, self.chances, self.values = stack
        self.evaluation = evaluation
        self.low, self.high = (float(end) for end in evaluation.bounds(game))
        self.depth = np.array([depth], np.int64)  # in an array, so that another depth needs no other machine code
        self.table = make_table(game.num_players, 0)
        self.results = np.zeros((game.num_actions, game.num_players))
        self.progress = np.zeros(2, np.int64)

    def search(self, game: Any, stack: Stack) -> int:
        """Search from the root on the stack; what came of it."""
        raise NotImplementedError  # abstract

    def narrow(self, game: Any, s: State, actions: NDArray[np.int64], n: int, rng: Rng) -> int:
        player = np.int64(game.player(s))
        self.states[0] = s
        clear_record(self.frames[0])
        self.frames[0].depth = self.depth[0]
        self.frames[0].player = player
        self.frames[0].count = n
        for i in range(n):
            self.edges[0, i] = actions[i]
        self.progress[0] = 0
        self.progress[1] = 0
        status = self.search(game, Stack(self.states, self.data, self.frames, self.edges, self.chances, self.values))
        if status == NO_ROOM:
            raise BoardlabError("too many chance events follow each other for a search in self-play")
        if status != DONE:
            raise BoardlabError("a score in self-play is not what the game promises; boardlab check tells where")
        best = self.results[0, player]
        for i in range(1, n):
            best = max(best, self.results[i, player])
        ties = 0
        for i in range(n):
            if self.results[i, player] == best:
                actions[ties] = self.edges[0, i]
                ties += 1
        actions[0] = actions[random_below(rng, ties)]
        return 1


class _AlphaBetaChooser(_NPlyChooser):
    def __init__(self, game: Game, evaluation: ActionValues, depth: int) -> None:
        super().__init__(game, evaluation, depth, window_dtype())

    def search(self, game: Any, stack: Stack) -> int:
        bounds = (self.low, self.high)
        return run_alpha_beta(
            game, self.evaluation, stack, self.table, self.results, self.progress, bounds, True, NO_END
        )


class _MaxNChooser(_NPlyChooser):
    def __init__(self, game: Game, evaluation: ActionValues, depth: int) -> None:
        super().__init__(game, evaluation, depth, frame_dtype())

    def search(self, game: Any, stack: Stack) -> int:
        bounds = (self.low, self.high)
        return run_max_n(game, self.evaluation, stack, self.table, self.results, self.progress, bounds, NO_END)


class PuctChooser(Chooser):
    """The action that a fresh tree of PUCT visits most; of several, the one with the best mean."""

    def __init__(
        self,
        game: Game,
        evaluation: ActionValues,
        iterations: int,
        *,
        exploration: float,
        temperature: float,
        rollout_depth: int,
    ) -> None:
        self.evaluation = evaluation
        self.path, self.edges, self.numbers, self.scores, self.span = make_room(game, LONGEST_PATH)
        self.states = np.zeros(2, game.state)
        self.nodes = np.zeros(1 + 2 * iterations * len(self.numbers), puct_node_dtype())
        self.exploration, self.temperature = float(exploration), float(temperature)
        self.limits = np.array([rollout_depth, iterations], np.int64)

    def narrow(self, game: Any, s: State, actions: NDArray[np.int64], n: int, rng: Rng) -> int:
        room = Room(self.path, self.edges, self.numbers, self.scores, self.span)
        self.span[0] = np.inf
        self.span[1] = -np.inf
        self.states[0] = s
        nodes = self.nodes
        clear_record(nodes[0])
        run_puct(
            game,
            self.evaluation,
            self.states,
            nodes,
            room,
            1,
            rng,
            self.exploration,
            self.temperature,
            self.limits[0],
            self.limits[1],
            False,
        )
        best = nodes[0].first
        for child in range(best + 1, best + nodes[0].count):
            more = nodes[child].visits - nodes[best].visits
            if more > 0 or (more == 0 and nodes[child].total > nodes[best].total):
                best = child
        actions[0] = nodes[best].edge
        return 1
