"""What came of a sweep, read from its folder alone: runs with their settings and learning curves, as Python objects,
as rows for a data frame, as CSV and as Parquet.

The tidy table has one row for each evaluation, and nothing in it depends on where or when the runs were carried out:
the same sweep gives the same table, to the byte. CPU times are in the table of the runs.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardlabError
from boardlab.lab.curves import success_measures
from boardlab.lab.history import History, history_in
from boardlab.lab.sweeps.runs import RunFiles
from boardlab.store import read_agent_file, read_part
from boardlab.store.files import write_bytes

__all__ = ["Curve", "Results", "RunResult", "read_run", "results"]

FINISHED, FAILED, BEGUN, WAITING = "finished", "failed", "begun", "waiting"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """A learning curve: arrays of the same length, one entry for each evaluation."""

    episodes: NDArray[np.int64]
    score: Floats
    low: Floats
    high: Floats
    """The 95 % interval of each score."""
    seconds: Floats
    """CPU seconds of training until then."""


@dataclass(frozen=True, eq=False)
class RunResult:
    """A run of a sweep, as far as it is."""

    files: RunFiles
    number: int
    variant: str
    """How its variant is called."""
    named: str
    """The part of it that is a name in the file; empty where there is none."""
    settings: dict[str, Any]
    """What varies, by name."""
    seed: int
    decides: dict[str, Any]
    """All that decides its result: game, agent, parameters, how it is measured."""
    status: str
    """finished, failed, begun or waiting."""
    reason: str = ""
    """Why it failed."""
    cpu_seconds: float | None = None
    """Of the whole run, with evaluations and loading; None unless it is finished."""
    machine: str = ""

    @property
    def name(self) -> str:
        """The hash that the run's folder is called by."""
        return self.files.folder.name

    @cached_property
    def history(self) -> History:
        """What the training did: all of it, or until the last checkpoint."""
        if self.status == FINISHED:
            found = json.loads(self.files.result.read_text(encoding="utf-8"))["history"]
            return read_part(History, found, "history", f"{self.files.result} is damaged")
        if self.files.agent.exists():
            return history_in(read_agent_file(self.files.agent))
        return History()

    @cached_property
    def curves(self) -> dict[str, Curve]:
        """The learning curves by evaluator, the first one first; empty where nothing was measured yet."""
        history = self.history
        found = {}
        points = [(point, point) for point in history.evaluations]
        seconds = [(point, point.second) for point in history.evaluations if point.second is not None]
        for name, measured in ((history.evaluator, points), (history.second_evaluator, seconds)):
            if measured:
                label = name if name not in found else f"{name} (second)"
                scores = [(score.score, score.low, score.high) for _, score in measured]
                score, low, high = np.array(scores, np.float64).T
                episodes = np.array([point.episodes for point, _ in measured], np.int64)
                times = np.array([point.seconds for point, _ in measured], np.float64)
                found[label] = Curve(episodes, score, low, high, times)
        return found

    @property
    def curve(self) -> Curve | None:
        """The learning curve by the first evaluator."""
        return next(iter(self.curves.values()), None)

    @property
    def score(self) -> float | None:
        """The last result of the first evaluator."""
        return None if self.curve is None else float(self.curve.score[-1])

    def value(self, name: str) -> Any:
        """The value of a setting, whether it varies or not; None where the run knows none."""
        if name in self.settings:
            return self.settings[name]
        return self.decides["parameters"].get(name, self.decides.get(name))


class Results(Sequence[RunResult]):
    """The runs of a folder, or some of them, in the order of the sweep."""

    def __init__(self, runs: Sequence[RunResult]) -> None:
        self._runs = list(runs)

    @overload
    def __getitem__(self, index: int) -> RunResult: ...
    @overload
    def __getitem__(self, index: slice) -> Results: ...
    def __getitem__(self, index: int | slice) -> RunResult | Results:
        return self._runs[index] if isinstance(index, int) else Results(self._runs[index])

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[RunResult]:
        return iter(self._runs)

    def __repr__(self) -> str:
        counts = {s: sum(r.status == s for r in self) for s in (FINISHED, FAILED, BEGUN, WAITING)}
        return f"<{len(self)} runs: {', '.join(f'{n} {s}' for s, n in counts.items() if n) or 'none'}>"

    @property
    def finished(self) -> Results:
        """The runs that came to their end."""
        return Results([run for run in self if run.status == FINISHED])

    @property
    def variants(self) -> dict[str, Results]:
        """The runs of each variant, by its label."""
        found: dict[str, list[RunResult]] = {}
        for run in self:
            found.setdefault(run.variant, []).append(run)
        return {label: Results(runs) for label, runs in found.items()}

    @property
    def varied(self) -> list[str]:
        """The names of what varies."""
        return list(dict.fromkeys(name for run in self for name in run.settings))

    # ------------------------------------------------------------ tables

    def rows(self) -> list[dict[str, Any]]:
        """The tidy table: one row for each evaluation of each run."""
        return [
            {
                **_about(run, self.varied),
                "evaluator": evaluator,
                "episodes": int(curve.episodes[i]),
                **{name: float(getattr(curve, name)[i]) for name in ("score", "low", "high")},
            }
            for run in self
            for evaluator, curve in run.curves.items()
            for i in range(len(curve.episodes))
        ]

    def run_rows(self) -> list[dict[str, Any]]:
        """One row for each run: status, last result, the measures of Thill 2015 where they apply, CPU time."""
        found = []
        for run in self:
            measures = (success_measures(run.history) if run.curve is not None else None) or {}
            row = {
                **_about(run, self.varied),
                "status": run.status,
                "episodes": None if run.curve is None else int(run.curve.episodes[-1]),
                "score": run.score,
                **{name: measures.get(name) for name in ("asymptotic_success", "time_to_learn")},
                "cpu_seconds": run.cpu_seconds,
                "machine": run.machine,
                "reason": run.reason,
            }
            found.append(row)
        return found

    def to_csv(self, path: Path | str) -> None:
        """Write the tidy table as CSV."""
        write_bytes(Path(path), csv_text(self.rows()).encode())

    def to_pandas(self) -> Any:
        """The tidy table as a data frame of pandas."""
        if find_spec("pandas") is None:
            raise BoardlabError("a data frame needs pandas; install it with: pip install 'boardlab[tables]'")
        import pandas

        return pandas.DataFrame(self.rows())

    def to_parquet(self, path: Path | str) -> None:
        """Write the tidy table as Parquet."""
        if find_spec("pyarrow") is None:
            raise BoardlabError("Parquet needs pyarrow; install it with: pip install 'boardlab[tables]'")
        from pyarrow import BufferOutputStream, Table
        from pyarrow.parquet import write_table

        stream = BufferOutputStream()
        write_table(Table.from_pydict(_columns(self.rows())), stream)
        write_bytes(Path(path), stream.getvalue().to_pybytes())


def results(folder: Path | str) -> Results:
    """The runs in the folder of a sweep, whether they are finished or not."""
    folder = Path(folder)
    if not (folder / "runs").is_dir():
        raise BoardlabError(f"{folder} is not the folder of a sweep; boardlab sweep FILE.toml makes one")
    found = [read_run(RunFiles(path.parent)) for path in sorted((folder / "runs").glob("*/settings.json"))]
    return Results(sorted(found, key=lambda run: (run.number, run.name)))


def read_run(files: RunFiles) -> RunResult:
    """The run in a folder, as far as it is."""
    said = _read_json(files.settings)
    status, reason = WAITING, ""
    result: dict[str, Any] = {}
    if files.result.exists():
        status, result = FINISHED, _read_json(files.result)
    elif files.failure.exists():
        status, reason = FAILED, files.failure.read_text(encoding="utf-8").strip()
    elif files.agent.exists():
        status = BEGUN
    try:
        return RunResult(
            files,
            **{name: said[name] for name in ("number", "variant", "named", "settings", "seed", "decides")},
            status=status,
            reason=reason,
            cpu_seconds=result.get("cpu_seconds"),
            machine=result.get("machine", ""),
        )
    except KeyError as error:
        raise BoardlabError(f"{files.settings} is damaged: it has no {error}") from error


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BoardlabError(f"{path} is damaged: {error}") from error
    if not isinstance(found, dict):
        raise BoardlabError(f"{path} is damaged: it is not a JSON object")
    return found


# ---------------------------------------------------------------- rows


def _about(run: RunResult, varied: Sequence[str]) -> dict[str, Any]:
    """Whose row it is. A setting that varies elsewhere has its own value in each run."""
    values = {name: run.value(name) for name in varied if name != "variant"}
    return {"run": run.name, "variant": run.variant, **values, "seed": run.seed}


def csv_text(rows: Sequence[dict[str, Any]]) -> str:
    """Rows as CSV, with all names that occur as columns."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _columns(rows: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """Rows as columns of one kind each: numbers, or else texts."""
    found = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row.get(name) for row in rows]
        kinds = {type(value) for value in values if value is not None}
        numbers = kinds <= {int, float} or len(kinds) == 1
        found[name] = values if numbers else [None if value is None else str(value) for value in values]
    return found
