"""The games of a tournament before they are played. A start is played in all seat orders; these games are a set, the
unit of all statistics: games of a set have their start in common, and their dice.

A game is known by what defines it: the game, who sits where, the start, how often this start came before, and the seed
of the tournament. The hash of that is its identity, and gives it random numbers of its own. So it comes out the same in
any process, on any machine and after any other games, and is never counted twice.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any

from boardlab.matches.match import MOST_SEATINGS
from boardlab.tournament.entrants import Entrant
from boardlab.tournament.starts import Start

__all__ = ["PlannedGame", "Sets", "seatings_of", "seeds_of"]


@dataclass(frozen=True)
class PlannedGame:
    """One game that is to be played."""

    game: str
    seats: tuple[Entrant, ...]
    start: Start
    number: int
    """How often the same players had this start before."""
    seed: int
    """That of the tournament."""
    adjudicate: int | None = None
    """From so many actions after the start on the solver may end it; such a game is another one."""

    @cached_property
    def set(self) -> str:
        """The set that it belongs to. Those who play alone are compared with each other under the same dice."""
        players = sorted(e.key for e in self.seats) if len(self.seats) > 1 else []
        content = [self.game, players, self.start.events, self.start.state, self.number, self.seed]
        return _hash(content if self.adjudicate is None else [*content, {"adjudicate": self.adjudicate}])

    @cached_property
    def id(self) -> str:
        """What it is known by."""
        return _hash([self.set, [entrant.key for entrant in self.seats]])

    def task(self) -> dict[str, Any]:
        """What a worker has to know, as plain data."""
        return {
            "id": self.id,
            "set": self.set,
            "game": self.game,
            "names": [entrant.name for entrant in self.seats],
            "specs": [entrant.spec for entrant in self.seats],
            "keys": [entrant.key for entrant in self.seats],
            "cpu_clocks": [entrant.cpu_clock for entrant in self.seats],
            "events": list(self.start.events),
            "state": self.start.state,
            "number": self.number,
            "seed": self.seed,
            "adjudicate": self.adjudicate,
        }


class Sets:
    """Makes the sets of a tournament."""

    def __init__(self, game: str, starts: Sequence[Start], seed: int, adjudicate: int | None = None) -> None:
        self.game, self.starts, self.seed, self.adjudicate = game, list(starts), seed, adjudicate

    def of(self, players: Sequence[Entrant], count: int, first: int = 0) -> list[list[PlannedGame]]:
        """So many sets of the same players, from set number `first` on; the starts take turns."""
        found = []
        for number in range(first, first + count):
            start, again = self.starts[number % len(self.starts)], number // len(self.starts)
            seatings = seatings_of(players)
            found.append(
                [PlannedGame(self.game, seats, start, again, self.seed, self.adjudicate) for seats in seatings]
            )
        return found


def seatings_of(players: Sequence[Entrant]) -> list[tuple[Entrant, ...]]:
    """All orders of the players while these are few, else all rotations; players who are equal give no more orders."""
    if math.factorial(len(players)) <= MOST_SEATINGS:
        return [*dict.fromkeys(permutations(players))]
    doubled = [*players, *players]
    return [*dict.fromkeys(tuple(doubled[shift : shift + len(players)]) for shift in range(len(players)))]


def seeds_of(set_: str, id_: str) -> tuple[int, int]:
    """The seeds of a game: that of its chance events, which all games of its set share, and that of its players."""
    return int(set_[:15], 16), int(id_[:15], 16)


def _hash(content: list[Any]) -> str:
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:24]
