"""The queue that runs and matches share, with pretended processes: order, room, refusals, closing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from boardlab.web.long_work import queue
from boardlab.web.long_work.queue import Entry, WorkCard, WorkQueue
from boardlab.web.server.errors import Problem
from boardlab.web.server.event_streams import EventStreams


class Process:
    """A process that does what the test says."""

    def __init__(self, module: str, argument: str, told: Callable[[Any], None], ended: Callable[[int], None]) -> None:
        if argument == "impossible":
            raise OSError(12, "Cannot allocate memory")
        self.told, self.ended = told, ended
        self.heard: list[Any] = []
        self.alive = True

    def start(self) -> None:
        self.heard.append("start")

    def send(self, message: Any) -> None:
        self.heard.append(message)

    def kill(self) -> None:
        self.heard.append("kill")
        self.alive = False

    def wait(self, seconds: float) -> bool:
        return not self.alive

    def end(self, code: int) -> None:
        self.alive = False
        self.ended(code)


class Work(WorkQueue[WorkCard, Entry[WorkCard]]):
    kind, names, process = "work", ("piece", "pieces"), "somewhere"

    def __init__(self, most: int, at_once: int) -> None:
        super().__init__(EventStreams(1), most, at_once)
        self.saved: list[tuple[str, str, str | None]] = []

    def start(self) -> None: ...

    def put(self, name: str) -> WorkCard:
        return self._add(Entry(WorkCard(id=name, game="nim", title="Nim", state="queued", created="today")))

    def at(self, name: str) -> Any:
        return self._entries[name].work

    def states(self) -> dict[str, str]:
        return {card.id: card.state for card in reversed(self.all())}

    def _order(self, entry: Entry[WorkCard]) -> tuple[str, Any]:
        return entry.card.id, {"do": entry.card.id}

    def _heard(self, entry: Entry[WorkCard], message: Any) -> None:
        self._set(entry, "running", message["say"])

    def _settle(self, entry: Entry[WorkCard], code: int) -> None:
        self._set(entry, "finished" if entry.end else "failed", str(code))

    def _let_go(self, work: Any) -> None:
        work.send("please end")

    def _save(self, entry: Entry[WorkCard]) -> None:
        self.saved.append((entry.card.id, entry.card.state, entry.card.message))

    def _forget(self, entry: Entry[WorkCard]) -> None:
        self.saved.append((entry.card.id, "forgotten", None))


@pytest.fixture(autouse=True)
def _pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "LongWork", Process)
    monkeypatch.setattr(queue, "_CLOSING_SECONDS", 0.0)


def test_work_begins_in_its_order_as_soon_as_there_is_room() -> None:
    work = Work(most=10, at_once=2)
    for name in "abcd":
        work.put(name)
    assert work.states() == {"a": "compiling", "b": "compiling", "c": "queued", "d": "queued"}
    assert work.at("a").heard == [{"do": "a"}, "start"] and work.at("c") is None
    work.at("b").told({"say": "hello"})
    work.at("b").told({"end": "done"})
    assert (work.get("b").state, work.get("b").message) == ("running", "hello"), "its last words are for later"
    work.at("b").end(0)
    work.at("a").end(9)
    assert work.states() == {"a": "failed", "b": "finished", "c": "compiling", "d": "compiling"}
    assert [(state, message) for name, state, message in work.saved if name == "b"] == [
        *[("queued", None), ("compiling", None), ("running", "hello"), ("finished", "0")]
    ]


def test_pages_first_hear_of_work_as_it_is_once_it_has_begun_or_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work(most=10, at_once=1)
    told: list[tuple[str, str]] = []
    monkeypatch.setattr(work._streams, "publish", lambda kind, card: told.append((card.id, card.state)))
    work.put("a")
    work.put("b")
    assert told == [("a", "compiling"), ("b", "queued")]


def test_what_cannot_begin_fails_and_makes_room() -> None:
    work = Work(most=10, at_once=1)
    assert work.put("impossible").message == "its process cannot be started: Cannot allocate memory"
    assert work.put("next").state == "compiling"


def test_there_is_a_limit_to_open_work_and_only_what_is_over_is_forgotten() -> None:
    work = Work(most=2, at_once=1)
    work.put("a")
    work.put("b")
    with pytest.raises(Problem, match="there are 2 pieces already that are not over") as refusal:
        work.put("c")
    assert refusal.value.status == 429 and list(work.states()) == ["a", "b"]
    with pytest.raises(Problem, match="the piece is compiling, so it cannot be deleted"):
        work.delete("a")
    work.at("a").end(1)
    work.delete("a")
    assert work.saved[-1] == ("a", "forgotten", None)
    with pytest.raises(Problem, match="there is no piece a"):
        work.get("a")
    assert work.put("c").state == "queued"


def test_to_close_asks_first_and_kills_then_and_nothing_more_begins() -> None:
    work = Work(most=10, at_once=1)
    work.put("a")
    work.put("b")
    process = work.at("a")
    work.close()
    assert process.heard[-2:] == ["please end", "kill"]
    process.end(-9)
    assert work.states() == {"a": "failed", "b": "queued"}
