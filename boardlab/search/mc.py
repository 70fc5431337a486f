"""Flat Monte Carlo: every legal action is played, followed by random games; also the random game that tree search ends
its simulations with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper, hot_kernel
from boardlab.compiler.errors import readable_compile_errors
from boardlab.game import Game, State
from boardlab.rng import Rng, make_rng, random_below
from boardlab.search.evaluation import CurrentScores, StaticEvaluation
from boardlab.search.pace import Pace
from boardlab.search.plain_games import for_plain_games_too
from boardlab.search.player import Player, draw_best

__all__ = ["FlatMonteCarlo", "MonteCarloPlayer", "rollout"]


@helper
def rollout(game: Any, s: Any, depth: int, actions: NDArray[np.int64], rng: Rng) -> None:
    """Play on at random until the game is over, `depth` actions at most; the chance events after the last action
    take place. `actions` is room for num_actions numbers."""
    left = depth
    while True:
        while game.is_chance(s):
            game.advance_chance(s, game.sample_chance(s, rng))
        if left == 0 or game.is_over(s):
            return
        n = game.legal_actions(s, actions)
        game.advance(s, actions[random_below(rng, n)])
        left -= 1


@hot_kernel
def _rollouts(
    game: Any,
    evaluation: Any,
    states: Any,
    candidates: NDArray[np.int64],
    totals: NDArray[np.float64],
    actions: NDArray[np.int64],
    scores: NDArray[np.float64],
    rng: Rng,
    depth: int,
    first: int,
    count: int,
) -> None:
    """Rollouts number `first` to `first + count - 1` from the position states[0], the candidates taking turns; what
    the player to move scores, by the evaluation of where it ends, is added to `totals`."""
    s = states[1]
    player = game.player(states[0])
    for i in range(first, first + count):
        k = i % len(candidates)
        states[1] = states[0]
        game.advance(s, candidates[k])
        rollout(game, s, depth, actions, rng)
        evaluation.evaluate(game, s, scores)
        totals[k] += scores[player]


_run_rollouts = for_plain_games_too(_rollouts)


class MonteCarloPlayer(Player):
    """Flat Monte Carlo in compiled code: the action with the best mean of so many random games; of several, any."""

    def __init__(self, game: Game, evaluation: StaticEvaluation, rollouts: int, depth: int | None) -> None:
        self.evaluation = evaluation
        self.limits = np.array([rollouts, game.max_moves if depth is None else depth], np.int64)
        self.states = np.zeros(2, game.state)
        self.actions = np.zeros(game.num_actions, np.int64)
        self.candidates = np.zeros(game.num_actions, np.int64)
        self.totals = np.zeros(game.num_actions, np.float64)
        self.scores = np.zeros(game.num_players, np.float64)

    def choose(self, game: Any, s: State, played: NDArray[np.int64], count: int, rng: Rng) -> int:
        n = game.legal_actions(s, self.candidates)
        if n == 1:
            return int(self.candidates[0])
        self.states[0] = s
        self.totals[:n] = 0.0
        _rollouts(
            game,
            self.evaluation,
            self.states,
            self.candidates[:n],
            self.totals,
            self.actions,
            self.scores,
            rng,
            self.limits[1],
            0,
            n * self.limits[0],
        )
        for i in range(n):
            self.totals[i] /= np.float64(self.limits[0])
        return draw_best(self.candidates, self.totals, n, 0.0, rng)


class FlatMonteCarlo:
    """Mean scores of random games after each action of a position."""

    def __init__(self, game: Game, evaluation: StaticEvaluation | None = None) -> None:
        """`evaluation` says what counts where a random game is cut off, the scores so far without; where it is over,
        the evaluation is its scores."""
        self.game, self.evaluation = game, evaluation or CurrentScores()
        self.states = np.zeros(2, game.state)
        self.actions = np.zeros(game.num_actions, np.int64)
        self.scores = np.zeros(game.num_players, np.float64)
        self.pace = Pace(1) if game.plain else Pace()

    def compile(self) -> None:
        """Have the machine code ready."""
        with readable_compile_errors(self.game):
            self._run(self.actions[:1], np.zeros(1), make_rng(0), 0, 0, 0)

    def search(
        self, state: Any, rollouts: int | None, seconds: float | None, depth: int | None, rng: Rng
    ) -> dict[int, float]:
        """The mean score of the player to move after each legal action: of so many rollouts each, or of as many as
        the time allows. A rollout is cut off after `depth` actions, and then the evaluation counts."""
        self.states[0] = state
        n = self.game.legal_actions(self.states.view(np.recarray)[0], self.actions)
        candidates = self.actions[:n].copy()
        totals = np.zeros(n)
        longest = self.game.max_moves if depth is None else depth
        done = 0
        for batch in self.pace.batches(None if rollouts is None else n * rollouts, seconds):
            self._run(candidates, totals, rng, longest, done, batch)
            done += batch
        counts = np.maximum((done - np.arange(n) + n - 1) // n, 1)
        return {int(a): float(mean) for a, mean in zip(candidates, totals / counts, strict=True)}

    def _run(
        self,
        candidates: NDArray[np.int64],
        totals: NDArray[np.float64],
        rng: Rng,
        depth: int,
        first: int,
        count: int,
    ) -> None:
        _run_rollouts(
            self.game,
            self.evaluation,
            self.states,
            candidates,
            totals,
            self.actions,
            self.scores,
            rng,
            depth,
            first,
            count,
        )
