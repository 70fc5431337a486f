"""What an evaluator is: an opponent, start positions and roles, by which an agent's strength becomes a number.

An evaluator of one's own derives one class from `Evaluator` in any file; `boardlab eval --evaluator FILE.py:Class`
uses it. One in the file of a game is found by its name, also where the game lists it in `evaluators`. Parameters are
declared as those of a game are (`boardlab.components.component`), and given as `NAME:parameter=value,...`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from boardlab.components.component import Component, settings_text_of, take_parameters
from boardlab.errors import BoardlabError
from boardlab.game import Game, require_game
from boardlab.matches.intervals import Estimate
from boardlab.matches.match import MatchResult, Standing, play_match
from boardlab.matches.play import Contestant, Guest, Progress
from boardlab.position import Position

__all__ = ["Evaluation", "Evaluator"]


@dataclass(frozen=True)
class Evaluation:
    """What an evaluator found out about an agent."""

    evaluator: str
    measure: str
    """What the result is: `score`, `success` or `outcome`, see `Evaluator`."""
    opponent: str
    match: MatchResult

    @property
    def standing(self) -> Standing:
        """How the agent did."""
        return self.match.standings[0]

    @property
    def result(self) -> Estimate:
        """The mean, its 95 % interval, and the number of games."""
        standing = self.standing
        if standing.success is None or self.measure == "score":
            return standing.score
        rate = standing.success
        if self.measure == "success":
            return rate
        return replace(rate, mean=2 * rate.mean - 1, low=2 * rate.low - 1, high=2 * rate.high - 1)

    def to_json(self) -> dict[str, Any]:
        """Everything but the single games, as plain data."""
        return {
            "evaluator": self.evaluator,
            "game": self.match.game,
            "agent": self.match.contestants[0],
            "opponent": self.opponent,
            "measure": self.measure,
            **asdict(self.result),
            "seed": self.match.seed,
            "standing": asdict(self.standing),
        }

    def __str__(self) -> str:
        r = self.result
        what = {"success": "success rate", "outcome": "mean outcome"}.get(self.measure, "mean score")
        opponent = f" against {self.opponent}" if self.opponent else ""
        return (
            f"{self.match}\n\n{self.evaluator}: {what} {r.mean:.3f}, 95 % interval {r.low:.3f} .. {r.high:.3f}, "
            f"{r.games} games{opponent}"
        )


class Evaluator(Component, ABC):
    """Base class of all evaluators. The class docstring tells the procedure in a sentence."""

    opponent: str = ""
    """The agent to play against, as a specification; empty in a game for one player."""
    measure: str = "score"
    """What the result is: the mean `score`, the rate of `success` (a win 1, a draw 1/2), or the mean `outcome` (a win
    1, a draw 0, a loss -1, whatever the score)."""

    def __init__(self, game: Game, **settings: object) -> None:
        """Make the evaluator for a game that suits it, with the given parameters."""
        require_game(game)
        self.game = game
        self._guests: dict[str, Guest] = {}
        take_parameters(self, settings, f"the evaluator {self._called}")
        self.setup()
        reason = self.unsuited(game)
        if reason:
            instead = f", not for {game.spec}" if reason.startswith("is for ") else ""
            raise BoardlabError(f"the evaluator {self.name} {reason}{instead}")

    def setup(self) -> None:
        """Set what follows from the parameters, as `opponent`."""

    @property
    def _called(self) -> str:
        return self.name or type(self).__name__

    @classmethod
    @abstractmethod
    def unsuited(cls, game: Game) -> str:
        """Why it cannot be used for the game, as `is for Othello`, or on this machine, as `needs the program edax`;
        empty where it can."""

    def starts(self, seed: int) -> Sequence[Position]:
        """The start positions; none means the start of the game."""
        return ()

    def seatings(self) -> list[tuple[int, ...]]:
        """Where the agent (0) and its opponents (1) sit: by default the agent in each role in turn."""
        players = self.game.num_players
        return [tuple(0 if seat == role else 1 for seat in range(players)) for role in range(players)]

    def games(self, starts: int) -> int:
        """How many games are played when nobody says: by default one for each start and role."""
        return max(1, starts) * len(self.seatings())

    def invited(self, opponent: str) -> Guest:
        """The agent of a specification, who stays for all evaluations: to make a perfect player may take long."""
        return self._guests.setdefault(opponent, Guest(opponent, self.game))

    def evaluate(
        self,
        agent: Contestant,
        *,
        games: int | None = None,
        against: str | None = None,
        seed: int = 0,
        workers: int = 1,
        progress: Progress | None = None,
        many: bool = False,
    ) -> Evaluation:
        """Measure an agent, with the usual number of games and the usual opponent unless told otherwise. `many`: it
        will be measured again and again, so that machine code is worth its compilation."""
        if against and self.game.num_players == 1:
            raise BoardlabError(f"{self.game.title} is played alone; boardlab match compares agents on it")
        opponent = against or self.opponent
        starts = self.starts(seed)
        match = play_match(
            self.game,
            [agent, self.invited(opponent)] if opponent else [agent],
            self.games(len(starts)) if games is None else games,
            seed,
            seatings=self.seatings(),
            starts=starts,
            workers=workers,
            progress=progress,
            many=many,
        )
        text = settings_text_of(self)
        return Evaluation(f"{self._called}:{text}" if text else self._called, self.measure, opponent, match)
