"""Training runs: what they report, when they evaluate and save, and that none of it changes what is learned."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from training_files import learned, small_agent

from boardlab import BoardlabError
from boardlab.agents.files import load_agent, stored_agent
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.lab import training
from boardlab.lab.curves import draw_curve, write_curve
from boardlab.lab.history import history_in
from boardlab.lab.training import Plan, TrainingRun
from boardlab.matches.intervals import Estimate
from boardlab.store import read_agent_file


def told(agent: TDNTuple) -> Estimate:
    """An evaluation that tells how long the agent has learned."""
    return Estimate(mean=float(agent.episodes), low=-1.0, high=1.0, games=3)


def finish(run: TrainingRun) -> TrainingRun:
    for _ in run.run():
        pass
    return run


def test_reports_and_evaluations() -> None:
    agent = small_agent()
    run = TrainingRun(agent, Plan(1000, evaluate=told, evaluator="told", evaluate_every=300))
    reports = list(run.run())
    assert [r.evaluation.mean for r in reports if r.evaluation] == [300, 600, 900, 1000]
    assert [r.episodes for r in reports if r.evaluation] == [300, 600, 900, 1000]
    learning = [r for r in reports if not r.evaluation]
    assert [r.episodes for r in learning] == sorted({r.episodes for r in learning})
    assert all(r.episodes_per_second > 0 and r.moves_per_second > r.episodes_per_second for r in learning)
    assert reports[-1].rates == pytest.approx({"alpha": 0.3, "epsilon": 0.02})
    history = run.history
    assert [p.episodes for p in history.evaluations] == [300, 600, 900, 1000]
    assert [p.score for p in history.evaluations] == [300, 600, 900, 1000]
    assert [p.seconds for p in history.evaluations] == sorted(p.seconds for p in history.evaluations)
    assert history.evaluations[-1].rates["alpha"] == pytest.approx(0.3)
    assert 5000 < history.moves < 9000
    assert history.finished
    assert history.procedure == "told"


def test_without_an_evaluation_there_is_only_training() -> None:
    run = finish(TrainingRun(small_agent(), Plan(20)))
    assert run.agent.episodes == 20
    assert run.history.evaluations == []


def test_the_end_is_evaluated_once() -> None:
    run = finish(TrainingRun(small_agent(), Plan(100, evaluate=told, evaluate_every=50)))
    assert [p.episodes for p in run.history.evaluations] == [50, 100]
    run = finish(TrainingRun(small_agent(), Plan(100, evaluate=told)))
    assert [p.episodes for p in run.history.evaluations] == [100]


def test_very_many_evaluations() -> None:
    run = finish(TrainingRun(small_agent(), Plan(1500, evaluate=told, evaluate_every=1)))
    assert len(run.history.evaluations) == 1500


def test_stretches_and_evaluations_do_not_change_what_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    straight = small_agent()
    straight.train(700)
    for seconds in (1e-9, 1e-4, 10.0):
        monkeypatch.setattr(training, "_STRETCH_SECONDS", seconds)
        for every in (0, 33):
            run = finish(TrainingRun(small_agent(), Plan(700, evaluate=told, evaluate_every=every)))
            assert learned(run.agent) == learned(straight)


def test_playing_in_between_does_not_change_what_is_learned() -> None:
    straight = small_agent()
    straight.train(200)
    start = straight.game.start()

    def plays(agent: TDNTuple) -> Estimate:
        values = agent.values(start)
        return Estimate(values[0], 0.0, 0.0, 1)

    run = finish(TrainingRun(small_agent(), Plan(200, evaluate=plays, evaluate_every=7)))
    assert learned(run.agent) == learned(straight)


def test_two_threads_learn_together(tmp_path: Path) -> None:
    path = tmp_path / "a.agent"
    run = finish(TrainingRun(small_agent(), Plan(2001, threads=2, path=path)))
    assert run.agent.episodes == 2001
    assert len({stream.tobytes() for stream in run.agent.learner.streams}) == 2
    assert learned(load_agent(path)) == learned(run.agent)
    moves = run.history.moves
    assert 5 * 2001 < moves <= 9 * 2001


# ------------------------------------------------------------ files


def test_a_run_is_saved_at_its_beginning_at_checkpoints_and_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.agent"
    run = TrainingRun(small_agent(), Plan(500, path=path, checkpoint_seconds=0.0))
    found = [read_agent_file(path).about for _ in run.run()]  # while it is suspended after each stretch
    episodes = [about.facts["episodes"] for about in found]
    assert episodes[0] == 0
    assert episodes == sorted(episodes)
    assert len(set(episodes)) > 3
    assert not any(about.history["finished"] for about in found)
    assert load_agent(path).episodes == 500
    assert history_in(read_agent_file(path)).finished


def test_no_checkpoint_before_its_time(tmp_path: Path) -> None:
    path = tmp_path / "a.agent"
    run = TrainingRun(small_agent(), Plan(500, path=path, checkpoint_seconds=1000.0))
    assert {load_agent(path).episodes for _ in run.run()} == {0}
    assert load_agent(path).episodes == 500


def test_what_was_learned_is_saved_before_an_evaluation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it is but a moment's work."""
    path = tmp_path / "a.agent"
    for seconds, wanted in ((0.0, [100, 200, 300]), (1000.0, [0, 0, 0])):
        monkeypatch.setattr(training, "_WORTH_SAVING", seconds)
        found: list[int] = []

        def looks(agent: TDNTuple, found: list[int] = found) -> Estimate:
            found.append(load_agent(path).episodes)
            return told(agent)

        run = finish(TrainingRun(small_agent(), Plan(300, evaluate=looks, evaluate_every=100, path=path)))
        assert found == wanted
        assert learned(load_agent(path)) == learned(run.agent)


def test_a_place_where_nothing_can_be_written_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    agent = small_agent()
    run = TrainingRun(agent, Plan(500, path=tmp_path / "taken" / "a.agent"))
    with pytest.raises(BoardlabError, match="cannot be written"):
        next(run.run())
    assert agent.episodes == 0


def test_history_goes_on_after_a_stop(tmp_path: Path) -> None:
    """Stopped in the middle of a plan, resumed, finished, resumed once more for longer: one history, one agent."""
    path = tmp_path / "a.agent"
    plan = Plan(600, evaluate=told, evaluator="told", against="nobody", evaluate_every=200, path=path)
    first = TrainingRun(small_agent(), plan)
    for report in first.run():
        if report.episodes >= 250:
            break
    first.save()
    stopped_at = first.agent.episodes
    assert 250 <= stopped_at < 600
    file = read_agent_file(path)
    assert not history_in(file).finished
    second = finish(TrainingRun(stored_agent(file), plan))
    assert second.history.finished
    longer = Plan(800, evaluate=told, evaluate_every=200, path=path)
    file = read_agent_file(path)
    third = TrainingRun(stored_agent(file), longer)
    assert not third.history.finished
    finish(third)
    history = history_in(read_agent_file(path))
    assert [p.episodes for p in history.evaluations] == [200, 400, 600, 800]
    assert history.procedure == "told against nobody"
    assert history.created == first.history.created != ""
    straight = small_agent()
    assert history.moves == straight.train(800).moves
    assert learned(load_agent(path)) == learned(straight)


def test_an_evaluation_that_was_given_up_is_made_up_for(tmp_path: Path) -> None:
    path = tmp_path / "a.agent"

    def interrupted(agent: TDNTuple) -> Estimate:
        raise KeyboardInterrupt

    first = TrainingRun(small_agent(), Plan(300, evaluate=interrupted, evaluate_every=100, path=path))
    with pytest.raises(KeyboardInterrupt):
        finish(first)
    first.save()
    file = read_agent_file(path)
    assert file.about.facts["episodes"] == 100
    agent = stored_agent(file)
    second = TrainingRun(agent, Plan(300, evaluate=told, evaluate_every=100, path=path))
    assert [p.episodes for p in finish(second).history.evaluations] == [100, 200, 300]


# ------------------------------------------------------------ learning curves


def test_a_curve_as_a_table_and_as_a_picture(tmp_path: Path) -> None:
    run = finish(TrainingRun(small_agent(), Plan(60, evaluate=told, evaluator="told", evaluate_every=20)))
    write_curve(run.history, tmp_path / "curve.csv")
    rows = list(csv.DictReader((tmp_path / "curve.csv").open()))
    assert list(rows[0]) == ["episodes", "seconds", "score", "low", "high", "games", "alpha", "epsilon"]
    assert [(r["episodes"], r["score"], r["games"]) for r in rows] == [(str(n), f"{n}.0", "3") for n in (20, 40, 60)]
    draw_curve([("one", run.history), ("two", run.history)], tmp_path / "curve.png", "Tic-tac-toe")
    draw_curve([("one", run.history)], tmp_path / "curve.svg", "Tic-tac-toe")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "curve.svg").read_text()
