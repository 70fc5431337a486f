"""How long a training waits before its first episode: the first time, when everything is compiled, and again, when the
machine code is on disk. Each start is a process of its own, with a cache of its own; its CPU time counts from the start
of Python, so imports are in it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from tempfile import TemporaryDirectory

from boardlab.bench.train import paper_agent
from boardlab.errors import BoardlabError
from boardlab.registry import make

__all__ = ["Start", "measure_starts"]


@dataclass(frozen=True)
class Start:
    """CPU seconds of one game until learning can begin, one figure for each round."""

    game: str
    first: list[float]
    again: list[float]

    @property
    def figures(self) -> dict[str, float]:
        """Best and median of both."""
        return {
            "first_best": min(self.first),
            "first_median": median(self.first),
            "again_best": min(self.again),
            "again_median": median(self.again),
        }


def measure_starts(games: Sequence[str], rounds: int) -> list[Start]:
    """Start a training of every game with the settings of the paper, once with an empty cache and twice more with what
    is then in it, in rounds that take turns."""
    starts = [Start(game, [], []) for game in games]
    for _ in range(rounds):
        for start in starts:
            with TemporaryDirectory(prefix="boardlab-start-") as folder:
                start.first.append(_start(start.game, folder))
                start.again.extend(_start(start.game, folder) for _ in range(2))
    return starts


def _start(game: str, cache: str) -> float:
    """The CPU seconds of a new process until it could begin to learn."""
    program = f"from boardlab.bench.start import get_ready; get_ready({game!r})"
    environment = {**os.environ, "BOARDLAB_CACHE_DIR": cache}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BoardlabError(
            f"{game} cannot be started: {(done.stderr.strip().splitlines() or ['it said nothing'])[-1]}"
        )
    return float(done.stdout.splitlines()[-1])


def get_ready(game: str) -> None:
    """What such a process does."""
    paper_agent(make(game)).compile()
    print(time.process_time())
