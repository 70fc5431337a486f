"""`Start`: how a live game begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boardlab.web.play.game_clock import ClockWish
from boardlab.web.server.models import Event, Setup

__all__ = ["Start"]


@dataclass(frozen=True)
class Start:
    """How a live game begins: after these events, from the start of the game or from one that was set up by hand, with
    or without a clock."""

    events: Sequence[Event] = ()
    setup: Setup | None = None
    state: np.void | None = None
    """The state of the set-up."""
    clock: ClockWish | None = None

    @property
    def given(self) -> bool:
        """Whether it is another one than that of the rules."""
        return bool(self.events) or self.setup is not None
