"""A sweep on a real Dask cluster: a scheduler and workers, each a process of its own, one of which is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from processes import all_gone, descendants, wait_until

from boardlab import evaluate, load_agent, train
from boardlab.errors import BoardlabError
from boardlab.executors import Task, open_executor
from boardlab.lab import Sweep, results

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

OWN = f"{Path(__file__).parent / 'own_learner.py'}:CellWorth"
SWEEP = Sweep(
    game="tictactoe",
    agent=OWN,
    episodes=1500,
    seeds=3,
    evaluator="all-roles",
    against="random",
    evaluate_every=150,
    evaluation_games=60,
    grid={"alpha": [0.01, 0.05]},
)


class Cluster:
    """A scheduler and two workers."""

    def __init__(self, folder: Path, rest: ExitStack) -> None:
        self.file, self.rest, self.folder = folder / "scheduler.json", rest, folder
        arguments = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(self.file))
        self._start("scheduler", *arguments)
        wait_until(self.file.exists)
        self.workers = [self.add_worker() for _ in range(2)]

    @property
    def address(self) -> str:
        return str(json.loads(self.file.read_text())["address"])

    def add_worker(self) -> subprocess.Popen[bytes]:
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(self.folder))
        return self._start("worker", "--scheduler-file", str(self.file), *options)

    def _start(self, what: str, *arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments], stderr=subprocess.DEVNULL
        )
        self.rest.callback(process.wait)
        self.rest.callback(process.kill)
        return process


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with pytest.MonkeyPatch.context() as patch, ExitStack() as rest:
        here = str(Path(__file__).resolve().parent)
        patch.setenv("PYTHONPATH", os.pathsep.join([here, *sys.path]))
        made = Cluster(tmp_path_factory.mktemp("dask"), rest)
        with open_executor(made.address) as executor:
            wait_until(lambda: executor.slots == 2)
        yield made


@contextmanager
def in_a_thread(work: threading.Thread) -> Iterator[None]:
    work.start()
    yield
    work.join(300)
    assert not work.is_alive()


def test_a_worker_is_killed_and_the_table_is_that_of_one_machine(cluster: Cluster, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    SWEEP.run(here, progress=False)
    arguments = {"cluster": cluster.address, "progress": False, "checkpoint_seconds": 0.0}
    victim = cluster.workers[0]

    def mine() -> set[int]:
        return descendants(victim.pid)

    def in_the_middle() -> bool:
        """Whether a run has learned something on the worker that will be killed."""
        logs = [path.read_text() for path in there.glob("runs/*/log.txt")]
        return any(f"process {pid})" in log and "300 of 1,500 episodes:" in log for pid in mine() for log in logs)

    with in_a_thread(threading.Thread(target=SWEEP.run, args=(there,), kwargs=arguments)):
        wait_until(in_the_middle)
        children = mine()
        victim.send_signal(signal.SIGKILL)
        wait_until(lambda: all_gone(children))
    for folder in (here, there):
        results(folder).to_csv(folder / "table.csv")
    assert (there / "table.csv").read_bytes() == (here / "table.csv").read_bytes()
    assert len(results(there).finished) == len(results(there)) == 6
    logs = [path.read_text() for path in there.glob("runs/*/log.txt")]
    assert sum(log.count("finished\n") for log in logs) == 6, "each run ends once"
    assert any("goes on after" in log for log in logs), "the run of the killed worker was not begun anew"
    cluster.add_worker()


def test_what_is_given_up_stops_on_the_workers(cluster: Cluster, tmp_path: Path) -> None:
    began, ended = tmp_path / "began", tmp_path / "ended"
    with open_executor(cluster.address) as executor:
        executor.submit(
            Task("wait", "executor_tasks:sleep_until_told", {"began": str(began), "ended": str(ended)}),
        )
        wait_until(began.exists)
    wait_until(ended.exists)


def test_a_process_that_dies_is_an_outcome(cluster: Cluster) -> None:
    with open_executor(cluster.address) as executor:
        assert executor.slots >= 1 and "workers" in executor.words
        executor.submit(Task("die", "executor_tasks:die"), Task("refuse", "executor_tasks:refuse"))
        executor.submit(Task("double", "executor_tasks:double", {"number": 4}))
        found = {outcome.task.name: outcome for outcome in executor.outcomes()}
    assert found["die"].lost and "signal 9" in found["die"].failure
    assert found["refuse"].failure == "this cannot be"
    assert found["double"].result["twice"] == 8


def test_an_evaluation_on_the_cluster_is_that_of_one_machine(cluster: Cluster, tmp_path: Path) -> None:
    agent = str(tmp_path / "own.agent")
    train("tictactoe", agent=OWN, episodes=50, seed=3, evaluate_every=50, evaluation_games=2, progress=False).save(
        agent
    )
    how: dict[str, Any] = {"evaluator": "all-roles", "against": "mcts:iterations=20", "games": 30, "seed": 5}
    here, there = evaluate(agent, **how), evaluate(agent, **how, cluster=cluster.address)
    assert there.match.records == here.match.records and there.result == here.result
    with pytest.raises(BoardlabError, match="named by a text"):
        evaluate(load_agent(agent), **how, cluster=cluster.address)
