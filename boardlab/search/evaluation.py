"""What a depth-first search thinks of a position at its depth limit: a plain class that compiles, as a game does."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import Compilable
from boardlab.game import Game, State

__all__ = ["CurrentScores", "GameEstimate", "StaticEvaluation", "where_cut_off"]


class StaticEvaluation(Compilable):
    """Base class of evaluations. Arrays and floats that it holds (weights) are read at run time."""

    plain = False
    """Whether it is Python that does not compile; the search then runs as plain Python, too."""

    def bounds(self, game: Game) -> tuple[float, float]:
        """Lowest and highest value of any player, in finished games too; a search stops looking for more there.
        Python only."""
        return -np.inf, np.inf

    def evaluate(self, game: Any, s: State, out: NDArray[np.float64]) -> None:
        """Write the value of an unfinished position for every player (num_players places)."""
        raise NotImplementedError  # abstract

    def stamp(self) -> int:
        """Another number whenever positions may have got other values, because what evaluates them has learned: a
        search then forgets what it knows. Python only."""
        return 0


class CurrentScores(StaticEvaluation):
    """The scores so far, as if the game ended here: 0 in a game in which all is decided at the end."""

    def bounds(self, game: Game) -> tuple[float, float]:
        return game.score_range

    def evaluate(self, game: Any, s: State, out: NDArray[np.float64]) -> None:
        game.scores(s, out)


class GameEstimate(CurrentScores):
    """What the game itself expects of a position."""

    def evaluate(self, game: Any, s: State, out: NDArray[np.float64]) -> None:
        game.estimate(s, out)


def where_cut_off(game: Game, estimate: bool) -> StaticEvaluation:
    """What counts where a search is cut off: the game's own estimate where it is wanted and there is one, else the
    scores so far."""
    return GameEstimate() if estimate and game.has_estimate else CurrentScores()
