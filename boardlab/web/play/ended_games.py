"""How a live game ends before the rules end it; and `EndedGames`: its ends that have been stored, each once, however
often it is taken back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from boardlab.game import Game

__all__ = ["EndedGames", "ending_words", "scores_without"]

log = logging.getLogger("boardlab.web")

Key = tuple[Any, ...]
"""What makes an ended game a different one."""


def scores_without(game: Game, loser: int, scores: list[float]) -> list[float]:
    """Who resigns or runs out of time gets the lowest score, a single opponent the highest; alone one keeps what one
    has."""
    if game.num_players == 1:
        return scores
    low, high = game.score_range
    other = [high] * len(scores) if len(scores) == 2 else scores
    return [low if player == loser else x for player, x in enumerate(other)]


def ending_words(flagged: int | None) -> str:
    """What the loser did."""
    return "resigned" if flagged is None else "ran out of time"


class EndedGames:
    """The stored games that came of a live game, by what makes them different."""

    def __init__(self) -> None:
        self._stored: dict[Key, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def record(self, key: Key) -> str | None:
        """The id of the stored game, where it is stored already."""
        return self._stored.get(key)

    def remember(self, key: Key, record: str) -> None:
        """The game was stored before under this id."""
        self._stored[key] = record

    def store(self, key: Key, work: Callable[[], str], then: Callable[[Key, str], None]) -> None:
        """Store a game in a thread, and call `then` with its id."""
        task = asyncio.create_task(self._store(key, work, then))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(_complain)

    async def finish(self) -> None:
        """Wait until all is stored."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _store(self, key: Key, work: Callable[[], str], then: Callable[[Key, str], None]) -> None:
        self._stored[key] = await asyncio.to_thread(work)
        then(key, self._stored[key])


def _complain(task: asyncio.Task[None]) -> None:
    """A game that could not be stored is not worth more than a line in the terminal."""
    if not task.cancelled() and task.exception() is not None:
        log.error("a game could not be stored: %s", task.exception())
