"""`GameClock`: how much time people have left in a live game. It runs on the server, for one person at a time.

Agents have no clock: the setting `seconds_per_move` bounds them. Whoever owns the clock says when a turn begins and
ends; when the time of a person is over, the clock says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Annotated

from pydantic import BaseModel, Field

from boardlab.web.server.models import ApiAnswer, ApiRequest

__all__ = ["ClockView", "ClockWish", "GameClock", "StoredClock"]


class ClockWish(ApiRequest):
    """A clock: so much time for each person, and a little more with every move."""

    minutes: Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)]
    increment: Annotated[float, Field(ge=0, le=600, allow_inf_nan=False)] = 0.0
    """Seconds that a move adds."""


class StoredClock(BaseModel):
    """A clock as it is kept: as it was set, and what was left; None for the seats of agents."""

    minutes: float
    increment: float
    left: list[float | None]


class ClockView(ApiAnswer):
    """A clock as the page shows it."""

    minutes: float
    increment: float
    left: list[float | None]
    """Seconds that each seat has left; nothing for agents."""
    running: int | None
    """Whose time runs."""


class GameClock:
    """The clock of one live game; lives in the event loop. Without a wish nobody has one."""

    def __init__(self, wish: ClockWish | None, people: Sequence[int], seats: int, over: Callable[[int], None]) -> None:
        """`over` is called with the seat whose time has run out."""
        self.wish, self._over = wish, over
        self._whole = 60.0 * wish.minutes if wish else None
        self.left: list[float | None] = [self._whole if seat in people else None for seat in range(seats)]
        self.running: int | None = None
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def run(self, seat: int) -> None:
        """Let the time of a person run, unless it runs already."""
        left = self.left[seat]
        if seat == self.running or left is None:
            return
        self.stop()
        self.running, self._since = seat, monotonic()
        self._timer = asyncio.get_running_loop().call_later(left, self._over, seat)

    def stop(self) -> None:
        """Let nobody's time run."""
        self.left, self.running = self.now(), None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def press(self) -> None:
        """The person whose time runs has moved."""
        seat = self.running
        self.stop()
        if seat is not None and self.wish is not None:
            self.left[seat] = (self.left[seat] or 0.0) + self.wish.increment

    def empty(self, seat: int) -> None:
        """Nothing is left for a person."""
        self.stop()
        self.left[seat] = 0.0

    def rotate(self) -> None:
        """Everybody moves on by one seat, and takes the time that is left along."""
        self.stop()
        self.left = self.left[-1:] + self.left[:-1]

    def seat(self, people: Sequence[int]) -> None:
        """Others have the seats: who plays on keeps the time that is left, a new person has all of it."""
        self.stop()
        self.left = [(self._whole if x is None else x) if seat in people else None for seat, x in enumerate(self.left)]

    # ------------------------------------------------------------ looking

    def now(self) -> list[float | None]:
        """Seconds that each seat has left."""
        spent = monotonic() - self._since
        return [max(0.0, x - spent) if x is not None and k == self.running else x for k, x in enumerate(self.left)]

    def is_out(self) -> bool:
        """Whether the time that runs is over, even if nobody has been told so yet."""
        return self.running is not None and self.now()[self.running] == 0.0

    def view(self) -> ClockView | None:
        """As the page shows it."""
        return ClockView(**dict(self.wish), left=self.now(), running=self.running) if self.wish else None

    def kept(self) -> StoredClock | None:
        """As it is kept."""
        if self.wish is None:
            return None
        return StoredClock(**dict(self.wish), left=[None if x is None else round(x, 3) for x in self.now()])
