"""The perfect player of Dots and Boxes, by the solver."""

from __future__ import annotations

from boardlab.agents.base import Agent
from boardlab.game import Game
from boardlab.games.dots import DotsAndBoxes
from boardlab.position import Position
from boardlab.rng import Rng, random_below
from boardlab.search.player import Player
from boardlab.solvers.dots import refusal, shared_solver
from boardlab.solvers.dots_player import MOST_COMPILED_EDGES, DotsPlayer

__all__ = ["DotsPerfect"]


class DotsPerfect(Agent):
    """Plays Dots and Boxes perfectly, at random among the actions with the best margin, on boards of up to 40 edges. On
    3 x 3 it answers at once; on 4 x 4 the opening book knows the first moves, and the next ones take up to about a
    minute."""

    name = "dots-perfect"
    greedy = True
    bounded = True

    @classmethod
    def refusal(cls, game: Game) -> str | None:
        reason = refusal(game)
        return f"{cls.name} cannot play {game.spec}: {reason}" if reason else None

    def setup(self) -> None:
        self.solver = shared_solver(self.game.rows, self.game.columns)  # type: ignore[attr-defined]

    def choose(self, position: Position, rng: Rng) -> int:
        """The first best one of the actions in random order, which is any of the best ones with equal chance."""
        actions = position.legal_actions
        for last in range(len(actions) - 1, 0, -1):
            other = random_below(rng, last + 1)
            actions[last], actions[other] = actions[other], actions[last]
        return self.solver.first_best(position, actions)

    def player(self) -> Player | None:
        small = self.game.num_actions <= MOST_COMPILED_EDGES
        return DotsPlayer(self.game) if small and isinstance(self.game, DotsAndBoxes) else None

    def values(self, position: Position) -> dict[int, float]:
        """What each action scores if both play perfectly from there on."""
        return {action: float(value) for action, value in self.solver.values(position).items()}
