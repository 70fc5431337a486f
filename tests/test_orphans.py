"""No process of ours outlives the one that started it, however that one ends, and whatever it is busy with."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from processes import all_gone, descendants, wait_until

from boardlab.engines.process import EngineProcess
from boardlab.store import read_agent_file

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")

EAGER = """
import boardlab.matches.play as play, boardlab.lab.planning as planning, boardlab.lab.training as training
play.TRIAL_SECONDS = play.WORTH_THE_START = training._WORTH_SAVING = 0.0
planning.cores = lambda: 2
from boardlab.cli.main import main
main()
"""
"""The command `boardlab`, which needs no reason to start worker processes or to save."""

BUSY = """
import multiprocessing, os
from pathlib import Path
import numba
from boardlab.agents.random import RandomAgent

@numba.njit(nogil=True)
def spin(number):
    while number != 0:
        number = number * 6364136223846793005 + 1442695040888963407 | 1
    return number

class Busy(RandomAgent):
    "Random, but in a worker process it is lost in compiled code for ever."
    name = "busy"

    def choose(self, position, rng):
        if multiprocessing.parent_process() is not None:
            spin(0)
            Path(f"busy-{os.getpid()}").touch()
            spin(1)
        return super().choose(position, rng)
"""

LEARN = [
    "-o",
    "rule=plain",
    "-o",
    "tuples=full",
    "-n",
    "3000",
    "--threads",
    "2",
    "--evaluate-every",
    "1000",
    "--evaluation-games",
    "50",
]
COMMANDS = {
    "match": ["match", "tictactoe", "busy.py:Busy", "random", "--games", "50", "--workers", "2"],
    "eval": ["eval", "busy.py:Busy", "--game", "tictactoe", "--against", "random", "--games", "50", "--workers", "2"],
    "train": ["train", "tictactoe", "--against", "busy.py:Busy", "--out", "a.agent", *LEARN],
}


@contextmanager
def busy_command(folder: Path, command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A command both of whose workers are lost in compiled code."""
    (folder / "busy.py").write_text(BUSY)
    (folder / "tmp").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", EAGER, *COMMANDS[command]],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_until(lambda: len(list(folder.glob("busy-*"))) == 2 or process.poll() is not None)
        assert process.poll() is None
        yield process
    finally:
        process.kill()
        process.wait()


def ends_with_its_workers(process: subprocess.Popen[bytes], how: signal.Signals, folder: Path) -> None:
    family = descendants(process.pid)
    assert len(family) >= 2
    process.send_signal(how)
    process.wait(timeout=60)
    wait_until(lambda: all_gone(family), 60)
    wait_until(lambda: not list((folder / "tmp").iterdir()), 60)


SLOWLY = pytest.mark.slow
"""For what differs but little from a test beside it."""


@pytest.mark.parametrize("how", [pytest.param(signal.SIGTERM, marks=SLOWLY), signal.SIGKILL])
def test_the_workers_of_a_match_end_with_it(tmp_path: Path, how: signal.Signals) -> None:
    with busy_command(tmp_path, "match") as process:
        ends_with_its_workers(process, how, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_the_workers_of_an_evaluation_end_with_it(tmp_path: Path, how: signal.Signals) -> None:
    with busy_command(tmp_path, "eval") as process:
        ends_with_its_workers(process, how, tmp_path)


@pytest.mark.parametrize("how", [signal.SIGTERM, pytest.param(signal.SIGKILL, marks=SLOWLY)])
def test_a_training_ends_with_its_workers_and_loses_nothing(tmp_path: Path, how: signal.Signals) -> None:
    """SIGTERM gives the evaluation up and keeps the agent; SIGKILL finds it saved before the evaluation."""
    with busy_command(tmp_path, "train") as process:
        ends_with_its_workers(process, how, tmp_path)
        assert process.returncode == (0 if how == signal.SIGTERM else -signal.SIGKILL)
    about = read_agent_file(tmp_path / "a.agent").about
    assert (about.facts["episodes"], about.history["finished"]) == (1000, False)


@pytest.mark.slow
def test_a_signal_for_the_whole_group_keeps_the_agent_too(tmp_path: Path) -> None:
    """As `timeout 60 boardlab train` sends it: the workers die at the same time."""
    with busy_command(tmp_path, "train") as process:
        family = descendants(process.pid)
        os.killpg(process.pid, signal.SIGTERM)
        assert process.wait(timeout=60) == 0
        wait_until(lambda: all_gone(family), 60)
    assert read_agent_file(tmp_path / "a.agent").about.facts["episodes"] == 1000


# ------------------------------------------------------------ the arena

RUN = {
    **{"game": "tictactoe", "options": {"rule": "plain", "tuples": "full"}, "episodes": 10_000_000, "seed": 1},
    **{"evaluator": "random", "games": 2, "evaluate_every": 10_000_000},
}
MATCH = {
    "game": "connect4",
    "agents": [{"agent": "mcts", "options": {"iterations": 10_000}}, {"agent": "random"}],
    "games": 1000,
}


def is_worker_of_a_match(pid: int) -> bool:
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_all_processes_of_an_arena_end_with_it(tmp_path: Path, how: signal.Signals) -> None:
    """Those that wait for a question, the one that trains, the one of a match and the workers of that."""
    command = [sys.executable, "-c", "from boardlab.cli.main import main; main()", "arena", "--no-browser"]
    arena = subprocess.Popen(
        [*command, "--data", str(tmp_path), "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert arena.stdout is not None
        address = next(found[0] for line in arena.stdout if (found := re.search(r"http://[\d.:]+", line)))
        with httpx.Client(base_url=address, timeout=300.0) as browser:
            run = browser.post("/api/runs", json=RUN).raise_for_status().json()["id"]
            browser.post("/api/matches", json=MATCH).raise_for_status()
            wait_until(lambda: browser.get(f"/api/runs/{run}").json()["episodes"] > 1000)
            wait_until(lambda: sum(map(is_worker_of_a_match, descendants(arena.pid))) >= 1)
        family = descendants(arena.pid)
        arena.send_signal(how)
        arena.communicate(timeout=60)
        wait_until(lambda: all_gone(family), 60)
    finally:
        arena.kill()
        arena.communicate()
    assert read_agent_file(tmp_path / "runs" / run / "run.agent").about.facts["episodes"] > 1000


# ------------------------------------------------------------ programs of others

WITH_AN_ENGINE = """
import time
from boardlab.engines.process import EngineProcess
engine = EngineProcess("sh -c 'sleep 600 & sleep 600'", 1.0)
time.sleep(0.2)
print("started", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_an_engine_does_not_outlive_us(how: signal.Signals) -> None:
    """One that does not look at its input, nor does what it has started."""
    process = subprocess.Popen([sys.executable, "-c", WITH_AN_ENGINE], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"started\n"
    family = descendants(process.pid)
    assert len(family) >= 3
    process.send_signal(how)
    process.communicate()
    wait_until(lambda: all_gone(family), 60)


def test_an_engine_that_ends_leaves_nothing() -> None:
    before = descendants(os.getpid())
    engine = EngineProcess("sleep 600", 1.0)
    time.sleep(0.1)
    family = descendants(os.getpid()) - before
    assert family
    engine.close()
    assert all_gone(family)
