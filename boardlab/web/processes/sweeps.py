"""What a worker finds out about a sweep for the page: how its runs stand, its curves, the report, and tables as CSV.

The server names the folder; it is only read here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boardlab.errors import BoardlabError
from boardlab.lab.reports.figures import Picture, drawing
from boardlab.lab.reports.live_curves import evaluators_of, live_curves
from boardlab.lab.reports.page import DIFFERENCES_NOTE, Part, Table, differences_table, part_note, summary_table
from boardlab.lab.reports.report import description, introduction, report_parts, summary_csv
from boardlab.lab.reproductions.comparison import compare, comparison_rows
from boardlab.lab.reproductions.published import published, reproduction_of
from boardlab.lab.reproductions.reproduce import original_pictures, size_words
from boardlab.lab.sweeps.logs import episodes_said, is_fresh, last_words
from boardlab.lab.sweeps.results import BEGUN, FAILED, FINISHED, WAITING, Results, RunResult, csv_text, read_run
from boardlab.lab.sweeps.runs import RunFiles
from boardlab.lab.sweeps.sweep import Sweep

__all__ = ["SweepReader"]

_KEPT_RUNS = 5000
RUNNING, STOPPED = "running", "stopped"

Answer = dict[str, Any]


class SweepReader:
    """Reads sweeps; runs that have not changed since the last time are kept."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[tuple[int, ...], RunResult]] = {}

    def view(self, folder: Path, evaluator: str | None, centre: str, band: str) -> Answer:
        """All runs as they stand, and the curves of all variants by one evaluator."""
        runs = self._runs(folder)
        evaluators = evaluators_of(runs)
        chosen = evaluator if evaluator in evaluators else next(iter(evaluators), None)
        curves = live_curves(runs, chosen, centre, band) if chosen else []
        return {
            "runs": [_run(run) for run in runs],
            "evaluators": evaluators,
            "evaluator": chosen,
            "curves": [vars(curve) for curve in curves],
        }

    def report(self, folder: Path) -> Answer:
        """The tables and figures of `boardlab report`, and of `boardlab reproduce` where the sweep is one of those."""
        runs, sweep = self._runs(folder), description(folder)
        if not runs.finished:
            raise BoardlabError("no run is finished yet; there is nothing to report")
        with drawing():
            parts = self._parts(folder, runs, sweep)
            sections = [_section(part) for part in parts]
            first = self._reproduced(runs, sweep)
        return {"intro": introduction([(folder.name, runs)]), "sections": [*first, *sections]}

    def table(self, folder: Path, which: str) -> str:
        """A table as CSV."""
        runs, sweep = self._runs(folder), description(folder)
        if which == "table":
            return csv_text(runs.rows())
        if which == "runs":
            return csv_text(runs.run_rows())
        if which == "summary":
            with drawing():
                return summary_csv(self._parts(folder, runs, sweep, pictures=False))
        name = reproduction_of(sweep) if sweep else None
        if sweep is None or name is None:
            raise BoardlabError("this sweep is no reproduction, so there is nothing published to compare it with")
        return csv_text(comparison_rows(compare(published(name), sweep, runs)))

    def _parts(self, folder: Path, runs: Results, sweep: Sweep | None, *, pictures: bool = True) -> list[Part]:
        levels, last = (sweep.levels or None, sweep.last) if sweep else (None, None)
        return report_parts([(folder.name, runs)], levels, last, pictures=pictures)

    def _reproduced(self, runs: Results, sweep: Sweep | None) -> list[Answer]:
        """What was published and what came out here, where somebody has published it."""
        name = reproduction_of(sweep) if sweep else None
        if sweep is None or name is None:
            return []
        found = published(name)
        rows = comparison_rows(compare(found, sweep, runs))
        table = (list(rows[0]), [list(row.values()) for row in rows])
        notes = " ".join(line for line in (found.note, size_words(found, runs)) if line)
        pictures = original_pictures(found, sweep, runs)
        tables = [_table("Published, and here", table)]
        return [{"title": found.title, "note": notes, "tables": tables, "figures": _figures(pictures, "original-")}]

    def _runs(self, folder: Path) -> Results:
        if len(self._known) > _KEPT_RUNS:
            self._known.clear()
        found = [self._run(RunFiles(path.parent)) for path in sorted((folder / "runs").glob("*/settings.json"))]
        return Results(sorted(found, key=lambda run: (run.number, run.name)))

    def _run(self, files: RunFiles) -> RunResult:
        stamp = tuple(_stamp(path) for path in (files.settings, files.result, files.failure, files.agent))
        known = self._known.get(files.folder)
        if known is None or known[0] != stamp:
            self._known[files.folder] = known = (stamp, read_run(files))
        return known[1]


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


# ---------------------------------------------------------------- one run


def _run(run: RunResult) -> Answer:
    words = "" if run.status in (FINISHED, FAILED) else last_words(run.files.log)
    state = _state(run, words)
    done, of = _episodes(run, words)
    score = run.score
    return {
        "name": run.name,
        "variant": run.variant,
        "seed": run.seed,
        "state": state,
        "episodes": done,
        "of": of,
        "score": score if score is not None and math.isfinite(score) else None,
        "seconds": run.cpu_seconds,
        "words": run.reason or (words if state == RUNNING else ""),
    }


def _state(run: RunResult, words: str) -> str:
    if run.status in (FINISHED, FAILED):
        return run.status
    if is_fresh(run.files.log, words):
        return RUNNING
    return STOPPED if run.status == BEGUN or words else WAITING


def _episodes(run: RunResult, words: str) -> tuple[int, int]:
    """How many episodes are done, and how many there will be."""
    evaluated = int(run.curve.episodes[-1]) if run.curve is not None else 0
    said = episodes_said(words)
    of = int(run.decides.get("episodes", 0)) or (said[1] if said else evaluated)
    return max(evaluated, said[0] if said else 0), of


# ---------------------------------------------------------------- the report


def _section(part: Part) -> Answer:
    tables = [_table("Variants", summary_table(part))]
    if part.differences:
        tables.append(_table("Differences", differences_table(part), DIFFERENCES_NOTE))
    return {
        "title": f"Evaluator {part.found.evaluator}",
        "note": part_note(part.found),
        "tables": tables,
        "figures": _figures(part.pictures),
    }


def _table(title: str, table: Table, note: str = "") -> Answer:
    head, rows = table
    return {
        "title": title,
        "note": note,
        "head": [name.removeprefix(">") for name in head],
        "numbers": [name.startswith(">") for name in head],
        "rows": [[str(cell) for cell in row] for row in rows],
    }


def _figures(pictures: Sequence[Picture], prefix: str = "") -> list[Answer]:
    return [
        {
            "name": f"{prefix}{picture.name}",
            "caption": picture.caption,
            "width": float(picture.figure.get_figwidth()),
            "height": float(picture.figure.get_figheight()),
            "svg": picture.content("svg").decode(),
        }
        for picture in pictures
    ]
