"""Plays what a format asks for and writes every game to the journal as soon as it is over: in this process, in several
of this machine, or on a cluster (`boardlab.executors`)."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.executors import Executor, Outcome, Task, open_executor
from boardlab.executors.local import LocalExecutor
from boardlab.tournament.journal import Journal, PlayedGame
from boardlab.tournament.plan import Format
from boardlab.tournament.referee import play
from boardlab.tournament.sets import PlannedGame

__all__ = ["Crew", "Lost", "Told", "open_crew", "run_format", "run_games"]

ATTEMPTS = 3
"""So often a game is begun whose worker process dies."""
TOGETHER_SECONDS = 0.2
MOST_TOGETHER = 64
"""Quick games are handed out together, as many as take so long, and no more than this."""

Crew = Executor | None
"""Who plays: other processes, or this one."""

Told = Callable[[PlayedGame, int, int], None]
"""Is told of every new game, how many of those that are known to be needed are done, and how many these are."""


@dataclass(frozen=True)
class Lost:
    """A game without a result: its worker process died again and again."""

    game: PlannedGame
    reason: str


@contextmanager
def open_crew(workers: int = 1, cluster: str | None = None) -> Iterator[Crew]:
    """Those who play until the context ends: the workers of a cluster, so many processes, or this process alone."""
    if workers == 1 and cluster is None:
        yield None
        return
    with open_executor(cluster, workers) as executor:
        yield executor


def run_format(
    format_: Format, journal: Journal, crew: Crew = None, *, limit: float, told: Told | None = None
) -> list[Lost]:
    """Play all games of a tournament that are not in the journal; returns those that could not be played."""
    lost: list[Lost] = []
    while not lost:  # a format that goes by results cannot go on without one
        wanted = format_.wanted(journal.games)
        todo = [game for game in wanted if game.id not in journal.games]
        if not todo:
            break
        done = len(wanted) - len(todo)
        for found in run_games(todo, journal, crew, limit=limit):
            if isinstance(found, Lost):
                lost.append(found)
                continue
            done += 1
            if told is not None:
                told(found, done, len(wanted))
    return lost


def run_games(
    games: Sequence[PlannedGame], journal: Journal, crew: Crew = None, *, limit: float
) -> Generator[PlayedGame | Lost]:
    """Play games and write them to the journal; they come in the order in which they end."""
    planned = {game.id: game for game in games}
    tasks = [game.task() for game in planned.values()]
    results = _played_here(tasks, limit) if crew is None else _Hands(crew, journal, limit).play(tasks)
    for name, result, failure in results:
        if failure:
            yield Lost(planned[name], failure)
            continue
        played = journal.add(result)
        if played is not None:
            yield played
    journal.remove_spool()


Result = tuple[str, dict[str, Any], str]
"""The identity of a game, the line of the journal that came of it, and why there is none."""


def _played_here(tasks: Sequence[dict[str, Any]], limit: float) -> Iterator[Result]:
    for task in tasks:
        yield task["id"], play(**task, limit=limit), ""


class _Hands:
    """Hands out games to other processes: some at a time, so that few are begun in vain if somebody stops it; and
    several quick ones together, so that more time goes into playing than into talking about it."""

    def __init__(self, crew: Executor, journal: Journal, limit: float) -> None:
        self.crew, self.limit = crew, limit
        here = isinstance(crew, LocalExecutor)
        self.spool = str(journal.spool) if here else ""  # elsewhere it has no such folder
        self.folder = "" if here else str(Path.cwd())
        self.deaths: Counter[str] = Counter()
        self.waiting: deque[dict[str, Any]] = deque()
        self.played, self.seconds = 0, 0.0

    def play(self, tasks: Sequence[dict[str, Any]]) -> Iterator[Result]:
        """Play all games, in their order as far as several processes have one."""
        self.waiting.extend(tasks)
        while self.waiting or self.crew.pending:
            slots = max(1, self.crew.slots)  # a cluster may have no workers yet: then one game waits for them
            while self.waiting and self.crew.pending < 2 * slots:
                self._hand_out(slots)
            outcome = self.crew.wait(1.0)
            if outcome is None:
                continue
            if outcome.failure:
                yield from self._failed(outcome)
                continue
            for line in outcome.result:
                self.played += 1
                self.seconds += math.fsum(line["seconds"])
                yield line["id"], line, ""

    def _hand_out(self, slots: int) -> None:
        """The next game, or as many as are played in a moment; one that has failed before is handed out alone."""
        count = 1 if self.seconds == 0.0 else int(TOGETHER_SECONDS * self.played / self.seconds)
        fair = len(self.waiting) // (2 * slots)
        games: list[dict[str, Any]] = []
        while self.waiting and len(games) < max(1, min(count, fair, MOST_TOGETHER)):
            if self.deaths[self.waiting[0]["id"]] and games:
                break
            games.append(self.waiting.popleft())
            if self.deaths[games[-1]["id"]]:
                break
        arguments = {"games": games, "limit": self.limit, "spool": self.spool, "folder": self.folder}
        self.crew.submit(Task(games[0]["id"], "boardlab.tournament.referee:play_several", arguments))

    def _failed(self, outcome: Outcome) -> Iterator[Result]:
        """Games whose process died are begun again. What the referee himself refuses ends the tournament."""
        if not outcome.lost:
            raise BoardlabError(outcome.failure)
        for task in outcome.task.arguments["games"]:
            self.deaths[task["id"]] += 1
            if self.deaths[task["id"]] < ATTEMPTS:
                self.waiting.append(task)
            else:
                yield task["id"], {}, outcome.failure
