"""Tasks, outcomes, and what every executor can do."""

from __future__ import annotations

import queue
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

__all__ = ["Executor", "Outcome", "Task"]


@dataclass(frozen=True)
class Task:
    """A piece of work."""

    name: str
    """How it is called among the others."""
    function: str
    """`module:function`."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Keyword arguments, plain JSON."""
    cost: float = 0.0
    """How long it takes, in any unit: the longest begin first."""


@dataclass(frozen=True)
class Outcome:
    """What became of a task."""

    task: Task
    result: Any = None
    """What the function returned, plain JSON."""
    failure: str = ""
    """Why there is no result; empty where there is one."""
    lost: bool = False
    """Whether it failed because its process died, not by a word of the function: another attempt may do better."""


class Executor(ABC):
    """Carries out tasks in other processes. Tasks may be handed in at any time, also between two outcomes. To be used
    in a `with` statement: at its end, what still runs is told to stop, and nothing is left running."""

    def __init__(self) -> None:
        self.pending = 0
        """Tasks without an outcome so far."""
        self._outcomes: queue.Queue[Outcome] = queue.Queue()

    @property
    @abstractmethod
    def slots(self) -> int:
        """How many tasks can run at the same time, now."""

    @property
    @abstractmethod
    def words(self) -> str:
        """Where it works, as `2 processes`."""

    def submit(self, *tasks: Task) -> None:
        """Hand in tasks. Of those that have not begun, the one with the highest cost begins next."""
        self.pending += len(tasks)
        self._begin(sorted(tasks, key=lambda task: -task.cost))

    def wait(self, seconds: float) -> Outcome | None:
        """The next outcome; None where there is none within this time, or nothing to wait for."""
        if not self.pending:
            return None
        try:
            found = self._outcomes.get(timeout=seconds)
        except queue.Empty:
            return None
        self.pending -= 1
        return found

    def outcomes(self) -> Iterator[Outcome]:
        """All outcomes, in the order in which they come, until no task is left."""
        while self.pending:
            found = self.wait(1.0)
            if found is not None:
                yield found

    @abstractmethod
    def _begin(self, tasks: list[Task]) -> None:
        """Let these tasks be carried out, the first one first; each ends with one outcome in `_outcomes`."""

    @abstractmethod
    def close(self) -> None:
        """Stop what still runs; come back when it has stopped."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
