"""TD-FARL: self-play episodes of temporal-difference learning with final adaptation, for any number of players.

Algorithm 2 of the FARL paper (Konen and Bagheri 2021), with afterstates (Algorithm 6), the horizon method of
eligibility (Algorithm 7) or the trace vector of Thill 2015, and both halves of the final adaptation switchable for the
paper's no-FARL columns.

The reward of a player is what his score gained since his last afterstate, whoever's move or chance event it came from.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import helper, hot_kernel, inlined
from boardlab.compiler.fences import BrokenRule
from boardlab.learn.traces import Traces, adapt_traces, add_trace, clear_traces
from boardlab.learn.trail import Trail, adapt, announce, look_back, push_afterstate
from boardlab.learn.values import Network, activate, begin_board, follow_state, rate_actions, reward_of
from boardlab.ntuple.indexing import Board, variant_indices
from boardlab.ntuple.layout import Structure
from boardlab.rng import Rng, random_below, random_float

__all__ = ["Settings", "Work", "train_episodes"]


class Settings(NamedTuple):
    """How an episode learns; the names of the paper are in the parameters of the agent."""

    gamma: float
    fade: np.float32
    """Factor of the eligibility from one afterstate of a player to the one before: gamma * lambda."""
    use_traces: bool
    """Eligibility by the trace vector instead of the horizon method."""
    replace_traces: bool
    learn_from_random: bool
    reset_on_random: bool
    farl_others: bool
    """First half of the final adaptation: the other players learn their final reward."""
    farl_terminal: bool
    """Second half: the value of the terminal afterstate is adapted towards 0."""
    choose_start: bool
    divide_alpha: bool
    """Divide alpha by m * N_S (equation 3)."""
    max_moves: int


class Work(NamedTuple):
    """All that the episodes of one thread work with. Threads share the network and have the rest to themselves."""

    network: Network
    st: Structure
    settings: Settings
    states: Any
    """Three records: the position, an afterstate, and one of zeros."""
    board: Board
    trail: Trail
    traces: Traces
    counts: NDArray[np.int64]
    """Episodes, moves and evaluated afterstates so far, shape (3,)."""
    chooser: Any
    """Which of the legal actions may be played: a `Chooser`."""
    record: NDArray[np.int64]
    """Where it has room, each move leaves its action, whether it was random, and its episode, shape (n, 3)."""


@hot_kernel
def train_episodes(
    game: Any, rule: Any, work: Any, alphas: NDArray[np.float64], epsilons: NDArray[np.float64], rng: Rng
) -> None:
    """Learn from one episode for each of `alphas` and `epsilons`: function TD-FARL-EPISODE."""
    s = work.states[0]
    settings, trail, scores = work.settings, work.trail, work.board.scores
    recorded = 0
    for episode in range(len(alphas)):
        _start(game, work, rng)
        moves = 0
        p: Any = 0
        rolled = False
        while not game.is_over(s) and moves < settings.max_moves:
            p = np.int64(game.player(s))  # one integer type for all players: each other would be compiled anew
            n = game.legal_actions(s, work.board.actions)
            is_random = random_float(rng) < epsilons[episode]
            if is_random:
                work.board.actions[0] = work.board.actions[random_below(rng, n)]
                n = 1
            else:
                n = work.chooser.narrow(game, s, work.board.actions, n, rng)
            if rule.slots > 0 and trail.length[p] > 0:
                announce(trail, work.network.memory[_table(work, p)], p)
            a, target = _best_action(game, work, n, p, rng)
            if recorded < len(work.record):
                work.record[recorded, 0] = a
                work.record[recorded, 1] = is_random
                work.record[recorded, 2] = episode
                recorded += 1
            game.advance(s, a)
            moves += 1
            work.counts[2] += n
            if trail.length[p] > 0:
                if settings.learn_from_random or not is_random:
                    _learn(rule, work, p, target, alphas[episode])
                elif settings.reset_on_random:
                    _forget(work, p)
                else:
                    look_back(work.network, trail, p, _table(work, p))
            _remember(game, work, p)
            rolled = game.is_chance(s)
            if rolled:
                _roll(game, s, rng)
                follow_state(game, work.st, work.network, work.board, s)
        if moves > 0 and game.is_over(s):
            game.scores(s, scores)
            _final_adaptation(game, rule, work, p, rolled, alphas[episode])
        elif moves == game.max_moves:
            raise BrokenRule("the game is not over after max_moves actions: make it end, or set max_moves higher")
        work.counts[0] += 1
        work.counts[1] += moves


@helper
def _start(game: Any, work: Any, rng: Rng) -> None:
    """A fresh episode: position, board, and nothing remembered."""
    s = work.states[0]
    work.states[0] = work.states[2]
    if work.settings.choose_start:
        game.random_start(s, rng)
    else:
        game.reset(s)
    _roll(game, s, rng)
    begin_board(game, work.st, work.network, work.board, s)
    game.scores(s, work.board.scores)
    for p in range(game.num_players):
        _forget(work, p)
        work.trail.score[p] = work.board.scores[p]


@inlined
def _roll(game: Any, s: Any, rng: Rng) -> None:
    """Draw the chance events that are due."""
    while game.is_chance(s):
        game.advance_chance(s, game.sample_chance(s, rng))


@inlined
def _table(work: Any, p: int) -> int:
    """Which table set the player uses."""
    return 0 if len(work.network.weights) == 1 else p


@inlined
def _best_action(game: Any, work: Any, n: int, p: int, rng: Rng) -> tuple[int, float]:
    """The action, among the first n, with the best reward plus discounted value of its afterstate, ties broken
    at random; and that sum, which is also the target for the player's last afterstate. Where all rewards are alike
    the network's sums decide, and one output is computed instead of n."""
    board, gamma, output = work.board, work.settings.gamma, work.network.output
    alike = rate_actions(game, work, n, p, _table(work, p), work.trail.score[p])
    keys = board.totals
    if not alike:
        for i in range(n):
            value = activate(output, keys[i]) if board.open[i] else 0.0
            keys[i] = board.rewards[i] + gamma * value
    best = keys[0]
    for i in range(1, n):
        best = max(best, keys[i])
    ties = 0
    for i in range(n):
        ties += keys[i] == best
    chosen = random_below(rng, ties) if ties > 1 else 0
    i = 0
    while i < n - 1 and (keys[i] != best or chosen > 0):  # none equals the best where a diverged net says NaN
        chosen -= keys[i] == best
        i += 1
    return board.actions[i], board.rewards[0] + gamma * activate(output, best) if alike else best


@inlined
def _forget(work: Any, p: int) -> None:
    """Drop what player p remembers of his afterstates."""
    work.trail.length[p] = 0
    clear_traces(work.traces, p)


@helper
def _learn(rule: Any, work: Any, p: int, target: float, alpha: float) -> None:
    """Adapt player p's newest afterstate towards the target, by backpropagating the error."""
    if work.settings.use_traces:
        adapt_traces(rule, work.network, work.settings, work.trail, work.traces, p, _table(work, p), target, alpha)
    else:
        adapt(rule, work.network, work.settings, work.trail, p, _table(work, p), target, alpha)


@inlined
def _remember(game: Any, work: Any, p: int) -> None:
    """The position, an afterstate of player p, becomes his newest one."""
    s, st, board = work.states[0], work.st, work.board
    view = p if work.network.inversion else 0
    spare = work.network.weights.shape[1] - 1
    follow_state(game, st, work.network, board, s)
    if len(st.pairs) > 0:
        count = variant_indices(st, board, board.cells[view], board.moved)
        push_afterstate(work.trail, p, board.moved, count, st.num_tuples, spare)
    else:
        push_afterstate(work.trail, p, board.indices[view], len(st.base), st.num_tuples, spare)
    if work.settings.use_traces:
        add_trace(work.network, work.settings, work.trail, work.traces, p, _table(work, p))
    game.scores(s, board.scores)
    work.trail.score[p] = board.scores[p]


@helper
def _final_adaptation(game: Any, rule: Any, work: Any, last: int, rolled: bool, alpha: float) -> None:
    """FINALADAPTAGENTS: all players but the last learn their final reward. The terminal afterstate learns that
    nothing comes after it, or, where a chance event ended the game (`rolled`), what that paid."""
    settings, trail, scores = work.settings, work.trail, work.board.scores
    if settings.farl_others:
        for p in range(game.num_players):
            if p != last and trail.length[p] > 0:
                _learn(rule, work, p, reward_of(work.network, True, scores[p], trail.score[p]), alpha)
    if settings.farl_terminal:
        target = reward_of(work.network, True, scores[last], trail.score[last]) if rolled else 0.0
        _learn(rule, work, last, target, alpha)
