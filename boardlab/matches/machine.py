"""Whole games in machine code, where every seat has a player that compiles: what `play_fixtures` uses by itself.

A kernel plays a block of games with the same random numbers in the same order as `play_game` does move by move, so that
the records are equal to the bit. It is compiled once for a game: players are called by their addresses
(`boardlab.search.player`). Threads take blocks from the list of fixtures, each with players of its own, and never wait
for the interpreter. The calling thread only waits for their records, so that it hears Ctrl-C at once; a thread ends
after the move that it is thinking about.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from time import thread_time
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from boardlab.agents.base import Agent
from boardlab.agents.learning import LearningAgent
from boardlab.agents.wrapper import Wrapper
from boardlab.compiler import Compilable, helper, hot_kernel
from boardlab.compiler.clock import clock_address, read_clock, read_cpu_clock
from boardlab.compiler.handles import call_by_address, is_ready
from boardlab.game import Game
from boardlab.matches.fixtures import CodedEvents, Fixture, GameRecord
from boardlab.position import MOST_ROLLS
from boardlab.rng import make_rngs
from boardlab.search.player import Seat

__all__ = [
    "Finished",
    "NotCompiled",
    "compiled_seats",
    "games_in_machine_code",
    "give_back",
    "play_in_machine_code",
]

DONE, STOPPED, NO_ROOM, BROKEN, GOES_ON = 0, 1, 2, 3, 4
"""How a block ends: all of its games are over; it was told to stop; there is no room for another event; a game is not
played by its rules; and a game that does not end yet."""

_BLOCK_SECONDS = 0.1
"""So much CPU time a block of games takes, about."""
_MOST_GAMES = 256
_FIRST_EVENTS = 1 << 12


class _Block(Compilable):
    """A block of m games, and how far it is."""

    def __init__(
        self,
        game: Game,
        fixtures: Sequence[Fixture],
        first: int,
        seed: int,
        seats: Sequence[Seat],
        limit: float | None = None,
    ) -> None:
        """The games `first`, `first` + 1, ... of a series with this seed, with so many seconds for a move."""
        m, players = len(fixtures), game.num_players
        self.entries = np.array([seat.addresses for seat in seats], np.int64).reshape(-1, 3)
        self.seats = np.array([fixture.seats for fixture in fixtures], np.int64).reshape(m, players)
        self.starts = np.zeros(m, game.state)
        self.given = np.array([fixture.start is not None for fixture in fixtures], np.bool_)
        for i, fixture in enumerate(fixtures):
            if fixture.start is not None:
                self.starts[i] = np.frombuffer(fixture.start, game.state)[0]
        self.rngs = _rngs(fixtures, first, seed, players)
        self.states = np.zeros(2, game.state)
        self.scores = np.zeros((m, players))
        self.moves = np.zeros((m, players), np.int64)
        self.seconds, self.cpu = np.zeros((m, players)), np.zeros((m, players))
        self.limits = np.array([math.inf if limit is None else limit, limit is not None], np.float64)
        """The seconds for a move, and whether CPU time is taken."""
        self.since = np.zeros(1)
        """When the last player had moved, in CPU time of the thread."""
        self.late = np.full((m, 2), -1.0)
        """Of each game the player who took longer, if there is one, and how long."""
        self.codes = np.zeros(_FIRST_EVENTS, np.int64)
        self.movers = np.zeros(_FIRST_EVENTS, np.int8)
        self.ends = np.zeros(m + 1, np.int64)
        self.progress = np.array([0, 0, 0, 0], np.int64)
        """The number of the game, of its events and its actions so far, and of the last chance events in a row."""
        self.actions = np.zeros(game.num_actions, np.int64)
        self.stop = np.zeros(1, np.int64)
        self.clock = np.array([clock_address()], np.int64)
        self.ticks = np.zeros(2, np.int64)

    def make_room(self) -> None:
        """Twice as much room for events."""
        self.codes = np.concatenate([self.codes, np.zeros_like(self.codes)])
        self.movers = np.concatenate([self.movers, np.zeros_like(self.movers)])


def _rngs(fixtures: Sequence[Fixture], first: int, seed: int, players: int) -> NDArray[np.uint64]:
    """The random numbers of chance events and seats in each game (`rngs_of`), uint64 (m, players + 1, 4). All games of
    a series have seeds of their own, or none."""
    own = [fixture.seeds for fixture in fixtures if fixture.seeds is not None]
    if own:
        seeds = np.array(own, np.uint64)[:, [0] + [1] * players]
        return make_rngs(seeds, np.tile(np.arange(players + 1), (len(own), 1)))
    numbers = [first + i if fixture.number is None else fixture.number for i, fixture in enumerate(fixtures)]
    streams = 1 + np.array(numbers, np.int64)[:, None] * (players + 1) + np.arange(players + 1)
    return make_rngs(seed, streams)


@hot_kernel
def _play_block(game: Any, block: Any) -> int:
    """Play on until all games of the block are over, or something else is the matter; what."""
    while block.progress[0] < len(block.seats):
        if block.progress[1] == 0:
            _begin(game, block)
        if block.limits[1] > 0.0:
            block.since[0] = read_cpu_clock(block.clock[0], block.ticks)
        status = _play_on(game, block)
        if status != DONE:
            return status
        g = block.progress[0]
        game.scores(block.states[0], block.scores[g])
        block.ends[g + 1] = block.ends[g] + block.progress[1]
        block.progress[0] += 1
        block.progress[1:] = 0
    return DONE


@helper
def _begin(game: Any, block: Any) -> None:
    """Set up the start position of the game, and have its players forget their last one."""
    g = block.progress[0]
    block.states[0] = block.starts[g]
    if not block.given[g]:
        game.reset(block.states[0])
    for k in block.seats[g]:
        call_by_address(block.entries[k, 1], block.entries[k, 2], ())


@helper
def _play_on(game: Any, block: Any) -> int:
    """Play the game until it is over, which is DONE, or something else is the matter."""
    s = block.states[0]
    g = block.progress[0]
    begin = block.ends[g]
    played = block.codes[begin:]
    while True:
        count = block.progress[1]
        if count == len(played):
            return NO_ROOM
        if game.is_chance(s):
            outcome = game.sample_chance(s, block.rngs[g, 0])
            played[count] = -1 - outcome
            block.movers[begin + count] = -1
            game.advance_chance(s, outcome)
            block.progress[3] += 1
            if block.progress[3] > MOST_ROLLS:
                return BROKEN
        elif game.is_over(s):
            return DONE
        else:
            if block.stop[0] != 0:
                return STOPPED
            status = _move(game, block, s, g, played, count)
            if status != GOES_ON:
                return status
            block.progress[3] = 0
        block.progress[1] += 1


@helper
def _move(game: Any, block: Any, s: Any, g: int, played: NDArray[np.int64], count: int) -> int:
    """Let the player whose turn it is choose and play: GOES_ON, DONE where it is too late, BROKEN."""
    player = np.int64(game.player(s))
    entry = block.entries[block.seats[g, player]]
    began = read_clock(block.clock[0], block.ticks)
    action = call_by_address(entry[0], entry[2], (block.states, played, count, block.rngs[g, 1 + player]))
    took = read_clock(block.clock[0], block.ticks) - began
    block.seconds[g, player] += took
    if block.limits[1] > 0.0:
        now = read_cpu_clock(block.clock[0], block.ticks)
        block.cpu[g, player] += now - block.since[0]
        block.since[0] = now
    block.moves[g, player] += 1
    block.progress[2] += 1
    if took > block.limits[0]:
        block.late[g, 0] = player
        block.late[g, 1] = took
        return DONE
    if block.progress[2] > game.max_moves or not _is_legal(game, block, s, action):
        return BROKEN
    played[count] = action
    block.movers[block.ends[g] + count] = player
    game.advance(s, action)
    return GOES_ON


@helper
def _is_legal(game: Any, block: Any, s: Any, action: int) -> bool:
    n = game.legal_actions(s, block.actions)
    known = False
    for i in range(n):
        known |= block.actions[i] == action
    return known


# ---------------------------------------------------------------- threads


_idle: WeakKeyDictionary[Agent, list[Seat]] = WeakKeyDictionary()
"""Players that have nothing to do, with what they have found out so far. An agent that learns gets new ones, because it
may have learned since."""
_idle_lock = threading.Lock()


def compiled_seats(game: Game, agents: Sequence[Agent], *, compile: bool = True) -> list[Seat] | None:
    """Players of all agents for one thread. None where one of them does not compile, or, unless they may `compile`,
    where the machine code is not there yet."""
    if game.plain or not all(agent.plays_compiled for agent in agents):
        return None
    if not compile and not is_ready(_play_block, game, _Block(game, (), 0, 0, ())):
        return None
    seats = []
    for agent in agents:
        with _idle_lock:
            idle = _idle.get(agent)
            seat = idle.pop() if idle else None
        if seat is None:
            try:
                player = agent.player()
            except MemoryError:  # a search tree for a whole game is larger than one that grows
                return None
            if player is None or not (compile or Seat.is_ready(game, player)):
                return None
            seat = Seat(game, player)
        seats.append(seat)
    return seats


def give_back(agents: Sequence[Agent], seats: Sequence[Seat]) -> None:
    """The players of agents have nothing to do any more."""
    with _idle_lock:
        for agent, seat in zip(agents, seats, strict=True):
            if not isinstance(agent, LearningAgent | Wrapper):
                _idle.setdefault(agent, []).append(seat)


Finished = Callable[[int, GameRecord, int], None]
"""Is told the number of a game, its record, and how many games are done."""


def play_in_machine_code(
    game: Game,
    agents: Sequence[Agent],
    seats: list[Seat],
    fixtures: Sequence[Fixture],
    first: int,
    seed: int,
    workers: int,
    finished: Finished,
) -> list[GameRecord]:
    """Play the games from number `first` on (`games_in_machine_code`), and return their records in their order."""
    records: dict[int, GameRecord] = {}
    for number, record in games_in_machine_code(game, agents, seats, fixtures, first, seed, workers):
        records[number] = record
        finished(number, record, first + len(records))
    return [records[number] for number in range(first, len(fixtures))]


def games_in_machine_code(
    game: Game,
    agents: Sequence[Agent],
    seats: list[Seat],
    fixtures: Sequence[Fixture],
    first: int,
    seed: int,
    workers: int,
    limit: float | None = None,
) -> Iterator[tuple[int, GameRecord]]:
    """Play the games from number `first` on by so many threads, and tell of each as it ends; `seats` are the players of
    the first thread. Where there is a `limit`, a game ends with a move that takes so many seconds, and CPU time is
    taken."""
    series = _Series(game, fixtures, first, seed, limit)
    team = [_Worker(series, seats)]
    team[0].start()
    done = first
    try:
        while done < len(fixtures):
            if len(team) < workers and series.is_long():
                more = compiled_seats(game, agents)
                if more is None:  # there is no memory for them
                    workers = len(team)
                else:
                    team.append(_Worker(series, more))
                    team[-1].start()
            for result in series.next_records():
                done += 1
                yield result
        for worker in team:
            worker.join()
            give_back(agents, worker.seats)
    finally:
        series.stop()


class _Series:
    """The games that are still to be played, and the records of those that are."""

    def __init__(self, game: Game, fixtures: Sequence[Fixture], first: int, seed: int, limit: float | None) -> None:
        self.game, self.fixtures, self.seed, self.limit = game, fixtures, seed, limit
        self._pattern = _Block(game, (), 0, 0, ())
        self._next = first
        self._seconds, self._played = 0.0, 0
        self._blocks: set[_Block] = set()
        self._stopped = False
        self._lock = threading.Lock()
        self._results: SimpleQueue[list[tuple[int, GameRecord]] | BaseException] = SimpleQueue()

    def is_long(self) -> bool:
        """Whether what is left is worth another thread."""
        left = len(self.fixtures) - self._next
        return self._played > 0 and self._seconds / self._played * left > 2 * _BLOCK_SECONDS

    def next_records(self) -> list[tuple[int, GameRecord]]:
        """Wait for the records of some more games."""
        result = self._results.get()
        if isinstance(result, BaseException):
            raise result
        return result

    def stop(self) -> None:
        """Have all threads end after the move that they are thinking about."""
        with self._lock:
            self._stopped = True
            for block in self._blocks:
                block.stop[0] = 1

    def play_some(self, seats: list[Seat]) -> bool:
        """Play a block of games in this thread; False where none is left."""
        block, first = self._take(seats)
        if block is None:
            return False
        began = thread_time()
        try:
            status = self._play(block)
        finally:
            with self._lock:
                self._blocks.discard(block)
                self._seconds += thread_time() - began
                self._played += len(block.seats)
        if status == DONE:
            self._results.put(list(_records(block, first)))
        return status == DONE

    def fail(self, error: BaseException) -> None:
        """Hand an error to whoever waits for records."""
        self._results.put(error)

    def _take(self, seats: list[Seat]) -> tuple[_Block | None, int]:
        with self._lock:
            first, left = self._next, len(self.fixtures) - self._next
            if left == 0 or self._stopped:
                return None, first
            count = 1 if self._played == 0 else int(_BLOCK_SECONDS * self._played / max(self._seconds, 1e-9))
            count = max(1, min(count, _MOST_GAMES, (left + 1) // 2))
            self._next += count
            block = _Block(self.game, self.fixtures[first : first + count], first, self.seed, seats, self.limit)
            block.take_type(self._pattern)
            self._blocks.add(block)
            return block, first

    def _play(self, block: _Block) -> int:
        while True:
            status = int(_play_block(self.game, block))
            if status == BROKEN:
                raise NotCompiled
            if status != NO_ROOM:
                return status
            block.make_room()


class NotCompiled(Exception):
    """Something in a game that compiled code cannot handle: a player that gave up, or rules that are broken."""


class _Worker(threading.Thread):
    """A thread that plays blocks of games until none is left."""

    def __init__(self, series: _Series, seats: list[Seat]) -> None:
        super().__init__(daemon=True, name="games")
        self.series, self.seats = series, seats

    def run(self) -> None:
        try:
            while self.series.play_some(self.seats):
                pass
        except BaseException as error:
            self.series.fail(error)


def _records(block: _Block, first: int) -> Iterator[tuple[int, GameRecord]]:
    scores, moves, seconds = block.scores.tolist(), block.moves.tolist(), block.seconds.tolist()
    ends, late = block.ends.tolist(), block.late.tolist()
    cpu = block.cpu.tolist() if block.limits[1] else [()] * len(seconds)
    for i, seating in enumerate(block.seats.tolist()):
        part = slice(ends[i], ends[i + 1])
        events = CodedEvents(block.codes[part].astype(np.int32), block.movers[part].copy())
        yield (
            first + i,
            GameRecord(
                tuple(seating),
                tuple(scores[i]),
                tuple(moves[i]),
                tuple(seconds[i]),
                events,
                cpu=tuple(cpu[i]),
                late=None if late[i][0] < 0 else (int(late[i][0]), late[i][1]),
            ),
        )
