"""How fast agents learn: self-play with the settings of the FARL paper, in CPU seconds on one core.

Speed depends on how much the network already knows (games get longer, tables fill the cache), so each game is first
trained for a while and then measured over a fixed stretch: Connect Four over games 40,000 to 80,000.
"""

from __future__ import annotations

import re
import subprocess
import time
from dataclasses import dataclass
from statistics import median

from boardlab.agents.td_ntuple import TDNTuple
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.lab.presets import preset_names, preset_settings

__all__ = ["TrainingSpeed", "measure_training"]

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

    @property
    def ratio(self) -> float | None:
        """Our median round by the yardstick's median."""
        return self.games_per_s / self.yardstick_games_per_s if self.yardstick_games_per_s else None


def measure_training(game: Game, yardstick: str | None = None) -> TrainingSpeed:
    """Train an agent with the paper's settings (or the default ones where the paper has none) and time it. The
    yardstick is a compiled c4ref; it runs between our rounds, so that both see the same machine."""
    settings = preset_settings(game, "paper") if "paper" in preset_names(game) else {}
    agent = TDNTuple(game, **settings)
    began = time.process_time()
    agent.learner.compile()
    compiled = time.process_time() - began
    before, measured = _STRETCHES.get(game.name, (20_000, 60_000))
    agent.train(before)
    rounds = []
    theirs = []
    for _ in range(_ROUNDS):
        began = time.process_time()
        counts = agent.train(measured // _ROUNDS)
        rounds.append((time.process_time() - began, counts))
        if yardstick and game.name == "connect4":
            theirs.append(_yardstick_speed(yardstick))
    seconds = sum(s for s, _ in rounds)
    return TrainingSpeed(
        game.spec,
        sum(c.episodes for _, c in rounds) / seconds,
        sum(c.moves for _, c in rounds) / seconds,
        sum(c.evaluations for _, c in rounds) / seconds,
        max(c.episodes / s for s, c in rounds),
        compiled,
        median(theirs) if theirs else None,
    )


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
