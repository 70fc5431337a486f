"""Plays what a format asks for and writes every game to the journal as soon as it is over: in machine code by threads
of this process, what does not compile in this process or in several of this machine, or all on a cluster
(`boardlab.executors`)."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from boardlab.errors import BoardlabError
from boardlab.executors import Executor, Outcome, Task, open_executor
from boardlab.executors.local import LocalExecutor
from boardlab.tournament.compiled import CompiledGames
from boardlab.tournament.journal import Journal, PlayedGame
from boardlab.tournament.plan import Format
from boardlab.tournament.referee import GameLine, GameTask, play_compiled, play_here
from boardlab.tournament.sets import PlannedGame

__all__ = ["Crew", "Lost", "Told", "open_crew", "run_format", "run_games"]

ATTEMPTS = 3
"""So often a game is begun whose worker process dies."""
TOGETHER_SECONDS = 0.2
MOST_TOGETHER = 64
"""Quick games are handed out together, as many as take so long, and no more than this."""


@dataclass
class Crew:
    """Who plays."""

    executor: Executor | None = None
    """Other processes; None: this one."""
    compiled: CompiledGames | None = None
    """Threads of this process, for what compiles; None: nobody."""

    @property
    def slots(self) -> int:
        """How many games are played at the same time."""
        return 1 if self.executor is None else self.executor.slots

    @property
    def words(self) -> str:
        """Who they are."""
        return "one process" if self.executor is None else self.executor.words


Told = Callable[[PlayedGame, int, int], None]
"""Is told of every new game, how many of those that are known to be needed are done, and how many these are."""


@dataclass(frozen=True)
class Lost:
    """A game without a result: its worker process died again and again."""

    game: PlannedGame
    reason: str


@contextmanager
def open_crew(workers: int = 1, cluster: str | None = None) -> Iterator[Crew]:
    """Those who play until the context ends: the workers of a cluster, so many threads and processes, or this process
    alone. Processes start when there is something for them to do."""
    compiled = CompiledGames(workers) if cluster is None else None
    if workers == 1 and cluster is None:
        yield Crew(None, compiled)
        return
    with open_executor(cluster, workers) as executor:
        yield Crew(executor, compiled)


def run_format(format_: Format, journal: Journal, crew: Crew, *, limit: float, told: Told | None = None) -> list[Lost]:
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
    games: Sequence[PlannedGame], journal: Journal, crew: Crew, *, limit: float
) -> Generator[PlayedGame | Lost]:
    """Play games and write them to the journal; they come in the order in which they end."""
    planned = {game.id: game for game in games}
    tasks = [game.task() for game in planned.values()]
    for result in _results(tasks, journal, crew, limit):
        if result.failure:
            yield Lost(planned[result.id], result.failure)
            continue
        played = journal.add(result.line, own=result.own)
        if played is not None:
            yield played
    journal.remove_spool()


class _Result(NamedTuple):
    """What came of a game."""

    id: str
    line: GameLine
    failure: str = ""
    """Why there is no line."""
    own: bool = False
    """Whether it was played in this process."""


def _results(tasks: Sequence[GameTask], journal: Journal, crew: Crew, limit: float) -> Iterator[_Result]:
    waiting = deque(tasks)
    if crew.executor is None:
        yield from map(_own, play_here(waiting, limit, crew.compiled))
        return
    compiled = crew.compiled
    if compiled is not None:
        yield from map(_own, play_compiled(compiled, waiting, limit))
    for result in _Hands(crew.executor, journal, limit, waiting).play():
        yield result
        if compiled is not None and result.line and compiled.is_worth_it(result.line, len(waiting)):
            yield from map(_own, play_compiled(compiled, waiting, limit))


def _own(line: GameLine) -> _Result:
    return _Result(line["id"], line, own=True)


class _Hands:
    """Hands out games to other processes: some at a time, so that few are begun in vain if somebody stops it; and
    several quick ones together, so that more time goes into playing than into talking about it."""

    def __init__(self, crew: Executor, journal: Journal, limit: float, waiting: deque[GameTask]) -> None:
        self.crew, self.limit, self.waiting = crew, limit, waiting
        here = isinstance(crew, LocalExecutor)
        self.spool = str(journal.spool) if here else ""  # elsewhere it has no such folder
        self.folder = "" if here else str(Path.cwd())
        self.compiled = not here  # here it is done by threads
        self.deaths: Counter[str] = Counter()
        self.played, self.seconds = 0, 0.0

    def play(self) -> Iterator[_Result]:
        """Play all games that wait, in their order as far as several processes have one."""
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
                yield _Result(line["id"], line)

    def _hand_out(self, slots: int) -> None:
        """The next game, or as many as are played in a moment; one that has failed before is handed out alone."""
        count = 1 if self.seconds == 0.0 else int(TOGETHER_SECONDS * self.played / self.seconds)
        fair = len(self.waiting) // (2 * slots)
        games: list[GameTask] = []
        while self.waiting and len(games) < max(1, min(count, fair, MOST_TOGETHER)):
            if self.deaths[self.waiting[0]["id"]] and games:
                break
            games.append(self.waiting.popleft())
            if self.deaths[games[-1]["id"]]:
                break
        places = {"spool": self.spool, "folder": self.folder}
        arguments = {"games": games, "limit": self.limit, "compiled": self.compiled, **places}
        self.crew.submit(Task(games[0]["id"], "boardlab.tournament.referee:play_several", arguments))

    def _failed(self, outcome: Outcome) -> Iterator[_Result]:
        """Games whose process died are begun again. What the referee himself refuses ends the tournament."""
        if not outcome.lost:
            raise BoardlabError(outcome.failure)
        for task in outcome.task.arguments["games"]:
            self.deaths[task["id"]] += 1
            if self.deaths[task["id"]] < ATTEMPTS:
                self.waiting.append(task)
            else:
                yield _Result(task["id"], {}, outcome.failure)
