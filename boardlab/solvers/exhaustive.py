"""Exact values by searching every continuation to its end, for any game without a solver of its own: alpha-beta for
zero-sum games of two players, Max-N (with chance events Expectimax-N) for the others.

How many plies a decided game lasts comes from the same search with a depth limit. A position at the limit counts as 0,
which is worse for the winner than winning and better for the loser than losing. So an action has its exact value in a
search of n plies if and only if the winner can end the game within n plies, and the least such n is how long it lasts
when the winner hurries and the loser does not.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler.later import compiled
from boardlab.game import Game, State
from boardlab.position import Position
from boardlab.search.evaluation import StaticEvaluation
from boardlab.search.tree_search import SearchTooLarge, TreeSearch

__all__ = ["MOST_BOARDS", "ExhaustiveSolver", "count_boards", "thorough_search"]

TABLE_MEGABYTES = 256
MOST_POSITIONS = 50_000_000
"""So many positions a thorough search looks at before a game counts as too large; about half a minute."""

MOST_BOARDS = 100_000_000
"""Games with more boards are not tried."""


def count_boards(game: Game) -> int:
    """How many boards there are at most, by the values of the cells; 1 where a game has no cells."""
    return math.prod(int(n) for n in game.cell_values())


class Undecided(StaticEvaluation):
    """Everybody has 0 where the search is cut off."""

    def bounds(self, game: Game) -> tuple[float, float]:
        low, high = game.score_range
        return min(low, 0.0), max(high, 0.0)

    def evaluate(self, game: Any, s: State, out: NDArray[np.float64]) -> None:
        for player in range(game.num_players):
            out[player] = 0.0


class ExhaustiveSolver:
    """Exact values of one game. What it has found out is kept in its transposition table."""

    most_plain_positions = 100_000
    """The limit for a game that does not compile, which is some hundred times slower."""

    def __init__(self, game: Game, *, megabytes: int, position_limit: int) -> None:
        """A search of more than `position_limit` positions is given up with `SearchTooLarge`."""
        self.position_limit = min(position_limit, self.most_plain_positions) if game.plain else position_limit
        self.tree = TreeSearch(game, Undecided(), megabytes=megabytes, position_limit=self.position_limit)
        compiled(self.tree.compile)

    def values(self, position: Position) -> dict[int, float]:
        """What each action scores, for the player to move, if all play perfectly from there on."""
        return self.tree.search(position.state).by_action()

    def best_actions(self, position: Position) -> list[int]:
        """The actions with the best score; quicker than all values."""
        return self.tree.search(position.state, ties=True).best()

    def plies_to_end(self, position: Position, values: dict[int, float]) -> dict[int, int]:
        """How many plies the game lasts from here on after each action, whose exact values are given: the winner
        hurries, the loser does not. Actions are left out that draw (nobody hurries), all of them where the game is not
        zero-sum between two players, and those that would take more than `position_limit` positions to tell."""
        plies: dict[int, int] = {}
        open_actions = {a for a, value in values.items() if value != 0.0 and self.tree.alpha_beta}
        depth, left = 0, self.position_limit
        while open_actions and left > 0:
            depth += 1
            try:
                found = self.tree.search(position.state, depth)
            except SearchTooLarge:
                break
            left -= found.positions
            ended = {a for a, value in found.by_action().items() if a in open_actions and value == values[a]}
            plies.update(dict.fromkeys(ended, depth))
            open_actions -= ended
        return plies


def thorough_search(game: Game) -> ExhaustiveSolver:
    """The search for somebody who asks for a solution and is willing to wait for it."""
    return ExhaustiveSolver(game, megabytes=TABLE_MEGABYTES, position_limit=MOST_POSITIONS)
