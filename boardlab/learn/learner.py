"""`Learner`: an approximator of a game together with all that trains it, for one thread or several.

It allocates the network, hands the kernels their work space and runs them. What is saved with an agent is in `network`,
`streams` (random numbers, one for each thread), `replay` and `episodes`; everything else follows from the game and the
settings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import Compilable, hot_kernel, inlined
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.learn.algorithms.base import Algorithm, Settings, Work
from boardlab.learn.approximators.base import Approximator, Arrays, make_moves
from boardlab.learn.chooser import Chooser
from boardlab.learn.episode import train_episodes
from boardlab.learn.oracle import Oracle
from boardlab.learn.outputs import activate
from boardlab.learn.replay import NoReplay, Replay
from boardlab.learn.rules import StepSizeRule
from boardlab.learn.script import NoScript, Script
from boardlab.learn.team import SMALL_TABLES, Merge, train_together
from boardlab.learn.traces.base import Network, Sizes, Trace, make_trace
from boardlab.learn.traces.horizon import Horizon, SeeingHorizon
from boardlab.learn.traces.runs import RunHorizon
from boardlab.rng import Rng, make_rng
from boardlab.system.machine import free_memory, own_zeros
from boardlab.words import size_text

__all__ = ["Counts", "Learner", "Parts", "Rater", "TraceOptions", "rate_actions"]


class TraceOptions(NamedTuple):
    """Which eligibility, beside the factor in the settings."""

    method: str = "horizon"
    """A specification: `horizon`, `traces`, or one's own."""
    horizon: int = 1
    """Remembered positions of a chain, where it is a horizon."""
    replace: bool = False
    """Replacing traces instead of accumulating ones."""


class Parts(NamedTuple):
    """What a learner is put together from."""

    values: Approximator
    """Already designed for the game."""
    algorithm: Algorithm
    rule: StepSizeRule
    trace: TraceOptions = TraceOptions()
    once: bool | None = None
    """Whether a weight that several symmetric boards hit learns once, or as often as it is hit; None: as in the paper
    of the algorithm."""
    spread: float = 0.0
    """Weights begin at random between -spread / 2 and spread / 2 (xi of Thill 2015)."""
    start_value: float = 0.0
    """What every position is worth at the beginning, as a score of the game."""
    replay: int = 0
    """Capacity of the replay memory."""
    oracle: Oracle = Oracle()


class Counts(NamedTuple):
    """What a stretch of training did."""

    episodes: int
    moves: int
    evaluations: int


class Learner:
    """One network in training. Not safe for several Python threads at once; `train` starts its own."""

    def __init__(
        self,
        game: Game,
        parts: Parts,
        settings: Settings,
        seed: int,
        make_chooser: Callable[[Network], Chooser] | None = None,
    ) -> None:
        """`make_chooser` makes what chooses the moves of self-play, for the network of one thread."""
        self.game, self.parts, self.seed = game, parts, seed
        self.values, self.rule, self.algorithm = parts.values, parts.rule, parts.algorithm
        if self.all_weights * self.rule.slots > SMALL_TABLES:  # the system gives memory when it is used, and that
            self.rule = self.rule.without_filling()  # would take longer than all else before the first episode
        self.settings = settings._replace(max_moves=min(settings.max_moves, game.max_moves))
        self.make_chooser = make_chooser
        self.episodes = 0
        self.streams: list[Rng] = [make_rng(seed)]
        self._work: Work | None = None
        self._team: list[Work] = []
        self._merge: Merge | None = None
        self._refuse_the_impossible()

    def __getstate__(self) -> dict[str, Any]:
        """A copy makes work space of its own, in which some arrays share their memory."""
        return {**vars(self), "_work": None, "_team": [], "_merge": None}

    # ------------------------------------------------------------ sizes

    @property
    def table_sets(self) -> int:
        """One for each player, or one for all."""
        return self.values.table_sets

    @property
    def chains(self) -> int:
        """Chains of positions: one for each player or one for all, and one for what is replayed."""
        return (1 if self.algorithm.one_chain else self.game.num_players) + (self.parts.replay > 0)

    @property
    def chains_are_apart(self) -> bool:
        """Whether no weight belongs to two chains."""
        return self.algorithm.one_chain or self.table_sets == self.game.num_players

    @property
    def all_weights(self) -> int:
        """Weights of all table sets, and the spare ones."""
        return self.table_sets * (self.values.num_weights + 1)

    @property
    def choices(self) -> int:
        """How many positions may follow one in the replay memory."""
        greedy = self.algorithm.of_actions or self.algorithm.values_ends
        return self.game.num_actions if greedy else 1

    @property
    def memory_needed(self) -> int:
        """Bytes of the weights with the step-size memory, of the traces and of the replay memory."""
        needed = 4 * self.all_weights * (1 + self.rule.slots)
        needed += self._bare_trace().bytes_needed(self._trace_sizes())
        return needed + Replay.bytes_needed(self.parts.replay, self.values.most_kept, self.choices)

    def _refuse_the_impossible(self) -> None:
        free = free_memory()
        if self.memory_needed > free:
            raise BoardlabError(
                f"the network needs {size_text(self.memory_needed)} ({self.values.num_weights:,} weights in"
                f" {self.table_sets} table sets, {1 + self.rule.slots} numbers each), but only {size_text(free)} are"
                " free; take shorter or fewer n-tuples"
            )
        horizon = self.parts.trace.horizon
        kept = 8 * self.chains * (horizon + 1) * self.values.most_kept
        if kept > free:
            raise BoardlabError(
                f"the last {horizon:,} afterstates of every player need {size_text(kept)}, but only"
                f" {size_text(free)} are free; take a smaller lambda, a larger horizon_cut or fewer n-tuples"
            )

    # ------------------------------------------------------------ work space

    def first_weights(self) -> NDArray[np.float32]:
        """The weights as they are before the first episode."""
        worth = self.parts.start_value * self.values.scale + self.values.shift if self.parts.start_value else 0.0
        return self.values.first_weights(self.parts.spread, worth)

    @cached_property
    def network(self) -> Network:
        """The trained numbers. Their memory is taken when they are first used, so that it can be stated before."""
        rule, tables = self.rule, self.table_sets
        weights = self.first_weights()
        first = rule.first_memory()
        memory = np.zeros((tables, weights.shape[1] if rule.slots else 0, rule.slots), np.float32)
        if len(set(first)) > 1 and not rule.unfilled:
            memory[:] = first
        elif any(first) and not rule.unfilled:
            memory.fill(first[0])  # row by row it takes four times as long
        scalars = np.empty((tables, rule.scalars), np.float32)
        scalars[:] = rule.first_scalars()
        return Network.of(weights, memory, scalars)

    @cached_property
    def replay(self) -> Replay:
        """The replay memory, empty where it has no capacity."""
        return Replay(self.parts.replay, self.values.most_kept, self.choices)

    def work(self) -> Work:
        """The work space of a single thread, made when it is first asked for."""
        if self._work is None:
            self._work = self._make_work(self.network, self.replay if self.parts.replay else NoReplay())
        return self._work

    def _make_work(self, network: Network, replay: NoReplay) -> Work:
        game = self.game
        return Work(
            algorithm=self.algorithm,
            values=self.values.attached(network.weights),
            trace=self._make_trace(),
            rule=self.rule,
            network=network,
            settings=self.settings,
            states=own_zeros(3, game.state),
            moves=make_moves(game),
            paid=own_zeros(game.num_players),
            counts=own_zeros(3, np.int64),
            learned=own_zeros(1, np.int64),
            chosen=own_zeros(1, np.int64),
            due=own_zeros(2),
            chooser=self.make_chooser(network) if self.make_chooser else Chooser(),
            record=np.zeros((0, 4), np.int64),
            recorded=own_zeros(1, np.int64),
            script=NoScript(),
            replay=replay,
            oracle=self.parts.oracle.for_thread(),
        )

    def _make_trace(self) -> Trace:
        trace = self._bare_trace()
        trace.make_room(self._trace_sizes())
        return trace

    def _bare_trace(self) -> Trace:
        """The eligibility, before it has its work space."""
        trace, sizes = make_trace(self.parts.trace.method), self._trace_sizes()
        if type(trace) is not Horizon:
            return trace
        if self.rule.needs_next:
            return SeeingHorizon()
        alone = self.rule.passes == 1 and self.values.direct and sizes.once and self.parts.replay == 0
        return RunHorizon() if alone and RunHorizon.pays(sizes) else trace

    def _trace_sizes(self) -> Sizes:
        values, options = self.values, self.parts.trace
        farl = options.method == "horizon" and not self.algorithm.one_chain
        return Sizes(
            chains=self.chains,
            most_kept=values.most_kept,
            most_active=values.most_active,
            slots=self.rule.slots,
            weights=self.all_weights,
            fade=float(self.settings.fade),
            longest=self.settings.max_moves + 1,
            horizon=options.horizon,
            replace=options.replace,
            once=values.looks_once and (farl if self.parts.once is None else self.parts.once),
            own=self.chains_are_apart,
        )

    # ------------------------------------------------------------ learning

    def train(self, alphas: NDArray[np.float64], epsilons: NDArray[np.float64], threads: int = 1) -> Counts:
        """Learn from one self-play episode for each alpha and epsilon. Several threads train the network together
        (see `boardlab.learn.team`); only a single thread gives the same result every time."""
        while len(self.streams) < threads:
            self.streams.append(make_rng(self.seed, len(self.streams)))
        team = [self.work()] if threads == 1 else self._team_of(threads)
        for work in team:
            work.counts[:] = 0
            work.learned[0] = self.episodes
        if threads == 1:
            self._team = []  # its copies of the network are out of date from here on
            train_episodes(self.game, team[0], alphas, epsilons, self.streams[0])
        else:
            train_together(self.game, team, alphas, epsilons, self.streams[:threads], self._merge)
        return self._count(team, len(alphas))

    def check_threads(self, threads: int) -> None:
        """Say so where it cannot learn with so many threads."""
        if threads > 1 and self.parts.replay > 0:
            raise BoardlabError("a replay memory belongs to one thread; train with threads=1, or with replay=0")

    def learn_from(
        self, games: Sequence[Sequence[int]], chance: Sequence[Sequence[int]], alphas: NDArray[np.float64]
    ) -> Counts:
        """Learn from games that were played elsewhere, by actions and chance outcomes, one for each alpha."""
        work = self.work()
        work.counts[:] = 0
        work.learned[0] = self.episodes
        self._team = []
        read = work._replace(script=Script(games, chance))
        train_episodes(self.game, read, alphas, np.zeros(len(alphas)), self.streams[0])
        return self._count([work], len(alphas))

    def _count(self, team: list[Work], episodes: int) -> Counts:
        self.episodes += episodes
        return Counts(*(int(n) for n in np.sum([work.counts for work in team], axis=0)))

    def _team_of(self, threads: int) -> list[Work]:
        """Work space for several threads, kept from one call to the next."""
        self.check_threads(threads)
        if len(self._team) != threads:
            small = self.network.weights.size + self.network.memory.size <= SMALL_TABLES
            self._merge = Merge(self.network, threads) if small else None
            networks = self._merge.networks if self._merge else [self.network] * threads
            self._team = [self._make_work(network, NoReplay()) for network in networks]
        return self._team

    def compile(self) -> None:
        """Have the training code ready: loads it from disk or compiles it, without learning anything."""
        train_episodes(self.game, self.work(), np.zeros(0), np.zeros(0), self.streams[0])

    def snapshot(self) -> Learner:
        """A learner with a copy of the weights, to play by them while this one learns on."""
        other = copy(self)
        other.__dict__.pop("_rater", None)
        other.network = Network.of(self.network.weights.copy(), self.network.memory, self.network.scalars)
        return other

    # ------------------------------------------------------------ playing

    @cached_property
    def _rater(self) -> Rater:
        return self.make_rater()

    def make_rater(self) -> Rater:
        """What rates single positions by the weights of now and later, with a work space of its own."""
        return Rater(self.game, self.values.attached(self.network.weights), self.algorithm, self.settings.gamma)

    def rate(self, state: Any) -> dict[int, float]:
        """Reward plus discounted value of every legal action, in the units of the game's scores where the output
        is linear in them. `state` is a record in which some player is to move."""
        rater = self._rater
        rater.states[0] = state
        n = rate_position(self.game, rater)
        shift, scale = self.values.shift, self.values.scale
        actions, totals = rater.moves.actions[:n].tolist(), rater.moves.totals[:n].tolist()
        return {a: (v - shift) / scale for a, v in zip(actions, totals, strict=True)}


class Rater(Compilable):
    """What rates the actions of single positions, asked from Python. An object of ours is handed to a kernel some ten
    times as fast as a named tuple, whose type is found out anew at every call."""

    def __init__(self, game: Game, values: Approximator, algorithm: Algorithm, gamma: float) -> None:
        self.values = values
        self.moves: Any = Arrays(make_moves(game))
        self.states = own_zeros(2, game.state)
        self.ends = algorithm.values_ends
        self.gamma = 1.0 if algorithm.values_ends or algorithm.of_actions else float(gamma)


@hot_kernel
def rate_position(game: Any, rater: Any) -> int:
    """`rate_actions` for Python."""
    return rate_actions(game, rater)


@inlined
def rate_actions(game: Any, rater: Any) -> Any:
    """Write reward plus discounted value of every legal action of `rater.states[0]` to `moves.totals`, in the order
    of `moves.actions`, and return their number."""
    s, moves, values = rater.states[0], rater.moves, rater.values
    values.begin(game, s)
    p: Any = np.int64(game.player(s))
    game.scores(s, moves.scores)
    score = moves.scores[p]
    n = game.legal_actions(s, moves.actions)
    values.rate(game, rater.states, moves, n, p, score, rater.ends)
    for i in range(n):
        value = activate(values.output, moves.totals[i]) if moves.open[i] else 0.0
        moves.totals[i] = moves.rewards[i] + rater.gamma * value
    return n
