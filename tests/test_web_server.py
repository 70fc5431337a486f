"""`boardlab arena` as a process: where it listens, what it tells open pages, how it ends; and it never compiles."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from arena_client import eventually

from boardlab import BoardlabError
from boardlab.cli.arena import _listening, run
from boardlab.web.server.errors import Problem
from boardlab.web.server.event_streams import EventStreams
from boardlab.web.server.settings import ArenaSettings

COMMAND = [sys.executable, "-c", "from boardlab.cli.main import main; main()", "arena", "--no-browser"]
SECONDS = 120.0
"""Ends a test that hangs; a busy machine may need long."""


class Arena:
    """The command, and what it has printed until it was open."""

    def __init__(self, *options: str) -> None:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1", "COLUMNS": "200"}
        self.process = subprocess.Popen(
            [*COMMAND, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        )
        assert self.process.stdout is not None
        self.said = ""
        while "Ctrl-C" not in self.said:
            line = self.process.stdout.readline()
            assert line, self.said
            self.said += line
        found = re.search(r"http://\S+", self.said)
        assert found is not None
        self.client = httpx.Client(base_url=found.group(), timeout=SECONDS)

    def ended(self, how: signal.Signals = signal.SIGINT) -> tuple[int, str]:
        """Its exit code and last words after a signal."""
        self.client.close()
        self.process.send_signal(how)
        words, _ = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, words

    def workers(self) -> list[int]:
        listed = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True).stdout
        rows = [line.split() for line in listed.splitlines()[1:]]
        return [int(pid) for pid, parent in rows if int(parent) == self.process.pid]


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    made = Arena("--data", str(tmp_path), "--port", "0", "-o", "workers=1")
    yield made
    if made.process.poll() is None:
        made.process.kill()
        made.process.communicate()


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_it_tells_where_it_is_and_ctrl_c_ends_all_of_it(arena: Arena, tmp_path: Path) -> None:
    assert str(tmp_path) in arena.said
    assert arena.client.get("/").text.startswith("<!doctype html>")
    thinker = {"agent": "mcts", "options": {"iterations": 1_000_000_000}}
    wish = {"game": "tictactoe", "seats": [thinker, {"person": "Ann"}]}
    arena.client.post("/api/tables", json=wish).raise_for_status()
    workers = eventually(arena.workers, lambda pids: len(pids) >= 1)
    code, words = arena.ended()
    assert code == 0 and "closed" in words and "Traceback" not in words, words
    assert not any(is_alive(pid) for pid in workers)


def test_workers_do_not_outlive_a_server_that_is_killed(arena: Arena) -> None:
    workers = eventually(arena.workers, lambda pids: len(pids) >= 1)
    arena.ended(signal.SIGKILL)
    eventually(lambda: [pid for pid in workers if is_alive(pid)], lambda alive: alive == [])


def test_a_stream_tells_what_happens_and_ends_with_the_server(arena: Arena) -> None:
    seats = [{"person": "Ann"}, {"agent": "random"}]
    view = arena.client.post("/api/tables", json={"game": "nim", "seats": seats}).json()
    with httpx.stream("GET", f"{arena.client.base_url}api/events?table={view['id']}", timeout=SECONDS) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = stream.iter_lines()
        assert next(lines).startswith("retry")
        arena.client.post(f"/api/tables/{view['id']}/move", json={"action": 0, "ply": 0}).raise_for_status()
        seen: list[dict[str, Any]] = []
        for line in lines:
            if line.startswith("data: "):
                seen.append(json.loads(line.removeprefix("data: ")))
                if seen[-1]["ply"] == 2:
                    break
        assert [v["id"] for v in seen] == [view["id"]] * len(seen)
        assert sorted(v["revision"] for v in seen) == [v["revision"] for v in seen]
        assert arena.ended()[0] == 0
        assert not any(line.startswith("data: ") for line in lines), "nothing more is told"
        assert stream.is_closed, "the stream ends, too"


def test_a_taken_port_is_refused_or_the_next_free_one_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(BoardlabError, match=f"port {port}.*--port"), _listening("127.0.0.1", port, fixed=True):
            pass
        with _listening("127.0.0.1", port, fixed=False) as sockets:
            assert sockets[0].getsockname()[1] > port
    assert f"Port {port} is in use" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wish", "complaint"),
    [
        ({"options": ["tables=0"]}, "tables of the arena is a whole number"),
        ({"options": ["chairs=3"]}, "no parameter"),
        ({"options": ["tables"]}, "name=value"),
        ({"games": ["nowhere.py:Game"]}, "no file"),
        ({"agents": ["nowhere.py:Agent"]}, "no file"),
        ({"rules": ["plian"]}, "there is no step-size rule 'plian'; did you mean 'plain'"),
        ({"data": Path("/dev/null/x")}, "/dev/null/x cannot be used"),
        ({"sweeps": [Path("nowhere")]}, "there is no folder .*nowhere for --sweeps"),
    ],
)
def test_mistakes_are_told_in_a_sentence(tmp_path: Path, wish: dict[str, Any], complaint: str) -> None:
    own: dict[str, Any] = {"games": [], "agents": [], "rules": [], "sweeps": []}
    usual = {**own, "data": tmp_path, "host": None, "port": 0, "options": [], "browser": False}
    with pytest.raises(BoardlabError, match=complaint):
        run(**{**usual, **wish})


NOTHING_COMPILED = """
import sys, tempfile
from pathlib import Path
from numba.core.dispatcher import Dispatcher

def refuse(self, signature):
    raise SystemExit(f"the server compiles {self.py_func}")

Dispatcher.compile = refuse
sys.path.insert(0, sys.argv[1])
from arena_client import open_client

with open_client(Path(tempfile.mkdtemp())) as client:
    for game in client.get("/api/games").json():
        players = game["players"]
        seats = [{"person": f"Ann {k}"} for k in range(players)]
        view = client.post("/api/tables", json={"game": game["name"], "seats": seats}).json()
        while view["legal"] and view["ply"] < 12:
            move = {"action": view["legal"][-1]["action"], "ply": view["ply"]}
            view = client.post(f"/api/tables/{view['id']}/move", json=move).json()
        client.get("/api/agents", params={"game": game["name"]}).raise_for_status()
        print(game["name"])
"""


def test_the_server_itself_never_compiles() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NOTHING_COMPILED, str(Path(__file__).parent)],
        capture_output=True,
        check=False,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert {"2048", "connect4", "othello", "hex"} <= set(done.stdout.split())


# ------------------------------------------------------------ streams by themselves


def test_a_slow_page_gets_the_newest_only_and_others_nothing() -> None:
    async def watch() -> list[str]:
        streams = EventStreams(2)
        streams.start(asyncio.get_running_loop())
        watching = streams.enter(["a"])
        assert "retry" in await anext(watching)
        with pytest.raises(Problem, match="2 pages"):
            streams.enter(["b"])
            streams.enter(["c"])
        for ply in range(3):
            streams.publish("table", {"id": "a", "ply": ply})
            streams.publish("table", {"id": "b", "ply": ply})
        streams.publish("run", {"id": "r"})
        await asyncio.to_thread(streams.publish, "file", {})
        found = [await anext(watching) for _ in range(3)]
        streams.close()
        assert [text async for text in watching] == []
        return found

    table, run_event, file = asyncio.run(watch())
    assert table == 'event: table\ndata: {"id": "a", "ply": 2}\n\n'
    assert run_event.startswith("event: run") and file == "event: file\ndata: {}\n\n"


def test_every_setting_is_documented() -> None:
    text = (Path(__file__).parent.parent / "docs" / "arena.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", text, re.MULTILINE))
    assert rows == {name: field.description for name, field in ArenaSettings.model_fields.items()}
