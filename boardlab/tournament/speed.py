"""How fast a tournament is played, and how much of the time of its processes goes into playing; the rest goes into
waiting for games, telling of them, and writing them down."""

from __future__ import annotations

from math import fsum
from time import perf_counter, process_time

from boardlab.tournament.journal import PlayedGame
from boardlab.tournament.running import Crew, Told
from boardlab.words import time_text

__all__ = ["Speed"]


class Speed:
    """Watches the games of a tournament as they come in. Until the first one is over, processes are started and their
    code is loaded; after that they should do nothing but play."""

    def __init__(self, told: Told | None = None) -> None:
        """`told` hears of every game as well."""
        self._told = told
        self.games = 0
        self.playing = 0.0
        """Seconds that the games after the first one took, in all processes together."""
        self.thinking = 0.0
        """The CPU time of their moves."""
        self._begin = self._first = self._last = perf_counter()
        self._cpu_first = process_time()

    def saw(self, game: PlayedGame, done: int, total: int) -> None:
        """A game is over, `done` of `total` are (`Told`)."""
        self._last = perf_counter()
        if self.games == 0:
            self._first, self._cpu_first = self._last, process_time()
        else:
            self.playing += game.playing
            self.thinking += fsum(game.cpu)
        self.games += 1
        if self._told is not None:
            self._told(game, done, total)

    def share(self, processes: int) -> float:
        """The share of the time of so many processes that went into playing, since the first game was over."""
        return min(1.0, self.playing / max(processes * (self._last - self._first), 1e-9))

    def cpu_share(self) -> float:
        """The share of the CPU time of this process, with all of its threads, that went into moves since the first
        game was over."""
        return min(1.0, self.thinking / max(process_time() - self._cpu_first, 1e-9))

    def words(self, crew: Crew) -> str:
        """All of it in a sentence, with who has played; empty where nobody has."""
        where, processes = crew.words, crew.slots
        if self.games < 2 * max(1, processes):  # too few to say anything
            return ""
        start = time_text(self._first - self._begin)
        share = f"{self.share(processes):.0%} of the time"
        if crew.compiled is not None and crew.compiled.played == self.games:
            threads = crew.compiled.threads
            where = "one thread" if threads == 1 else f"{threads} threads"
            where, share = f"machine code, {where}", f"{self.cpu_share():.0%} of the CPU time"
        return (
            f"{self.games:,} games in {time_text(self._last - self._begin)} in {where}: {start} until the first was"
            f" over, then {share} went into playing."
        )
