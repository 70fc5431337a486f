"""`Learner`: an n-tuple network of a game together with all that trains it, for one thread or several.

It allocates the look-up tables, hands the kernels their work space and runs them. What is saved with an agent is in
`network`, `streams` (random numbers, one for each thread) and `episodes`; everything else follows from game, tuples
and settings.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import hot_kernel
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.learn.chooser import Chooser
from boardlab.learn.episode import Settings, Work, train_episodes
from boardlab.learn.rules import StepSizeRule
from boardlab.learn.team import SMALL_TABLES, Merge, train_together
from boardlab.learn.traces import make_traces
from boardlab.learn.trail import make_trail
from boardlab.learn.values import IDENTITY, LOGISTIC, TANH, Network, activate, begin_board, rate_actions
from boardlab.ntuple.indexing import make_board
from boardlab.ntuple.layout import Layout
from boardlab.rng import Rng, make_rng
from boardlab.system.machine import free_memory, own_zeros

__all__ = ["Counts", "Learner", "NetworkOptions"]

OUTPUTS = {"tanh": TANH, "logistic": LOGISTIC, "identity": IDENTITY}


class NetworkOptions(NamedTuple):
    """How a network uses its tables."""

    tables: str
    """`per-player`, `shared`, or `inversion` (one table set, everyone sees the board as the first player)."""
    output: str
    """`tanh`, `logistic` or `identity`."""
    horizon: int
    """Stored afterstates per player."""


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
        layout: Layout,
        rule: StepSizeRule,
        options: NetworkOptions,
        settings: Settings,
        seed: int,
        make_chooser: Callable[[Network], Chooser] | None = None,
    ) -> None:
        """`make_chooser` makes what chooses the moves of self-play, for the network of one thread."""
        self.game, self.layout, self.rule = game, layout, rule
        self.options, self.seed = options, seed
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

    @property
    def table_sets(self) -> int:
        """One for each player, or one for all."""
        return self.game.num_players if self.options.tables == "per-player" else 1

    @property
    def memory_needed(self) -> int:
        """Bytes of the look-up tables with the step-size memory, and of the traces where they are used."""
        numbers = self.table_sets * (1 + self.rule.slots)
        if self.settings.use_traces:  # the traces, and at most as many places of those that are not 0
            numbers += 2 * self.game.num_players
        return 4 * numbers * (self.layout.num_weights + 1)

    def _refuse_the_impossible(self) -> None:
        free = free_memory()
        if self.memory_needed > free:
            raise BoardlabError(
                f"the look-up tables need {_size(self.memory_needed)} ({self.layout.num_weights:,} weights in"
                f" {self.table_sets} table sets, {1 + self.rule.slots} numbers each), but only {_size(free)} are free;"
                " take shorter or fewer n-tuples"
            )
        trail = 4 * self.game.num_players * self.options.horizon * self.layout.num_entries
        if trail > free:
            raise BoardlabError(
                f"the last {self.options.horizon:,} afterstates of every player need {_size(trail)}, but only"
                f" {_size(free)} are free; take a smaller lambda, a larger horizon_cut or fewer n-tuples"
            )

    @cached_property
    def network(self) -> Network:
        """The look-up tables. Their memory is taken when they are first used, so that it can be stated before."""
        weights = self.layout.num_weights + 1  # the last one is the spare weight that nobody reads
        memory = np.empty((self.table_sets, weights if self.rule.slots else 0, self.rule.slots), np.float32)
        memory[:] = self.rule.first_memory()
        low, high = self.game.score_range
        output = OUTPUTS[self.options.output]
        scale = {TANH: 1.0 / max(abs(low), abs(high)), LOGISTIC: 1.0 / (high - low), IDENTITY: 1.0}[output]
        return Network(
            weights=np.zeros((self.table_sets, weights), np.float32),
            memory=memory,
            inversion=self.options.tables == "inversion",
            output=output,
            scale=scale,
            shift=-low * scale if output == LOGISTIC else 0.0,
        )

    def work(self) -> Work:
        """The work space of a single thread, made when it is first asked for."""
        if self._work is None:
            self._work = self._make_work(self.network)
        return self._work

    def _make_work(self, network: Network) -> Work:
        game, st = self.game, self.layout.structure
        most = len(st.base) << len(st.pairs)
        return Work(
            network=network,
            st=st,
            settings=self.settings,
            states=own_zeros(3, game.state),
            board=make_board(game, st, game.num_players if network.inversion else 1),
            trail=make_trail(game.num_players, self.options.horizon, most, self.rule.slots),
            traces=make_traces(
                game.num_players,
                self.layout.num_weights + 1,
                most,
                self.settings.max_moves,
                self.settings.use_traces,
            ),
            counts=own_zeros(3, np.int64),
            chooser=self.make_chooser(network) if self.make_chooser else Chooser(),
            record=np.zeros((0, 3), np.int64),
        )

    def train(self, alphas: NDArray[np.float64], epsilons: NDArray[np.float64], threads: int = 1) -> Counts:
        """Learn from one self-play episode for each alpha and epsilon. Several threads train the network together
        (see `boardlab.learn.team`); only a single thread gives the same result every time."""
        while len(self.streams) < threads:
            self.streams.append(make_rng(self.seed, len(self.streams)))
        team = [self.work()] if threads == 1 else self._team_of(threads)
        for work in team:
            work.counts[:] = 0
        if threads == 1:
            self._team = []  # its copies of the network are out of date from here on
            train_episodes(self.game, self.rule, team[0], alphas, epsilons, self.streams[0])
        else:
            train_together(self.game, self.rule, team, alphas, epsilons, self.streams[:threads], self._merge)
        self.episodes += len(alphas)
        return Counts(*(int(n) for n in np.sum([work.counts for work in team], axis=0)))

    def _team_of(self, threads: int) -> list[Work]:
        """Work space for several threads, kept from one call to the next."""
        if len(self._team) != threads:
            small = self.network.weights.size + self.network.memory.size <= SMALL_TABLES
            self._merge = Merge(self.network, threads) if small else None
            networks = self._merge.networks if self._merge else [self.network] * threads
            self._team = [self._make_work(network) for network in networks]
        return self._team

    def rate(self, state: Any) -> dict[int, float]:
        """Reward plus discounted value of every legal action, in the units of the game's scores where the output
        is linear in them. `state` is a record in which some player is to move."""
        work = self.work()
        work.states[0] = state
        n = rate_position(self.game, work)
        shift = self.network.shift
        return {
            int(a): (float(v) - shift) / self.network.scale
            for a, v in zip(work.board.actions[:n], work.board.totals[:n], strict=True)
        }

    def compile(self) -> None:
        """Have the training code ready: loads it from disk or compiles it, without learning anything."""
        train_episodes(self.game, self.rule, self.work(), np.zeros(0), np.zeros(0), self.streams[0])


@hot_kernel
def rate_position(game: Any, work: Any) -> int:
    """Write reward plus discounted value of every legal action of `work.states[0]` to `board.totals`, in the order
    of `board.actions`, and return their number."""
    s, board = work.states[0], work.board
    begin_board(game, work.st, work.network, board, s)
    p: Any = np.int64(game.player(s))
    game.scores(s, board.scores)
    score = board.scores[p]
    n = game.legal_actions(s, board.actions)
    rate_actions(game, work, n, p, 0 if len(work.network.weights) == 1 else p, score)
    for i in range(n):
        value = activate(work.network.output, board.totals[i]) if board.open[i] else 0.0
        board.totals[i] = board.rewards[i] + work.settings.gamma * value
    return n


def _size(number: int) -> str:
    return f"{number / 2**30:,.1f} GB" if number >= 2**30 else f"{number / 2**20:,.1f} MB"
