"""Agent files: one ZIP archive with `agent.json` and one NumPy array a member. No pickle, nothing is executed.

`agent.json` says what the file is, its format's version, the agent and its parameters, the game, the training history
and the versions of the software that made it. A file is written beside the old one and put in its place when it is
complete, so that a killed process or a full disk leaves the old file or the new one, never a broken one.
"""

from __future__ import annotations

import io
import json
import os
import platform
import tempfile
import zipfile
import zlib
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boardlab import __version__
from boardlab.errors import BoardlabError

if TYPE_CHECKING:
    from boardlab.agents.base import Agent
    from boardlab.game import Game

__all__ = ["AgentFile", "History", "load_agent", "read_agent_file", "save_agent"]

FORMAT = "boardlab agent"
VERSION = 1
_LARGEST_TEXT = 64 * 2**20


@dataclass
class History:
    """What training did, from its beginning over all resumptions."""

    seconds: float = 0.0
    moves: int = 0
    evaluator: str = ""
    evaluations: list[dict[str, float]] = field(default_factory=list)
    """One row for each evaluation: episodes, seconds, score, low, high (95 % interval), games, alpha, epsilon."""
    preset: str = ""
    finished: bool = False
    created: str = ""


@dataclass(frozen=True)
class AgentFile:
    """The content of a file, checked, but not yet turned into an agent."""

    path: Path
    about: dict[str, Any]
    arrays: dict[str, NDArray[Any]]

    @property
    def history(self) -> History:
        """The training history."""
        return History(**self.about["history"])

    def game(self) -> Game:
        """The game it was trained for."""
        from boardlab.registry import make

        return make(self.about["game"])

    def agent(self) -> Agent:
        """The agent itself, ready to play or to go on learning."""
        from boardlab.agents.registry import agent_classes

        name = self.about["agent"]
        if name not in agent_classes():
            raise BoardlabError(f"{self.path} holds an agent {name!r}, which this boardlab does not have")
        agent: Any = agent_classes()[name](self.game(), **self.about["parameters"])
        try:
            agent.restore(self.about["facts"], self.arrays)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            if isinstance(error, BoardlabError):
                raise
            raise BoardlabError(f"{self.path} is damaged: its parts do not fit together ({error})") from error
        agent.__dict__["_origin"] = str(self.path)
        return agent  # type: ignore[no-any-return]


def save_agent(agent: Agent, path: Path, history: History) -> None:
    """Write an agent that learns, with its history, to a file; atomically."""
    facts, arrays = agent.dump()  # type: ignore[attr-defined]
    history.created = history.created or datetime.now(UTC).isoformat(timespec="seconds")
    about = {
        "format": FORMAT,
        "version": VERSION,
        "agent": agent.name,
        "parameters": agent.parameters.model_dump(mode="json"),
        "game": agent.game.spec,
        "facts": facts,
        "history": asdict(history),
        "arrays": sorted(arrays),
        "saved": datetime.now(UTC).isoformat(timespec="seconds"),
        "software": {
            "boardlab": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "numba")},
        },
    }
    _write_atomically(path, lambda stream: _write_archive(stream, about, arrays))


def _write_archive(stream: Any, about: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("agent.json", json.dumps(about, indent=1))
        for name, array in sorted(arrays.items()):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


def _write_atomically(path: Path, write: Any) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                write(stream)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise BoardlabError(
            f"{path} cannot be written: {error.strerror or error}; what was there before is untouched"
        ) from error


def read_agent_file(path: Path) -> AgentFile:
    """Read and check a file. Whatever is wrong with it is said in a sentence."""
    try:
        with zipfile.ZipFile(path) as archive:
            about = _read_about(path, archive)
            arrays = {name: _read_array(archive, f"{name}.npy") for name in about["arrays"]}
    except OSError as error:
        raise BoardlabError(f"{path} cannot be read: {error.strerror or error}") from error
    except zipfile.BadZipFile as error:
        raise BoardlabError(f"{path} is not an agent file of boardlab, or it is damaged: {error}") from error
    except (KeyError, EOFError, zlib.error, ValueError, TypeError) as error:
        if isinstance(error, BoardlabError):
            raise
        raise BoardlabError(f"{path} is a damaged agent file: {error}") from error
    return AgentFile(path, about, arrays)


def _read_about(path: Path, archive: zipfile.ZipFile) -> dict[str, Any]:
    if "agent.json" not in archive.namelist():
        raise BoardlabError(f"{path} is not an agent file of boardlab: it has no agent.json")
    if archive.getinfo("agent.json").file_size > _LARGEST_TEXT:
        raise BoardlabError(f"{path} is not an agent file of boardlab: its agent.json is far too large")
    about = json.loads(archive.read("agent.json"))
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise BoardlabError(f"{path} is not an agent file of boardlab")
    if about.get("version") != VERSION:
        raise BoardlabError(
            f"{path} has version {about.get('version')} of the format, this boardlab reads version {VERSION};"
            " it was written by another boardlab"
        )
    wanted = {"agent": str, "parameters": dict, "game": str, "facts": dict, "history": dict, "arrays": list}
    for key, kind in wanted.items():
        if not isinstance(about.get(key), kind):
            raise BoardlabError(f"{path} is a damaged agent file: {key} is missing or of the wrong kind")
    if not set(about["history"]) <= set(History.__dataclass_fields__):
        raise BoardlabError(f"{path} is a damaged agent file: its history has unknown parts")
    return about


def _read_array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    with archive.open(name) as member:
        data = member.read()
    array: NDArray[Any] = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    return array


def load_agent(path: Path | str) -> Agent:
    """The agent in a file."""
    return read_agent_file(Path(path)).agent()
