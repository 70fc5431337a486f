"""How fast learned agents play: asked from Python, in whole games of machine code, and under the searches that look
ahead over their values. The networks have the settings of the FARL paper and random weights, which are as quick to read
as learned ones, so that nothing has to be trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from boardlab.agents.learning import LearningAgent
from boardlab.agents.registry import make_agent
from boardlab.bench.timing import Task, Timing, interleaved
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.lab.planning import new_learner
from boardlab.lab.presets import preset_names
from boardlab.lab.wish import TrainingWish
from boardlab.matches.fixtures import Fixture
from boardlab.matches.machine import compiled_seats, games_in_machine_code, play_in_machine_code
from boardlab.position import Position
from boardlab.rng import make_rng, random_below
from boardlab.search.action_values import ActionValues
from boardlab.search.puct_tree import PuctTree
from boardlab.search.tree_search import TreeSearch

__all__ = ["PlaySpeed", "measure_play"]

_PLIES = 8
"""The position that is asked about comes after so many random moves."""
_DEEP_ENOUGH = 2_000
"""Positions of a search that is measured."""
_SEARCH_SIZE = 1_000
"""Simulations of one search of PUCT."""
_SMALL = 0.01
_OPPONENT = "mcts:iterations=500"
_NO_LIMIT = 1e6
"""Seconds for a move; with a limit the CPU time of every seat is taken."""


@dataclass(frozen=True)
class PlaySpeed:
    """The result for one game; medians of the rounds, in CPU time on one core."""

    game: str
    network: str
    choose_microseconds: float
    """One move, asked from Python."""
    values_microseconds: float
    """The values of all actions of a position, asked from Python."""
    moves_per_s: float
    """In whole games of the agent against itself, in machine code."""
    n_ply_positions_per_s: float
    max_n_positions_per_s: float
    """The same without alpha-beta."""
    puct_simulations_per_s: float
    mcts_ratio: float | None
    """The time of games against `mcts:iterations=500`, by the time that it thinks in them; None for a single player."""
    depth: int
    """How deep the measured searches are."""
    compile_seconds: float | None
    """All of it together; None where the machine code was found on disk."""


def measure_play(games: Sequence[Game], seconds: float, rounds: int = 3, seed: int = 0) -> list[PlaySpeed]:
    """Measure all games in rounds that take turns."""
    measured = [_Measured(game, seed) for game in games]
    tasks = [one.tasks() for one in measured]
    timings = iter(interleaved(list(chain(*tasks)), seconds, rounds))
    return [one.result(list(islice(timings, len(own)))) for one, own in zip(measured, tasks, strict=True)]


class _Measured:
    """A game with an agent of random weights, and all that is measured of it."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game, self.seed = game, seed
        self.agent = _random_agent(game, seed)
        self.position = _some_position(game, seed)
        values = self.agent.action_values()
        if values is None:
            raise BoardlabError(f"{self.agent.spec} has no values in compiled code")
        self.values: ActionValues = values
        self.n_ply, self.depth = self._tree(alpha_beta=True)
        self.max_n, _ = self._tree(alpha_beta=False)

    def _tree(self, *, alpha_beta: bool) -> tuple[TreeSearch, int]:
        """A search without a table, and the least depth at which there is enough to measure."""
        tree = TreeSearch(self.game, self.values, megabytes=0, alpha_beta=alpha_beta)
        depth = 1
        while True:
            found = tree.search(self.position.state, depth)
            if found.positions > _DEEP_ENOUGH or found.solved:
                return tree, depth
            depth += 1

    def tasks(self) -> list[Task]:
        """In the order in which `result` takes them."""
        runs = (self._choose, self._values, self._games(), self._search(self.n_ply), self._search(self.max_n))
        return [Task(self.game.spec, run) for run in (*runs, self._puct(), self._against_mcts()) if run]

    def _choose(self, n: int) -> Mapping[str, float]:
        rng = make_rng(self.seed)
        for _ in range(n):
            self.agent.choose(self.position, rng)
        return {"done": n}

    def _values(self, n: int) -> Mapping[str, float]:
        for _ in range(n):
            self.agent.values(self.position)
        return {"done": n}

    def _games(self) -> Callable[[int], Mapping[str, float]]:
        agents = [self.agent]
        seats = compiled_seats(self.game, agents)
        assert seats is not None

        def run(n: int) -> Mapping[str, float]:
            fixtures = [Fixture((0,) * self.game.num_players)] * n
            records = play_in_machine_code(
                self.game, agents, seats, fixtures, 0, self.seed, 1, lambda number, record, done: None
            )
            return {"done": sum(sum(record.moves) for record in records)}

        return run

    def _against_mcts(self) -> Callable[[int], Mapping[str, float]] | None:
        """Games of the agent on every seat in turn against the search on the others: the CPU seconds that it thinks."""
        agents, players = [self.agent, make_agent(_OPPONENT, self.game)], self.game.num_players
        seats = compiled_seats(self.game, agents)
        if seats is None or players == 1:
            return None

        def run(n: int) -> Mapping[str, float]:
            fixtures = [Fixture(tuple(int(seat != k % players) for seat in range(players))) for k in range(n)]
            played = games_in_machine_code(self.game, agents, seats, fixtures, 0, self.seed, 1, _NO_LIMIT)
            records = [record for _, record in played]
            return {"thought": sum(cpu for r in records for who, cpu in zip(r.seats, r.cpu, strict=True) if who == 1)}

        return run

    def _search(self, tree: TreeSearch) -> Callable[[int], Mapping[str, float]]:
        def run(n: int) -> Mapping[str, float]:
            seen = 0
            while seen < n:
                seen += tree.search(self.position.state, self.depth).positions
            return {"done": seen}

        return run

    def _puct(self) -> Callable[[int], Mapping[str, float]]:
        tree, rng = PuctTree(self.game, self.values), make_rng(self.seed)

        def run(n: int) -> Mapping[str, float]:
            for begin in range(0, n, _SEARCH_SIZE):
                tree.forget()
                tree.search(self.position, rng, simulations=min(_SEARCH_SIZE, n - begin), exploration=1.0)
            return {"done": n}

        return run

    def result(self, timings: Sequence[Timing]) -> PlaySpeed:
        """What came of the tasks."""
        choose, values, moves, n_ply, max_n, puct = (timing.median("done") for timing in timings[:6])
        thought = [timing.median("thought") for timing in timings[6:]]
        compiled = [timing.compile_seconds for timing in timings if timing.compile_seconds is not None]
        return PlaySpeed(
            game=self.game.spec,
            network=self.agent.summary.split(";", maxsplit=1)[0],
            choose_microseconds=1e6 / choose,
            values_microseconds=1e6 / values,
            moves_per_s=moves,
            n_ply_positions_per_s=n_ply,
            max_n_positions_per_s=max_n,
            puct_simulations_per_s=puct,
            mcts_ratio=1 / thought[0] if thought else None,
            depth=self.depth,
            compile_seconds=sum(compiled) if compiled else None,
        )


def _random_agent(game: Game, seed: int) -> LearningAgent:
    wish = {"preset": "paper" if "paper" in preset_names(game) else None, "seed": 1}
    agent = new_learner(game, TrainingWish.model_validate(wish))
    numbers = np.random.default_rng(seed)
    for weights in agent.weights().values():
        weights[...] = _SMALL * (numbers.random(weights.shape, np.float32) - np.float32(0.5))
    return agent


def _some_position(game: Game, seed: int) -> Position:
    """After some random moves, or at the start where the game would be over by then."""
    rng = make_rng(seed)
    position = game.start().roll(rng)
    for _ in range(_PLIES):
        legal = position.legal_actions
        position.play(legal[random_below(rng, len(legal))]).roll(rng)
        if position.is_over:
            return game.start().roll(rng)
    return position
