"""`boardlab report`: what came of a sweep, as tables, figures and a page."""

from __future__ import annotations

from pathlib import Path

from boardlab.cli.output import console
from boardlab.errors import BoardlabError
from boardlab.lab.reports.curve_figures import BANDS
from boardlab.lab.reports.report import write_report
from boardlab.lab.sweeps.results import FINISHED, results

__all__ = ["run"]


def run(
    folder: Path,
    compare: list[Path],
    *,
    out: Path | None,
    levels: list[float],
    last: int | None,
    centre: str,
    band: str,
) -> None:
    """Write the report and say where it is."""
    if centre not in ("mean", "median"):
        raise BoardlabError(f"--centre is mean or median, not {centre}")
    if band not in BANDS:
        raise BoardlabError(f"--band is {', '.join(BANDS)}, not {band}")
    folders = [folder, *compare]
    where = out or folder / "report"
    screen = console()
    written = write_report(folders, where, levels=levels or None, last=last, centre=centre, band=band)
    runs = [found for one in folders for found in results(one)]
    done = sum(found.status == FINISHED for found in runs)
    screen.print(f"{done:,} of {len(runs):,} runs are finished", soft_wrap=True)
    for what, path in zip(("page", *(["table"] * (len(written) - 1))), written, strict=True):
        screen.print(f"{what:8} {path}", soft_wrap=True)
    screen.print(f"figures  {where / 'figures'}", soft_wrap=True)
