"""`boardlab reproduce NAME`: the sweep of a published table or figure, and a page that compares the two."""

from __future__ import annotations

from pathlib import Path

from boardlab.lab.reports.figures import Picture, drawing, save
from boardlab.lab.reports.measures import measured
from boardlab.lab.reports.page import figures_html, rows_table, whole_page
from boardlab.lab.reproductions.comparison import Comparison, compare, comparison_rows
from boardlab.lab.reproductions.figure import original_form
from boardlab.lab.reproductions.published import Published
from boardlab.lab.sweeps.results import Results, csv_text
from boardlab.lab.sweeps.sweep import Sweep
from boardlab.store.files import write_bytes
from boardlab.words import time_text

__all__ = ["cpu_words", "original_pictures", "size_words", "write_reproduction"]


def write_reproduction(found: Published, sweep: Sweep, runs: Results, out: Path) -> list[Comparison]:
    """Write the page, its table as CSV and its figures; the comparison that they show."""
    compared = compare(found, sweep, runs)
    rows = comparison_rows(compared)
    write_bytes(out / "comparison.csv", csv_text(rows).encode())
    with drawing():
        pictures = original_pictures(found, sweep, runs)
        for picture in pictures:
            save(picture, out / "figures")
        intro = [found.note, size_words(found, runs), cpu_words(runs)]
        parts = ["<h2>Published, and here</h2>", rows_table(rows)]
        if pictures:
            parts += ["<h2>In the form of the original</h2>", figures_html(pictures)]
        text = whole_page(found.title, [line for line in intro if line], parts, [sweep.to_toml()])
    write_bytes(out / "index.html", text.encode())
    return compared


def original_pictures(found: Published, sweep: Sweep, runs: Results) -> list[Picture]:
    """The figures of the original; to be called within `drawing`."""
    every = measured([("", runs)], sweep.levels or None, sweep.last) if len(runs.finished) else []
    return [picture for one in every for picture in original_form(found.form, one)]


def size_words(found: Published, runs: Results) -> str:
    """Whether it is the full size, or how much less."""
    done = runs.finished
    original = f"The original has {found.runs} runs of each."
    counts = sorted({len(of.finished) for of in runs.variants.values() if len(of.finished)})
    if not counts:
        return f"No run is finished. {original}"
    begun, variants = sum(len(of.finished) > 0 for of in runs.variants.values()), len(runs.variants)
    each = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    of_what = "each variant" if begun == variants else f"each of {begun} of {variants} variants"
    episodes = sorted({int(run.decides["episodes"]) for run in done})
    games = f"{episodes[0]:,}" if len(episodes) == 1 else f"{episodes[0]:,} to {episodes[-1]:,}"
    return f"{len(done):,} runs are finished: {each} of {of_what}, with {games} training games. {original}"


def cpu_words(runs: Results) -> str:
    """What the finished runs took."""
    spent = [run.cpu_seconds for run in runs.finished if run.cpu_seconds is not None]
    return f"CPU time: {time_text(sum(spent))}." if spent else ""
