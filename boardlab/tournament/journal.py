"""The journal of a tournament: one line of JSON for each finished game, which is never changed afterwards.

A line is written when its game is over (`boardlab.store.lines`), so that a process that is killed loses no finished
game. It is also a recorded game (`boardlab.store.game_files`): it has the events from the start of the game on, and can
be learned from.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Self

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from boardlab.errors import BoardlabError, printable
from boardlab.store.game_files import RecordedGame
from boardlab.store.lines import LineFile

__all__ = ["Forfeit", "Journal", "PlayedGame", "read_journal"]

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
        """Open the journal, or begin one."""
        in_use = f"another tournament is writing to {path} just now; wait for its end, or take another"
        self.path, self._file = path, LineFile(path, f"the journal {path}", in_use)
        try:
            games, whole = _read(path)
            self._file.cut_off(whole)
        except BaseException:
            self._file.close()
            raise
        self.games: dict[str, PlayedGame] = {game.id: game for game in games}
        """All games so far, by their identity."""
        self.spool = path.with_name(f".{path.name}.spool")
        """A folder in which worker processes keep games until these are here."""
        self._empty_spool()

    def add(self, line: dict[str, Any], *, own: bool = False) -> PlayedGame | None:
        """Keep a finished game; None where it is known already. One that is our `own`, of this process, need not be
        checked, which would take half of the time."""
        text = _ENCODER.encode(line)
        game = PlayedGame.model_construct(**line) if own and "forfeits" not in line else _LINE.validate_json(text)
        if game.id in self.games:
            return None
        self._file.add(text.encode())
        self.games[game.id] = game
        return game

    def merge(self, paths: Iterable[Path]) -> int:
        """Add the games of other journals; returns how many were new."""
        new = 0
        for path in paths:
            for game in read_journal(path):
                new += self.add(game.model_dump(exclude_none=True)) is not None
        self._file.sync()
        return new

    def _empty_spool(self) -> None:
        """Take over what worker processes of before could not tell any more."""
        self.merge(sorted(self.spool.glob("*.jsonl")))
        self.remove_spool()

    def remove_spool(self) -> None:
        """All games of the worker processes are here."""
        self._file.sync()
        for file in self.spool.glob("*.jsonl"):
            file.unlink(missing_ok=True)
        with suppress(OSError):  # there is none, or somebody still writes
            self.spool.rmdir()

    def close(self) -> None:
        """Close the journal."""
        self._file.close()

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
