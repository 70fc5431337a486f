"""Agent files: one ZIP archive with `agent.json` and one NumPy array a member. No pickle, nothing in it is executed.

`agent.json` says what the file is, its format's version, the agent and its parameters, the game, what its training
did and the versions of the software that made it. A file is written beside the old one and put in its place when it is
complete, so that a killed process or a full disk leaves the old file or the new one, never a broken one. Only the
format lives here: to make an agent of a file, and a file of an agent, is the business of `boardlab.agents`.

Reading believes nothing (see `archive`): the description is checked against a schema, and an array is read only when
the agent that wants it has said how large it may be.
"""

from __future__ import annotations

import json
import platform
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO, Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, ConfigDict, JsonValue, ValidationError

from boardlab import __version__
from boardlab.errors import BoardlabError, printable
from boardlab.store.archive import array_shape, explained, open_archive, read_array, read_member
from boardlab.store.files import write_atomically

__all__ = ["About", "AgentFile", "Moment", "Part", "Text", "read_agent_file", "read_part", "write_agent_file"]

FORMAT = "boardlab agent"
VERSION = 1
_LARGEST_TEXT = 16 * 2**20

_UNWRITABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters would steer a terminal, halves of characters cannot be written at all."""


def _writable(text: str) -> str:
    if _UNWRITABLE.search(text):
        raise ValueError("it has characters that cannot be written")
    return text


def _moment(text: str) -> str:
    if text:
        moment = datetime.fromisoformat(text)
        if not 1970 <= moment.year <= 9000:
            raise ValueError("it is no date of our time")
    return text


Text = Annotated[str, AfterValidator(_writable)]
Moment = Annotated[str, AfterValidator(_writable), AfterValidator(_moment)]
"""Date and time in ISO 8601, or nothing."""


class Part(BaseModel):
    """Base of the parts of `agent.json`: every key has its place and its kind, and numbers are numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


SomePart = TypeVar("SomePart", bound=Part)


class About(Part):
    """The content of `agent.json` after format and version."""

    agent: Text
    parameters: dict[Text, Text | int | float | bool | None]
    game: Text
    facts: dict[str, JsonValue]
    """What the agent has become by training, besides its arrays. The agent knows what it says."""
    history: dict[str, JsonValue]
    """What the training did. Whoever trained knows what it says."""
    arrays: list[Text]
    saved: Moment
    software: dict[Text, Text]


@dataclass(frozen=True)
class AgentFile:
    """An open file whose description has been checked. It stays open with this object, so that a training that puts a
    newer file in its place meanwhile does no harm."""

    path: Path
    about: About
    archive: zipfile.ZipFile

    def array(self, name: str, dtype: type[np.generic], most: int) -> NDArray[Any]:
        """An array of the file, which has this dtype and at most so many numbers."""
        with explained(self.path):
            return read_array(self.archive, name, dtype, most)

    def shape(self, name: str, dtype: type[np.generic]) -> tuple[int, ...]:
        """The shape of an array of this dtype, without reading the array."""
        with explained(self.path):
            return array_shape(self.archive, name, dtype)


# ---------------------------------------------------------------- writing


def write_agent_file(
    path: Path,
    agent: str,
    parameters: Mapping[str, Any],
    game: str,
    facts: Mapping[str, Any],
    history: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Write a file, atomically."""
    try:
        about = About(
            agent=agent,
            parameters=dict(parameters),
            game=game,
            facts=dict(facts),
            history=dict(history),
            arrays=sorted(arrays),
            saved=datetime.now(UTC).isoformat(timespec="seconds"),
            software={
                "boardlab": __version__,
                "python": platform.python_version(),
                **{name: version(name) for name in ("numpy", "numba")},
            },
        )
    except ValidationError as error:  # as a game in a folder whose name has a line break
        raise BoardlabError(f"{path} cannot be written: {first_mistake(error)}") from error
    text = json.dumps({"format": FORMAT, "version": VERSION, **about.model_dump()}, indent=1)
    write_atomically(path, lambda stream: _write_archive(stream, text, arrays))


def _write_archive(stream: IO[bytes], text: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("agent.json", text)
        for name, array in sorted(arrays.items()):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


# ---------------------------------------------------------------- reading


def read_agent_file(path: Path) -> AgentFile:
    """Open and check a file. Whatever is wrong with it is said in a sentence."""
    with explained(path):
        archive = open_archive(path)
        try:
            return AgentFile(path, _read_about(path, archive), archive)
        except BaseException:
            archive.close()
            raise


def _read_about(path: Path, archive: zipfile.ZipFile) -> About:
    names = archive.namelist()
    if "agent.json" not in names:
        raise BoardlabError(f"{path} is not an agent file of boardlab: it has no agent.json")
    if archive.getinfo("agent.json").file_size > _LARGEST_TEXT:
        raise BoardlabError(f"{path} is not an agent file of boardlab: its agent.json is far too large")
    content = json.loads(read_member(archive, "agent.json", _LARGEST_TEXT).tobytes())
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        raise BoardlabError(f"{path} is not an agent file of boardlab: its agent.json is something else")
    _check_version(path, content.pop("version", None))
    try:
        about = About.model_validate(content)
    except ValidationError as error:
        raise BoardlabError(f"{path} is a damaged agent file: {first_mistake(error)}") from error
    if sorted(names) != sorted(["agent.json", *(f"{name}.npy" for name in about.arrays)]):
        raise BoardlabError(f"{path} is a damaged agent file: it has not the parts that its agent.json names")
    return about


def read_part(model: type[SomePart], content: object, place: str, complaint: str) -> SomePart:
    """A part of `agent.json` that the store does not look into, checked by the model of whoever knows what it says.
    `place` is where it stands there, and `complaint` begins the sentence about a mistake."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise BoardlabError(f"{complaint}: {first_mistake(error, place)}") from error


def first_mistake(error: ValidationError, *place: str) -> str:
    """What is wrong in a description, and where: `place` is the part of it that was checked."""
    first = error.errors(include_url=False)[0]
    where = ".".join(map(str, (*place, *first["loc"])))
    return f"{printable(where)} in agent.json: {printable(first['msg'])}"


def _check_version(path: Path, number: object) -> None:
    if type(number) is int and number > VERSION:
        raise BoardlabError(
            f"{path} was written by a newer boardlab: its format has version {printable(number)},"
            f" this one reads {VERSION}"
        )
    if type(number) is not int or number != VERSION:
        raise BoardlabError(f"{path} is a damaged agent file: its format has no version {printable(number)}")
