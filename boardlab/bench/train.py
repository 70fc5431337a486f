"""How fast agents learn: self-play with the settings of the FARL paper, in CPU seconds on one core, and how much
faster several threads are, in wall time.

Speed depends on how much the network already knows (games get longer, tables fill the cache), so each game is first
trained for a while and then measured over a fixed stretch: Connect Four over games 40,000 to 80,000.
"""

from __future__ import annotations

import re
import subprocess
import time
from dataclasses import dataclass
from statistics import median

from boardlab.agents.learning import LearningAgent
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.lab.planning import new_learner
from boardlab.lab.presets import preset_names
from boardlab.lab.wish import TrainingWish
from boardlab.learn.learner import Counts

__all__ = ["TrainingSpeed", "measure_training", "paper_agent", "stretch_of"]

_STRETCHES = {"connect4": (40_000, 40_000), "2048": (200, 1000), "othello": (200, 1200), "hex": (5_000, 20_000)}
"""Games before the measurement and in it; all others 20,000 and 60,000."""

_ROUNDS = 4


@dataclass(frozen=True)
class TrainingSpeed:
    """Rates per CPU second over the whole stretch, and games/s of its best quarter."""

    game: str
    games_per_s: float
    moves_per_s: float
    evals_per_s: float
    best_games_per_s: float
    compile_seconds: float
    yardstick_games_per_s: float | None = None
    """What the C++ yardstick did in the same run, between our rounds (median); Connect Four only."""

    threads: int = 1
    speed_up: float | None = None
    """Episodes per second of wall time of so many threads, by those of one thread in the same run (medians)."""

    @property
    def ratio(self) -> float | None:
        """Our median round by the yardstick's median."""
        return self.games_per_s / self.yardstick_games_per_s if self.yardstick_games_per_s else None


def measure_training(game: Game, yardstick: str | None = None, threads: int = 1) -> TrainingSpeed:
    """Train an agent with the paper's settings (or the default ones where the paper has none) and time it. The
    yardstick is a compiled c4ref; it runs between our rounds, and so do several threads on an agent of their own, so
    that all see the same machine."""
    agent = paper_agent(game)
    began = time.process_time()
    agent.compile()
    compiled = time.process_time() - began
    before, measured = stretch_of(game)
    episodes = measured // _ROUNDS
    agent.train(before)
    team = paper_agent(game) if threads > 1 else None
    if team:
        team.train(before, threads)
    rounds: list[_Round] = []
    theirs: list[float] = []
    team_rounds: list[_Round] = []
    for _ in range(_ROUNDS):
        rounds.append(_Round.of(agent, episodes))
        if team:
            team_rounds.append(_Round.of(team, episodes * threads, threads))
        if yardstick and game.name == "connect4":
            theirs.append(_yardstick_speed(yardstick))
    seconds = sum(r.cpu for r in rounds)
    return TrainingSpeed(
        game.spec,
        sum(r.counts.episodes for r in rounds) / seconds,
        sum(r.counts.moves for r in rounds) / seconds,
        sum(r.counts.evaluations for r in rounds) / seconds,
        max(r.counts.episodes / r.cpu for r in rounds),
        compiled,
        median(theirs) if theirs else None,
        threads,
        median(r.rate for r in team_rounds) / median(r.rate for r in rounds) if team_rounds else None,
    )


@dataclass(frozen=True)
class _Round:
    counts: Counts
    cpu: float
    wall: float

    @classmethod
    def of(cls, agent: LearningAgent, episodes: int, threads: int = 1) -> _Round:
        cpu, wall = time.process_time(), time.perf_counter()
        counts = agent.train(episodes, threads)
        return cls(counts, time.process_time() - cpu, time.perf_counter() - wall)

    @property
    def rate(self) -> float:
        return self.counts.episodes / self.wall


def paper_agent(game: Game, **settings: object) -> LearningAgent:
    """A fresh agent with the paper's settings, or the default ones where the paper has none, and these instead."""
    wish = {"preset": "paper" if "paper" in preset_names(game) else None, "seed": 1, "options": settings}
    return new_learner(game, TrainingWish.model_validate(wish))


def stretch_of(game: Game) -> tuple[int, int]:
    """Games before the measurement, and in it."""
    return _STRETCHES.get(game.name, (20_000, 60_000))


def _yardstick_speed(program: str) -> float:
    """Games/s of c4ref over games 40,000 to 80,000, as its README says how to run it."""
    try:
        done = subprocess.run(
            [program, "games=40000", "rep=2", "tc=1", "ev=2"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise BoardlabError(f"the yardstick {program} does not run: {error}") from error
    found = re.findall(r"(\d+) games/s", done.stdout)
    if len(found) != 2:
        raise BoardlabError(f"{program} does not print what c4ref prints; build it as its README says")
    return float(found[1])
