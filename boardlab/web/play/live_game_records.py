"""A live game as JSON, from which another server goes on with it: who plays, and what has happened."""

from __future__ import annotations

import base64

import numpy as np
from pydantic import BaseModel

from boardlab.web.library.games import GameLibrary
from boardlab.web.play.game_clock import ClockWish, StoredClock
from boardlab.web.play.live_game import LiveGame, LiveGameParts
from boardlab.web.play.seat_owners import SeatOwners
from boardlab.web.play.start import Start
from boardlab.web.server.models import SeatChoice, Setup, event_of_code

__all__ = ["LiveGameRecord", "record_of", "revived"]


class LiveGameRecord(BaseModel):
    """All that is kept of a live game."""

    game: str
    seats: list[SeatChoice]
    setup: Setup | None = None
    state: str = ""
    """The record of the set-up, in base 64."""
    begun: int
    """So many of the events belong to the start."""
    events: list[int]
    """By their codes, with those that have been taken back."""
    ply: int
    seed: int
    paused: bool
    delay: int
    resigned: int | None
    flagged: int | None = None
    clock: StoredClock | None = None
    helped: bool = True
    record: str | None
    revision: int
    owners: list[str] | None = None
    """Who has which seat of a shared game."""


def record_of(live: LiveGame) -> LiveGameRecord:
    """What is kept of a live game."""
    start = live.start
    return LiveGameRecord(
        game=live.game.spec,
        seats=[seat.choice for seat in live.seats],
        setup=start.setup,
        state="" if start.state is None else base64.b64encode(start.state.tobytes()).decode(),
        begun=len(start.events),
        events=[event.code for event in live.timeline.events],
        ply=live.timeline.ply,
        seed=live.seed,
        paused=live.paused,
        delay=live.delay,
        resigned=live.resigned,
        flagged=live.flagged,
        clock=live.clock.kept(),
        helped=live.helped,
        record=live.record,
        revision=live.revision,
        owners=live.owners.owners,
    )


def revived(parts: LiveGameParts, most: int, name: str, games: GameLibrary, kept: LiveGameRecord) -> LiveGame:
    """The live game, as it was; agents do not think yet."""
    game = games.game(kept.game)
    events = [event_of_code(code) for code in kept.events]
    state = np.frombuffer(base64.b64decode(kept.state), game.state)[0] if kept.state else None
    clock = ClockWish(minutes=kept.clock.minutes, increment=kept.clock.increment) if kept.clock else None
    live = LiveGame(parts, most, name, game, kept.seats, Start(events[: kept.begun], kept.setup, state, clock))
    if kept.clock:
        live.clock.left = list(kept.clock.left)
    live.timeline.extend(events[kept.begun :])
    live.timeline.ply = kept.ply
    live.seed, live.paused, live.delay, live.resigned = kept.seed, kept.paused, kept.delay, kept.resigned
    live.flagged, live.revision, live.helped = kept.flagged, kept.revision, kept.helped
    live.owners = SeatOwners(kept.owners)
    live.remember_record(kept.record)
    return live
