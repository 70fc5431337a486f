"""`boardlab arena`: the server of the arena in the browser, from its first word to Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from boardlab.agents.registry import offer_agent
from boardlab.cli.output import console, read_options
from boardlab.components.models import read_model
from boardlab.errors import BoardlabError
from boardlab.learn.rules import offer_rule

try:
    import uvicorn

    from boardlab.web.app import create_app
    from boardlab.web.server.settings import ArenaSettings
except ImportError as error:
    if (error.name or "").partition(".")[0] not in ("fastapi", "starlette", "uvicorn"):
        raise
    raise BoardlabError(
        f"the arena needs {error.name}: pip install 'boardlab[web]', or make arena in a checkout"
    ) from error

__all__ = ["run"]

_PORTS_TRIED = 50


def run(
    *,
    data: Path | None,
    host: str | None,
    port: int | None,
    games: list[str],
    agents: list[str],
    rules: list[str],
    sweeps: list[Path],
    options: list[str],
    browser: bool,
) -> None:
    """Serve until Ctrl-C. Games, agents and rules of one's own are offered beside those that are there anyway."""
    for origin in agents:
        offer_agent(origin)
    for origin in rules:
        offer_rule(origin)
    settings = _settings(data, host, port, games, sweeps, options)
    with _listening(settings.host, settings.port, fixed=port is not None or "port" in _given(options)) as sockets:
        server = _Server(settings, sockets[0], browser=browser)
        with contextlib.suppress(KeyboardInterrupt):  # the way to close it
            server.run(sockets=sockets)
    console().print("The arena is closed.")


def _settings(
    data: Path | None, host: str | None, port: int | None, games: list[str], sweeps: list[Path], options: list[str]
) -> ArenaSettings:
    given: dict[str, object] = {**_given(options), "games": tuple(games), "sweeps": _sweep_folders(sweeps)}
    given.update({"data": data.expanduser().absolute()} if data else {})
    given.update({"host": host} if host else {})
    given.update({"port": port} if port is not None else {})
    if isinstance(given.get("names"), str):
        given["names"] = tuple(str(given["names"]).split(","))
    return read_model(ArenaSettings, given, "the arena")


def _sweep_folders(named: list[Path]) -> tuple[Path, ...]:
    """Those that are named, or else where `boardlab sweep` and `boardlab reproduce` put them here."""
    folders = [folder.expanduser().absolute() for folder in named]
    for folder in folders:
        if not folder.is_dir():
            raise BoardlabError(f"there is no folder {folder} for --sweeps")
    return tuple(folders or (Path(name).absolute() for name in ("sweeps", "reproductions")))


def _given(options: list[str]) -> dict[str, str]:
    return read_options(options, "seconds_per_move=20")


# ---------------------------------------------------------------- where it listens


@contextlib.contextmanager
def _listening(host: str, port: int, *, fixed: bool) -> Iterator[list[socket.socket]]:
    """A socket at the port, or, unless it has to be this one, at the next that is free."""
    for number in range(port, port + 1 if fixed or port == 0 else min(port + _PORTS_TRIED, 65_536)):
        try:
            listener = _bound(host, number)
        except OSError as error:
            occupied = error
            continue
        if number != port and port != 0:
            console().print(f"Port {port} is in use, so the arena uses {number}.")
        with listener:
            yield [listener]
        return
    raise BoardlabError(
        f"the arena cannot listen on {host}, port {port}: {occupied.strerror or occupied}; choose another with --port"
    )


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio answers without delay (TCP_NODELAY) only on sockets that say their protocol; others wait 40 ms
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name != "nt":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(256)
    except BaseException:
        made.close()
        raise
    return made


# ---------------------------------------------------------------- the server


class _Server(uvicorn.Server):
    """uvicorn's server, which tells where it is when it is ready, and ends its event streams when it shall end."""

    def __init__(self, settings: ArenaSettings, listener: socket.socket, *, browser: bool) -> None:
        self.app = create_app(settings)
        self.app.state.arena.claim()
        config = uvicorn.Config(
            self.app,
            log_level="warning",
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=3,
            ws="none",
            server_header=False,
            proxy_headers=False,
        )
        super().__init__(config)
        self.settings, self.browser = settings, browser
        address = settings.host if settings.host not in ("0.0.0.0", "::") else "127.0.0.1"
        name = f"[{address}]" if ":" in address else address
        self.address = f"http://{name}:{listener.getsockname()[1]}/"

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        out = console()
        out.print(f"The arena is open at {self.address}", soft_wrap=True)
        out.print(f"Agents, runs and games are kept in {self.settings.data}", soft_wrap=True)
        if self.settings.host not in ("127.0.0.1", "::1", "localhost"):
            out.print("It listens beyond this machine: anyone who can reach it can use it.")
        out.print("Ctrl-C closes it.")
        sys.stdout.flush()
        if self.browser and _has_display():
            threading.Thread(target=webbrowser.open, args=(self.address,), daemon=True).start()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ctrl-C or SIGTERM: pages with an open event stream would never leave by themselves."""
        self.app.state.arena.expect_close()
        super().handle_exit(sig, frame)


def _has_display() -> bool:
    """Whether a browser can show itself; one in the terminal does not count."""
    if sys.platform.startswith(("win", "darwin")):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
