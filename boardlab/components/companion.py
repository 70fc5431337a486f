"""What belongs to a game and is no part of its rules: its solver, the notation of the programs that play it, its own
ways to draw n-tuples.

A companion is a class that says for which games it is. It is found as games are: in the modules of its package, by an
entry point of an installed one (the group is called like the package), or in the file of a user's game itself, where it
needs nothing but to stand there.
"""

from __future__ import annotations

from typing import ClassVar, TypeVar

from boardlab.components.component import Component
from boardlab.game import Game
from boardlab.registry import Registry

__all__ = ["Companion", "Companions"]


class Companion(Component):
    """Base class. `of` is the game that it belongs to; None: any game, or all of its own file."""

    of: ClassVar[type[Game] | None] = None

    def __init__(self, game: Game) -> None:
        """Make it for a game that suits it."""
        self.game = game

    @classmethod
    def unsuited(cls, game: Game) -> str:
        """Why it cannot be used for the game; empty where it can. A game that derives from `of` counts as well."""
        if cls.of is None or isinstance(game, cls.of):
            return ""
        return f"is for {cls.of.title or cls.of.__name__}"


SomeCompanion = TypeVar("SomeCompanion", bound=Companion)


class Companions(Registry[SomeCompanion]):
    """All companions of one kind."""

    def class_for(self, game: Game) -> type[SomeCompanion] | None:
        """The first that suits the game; those in its own file come first. None where there is none."""
        return next((cls for cls in self.classes_for(game).values() if not cls.unsuited(game)), None)

    def games(self) -> list[str]:
        """The names of the games that have one."""
        return [cls.of.name for cls in self.classes.values() if cls.of is not None]
