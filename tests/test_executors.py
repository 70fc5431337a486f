"""Work in other processes: every task has one outcome, whatever becomes of it, and nothing is left running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import all_gone, descendants, wait_until

from boardlab.errors import BoardlabError
from boardlab.executors import Executor, Outcome, Task, open_executor

HERE = Path(__file__).resolve().parent


@pytest.fixture(autouse=True)
def tasks_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), *sys.path]))


@pytest.fixture
def executor() -> Iterator[Executor]:
    with open_executor(processes=1) as made:
        yield made


def task(name: str, **arguments: object) -> Task:
    return Task(name, f"executor_tasks:{name}", arguments)


def outcome(executor: Executor, name: str, **arguments: object) -> Outcome:
    executor.submit(task(name, **arguments))
    (found,) = executor.outcomes()
    return found


def test_a_process_does_one_task_after_the_other_whatever_becomes_of_them(executor: Executor, tmp_path: Path) -> None:
    first = outcome(executor, "double", number=4)
    assert (first.result["twice"], first.failure) == (8, "")
    assert outcome(executor, "refuse").failure == "this cannot be"
    assert outcome(executor, "fall_over").failure == "KeyError: 'a mistake of ours'"
    assert "not JSON serializable" in outcome(executor, "give_a_path").failure
    assert outcome(executor, "environment", variable="OMP_NUM_THREADS").result == "1"
    assert outcome(executor, "double", number=5).result["process"] == first.result["process"], "it stays"
    dead = outcome(executor, "die")
    assert dead.lost and "signal 9" in dead.failure
    again = outcome(executor, "double", number=6)
    assert again.result["twice"] == 12 and again.result["process"] != first.result["process"]


def test_the_longest_begins_first(executor: Executor, tmp_path: Path) -> None:
    path = tmp_path / "order"
    costs = [3.0, 1.0, 5.0, 2.0]
    executor.submit(*(Task(str(c), "executor_tasks:note", {"number": c, "path": str(path)}, c) for c in costs))
    assert len(list(executor.outcomes())) == len(costs) and executor.wait(1.0) is None
    assert [float(line) for line in path.read_text().split()] == sorted(costs, reverse=True)


def test_what_runs_is_told_to_stop_at_the_end(tmp_path: Path) -> None:
    began, ended, others = tmp_path / "began", tmp_path / "ended", descendants(os.getpid())
    with open_executor(processes=1) as executor:
        executor.submit(task("sleep_until_told", began=str(began), ended=str(ended)), task("double", number=1))
        wait_until(began.exists)
    assert ended.exists()
    assert not descendants(os.getpid()) - others


def test_nothing_outlives_a_killed_parent(tmp_path: Path) -> None:
    began = tmp_path / "began"
    program = f"""
from boardlab.executors import Task, open_executor
with open_executor(processes=1) as executor:
    executor.submit(Task("hang", "executor_tasks:hang", {{"began": {str(began)!r}}}))
    list(executor.outcomes())
"""
    parent = subprocess.Popen([sys.executable, "-c", program])
    wait_until(lambda: began.exists() and began.read_text())
    children = descendants(parent.pid)
    assert int(began.read_text()) in children
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    wait_until(lambda: all_gone(children))


def test_an_address_where_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("boardlab.executors.cluster._ANSWER_SECONDS", 0.2)
    for address in ("tcp://127.0.0.1:9", "nonsense://"):
        with pytest.raises(BoardlabError, match="no Dask scheduler answers at"):
            open_executor(cluster=address)


def test_a_cluster_without_dask_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardlab.executors.cluster.find_spec", lambda name: None)
    with pytest.raises(BoardlabError, match="pip install 'boardlab\\[cluster\\]'"):
        open_executor(cluster="tcp://127.0.0.1:8786")
