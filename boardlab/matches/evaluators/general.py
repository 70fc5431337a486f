"""Evaluators for any game: against random play, search or perfect play, and the score of a game for one player."""

from __future__ import annotations

from boardlab.agents.perfect import seems_solvable
from boardlab.game import Game
from boardlab.matches.evaluators.base import Evaluator
from boardlab.matches.starts import positions_after
from boardlab.position import Position

__all__ = ["AllRoles", "DotsPerfect", "PerfectOpponents", "RandomOpponents", "Score", "SearchOpponents"]


class AllRoles(Evaluator):
    """200 games from the start, the agent in all roles, against the agent that you name."""

    name = "all-roles"
    opponent = "random"

    @classmethod
    def unsuited(cls, game: Game) -> str:
        return "" if game.num_players > 1 else "is for games of two players or more"

    def games(self, starts: int) -> int:
        return 200


class RandomOpponents(AllRoles):
    """200 games from the start, the agent in all roles, against random players."""

    name = "random"


class SearchOpponents(AllRoles):
    """100 games from the start, the agent in all roles, against Monte-Carlo tree search with 500 iterations: quick,
    and it tells strong agents from weak ones long before random players stop doing so."""

    name = "mcts"
    opponent = "mcts:iterations=500"

    def games(self, starts: int) -> int:
        return 100


class PerfectOpponents(Evaluator):
    """From the start and from every position after one action, in all roles, against perfect players (Tic-tac-toe: 20
    games, as in Table 1 of the FARL paper)."""

    name = "perfect"
    opponent = "perfect"

    @classmethod
    def unsuited(cls, game: Game) -> str:
        small = game.num_players > 1 and game.num_outcomes == 0 and seems_solvable(game)
        return "" if small else "is for games without chance that are small enough to be solved"

    def starts(self, seed: int) -> list[Position]:
        return [self.game.start(), *positions_after(self.game, 1)]


class DotsPerfect(PerfectOpponents):
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
