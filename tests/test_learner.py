"""`Learner`: the same seed learns the same, in one go or in pieces, here or in another process; threads share a
network; it rates actions as the reference does; tables that do not fit are refused."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from learners import BOTH_WAYS, EPISODES, make_learner, train_both
from reference_learner import Memory, Options

from boardlab import BoardlabError, make, make_rng
from boardlab.agents.learned import LearnedAgent
from boardlab.bench.train import paper_agent
from boardlab.learn import learner as learner_module
from boardlab.learn.learner import Learner
from boardlab.learn.traces.horizon import Horizon
from boardlab.learn.traces.runs import RunHorizon
from boardlab.learn.traces.vector import TraceVector

HORIZON = Options(
    [[0, 1, 2, 5], [4, 3, 7], [8, 4]], lam=0.5, horizon=4, learn_from_random=False, choose_start=True, gamma=0.95
)
TRACES = Options([[0, 1, 2, 5], [4, 3, 7]], lam=0.7, traces=True, replace=True, learn_from_random=False, reset=True)


def train(learner: Learner, episodes: int, threads: int = 1) -> Learner:
    learner.train(np.full(episodes, 0.2), np.full(episodes, 0.2), threads)
    return learner


def digest(learner: Learner) -> str:
    """A hash of everything that training has changed."""
    parts = (learner.network.weights, learner.network.memory, learner.streams[0])
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


@pytest.mark.parametrize("options", [HORIZON, TRACES])
def test_the_same_seed_learns_the_same(options: Options) -> None:
    ends = [digest(train(make_learner(make("tictactoe"), options, seed), 300)) for seed in (5, 5, 6)]
    assert ends[0] == ends[1] != ends[2]


@pytest.mark.parametrize("options", [HORIZON, TRACES])
def test_pieces_of_training_are_the_whole(options: Options) -> None:
    """Nothing but network and random numbers is carried from one call to the next."""
    whole = train(make_learner(make("tictactoe"), options, 5), 300)
    pieces = make_learner(make("tictactoe"), options, 5)
    for count in (1, 0, 120, 179):
        train(pieces, count)
    assert digest(whole) == digest(pieces)
    assert whole.episodes == pieces.episodes == 300


@pytest.mark.parametrize("options", [HORIZON, TRACES])
def test_training_goes_on_with_a_copy_of_network_and_random_numbers(options: Options) -> None:
    """As an agent file does it."""
    first = train(make_learner(make("tictactoe"), options, 5), 150)
    second = make_learner(make("tictactoe"), options, 99)
    second.network.weights[:] = first.network.weights
    second.network.memory[:] = first.network.memory
    second.streams[0][:] = first.streams[0]
    assert digest(train(first, 150)) == digest(train(second, 150))


def test_traces_of_an_episode_know_nothing_of_those_before_it() -> None:
    """Nor when these were last searched for what has faded: a training that goes on from a file has none of that."""
    learner = train(make_learner(make("tictactoe"), TRACES, 5), 30)
    trace = learner.work().trace
    assert isinstance(trace, TraceVector)
    assert not trace.sizes.any() and not trace.waited.any() and not trace.place_of.any()


@BOTH_WAYS
@pytest.mark.parametrize(
    "options",
    [
        HORIZON,
        replace(HORIZON, reset=True, reset_all=True, rule="tcl-exp"),
        replace(HORIZON, horizon=2, tables="shared", algorithm="q-farl"),
        replace(HORIZON, rule="nl-idbd", output="logistic"),  # asks how often the newest position hits a weight
        replace(HORIZON, rule=f"{Path(__file__).with_name('rule_of_three.py')}:ThreeSlots"),
    ],
    ids=["farl", "reset", "actions", "hits", "three slots"],
)
def test_runs_of_positions_learn_as_position_after_position(
    options: Options, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the bit."""
    game = make("tictactoe")
    one_by_one = make_learner(game, options, 5)
    assert type(one_by_one.work().trace) is Horizon
    monkeypatch.setattr(RunHorizon, "pays", lambda sizes: True)
    by_runs = make_learner(game, options, 5)
    assert type(by_runs.work().trace) is RunHorizon
    assert digest(train(by_runs, EPISODES[way])) == digest(train(one_by_one, EPISODES[way]))


def test_runs_are_for_horizons_of_many_weights() -> None:
    for name, kind in (("othello", RunHorizon), ("nim", Horizon)):
        agent = paper_agent(make(name))
        assert isinstance(agent, LearnedAgent)
        assert type(agent.learner.work().trace) is kind


def test_another_process_learns_the_same() -> None:
    code = "import test_learner as t; print(t.digest(t.train(t.make_learner(t.make('tictactoe'), t.HORIZON, 5), 300)))"
    here = Path(__file__).parent
    answer = subprocess.run([sys.executable, "-c", code], cwd=here, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == digest(train(make_learner(make("tictactoe"), HORIZON, 5), 300))


def test_counts() -> None:
    learner = make_learner(make("nim:players=3"), Options([[0, 1, 2]], rule="tcl"), 1)
    counts = learner.train(np.full(50, 0.2), np.full(50, 1.0))
    assert counts.episodes == 50
    assert 150 <= counts.moves <= 50 * 15
    assert counts.evaluations == counts.moves  # of a random move only the one afterstate
    greedy = learner.train(np.full(50, 0.2), np.zeros(50))
    assert greedy.episodes == 50 and greedy.evaluations > 3 * greedy.moves
    assert learner.episodes == 100


def test_compiling_teaches_nothing() -> None:
    learner = make_learner(make("tictactoe"), HORIZON, 5)
    before = digest(learner)
    learner.compile()
    assert digest(learner) == before and learner.episodes == 0


def test_two_threads_learn_together() -> None:
    """They share the tables, and what they learn is sound: O must block the line that X is about to complete, on
    any of the four sides of the board."""
    learner = make_learner(make("tictactoe"), Options([list(range(9))]), 1)
    counts = learner.train(np.linspace(1.0, 0.02, 40_000), np.full(40_000, 0.3), threads=2)
    assert counts.episodes == learner.episodes == 40_000
    assert len(learner.streams) == 2 and not np.array_equal(*learner.streams)
    assert np.isfinite(learner.network.weights).all()
    for moves, block in (("a1 b2 b1", "c1"), ("c1 b2 c2", "c3"), ("a3 b2 b3", "c3"), ("a1 b2 a2", "a3")):
        position = make("tictactoe").start()
        for move in moves.split():
            position.play(move)
        values = learner.rate(position.state)
        best = max(values, key=values.__getitem__)
        assert position.game.action_name(best) == block
        assert max(v for a, v in values.items() if a != best) < values[best] - 0.2


@pytest.mark.parametrize(
    ("spec", "options", "alpha"),
    [
        ("tictactoe", HORIZON, 0.5),
        ("tictactoe", Options([[0, 1, 2, 5], [4, 3, 7]], output="logistic", tables="shared"), 0.5),
        ("dots:rows=2,columns=2", Options([[0, 1, 2, 3, 4], [6, 7, 8, 9]], tables="inversion"), 0.3),
        ("dots:rows=2,columns=2", Options([[0, 1, 2, 3, 4], [6, 7]], output="identity", symmetries=False), 0.1),
    ],
)
def test_actions_are_rated_as_the_reference_does(spec: str, options: Options, alpha: float) -> None:
    """Reward from here on plus discounted value, in units of the score, in every position of some games."""
    learner, reference = train_both(lambda: make(spec), options, np.full(60, alpha), np.full(60, 0.1), seed=2)
    low = make(spec).score_range[0] if options.output == "logistic" else 0.0
    draws = random.Random(1)
    spread = 0.0
    for _ in range(3):
        position = make(spec).start().roll(make_rng(1))
        while not position.is_over:
            reference.memories = [Memory(score=score) for score in position.scores]
            expected = {}
            for action in position.legal_actions:
                reward, value = reference.rate(position, action)
                expected[action] = (reward + options.gamma * value) / reference.scale + low
            before = position.state.tobytes()
            assert learner.rate(position.state) == pytest.approx(expected, abs=1e-4)
            assert position.state.tobytes() == before
            spread = max(spread, max(expected.values()) - min(expected.values()))
            position.play(draws.choice(position.legal_actions))
    assert spread > 0.1


def test_a_winning_move_is_rated_by_its_score() -> None:
    position = make("tictactoe").start()
    for move in ("a1", "a2", "b1", "b2"):
        position.play(move)
    for output in ("tanh", "logistic", "identity"):
        learner = make_learner(make("tictactoe"), Options([[0, 1]], output=output), 1)
        values = learner.rate(position.state)
        assert values[position.game.parse_action("c1")] == pytest.approx(1.0)
        assert values[position.game.parse_action("c3")] == pytest.approx(0.0)


@pytest.mark.parametrize(("tables", "sets"), [("per-player", 3), ("shared", 1), ("inversion", 1)])
def test_table_sets(tables: str, sets: int) -> None:
    learner = make_learner(make("nim:players=3"), Options([[0, 1, 2], [1]], tables=tables, rule="tcl"), 1)
    assert learner.table_sets == len(learner.network.weights) == sets
    assert learner.memory_needed == learner.network.weights.nbytes + learner.network.memory.nbytes
    assert learner.network.weights.shape[1] == 6**3 + 6 + 1


def test_tables_that_do_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the number of bytes needed and free, before anything is taken."""
    monkeypatch.setattr(learner_module, "free_memory", lambda: 3 * 2**30)
    game = make("2048")
    make_learner(game, Options([[0, 1, 2, 3]], rule="tcl"), 1)
    with pytest.raises(BoardlabError) as refusal:
        make_learner(game, Options([list(range(7))], rule="tcl"), 1)
    words = str(refusal.value)
    assert f"needs 6.8 GB ({18**7:,} weights in 1 table sets, 3 numbers each), but only 3.0 GB are free" in words
    assert "take shorter or fewer n-tuples" in words


def test_free_memory_is_known_on_linux() -> None:
    if Path("/proc/meminfo").exists():
        assert 2**20 < learner_module.free_memory() < 2**50
