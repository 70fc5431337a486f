"""What is new, told to the open pages: server-sent events, one stream for all tabs of a browser.

A stream keeps only the latest of what it has not sent yet about each thing, so a slow page skips what is out of date
and never makes anybody wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

from pydantic import BaseModel

from boardlab.web.server.errors import Problem

__all__ = ["EventStreams"]

HEARTBEAT_SECONDS = 15.0

Payload = BaseModel | dict[str, object]


class _Stream:
    """One browser, or one tab: what it still has to be told, by kind and id."""

    def __init__(self, live_games: frozenset[str]) -> None:
        self.live_games = live_games
        self.pending: dict[tuple[str, str], Payload | None] = {}
        self.news = asyncio.Event()

    def put(self, kind: str, name: str, payload: Payload | None) -> None:
        self.pending.pop((kind, name), None)  # the newest goes to the end
        self.pending[kind, name] = payload
        self.news.set()


class EventStreams:
    """All open streams. `publish` may be called from any thread."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.open: set[_Stream] = set()
        self.loop: asyncio.AbstractEventLoop | None = None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """`loop` is the event loop that the streams run in."""
        self.loop = loop

    def close(self) -> None:
        """End all streams."""
        for stream in self.open:
            stream.put("end", "", None)
        self.loop = None

    def is_watched(self, live_game: str) -> bool:
        """Whether any page looks at the live game of this id."""
        return any(live_game in stream.live_games for stream in self.open)

    def publish(self, kind: str, payload: Payload) -> None:
        """Tell all pages; of a live game only those that look at it."""
        if self.loop is None or not self.open:
            return
        name = str(payload.get("id", "") if isinstance(payload, dict) else getattr(payload, "id", ""))
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            running = None
        if running is self.loop:
            self._put(kind, name, payload)
        else:
            self.loop.call_soon_threadsafe(self._put, kind, name, payload)

    def _put(self, kind: str, name: str, payload: Payload) -> None:
        for stream in self.open:
            if kind != "table" or name in stream.live_games:
                stream.put(kind, name, payload)

    def enter(self, live_games: Iterable[str]) -> AsyncIterator[str]:
        """A new stream as text in the format of server-sent events, with what happens in these live games."""
        if len(self.open) >= self.most:
            raise Problem(429, f"{self.most} pages are open already, more the arena does not allow")
        stream = _Stream(frozenset(live_games))
        self.open.add(stream)
        return self._lines(stream)

    async def _lines(self, stream: _Stream) -> AsyncIterator[str]:
        try:
            yield "retry: 1000\n\n"
            while True:
                try:
                    await asyncio.wait_for(stream.news.wait(), HEARTBEAT_SECONDS)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                stream.news.clear()
                pending, stream.pending = stream.pending, {}
                for (kind, _), payload in pending.items():
                    if payload is None:
                        return
                    yield f"event: {kind}\ndata: {_json(payload)}\n\n"
        finally:
            self.open.discard(stream)


def _json(payload: Payload) -> str:
    import json

    return payload.model_dump_json() if isinstance(payload, BaseModel) else json.dumps(payload)
