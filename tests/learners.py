"""Shared by the tests of learning: a learner from the options of the reference, its moves recorded, its weights by
pattern.

A learner of other parts than those before takes 20 seconds to compile, where 60 episodes in plain Python take one. So
the fast tests train in plain Python what only they would compile; the slow ones do the same in machine code (`way`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from reference_actions import ReferenceQ, ReferenceSarsa
from reference_learner import Key, Move, Options, ReferenceLearner
from reference_network import ReferenceNetwork
from reference_self_play import ReferenceQSelfPlay, ReferenceSelfPlay, opposite

from boardlab.compiler import plain
from boardlab.game import Game
from boardlab.learn.algorithms.base import Settings, Work, make_algorithm
from boardlab.learn.approximators.base import Shape, make_approximator
from boardlab.learn.episode import AT_LIMIT, train_episodes
from boardlab.learn.learner import Learner, Parts, TraceOptions
from boardlab.learn.oracle import Oracle
from boardlab.learn.rules import make_rule
from boardlab.ntuple.creation import make_tuples
from boardlab.ntuple.layout import Layout
from boardlab.position import Position
from boardlab.solvers.oracle import oracle_of

TOLERANCE = 1e-5
"""Between kernels and reference, in units of the largest weight or counter."""
ROOM = 5000
"""Longest game that can be recorded, in moves."""
REFERENCES = {
    "td-farl": ReferenceLearner,
    "sarsa-farl": ReferenceSarsa,
    "q-farl": ReferenceQ,
    "td-self-play": ReferenceSelfPlay,
    "q-self-play": ReferenceQSelfPlay,
}
BOTH_WAYS = pytest.mark.parametrize("way", ["plain", pytest.param("compiled", marks=pytest.mark.slow)], indirect=True)
EPISODES = {"plain": 60, "compiled": 200}


@pytest.fixture
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How learners train in a test: `compiled`, or `plain`."""
    if request.param == "plain":
        monkeypatch.setattr("boardlab.learn.learner.train_episodes", train_plainly)
    return str(request.param)


def train_plainly(game: Game, work: Work, *arguments: Any) -> None:
    """The kernel `train_episodes` in plain Python."""
    plain(train_episodes)(game, work._replace(states=work.states.view(np.recarray)), *arguments)


def make_learner(game: Game, options: Options, seed: int) -> Learner:
    """The learner under test, set up as the reference is."""
    o = options
    settings = Settings(
        gamma=o.gamma,
        fade=np.float32(o.gamma * o.lam),
        learn_from_random=o.learn_from_random,
        reset_on_random=o.reset,
        reset_all=o.reset_all,
        farl_others=o.farl_others,
        farl_terminal=o.farl_terminal,
        choose_start=o.choose_start,
        divide_alpha=o.divide_alpha,
        max_moves=o.max_moves,
        at_limit=AT_LIMIT[o.at_limit],
        haste=o.haste,
        take_wins=o.take_wins,
        replays=o.replays,
        replay_from=o.replay_from,
    )
    algorithm = make_algorithm(f"{o.algorithm}:sees_chance=true" if o.sees_chance else o.algorithm)
    rule = ",".join(f"{name}={value}" for name, value in o.rule_settings.items())
    values = make_approximator("ntuple")
    shape = Shape(
        of_actions=algorithm.of_actions,
        tables=o.tables,
        first_view=algorithm.one_chain and game.num_players == 2,
        waiting=algorithm.one_chain and game.num_players == 2,
        output=o.output,
        bias=o.bias,
        tuples=tuple(tuple(t) for t in o.tuples),
        symmetries=o.symmetries,
        num_symmetries=0 if o.some is None else len(o.some),
        distinct=o.distinct,
        seed=seed,
    )
    values.design(game, shape)
    parts = Parts(
        values=values,
        algorithm=algorithm,
        rule=make_rule(f"{o.rule}:{rule}" if rule else o.rule, o.initial, o.beta),
        trace=TraceOptions("traces" if o.traces else "horizon", o.horizon, o.replace),
        spread=o.spread,
        start_value=o.start_value,
        replay=o.replay,
        oracle=oracle_of(game) if o.at_limit == "perfect" else Oracle(),
    )
    return Learner(game, parts, settings, seed)


def make_reference(
    game: Game, learner: Learner, options: Options, perfect: Callable[[Position], list[float]] | None = None
) -> ReferenceNetwork:
    """The reference for a fresh learner, with the weights that it begins with."""
    reference = REFERENCES[options.algorithm](game, options, perfect)
    reference.w.update(weights_of(learner, options))
    return reference


def weights_of(learner: Learner, options: Options) -> dict[Key, float]:
    """The weights of a learner by pattern, as the reference has them."""
    found = by_pattern(learner.values.layout, learner.network.weights)
    own = options.tables == "per-player" and learner.game.num_players == 2
    return opposite(found) if learner.algorithm.one_chain and own else found


def train_recorded(
    learner: Learner, alphas: np.ndarray, epsilons: np.ndarray
) -> Iterator[tuple[list[Move], np.ndarray]]:
    """Train episode by episode; give the moves of each and the state of the random numbers before it."""
    work = learner.work()._replace(record=np.zeros((ROOM, 4), np.int64))
    learner._work = work
    for k in range(len(alphas)):
        before = learner.streams[0].copy()
        moves = learner.train(alphas[k : k + 1], epsilons[k : k + 1]).moves
        assert moves < ROOM
        rows = work.record[:moves].tolist()
        yield [Move(action, bool(was_random), considered) for action, was_random, _, considered in rows], before


def train_both(
    make_game: Callable[[], Game],
    options: Options,
    alphas: np.ndarray,
    epsilons: np.ndarray,
    seed: int,
    perfect: Callable[[Position], list[float]] | None = None,
) -> tuple[Learner, ReferenceNetwork]:
    """The learner trained, and the reference by replay. Each has a game of its own: games may carry dice."""
    learner = make_learner(make_game(), options, seed)
    reference = make_reference(make_game(), learner, options, perfect)
    for k, (moves, rng) in enumerate(train_recorded(learner, alphas, epsilons)):
        reference.episode(moves, float(alphas[k]), float(epsilons[k]), rng)
    return learner, reference


def agree(
    make_game: Callable[[], Game],
    tuples: str,
    *,
    episodes: int = 200,
    alpha: tuple[float, float] = (1.0, 1.0),
    epsilon: tuple[float, float] = (0.1, 0.1),
    tolerance: float = TOLERANCE,
    perfect: Callable[[Position], list[float]] | None = None,
    **options: Any,
) -> tuple[Learner, ReferenceNetwork]:
    """Train both and compare all that they learned."""
    chosen = Options(make_tuples(make_game(), tuples, 5), **options)
    alphas, epsilons = np.linspace(*alpha, episodes), np.linspace(*epsilon, episodes)
    learner, reference = train_both(make_game, chosen, alphas, epsilons, seed=3, perfect=perfect)
    compare(learner, reference, tolerance)
    assert reference.draws_checked >= episodes
    return learner, reference


def compare(learner: Learner, reference: ReferenceNetwork, tolerance: float = TOLERANCE) -> None:
    """Weights, and the counters of temporal coherence."""
    o = reference.options
    start = make_learner(learner.game, o, learner.seed) if o.spread or o.start_value else None
    first = weights_of(start, o) if start else {}
    assert largest_difference(weights_of(learner, o), reference.w) < tolerance
    assert not learner.network.weights[:, -1].any()  # the spare weight, which entries that are merged lead to
    assert max(abs(w - first.get(key, 0.0)) for key, w in reference.w.items()) > 0.001  # something was learned
    if o.rule.startswith("tcl"):
        own = learner.algorithm.one_chain and o.tables == "per-player"  # there the second player's N is the opposite
        for slot, counters in enumerate((reference.rules[0].N, reference.rules[0].A)):
            ours = by_pattern(learner.values.layout, learner.network.memory[:, :, slot], o.initial)
            if own and slot == 0:
                ours = opposite(ours)
            assert largest_difference(ours, counters, o.initial) < tolerance


def by_pattern(layout: Layout, numbers: np.ndarray, untouched: float = 0.0) -> dict[Key, float]:
    """What the tables hold, by table set, tuple and values of its cells, and where each action has tables of its own,
    by action; `numbers` has shape (table sets, weights). What is as it was at the beginning is left out."""
    found: dict[Key, float] = {}
    actions = numbers.shape[1] // layout.num_weights
    for table, row in enumerate(numbers):
        for action, own in enumerate(row[: actions * layout.num_weights].reshape(actions, -1)):
            for t, (offset, size) in enumerate(zip(layout.offsets, layout.sizes, strict=True)):
                part = own[offset : offset + size]
                for index in np.flatnonzero(part != np.float32(untouched)):
                    key = (table, t, tuple(layout.pattern(t, int(index))), *([action] if actions > 1 else []))
                    assert key not in found
                    found[key] = float(part[index])
    return found


def largest_difference(ours: dict[Key, float], theirs: dict[Key, float], untouched: float = 0.0) -> float:
    """The largest difference between two such dictionaries, in units of the largest number."""
    largest = max(abs(v) for v in theirs.values())
    both = ours.keys() | theirs.keys()
    return max(abs(ours.get(k, untouched) - theirs.get(k, untouched)) for k in both) / largest


def random_games(game: Game, number: int) -> list[list[int]]:
    """The actions of some games without chance, all moves random."""
    draws = np.random.default_rng(1)
    games = []
    for _ in range(number):
        position = game.start()
        while not position.is_over:
            position.play(int(draws.choice(position.legal_actions)))
        games.append([event.number for event in position.history])
    return games
