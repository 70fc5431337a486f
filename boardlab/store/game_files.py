"""Files of recorded games: one JSON object a game, one after the other (JSON Lines; line breaks inside do no harm).

An object has `game`, its specification, and `events`, a list of `{"action": 3}` and, for chance events,
`{"chance": 0}`, from the start of the game on. What else it tells (seats, scores) is for people and other programs. The
arena's export of a game is such an object, and `boardlab match --record` writes a file of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from boardlab.errors import BoardlabError, printable

__all__ = ["RecordedGame", "read_games", "write_games"]

_LARGEST_FILE = 2**31

Number = Annotated[int, Field(ge=0, le=2**31, strict=True)]


class _Action(TypedDict):
    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]
    action: Number


class _Chance(TypedDict):
    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]
    chance: Number


class RecordedGame(BaseModel):
    """A game of a file, as far as others need it."""

    game: str
    events: list[Annotated[_Action | _Chance, Field(union_mode="left_to_right")]]
    setup: dict[str, Any] | None = None
    """The start, where it was set up by hand."""

    @property
    def codes(self) -> list[int]:
        """An action as its number, a chance outcome as -1 - outcome."""
        events = cast("list[dict[str, int]]", self.events)
        return [event["action"] if "action" in event else -1 - event["chance"] for event in events]


_GAME = TypeAdapter(RecordedGame)


def read_games(path: Path) -> list[RecordedGame]:
    """All games of a file. Whether its moves are legal is the business of whoever knows the game."""
    text = _text(path)
    decoder, found, at = json.JSONDecoder(), [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        try:
            content, at = decoder.raw_decode(text, at)
            found.append(_GAME.validate_python(content))
        except ValidationError as error:
            raise BoardlabError(f"game {len(found) + 1} of {path} is no recorded game: {_mistake(error)}") from error
        except (ValueError, RecursionError) as error:
            raise BoardlabError(f"{path} is no file of games: after {len(found)}, {printable(error)}") from error
    if not found:
        raise BoardlabError(f"{path} has no games")
    return found


def _mistake(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"] if not str(part).startswith("_"))
    return printable(f"{where}: {first['msg']}" if where else first["msg"])


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise BoardlabError(f"{path} is too large for a file of games")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise BoardlabError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise BoardlabError(f"{path} is no file of games: it is not text") from error


def write_games(path: Path, games: Iterable[Mapping[str, Any]]) -> None:
    """Write games to a file, one on each line."""
    try:
        with path.open("w", encoding="utf-8") as stream:
            for game in games:
                stream.write(json.dumps(game) + "\n")
    except OSError as error:
        raise BoardlabError(f"{path} cannot be written: {error.strerror or error}") from error
