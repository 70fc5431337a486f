"""The journal of a tournament: one line of JSON for each finished game, which is never changed afterwards.

A line is written in one step when its game is over, so that a process that is killed loses no finished game. What a
killed machine leaves of a last line is cut off. A line is also a recorded game (`boardlab.store.game_files`): it has
the events from the start of the game on, and can be learned from. One process at a time may write.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import IO, Annotated, Any, Self

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from boardlab.errors import BoardlabError, printable
from boardlab.store.files import open_locked
from boardlab.store.game_files import RecordedGame

__all__ = ["Forfeit", "Journal", "PlayedGame", "read_journal"]

SYNC_SECONDS = 0.5
"""The disk is told to keep what was written so often; only a machine that loses its power can lose that much."""

Name = Annotated[str, Field(min_length=1, max_length=10_000)]
Identity = Annotated[str, Field(pattern=r"^[0-9a-f]{24}$")]


class Forfeit(BaseModel):
    """Why somebody lost a game before its rules ended it: he did what nobody may."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    seat: Annotated[int, Field(ge=0, le=100)]
    reason: str


def _several(found: Any) -> Any:
    """Old journals have one forfeit, not a list."""
    return [found] if isinstance(found, dict) else found


class PlayedGame(RecordedGame):
    """A line of the journal; lists are in the order of the seats."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    id: Identity
    set: Identity
    seats: list[Name]
    """The names of the players."""
    agents: list[Name]
    """Their keys."""
    number: Annotated[int, Field(ge=0)]
    seed: Annotated[int, Field(ge=0)]
    start: Annotated[int, Field(ge=0)]
    """How many of the events belong to the start."""
    state: str = ""
    """The state record in hexadecimal where the start has no events."""
    scores: list[float]
    moves: list[int]
    timed: list[int]
    """Moves whose time was taken: all but the first one of an agent in its process, when code is loaded or compiled."""
    seconds: list[float]
    cpu: list[float]
    """Seconds of CPU time; those of other programs are not in it."""
    episodes: tuple[int | None, ...] = ()
    """From how many episodes each player has learned, where anybody has."""
    forfeits: Annotated[tuple[Forfeit, ...], BeforeValidator(_several)] = Field(
        (), validation_alias=AliasChoices("forfeits", "forfeit")
    )
    """Those who lost by default: one, or all who could not even begin."""
    adjudicate: Annotated[int | None, Field(ge=0)] = None
    """From so many actions after the start on the solver might end it; None: it was to be played out."""
    adjudicated: bool = False
    """Whether the scores are the word of the solver."""
    playing: Annotated[float, Field(ge=0.0)] = 0.0
    """Seconds by the clock that the timed moves took, with what the rules took besides."""


_LINE = TypeAdapter(PlayedGame)
_ENCODER = json.JSONEncoder(separators=(",", ":"))


def read_journal(path: Path) -> list[PlayedGame]:
    """All games of a journal, each once; an unfinished last line is left out."""
    return _read(path)[0]


class Journal:
    """A journal that is open for more games."""

    def __init__(self, path: Path) -> None:
        """Open the journal, or begin one. Nobody else can write to it until it is closed."""
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            stream = open_locked(path)
        except OSError as error:
            raise BoardlabError(f"the journal {path} cannot be written: {error.strerror or error}") from error
        if stream is None:
            raise BoardlabError(f"another tournament is writing to {path} just now; wait for its end, or take another")
        self._stream: IO[bytes] = stream
        try:
            games, whole = _read(path)
            self._begin(whole)
        except BaseException:
            stream.close()
            raise
        self.games: dict[str, PlayedGame] = {game.id: game for game in games}
        """All games so far, by their identity."""
        self.spool = path.with_name(f".{path.name}.spool")
        """A folder in which worker processes keep games until these are here."""
        self._synced = monotonic()
        self._empty_spool()

    def _begin(self, whole: int) -> None:
        """Cut off what is no whole line, and go to the end."""
        stream = self._stream
        stream.truncate(whole)
        stream.seek(0, os.SEEK_END)
        if whole > 0:
            stream.seek(-1, os.SEEK_END)
            if stream.read(1) != b"\n":  # only the end of the line was missing
                stream.write(b"\n")
                stream.flush()

    def add(self, line: dict[str, Any], *, own: bool = False) -> PlayedGame | None:
        """Keep a finished game; None where it is known already. One that is our `own`, of this process, need not be
        checked, which would take half of the time."""
        text = _ENCODER.encode(line)
        game = PlayedGame.model_construct(**line) if own and "forfeits" not in line else _LINE.validate_json(text)
        if game.id in self.games:
            return None
        try:
            self._stream.write(text.encode() + b"\n")
            self._stream.flush()
            if monotonic() - self._synced > SYNC_SECONDS:
                self.sync()
        except OSError as error:
            raise BoardlabError(f"the journal {self.path} cannot be written: {error.strerror or error}") from error
        self.games[game.id] = game
        return game

    def merge(self, paths: Iterable[Path]) -> int:
        """Add the games of other journals; returns how many were new."""
        new = 0
        for path in paths:
            for game in read_journal(path):
                new += self.add(game.model_dump(exclude_none=True)) is not None
        self.sync()
        return new

    def _empty_spool(self) -> None:
        """Take over what worker processes of before could not tell any more."""
        self.merge(sorted(self.spool.glob("*.jsonl")))
        self.remove_spool()

    def remove_spool(self) -> None:
        """All games of the worker processes are here."""
        self.sync()
        for file in self.spool.glob("*.jsonl"):
            file.unlink(missing_ok=True)
        with suppress(OSError):  # there is none, or somebody still writes
            self.spool.rmdir()

    def sync(self) -> None:
        """Let the disk keep everything now."""
        os.fsync(self._stream.fileno())
        self._synced = monotonic()

    def close(self) -> None:
        """Close the journal."""
        self.sync()
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _read(path: Path) -> tuple[list[PlayedGame], int]:
    """The games, and how many bytes of the file are whole lines."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BoardlabError(f"the journal {path} cannot be read: {error.strerror or error}") from error
    games: dict[str, PlayedGame] = {}
    whole = 0
    lines = content.splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                game = _LINE.validate_json(line)
            except ValidationError as error:
                if number == len(lines) and not line.endswith(b"\n"):
                    break
                reason = error.errors(include_url=False)[0]["msg"]
                raise BoardlabError(
                    f"line {number} of {path} is no game of a tournament: {printable(reason)}"
                ) from error
            games.setdefault(game.id, game)
        whole += len(line)
    return [*games.values()], whole
