"""`boardlab reproduce`: a published table or figure, made again and held against the original."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.table import Table

from boardlab.cli.output import console
from boardlab.lab.reproductions.comparison import comparison_rows
from boardlab.lab.reproductions.published import published, published_sweep, reproduction_names
from boardlab.lab.reproductions.reproduce import size_words, write_reproduction
from boardlab.lab.sweeps.sweeping import carry_out_sweep, prepare_sweep, say_plan

__all__ = ["run", "show_all"]


def show_all() -> None:
    """List what can be made again, with the CPU time that it takes."""
    table = Table(box=None, pad_edge=False)
    for title in ("name", "what", "runs", "CPU time, full size"):
        table.add_column(title, no_wrap=title == "name")
    for name in reproduction_names():
        found = published(name)
        runs = len(published_sweep(name).variation) * found.runs
        table.add_row(name, found.title, f"{runs:,}", f"about {found.cpu_hours:g} h")
    screen = console()
    screen.print(table)
    screen.print("\nboardlab reproduce NAME --runs 3 --games 100000 makes it smaller")


def run(
    name: str,
    folder: Path | None,
    *,
    runs: int | None,
    games: int | None,
    processes: int | None,
    cluster: str | None,
    only: list[str],
    plan: bool,
    only_page: bool,
) -> None:
    """Carry out what is not there yet, write the page, and print the comparison."""
    screen, found = console(), published(name)
    sweep = published_sweep(name, runs, games)
    where = folder or Path("reproductions") / name
    if plan:
        say_plan(screen, sweep, where, processes, cluster, only=only)
        return
    screen.print(found.title, soft_wrap=True)
    try:
        if only_page:
            there = prepare_sweep(sweep, where, write=False).found()
        else:
            there = carry_out_sweep(sweep, where, processes=processes, cluster=cluster, only=only, console=screen)
    except KeyboardInterrupt:
        screen.print("stopped; the same command goes on")
        raise
    compared = write_reproduction(found, sweep, there, where / "report")
    rows = comparison_rows(compared)
    table = Table(box=None, pad_edge=False)
    for title in rows[0]:
        table.add_column(title, justify="right" if title in ("runs", "games") else "left")
    for row in rows:
        table.add_row(*map(str, row.values()))
    screen.print(table)
    screen.print(size_words(found, there), soft_wrap=True)
    screen.print(f"page     {where / 'report' / 'index.html'}", soft_wrap=True)
    sys.stdout.flush()
