"""Plays games between agents, on one core or on several.

Every game is a `Fixture` with random streams of its own, so its result depends on the seed and on its number alone:
not on the games before it, nor on the process that plays it. Agents who are given as text can be made in any process;
then, when the games turn out to take long, they are dealt out to fresh worker processes (spawned, so that no threads
or locks of this one are inherited).
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import active_children, get_context
from time import perf_counter

import numpy as np

from boardlab.agents.base import Agent
from boardlab.agents.registry import make_agent
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.position import Position
from boardlab.registry import make
from boardlab.rng import make_rng

__all__ = ["Contestant", "Fixture", "GameRecord", "Progress", "agent_of", "play_fixtures"]

Contestant = str | Agent
"""Who plays: an agent, or the text that makes one (its specification, or the path of an agent file)."""

Progress = Callable[[int, int], None]
"""Is told how many games are done, and of how many."""

TRIAL_SECONDS = 1.0
WORTH_PROCESSES = 5.0
"""Worker processes start when the first games have taken so long, and the others would take so long (seconds)."""


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


def agent_of(contestant: Contestant, game: Game) -> Agent:
    """The agent that a contestant is."""
    if isinstance(contestant, Agent):
        agent = contestant
    elif contestant.endswith(".agent"):
        from boardlab.store import load_agent

        agent = load_agent(contestant)
    else:
        return make_agent(contestant, game)
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
) -> list[GameRecord]:
    """Play all games. With several `workers` the calling program has to be one that can be spawned again: the command
    line, a notebook, or a script with `if __name__ == "__main__":`."""
    agents = [agent_of(contestant, game) for contestant in contestants]
    records: list[GameRecord] = []
    begin = perf_counter()
    for number, fixture in enumerate(fixtures):
        if workers > 1 and _is_worth_processes(perf_counter() - begin, number, len(fixtures)):
            texts = [c for c in contestants if isinstance(c, str)]
            if len(texts) == len(contestants):
                return records + _play_in_processes(game.spec, texts, fixtures, seed, workers, number, progress)
        records.append(play_game(game, agents, fixture, seed, number))
        if progress is not None:
            progress(number + 1, len(fixtures))
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
    return GameRecord(fixture.seats, tuple(position.scores), tuple(moves), tuple(seconds))


def _is_worth_processes(spent: float, done: int, games: int) -> bool:
    return done > 0 and spent > TRIAL_SECONDS and spent / done * (games - done) > WORTH_PROCESSES


# ---------------------------------------------------------------- worker processes


def _play_in_processes(
    game: str,
    contestants: list[str],
    fixtures: Sequence[Fixture],
    seed: int,
    workers: int,
    first: int,
    progress: Progress | None,
) -> list[GameRecord]:
    """The games from number `first` on."""
    before = set(active_children())
    todo = range(first, len(fixtures))
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _seat_agents, (game, contestants))
    try:
        with _interrupts_ignored():  # the workers inherit it: Ctrl-C is for this process alone
            games: dict[Future[GameRecord], int] = {pool.submit(_play, fixtures[i], seed, i): i for i in todo}
        done = {}
        for future in as_completed(games):
            done[games[future]] = future.result()
            if progress is not None:
                progress(first + len(done), len(fixtures))
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


def _seat_agents(game: str, contestants: list[str]) -> None:
    made = make(game)
    _seated.append((made, [agent_of(contestant, made) for contestant in contestants]))


def _play(fixture: Fixture, seed: int, number: int) -> GameRecord:
    game, agents = _seated[0]
    return play_game(game, agents, fixture, seed, number)
