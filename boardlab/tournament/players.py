"""Those who move in a game, each behind the same door: agents of ours in this process, agents of a user's own file in a
process of their own (`isolated`), because they may crash, hang or print what they like.

Whatever goes wrong with one of them is a `Failure` with a reason. It has then lost the game; it is thrown away, and
made again for its next one.
"""

from __future__ import annotations

import shlex
import sys
from abc import ABC, abstractmethod
from contextlib import nullcontext
from pathlib import Path
from time import thread_time

from boardlab.agents.classes import agent_classes
from boardlab.agents.learning import LearningAgent
from boardlab.agents.registry import is_agent_file, make_agent
from boardlab.compiler import is_our_own
from boardlab.compiler.fences import BrokenRule
from boardlab.engines.process import EngineProcess
from boardlab.errors import BoardlabError, printable
from boardlab.game import Game, UnsoundRules
from boardlab.position import Position
from boardlab.registry import split_spec
from boardlab.rng import Rng, make_rng
from boardlab.search.pace import counting_cpu_time
from boardlab.store import read_agent_file
from boardlab.tournament.isolated import MOVE, PLAY, START, packed
from boardlab.tournament.starts import Start
from boardlab.user_errors import explain_user_error

__all__ = ["FIRST_MOVE_SECONDS", "Failure", "Here", "Player", "is_strange", "make_player", "seat_rng"]

FIRST_MOVE_SECONDS = 120.0
"""How much longer the first move of an agent may take: code is compiled then."""


class Failure(Exception):
    """Why a player has lost a game, whatever the position."""


class Player(ABC):
    """One who moves."""

    fresh = True
    """Whether it has not moved yet, in any game."""

    episodes: int | None = None
    """How many episodes it has learned from; None where it does not learn."""

    @abstractmethod
    def begin(self, start: Start, seed: int, seat: int) -> None:
        """A new game begins."""

    @abstractmethod
    def choose(self, position: Position) -> tuple[int, float]:
        """The action to play, and the seconds of CPU time that it took."""

    @abstractmethod
    def close(self) -> None:
        """It plays no more."""


def make_player(spec: str, game: Game, limit: float, *, cpu_clock: bool = False) -> Player:
    """The player of a specification, who has `limit` seconds for a move; with `cpu_clock` it thinks by CPU time."""
    try:
        return Apart(spec, game, limit, cpu_clock) if is_strange(spec) else Here(spec, game, cpu_clock)
    except (UnsoundRules, BrokenRule):
        raise
    except Exception as error:
        raise Failure(f"it cannot be made: {_sentence(error)}") from error


def seat_rng(seed: int, seat: int) -> Rng:
    """The random numbers of a seat in the game of this seed."""
    return make_rng(seed, 1 + seat)


class Here(Player):
    """An agent in this process."""

    def __init__(self, spec: str, game: Game, cpu_clock: bool) -> None:
        self.agent = make_agent(spec, game)
        self.episodes = self.agent.episodes if isinstance(self.agent, LearningAgent) else None
        self.clock = counting_cpu_time if cpu_clock else nullcontext
        self.rng = make_rng(0)

    def begin(self, start: Start, seed: int, seat: int) -> None:
        self.rng = seat_rng(seed, seat)

    def choose(self, position: Position) -> tuple[int, float]:
        begin = thread_time()
        try:
            with self.clock():
                action = self.agent.choose(position, self.rng)
        except (UnsoundRules, BrokenRule):
            raise
        except Exception as error:
            raise Failure(_sentence(error)) from error
        return action, thread_time() - begin

    def close(self) -> None:
        close = getattr(self.agent, "close", None)
        if callable(close):
            close()


class Apart(Player):
    """An agent in a process of its own, which is told every event of the game."""

    def __init__(self, spec: str, game: Game, limit: float, cpu_clock: bool) -> None:
        self.process = EngineProcess(
            f"{shlex.quote(sys.executable)} -m boardlab.tournament.isolated", limit + FIRST_MOVE_SECONDS
        )
        self.process.name = spec
        self.limit, self.known = limit, 0
        self._ask(packed("agent", {"game": game.spec, "agent": spec, "cpu_clock": cpu_clock}))

    def begin(self, start: Start, seed: int, seat: int) -> None:
        self.known = len(start.events)
        self._send(packed(START, {"events": list(start.events), "state": start.state, "seed": seed, "seat": seat}))

    def choose(self, position: Position) -> tuple[int, float]:
        history = position.history
        for event in history[self.known :]:
            self._send(f"{PLAY} {event.code}")
        self.known = len(history)
        if not self.fresh:
            self.process.timeout = self.limit
        answer = self._ask(MOVE).split()
        try:
            return int(answer[0]), float(answer[1])
        except (ValueError, IndexError):
            raise Failure(f"answers {printable(' '.join(answer))}") from None

    def close(self) -> None:
        self.process.close()

    def _send(self, line: str) -> None:
        try:
            self.process.send(line)
        except BoardlabError as error:
            raise self._failure(error) from error

    def _failure(self, error: BoardlabError) -> Failure:
        """What went wrong with the process, in words about the agent."""
        text = str(error).removeprefix(f"the engine {self.process.name} ").partition("; the option timeout")[0]
        return Failure(printable(text, 500))

    def _ask(self, line: str) -> str:
        """The answer to a line; a refusal is a failure."""
        self._send(line)
        try:
            answer = next(self.process.answers())
        except BoardlabError as error:
            raise self._failure(error) from error
        if answer.startswith("?"):
            raise Failure(answer[1:].strip())
        return answer.removeprefix("=").strip()


def is_strange(spec: str) -> bool:
    """Whether the agent, or one within it, has code that is not ours."""
    if is_agent_file(spec):
        return ".py" in read_agent_file(Path(spec)).about.agent
    origin, given = split_spec(spec)
    cls = agent_classes().get(origin)
    if ".py" in origin or (cls is not None and not is_our_own(cls.__module__)):
        return True
    return "agent" in given and is_strange(str(given["agent"]))


def _sentence(error: Exception) -> str:
    if isinstance(error, BoardlabError):
        return printable(error, 500)
    return printable(explain_user_error(error) or f"{type(error).__name__}: {error}", 500)
