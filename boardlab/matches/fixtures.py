"""A game that is to be played, and the record of one that was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np
from numpy.typing import NDArray

from boardlab.position import Event, event_from_code
from boardlab.rng import Rng, make_rng

__all__ = ["CodedEvents", "Fixture", "GameRecord", "rngs_of"]


class CodedEvents(Sequence[Event]):
    """The events of a game, kept as numbers: a game of 2048 has some ten thousand of them, and few are looked at."""

    def __init__(self, codes: NDArray[np.int32], movers: NDArray[np.int8]) -> None:
        """The code of every event, and who moved."""
        self.codes, self.movers = codes, movers

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Event, ...]: ...
    def __getitem__(self, index: int | slice) -> Event | tuple[Event, ...]:
        if isinstance(index, slice):
            return tuple(CodedEvents(self.codes[index], self.movers[index]))
        number, chance = event_from_code(int(self.codes[index]))
        return Event(None if chance else int(self.movers[index]), number)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


@dataclass(frozen=True)
class Fixture:
    """One game to be played: which contestant has which seat, and where the game starts."""

    seats: tuple[int, ...]
    start: bytes | None = None
    """The state record to start from; None for the start of the game."""
    number: int | None = None
    """Which random numbers the game has; its place in the list where nobody says."""
    seeds: tuple[int, int] | None = None
    """Seeds of its own: one of the chance events, one of the players; None: those of the series."""
    plies: int | None = None
    """The game is cut off after so many actions; None: it is played to its end."""
    adjudicate: int | None = None
    """From so many actions on, the game ends as soon as the solver knows what perfect play would bring; None: never."""
    pie: bool = False
    """Whether the second player may take over the first move (`boardlab.matches.pie`)."""
    opinions: bool = False
    """Whether the record shall tell what the players expected."""

    @property
    def is_plain(self) -> bool:
        """Whether it is nothing but a game from its start to its end."""
        return self.plies is None and self.adjudicate is None and not self.pie and not self.opinions


@dataclass(frozen=True)
class GameRecord:
    """How a game went; scores, moves and seconds of thought are in the order of the seats."""

    seats: tuple[int, ...]
    scores: tuple[float, ...]
    moves: tuple[int, ...]
    seconds: tuple[float, ...] = field(compare=False)
    events: Sequence[Event] = ()
    """What happened, from the start of the fixture on."""
    adjudicated: bool = False
    """Whether the scores are the word of the solver, and not the end of the game."""
    swapped: bool = False
    """Whether the seats are no longer those of the fixture, because the first move was taken over."""
    opinions: tuple[float | None, ...] = ()
    """What the player of each action expected of it for himself; None where he had no opinion."""
    cpu: tuple[float, ...] = field(default=(), compare=False)
    """Seconds of CPU time of thought, where they were asked for, with what the rules took since the last move."""
    late: tuple[int, float] | None = None
    """The seat that took too long for a move, where there was a limit, and the seconds; the game has ended there."""


def rngs_of(fixture: Fixture, seed: int, number: int) -> list[Rng]:
    """The random numbers of chance events and of each seat, in game `number` of a series. Seeds of its own have the
    streams 0 and 1, 2, ..."""
    players = range(len(fixture.seats))
    if fixture.seeds is not None:
        chance, own = fixture.seeds
        return [make_rng(chance), *(make_rng(own, 1 + seat) for seat in players)]
    first = 1 + (number if fixture.number is None else fixture.number) * (len(players) + 1)
    return [make_rng(seed, first), *(make_rng(seed, first + 1 + seat) for seat in players)]
