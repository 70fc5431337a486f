"""How quick the arena in the browser is: a server of its own, and clients that play.

Measured from outside, over HTTP, in wall-clock time, since that is what a person waits for: whatever else the machine
does at the time is in the figures. The page itself is measured in a headless Chromium where Playwright finds one.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection
from statistics import median, quantiles
from typing import Any

from boardlab.errors import BoardlabError

__all__ = ["ArenaSpeed", "measure_arena"]

CLICKED = {"tictactoe": 40, "connect4": 40, "othello": 40, "hex:size=11": 40, "2048": 40}
"""Games in which single clicks are timed, and how many."""
_CLIENTS = 20
_PAGE_LOADS = 5


@dataclass(frozen=True)
class ArenaSpeed:
    """All times in seconds but where the name says milliseconds."""

    start_seconds: float
    """From the command to the first answer."""
    games: int
    answered_seconds: float
    """From the first click to the last answer, where so many games get a move each and the random agent replies."""
    click_milliseconds: dict[str, tuple[float, float]]
    """For each game, how long the answer to a click takes when nobody has to think: median, and 95 % are quicker."""
    page_seconds: float | None
    """From the address to the list of games, with a warm cache (median); None without a browser."""


def measure_arena(games: int = 100) -> ArenaSpeed:
    """Open an arena and measure it."""
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as data, _arena(data) as port:
        Client(port).get("/api/about")
        started = time.perf_counter() - begin
        return ArenaSpeed(
            started,
            games,
            _answers(port, games),
            {game: _clicks(port, game, n) for game, n in CLICKED.items()},
            _page(port),
        )


@contextlib.contextmanager
def _arena(data: str) -> Iterator[int]:
    """The port of an arena that lasts as long as the context."""
    command = [sys.executable, "-u", "-c", "from boardlab.cli.main import main; main()", "arena", "--no-browser"]
    process = subprocess.Popen([*command, "--data", data, "--port", "0"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if found := re.search(r"http://[^/]*:(\d+)/", line):
                break
        else:
            raise BoardlabError("the arena could not be opened")
        yield int(found.group(1))
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


class Client:
    """One connection that stays open, as a browser's does."""

    def __init__(self, port: int) -> None:
        self.connection = HTTPConnection("127.0.0.1", port, timeout=600)

    def get(self, path: str) -> Any:
        """The answer to a question."""
        return self._ask("GET", path, None)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The answer to a request that changes something."""
        return self._ask("POST", path, json.dumps(body))

    def _ask(self, method: str, path: str, body: str | None) -> Any:
        self.connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
        response = self.connection.getresponse()
        content = json.loads(response.read())
        if response.status != 200:
            raise BoardlabError(f"{method} {path} was answered with {response.status}: {content}")
        return content

    def open(self, game: str, *seats: dict[str, str]) -> Any:
        """A new live game."""
        return self.post("/api/tables", {"game": game, "seats": list(seats)})

    def click(self, view: Any) -> Any:
        """Play the middle one of the legal actions."""
        legal = view["legal"]
        move = {"action": legal[len(legal) // 2]["action"], "ply": view["ply"]}
        return self.post(f"/api/tables/{view['id']}/move", move)


def _answers(port: int, games: int) -> float:
    """How long it takes until all games have got a move and its answer."""
    clients = [Client(port) for _ in range(min(_CLIENTS, games))]
    person, agent = {"person": "Ann"}, {"agent": "random"}
    _wait_for_answer(clients[0], clients[0].click(clients[0].open("tictactoe", person, agent)))  # compiled by now
    views = [clients[0].open("tictactoe", person, agent) for _ in range(games)]

    def click(number: int) -> None:
        for view in views[number :: len(clients)]:
            clients[number].click(view)

    begin = time.perf_counter()
    with ThreadPoolExecutor(len(clients)) as pool:
        list(pool.map(click, range(len(clients))))
    for view in views:
        _wait_for_answer(clients[0], view)
    return time.perf_counter() - begin


def _wait_for_answer(client: Client, view: Any) -> None:
    while client.get(f"/api/tables/{view['id']}")["ply"] < 2:
        time.sleep(0.02)


def _clicks(port: int, game: str, count: int) -> tuple[float, float]:
    """Milliseconds for the answer to a click: median and 95th percentile."""
    client = Client(port)
    seats = [{"person": "Ann"}] * len(client.post("/api/games/open", {"game": game})["players"])
    _wait_until_ready(client, game)
    view = client.open(game, *seats)
    times: list[float] = []
    while len(times) < count:
        if not view["legal"]:
            view = client.open(game, *seats)
        begin = time.perf_counter()
        view = client.click(view)
        times.append(1000 * (time.perf_counter() - begin))
    return median(times), quantiles(times, n=20)[-1]


def _wait_until_ready(client: Client, game: str) -> None:
    """A person waits for it, too, and is told so."""
    while client.get(f"/api/games/open?game={game}")["state"] == "compiling":
        time.sleep(0.2)


def _page(port: int) -> float | None:
    """Seconds until the page shows the games, with everything in the browser's cache."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if browser is None:
        return None
    times = []
    with sync_playwright() as driver, driver.chromium.launch(executable_path=browser, args=["--no-sandbox"]) as opened:
        page = opened.new_page()
        for _ in range(1 + _PAGE_LOADS):
            page.goto("about:blank")
            begin = time.perf_counter()
            page.goto(f"http://127.0.0.1:{port}/")
            page.wait_for_selector("#main svg")
            times.append(time.perf_counter() - begin)
    return median(times[1:])
