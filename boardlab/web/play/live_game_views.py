"""What a page is told of a live game."""

from __future__ import annotations

from boardlab.web.play.game_clock import ClockView
from boardlab.web.server.models import ApiAnswer, PositionView, Seat, SeatChoice
from boardlab.web.workers.preparation import Compiling

__all__ = ["LiveGameView", "SeatView", "Thinking"]


class Thinking(ApiAnswer):
    """An agent at work."""

    seat: int
    seconds: float


class SeatView(Seat):
    """Who has a seat, with the choice that a form can be filled with."""

    choice: SeatChoice
    free: bool = False
    """In a shared game, a seat that nobody has taken yet."""


class LiveGameView(PositionView):
    """A live game as the page shows it."""

    id: str
    revision: int
    """Grows with every change."""
    game: str
    title: str
    players: list[str]
    seats: list[SeatView]
    ply: int
    plies: int
    """How many events there are, with what has been taken back."""
    resigned: int | None
    flagged: int | None
    """Who ran out of time."""
    clock: ClockView | None
    thinking: Thinking | None
    message: str | None
    paused: bool
    delay: int
    can_undo: bool
    can_redo: bool
    helped: bool
    """Whether a person had help or took a move back, so that the game does not count for the ladder."""
    record: str | None
    """The stored game, once it has ended."""
    shared: bool
    """Whether the seats belong to those who took them, on their own devices."""
    compiling: Compiling | None
    """How far it is, while an agent is made ready; `message` says which."""
