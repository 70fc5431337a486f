"""Games on a cluster: within `on_cluster`, all games of matches and evaluations are played by the workers of a Dask
scheduler. A game depends on the seed and on its number alone, so the results are those of one machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from boardlab.agents.base import Agent
from boardlab.agents.registry import is_agent_file
from boardlab.errors import BoardlabError
from boardlab.executors import Executor, Task, open_executor
from boardlab.game import Game
from boardlab.matches.fixtures import Fixture, GameRecord
from boardlab.matches.play import CREW, Contestant, Guest, agent_of, play_game
from boardlab.position import Event
from boardlab.registry import make

__all__ = ["on_cluster", "play_by", "play_some"]

_ROUNDS = 4
"""Each slot of the cluster gets about so many tasks: few enough to be quick, enough to end together."""
_MOST_GAMES = 50
_ATTEMPTS = 3


@contextmanager
def on_cluster(address: str) -> Iterator[None]:
    """Within it, games are played on the cluster whose scheduler is at this address."""
    with open_executor(address) as executor:
        token = CREW.set(executor)
        try:
            yield
        finally:
            CREW.reset(token)


def play_by(
    executor: Executor,
    game: Game,
    contestants: Sequence[Contestant],
    fixtures: Sequence[Fixture],
    seed: int,
    finished: Callable[[int, GameRecord, int], None],
) -> list[GameRecord]:
    """Play all games in other processes. `finished` is told of each, and how many are done."""
    crew = {"game": game.spec, "contestants": [_text(contestant) for contestant in contestants], "seed": seed}
    size = max(1, min(_MOST_GAMES, len(fixtures) // (_ROUNDS * max(1, executor.slots))))
    done: dict[int, GameRecord] = {}
    attempts: dict[str, int] = {}
    for first in range(0, len(fixtures), size):
        numbers = list(range(first, min(first + size, len(fixtures))))
        games = [_fixture_json(fixtures[number], number) for number in numbers]
        executor.submit(Task(f"games {first}", "boardlab.matches.spread:play_some", {**crew, "fixtures": games}))
    for outcome in executor.outcomes():
        name = outcome.task.name
        if outcome.failure:
            attempts[name] = attempts.get(name, 0) + 1
            if not outcome.lost or attempts[name] == _ATTEMPTS:
                raise BoardlabError(f"games could not be played on the cluster: {outcome.failure}")
            executor.submit(outcome.task)
            continue
        for fixture, record in zip(outcome.task.arguments["fixtures"], outcome.result, strict=True):
            number = fixture["number"]
            done[number] = _record(record)
            finished(number, done[number], len(done))
    return [done[number] for number in range(len(fixtures))]


def _text(contestant: Contestant) -> str:
    """The text from which a worker makes the contestant: a file has its whole path."""
    text = contestant.spec if isinstance(contestant, Guest) else contestant
    if isinstance(text, Agent):
        raise BoardlabError("on a cluster an agent is named by a text, or by the path of its file on a shared disk")
    return str(Path(text).resolve()) if is_agent_file(text) else text


# ---------------------------------------------------------------- on a worker


def play_some(game: str, contestants: list[str], seed: int, fixtures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Play some games, as a task of an executor."""
    made, agents = _seated(game, tuple(contestants))
    found = []
    for given in fixtures:
        record = play_game(made, agents, _fixture(given), seed, given["number"])
        found.append({**asdict(record), "events": [[event.player, event.number] for event in record.events]})
    return found


@lru_cache(1)
def _seated(game: str, contestants: tuple[str, ...]) -> tuple[Game, list[Agent]]:
    made = make(game)
    return made, [agent_of(contestant, made) for contestant in contestants]


# ---------------------------------------------------------------- plain JSON


def _fixture_json(fixture: Fixture, number: int) -> dict[str, Any]:
    """A fixture as JSON, under its number in the list."""
    start = None if fixture.start is None else fixture.start.hex()
    return {**asdict(fixture), "start": start, "number": number, "random": fixture.number}


def _fixture(given: dict[str, Any]) -> Fixture:
    fields = {name: value for name, value in given.items() if name != "random"}
    start = None if given["start"] is None else bytes.fromhex(given["start"])
    seeds = None if given["seeds"] is None else tuple(given["seeds"])
    fields |= {"seats": tuple(given["seats"]), "start": start, "number": given["random"], "seeds": seeds}
    return Fixture(**fields)


def _record(given: dict[str, Any]) -> GameRecord:
    events = tuple(Event(player, number) for player, number in given["events"])
    tuples = {name: tuple(given[name]) for name in ("seats", "scores", "moves", "seconds", "opinions", "cpu")}
    return GameRecord(**{**given, **tuples, "events": events})
