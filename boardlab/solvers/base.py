"""What a solver is: exact values of a game that has a better way to them than to search every continuation.

A game of one's own brings its solver along in its own file: a class that derives from `Solver` and has `values`.
`boardlab solve` and the agent `perfect` use it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from boardlab.components.companion import Companion, Companions
from boardlab.game import Game
from boardlab.learn.oracle import Oracle
from boardlab.position import Position

__all__ = ["BookPlan", "Outcomes", "Progress", "Solver", "solver_class", "solver_of", "solvers"]

Progress = Callable[[int, int], None]
"""Is told how many actions are solved, and of how many."""

Outcomes = dict[int, tuple[float, int | None]]
"""For each action its value and the plies to the end, None where these are not defined."""


class BookPlan(NamedTuple):
    """What the opening books of a game are like, for `boardlab book`."""

    file: Path
    plies: int
    most_plies: int
    make: Callable[..., Any]
    load: Callable[[Path], Any]


class Solver(Companion, ABC):
    """Base class of solvers."""

    player: ClassVar[str] = "perfect"
    """The agent that plays by this solver."""
    books: ClassVar[str] = ""
    """Of what it makes opening books, in words; empty where it makes none."""

    @classmethod
    def unsuited(cls, game: Game) -> str:
        """A game that derives from `of` may have other rules, so it is not solved."""
        return super().unsuited(game) or ("" if cls.of in (None, type(game)) else f"is not for {type(game).__name__}")

    @classmethod
    def is_quick(cls, game: Game) -> bool:
        """Whether it answers within seconds in every position of the game, so that people can wait for it."""
        return True

    @abstractmethod
    def values(self, position: Position) -> Mapping[int, float]:
        """What each legal action scores, for the player to move, if all play perfectly from there on."""

    def best_actions(self, position: Position) -> list[int]:
        """The actions with the best score."""
        values = self.values(position)
        best = max(values.values())
        return [action for action, value in values.items() if value == best]

    def outcomes(self, position: Position, progress: Progress | None = None) -> Outcomes:
        """The values with the plies that the game lasts from here on; here None, since the values do not tell them."""
        return {action: (float(value), None) for action, value in self.values(position).items()}

    def oracle(self) -> Oracle | None:
        """The same knowledge for compiled code, as episodes of self-play use it; None where there is none."""
        return None

    def book(self) -> BookPlan | None:
        """How its opening book is made; None where it has none."""
        return None


solvers: Companions[Solver] = Companions("solver", Solver, "boardlab.solvers")  # type: ignore[type-abstract]


def solver_class(game: Game) -> type[Solver] | None:
    """The class of the solver of a game; None where it has none of its own."""
    return solvers.class_for(game)


def solver_of(game: Game) -> Solver | None:
    """The solver of a game; None where it has none of its own."""
    cls = solver_class(game)
    return cls(game) if cls else None
