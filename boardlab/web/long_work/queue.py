"""`WorkQueue`: what training runs and matches have in common. They wait in a queue, so many of them at once have a
process of their own, and how each of them stands is kept, and told to all pages.

    queued -> compiling -> running -> finished | stopped | failed

Runs can also be paused, which makes room for others, and take a moment to stop. A kind of work says which process does
it, what it makes of the process's words and of its end, and where it is kept.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
from typing import ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel

from boardlab.system.child import LongWork, Message
from boardlab.web.server.errors import Problem
from boardlab.web.server.event_streams import EventStreams
from boardlab.web.workers.memory import Consumer

__all__ = ["OPEN", "Entry", "WorkCard", "WorkQueue", "WorkState"]

WorkState = Literal["queued", "compiling", "running", "paused", "stopping", "finished", "stopped", "failed"]

OPEN: tuple[WorkState, ...] = ("queued", "compiling", "running", "paused", "stopping")
"""The states of what is not over."""

_CLOSING_SECONDS = 30.0
"""So long a closing server waits for what its processes have to save; after that they are killed."""


class WorkCard(BaseModel):
    """How a piece of work stands, as pages see it."""

    id: str
    game: str
    title: str
    state: WorkState
    message: str | None = None
    created: str


CardType = TypeVar("CardType", bound=WorkCard)


class Entry(Generic[CardType]):
    """A piece of work with what belongs to it in this process."""

    def __init__(self, card: CardType) -> None:
        self.card = card
        self.work: LongWork | None = None
        self.end: Message = {}
        """The last words of its process."""


EntryType = TypeVar("EntryType", bound=Entry)  # type: ignore[type-arg]


class WorkQueue(ABC, Generic[CardType, EntryType]):
    """All work of one kind. Safe for several threads."""

    kind: ClassVar[str]
    """What the events are called that pages get."""
    names: ClassVar[tuple[str, str]]
    """What people call one of it, and several."""
    process: ClassVar[str]
    """The module whose main function does the work."""

    def __init__(self, streams: EventStreams, most: int, at_once: int) -> None:
        """So many are open at most, and so many have a process at the same time."""
        self._streams, self._most, self._at_once = streams, most, at_once
        self._lock = threading.RLock()
        self._entries: dict[str, EntryType] = {}
        """In the order of the queue."""
        self._closing = False
        self.begins: Callable[[], None] = lambda: None
        """Is called when a process is about to begin, so that what is less urgent makes way."""

    # ------------------------------------------------------------ what a kind of work says

    @abstractmethod
    def start(self) -> None:
        """Find what the last server has left."""

    @abstractmethod
    def _order(self, entry: EntryType) -> tuple[str, Message | None]:
        """The argument of the process, and what it is told first."""

    @abstractmethod
    def _heard(self, entry: EntryType, message: Message) -> None:
        """The process has told how it stands."""

    @abstractmethod
    def _settle(self, entry: EntryType, code: int) -> None:
        """The process is gone: what that means for the work."""

    @abstractmethod
    def _let_go(self, work: LongWork) -> None:
        """Make a process end, as the server closes."""

    @abstractmethod
    def _save(self, entry: EntryType) -> None:
        """Keep how the work stands."""

    @abstractmethod
    def _forget(self, entry: EntryType) -> None:
        """Remove what was kept."""

    # ------------------------------------------------------------ looking

    def all(self) -> list[CardType]:
        """All of it, the newest first."""
        with self._lock:
            cards: list[CardType] = [entry.card.model_copy() for entry in reversed(self._entries.values())]
        return sorted(cards, key=lambda card: card.created, reverse=True)

    def get(self, name: str) -> CardType:
        """One piece of work."""
        with self._lock:
            card: CardType = self._entry(name).card.model_copy()
        return card

    def _entry(self, name: str) -> EntryType:
        if name not in self._entries:
            raise Problem(404, f"there is no {self.names[0]} {name}; it may have been deleted")
        return self._entries[name]

    def refuse_more(self) -> None:
        """Raise where as much is open as the settings allow."""
        with self._lock:
            if sum(entry.card.state in OPEN for entry in self._entries.values()) >= self._most:
                raise Problem(429, f"there are {self._most} {self.names[1]} already that are not over; stop some first")

    def _refuse_unless(self, entry: EntryType, states: Sequence[WorkState], what: str) -> None:
        state = entry.card.state
        if state not in states:
            why = f"{state} already" if state == what else f"{state}, so it cannot be {what}"
            raise Problem(409, f"the {self.names[0]} is {why}")

    # ------------------------------------------------------------ changing

    def _add(self, entry: EntryType) -> CardType:
        """Queue new work."""
        with self._lock:
            self.refuse_more()
            self._entries[entry.card.id] = entry
            self._save(entry)
            self._dispatch()
            if entry.card.state == "queued":  # a page opens what it first sees at work, and leaves closed what waits
                self._publish(entry)
            return self.get(entry.card.id)

    def delete(self, name: str) -> None:
        """Forget work that is over."""
        with self._lock:
            entry = self._entry(name)
            self._refuse_unless(entry, ("finished", "stopped", "failed"), "deleted")
            self._forget(entry)
            del self._entries[name]
        self._streams.publish(self.kind, {"id": name, "deleted": True})

    def _set(self, entry: EntryType, state: WorkState, message: str | None = None) -> None:
        """A new state, kept and on all pages."""
        entry.card.state, entry.card.message = state, message
        self._save(entry)
        self._publish(entry)

    def _publish(self, entry: EntryType) -> None:
        self._streams.publish(self.kind, entry.card.model_copy())

    # ------------------------------------------------------------ processes

    def _dispatch(self) -> None:
        """Start what is queued while there is room."""
        working = sum(entry.work is not None for entry in self._entries.values())
        for entry in list(self._entries.values()):
            if working >= self._at_once or self._closing:
                return
            if entry.card.state == "queued" and entry.work is None:
                working += self._begin(entry)

    def _begin(self, entry: EntryType) -> bool:
        """Start the process of a piece of work; False when there can be none."""
        self.begins()
        argument, first_words = self._order(entry)
        entry.end = {}
        try:
            entry.work = LongWork(
                self.process,
                argument,
                lambda message: self._told(entry, message),
                lambda code: self._ended(entry, code),
            )
        except OSError as error:
            self._set(entry, "failed", f"its process cannot be started: {error.strerror or error}")
            return False
        if first_words is not None:
            entry.work.send(first_words)
        self._set(entry, "compiling")
        entry.work.start()
        return True

    def _told(self, entry: EntryType, message: Message) -> None:
        with self._lock:
            if "end" in message:
                entry.end = message
            else:
                self._heard(entry, message)

    def _ended(self, entry: EntryType, code: int) -> None:
        with self._lock:
            entry.work = None
            self._settle(entry, code)
            self._dispatch()

    def consumers(self) -> list[Consumer]:
        """The processes, for the watch over the memory."""
        with self._lock:
            return [Consumer(e.work.pid, partial(self._end, e)) for e in self._entries.values() if e.work is not None]

    def _end(self, entry: EntryType, sentence: str) -> None:
        with self._lock:
            if entry.work is not None:
                entry.end = {"end": "failed", "message": sentence}
                entry.work.kill()

    @property
    def is_busy(self) -> bool:
        """Whether any of it has a process."""
        with self._lock:
            return any(entry.work is not None for entry in self._entries.values())

    # ------------------------------------------------------------ the end

    def expect_close(self) -> None:
        """The server has been told to end, and perhaps its processes, too: what they say now is not their own wish."""
        self._closing = True

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            self._closing = True
            working = [entry.work for entry in self._entries.values() if entry.work is not None]
            for work in working:
                self._let_go(work)
        until = monotonic() + _CLOSING_SECONDS
        for work in working:
            if not work.wait(max(0.1, until - monotonic())):
                work.kill()
                work.wait(5.0)
