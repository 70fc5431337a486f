"""Perfect players of Connect Four, which differ in what they do when the game is lost.

All of them play by the exact score of the solver. In a won position they take the fastest win, in a drawn one they
keep the draw, at random among actions of equal score. A lost player of the published experiments behaved in one of
three ways, and results against it depend on that: the later it loses, the more occasions for a mistake it offers.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pydantic import Field

from boardlab.agents.base import Agent
from boardlab.game import Game
from boardlab.position import Position
from boardlab.rng import Rng
from boardlab.search.player import Player, Seat
from boardlab.solvers.connect4 import is_standard, shared_solver
from boardlab.solvers.connect4_player import ANY, DISTANT, ConnectFourPlayer

__all__ = ["C4Minimax", "C4Perfect", "C4PerfectDL"]

_OPENING = 12


class _PerfectPlayer(Agent):
    """What the perfect players share."""

    greedy = True
    bounded = True

    @classmethod
    def refusal(cls, game: Game) -> str | None:
        return None if is_standard(game) else f"{cls.name} plays connect4 on the board 7 x 6, not {game.spec}"

    when_lost = DISTANT
    opening = 0
    """Plies: how long it varies its play when lost, and how far off the loss has to be for that."""

    def setup(self) -> None:
        self.solver = shared_solver()

    @cached_property
    def seat(self) -> Seat:
        """The player that answers from Python, compiled when it is first asked."""
        return Seat(self.game, self.player())

    def choose(self, position: Position, rng: Rng) -> int:
        return self.seat.choose(position.state, rng)

    def player(self) -> Player:
        return ConnectFourPlayer(self.when_lost, self.opening)

    def values(self, position: Position) -> dict[int, float]:
        """What each action scores if both play perfectly from there on: 1, 0 or -1."""
        scores = self.solver.values(position)
        return {action: float((score > 0) - (score < 0)) for action, score in scores.items()}


class C4Perfect(_PerfectPlayer):
    """Plays Connect Four perfectly; in a lost position it plays any legal action (AB)."""

    name = "c4-perfect"
    when_lost = ANY


class C4PerfectDL(_PerfectPlayer):
    """Plays Connect Four perfectly; in a lost position it postpones the loss as long as it can (AB-DL, distant
    losses)."""

    name = "c4-perfect-dl"


class C4Minimax(_PerfectPlayer):
    """The Minimax player of the published protocols. It is perfect; in a lost position in the first 12 plies it plays
    any action that puts off the loss for at least 12 plies, if there is one, and later the most distant loss."""

    name = "c4-minimax"

    class Parameters(Agent.Parameters):
        """The options of the Minimax player."""

        protocol: Literal["thesis", "2012"] = Field(
            "thesis",
            description="thesis (Thill 2015), or 2012 (Thill et al. 2012): at random among its best actions",
        )

    parameters: Parameters

    def setup(self) -> None:
        self.opening = _OPENING if self.parameters.protocol == "thesis" else 0
        super().setup()
