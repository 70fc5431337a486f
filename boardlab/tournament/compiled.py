"""Games of a tournament in machine code, by threads of this process: those in which every seat has a player that
compiles, and thinks by no clock (`boardlab.matches.machine`). They come out as move by move, to the bit.

Machine code that is not there yet is compiled when many games wait for it, or when playing without it has taken long.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import fsum
from pathlib import Path
from typing import Any

from boardlab.agents.base import Agent
from boardlab.agents.classes import find_agent_class
from boardlab.agents.registry import is_agent_file
from boardlab.game import Game
from boardlab.matches.fixtures import CodedEvents, Fixture, GameRecord
from boardlab.matches.machine import NotCompiled, compiled_seats, games_in_machine_code, give_back
from boardlab.matches.play import TRIAL_SECONDS, WORTH_COMPILING, WORTH_THE_START, is_long
from boardlab.registry import split_spec
from boardlab.store import read_agent_file
from boardlab.tournament.hall import MOST_PLAYERS, Place, game_of, is_scarce, places_of, seated
from boardlab.tournament.players import Failure, Here, is_strange
from boardlab.tournament.sets import seeds_of
from boardlab.tournament.starts import Start

__all__ = ["CompiledGame", "CompiledGames"]


@dataclass(frozen=True)
class CompiledGame:
    """A game that was played."""

    task: dict[str, Any]
    record: GameRecord
    episodes: list[int | None]

    @property
    def codes(self) -> list[int]:
        """The events after the start."""
        assert isinstance(self.record.events, CodedEvents)
        found: list[int] = self.record.events.codes.tolist()
        return found


class CompiledGames:
    """Plays in so many threads. One for each tournament, or for each process that plays for others."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.played = 0
        """How many games were played here."""
        self._may_compile = False
        self._broken = False
        self._compiles: dict[Place, bool] = {}
        self._spent, self._done = 0.0, 0

    def is_worth_it(self, line: dict[str, Any], left: int) -> bool:
        """A game was played move by move, and so many are left: whether it has just turned out that they should be
        compiled."""
        self._spent += fsum(line["seconds"])
        self._done += 1
        if self._may_compile or self._spent < TRIAL_SECONDS:
            return False
        self._compile(is_long(self._spent, self._done, self._done + left) or self._spent > WORTH_THE_START)
        return self._may_compile

    def _compile(self, worth_it: bool) -> None:
        if worth_it and not self._may_compile:
            self._may_compile = True
            self._compiles.clear()

    def play(self, waiting: deque[dict[str, Any]], limit: float) -> Iterator[CompiledGame]:
        """Take those games out of the waiting ones that can be played here now, and play them, in the order in which
        they end. Those that turn out not to work wait again."""
        self._compile(len(waiting) >= WORTH_COMPILING)
        mine = deque(task for task in waiting if self._takes(task, limit))
        if mine:
            taken = {task["id"] for task in mine}
            others = [task for task in waiting if task["id"] not in taken]
            waiting.clear()
            waiting.extend(others)
        while mine:
            yield from self._play(_with_few_players(mine), waiting, limit)

    def _takes(self, task: dict[str, Any], limit: float) -> bool:
        if self._broken or task.get("adjudicate") is not None:
            return False
        table = places_of(task)
        return all(self._takes_player(place, limit, table) for place in table)

    def _takes_player(self, place: Place, limit: float, table: list[Place]) -> bool:
        if place not in self._compiles:
            self._compiles[place] = _may_compile(place) and not is_scarce() and self._is_ready(place, limit, table)
        return self._compiles[place]

    def _is_ready(self, place: Place, limit: float, table: list[Place]) -> bool:
        agent = _agent(place, limit, table)
        seats = None if agent is None else compiled_seats(agent.game, [agent], compile=self._may_compile)
        if agent is None or seats is None:
            return False
        give_back([agent], seats)
        return True

    def _play(
        self, tasks: list[dict[str, Any]], waiting: deque[dict[str, Any]], limit: float
    ) -> Iterator[CompiledGame]:
        """Play games that have few enough players in all."""
        game = game_of(tasks[0]["game"])
        tables = [places_of(task) for task in tasks]
        places = [*dict.fromkeys(place for table in tables for place in table)]
        agents = [agent for place in places if (agent := _agent(place, limit, places)) is not None]
        seats = compiled_seats(game, agents) if len(agents) == len(places) else None
        todo = dict(enumerate(tasks))
        if seats is not None:
            number = {place: k for k, place in enumerate(places)}
            fixtures = [
                _fixture(game, task, [number[place] for place in table])
                for task, table in zip(tasks, tables, strict=True)
            ]
            episodes = [getattr(agent, "episodes", None) for agent in agents]
            try:
                for k, record in games_in_machine_code(game, agents, seats, fixtures, 0, 0, self.threads, limit):
                    self.played += 1
                    yield CompiledGame(todo.pop(k), record, [episodes[who] for who in record.seats])
            except NotCompiled:  # move by move it works, or tells what is wrong
                self._broken = True
        if todo:
            self._broken = True
            waiting.extend(todo.values())


def _with_few_players(tasks: deque[dict[str, Any]]) -> list[dict[str, Any]]:
    """Take the next games, as many as those who stay in a process can play."""
    found: list[dict[str, Any]] = []
    places: set[Place] = set()
    while tasks:
        places.update(places_of(tasks[0]))
        if found and len(places) > MOST_PLAYERS:
            break
        found.append(tasks.popleft())
    return found


def _may_compile(place: Place) -> bool:
    """Whether the agent is worth making to see if it compiles: it is ours, and its class has a compiled player."""
    if place.cpu_clock or is_strange(place.spec):
        return False
    file = is_agent_file(place.spec)
    origin = read_agent_file(Path(place.spec)).about.agent if file else split_spec(place.spec)[0]
    return find_agent_class(origin).player is not Agent.player


def _agent(place: Place, limit: float, table: list[Place]) -> Agent | None:
    """The agent of a place; None where it cannot be made, which is told when its game is played."""
    try:
        player = seated(place, game_of(place.game), limit, table)
    except Failure:
        return None
    return player.agent if isinstance(player, Here) else None


def _fixture(game: Game, task: dict[str, Any], seats: list[int]) -> Fixture:
    start = _state(game, tuple(task["events"]), task["state"])
    return Fixture(tuple(seats), start, seeds=seeds_of(task["set"], task["id"]))


@lru_cache(1000)
def _state(game: Game, events: tuple[int, ...], state: str) -> bytes:
    """The state record of a start."""
    found: bytes = Start(events, state).position(game).state.tobytes()
    return found
