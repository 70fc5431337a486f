"""Plays games between agents, on one core or on several.

Every game is a `Fixture` with random streams of its own, so its result depends on the seed and on its number alone:
not on the games before it, nor on the process that plays it. Agents who are given as text can be made in any process,
and those who have learned can be saved for it; then, when the games turn out to take long, they are dealt out to fresh
worker processes (spawned, so that no threads or locks of this one are inherited), which end with this one. Agents that
have compiled players (`Agent.player`) play whole games in machine code instead, in threads
(`boardlab.matches.machine`).
"""

from __future__ import annotations

import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from multiprocessing import active_children, get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time

import numpy as np

from boardlab.agents.base import Agent
from boardlab.agents.learning import LearningAgent
from boardlab.agents.registry import agent_classes, make_agent
from boardlab.arguments import shown, whole_number
from boardlab.errors import BoardlabError
from boardlab.executors import Executor
from boardlab.game import Game
from boardlab.matches.fixtures import Fixture, GameRecord, rngs_of
from boardlab.matches.machine import Finished, NotCompiled, compiled_seats, play_in_machine_code
from boardlab.matches.pie import first_move, takes_over
from boardlab.position import Position
from boardlab.registry import make
from boardlab.rng import Rng
from boardlab.solvers.judge import judge_of
from boardlab.system.lifeline import end_with_parent

__all__ = [
    "CREW",
    "Contestant",
    "Fixture",
    "GameRecord",
    "Guest",
    "Progress",
    "Witness",
    "agent_of",
    "is_long",
    "play_fixtures",
]


class Guest:
    """An agent that is made once and stays for several matches, with the text from which worker processes make
    theirs."""

    def __init__(self, spec: str, game: Game) -> None:
        self.spec, self.game = spec, game

    @cached_property
    def agent(self) -> Agent:
        """The agent, made when it is first needed."""
        return make_agent(self.spec, self.game)


Contestant = str | Agent | Guest
"""Who plays: an agent, or the text that makes one (its specification, or the path of an agent file), or both."""

Progress = Callable[[int, int], None]
"""Is told how many games are done, and of how many."""

CREW: ContextVar[Executor | None] = ContextVar("CREW", default=None)
"""Who plays instead of this machine, see `boardlab.matches.spread`."""

TRIAL_SECONDS = 1.0
WORTH_THE_START = 5.0
"""Games go on in machine code or in worker processes when the first ones have taken so long, and the others would take
so long (CPU seconds)."""
WORTH_COMPILING = 1000
"""So many games are played in machine code from the first on, even where that has to be compiled."""


Witness = Callable[[int, GameRecord], None]
"""Is shown every game, with its number, as soon as it is over; with several workers in the order in which they end."""


def agent_of(contestant: Contestant, game: Game) -> Agent:
    """The agent that a contestant is."""
    if isinstance(contestant, str):
        return make_agent(contestant, game)
    agent = contestant.agent if isinstance(contestant, Guest) else contestant
    if not isinstance(agent, Agent):
        raise BoardlabError(f"who plays is an agent, or the text that makes one, not {shown(contestant)}")
    if agent.game != game:
        raise BoardlabError(f"{agent.spec} was made for {agent.game.spec}, it cannot play {game.spec}")
    return agent


def play_fixtures(
    game: Game,
    contestants: Sequence[Contestant],
    fixtures: Sequence[Fixture],
    seed: int,
    *,
    workers: int = 1,
    progress: Progress | None = None,
    witness: Witness | None = None,
    many: bool = False,
) -> list[GameRecord]:
    """Play all games: in machine code by so many threads where all agents have compiled players, else move by move by
    so many processes. Processes are worth their start, and machine code that is not on disk its compilation, when the
    games take long; `many` says that more such games will follow. With several `workers` the calling program has to be
    one that can be spawned again: the command line, a notebook, or a script with `if __name__ == "__main__":`."""
    workers = whole_number(workers, "the number of workers", 1)
    game.require_sound()
    if progress is not None:
        progress(0, len(fixtures))  # before the agents are made, which may take longer than a game
    finished = _told_once(len(fixtures), progress, witness)
    crew = CREW.get()
    if crew:
        from boardlab.matches.spread import play_by

        return play_by(crew, game, contestants, fixtures, seed, finished)
    agents = [agent_of(contestant, game) for contestant in contestants]
    plain = all(fixture.is_plain for fixture in fixtures)
    seats = compiled_seats(game, agents, compile=many or len(fixtures) >= WORTH_COMPILING) if plain else None
    if seats is not None:
        plain = False
        with suppress(NotCompiled):  # move by move it works, or tells what is wrong
            return play_in_machine_code(game, agents, seats, fixtures, 0, seed, workers, finished)
    several = workers > 1 and all(map(_can_travel, contestants))
    records: list[GameRecord] = []
    begin = thread_time()  # on a busy machine more processes would make nothing faster
    for number, fixture in enumerate(fixtures):
        if is_long(thread_time() - begin, number, len(fixtures)):
            seats = compiled_seats(game, agents) if plain else None
            if seats is not None:
                plain = False  # it is tried only once
                with suppress(NotCompiled):
                    return records + play_in_machine_code(
                        game, agents, seats, fixtures, number, seed, workers, finished
                    )
            elif several:
                with _as_texts(contestants) as (texts, folder):
                    seated = (game.spec, texts, folder)
                    return records + _play_in_processes(seated, fixtures, seed, workers, number, finished)
        records.append(play_game(game, agents, fixture, seed, number))
        finished(number, records[-1], number + 1)
    return records


def _told_once(games: int, progress: Progress | None, witness: Witness | None) -> Finished:
    """Tells both of each game, and only once: some are played again where machine code turns out not to do."""
    told: set[int] = set()

    def finished(number: int, record: GameRecord, done: int) -> None:
        if number in told:
            return
        told.add(number)
        if witness is not None:
            witness(number, record)
        if progress is not None:
            progress(max(done, len(told)), games)

    return finished


def play_game(game: Game, agents: Sequence[Agent], fixture: Fixture, seed: int, number: int) -> GameRecord:
    """Play game `number` of a series. Chance events and every seat have their own random numbers."""
    state = None if fixture.start is None else np.frombuffer(fixture.start, game.state)[0]
    position = Position(game, state)
    chance, *rngs = rngs_of(fixture, seed, number)
    seats = [_Seat(who, rng) for who, rng in zip(fixture.seats, rngs, strict=True)]
    opinions: list[float | None] = []
    verdict: tuple[float, ...] | None = None
    swapped = False
    while not position.roll(chance).is_over and len(opinions) != fixture.plies:
        if fixture.adjudicate is not None and len(opinions) >= fixture.adjudicate:
            verdict = judge_of(game).scores(position)
            if verdict is not None:
                break
        begin = perf_counter()
        seat = seats[position.player]
        agent = agents[seat.who]
        if fixture.pie and not opinions:
            action = first_move(agent, position, seat.rng)
        else:
            action = agent.choose(position, seat.rng)
            if fixture.pie and len(opinions) == 1 and takes_over(agent, position, action, seat.rng):
                swapped = True
                seats.reverse()
                seat = seats[position.player]
                action = agents[seat.who].choose(position, seat.rng)
        seat.seconds += perf_counter() - begin
        seat.moves += 1
        opinions.append(_opinion(agents[seat.who], position, action) if fixture.opinions else None)
        position.play(action)
    return GameRecord(
        tuple(seat.who for seat in seats),
        tuple(position.scores) if verdict is None else verdict,
        tuple(seat.moves for seat in seats),
        tuple(seat.seconds for seat in seats),
        tuple(position.history),
        adjudicated=verdict is not None,
        swapped=swapped,
        opinions=tuple(opinions) if fixture.opinions else (),
    )


@dataclass
class _Seat:
    """Who sits there, his random numbers, and how much he has moved and thought."""

    who: int
    rng: Rng
    moves: int = 0
    seconds: float = 0.0


def _opinion(agent: Agent, position: Position, action: int) -> float | None:
    values = agent.values(position)
    return None if values is None else values[action]


def is_long(spent: float, done: int, games: int) -> bool:
    """Whether the rest takes so long that machine code is worth its compilation, or processes are worth their start."""
    return done > 0 and spent > TRIAL_SECONDS and spent / done * (games - done) > WORTH_THE_START


# ---------------------------------------------------------------- worker processes


def _can_travel(contestant: Contestant) -> bool:
    """Whether a worker process can make the contestant: from its text, or from a file that it is saved to."""
    return not isinstance(contestant, Agent) or _can_be_saved(contestant)


def _can_be_saved(agent: Agent) -> bool:
    return isinstance(agent, LearningAgent) and (".py" in agent.kind or agent_classes().get(agent.kind) is type(agent))


@contextmanager
def _as_texts(contestants: Sequence[Contestant]) -> Iterator[tuple[list[str], str]]:
    """The texts that make the contestants, and the folder in which those who have learned are for as long as it
    takes."""
    with TemporaryDirectory(prefix="boardlab-") as folder:
        texts = []
        for number, contestant in enumerate(contestants):
            agent = contestant.agent if isinstance(contestant, Guest) else contestant
            if isinstance(agent, LearningAgent) and _can_be_saved(agent):
                file = Path(folder) / f"{number}.agent"
                agent.save(file)
                texts.append(str(file))
            else:
                texts.append(contestant if isinstance(contestant, str) else contestant.spec)
        yield texts, folder


def _play_in_processes(
    crew: tuple[str, list[str], str],
    fixtures: Sequence[Fixture],
    seed: int,
    workers: int,
    first: int,
    finished: Callable[[int, GameRecord, int], None],
) -> list[GameRecord]:
    """The games from number `first` on. The crew is what a worker begins with, see `_seat_agents`."""
    before = set(active_children())
    todo = range(first, len(fixtures))
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _seat_agents, crew)
    try:
        with _interrupts_ignored():  # the workers inherit it: Ctrl-C is for this process alone
            games: dict[Future[GameRecord], int] = {pool.submit(_play, fixtures[i], seed, i): i for i in todo}
        done = {}
        for future in as_completed(games):
            number = games[future]
            done[number] = future.result()
            finished(number, done[number], first + len(done))
    except BaseException as error:
        for process in set(active_children()) - before:
            process.terminate()
        if isinstance(error, BrokenProcessPool):
            raise BoardlabError("a worker process ended before its game did; is there enough memory?") from error
        raise
    finally:
        # waited for: else Python's clean-up at exit may write to a pipe that the thread of the pool is just closing
        pool.shutdown(wait=True, cancel_futures=True)
    return [done[i] for i in todo]


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


_seated: list[tuple[Game, list[Agent]]] = []
"""In a worker process: the game and the agents."""


def _seat_agents(game: str, contestants: list[str], folder: str) -> None:
    """Begin to work: make the game and the agents. The folder is the parent's, who removes it unless he is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent alone, whichever thread started this
    end_with_parent(lambda: shutil.rmtree(folder, ignore_errors=True))
    made = make(game)
    _seated.append((made, [agent_of(contestant, made) for contestant in contestants]))


def _play(fixture: Fixture, seed: int, number: int) -> GameRecord:
    game, agents = _seated[0]
    return play_game(game, agents, fixture, seed, number)
