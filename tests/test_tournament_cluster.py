"""Tournaments on a Dask cluster: with a scheduler and workers as `dask scheduler` and `dask worker` start them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from boardlab.executors import open_executor
from boardlab.tournament.journal import read_journal
from boardlab.tournament.running import Crew
from boardlab.tournament.tournament import Tournament, play_tournament
from boardlab.tournament.wish import read_wish

pytestmark = pytest.mark.slow
pytest.importorskip("distributed")

AGENTS = Path(__file__).with_name("tournament_agents.py")


class Cluster:
    """A scheduler on this machine, and its workers, which run in a folder of their own."""

    def __init__(self, folder: Path, rest: ExitStack) -> None:
        self.file, self.folder, self.rest = folder / "scheduler.json", folder, rest
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        wait_until(lambda: self.file.exists() and bool(self.file.read_text().strip()))
        self.address = str(json.loads(self.file.read_text())["address"])

    def add_worker(self) -> subprocess.Popen[bytes]:
        return self._start("worker", "--nthreads", "1", "--no-nanny", "--local-directory", str(self.folder))

    def _start(self, what: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments, "--no-dashboard"]
        process = subprocess.Popen(
            [*command, "--scheduler-file", str(self.file)],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stderr=subprocess.DEVNULL,
        )
        self.rest.callback(process.wait)
        self.rest.callback(process.kill)
        return process


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with ExitStack() as rest:
        yield Cluster(tmp_path_factory.mktemp("dask"), rest)


def contents(journal: Path) -> dict[str, object]:
    """The games of a journal without their times."""
    return {game.id: (game.seats, game.scores, game.codes, game.set, game.moves) for game in read_journal(journal)}


def test_a_worker_is_killed_and_the_games_are_those_of_one_machine(cluster: Cluster, tmp_path: Path) -> None:
    agents = ["random", "mcts:iterations=20", "max-n:depth=2"]
    wish = read_wish({"game": "connect4", "agents": agents, "games": 20, "starts": "random:2"})
    victim, _ = cluster.add_worker(), cluster.add_worker()
    with open_executor(cluster.address) as executor:
        wait_until(lambda: executor.slots == 2)

    def told(_: object, done: int, _total: int) -> None:
        if done == 10:
            victim.kill()

    Tournament(wish, tmp_path / "there").play(cluster=cluster.address, told=told)
    play_tournament("connect4", *agents, folder=tmp_path / "here", games=20, starts="random:2")
    assert contents(tmp_path / "there/journal.jsonl") == contents(tmp_path / "here/journal.jsonl")


def test_workers_may_come_later_and_run_in_another_folder(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent by a relative path is found all the same, and waiting costs nothing."""
    (tmp_path / "own.py").write_text(AGENTS.read_text())
    monkeypatch.chdir(tmp_path)
    meant = Tournament(read_wish({"game": "hex:size=2", "agents": ["random", "own.py:Fine"], "games": 4}), tmp_path)
    slots: list[int] = []

    def opened(crew: Crew) -> None:
        assert crew is not None
        slots.append(crew.slots)
        threading.Timer(3.0, cluster.add_worker).start()

    begin = time.process_time()
    meant.play(cluster=cluster.address, opened=opened)
    assert slots == [0]
    assert len(meant.games()) == 4 and not any(game.forfeits for game in meant.games())
    assert time.process_time() - begin < 2.5  # three seconds of asking again and again would be more
