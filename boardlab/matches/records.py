"""The games of a match as recorded games (`boardlab.store.game_files`), to be looked at or learned from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from boardlab.matches.match import MatchResult
from boardlab.position import Event, Position

__all__ = ["recorded"]


def recorded(match: MatchResult, starts: Sequence[Position] = ()) -> Iterator[dict[str, Any]]:
    """All games of a match with start positions that were reached by play, each from the start of the game on."""
    prefixes = [start.history for start in starts] or [[]]
    seatings = len(dict.fromkeys(record.seats for record in match.records))
    for number, record in enumerate(match.records):
        events = [*prefixes[number // seatings % len(prefixes)], *record.events]
        yield {
            "game": match.game,
            "seats": [match.contestants[contestant] for contestant in record.seats],
            "scores": list(record.scores),
            "events": [_event(event) for event in events],
        }


def _event(event: Event) -> dict[str, int]:
    return {"chance" if event.player is None else "action": event.number}
