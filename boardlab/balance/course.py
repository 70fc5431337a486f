"""The course of a game: how long it was, how many choices there were, who led when, and when it was decided.

Who leads is told by exact values where the game is small enough, else by what the players themselves expected of their
moves. A player leads if he expects to score more than all others, by at least a twentieth of the range of scores. A
game is decided from the position on after which its leader never changes again and is the one who wins; a drawn game,
from the one on after which nobody leads any more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from boardlab.game import Game
from boardlab.matches.play import GameRecord
from boardlab.position import Position

__all__ = ["Course", "ExactScores", "course_of", "decided_at", "lead_changes"]

ExactScores = Callable[[Position], tuple[float, ...] | None]
"""Tells what every player scores under perfect play, None where that is not known."""

_LEAD = 0.05
"""A lead is at least this part of the range of scores."""


@dataclass(frozen=True)
class Course:
    """How a game went."""

    plies: int
    choices: float
    """Legal actions of a position in the mean."""
    decided: float | None
    """After which part of its actions it was decided, from 0 to 1; None where nobody knows who led."""
    lead_changes: int | None


def course_of(game: Game, record: GameRecord, start: bytes | None, exact: ExactScores | None = None) -> Course:
    """The course of a game from its record; `start` is the state that it began with. Its choices are those of positions
    in which somebody moved."""
    position = Position(game, None if start is None else _state(game, start))
    choices: list[int] = []
    expected = _Expected(game, exact is not None)
    leaders: list[int | None] = []
    known = True
    for event in record.events:
        if event.player is None:
            position.play_chance(event.number)
            continue
        choices.append(len(position.legal_actions))
        known = known and expected.now(position, record, len(choices) - 1, exact)
        leaders.append(expected.leader() if known else None)
        if known and expected.is_first_word():
            leaders = [leaders[-1]] * len(leaders)  # nobody knew before who led
        position.play(event.number)
    if not choices:
        return Course(0, 0.0, None, None)
    told = known and game.num_players > 1
    return Course(
        plies=len(choices),
        choices=sum(choices) / len(choices),
        decided=decided_at(leaders, winner_of(record.scores)) if told else None,
        lead_changes=lead_changes(leaders) if told else None,
    )


def winner_of(scores: Sequence[float]) -> int | None:
    """Who has the highest score alone; None where several have it."""
    best = [player for player, score in enumerate(scores) if score == max(scores)]
    return best[0] if len(best) == 1 else None


def decided_at(leaders: Sequence[int | None], winner: int | None) -> float:
    """After which part of its actions a game was decided, by who led before each of them."""
    last = max((place for place, leader in enumerate(leaders) if leader != winner), default=-1)
    return (last + 1) / len(leaders)


def lead_changes(leaders: Sequence[int | None]) -> int:
    """How often the lead went from one player to another; nobody's lead in between does not count."""
    held = [leader for leader in leaders if leader is not None]
    return sum(one != other for one, other in pairwise(held))


class _Expected:
    """What every player expects: by exact values all at once, else each at his own last move. What players expect in
    their own turn is held against each other, because most are a little too confident then."""

    def __init__(self, game: Game, exact: bool) -> None:
        low, high = game.score_range
        self.margin = 1e-9 if exact else _LEAD * (high - low)
        self.scores: list[float | None] = [None] * game.num_players
        self.words = 0

    def now(self, position: Position, record: GameRecord, ply: int, exact: ExactScores | None) -> bool:
        """Take in what is known before an action; whether it is known."""
        if exact is not None:
            found = exact(position)
            if found is None:
                return False
            self.scores = list(found)
            self.words += 1
            return True
        opinion = record.opinions[ply] if ply < len(record.opinions) else None
        if opinion is None:
            return False
        self.scores[position.player] = opinion
        self.words += None not in self.scores
        return True

    def is_first_word(self) -> bool:
        """Whether it is now known for the first time what all players expect."""
        return self.words == 1

    def leader(self) -> int | None:
        """Who expects more than all others; None where nobody does, or not everybody has said what he expects."""
        told = [score for score in self.scores if score is not None]
        if len(told) < max(2, len(self.scores)):
            return None
        first, second = sorted(told, reverse=True)[:2]
        return told.index(first) if first - second > self.margin else None


def _state(game: Game, start: bytes) -> Any:
    return np.frombuffer(start, game.state)[0]
