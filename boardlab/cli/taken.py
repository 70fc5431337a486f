"""What several commands take, and how all of them look."""

from __future__ import annotations

from typing import Annotated, Any

import typer

__all__ = ["LOOK", "Cluster", "CpuSeconds", "GameSpec", "Json", "MeasuredGames", "Seed", "Workers"]

LOOK: dict[str, Any] = {
    "rich_markup_mode": None,
    "no_args_is_help": True,
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}

GameSpec = Annotated[
    str,
    typer.Argument(metavar="GAME", help="A game: connect4, connect4:columns=6,rows=5 or path/to/file.py:Class."),
]
Seed = Annotated[int | None, typer.Option(min=0, help="Makes the run repeatable; a new one each time when left out.")]
MeasuredGames = Annotated[
    str | None, typer.Option(metavar="A,B,...", help="Which games, separated by commas; all when left out.")
]
CpuSeconds = Annotated[float, typer.Option(min=0.001, max=86_400, help="CPU time of each measurement.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Workers = Annotated[
    int | None,
    typer.Option(min=1, max=256, help="Processes that play at the same time; one per core when left out."),
]
Cluster = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Work on the Dask cluster whose scheduler is here.")
]
