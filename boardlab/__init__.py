"""boardlab: a laboratory for learning to play board games.

Names are imported when they are first used, so that `import boardlab` and `boardlab --help` are quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boardlab.check import check_game as check_game
    from boardlab.compiler import helper as helper
    from boardlab.errors import BoardlabError as BoardlabError
    from boardlab.errors import IllegalAction as IllegalAction
    from boardlab.game import Game as Game
    from boardlab.game import State as State
    from boardlab.parameters import parameter as parameter
    from boardlab.position import Position as Position
    from boardlab.registry import make as make
    from boardlab.rng import make_rng as make_rng

__version__ = "0.1.0"

_HOMES = {
    "BoardlabError": "errors",
    "Game": "game",
    "IllegalAction": "errors",
    "Position": "position",
    "State": "game",
    "check_game": "check",
    "helper": "compiler",
    "make": "registry",
    "make_rng": "rng",
    "parameter": "parameters",
}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"boardlab.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'boardlab' has no attribute {name!r}")
