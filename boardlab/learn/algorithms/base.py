"""What a learning algorithm is: what happens at one move of self-play, and at the end of an episode.

The kernel that plays episodes (`boardlab.learn.episode`) knows none of them. It calls

    start(game, work)               the episode begins
    move(game, work, p, ...)        player p is to move: choose, play, learn
    rolled(game, work, p, ...)      chance has answered
    ended(game, work, last, ...)    the episode is over, `work.moves.scores` has what everybody got

An algorithm of one's own is a class in a file, `algorithm=path/to/file.py:Class`, which derives from `Algorithm`. What
it needs is here: `options` (which actions may be played), `best_action`, `note` (what was played), `learn`, `remember`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import Compilable, by_address, helper, inlined, inlined_method
from boardlab.components.component import Component, take_parameters
from boardlab.game import Game
from boardlab.learn.approximators.base import Moves
from boardlab.learn.outputs import LOGISTIC, activate
from boardlab.learn.traces.base import Network
from boardlab.registry import Registry
from boardlab.rng import Rng, random_below, random_float

__all__ = [
    "Algorithm",
    "Settings",
    "Work",
    "algorithm_classes",
    "best_action",
    "forget",
    "keep",
    "learn",
    "make_algorithm",
    "mirrored",
    "note",
    "options",
    "remember",
    "take_scores",
    "winning_action",
]


class Settings(NamedTuple):
    """How an episode learns; the names of the papers are in the parameters of the agents."""

    gamma: float
    fade: np.float32
    """Factor of the eligibility from one position of a chain to the one before: gamma * lambda."""
    learn_from_random: bool
    reset_on_random: bool
    reset_all: bool
    """Not only the chain of the player whose move was random, but those of all."""
    farl_others: bool
    """First half of the final adaptation: the other players learn their final reward."""
    farl_terminal: bool
    """Second half: the value of the terminal afterstate is adapted towards 0."""
    choose_start: bool
    divide_alpha: bool
    """Divide alpha by m * N_S (equation 3 of the FARL paper)."""
    max_moves: int
    at_limit: int = 0
    """What an episode that is cut off after max_moves learns as its result: see `boardlab.learn.episode`."""
    haste: float = 0.0
    """How much less the result of a finished game counts for each move before its last one."""
    take_wins: bool = False
    """An action that wins at once is always played."""
    replays: int = 0
    """Stored transitions that are learned after each move."""
    replay_from: int = 0
    """From which episode on."""


@by_address
class Work(NamedTuple):
    """All that the episodes of one thread work with. Threads share the network and have the rest to themselves."""

    algorithm: Any
    values: Any
    """An `Approximator`."""
    trace: Any
    rule: Any
    network: Network
    settings: Settings
    states: Any
    """Three records: the position, an afterstate, and one of zeros."""
    moves: Moves
    paid: NDArray[np.float64]
    """Every player's score when he was last rewarded, shape (N,)."""
    counts: NDArray[np.int64]
    """Episodes, moves and evaluated actions of this stretch, shape (3,)."""
    learned: NDArray[np.int64]
    """Episodes that the agent has learned from in all, shape (1,)."""
    chosen: NDArray[np.int64]
    """Which of the actions of a move `best_action` has chosen, shape (1,)."""
    due: NDArray[np.float64]
    """What a move has still to learn when chance has answered: the target, and whether it was random, shape (2,)."""
    chooser: Any
    """Which of the legal actions may be played: a `Chooser`."""
    record: NDArray[np.int64]
    """Where it has room, each move leaves its action, whether it was random, its episode, and the action that its
    target was made of (-1: none), shape (n, 4)."""
    recorded: NDArray[np.int64]
    """How many rows of it are used, shape (1,)."""
    script: Any
    """Games that are read instead of being played: a `Script`, or `NoScript`."""
    replay: Any
    """A `Replay`, or `NoReplay`."""
    oracle: Any
    """The perfect player's opinion, an `Oracle`."""


class Algorithm(Component, Compilable, ABC):
    """Base class."""

    of_actions = False
    """Whether it learns values of actions (Q) instead of values of afterstates."""
    one_chain = False
    """Whether all players have one chain of positions together, instead of one each."""
    values_ends = False
    """Whether the value of an afterstate includes the reward for coming there, so that finished games have one, too."""
    random_moves: ClassVar[bool] = True
    """Whether `learn_from_random` means something for it."""
    final_adaptation: ClassVar[bool] = True
    """Whether `farl` means something for it."""
    replayable: ClassVar[str] = ""
    """Why stored transitions cannot be learned by it; empty where they can."""

    def __init__(self, **settings: object) -> None:
        take_parameters(self, settings, f"the algorithm {self.name or type(self).__name__}")

    @classmethod
    def unsuited(cls, game: Game) -> str:
        """Why it cannot learn a game; empty where it can."""
        return ""

    @inlined_method
    def owner(self, game: Any, s: Any, p: int) -> int:
        """Whose an afterstate of player p is. By default his; where two play one move back, it belongs to the player
        who waits there: p himself, unless he moves again."""
        return p

    @inlined_method
    def start(self, game: Any, work: Any) -> None:
        """An episode begins in `work.states[0]`, which the network follows; nothing is remembered."""

    @abstractmethod
    def move(self, game: Any, work: Any, p: int, alpha: float, epsilon: float, rng: Rng) -> None:
        """Player p is to move in `work.states[0]`: choose an action and play it, and learn."""

    @inlined_method
    def rolled(self, game: Any, work: Any, p: int, alpha: float) -> None:
        """The chance events after a move of player p have been drawn, where there are any; by default nothing is to be
        learned from them."""

    @abstractmethod
    def ended(self, game: Any, work: Any, last: int, rolled: bool, cut: bool, alpha: float) -> None:
        """The episode is over after a move of player `last`; `work.moves.scores` has the result. `rolled`: a chance
        event came after the move, `cut`: the game is not over, but the episode is."""


@inlined
def options(game: Any, work: Any, epsilon: float, rng: Rng) -> tuple[int, bool]:
    """Put the actions that may be played to the front of `moves.actions`: how many they are, and whether the move is
    random. A random move is one action of all; the action of a replayed game is the only one."""
    s, actions, settings = work.states[0], work.moves.actions, work.settings
    n = game.legal_actions(s, actions)
    if work.script.tells(actions):
        return 1, False
    if random_float(rng) < epsilon:
        actions[0] = actions[random_below(rng, n)]
        return 1, True
    if settings.take_wins:
        won = winning_action(game, work.states, work.moves, n)
        if won >= 0:
            actions[0] = won
            return 1, False
    return work.chooser.narrow(game, s, actions, n, rng), False


@helper
def winning_action(game: Any, states: Any, moves: Any, n: int) -> int:
    """An action, of the first n in the position `states[0]`, that ends the game with a score above all others; -1 where
    there is none."""
    s = states[1]
    p = game.player(states[0])
    for i in range(n):
        states[1] = states[0]
        game.advance(s, moves.actions[i])
        if not game.is_chance(s) and game.is_over(s):
            game.scores(s, moves.scores)
            above = moves.scores[p] > 0.0
            for q in range(game.num_players):
                above &= q == p or moves.scores[p] > moves.scores[q]
            if above:
                return int(moves.actions[i])
    return -1


@inlined
def best_action(game: Any, work: Any, n: int, p: int, rng: Rng) -> tuple[int, float]:
    """The action, among the first n, with the best reward plus discounted value, ties broken at random; and that sum.
    Where all rewards are alike the network's sums decide, and one output is computed instead of n."""
    values, moves, gamma = work.values, work.moves, work.settings.gamma
    if work.algorithm.of_actions or work.algorithm.values_ends:
        gamma = 1.0
    alike = values.rate(game, work.states, moves, n, p, work.paid[p], work.algorithm.values_ends)
    work.counts[2] += n
    keys = moves.totals
    if not alike:
        for i in range(n):
            value = activate(values.output, keys[i]) if moves.open[i] else 0.0
            keys[i] = moves.rewards[i] + gamma * value
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
    work.chosen[0] = i
    return moves.actions[i], moves.rewards[0] + gamma * activate(values.output, best) if alike else best


@inlined
def note(work: Any, action: int, is_random: bool, target_action: int) -> None:
    """Leave a row in the record."""
    row = work.recorded[0]
    if row < len(work.record):
        work.record[row, 0] = action
        work.record[row, 1] = is_random
        work.record[row, 2] = work.counts[0]  # the number of the episode in this stretch
        work.record[row, 3] = target_action
        work.recorded[0] = row + 1


@inlined
def keep(game: Any, work: Any, who: int, p: int, action: int) -> None:
    """Write the current position, which the network follows, behind the newest one of a chain."""
    trace = work.trace
    place = trace.fresh(who)
    trace.counts[who, place] = work.values.keep(
        game, work.states[0], p, action, trace.index[who, place], trace.hits[who, place]
    )
    trace.owners[who, place] = p


@inlined
def learn(work: Any, who: int, target: float, alpha: float, is_next: bool) -> None:
    """The newest position of a chain learns its target."""
    work.trace.adapt(work.values, work.network, work.rule, work.settings, who, target, alpha, is_next)


@inlined
def remember(work: Any, who: int) -> None:
    """The position that was kept becomes the newest one of the chain."""
    work.trace.push(work.values, work.network, work.rule, work.settings, who)


@inlined
def forget(work: Any, who: int) -> None:
    """Nothing of a chain is eligible any more."""
    work.trace.forget(work.network, work.rule, who)


@inlined
def take_scores(game: Any, work: Any) -> None:
    """Everybody is rewarded up to the current position."""
    game.scores(work.states[0], work.moves.scores)
    for p in range(game.num_players):
        work.paid[p] = work.moves.scores[p]


@inlined
def mirrored(values: Any, target: float) -> float:
    """What a value of one of two players is to the other one."""
    return 1.0 - target if values.output == LOGISTIC else -target


_algorithms: Registry[Algorithm] = Registry("algorithm", Algorithm, "boardlab.learn.algorithms")  # type: ignore[type-abstract]


def algorithm_classes() -> dict[str, type[Algorithm]]:
    """All algorithms that can be made by name."""
    return _algorithms.classes


def make_algorithm(spec: str) -> Algorithm:
    """The algorithm of a specification."""
    return _algorithms.make(spec)
