"""The memory of the whole arena: measured over all its processes, and bounded by one setting."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from arena_client import arena_of, eventually, open_client

from boardlab.system.machine import memory_of_sessions
from boardlab.web.workers.memory import Consumer, MemoryWatch

linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="Linux alone tells what processes use")

PARENT_AND_CHILD = """
import subprocess, sys
block = b"x" * 60_000_000
child = "import sys; block = b'x' * 80_000_000; print('ready', flush=True); sys.stdin.read()"
subprocess.run([sys.executable, "-c", child], start_new_session=%s)
"""


@linux
@pytest.mark.parametrize("apart", [False, True])
def test_what_a_process_and_its_children_use_is_measured(apart: bool) -> None:
    """Also where a child leads a session of its own, as those do that play for a tournament."""
    command = [sys.executable, "-c", PARENT_AND_CHILD % apart]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, start_new_session=True, **pipes) as process:  # type: ignore[call-overload]
        assert process.stdout.readline() == b"ready\n"
        assert 140_000_000 < memory_of_sessions([process.pid])[process.pid] < 300_000_000
        process.communicate(b"")
    assert memory_of_sessions([process.pid]) == {process.pid: 0}


def test_the_largest_is_ended_where_all_together_use_too_much() -> None:
    told: list[tuple[int, str]] = []
    consumers = [Consumer(pid, lambda sentence, pid=pid: told.append((pid, sentence))) for pid in (1, 2, 3)]  # type: ignore[misc]
    watch = MemoryWatch(1000, lambda: consumers)
    watch.act(consumers, {0: 100 << 20, 1: 400 << 20, 2: 300 << 20, 3: 200 << 20})
    assert told == [] and not watch.has_room()
    watch.act(consumers, {0: 100 << 20, 1: 200 << 20, 2: 300 << 20, 3: 200 << 20})
    assert told == [] and watch.has_room()
    watch.act(consumers, {0: 100 << 20, 1: 400 << 20, 2: 500 << 20, 3: 200 << 20})
    assert [pid for pid, _ in told] == [2]
    assert "1.2 GB" in told[0][1] and "setting megabytes" in told[0][1]


@linux
def test_an_agent_that_thinks_in_an_arena_that_is_full_is_told_so(tmp_path: Path) -> None:
    endless = {"agent": "mcts", "options": {"iterations": 1_000_000_000}}
    with open_client(tmp_path) as client:
        opened = client.post("/api/tables", json={"game": "tictactoe", "seats": [endless, {"person": "Ann"}]}).json()
        address = f"/api/tables/{opened['id']}"
        eventually(lambda: client.get(address).json(), lambda v: v["thinking"] is not None and v["message"] is None)
        arena_of(client).memory.most = 1 << 20
        stopped = eventually(lambda: client.get(address).json(), lambda v: v["paused"])
        assert "it allows 1.0 MB for all of them together" in stopped["message"]
        arena_of(client).memory.most = 1 << 40
        assert client.get("/api/about").json()["limits"]["megabytes"] >= 512
        position = {"game": "tictactoe", "events": [{"action": 4}], "choice": {"agent": "random"}}
        eventually(lambda: client.post("/api/inspect", json=position).status_code, lambda status: status == 200)
