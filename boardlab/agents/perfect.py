"""The perfect player of small games: by theory where there is one, else by searching every continuation to its end."""

from __future__ import annotations

import math

from pydantic import Field

from boardlab.agents.base import Agent
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.position import Position
from boardlab.rng import Rng, random_below
from boardlab.search.tree_search import SearchTooLarge, TreeSearch
from boardlab.solvers.nim import nim_value

__all__ = ["Perfect", "boards", "has_theory", "seems_solvable"]

MOST_BOARDS = 100_000_000
MOST_POSITIONS = 10_000_000

BETTER_SUITED = {"connect4": "c4-perfect"}
"""Perfect players of their own for games that are too large for this one."""


def has_theory(game: Game) -> bool:
    """Whether perfect play of the game is known without search."""
    return game.name == "nim" and game.num_players == 2


def boards(game: Game) -> int:
    """How many boards there are at most, by the values of the cells; 1 where a game has no cells."""
    return math.prod(int(n) for n in game.cell_values())


def seems_solvable(game: Game) -> bool:
    """Whether the perfect player tries to play the game."""
    return has_theory(game) or boards(game) <= MOST_BOARDS


class Perfect(Agent):
    """Plays perfectly, at random among the best actions. It knows the theory of Nim and searches other small games to
    the end, with Max-N for more than two players (Hex up to 4x4, Sim with up to 6 nodes, Tic-tac-toe, Nimm-3)."""

    name = "perfect"

    class Parameters(Agent.Parameters):
        """The options of the perfect player."""

        table: int = Field(128, ge=1, le=65_536, description="megabytes of the transposition table")

    parameters: Parameters

    def setup(self) -> None:
        self.by_theory = has_theory(self.game)
        if self.by_theory:
            return
        if not seems_solvable(self.game):
            raise self._too_large(f"about 10^{round(math.log10(boards(self.game)))} boards")
        self.tree = TreeSearch(self.game, megabytes=self.parameters.table, position_limit=MOST_POSITIONS)
        self.tree.compile()
        start = self.game.start()
        if not start.is_chance:
            try:
                self.tree.search(start.state, ties=True)
            except SearchTooLarge as error:
                raise self._too_large(f"more than {MOST_POSITIONS:,} positions") from error

    def choose(self, position: Position, rng: Rng) -> int:
        """Any of the best actions; a lost player has no better ones than others."""
        if self.by_theory:
            values = self.values(position)
            top = max(values.values())
            best = [action for action, value in values.items() if value == top]
        else:
            best = self.tree.search(position.state, ties=True).best()
        return best[random_below(rng, len(best))]

    def values(self, position: Position) -> dict[int, float]:
        """What each action scores if all play perfectly from there on."""
        if not self.by_theory:
            return self.tree.search(position.state).by_action()
        values = {}
        for action in position.legal_actions:
            after = position.copy().play(action)
            values[action] = -nim_value([int(n) for n in after.state.heap])
        return values

    def _too_large(self, how: str) -> BoardlabError:
        own = BETTER_SUITED.get(self.game.name)
        instead = f"use {own}, mcts" if own else "use mcts"
        return BoardlabError(
            f"{self.game.spec} has {how}, too many to be searched to the end; {instead} or max-n with a depth"
        )
