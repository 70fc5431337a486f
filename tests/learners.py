"""Shared by the tests of learning: a learner from the options of the reference, its moves recorded, its weights by
pattern."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from reference_learner import Key, Options, ReferenceLearner

from boardlab.game import Game
from boardlab.learn.algorithms.base import Settings, make_algorithm
from boardlab.learn.approximators.base import Shape, make_approximator
from boardlab.learn.learner import Learner, Parts, TraceOptions
from boardlab.learn.rules import make_rule
from boardlab.ntuple.layout import Layout

ROOM = 5000
"""Longest game that can be recorded, in moves."""


def make_learner(game: Game, options: Options, seed: int) -> Learner:
    """The learner under test, set up as the reference is."""
    o = options
    settings = Settings(
        gamma=o.gamma,
        fade=np.float32(o.gamma * o.lam),
        learn_from_random=o.learn_from_random,
        reset_on_random=o.reset,
        farl_others=o.farl_others,
        farl_terminal=o.farl_terminal,
        choose_start=o.choose_start,
        divide_alpha=o.divide_alpha,
        max_moves=o.max_moves,
    )
    kind = ("replacing" if o.replace else "accumulating") if o.traces else "horizon"
    values = make_approximator("ntuple")
    tuples = tuple(tuple(t) for t in o.tuples)
    values.design(game, Shape(tables=o.tables, output=o.output, tuples=tuples, symmetries=o.symmetries))
    parts = Parts(
        values, make_algorithm("td-farl"), make_rule(o.rule, o.initial, o.beta), TraceOptions(kind, o.horizon)
    )
    return Learner(game, parts, settings, seed)


def train_recorded(
    learner: Learner, alphas: np.ndarray, epsilons: np.ndarray
) -> Iterator[tuple[list[tuple[int, bool]], np.ndarray]]:
    """Train episode by episode; give the moves of each and the state of the random numbers before it."""
    work = learner.work()._replace(record=np.zeros((ROOM, 4), np.int64))
    learner._work = work
    for k in range(len(alphas)):
        before = learner.streams[0].copy()
        moves = learner.train(alphas[k : k + 1], epsilons[k : k + 1]).moves
        assert moves < ROOM
        yield [(int(action), bool(was_random)) for action, was_random, _, _ in work.record[:moves]], before


def train_both(
    make_game: Callable[[], Game], options: Options, alphas: np.ndarray, epsilons: np.ndarray, seed: int
) -> tuple[Learner, ReferenceLearner]:
    """The learner trained, and the reference by replay. Each has a game of its own: games may carry dice."""
    learner = make_learner(make_game(), options, seed)
    reference = ReferenceLearner(make_game(), options)
    for k, (moves, rng) in enumerate(train_recorded(learner, alphas, epsilons)):
        reference.episode(moves, float(alphas[k]), float(epsilons[k]), rng)
    return learner, reference


def by_pattern(layout: Layout, numbers: np.ndarray, untouched: float = 0.0) -> dict[Key, float]:
    """What the tables hold, by table set, tuple and values of its cells; `numbers` has shape (table sets, weights).
    Numbers that are as they were at the beginning are left out."""
    found: dict[Key, float] = {}
    for table, row in enumerate(numbers):
        for t, (offset, size) in enumerate(zip(layout.offsets, layout.sizes, strict=True)):
            part = row[offset : offset + size]
            for index in np.flatnonzero(part != np.float32(untouched)):
                key = (table, t, tuple(layout.pattern(t, int(index))))
                assert key not in found
                found[key] = float(part[index])
    return found


def largest_difference(ours: dict[Key, float], theirs: dict[Key, float], untouched: float = 0.0) -> float:
    """The largest difference between two such dictionaries, in units of the largest number."""
    largest = max(abs(v) for v in theirs.values())
    both = ours.keys() | theirs.keys()
    return max(abs(ours.get(k, untouched) - theirs.get(k, untouched)) for k in both) / largest
