"""Where the time of a learner goes: `boardlab bench train --profile`.

Two ways, because each has its blind spot. *Stages*: kernels that do a growing part of the work of a move, on positions
of a trained agent; the difference between two of them is a part. They are exact about what they do, but the caches are
theirs alone. *Ablations*: training as it is, with a plain step-size rule, and with nothing but random moves. The C++
yardsticks can do the same, so these figures stand side by side.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.agents.learning import LearningAgent
from boardlab.bench.train import paper_agent, stretch_of
from boardlab.bench.yardsticks import find_yardstick
from boardlab.compiler import hot_kernel
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.learn.algorithms.base import best_action, keep, learn, options, remember
from boardlab.learn.rules import StepSizeRule
from boardlab.rng import Rng, make_rng

__all__ = ["Ablation", "Part", "Profile", "measure_profile"]

_POSITIONS = 3000
_TURNS = 5
_ROUNDS = 5
_FORESEEN, _UNSETTLED, _WHOLE = range(3)
"""How far afterstates are rated."""
_TINY = 1e-9
"""A step size that leaves the network as it is, nearly: the stages learn the same positions again and again."""


@dataclass(frozen=True)
class Part:
    """A part of the work of a move."""

    kind: str
    """`choosing` or `learning`."""
    name: str
    ns: float
    """For each afterstate (choosing) or update (learning)."""
    ns_per_move: float


@dataclass(frozen=True)
class Ablation:
    """Nanoseconds for each move of training when something is left out."""

    name: str
    ns: float
    yardstick_ns: float | None = None


@dataclass
class Profile:
    """What came out for one game."""

    game: str
    afterstates_per_move: float
    parts: list[Part] = field(default_factory=list)
    ablations: list[Ablation] = field(default_factory=list)


class _Idle(StepSizeRule):
    """Leaves all weights as they are: what remains is to fetch and to put back."""

    def __init__(self, slots: int) -> None:
        super().__init__()
        self.slots = slots

    def update(self, weights: Any, memory: Any, i: int, e: Any, x: Any, signal: Any) -> None:
        pass


def measure_profile(game: Game, yardstick: str | None = None) -> Profile:
    """The profile of the agent that `bench train` measures."""
    agent = paper_agent(game)
    agent.compile()
    before, measured = stretch_of(game)
    agent.train(before)
    learner: Any = agent.learner  # type: ignore[attr-defined]
    if learner.values.of_actions or learner.algorithm.one_chain:
        raise BoardlabError(f"the agent of {game.title} has no profile: it is made for td-farl")
    work = learner.work()
    samples, players = np.zeros(_POSITIONS, game.state), np.zeros(_POSITIONS, np.int64)
    _collect(game, work, samples, players, make_rng(3))
    profile = Profile(game.spec, _follow_all(game, work, samples, 1) / _POSITIONS)
    profile.parts = _stages(game, work, samples, players, profile.afterstates_per_move)
    profile.ablations = _ablations(game, max(1, measured // 8), yardstick)
    return profile


# ---------------------------------------------------------------- stages


def _stages(game: Game, work: Any, samples: Any, players: NDArray[np.int64], per_move: float) -> list[Part]:
    idle, rng = work._replace(rule=_Idle(work.rule.slots)), make_rng(4)
    foreseen = _rate_all(game, work, samples, players, _FORESEEN, 1) == per_move * _POSITIONS
    for who in range(game.num_players):
        work.trace.lengths[who] = 0

    kernels: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
        (_follow_all, (work, samples)),
        (_advance_all, (work, samples)),
        (_rate_all, (work, samples, players, _FORESEEN if foreseen else _UNSETTLED)),
        (_rate_all, (work, samples, players, _WHOLE)),
        (_choose_all, (work, samples, players, rng)),
        (_keep_all, (work, samples, players)),
        (_learn_all, (idle, samples, players)),
        (_learn_all, (work, samples, players)),
    ]
    follow, rules, indices, rated, chosen, kept, moved, learned = _nanoseconds(game, kernels)
    played = 0.0 if foreseen else rules
    choosing = {
        "rules: copy, advance, scores": rules,
        "cells, difference, indices": indices - follow - played,
        "look-ups": rated - indices - (rules - played),
        "best action and output": chosen - rated,
    }
    learning = {
        "follow the move": follow,
        "keep the position": kept - follow,
        "gather and scatter": moved - kept,
        "step-size rule": learned - moved,
    }
    return [Part("choosing", name, t / per_move, t) for name, t in choosing.items()] + [
        Part("learning", name, t, t) for name, t in learning.items()
    ]


def _nanoseconds(game: Game, kernels: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]]) -> list[float]:
    """The time of each kernel for a position: its best round. They take turns, so that a machine that gets slower does
    so for all of them."""
    for kernel, arguments in kernels:
        kernel(game, *arguments, 1)
    times: list[list[float]] = [[] for _ in kernels]
    for _ in range(_ROUNDS):
        for (kernel, arguments), of_kernel in zip(kernels, times, strict=True):
            begin = time.process_time()
            kernel(game, *arguments, _TURNS)
            of_kernel.append(time.process_time() - begin)
    return [min(of_kernel) / (_TURNS * _POSITIONS) * 1e9 for of_kernel in times]


@hot_kernel
def _collect(game: Any, work: Any, samples: Any, players: Any, rng: Rng) -> None:
    """Positions of self-play, one after the other."""
    s, k = work.states[0], 0
    while k < len(samples):
        work.states[0] = work.states[2]
        game.reset(s)
        while game.is_chance(s):
            game.advance_chance(s, game.sample_chance(s, rng))
        work.values.begin(game, s)
        while k < len(samples) and not game.is_over(s):
            samples[k] = s
            p: Any = np.int64(game.player(s))
            players[k] = p
            k += 1
            n, _ = options(game, work, 0.1, rng)
            a, _ = best_action(game, work, n, p, rng)
            game.advance(s, a)
            while game.is_chance(s):
                game.advance_chance(s, game.sample_chance(s, rng))
            work.values.follow(game, s)


@hot_kernel
def _follow_all(game: Any, work: Any, samples: Any, turns: int) -> int:
    """The network follows from position to position; how many actions there are."""
    count = 0
    for _ in range(turns):
        for k in range(len(samples)):
            work.states[0] = samples[k]
            work.values.follow(game, work.states[0])
            count += game.legal_actions(work.states[0], work.moves.actions)
    return count


@hot_kernel
def _advance_all(game: Any, work: Any, samples: Any, turns: int) -> float:
    """All afterstates, without the network."""
    s, moves, count = work.states[1], work.moves, 0.0
    for _ in range(turns):
        for k in range(len(samples)):
            work.states[0] = samples[k]
            for i in range(game.legal_actions(work.states[0], moves.actions)):
                work.states[1] = work.states[0]
                game.advance(s, moves.actions[i])
                game.scores(s, moves.scores)
                count += moves.scores[0] + (not game.is_chance(s) and game.is_over(s))
    return count


@hot_kernel
def _rate_all(game: Any, work: Any, samples: Any, players: Any, stage: int, turns: int) -> float:
    """All afterstates: what they change, as far as it is known without playing them (of how many it is), all up to what
    `settle` still has to look up, or the whole."""
    moves, values, count = work.moves, work.values, 0.0
    for _ in range(turns):
        for k in range(len(samples)):
            work.states[0] = samples[k]
            values.follow(game, work.states[0])
            n = game.legal_actions(work.states[0], moves.actions)
            values.turn_to(players[k])
            if stage == _FORESEEN:
                for i in range(n):
                    count += values.foresee(game, work.states[0], moves.actions[i], i)
                continue
            values.rate_afterstates(game, work.states, moves, n, players[k], 0.0, False)
            if stage == _WHOLE:
                values.settle(moves, n)
            count += moves.totals[0]
    return count


@hot_kernel
def _choose_all(game: Any, work: Any, samples: Any, players: Any, rng: Rng, turns: int) -> float:
    count = 0.0
    for _ in range(turns):
        for k in range(len(samples)):
            work.states[0] = samples[k]
            work.values.follow(game, work.states[0])
            n = game.legal_actions(work.states[0], work.moves.actions)
            count += best_action(game, work, n, players[k], rng)[1]
    return count


@hot_kernel
def _keep_all(game: Any, work: Any, samples: Any, players: Any, turns: int) -> None:
    for _ in range(turns):
        for k in range(len(samples)):
            work.states[0] = samples[k]
            work.values.follow(game, work.states[0])
            keep(game, work, players[k], players[k], 0)
            remember(work, players[k])


@hot_kernel
def _learn_all(game: Any, work: Any, samples: Any, players: Any, turns: int) -> None:
    """Every position learns; the weights that the rule needs are called for beforehand, as in training."""
    for _ in range(turns):
        for k in range(len(samples)):
            work.states[0] = samples[k]
            p = players[k]
            if work.rule.slots > 0:
                work.trace.announce(work.network.flat_memory, p)
            work.values.follow(game, work.states[0])
            keep(game, work, p, p, 0)
            remember(work, p)
            learn(work, p, 0.1, _TINY, False)


# ---------------------------------------------------------------- ablations


def _ablations(game: Game, episodes: int, yardstick: str | None) -> list[Ablation]:
    before, _ = stretch_of(game)
    other = find_yardstick(yardstick, game)
    ways: dict[str, tuple[LearningAgent, list[str]]] = {
        "as it is": (paper_agent(game), []),
        "plain step-size rule": (paper_agent(game, rule="plain", alpha=0.5), ["tc=0", "alpha=0.5"]),
        "all moves random": (paper_agent(game, epsilon=1.0, epsilon_end=1.0), ["eps=1"]),
    }
    ours: dict[str, list[float]] = {name: [] for name in ways}
    theirs: dict[str, list[float]] = {name: [] for name in ways}
    for agent, _ in ways.values():
        agent.compile()
        agent.train(before)
    for _ in range(_ROUNDS):
        for name, (agent, options_of_theirs) in ways.items():
            begin = time.process_time()
            moves = agent.train(episodes).moves
            ours[name].append((time.process_time() - begin) / moves * 1e9)
            if other and (other.unit == "games" or name != "all moves random"):  # g2048ref never moves at random
                theirs[name].append(other.move_nanoseconds(*options_of_theirs))
    return [Ablation(name, median(ours[name]), median(theirs[name]) if theirs[name] else None) for name in ways]
