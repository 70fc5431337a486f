"""Evaluators for any game: against random play, search or perfect play, and the score of a game for one player."""

from __future__ import annotations

from boardlab.agents.perfect import seems_solvable
from boardlab.game import Game
from boardlab.matches.evaluators.base import Evaluator
from boardlab.matches.starts import positions_after
from boardlab.parameters import parameter
from boardlab.position import Position

__all__ = ["AllRoles", "DotsPerfectOpponents", "PerfectOpponents", "RandomOpponents", "Score", "SearchOpponents"]


class AllRoles(Evaluator):
    """200 games from the start, the agent in all roles, against the agent that you name."""

    name = "all-roles"
    opponent = "random"
    against: str | None = parameter(None, kind="text", doc="the agent to play against; none: the usual one")

    def setup(self) -> None:
        self.opponent = self.against or self.opponent

    @classmethod
    def unsuited(cls, game: Game) -> str:
        return "" if game.num_players > 1 else "is for games of two players or more"

    def games(self, starts: int) -> int:
        return 200


class RandomOpponents(Evaluator):
    """200 games from the start, the agent in all roles, against random players."""

    name = "random"
    opponent = "random"

    @classmethod
    def unsuited(cls, game: Game) -> str:
        return AllRoles.unsuited(game)

    def games(self, starts: int) -> int:
        return 200


class SearchOpponents(RandomOpponents):
    """100 games from the start, the agent in all roles, against Monte-Carlo tree search with 500 iterations: quick,
    and it tells strong agents from weak ones long before random players stop doing so."""

    name = "mcts"
    opponent = "mcts:iterations=500"
    iterations: int = parameter(500, 1, 10**9, doc="iterations of the opponent for every move")

    def setup(self) -> None:
        self.opponent = f"mcts:iterations={self.iterations}"

    def games(self, starts: int) -> int:
        return 100


class PerfectOpponents(Evaluator):
    """From the start and from every position after one action, in all roles, against perfect players (Tic-tac-toe: 20
    games, as in Table 1 of the FARL paper)."""

    name = "perfect"
    opponent = "perfect"
    plies: int = parameter(1, 0, 4, doc="also the positions after so many actions; 0: the start alone")

    @classmethod
    def unsuited(cls, game: Game) -> str:
        small = game.num_players > 1 and game.num_outcomes == 0 and seems_solvable(game)
        return "" if small else "is for games without chance that are small enough to be solved"

    def starts(self, seed: int) -> list[Position]:
        return [self.game.start(), *(positions_after(self.game, self.plies) if self.plies else [])]


class DotsPerfectOpponents(PerfectOpponents):
    """From the start and from every position after one edge, both roles, against the perfect player of Dots and Boxes;
    on larger boards than 3 x 4 the first moves would take minutes."""

    name = "dots-perfect"
    opponent = "dots-perfect"

    @classmethod
    def unsuited(cls, game: Game) -> str:
        small = game.name == "dots" and game.num_actions <= 31
        return "" if small else "is for Dots and Boxes on boards of up to 3 x 4"


class Score(Evaluator):
    """Mean score of 250 games alone (2048: as in Table 1 of the FARL paper)."""

    name = "score"

    @classmethod
    def unsuited(cls, game: Game) -> str:
        return "" if game.num_players == 1 else "is for games of one player"

    def games(self, starts: int) -> int:
        return 250
