"""The agent `td-ntuple`: an n-tuple network that learns by self-play with TD-FARL.

Its parameters carry the names of the FARL paper (appendix A) and of Thill 2015; `boardlab.learn` does the work.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from copy import copy
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from boardlab.agents.base import Agent
from boardlab.agents.learning import LearningAgent
from boardlab.agents.tuple_views import LearnerTuples
from boardlab.agents.wrapper import Wrapper, read_wrapper
from boardlab.arguments import whole_number
from boardlab.components.component import Component
from boardlab.components.models import read_model
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.learn.chooser import Chooser
from boardlab.learn.episode import Settings
from boardlab.learn.learner import Counts, Learner, NetworkOptions
from boardlab.learn.rules import make_rule, rule_classes
from boardlab.learn.schedules import Shape, schedule
from boardlab.learn.step_sizes import sampled_step_sizes
from boardlab.learn.values import Network
from boardlab.ntuple.creation import make_tuples
from boardlab.ntuple.layout import make_layout
from boardlab.position import Position
from boardlab.rng import Rng, random_below
from boardlab.search.action_values import ActionValues
from boardlab.search.ntuple_values import NTupleValues
from boardlab.system.machine import own_copy
from boardlab.words import size_text

__all__ = ["TDNTuple"]

_MOST_THREADS = 1024
"""A file has one state of the random numbers for each thread that trained it, and not more than this."""
_AT_ONCE = 1 << 20


class TDNTuple(LearningAgent):
    """Learns the values of afterstates with an n-tuple network, by playing against itself (TD-FARL)."""

    name = "td-ntuple"

    class Parameters(LearningAgent.Parameters):
        """All parameters of network and training."""

        episodes: int = Field(
            20_000, ge=1, le=10**9, description="training episodes over which alpha and epsilon change"
        )
        tuples: str = Field(
            "default",
            description="n-tuples: a fixed set of the game, walk:70x8, points:30x5, box-walk:80x16 or a JSON file",
        )
        symmetries: bool = Field(True, description="also look up all symmetric boards (USESYMMETRY, S(s'))")
        tables: Literal["per-player", "shared", "inversion"] = Field(
            "per-player", description="look-up tables for each player, one set for all, or one with board inversion"
        )
        output: Literal["tanh", "logistic", "identity"] = Field(
            "tanh", description="output function sigma; rewards are scaled into the range of a bounded one"
        )
        bias: bool = Field(False, description="add a weight that is always active")
        alpha: float = Field(1.0, gt=0, le=1000, description="step size alpha at the start")
        alpha_end: float | None = Field(
            None, gt=0, le=1000, description="alpha after the last episode; none: as at the start"
        )
        alpha_schedule: Shape = Field("exponential", description="how alpha goes from start to end")
        divide_alpha: bool = Field(True, description="divide alpha by the number of active weights m N_S (equation 3)")
        epsilon: float = Field(0.1, ge=0, le=1, description="random move rate epsilon at the start")
        epsilon_end: float | None = Field(
            None, ge=0, le=1, description="epsilon after the last episode; none: as at the start"
        )
        epsilon_schedule: Shape = Field("linear", description="how epsilon goes from start to end")
        gamma: float = Field(1.0, ge=0, le=1, description="discount factor gamma")
        lam: float = Field(0.0, ge=0, le=1, description="eligibility rate lambda")
        method: Literal["horizon", "traces"] = Field(
            "horizon", description="eligibility: a horizon of afterstates (Algorithm 7) or a trace vector (Thill 2015)"
        )
        horizon_cut: float = Field(0.1, gt=0, lt=1, description="the horizon ends where lambda^k falls below this")
        eligibility: Literal["et", "res", "rep", "rr"] = Field(
            "et", description="et never forgets, res resets on a random move, rep replaces traces, rr does both"
        )
        rule: str = Field(
            "tcl-exp",
            description="step-size rule: plain, temporal coherence as tcl, tcl-delta, tcl-exp or tcl-pl, or one's own"
            " as path/to/file.py:Class",
        )
        tc_init: float = Field(
            1e-4, ge=0, le=1e6, description="what N and A of temporal coherence start with (TC-Init)"
        )
        beta: float = Field(2.7, gt=0, le=20, description="shape beta of the transfer function of tcl-exp and tcl-pl")
        farl: bool = Field(True, description="final adaptation of all players (FARL)")
        farl_others: bool = Field(True, description="first half of FARL: the other players learn their final reward")
        farl_terminal: bool = Field(True, description="second half of FARL: the terminal afterstate learns 0")
        learn_from_random: bool = Field(False, description="also learn from random moves (T_lrnRM, Learn-from-RM)")
        choose_start: bool = Field(False, description="begin episodes at random start states (Choose-Start-01)")
        max_moves: int | None = Field(
            None, ge=1, le=10**9, description="end an episode after so many moves; none: never"
        )
        seed: int = Field(
            1, ge=0, le=999_999_999_999, description="random tuples and all of the training follow from it"
        )

        play_wrapper: str | None = Field(
            None, description="look ahead in play and evaluation with n-ply or puct, as n-ply:depth=2; none: do not"
        )
        train_wrapper: str | None = Field(
            None, description="the same for the moves of self-play, as n-ply:depth=1; none: do not"
        )

        @model_validator(mode="after")
        def _fits(self) -> Self:
            if self.method == "horizon" and self.eligibility in ("rep", "rr"):
                raise ValueError("replacing traces (rep, rr) need method=traces")
            if self.alpha_schedule == "constant" and self.alpha_end not in (None, self.alpha):
                raise ValueError("a constant alpha has no other end value")
            if self.epsilon_schedule == "constant" and self.epsilon_end not in (None, self.epsilon):
                raise ValueError("a constant epsilon has no other end value")
            if self.method == "horizon" and self.lam == 1:
                raise ValueError("lambda = 1 has no horizon; take lambda below 1, or method=traces")
            if self.epsilon_schedule == "exponential" and 0.0 in (self.epsilon, self.epsilon_end):
                raise ValueError("an exponential schedule of epsilon runs between numbers above 0")
            return self

        @property
        def horizon(self) -> int:
            """Stored afterstates per player: 1 + floor(ln(cut) / ln(lambda))."""
            if self.lam == 0 or self.method == "traces":
                return 1
            return 1 + math.floor(math.log(self.horizon_cut) / math.log(self.lam) + 1e-9)

    class Facts(LearningAgent.Facts):
        """The tuples, wherever they came from, and the size of the tables that they need."""

        tuples: list[list[int]] = Field(max_length=10_000)
        weights: int = Field(ge=1, lt=1 << 31)
        """Weights of one table set."""
        table_sets: int = Field(ge=1, le=1000)

    parameters: Parameters

    @classmethod
    def components(cls) -> Mapping[str, Mapping[str, type[Component]]]:
        return {"rule": rule_classes()}

    def setup(self) -> None:
        p = self.parameters
        tuples = make_tuples(self.game, p.tuples, p.seed)
        self._build([*tuples, []] if p.bias else tuples)

    def _build(self, tuples: list[list[int]]) -> None:
        p = self.parameters
        settings = Settings(
            gamma=p.gamma,
            fade=np.float32(p.gamma * p.lam),
            use_traces=p.method == "traces" and p.lam > 0,
            replace_traces=p.eligibility in ("rep", "rr"),
            learn_from_random=p.learn_from_random,
            reset_on_random=p.eligibility in ("res", "rr"),
            farl_others=p.farl and p.farl_others,
            farl_terminal=p.farl and p.farl_terminal,
            choose_start=p.choose_start,
            divide_alpha=p.divide_alpha,
            max_moves=p.max_moves or self.game.max_moves,
        )
        make_chooser = self._prepare_wrappers()
        options = NetworkOptions(p.tables, p.output, min(p.horizon, self.game.max_moves))
        layout = make_layout(self.game, tuples, symmetries=p.symmetries)
        rule = make_rule(p.rule, p.tc_init, p.beta)
        self.learner = Learner(self.game, layout, rule, options, settings, p.seed, make_chooser)

    def _prepare_wrappers(self) -> Callable[[Network], Chooser] | None:
        """Check both wrappers; how self-play chooses its moves, if not by the values alone."""
        p = self.parameters
        self._player: Agent | None = None
        if p.play_wrapper is not None:
            read_wrapper(p.play_wrapper)
        if p.train_wrapper is None:
            return None
        wrapper, parameters = read_wrapper(p.train_wrapper)
        if getattr(parameters, "time", None) is not None:
            raise BoardlabError(f"{p.train_wrapper} has a time limit; without one a training can be repeated")
        return partial(self._chooser, wrapper, parameters)

    def _chooser(self, wrapper: type[Wrapper], parameters: Wrapper.Parameters, network: Network) -> Chooser:
        return wrapper.chooser(self.game, parameters, self._values_of(network))

    # ------------------------------------------------------------ playing

    def values(self, position: Position) -> dict[int, float]:
        player = self._wrapped()
        if player is not None:
            return player.values(position) or {}
        before = 0.0 if self.parameters.output == "logistic" else position.scores[position.player]
        return {action: before + gain for action, gain in self.learner.rate(position.state).items()}

    def action_values(self) -> ActionValues:
        """What the network itself thinks, without the wrapper."""
        return self._values_of(self.learner.network)

    def _values_of(self, network: Network) -> NTupleValues:
        learner = self.learner
        learned = partial(getattr, learner, "episodes")
        return NTupleValues(self.game, learner.layout.structure, network, self.parameters.gamma, learned)

    def _wrapped(self) -> Agent | None:
        """The wrapper that plays, around an agent with the same network and without a wrapper; made at its first
        move, because it has to be compiled."""
        text = self.parameters.play_wrapper
        if text is None:
            return None
        if self._player is None:
            wrapper, parameters = read_wrapper(text)
            bare = copy(self)
            bare.parameters = self.parameters.model_copy(update={"play_wrapper": None})
            self._player = wrapper(self.game, **{**parameters.model_dump(), "agent": bare})
        return self._player

    def choose(self, position: Position, rng: Rng) -> int:
        player = self._wrapped()
        if player is not None:
            return player.choose(position, rng)
        values = self.learner.rate(position.state)
        best = max(values.values())
        ties = [a for a, v in values.items() if v == best] or list(values)  # a diverged network says NaN
        return ties[random_below(rng, len(ties))]

    # ------------------------------------------------------------ learning

    @property
    def episodes(self) -> int:
        """Episodes learned so far."""
        return self.learner.episodes

    def rates(self, first: int, count: int) -> dict[str, NDArray[np.float64]]:
        """Alpha and epsilon of the episodes first..first+count-1."""
        p = self.parameters
        alpha_end = p.alpha if p.alpha_end is None else p.alpha_end
        epsilon_end = p.epsilon if p.epsilon_end is None else p.epsilon_end
        return {
            "alpha": schedule(p.alpha_schedule, p.alpha, alpha_end, p.episodes, first, count),
            "epsilon": schedule(p.epsilon_schedule, p.epsilon, epsilon_end, p.episodes, first, count),
        }

    def train(self, episodes: int, threads: int = 1) -> Counts:
        """Learn from so many more episodes of self-play."""
        episodes = whole_number(episodes, "the number of episodes", 0)
        threads = whole_number(threads, "the number of threads", 1)
        with self.turn:
            rates = self.rates(self.episodes, episodes)
            return self.learner.train(rates["alpha"], rates["epsilon"], threads)

    def compile(self) -> None:
        self.learner.compile()

    @property
    def memory_needed(self) -> int:
        return self.learner.memory_needed

    @property
    def summary(self) -> str:
        learner, layout = self.learner, self.learner.layout
        return (
            f"{len(layout.tuples)} n-tuple{'s' * (len(layout.tuples) > 1)}, {layout.num_weights:,} weights in"
            f" {learner.table_sets} table set{'s' * (learner.table_sets > 1)}, {size_text(learner.memory_needed)};"
            f" {self.parameters.rule}"
        )

    # ------------------------------------------------------------ what was learned

    def weights(self) -> dict[str, NDArray[Any]]:
        return {"weights": self.learner.network.weights[:, :-1]}  # the last one is a spare weight that nobody reads

    def step_sizes(self) -> NDArray[np.floating[Any]] | None:
        return sampled_step_sizes(self.learner.rule, self.learner.network.memory[:, :-1])

    def tuple_views(self) -> LearnerTuples:
        return LearnerTuples(self.game, self.learner)

    # ------------------------------------------------------------ files

    def dump(self) -> tuple[Facts, dict[str, NDArray[Any]]]:
        """What must be kept besides game and parameters: facts for JSON, and arrays. Only weights that learning
        has touched are kept: their place, their value and their step-size memory."""
        learner = self.learner
        facts = self.Facts(
            episodes=learner.episodes,
            tuples=[list(t) for t in learner.layout.tuples],
            weights=learner.layout.num_weights,
            table_sets=learner.table_sets,
        )
        arrays: dict[str, NDArray[Any]] = {"rng": np.stack(learner.streams)}
        for table in range(learner.table_sets):
            weights, memory = learner.network.weights[table, :-1], learner.network.memory[table, :-1]
            touched = weights != 0
            for slot, untouched in enumerate(learner.rule.first_memory()):
                touched |= memory[:, slot] != np.float32(untouched)
            places = np.flatnonzero(touched).astype(np.uint32)
            arrays[f"steps{table}"] = np.diff(places, prepend=np.uint32(0))
            arrays[f"weights{table}"] = weights[places]
            if learner.rule.slots:
                arrays[f"memory{table}"] = memory[places].T.copy()
        if not all(_is_finite(array) for name, array in arrays.items() if name.startswith(("weights", "memory"))):
            raise BoardlabError(
                "the training has diverged, some weights are no longer finite numbers; take a smaller alpha"
            )
        return facts, arrays

    @classmethod
    def restored(cls, game: Game, parameters: dict[str, Any], facts: Facts, array: Callable[..., NDArray[Any]]) -> Self:
        """The agent that `dump` described. `array(name, dtype, most)` gives an array of at most `most` numbers."""
        agent = cls.__new__(cls)  # its tuples are those of the file, wherever they came from
        agent.game = game
        agent.parameters = read_model(cls.Parameters, parameters, cls.name)
        agent._build(facts.tuples)
        learner = agent.learner
        weights = learner.layout.num_weights
        if (weights, learner.table_sets) != (facts.weights, facts.table_sets):
            raise BoardlabError(
                f"the agent has {facts.table_sets} tables of {facts.weights:,} weights, but {game.spec} now"
                f" needs {learner.table_sets} of {weights:,}; the game has changed since then"
            )
        learner.episodes = facts.episodes
        learner.streams = [own_copy(row) for row in array("rng", np.uint64, 4 * _MOST_THREADS).reshape(-1, 4)]
        if not learner.streams or not all(row.any() for row in learner.streams):
            raise ValueError("it has no random numbers")  # from a state of zeros only zeros would follow
        for table in range(learner.table_sets):
            agent._restore_table(table, array)
        return agent

    @classmethod
    def described(cls, facts: Facts, shape: Callable[[str, type[np.generic]], tuple[int, ...]]) -> dict[str, str]:
        learned = sum(math.prod(shape(f"weights{table}", np.float32)) for table in range(facts.table_sets))
        weights = f"{learned:,} learned of {facts.weights * facts.table_sets:,} in {facts.table_sets} table sets"
        return {"n-tuples": _lengths_text(facts.tuples), "weights": weights}

    def _restore_table(self, table: int, array: Callable[..., NDArray[Any]]) -> None:
        """Fill a table set with what `dump` kept of it."""
        learner, most = self.learner, self.learner.layout.num_weights
        places = np.cumsum(array(f"steps{table}", np.uint32, most), dtype=np.int64)
        weights = array(f"weights{table}", np.float32, most)
        slots = learner.rule.slots
        memory = array(f"memory{table}", np.float32, most * slots) if slots else np.zeros((0, len(places)), np.float32)
        fits = weights.shape == places.shape and memory.shape == (slots, len(places))
        if not fits or np.any(np.diff(places) <= 0) or np.any(places[-1:] >= most):
            raise ValueError("its weights do not fit its tables")
        if not _is_finite(weights) or not _is_finite(memory):
            raise ValueError("some of its weights are not finite numbers")
        learner.network.weights[table, places] = weights
        if slots:
            learner.network.memory[table, places] = memory.T


def _lengths_text(tuples: list[list[int]]) -> str:
    lengths = Counter(map(len, tuples))
    return ", ".join(f"{count} of length {length}" for length, count in sorted(lengths.items()))


def _is_finite(numbers: NDArray[np.float32]) -> bool:
    """Whether no number is NaN or infinite; without a mask as large as the tables."""
    flat = numbers.reshape(-1)
    return all(bool(np.isfinite(flat[k : k + _AT_ONCE]).all()) for k in range(0, len(flat), _AT_ONCE))
