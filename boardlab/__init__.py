"""boardlab: a laboratory for learning to play board games.

    >>> import boardlab
    >>> agent = boardlab.train("connect4", preset="quick", seed=1)
    >>> print(boardlab.evaluate(agent))
    >>> agent.save("mine.agent")

All that README and documentation use is here. Names are imported when they are first used, so that `import boardlab`
and `boardlab --help` are quick; type checkers see them all.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boardlab.agents.base import Agent as Agent
    from boardlab.agents.checking.check import check_agent as check_agent
    from boardlab.agents.files import load_agent as load_agent
    from boardlab.agents.learning import LearningAgent as LearningAgent
    from boardlab.agents.registry import make_agent as make_agent
    from boardlab.agents.td_ntuple import TDNTuple as TDNTuple
    from boardlab.check import check_game as check_game
    from boardlab.compiler import helper as helper
    from boardlab.errors import BoardlabError as BoardlabError
    from boardlab.errors import IllegalAction as IllegalAction
    from boardlab.game import Game as Game
    from boardlab.game import State as State
    from boardlab.lab.history import History as History
    from boardlab.lab.history import history_of as history_of
    from boardlab.lab.train import train as train
    from boardlab.lab.wish import TrainingWish as TrainingWish
    from boardlab.learn.rules import StepSizeRule as StepSizeRule
    from boardlab.matches.evaluation import evaluate as evaluate
    from boardlab.matches.evaluators.base import Evaluation as Evaluation
    from boardlab.matches.evaluators.base import Evaluator as Evaluator
    from boardlab.matches.evaluators.registry import make_evaluator as make_evaluator
    from boardlab.matches.match import MatchResult as MatchResult
    from boardlab.matches.match import play_match as play_match
    from boardlab.matches.starts import position_after as position_after
    from boardlab.parameters import parameter as parameter
    from boardlab.playouts import random_games as random_games
    from boardlab.position import Event as Event
    from boardlab.position import Position as Position
    from boardlab.registry import make as make
    from boardlab.rng import Rng as Rng
    from boardlab.rng import make_rng as make_rng
    from boardlab.solvers.solution import Solution as Solution
    from boardlab.solvers.solution import solve as solve
    from boardlab.tournament.result import TournamentResult as TournamentResult
    from boardlab.tournament.tournament import play_tournament as play_tournament

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "BoardlabError",
    "Evaluation",
    "Evaluator",
    "Event",
    "Game",
    "History",
    "IllegalAction",
    "LearningAgent",
    "MatchResult",
    "Position",
    "Rng",
    "Solution",
    "State",
    "StepSizeRule",
    "TDNTuple",
    "TournamentResult",
    "TrainingWish",
    "__version__",
    "check_agent",
    "check_game",
    "evaluate",
    "helper",
    "history_of",
    "load_agent",
    "make",
    "make_agent",
    "make_evaluator",
    "make_rng",
    "parameter",
    "play_match",
    "play_tournament",
    "position_after",
    "random_games",
    "solve",
    "train",
]

_HOMES = {
    "Agent": "agents.base",
    "BoardlabError": "errors",
    "Evaluation": "matches.evaluators.base",
    "Evaluator": "matches.evaluators.base",
    "Event": "position",
    "Game": "game",
    "History": "lab.history",
    "IllegalAction": "errors",
    "LearningAgent": "agents.learning",
    "MatchResult": "matches.match",
    "Position": "position",
    "Rng": "rng",
    "Solution": "solvers.solution",
    "State": "game",
    "StepSizeRule": "learn.rules",
    "TDNTuple": "agents.td_ntuple",
    "TournamentResult": "tournament.result",
    "TrainingWish": "lab.wish",
    "check_agent": "agents.checking.check",
    "check_game": "check",
    "evaluate": "matches.evaluation",
    "helper": "compiler",
    "history_of": "lab.history",
    "load_agent": "agents.files",
    "make": "registry",
    "make_agent": "agents.registry",
    "make_evaluator": "matches.evaluators.registry",
    "make_rng": "rng",
    "parameter": "parameters",
    "play_match": "matches.match",
    "play_tournament": "tournament.tournament",
    "position_after": "matches.starts",
    "random_games": "playouts",
    "solve": "solvers.solution",
    "train": "lab.train",
}
"""The module of each name."""


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        found = globals()[name] = getattr(importlib.import_module(f"boardlab.{_HOMES[name]}"), name)
        return found
    raise AttributeError(f"module 'boardlab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
