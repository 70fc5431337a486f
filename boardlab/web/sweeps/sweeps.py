"""`Sweeps`: the folders of sweeps that this arena shows, what workers have found out about them, and what is still true
of that.

A page names a sweep, never a folder: names are looked up among those that were found in the folders of the settings.
Nothing is written there.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from boardlab.errors import BoardlabError
from boardlab.lab.reports.report import description
from boardlab.lab.reproductions.published import published, reproduction_of
from boardlab.web.server.errors import Problem
from boardlab.web.server.settings import ArenaSettings
from boardlab.web.sweeps.models import Band, Centre, SweepLine, SweepReport, SweepView
from boardlab.web.workers.pool import WorkerPool

__all__ = ["Sweeps"]

_KEPT_ANSWERS = 24
_FRESH_SECONDS = 120.0
_OF_RUN = ("settings.json", "result.json", "failed.txt", "run.agent", "log.txt")


@dataclass(frozen=True)
class _Stand:
    """How the files of a sweep stand."""

    runs: int
    finished: int
    failed: int
    newest: float
    """When a file was last written."""
    worked: float
    """When a run that has no result last wrote to its log."""
    files: str
    """Changes with any file."""
    results: str
    """Changes with what is finished."""


class _Found(NamedTuple):
    path: Path
    stand: _Stand
    line: SweepLine


class Sweeps:
    """All sweeps of the arena."""

    def __init__(self, settings: ArenaSettings, workers: WorkerPool) -> None:
        self._settings, self._workers = settings, workers
        self._answers: OrderedDict[tuple[Any, ...], tuple[Any, asyncio.Task[dict[str, Any]]]] = OrderedDict()

    # ------------------------------------------------------------ finding

    @property
    def folders(self) -> list[Path]:
        """Where sweeps are looked for."""
        return list(dict.fromkeys([self._settings.data / "sweeps", *self._settings.sweeps]))

    def found(self) -> dict[str, Path]:
        """The folders of all sweeps, by name. Of two that are called the same, the second has a number."""
        named: dict[str, Path] = {}
        for folder in self.folders:
            for path in _sweeps_in(folder):
                name, number = path.name, 2
                while name in named:
                    name, number = f"{path.name} ({number})", number + 1
                named[name] = path
        return named

    def all(self) -> list[SweepLine]:
        """All sweeps, the one that changed last first."""
        lines = [_line(name, path, _stand(path)) for name, path in self.found().items()]
        return sorted(lines, key=lambda line: line.changed, reverse=True)

    def _look(self, name: str) -> _Found:
        """A sweep by its name, as its files stand."""
        path = self.found().get(name)
        if path is None:
            raise Problem(404, f"there is no sweep {name}; sweeps are looked for in {_listed(self.folders)}")
        stand = _stand(path)
        return _Found(path, stand, _line(name, path, stand))

    # ------------------------------------------------------------ what workers find out

    async def view(self, name: str, evaluator: str | None, centre: Centre, band: Band) -> SweepView:
        """A sweep as it stands."""
        path, stand, line = await asyncio.to_thread(self._look, name)
        job = {"job": "sweep_view", "evaluator": evaluator, "centre": centre, "band": band}
        found = await self._ask(path, job, (stand.files, _minute(stand)))
        more = {"table": found["runs"], **{key: found[key] for key in ("evaluators", "evaluator", "curves")}}
        return SweepView(**dict(line), **more, centre=centre, band=band)

    async def report(self, name: str) -> SweepReport:
        """What the finished runs say."""
        path, stand, _ = await asyncio.to_thread(self._look, name)
        found = await self._ask(path, {"job": "sweep_report"}, (stand.results,))
        return SweepReport(**found, finished=stand.finished, stamp=stand.results)

    async def figure(self, name: str, figure: str) -> str:
        """A figure of the report, as SVG."""
        path, stand, _ = await asyncio.to_thread(self._look, name)
        found = await self._ask(path, {"job": "sweep_report"}, (stand.results,))
        for section in found["sections"]:
            for picture in section["figures"]:
                if picture["name"] == figure:
                    return str(picture["svg"])
        raise Problem(404, f"the report on {name} has no figure {figure}")

    async def table(self, name: str, which: str) -> str:
        """A table of a sweep, as CSV."""
        path, stand, _ = await asyncio.to_thread(self._look, name)
        found = await self._ask(path, {"job": "sweep_table", "which": which}, (stand.files,))
        return str(found["csv"])

    async def _ask(self, path: Path, job: dict[str, Any], stamp: tuple[Any, ...]) -> dict[str, Any]:
        """What a worker says, or has said while nothing has changed. Whoever asks meanwhile waits for the same answer,
        which is kept even when nobody waits any more."""
        key = (str(path), *job.values())
        known, task = self._answers.pop(key, (None, None))
        if task is None or known != stamp or (task.done() and (task.cancelled() or task.exception() is not None)):
            work = self._workers.run({**job, "folder": str(path)}, self._settings.seconds_to_prepare)
            task = asyncio.create_task(work)
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._answers[key] = (stamp, task)
        while len(self._answers) > _KEPT_ANSWERS:
            self._answers.popitem(last=False)
        return await asyncio.shield(task)


# ---------------------------------------------------------------- folders


def _sweeps_in(folder: Path) -> Iterator[Path]:
    """The folder itself where it is that of a sweep, or the sweeps in it."""
    try:
        if (folder / "runs").is_dir():
            yield folder
            return
        yield from sorted(path for path in folder.iterdir() if (path / "runs").is_dir())
    except OSError:
        return  # there is none, or it cannot be read


def _stand(path: Path) -> _Stand:
    times: list[tuple[str, str, int]] = []
    runs = 0
    for run in sorted((path / "runs").iterdir()):
        if not (run / "settings.json").exists():
            continue
        runs += 1
        times += [(run.name, name, stamp) for name in _OF_RUN if (stamp := _stamp(run / name))]
    done = {run: stamp for run, name, stamp in times if name == "result.json"}
    failed = {run for run, name, _ in times if name == "failed.txt"} - set(done)
    logs = [stamp for run, name, stamp in times if name == "log.txt" and run not in done and run not in failed]
    newest = max([stamp for *_, stamp in times], default=_stamp(path / "runs"))
    said = _stamp(path / "sweep.toml")
    files, results = _hash([said, *times]), _hash([said, *sorted(done.items())])
    return _Stand(runs, len(done), len(failed), newest / 1e9, max(logs, default=0) / 1e9, files, results)


def _hash(stamps: list[Any]) -> str:
    return hashlib.sha256(repr(stamps).encode()).hexdigest()[:16]


def _minute(stand: _Stand) -> int:
    """Grows while a run may turn from going on to stopped by saying nothing."""
    return int(time.time() / 60) if time.time() - stand.worked < 2 * _FRESH_SECONDS else 0


def _line(name: str, path: Path, stand: _Stand) -> SweepLine:
    title, reproduction = _about(path / "sweep.toml", _stamp(path / "sweep.toml"))
    return SweepLine(
        name=name,
        title=title or name,
        folder=str(path),
        reproduction=reproduction,
        runs=stand.runs,
        finished=stand.finished,
        failed=stand.failed,
        running=time.time() - stand.worked < _FRESH_SECONDS,
        changed=datetime.fromtimestamp(stand.newest, UTC).isoformat(timespec="seconds"),
    )


@lru_cache(256)
def _about(path: Path, stamp: int) -> tuple[str, str | None]:
    """What a description says that it is about, and which publication it makes again."""
    try:
        sweep = description(path.parent)
        name = reproduction_of(sweep) if sweep is not None else None
    except BoardlabError:
        return "", None
    if sweep is None:
        return "", None
    return (published(name).title if name else sweep.about), name


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _listed(folders: list[Path]) -> str:
    return ", ".join(str(folder) for folder in folders)
