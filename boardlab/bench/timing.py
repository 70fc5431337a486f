"""How speeds are measured: in CPU seconds of one thread, in rounds that alternate between all tasks.

A machine is never quite idle and its clock speed changes, so two tasks that are to be compared take turns in short
rounds; the median of the rounds is reported, and the best of them, which is what an undisturbed machine would show.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from time import process_time

from numba.core import event

__all__ = ["Task", "Timing", "interleaved", "versions"]

Counts = Mapping[str, float]


@dataclass(frozen=True)
class Task:
    """Something to be timed: `run(n)` does n units of it and returns what it did, as {"games": n, "moves": ...}."""

    name: str
    run: Callable[[int], Counts]


@dataclass
class Timing:
    """What came out for one task: for each round the CPU seconds and the counts of `run`."""

    compile_seconds: float | None = None
    """How long its code was compiled; None where the machine code was found on disk."""
    rounds: list[tuple[float, Counts]] = field(default_factory=list)

    def rates(self, unit: str) -> list[float]:
        """Units per CPU second, one figure for each round."""
        return [counts[unit] / seconds for seconds, counts in self.rounds]

    def median(self, unit: str) -> float:
        """The figure to report."""
        return median(self.rates(unit))

    def best(self, unit: str) -> float:
        """The least disturbed round."""
        return max(self.rates(unit))


def interleaved(tasks: Sequence[Task], seconds: float, rounds: int = 3) -> list[Timing]:
    """Time all tasks, `seconds` of CPU time each, spread over the rounds. A task first runs once, which compiles
    what is not on disk, and then as long as it takes to know how many units fill a round."""
    timings = [Timing(compile_seconds=_first_run(task)) for task in tasks]
    units = [_units_in(task, seconds / rounds) for task in tasks]
    for _ in range(rounds):
        for task, timing, n in zip(tasks, timings, units, strict=True):
            timing.rounds.append(_timed(task, n))
    return timings


def versions(*packages: str) -> dict[str, str]:
    """The versions of Python and of the packages, for the record; a package that is not there is left out."""
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _first_run(task: Task) -> float | None:
    """Run the task once; the seconds that Numba compiled for it, None if it did not."""
    durations: list[float] = []
    with event.install_timer("numba:compile", durations.append):
        task.run(1)
    return durations[0] if durations else None


def _units_in(task: Task, seconds: float) -> int:
    n = 1
    while True:
        spent, _ = _timed(task, n)
        if spent >= seconds / 8:
            return max(1, round(n * seconds / spent))
        n *= 2


def _timed(task: Task, n: int) -> tuple[float, Counts]:
    begin = process_time()
    counts = task.run(n)
    return max(process_time() - begin, 1e-9), counts
