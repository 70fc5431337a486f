"""An alpha-beta player of Othello: it judges a position by its cells and by who has more moves, and searches the last
moves of a game to the end.

The parts of the judgement are the known ones of the game. A corner is never lost again, and a disc beside an empty
corner gives it away; who has more moves can avoid bad ones, and a disc beside empty cells (the frontier) gives the
opponent moves. The majority of discs means nothing before the last third of the game, and then more and more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from boardlab.agents.maxn import MaxN
from boardlab.compiler.bits import popcount
from boardlab.game import Game, State
from boardlab.games.othello import Othello
from boardlab.position import Position
from boardlab.search.evaluation import StaticEvaluation
from boardlab.search.tree_search import Findings, TreeSearch

__all__ = ["OthelloAlphaBeta", "PositionalValue"]


class PositionalValue(StaticEvaluation):
    """What an unfinished position of Othello is worth, between -1 and 1, which are a lost and a won game. The unit of
    the weights is one more move to choose from."""

    corner = 16.0
    diagonal = -6.0
    """A disc diagonally beside an empty corner (the X-square)."""
    beside = -3.0
    """A disc on the edge beside an empty corner (the C-square)."""
    edge = 1.0
    """Any other disc on the edge."""
    move = 1.0
    frontier = -0.5
    disc = 0.25
    """A disc on the full board; nothing until two thirds of the cells are taken, and in proportion from there on."""
    half = 40.0
    """The sum that is worth 1/2."""

    def __init__(self, game: Othello) -> None:
        n = game.size
        rows, columns = np.divmod(np.arange(n * n), n)
        low, high = np.minimum(rows, n - 1 - rows), np.minimum(columns, n - 1 - columns)
        self.edges = _bitboard((np.minimum(low, high) == 0) & (low + high > 1))
        self.diagonals = _bitboard((low == 1) & (high == 1))
        self.early = 2 * n * n // 3

    def bounds(self, game: Game) -> tuple[float, float]:
        return -1.0, 1.0

    def evaluate(self, game: Any, s: State, out: NDArray[np.float64]) -> None:
        player = int(s.player)
        total = self.worth(game, s.discs[0], s.discs[1]) - self.worth(game, s.discs[1], s.discs[0])
        moves = popcount(s.moves) - popcount(game.moves_of(s.discs[1 - player], s.discs[player]))
        total += self.move * (moves if player == 0 else -moves)
        out[0] = total / (self.half + abs(total))
        out[1] = -out[0]

    def worth(self, game: Any, own: Any, other: Any) -> float:
        """What the discs of a player are worth, given the bitboards of both."""
        empty = game.board & ~(own | other)
        risky = own & game.around(empty & game.corners)
        late = max(0, game.num_cells - popcount(empty) - self.early) / (game.num_cells - self.early)
        return float(
            self.corner * popcount(own & game.corners)
            + self.diagonal * popcount(risky & self.diagonals)
            + self.beside * popcount(risky & ~self.diagonals)
            + self.edge * popcount(own & self.edges)
            + self.frontier * popcount(own & game.around(empty))
            + self.disc * late * popcount(own)
        )


def _bitboard(cells: NDArray[np.bool_]) -> np.uint64:
    return np.uint64(sum(1 << int(cell) for cell in np.flatnonzero(cells)))


class OthelloAlphaBeta(MaxN):
    """Plays Othello by alpha-beta over corners, edges, mobility and, late in the game, discs; it searches the last
    moves to the end."""

    name = "othello-ab"

    class Parameters(MaxN.Parameters):
        """The options of the alpha-beta player."""

        endgame: int = Field(
            12, ge=0, le=60, description="empty cells from which on it searches to the end of the game"
        )

    parameters: Parameters

    @classmethod
    def refusal(cls, game: Game) -> str | None:
        return None if isinstance(game, Othello) else f"{cls.name} plays Othello, not {game.spec}"

    def setup(self) -> None:
        assert isinstance(self.game, Othello)
        options = self.parameters
        self.tree = TreeSearch(
            self.game, PositionalValue(self.game), megabytes=options.table, alpha_beta=options.alpha_beta
        )
        self.tree.compile()

    def _search(self, position: Position, ties: bool) -> Findings:
        options, state = self.parameters, position.state
        to_the_end = self.game.num_cells - popcount(state.discs[0] | state.discs[1]) <= options.endgame
        if options.time is not None:
            return self.tree.deepen(state, options.time, None if to_the_end else options.depth, ties=ties)
        if to_the_end:
            return self.tree.search(state, ties=ties)
        depth = options.depth or self.default_depth
        for shallower in range(1, depth):  # the table then knows which actions to try first
            self.tree.search(state, shallower, ties=True)
        return self.tree.search(state, depth, ties=ties)
