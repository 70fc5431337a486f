"""`boardlab sweep`: many trainings from one file, on all cores or a cluster."""

from __future__ import annotations

import shlex
import signal
from pathlib import Path

import typer

from boardlab.cli.output import console
from boardlab.errors import BoardlabError
from boardlab.lab.sweeps.results import FINISHED
from boardlab.lab.sweeps.sweep import Sweep
from boardlab.lab.sweeps.sweeping import carry_out_sweep, say_plan

__all__ = ["run"]


def run(
    file: Path,
    folder: Path | None,
    *,
    processes: int | None,
    cluster: str | None,
    only: list[str],
    retry: bool,
    checkpoint: float,
    plan: bool,
) -> None:
    """Carry out what is not there yet of a sweep. Exit code 1 says that some runs failed."""
    out = console()
    sweep = Sweep.read(file)
    where = folder or Path("sweeps") / file.stem
    if where.exists() and not where.is_dir():
        raise BoardlabError(f"{where} is a file; a sweep needs a folder")
    if plan:
        say_plan(out, sweep, where, processes, cluster, only=only, retry=retry)
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the end of a job is one by Ctrl-C: all is saved
    try:
        found = carry_out_sweep(
            sweep,
            where,
            processes=processes,
            cluster=cluster,
            only=only,
            retry=retry,
            checkpoint_seconds=checkpoint,
            console=out,
        )
    except KeyboardInterrupt:
        out.print("stopped; the same command goes on")
        raise
    out.print(f"see what came of it with  boardlab report {shlex.quote(str(where))}", soft_wrap=True)
    chosen = {variant.label for variant in sweep.chosen(only)}
    if any(result.status != FINISHED for result in found if result.variant in chosen):
        raise typer.Exit(1)
