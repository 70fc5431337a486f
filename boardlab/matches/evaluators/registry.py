"""Finding evaluators: `NAME`, `NAME:parameter=value,...`, an entry point of the group `boardlab.matches.evaluators`, or
`path/to/file.py:Class`. Those in the file of a user's game are found by their name, too."""

from __future__ import annotations

from boardlab.arguments import text
from boardlab.game import Game, require_game
from boardlab.matches.evaluators.base import Evaluator
from boardlab.registry import Registry, split_spec

__all__ = [
    "default_evaluator",
    "evaluator_class",
    "evaluator_classes",
    "evaluator_classes_for",
    "make_evaluator",
    "suitable_evaluators",
]

_evaluators: Registry[Evaluator] = Registry("evaluator", Evaluator, "boardlab.matches.evaluators")  # type: ignore[type-abstract]


def evaluator_classes() -> dict[str, type[Evaluator]]:
    """All evaluators that can be made by name."""
    return _evaluators.classes


def evaluator_classes_for(game: Game) -> dict[str, type[Evaluator]]:
    """The same, and those in the game's own file."""
    return _evaluators.classes_for(game)


def evaluator_class(origin: str, game: Game | None = None) -> type[Evaluator]:
    """The class of a name, or of `path/to/file.py:Class`; with a game also of a name in its file."""
    own = _evaluators.brought_by(game) if game is not None else {}
    return own[origin] if origin in own else _evaluators.find(origin)


def make_evaluator(spec: str, game: Game) -> Evaluator:
    """The evaluator of a specification, as `mcts:iterations=2000`, for a game that suits it."""
    origin, parameters = split_spec(text(spec, "an evaluator is named by a text, as random"))
    require_game(game)
    return evaluator_class(origin, game)(game, **parameters)


def suitable_evaluators(game: Game) -> list[str]:
    """The evaluators that can be used for a game: those that it lists itself first."""
    names = [name for name, cls in sorted(evaluator_classes_for(game).items()) if not cls.unsuited(game)]
    return [n for n in game.evaluators if n in names] + [n for n in names if n not in game.evaluators]


def default_evaluator(game: Game) -> str:
    """The one to use when nobody says which: the first that the game lists and that suits its parameters, else random
    opponents, or for one player the score."""
    listed = [name for name in game.evaluators if not evaluator_class(name, game).unsuited(game)]
    return next(iter(listed), "random" if game.num_players > 1 else "score")
