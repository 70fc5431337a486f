"""Evaluations beside learning: the same learning curve as if learning had waited."""

from __future__ import annotations

import threading

import pytest
from training_files import learned, small_agent

from boardlab.agents.td_ntuple import TDNTuple
from boardlab.lab.beside import Beside, GivenUp, Watch
from boardlab.lab.stop import Stop
from boardlab.lab.training import Plan, TrainingRun, follow
from boardlab.matches.intervals import Estimate


def strength(agent: TDNTuple) -> Estimate:
    """Something that changes with every weight that is read."""
    value = sum(agent.values(agent.game.start()).values())
    return Estimate(mean=value, low=float(agent.episodes), high=1e9, games=1)


def curve(run: TrainingRun) -> list[tuple[int, float, float]]:
    return [(p.episodes, p.score, p.low) for p in run.history.evaluations]


def test_the_curve_is_that_of_a_training_that_waits() -> None:
    waiting = TrainingRun(small_agent(), Plan(900, evaluate=strength, evaluate_every=100))
    beside = TrainingRun(small_agent(), Plan(900, evaluate=strength, evaluate_every=100, beside=True))
    for run in (waiting, beside):
        reports = list(run.run())
        told = [(r.episodes, r.evaluation.mean) for r in reports if r.evaluation]
        assert told == [(episodes, score) for episodes, score, _ in curve(run)]
    assert curve(beside) == curve(waiting)
    assert [episodes for episodes, _, _ in curve(beside)] == list(range(100, 1000, 100))
    assert learned(beside.agent) == learned(waiting.agent)
    assert beside.history.finished


def test_learning_goes_on_meanwhile() -> None:
    """The evaluation of 100 episodes ends only when the agent has learned more."""
    agent = small_agent()
    more = threading.Event()

    def slow(measured: TDNTuple) -> Estimate:
        if measured.episodes == 100:
            assert more.wait(60.0) and measured.episodes == 100
        return strength(measured)

    run = TrainingRun(agent, Plan(400, evaluate=slow, evaluate_every=100, beside=True))
    for report in run.run():
        if report.episodes > 100:
            more.set()
    assert [episodes for episodes, _, _ in curve(run)] == [100, 200, 300, 400]


def test_a_goal_needs_the_result_at_once() -> None:
    def good(agent: TDNTuple) -> Estimate:
        return Estimate(mean=float(agent.episodes), low=0.0, high=1.0, games=1)

    run = TrainingRun(small_agent(), Plan(900, evaluate=good, evaluate_every=100, beside=True, goal=200.0))
    list(run.run())
    assert run.agent.episodes == 200


def test_an_error_of_the_evaluator_ends_the_training() -> None:
    def broken(agent: TDNTuple) -> Estimate:
        raise RuntimeError("no strength")

    run = TrainingRun(small_agent(), Plan(900, evaluate=broken, evaluate_every=100, beside=True))
    with pytest.raises(RuntimeError, match="no strength"):
        list(run.run())


def test_a_stopped_training_keeps_an_evaluation_that_ends_soon() -> None:
    stop = Stop()
    run = TrainingRun(small_agent(), Plan(10**6, evaluate=strength, evaluate_every=100, beside=True))
    begun = threading.Event()

    def tell(report: object) -> None:
        if run.agent.episodes > 100:
            begun.set()
            stop.asked = True

    assert not follow(run, stop, tell)
    assert begun.is_set() and curve(run)[0][0] == 100


def test_given_up_work_ends_with_the_next_game() -> None:
    watch, told = Watch(), []
    begin, games = threading.Event(), watch.listened(lambda done, of: told.append(done))

    def work() -> None:
        assert begin.wait(60.0)
        games(1, 2)

    beside = Beside(work, watch)
    assert not beside.wait(0.0) and not beside.is_done
    beside.give_up()
    begin.set()
    assert beside.wait()
    with pytest.raises(GivenUp):
        beside.result()
    assert told == []
    games(2, 2)  # after it, learning waits for the next one, and is told
    assert told == [2]


def test_who_waits_is_told_how_far_it_is() -> None:
    watch, told = Watch(), []
    begun, end = threading.Event(), threading.Event()
    games = watch.listened(lambda done, of: told.append(done))

    def work() -> None:
        games(1, 3)
        begun.set()
        assert end.wait(60.0)

    beside = Beside(work, watch)
    assert begun.wait(60.0) and told == []
    assert not beside.wait(0.0) and told == [1]
    end.set()
    assert beside.wait() and beside.result() is None
