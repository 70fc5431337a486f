"""What the commands of the lab take: sweeps, reports, tunings, reproductions. The modules that carry them out are
imported when a command is given."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boardlab.cli.taken import Cluster

Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="VARIANT",
        help="Carry out this variant alone, or all that match, as '2048*'; may be repeated.",
    ),
]

__all__ = ["report", "reproduce", "sweep", "tune"]


def sweep(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="What varies, and what is trained.")],
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the runs are kept; sweeps/FILE when left out.")
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Runs at the same time; one per core when left out.")
    ] = None,
    cluster: Cluster = None,
    only: Only = None,
    retry: Annotated[bool, typer.Option("--retry", help="Run those again that failed before.")] = False,
    checkpoint: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.0, help="How often each run is saved while it learns.")
    ] = 60.0,
    plan: Annotated[bool, typer.Option("--plan", help="Only say what would be done.")] = False,
) -> None:
    """Train many agents: everything that a file lets vary, with several seeds. The same command goes on."""
    from boardlab.cli.sweep import run

    run(
        file,
        folder,
        processes=processes,
        cluster=cluster,
        only=only or [],
        retry=retry,
        checkpoint=checkpoint,
        plan=plan,
    )


def report(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of a sweep.")],
    compare: Annotated[
        list[Path] | None,
        typer.Option("--compare", metavar="FOLDER", help="Another sweep on the same page; repeat the option for more."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where to write it; FOLDER/report when left out.")
    ] = None,
    level: Annotated[
        list[float] | None,
        typer.Option("--level", metavar="RESULT", help="Time-to-learn is that until this result; may be repeated."),
    ] = None,
    last: Annotated[
        int | None, typer.Option(min=1, metavar="EPISODES", help="How many at the end make the asymptotic result.")
    ] = None,
    centre: Annotated[str, typer.Option(metavar="NAME", help="Curves: mean or median of the runs.")] = "mean",
    band: Annotated[
        str, typer.Option(metavar="NAME", help="Around curves: interval, quartiles or deviation.")
    ] = "interval",
) -> None:
    """Show what came of a sweep: one page, figures for papers, and tables as CSV and Parquet."""
    from boardlab.cli.report import run

    run(folder, compare or [], out=out, levels=level or [], last=last, centre=centre, band=band)


def tune(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="A sweep whose ranges are searched.")],
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the trials are kept; tunings/FILE when left out.")
    ] = None,
    trials: Annotated[
        int | None, typer.Option(min=1, help="How many settings; as the file says when left out.")
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Trials at the same time; one per core when left out.")
    ] = None,
    cluster: Cluster = None,
) -> None:
    """Find good settings with Optuna, over what a file lets vary. The same command goes on."""
    from boardlab.cli.tune import run

    run(file, folder, trials=trials, processes=processes, cluster=cluster)


def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Such as thesis-table-5.1; all are listed.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the runs are kept; reproductions/NAME when left out.")
    ] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="Runs of each variant; as published when left out.")] = None,
    games: Annotated[int | None, typer.Option(min=1, help="At most so many training games in each run.")] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Runs at the same time; one per core when left out.")
    ] = None,
    cluster: Cluster = None,
    only: Only = None,
    plan: Annotated[bool, typer.Option("--plan", help="Only say what would be done.")] = False,
    page: Annotated[
        bool, typer.Option("--page", help="Run nothing; write the page about the runs that are there.")
    ] = False,
) -> None:
    """Make a published table or figure again, and hold it against the original. The same command goes on."""
    from boardlab.cli.reproduce import run, show_all

    if name is None:
        show_all()
        return
    run(
        name,
        folder,
        runs=runs,
        games=games,
        processes=processes,
        cluster=cluster,
        only=only or [],
        plan=plan,
        only_page=page,
    )
