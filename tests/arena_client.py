"""Shared by the tests of the arena's library: a client of an arena of its own, and waiting for what takes a while."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from boardlab.web.app import create_app
from boardlab.web.arena import Arena
from boardlab.web.server.settings import ArenaSettings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

__all__ = ["Client", "arena_of", "eventually", "open_client", "said"]

Client = TestClient


@contextmanager
def open_client(data: Path, **settings: Any) -> Iterator[Client]:
    """A client of an arena that is open for as long as the context is."""
    app = create_app(ArenaSettings(data=data, **{"workers": 1, **settings}))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield client


def arena_of(client: Client) -> Arena:
    arena: Arena = client.app.state.arena  # type: ignore[attr-defined]
    return arena


def said(response: httpx.Response, status: int) -> str:
    """The sentence of a refused request, which has this status and nothing but a sentence."""
    assert response.status_code == status, response.text
    content = response.json()
    assert set(content) == {"error"}
    assert content["error"]
    assert "Traceback" not in content["error"]
    return str(content["error"])


def eventually(look: Callable[[], Any], wanted: Callable[[Any], bool], seconds: float = 300.0) -> Any:
    """What `look` gives, once it is as wanted. The time is only there to end a test that hangs: a machine with much
    else to do may need long to compile."""
    until = time.monotonic() + seconds
    while not wanted(found := look()):
        assert time.monotonic() < until, f"still {found}"
        time.sleep(0.02)
    return found
