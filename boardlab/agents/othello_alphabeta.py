"""An alpha-beta player of Othello: it judges a position by the game's own estimate (corners, edges, mobility, and late
in the game discs), and searches the last moves of a game to the end."""

from __future__ import annotations

from pydantic import Field

from boardlab.agents.maxn import DepthFirst
from boardlab.compiler.bits import popcount
from boardlab.game import Game
from boardlab.games.othello import Othello
from boardlab.position import Position
from boardlab.search.tree_search import Findings

__all__ = ["OthelloAlphaBeta"]


class OthelloAlphaBeta(DepthFirst):
    """Plays Othello by alpha-beta over corners, edges, mobility and, late in the game, discs; it searches the last
    moves to the end."""

    name = "othello-ab"

    class Parameters(DepthFirst.Parameters):
        """The options of the alpha-beta player."""

        endgame: int = Field(
            12, ge=0, le=60, description="empty cells from which on it searches to the end of the game"
        )

    parameters: Parameters

    @classmethod
    def refusal(cls, game: Game) -> str | None:
        return None if isinstance(game, Othello) else f"{cls.name} plays Othello, not {game.spec}"

    def player(self) -> None:
        """It deepens its searches in Python."""
        return None

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
