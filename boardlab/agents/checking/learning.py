"""What an agent promises that learns: a file keeps all of it, a training that is resumed is one that was never
interrupted, and several threads may train it. Only copies of the agent learn here."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.agents.checking.again import copied
from boardlab.agents.checking.report import without_exceptions
from boardlab.agents.files import stored_agent
from boardlab.agents.learning import LearningAgent
from boardlab.check.report import Violation
from boardlab.position import Position
from boardlab.rng import make_rng, random_below
from boardlab.store import read_agent_file

__all__ = ["Pupil"]

_POSITIONS = 20
"""So many positions are valued by both when two agents are compared."""


class Pupil:
    """Trains copies of an agent; raises `Violation` at the first promise that is broken."""

    def __init__(self, agent: LearningAgent, episodes: int, seed: int) -> None:
        self.agent, self.episodes = agent, episodes
        self.positions = _some_positions(agent, seed)

    def learn(self) -> LearningAgent:
        """All checks; the copy that has learned `episodes`, for others to ask."""
        n = self.episodes
        straight, halfway = copied(self.agent), copied(self.agent)
        self._train(straight, 2 * n)
        self._train(halfway, n)
        with TemporaryDirectory() as folder:
            loaded = self._stored(halfway, Path(folder) / "check.agent")
            self._equal(halfway, loaded, "when an agent is saved and loaded,")
            if loaded.history != halfway.history:
                raise Violation("the history of an agent that was saved and loaded is another one")
            self._train(loaded, n)
        self._equal(straight, loaded, f"{n} episodes, save, load and {n} more, compared with {2 * n} at once:")
        self._train(copied(self.agent), n, threads=2)
        return halfway

    def _train(self, agent: LearningAgent, episodes: int, threads: int = 1) -> None:
        before = agent.episodes
        how = f"train({episodes})" if threads == 1 else f"train({episodes}, threads={threads})"
        with without_exceptions(agent, how):
            agent.train(episodes, threads)
        if agent.episodes != before + episodes:
            raise Violation(f"after {how} the number of episodes is {agent.episodes}, not {before + episodes}")

    def _stored(self, agent: LearningAgent, path: Path) -> LearningAgent:
        """The agent as it comes out of a file."""
        with without_exceptions(agent, "save"):
            agent.save(path)
        with without_exceptions(agent, "load"):
            loaded = stored_agent(read_agent_file(path), type(agent))
        if loaded.episodes != agent.episodes:
            raise Violation(f"an agent of {agent.episodes} episodes has {loaded.episodes} when it was saved and loaded")
        if loaded.parameters != agent.parameters:
            raise Violation(
                f"the parameters of an agent that was saved and loaded are other ones: {loaded.parameters}"
                f" instead of {agent.parameters}"
            )
        return loaded

    def _equal(self, agent: LearningAgent, other: LearningAgent, how: str) -> None:
        """Both have learned the same, to the bit."""
        with without_exceptions(agent, "dump"):
            (facts, arrays), (other_facts, other_arrays) = agent.dump(), other.dump()
        if facts != other_facts:
            raise Violation(f"{how} the facts that dump tells differ: {other_facts} instead of {facts}")
        if arrays.keys() != other_arrays.keys():
            raise Violation(f"{how} dump has the arrays {', '.join(other_arrays)} instead of {', '.join(arrays)}")
        for name, array in arrays.items():
            difference = _difference(array, other_arrays[name])
            if difference:
                raise Violation(f"{how} the array {name} that dump keeps differs, {difference}")
        for position in self.positions:
            mine, theirs = agent.values(position), other.values(position)
            if mine != theirs:
                raise Violation(f"{how} values differ: {theirs} instead of {mine}, in\n{position}")


def _some_positions(agent: LearningAgent, seed: int) -> list[Position]:
    """Positions of random games in which somebody is to move."""
    rng = make_rng(seed, 2)
    found: list[Position] = []
    while len(found) < _POSITIONS:
        position = agent.game.start().roll(rng)
        while not position.is_over and len(found) < _POSITIONS:
            found.append(position.copy())
            legal = position.legal_actions
            position.play(legal[random_below(rng, len(legal))]).roll(rng)
    return found


def _difference(expected: NDArray[Any], found: NDArray[Any]) -> str:
    """Where two arrays differ to the bit, in words; empty where they do not."""
    if expected.dtype != found.dtype or expected.shape != found.shape:
        return f"{found.dtype} of shape {found.shape} instead of {expected.dtype} of shape {expected.shape}"
    size = expected.dtype.itemsize
    bytes_of = [np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(-1, size) for array in (expected, found)]
    places = np.flatnonzero((bytes_of[0] != bytes_of[1]).any(axis=1))
    if len(places) == 0:
        return ""
    first = int(places[0])
    return (
        f"{len(places):,} of {expected.size:,} numbers, first at {first}:"
        f" {found.reshape(-1)[first]} instead of {expected.reshape(-1)[first]}"
    )
