"""Finding evaluators: by name, by an entry point of the group `boardlab.matches.evaluators`, or as FILE.py:Class."""

from __future__ import annotations

from boardlab.arguments import text
from boardlab.game import Game
from boardlab.matches.evaluators.base import Evaluator
from boardlab.registry import Registry

__all__ = ["default_evaluator", "evaluator_classes", "make_evaluator", "suitable_evaluators"]

_evaluators: Registry[Evaluator] = Registry("evaluator", Evaluator, "boardlab.matches.evaluators")  # type: ignore[type-abstract]


def evaluator_classes() -> dict[str, type[Evaluator]]:
    """All evaluators that can be made by name."""
    return _evaluators.classes


def make_evaluator(name: str, game: Game) -> Evaluator:
    """The evaluator of a name, for a game that suits it."""
    return _evaluators.find(text(name, "an evaluator is named by a text, as random"))(game)


def suitable_evaluators(game: Game) -> list[str]:
    """The evaluators that can be used for a game: those that it lists itself first."""
    names = [name for name, cls in sorted(evaluator_classes().items()) if not cls.unsuited(game)]
    return [n for n in game.evaluators if n in names] + [n for n in names if n not in game.evaluators]


def default_evaluator(game: Game) -> str:
    """The one to use when nobody says which: the first that the game lists and that suits its parameters, else random
    opponents, or for one player the score."""
    listed = [name for name in game.evaluators if not _evaluators.find(name).unsuited(game)]
    return next(iter(listed), "random" if game.num_players > 1 else "score")
