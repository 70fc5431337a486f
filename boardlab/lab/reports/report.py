"""`boardlab report`: tables, figures and a page of one or several sweeps, in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from boardlab.errors import BoardlabError
from boardlab.lab.reports.curve_figures import boxes, curves, distributions, scatter
from boardlab.lab.reports.figures import Picture, drawing, save
from boardlab.lab.reports.measures import Measured, measured
from boardlab.lab.reports.page import Part, page_text
from boardlab.lab.reports.setting_figures import heat_maps, sensitivity
from boardlab.lab.reports.tables import difference_rows, failure_rows, summary_rows
from boardlab.lab.sweeps.results import Results, csv_text, results
from boardlab.lab.sweeps.sweep import Sweep
from boardlab.store.files import write_bytes
from boardlab.words import time_text

__all__ = ["all_pictures", "description", "introduction", "report_parts", "summary_csv", "write_report"]


def write_report(
    folders: Sequence[Path],
    out: Path,
    *,
    levels: Sequence[float] | None = None,
    last: int | None = None,
    centre: str = "mean",
    band: str = "interval",
) -> list[Path]:
    """Write the report on the finished runs of these folders, and return the files: the page first. `levels` are those
    of the time-to-learn, `last` is how many episodes at the end make the asymptotic result; both as the first sweep
    says when left out."""
    found = [(_called(folder, folders), results(folder)) for folder in folders]
    sweeps = [description(folder) for folder in folders]
    if not any(len(runs.finished) for _, runs in found):
        raise BoardlabError(f"no run of {' or '.join(map(str, folders))} is finished yet; there is nothing to report")
    said = next((sweep for sweep in sweeps if sweep is not None), None)
    if said is not None:
        levels = levels or said.levels or None
        last = last or said.last
    written = _write_tables(Results([run for _, runs in found for run in runs]), out)
    with drawing():
        parts = report_parts(found, levels, last, centre=centre, band=band)
        for part in parts:
            for picture in part.pictures:
                save(picture, out / "figures")
        write_bytes(out / "summary.csv", summary_csv(parts).encode())
        title = said.about if said is not None and said.about else " and ".join(name for name, _ in found)
        descriptions = [sweep.to_toml() for sweep in sweeps if sweep is not None]
        text = page_text(title, introduction(found), parts, failure_rows(found), descriptions)
    write_bytes(out / "index.html", text.encode())
    return [out / "index.html", *written, out / "summary.csv"]


def report_parts(
    found: Sequence[tuple[str, Results]],
    levels: Sequence[float] | None,
    last: int | None,
    *,
    centre: str = "mean",
    band: str = "interval",
    pictures: bool = True,
) -> list[Part]:
    """What each evaluator found, with tables and figures; to be called within `drawing`."""
    varied = Results([run for _, runs in found for run in runs]).varied
    return [
        Part(
            measures,
            summary_rows(measures),
            difference_rows(measures),
            all_pictures(measures, varied, centre=centre, band=band) if pictures else [],
        )
        for measures in measured(found, levels, last)
    ]


def all_pictures(found: Measured, varied: Sequence[str], *, centre: str, band: str) -> list[Picture]:
    """All figures that say something about what an evaluator found."""
    return [
        curves(found, centre, band),
        *boxes(found),
        *distributions(found),
        *(scatter(found) if len(found.groups) > 1 else []),
        *sensitivity(found, varied),
        *heat_maps(found, varied),
    ]


def _write_tables(every: Results, out: Path) -> list[Path]:
    """The tidy table, as Parquet too where that can be written, and the table of the runs."""
    written = [out / "table.csv", out / "runs.csv"]
    every.to_csv(written[0])
    write_bytes(written[1], csv_text(every.run_rows()).encode())
    if find_spec("pyarrow") is not None:
        written.insert(1, out / "table.parquet")
        every.to_parquet(written[1])
    return written


def summary_csv(parts: Sequence[Part]) -> str:
    """The statistics of all variants, by all evaluators."""
    return csv_text([{"evaluator": part.found.evaluator, **row} for part in parts for row in part.summary])


def _called(folder: Path, folders: Sequence[Path]) -> str:
    """The name of a folder, with as much of its path as it takes to tell it from the others."""
    whole = [other.resolve() for other in folders]
    if len(set(whole)) < len(whole):
        raise BoardlabError("a folder is there twice; name each once")
    same = [other for other in whole if other.name == folder.resolve().name]
    return folder.resolve().name if len(same) == 1 else str(folder)


def description(folder: Path) -> Sweep | None:
    """The description of the sweep in a folder, where it has one."""
    path = folder / "sweep.toml"
    return Sweep.read(path) if path.exists() else None


def introduction(found: Sequence[tuple[str, Results]]) -> list[str]:
    """A sentence about each folder."""
    lines = []
    for name, runs in found:
        done = runs.finished
        spent = sum(run.cpu_seconds or 0.0 for run in done)
        games = ", ".join(dict.fromkeys(str(run.decides["game"]) for run in runs))
        agents = ", ".join(dict.fromkeys(str(run.decides["agent"]) for run in runs))
        count = f"{len(done):,} of {len(runs):,} runs finished"
        lines.append(f"{name}: {games} by {agents}; {count}, {time_text(spent)} of CPU time.")
    return lines
