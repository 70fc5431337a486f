"""Random games per second: the speed of a game's rules, which bounds that of every search and of learning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boardlab.bench import openspiel
from boardlab.bench.timing import Task, Timing, interleaved
from boardlab.game import Game
from boardlab.playouts import random_games
from boardlab.rng import make_rng

__all__ = ["Rollouts", "measure_rollouts"]


@dataclass(frozen=True)
class Rollouts:
    """The result for one game; rates are medians of the rounds, per CPU second on one core."""

    game: str
    games_per_s: float
    best_games_per_s: float
    moves_per_s: float
    compile_seconds: float | None
    openspiel_game: str | None
    openspiel_games_per_s: float | None

    @property
    def ratio(self) -> float | None:
        """How many times as fast as OpenSpiel."""
        return self.games_per_s / self.openspiel_games_per_s if self.openspiel_games_per_s else None


def measure_rollouts(games: Sequence[Game], seconds: float, rounds: int = 3, seed: int = 0) -> list[Rollouts]:
    """Measure all games, and OpenSpiel's versions of them where it is installed, in the same rounds."""
    tasks = [_task(game, seed) for game in games]
    others = {game: openspiel.same_game(game) for game in games} if openspiel.is_installed() else {}
    names = sorted({name for name in others.values() if name is not None})
    tasks += [Task(name, openspiel.random_games(name, seed)) for name in names]
    timings = interleaved(tasks, seconds, rounds)
    theirs = dict(zip(names, timings[len(games) :], strict=True))
    return [_result(game, timing, others.get(game), theirs) for game, timing in zip(games, timings)]


def _task(game: Game, seed: int) -> Task:
    rng = make_rng(seed)

    def play(n: int) -> Mapping[str, float]:
        moves, _ = random_games(game, n, rng)
        return {"games": n, "moves": moves}

    return Task(game.spec, play)


def _result(game: Game, ours: Timing, name: str | None, theirs: Mapping[str, Timing]) -> Rollouts:
    return Rollouts(
        game=game.spec,
        games_per_s=ours.median("games"),
        best_games_per_s=ours.best("games"),
        moves_per_s=ours.median("moves"),
        compile_seconds=ours.compile_seconds,
        openspiel_game=name,
        openspiel_games_per_s=theirs[name].median("games") if name is not None else None,
    )
