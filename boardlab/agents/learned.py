"""What all our learners have in common: an approximator, an algorithm, a step-size rule and eligibility, put together.

The named agents beside this file are usual combinations: they differ in nothing but their defaults. Parameters carry
the names of the FARL paper (appendix A) and of Thill 2015; `boardlab.learn` does the work.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from boardlab.agents.base import Agent
from boardlab.agents.guard import Turn
from boardlab.agents.learned_parameters import LearnedParameters
from boardlab.agents.learned_parts import make_parts, make_settings
from boardlab.agents.learning import LearningAgent
from boardlab.agents.wrapper import Wrapper, read_wrapper
from boardlab.arguments import whole_number
from boardlab.components.component import Component
from boardlab.components.models import read_model
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.learn.algorithms.base import algorithm_classes
from boardlab.learn.approximators.base import approximator_classes
from boardlab.learn.chooser import Chooser
from boardlab.learn.learner import Counts, Learner
from boardlab.learn.replay import ARRAYS
from boardlab.learn.rules import rule_classes
from boardlab.learn.schedules import schedule
from boardlab.learn.step_sizes import sampled_step_sizes
from boardlab.learn.traces.base import Network, trace_classes
from boardlab.position import Position
from boardlab.rng import Rng
from boardlab.search.action_values import ActionValues
from boardlab.search.learned_player import LearnedPlayer, LearnedSeat
from boardlab.search.learned_values import LearnedValues
from boardlab.search.player import Player
from boardlab.system.machine import free_memory, own_copy
from boardlab.words import size_text

__all__ = ["LearnedAgent"]

_MOST_THREADS = 1024
"""A file has one state of the random numbers for each thread that trained it, and not more than this."""
_AT_ONCE = 1 << 20


class LearnedAgent(LearningAgent):
    """Base class of the agents that are a combination of our rooms."""

    class Parameters(LearnedParameters):
        """The parameters of all of them."""

    class Facts(LearningAgent.Facts):
        """The tuples, wherever they came from, and the size of the network."""

        tuples: list[list[int]] = Field(max_length=10_000)
        weights: int = Field(ge=1, lt=1 << 31)
        """Weights of one table set."""
        table_sets: int = Field(ge=1, le=1000)
        replayed: list[int] = Field([0, 0], min_length=2, max_length=2)
        """How many transitions the replay memory has, and where the next one goes."""

    parameters: Parameters

    @classmethod
    def components(cls) -> Mapping[str, Mapping[str, type[Component]]]:
        return {
            "rule": rule_classes(),
            "algorithm": algorithm_classes(),
            "approximator": approximator_classes(),
            "method": trace_classes(),
        }

    def setup(self) -> None:
        self._build(self.parameters.make_tuples(self.game), fresh=True)

    def _build(self, tuples: list[list[int]], *, fresh: bool) -> None:
        """`fresh`: the parameters are somebody's wish, not those of a file."""
        p = self.parameters
        make_chooser = self._prepare_wrappers()
        parts = make_parts(self.game, p, tuples, fresh=fresh)
        self.learner = Learner(self.game, parts, make_settings(self.game, p), p.seed, make_chooser)

    def _prepare_wrappers(self) -> Callable[[Network], Chooser] | None:
        """Check both wrappers; how self-play chooses its moves, if not by the values alone."""
        p = self.parameters
        self._player: Agent | None = None
        self._seat: LearnedSeat | None = None
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

    @property
    def greedy(self) -> bool:
        return self.parameters.play_wrapper is None

    def values(self, position: Position) -> dict[int, float]:
        player = self._wrapped()
        if player is not None:
            return player.values(position) or {}
        before = 0.0 if self.parameters.output == "logistic" else position.scores[position.player]
        return {action: before + gain for action, gain in self._ready().rate(position.state).items()}

    def action_values(self) -> ActionValues:
        """What the network itself thinks, without the wrapper."""
        return self._values_of(self.learner.network)

    def _values_of(self, network: Network) -> LearnedValues:
        learner = self.learner
        attached = learner.values.attached(network.weights)
        learned = partial(getattr, learner, "episodes")
        return LearnedValues(self.game, attached, learner.algorithm, self.parameters.gamma, learned)

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
        return self._ready().choose(position.state, rng)

    def _ready(self) -> LearnedSeat:
        """The player that answers from Python, compiled when it is first asked."""
        if self._seat is None:
            self._seat = LearnedSeat(self.game, LearnedPlayer(self.game, self.learner))
        return self._seat

    def __getstate__(self) -> dict[str, Any]:
        """A copy makes a seat of its own: this one leads to the arrays of this agent."""
        return {**self.__dict__, "_seat": None}

    def player(self) -> Player | None:
        wrapped = self._wrapped()
        return LearnedPlayer(self.game, self.learner) if wrapped is None else wrapped.player()

    # ------------------------------------------------------------ learning

    def snapshot(self) -> Self | None:
        if self.learner.network.weights.nbytes > free_memory() // 2:
            return None
        other = copy(self)
        other.turn = Turn()
        other.learner = self.learner.snapshot()
        other._player = other._seat = None
        return other

    @property
    def episodes(self) -> int:
        """Episodes learned so far."""
        return self.learner.episodes

    def rates(self, first: int, count: int) -> dict[str, NDArray[np.float64]]:
        """Alpha and epsilon of the episodes first..first+count-1."""
        p = self.parameters
        alpha_end = p.alpha if p.alpha_end is None else p.alpha_end
        epsilon_end = p.epsilon if p.epsilon_end is None else p.epsilon_end
        falling = max(1, round(p.epsilon_share * p.episodes))
        return {
            "alpha": schedule(p.alpha_schedule, p.alpha, alpha_end, p.episodes, first, count),
            "epsilon": schedule(p.epsilon_schedule, p.epsilon, epsilon_end, falling, first, count),
        }

    def train(self, episodes: int, threads: int = 1) -> Counts:
        """Learn from so many more episodes of self-play."""
        episodes = whole_number(episodes, "the number of episodes", 0)
        threads = whole_number(threads, "the number of threads", 1)
        with self.turn:
            rates = self.rates(self.episodes, episodes)
            return self.learner.train(rates["alpha"], rates["epsilon"], threads)

    def check_threads(self, threads: int) -> None:
        self.learner.check_threads(threads)

    def learn_from(self, games: Sequence[Sequence[int]], chance: Sequence[Sequence[int]]) -> Counts:
        with self.turn:
            return self.learner.learn_from(games, chance, self.rates(self.episodes, len(games))["alpha"])

    def compile(self) -> None:
        self.learner.compile()

    @property
    def memory_needed(self) -> int:
        return self.learner.memory_needed

    @property
    def summary(self) -> str:
        learner = self.learner
        return (
            f"{learner.values.summary}, {learner.values.num_weights:,} weights in"
            f" {learner.table_sets} table set{'s' * (learner.table_sets > 1)}, {size_text(learner.memory_needed)};"
            f" {self.parameters.algorithm}, {self.parameters.rule}"
        )

    def step_size_words(self) -> str:
        if self.learner.rule.own_alpha:
            return f"alpha0 of the step-size rule {self.parameters.rule}"
        return super().step_size_words()

    # ------------------------------------------------------------ what was learned

    def weights(self) -> dict[str, NDArray[Any]]:
        return {"weights": self.learner.network.weights[:, :-1]}  # the last one is a spare weight that nobody reads

    def step_sizes(self) -> NDArray[np.floating[Any]] | None:
        return sampled_step_sizes(self.learner.rule, self.learner.network.memory[:, :-1])

    def weight_table(self) -> list[tuple[str, list[float]]] | None:
        """Outputs are those of each table set, and where actions have values those of each action."""
        names = self.learner.values.weight_names()
        if names is None:
            return None
        outputs = self.learner.network.weights[:, :-1].reshape(-1, len(names))
        return [(name, outputs[:, k].tolist()) for k, name in enumerate(names)]

    # ------------------------------------------------------------ files

    def dump(self) -> tuple[Facts, dict[str, NDArray[Any]]]:
        """What must be kept besides game and parameters: facts for JSON, and arrays. Only weights that learning
        has touched are kept: their place, their value and their step-size memory."""
        learner = self.learner
        arrays: dict[str, NDArray[Any]] = {"rng": np.stack(learner.streams)}
        first = learner.first_weights() if learner.parts.spread or learner.parts.start_value else None
        for table in range(learner.table_sets):
            arrays.update(self._dump_table(table, None if first is None else first[table, :-1]))
        if learner.rule.scalars:
            arrays["scalars"] = learner.network.scalars
        if not all(_is_finite(array) for name, array in arrays.items() if name != "rng"):
            raise BoardlabError(
                "the training has diverged, some weights are no longer finite numbers; take a smaller"
                f" {self.step_size_words()}"
            )
        used = learner.replay.used.tolist() if learner.parts.replay else [0, 0]
        if learner.parts.replay:
            arrays.update({f"replay_{name}": getattr(learner.replay, name)[: used[0]] for name in ARRAYS})
        facts = self.Facts(
            episodes=learner.episodes,
            tuples=self._tuples(),
            weights=learner.values.num_weights,
            table_sets=learner.table_sets,
            replayed=used,
        )
        return facts, arrays

    def _tuples(self) -> list[list[int]]:
        """The n-tuples for the file, with the bias where there is one; none where it has no n-tuples."""
        return []

    def _dump_table(self, table: int, first: NDArray[np.float32] | None) -> dict[str, NDArray[Any]]:
        learner = self.learner
        weights, memory = learner.network.weights[table, :-1], learner.network.memory[table, :-1]
        rule, found = learner.rule, [np.zeros(0, np.uint32)]
        for k in range(0, len(weights), _AT_ONCE):  # in the cache: nearly all of a large table is untouched
            block = slice(k, k + _AT_ONCE)
            touched = weights[block] != (0 if first is None else first[block])
            if rule.slots:
                touched |= rule.touched(memory[block])
            found.append((k + np.flatnonzero(touched)).astype(np.uint32))
        places = np.concatenate(found)
        arrays = {f"steps{table}": np.diff(places, prepend=np.uint32(0)), f"weights{table}": weights[places]}
        if rule.slots:
            arrays[f"memory{table}"] = rule.filled(memory[places]).T.copy()
        return arrays

    @classmethod
    def restored(cls, game: Game, parameters: dict[str, Any], facts: Facts, array: Callable[..., NDArray[Any]]) -> Self:
        """The agent that `dump` described. `array(name, dtype, most)` gives an array of at most `most` numbers."""
        agent = cls.__new__(cls)  # its tuples are those of the file, wherever they came from
        agent.game = game
        agent.parameters = read_model(cls.Parameters, parameters, cls.name)
        agent._build(facts.tuples, fresh=False)
        learner = agent.learner
        weights = learner.values.num_weights
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
        agent._restore_rest(facts, array)
        return agent

    @classmethod
    def described(cls, facts: Facts, shape: Callable[[str, type[np.generic]], tuple[int, ...]]) -> dict[str, str]:
        learned = sum(math.prod(shape(f"weights{table}", np.float32)) for table in range(facts.table_sets))
        sets = f"{facts.table_sets} table set{'s' * (facts.table_sets > 1)}"
        return {"weights": f"{learned:,} learned of {facts.weights * facts.table_sets:,} in {sets}"}

    def _restore_table(self, table: int, array: Callable[..., NDArray[Any]]) -> None:
        """Fill a table set with what `dump` kept of it."""
        learner, most = self.learner, self.learner.values.num_weights
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

    def _restore_rest(self, facts: Facts, array: Callable[..., NDArray[Any]]) -> None:
        """The scalars of the rule, and the replay memory, whose numbers lead into the tables and are checked."""
        learner = self.learner
        network, replay = learner.network, learner.replay
        if learner.rule.scalars:
            scalars = array("scalars", np.float32, network.scalars.size)
            if scalars.shape != network.scalars.shape or not _is_finite(scalars):
                raise ValueError("the numbers of its step-size rule do not fit")
            network.scalars[:] = scalars
        if not learner.parts.replay:
            return
        used, following = facts.replayed
        if not 0 <= used <= learner.parts.replay or not 0 <= following < learner.parts.replay:
            raise ValueError("its replay memory has not the size that it says")
        for name in ARRAYS:
            into = getattr(replay, name)
            read = array(f"replay_{name}", into.dtype.type, into.size)
            if read.shape != (used, *into.shape[1:]):
                raise ValueError("its replay memory does not fit")
            into[:used] = read
        replay.used[:] = facts.replayed
        _check_replay(replay, learner)


def _check_replay(replay: Any, learner: Learner) -> None:
    """Whatever is read from a file leads to weights and players that exist."""
    kept, choices = replay.index.shape[1], replay.next_counts.shape[1]
    limits = (
        (replay.index, learner.all_weights),
        (replay.next_index, learner.all_weights),
        (replay.counts, kept + 1),
        (replay.next_counts, kept + 1),
        (replay.owners, learner.game.num_players),
        (replay.choices, choices + 1),
        (replay.mirrors, 2),
    )
    floats = (replay.hits, replay.next_hits, replay.rewards)
    if any(a.size and (a.min() < 0 or a.max() >= n) for a, n in limits) or not all(map(_is_finite, floats)):
        raise ValueError("its replay memory is damaged")


def _is_finite(numbers: NDArray[np.floating[Any]]) -> bool:
    """Whether no number is NaN or infinite; without a mask as large as the tables."""
    flat = numbers.reshape(-1)
    return all(bool(np.isfinite(flat[k : k + _AT_ONCE]).all()) for k in range(0, len(flat), _AT_ONCE))
