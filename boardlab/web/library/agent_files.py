"""Agent files: what lies in the directory `agents`, known to the page by ids.

A name of a client is checked and becomes the name of a file inside the directory; nothing else that a client sends
becomes part of a path. What a file says of itself is read once and kept until the file changes. Uploads are written
beside the others, checked, and only then given their name.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
import unicodedata
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel

from boardlab.agents.files import described_file, facts_in, learner_class
from boardlab.components.models import read_model
from boardlab.errors import BoardlabError
from boardlab.lab.history import CurvePoint, History, history_in
from boardlab.store import About, claimed, is_claimed, read_agent_file
from boardlab.store.archive import explained, open_archive
from boardlab.web.library.forms import is_installed
from boardlab.web.library.games import GameLibrary
from boardlab.web.server.errors import Problem
from boardlab.web.server.event_streams import EventStreams
from boardlab.web.server.ids import new_id
from boardlab.web.server.settings import ArenaSettings

__all__ = ["AgentFileDetail", "AgentFileLine", "AgentFiles", "Strength", "clean_name", "without_path", "write_json"]

_NAME = re.compile(r"[\w(][\w .()-]{0,79}")
_LONGEST_NAME = 200
"""Bytes; most file systems take 255, and the ending has to fit, too."""
_MOST_MEMBERS = 10_000
_UPLOAD = ".upload-"


class Strength(BaseModel):
    """The last evaluation of a training; low and high bound its 95 % interval."""

    score: float
    low: float
    high: float
    games: int
    evaluator: str
    against: str


class AgentFileLine(BaseModel):
    """An agent file in the list. One that cannot be used has a `problem`, and perhaps nothing else."""

    id: str
    name: str
    game: str = ""
    title: str = ""
    agent: str = ""
    episodes: int = 0
    strength: Strength | None = None
    seconds: float = 0.0
    """CPU time of the training."""
    created: str = ""
    saved: float = 0.0
    """When the file was written, in seconds since 1970: what was trained last has the largest."""
    bytes: int
    problem: str | None = None


class AgentFileDetail(AgentFileLine):
    """An agent file with its parameters and its learning curve."""

    parameters: dict[str, Any] = {}
    preset: str = ""
    finished: bool = False
    curve: list[CurvePoint] = []
    figures: dict[str, str] = {}
    """What its agent has to tell of it, in words by title, as its n-tuples and its weights."""
    software: dict[str, str] = {}


def clean_name(text: str) -> str:
    """The name that a client gives to an agent, if it can be one."""
    name = unicodedata.normalize("NFC", text).strip().removesuffix(".agent").rstrip()
    if not _NAME.fullmatch(name) or len(name.encode()) > _LONGEST_NAME:
        raise Problem(
            422,
            "name: 1 to 80 letters, digits, spaces or . _ - ( ), beginning with a letter, a digit or (,"
            f" not {text[:100]!r}",
        )
    return name


def write_json(path: Path, content: object) -> None:
    """Write a small file whole or not at all."""
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("w", encoding="utf-8") as stream:
        json.dump(content, stream)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(temporary, path)


class FileContent(NamedTuple):
    """What a file tells without its arrays."""

    about: About
    history: History
    episodes: int
    figures: dict[str, str]


class AgentFiles:
    """The directory of agent files. Safe for several threads."""

    def __init__(self, settings: ArenaSettings, games: GameLibrary, streams: EventStreams) -> None:
        self._settings, self._games, self._streams = settings, games, streams
        self.directory = settings.data / "agents"
        self._lock = threading.RLock()
        self._names: dict[str, str] = {}
        """Name of the file, without its ending, by id."""
        self._known: dict[str, tuple[tuple[int, int, int], AgentFileDetail]] = {}
        """What the file of an id says of itself, and the stamp of the file that said so."""

    @property
    def _index(self) -> Path:
        return self.directory / ".ids.json"

    def start(self) -> None:
        """Read which file has which id, and remove what a killed server left of uploads."""
        self.directory.mkdir(parents=True, exist_ok=True)
        for left in self.directory.glob(f"{_UPLOAD}*"):
            left.unlink()
        with contextlib.suppress(FileNotFoundError, ValueError):
            found = json.loads(self._index.read_text(encoding="utf-8"))
            self._names = {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}
        self.all()

    # ------------------------------------------------------------ looking

    def all(self, game: str | None = None) -> list[AgentFileLine]:
        """All files by their names; with `game` those for it alone, and none with a problem."""
        with self._lock:
            self._look()
            described = [self._described(file_id) for file_id in self._names]
        listed = [
            AgentFileLine(**d.model_dump(include=set(AgentFileLine.model_fields))) for d in described if d is not None
        ]
        if game is not None:
            listed = [file for file in listed if file.game == game and file.problem is None]
        return sorted(listed, key=lambda file: file.name.casefold())

    def get(self, file_id: str) -> AgentFileDetail:
        """All about one file."""
        with self._lock:
            found = self._described(file_id) if file_id in self._names else None
        if found is None:
            raise Problem(404, f"there is no agent file {file_id}; it may have been deleted")
        return found

    def path(self, file_id: str) -> Path:
        """Where a file lies that can be used."""
        file = self.get(file_id)
        if file.problem is not None:
            raise Problem(422, file.problem)
        return self._path(file.name)

    def whereabouts(self, file_id: str) -> tuple[str, Path]:
        """Name and place of a file, whether it can be used or not."""
        name = self.get(file_id).name
        return name, self._path(name)

    def holds(self, file_id: str) -> bool:
        """Whether there is a file with this id."""
        with self._lock:
            return file_id in self._names and self._path(self._names[file_id]).is_file()

    def _path(self, name: str) -> Path:
        return self.directory / f"{name}.agent"

    def _look(self) -> None:
        """Give ids to files that somebody else has put here, and forget those that are gone."""
        present = {path.stem for path in self.directory.glob("*.agent") if not path.name.startswith(".")}
        known = {file_id: name for file_id, name in self._names.items() if name in present}
        fresh = present - set(known.values())
        if fresh or len(known) < len(self._names):
            self._names = {**known, **{new_id(): name for name in sorted(fresh)}}
            self._known = {k: v for k, v in self._known.items() if k in self._names}
            self._save_index()

    def _save_index(self) -> None:
        write_json(self._index, self._names)

    def _described(self, file_id: str) -> AgentFileDetail | None:
        path = self._path(self._names[file_id])
        try:
            status = path.stat()
        except OSError:
            return None
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        known = self._known.get(file_id)
        if known is None or known[0] != stamp:
            described = self._describe(file_id, path, status.st_size)
            known = (stamp, described.model_copy(update={"saved": status.st_mtime}))
            self._known[file_id] = known
        return known[1]

    def described(self, path: Path) -> AgentFileDetail:
        """All about a file that lies elsewhere, as those that come with boardlab; it has no id."""
        return self._describe("", path, path.stat().st_size)

    def _describe(self, file_id: str, path: Path, size: int) -> AgentFileDetail:
        try:
            content = self.read(path)
        except BoardlabError as error:
            return AgentFileDetail(id=file_id, name=path.stem, bytes=size, problem=without_path(error, path))
        about, history = content.about, content.history
        game = self._games.game(about.game)
        last = history.evaluations[-1] if history.evaluations else None
        strength = None
        if last is not None:
            measured = last.model_dump(include={"score", "low", "high", "games"})
            strength = Strength(**measured, evaluator=history.evaluator, against=history.against)
        return AgentFileDetail(
            id=file_id,
            name=path.stem,
            game=game.spec,
            title=game.title,
            agent=about.agent,
            episodes=content.episodes,
            strength=strength,
            seconds=history.seconds,
            created=history.created or about.saved,
            bytes=size,
            parameters=about.parameters,
            preset=history.preset,
            finished=history.finished,
            curve=history.evaluations,
            figures=content.figures,
            software=about.software,
        )

    def read(self, path: Path) -> FileContent:
        """What a file tells, if this arena can use it: of a sane size, for a game that clients
        may name, and with nothing in it that would make boardlab import somebody's code."""
        most = self._settings.unpacked_bytes
        members, size = _unpacked(path)
        if members > _MOST_MEMBERS or size > most:
            raise BoardlabError(f"{path} would unpack to more than the arena allows ({most:,} bytes)")
        file = read_agent_file(path)
        with file.archive:
            history = history_in(file)
            self._games.game(file.about.game)
            cls = learner_class(file, own=False)
            parameters = read_model(cls.Parameters, file.about.parameters, cls.name)
            for name, known in cls.components().items():
                text = getattr(parameters, name, None)
                if text is not None and not is_installed(text, known):
                    raise BoardlabError(
                        f"{path} was trained with a {name} of one's own ({text}), which the arena lacks"
                    )
            return FileContent(file.about, history, facts_in(file).episodes, described_file(file))

    # ------------------------------------------------------------ changing

    def new_upload(self) -> Path:
        """A place for a file that is being sent."""
        if len(self.all()) >= self._settings.files:
            raise Problem(429, f"there are {self._settings.files:,} agent files already; delete some first")
        return self.directory / f"{_UPLOAD}{new_id()}"

    def refuse_upload(self, path: Path, name: str) -> None:
        """Raise what is wrong with a file that has been sent, as far as its description tells."""
        self._refuse_taken(clean_name(name))
        try:
            self.read(path)
        except BoardlabError as error:
            raise Problem(422, without_path(error, path)) from error

    def keep(self, path: Path, name: str, file_id: str | None = None, *, free_name: bool = False) -> AgentFileDetail:
        """Take a checked file in under a name, which with `free_name` gets a number where it is taken. The id, where
        one was chosen before, is on the disk before the file is in its place."""
        name = clean_name(name)
        with self._lock, ExitStack() as claims:
            self._look()
            name = self._free(name) if free_name else name
            self._claim(name, claims)
            self._refuse_taken(name)
            file_id = file_id or new_id()
            self._names[file_id] = name
            self._save_index()
            try:
                os.replace(path, self._path(name))
            except OSError as error:
                del self._names[file_id]
                self._save_index()
                raise Problem(409, f"{name} cannot be written: {error.strerror or error}") from error
            kept = self.get(file_id)
        self._streams.publish("file", {})
        return kept

    def rename(self, file_id: str, name: str) -> AgentFileDetail:
        """Give a file another name, which nobody has."""
        name = clean_name(name)
        with self._lock, ExitStack() as claims:
            old = self.get(file_id).name
            if name != old:
                self._claim(old, claims)
                if name.casefold() != old.casefold():  # or both may be the same file
                    self._claim(name, claims)
                self._refuse_taken(name, besides=old)
                os.rename(self._path(old), self._path(name))
                self._names[file_id] = name
                self._known.pop(file_id, None)
                self._save_index()
            renamed = self.get(file_id)
        self._streams.publish("file", {})
        return renamed

    def delete(self, file_id: str) -> None:
        """Remove a file for ever."""
        with self._lock, ExitStack() as claims:
            name = self.get(file_id).name
            self._claim(name, claims)
            self._path(name).unlink(missing_ok=True)
            del self._names[file_id]
            self._known.pop(file_id, None)
            self._save_index()
        self._streams.publish("file", {})

    def _taken(self) -> set[str]:
        """Names that are in use; upper and lower case are the same, as some file systems see it."""
        return {path.stem.casefold() for path in self.directory.glob("*.agent")}

    def _refuse_taken(self, name: str, besides: str = "") -> None:
        if name.casefold() in self._taken() - {besides.casefold()}:
            raise Problem(409, f"there is an agent called {name} already; take another name")

    def _claim(self, name: str, claims: ExitStack) -> None:
        """Keep a name from other processes; raise where one of them, a training on the command line, has it."""
        path = self._path(name)
        try:
            claims.enter_context(claimed(path))
        except BoardlabError as error:
            raise Problem(409, without_path(error, path)) from error

    def _free(self, name: str) -> str:
        taken, number, free = self._taken(), 1, name
        while free.casefold() in taken or is_claimed(self._path(free)):
            number += 1
            free = f"{name[:70]} ({number})"
        return free


def _unpacked(path: Path) -> tuple[int, int]:
    """Number of members and bytes that an archive declares, more than which is never read of it; nothing for what is no
    archive at all."""
    try:
        with explained(path), open_archive(path) as archive:
            members = archive.infolist()
    except BoardlabError:
        return 0, 0
    return len(members), sum(member.file_size for member in members)


def without_path(error: BoardlabError, path: Path) -> str:
    """The sentence, in which the file is called as people call it."""
    name = "the file" if path.name.startswith(_UPLOAD) else path.stem
    return str(error).replace(str(path), name)
