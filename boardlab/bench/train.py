"""How fast agents learn: self-play with the settings of the FARL paper, in CPU seconds on one core, and how much
faster several threads are, in wall time.

Speed depends on how much the network already knows (games get longer, tables fill the cache), so each game is first
trained for a while and then measured over a fixed stretch: Connect Four over games 40,000 to 80,000, 2048 over games
1,200 to 2,400, as the C++ programs do that they are held against.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median

from boardlab.agents.learning import LearningAgent
from boardlab.bench.yardsticks import find_yardstick
from boardlab.game import Game
from boardlab.lab.planning import new_learner
from boardlab.lab.presets import preset_names
from boardlab.lab.wish import TrainingWish
from boardlab.learn.learner import Counts

__all__ = ["TrainingSpeed", "measure_training", "paper_agent", "stretch_of"]

_STRETCHES = {"connect4": (40_000, 40_000), "2048": (1200, 1200), "othello": (200, 1200), "hex": (5_000, 20_000)}
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
    best_moves_per_s: float = 0.0
    yardstick_unit: str = ""
    """What is compared with the C++ program, games or moves; empty where there is none."""
    yardstick_per_s: float | None = None
    """What it did in the same run, between our rounds (median)."""
    yardstick_best_per_s: float | None = None

    threads: int = 1
    speed_up: float | None = None
    """Episodes per second of wall time of so many threads, by those of one thread in the same run (medians)."""

    @property
    def ratio(self) -> float | None:
        """Our whole stretch by the yardstick's median."""
        ours = self.games_per_s if self.yardstick_unit == "games" else self.moves_per_s
        return ours / self.yardstick_per_s if self.yardstick_per_s else None

    @property
    def best_ratio(self) -> float | None:
        """Our best round by the yardstick's best."""
        ours = self.best_games_per_s if self.yardstick_unit == "games" else self.best_moves_per_s
        return ours / self.yardstick_best_per_s if self.yardstick_best_per_s else None


def measure_training(game: Game, yardstick: str | None = None, threads: int = 1) -> TrainingSpeed:
    """Train an agent with the paper's settings (or the default ones where the paper has none) and time it. The
    yardstick is a C++ program or a folder of them; it runs between our rounds, and so do several threads on an agent of
    their own, so that all see the same machine."""
    other = find_yardstick(yardstick, game)
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
        if other:
            theirs.append(other.speed())
    seconds = sum(r.cpu for r in rounds)
    return TrainingSpeed(
        game.spec,
        sum(r.counts.episodes for r in rounds) / seconds,
        sum(r.counts.moves for r in rounds) / seconds,
        sum(r.counts.evaluations for r in rounds) / seconds,
        max(r.counts.episodes / r.cpu for r in rounds),
        compiled,
        max(r.counts.moves / r.cpu for r in rounds),
        other.unit if other else "",
        median(theirs) if theirs else None,
        max(theirs, default=None),
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
