"""Plays games between agents, on one core or on several.

Every game is a `Fixture` with random streams of its own, so its result depends on the seed and on its number alone:
not on the games before it, nor on the process that plays it. Agents who are given as text can be made in any process,
and those who have learned can be saved for it; then, when the games turn out to take long, they are dealt out to fresh
worker processes (spawned, so that no threads or locks of this one are inherited), which end with this one.
"""

from __future__ import annotations

import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
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
from boardlab.game import Game
from boardlab.position import Event, Position
from boardlab.registry import make
from boardlab.rng import make_rng
from boardlab.system.lifeline import end_with_parent

__all__ = [
    "Contestant",
    "Fixture",
    "GameRecord",
    "Guest",
    "Progress",
    "Witness",
    "agent_of",
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

TRIAL_SECONDS = 1.0
WORTH_PROCESSES = 5.0
"""Worker processes start when the first games have taken so long, and the others would take so long (CPU seconds)."""


@dataclass(frozen=True)
class Fixture:
    """One game to be played: which contestant has which seat, and where the game starts."""

    seats: tuple[int, ...]
    start: bytes | None = None
    """The state record to start from; None for the start of the game."""


@dataclass(frozen=True)
class GameRecord:
    """How a game went; scores, moves and seconds of thought are in the order of the seats."""

    seats: tuple[int, ...]
    scores: tuple[float, ...]
    moves: tuple[int, ...]
    seconds: tuple[float, ...] = field(compare=False)
    events: tuple[Event, ...] = ()
    """What happened, from the start of the fixture on."""


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
) -> list[GameRecord]:
    """Play all games. With several `workers` the calling program has to be one that can be spawned again: the command
    line, a notebook, or a script with `if __name__ == "__main__":`."""
    workers = whole_number(workers, "the number of workers", 1)
    game.require_sound()
    if progress is not None:
        progress(0, len(fixtures))  # before the agents are made, which may take longer than a game
    agents = [agent_of(contestant, game) for contestant in contestants]
    several = workers > 1 and all(map(_can_travel, contestants))
    records: list[GameRecord] = []

    def finished(number: int, record: GameRecord, done: int) -> None:
        if witness is not None:
            witness(number, record)
        if progress is not None:
            progress(done, len(fixtures))

    begin = thread_time()  # on a busy machine more processes would make nothing faster
    for number, fixture in enumerate(fixtures):
        if several and _is_worth_processes(thread_time() - begin, number, len(fixtures)):
            with _as_texts(contestants) as (texts, folder):
                crew = (game.spec, texts, folder)
                return records + _play_in_processes(crew, fixtures, seed, workers, number, finished)
        records.append(play_game(game, agents, fixture, seed, number))
        finished(number, records[-1], number + 1)
    return records


def play_game(game: Game, agents: Sequence[Agent], fixture: Fixture, seed: int, number: int) -> GameRecord:
    """Play game `number` of a series. Chance events and every seat have their own random numbers."""
    state = None if fixture.start is None else np.frombuffer(fixture.start, game.state)[0]
    position = Position(game, state)
    streams = 1 + number * (game.num_players + 1)
    chance = make_rng(seed, streams)
    rngs = [make_rng(seed, streams + 1 + seat) for seat in range(game.num_players)]
    moves = [0] * game.num_players
    seconds = [0.0] * game.num_players
    while not position.roll(chance).is_over:
        player = position.player
        begin = perf_counter()
        action = agents[fixture.seats[player]].choose(position, rngs[player])
        seconds[player] += perf_counter() - begin
        moves[player] += 1
        position.play(action)
    return GameRecord(fixture.seats, tuple(position.scores), tuple(moves), tuple(seconds), tuple(position.history))


def _is_worth_processes(spent: float, done: int, games: int) -> bool:
    return done > 0 and spent > TRIAL_SECONDS and spent / done * (games - done) > WORTH_PROCESSES


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
        pool.shutdown(wait=False, cancel_futures=True)
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
    end_with_parent(lambda: shutil.rmtree(folder, ignore_errors=True))
    made = make(game)
    _seated.append((made, [agent_of(contestant, made) for contestant in contestants]))


def _play(fixture: Fixture, seed: int, number: int) -> GameRecord:
    game, agents = _seated[0]
    return play_game(game, agents, fixture, seed, number)
