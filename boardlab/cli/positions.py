"""`boardlab positions`: make the positions with exact values behind the evaluator c4-mistakes."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from boardlab.cli.games_progress import games_progress
from boardlab.cli.output import console, interruptible
from boardlab.errors import BoardlabError
from boardlab.registry import make
from boardlab.solvers.connect4 import is_standard
from boardlab.solvers.connect4_sets import make_sets, write_sets
from boardlab.store.files import write_atomically

__all__ = ["run"]


def run(spec: str, count: int, seed: int, megabytes: int, out: Path) -> None:
    """Draw and solve the positions, and write the file."""
    if not is_standard(make(spec)):
        raise BoardlabError(f"sets of positions are made for connect4 on the board 7 x 6, not for {spec}")
    with games_progress("positions") as progress:
        sets = interruptible(partial(make_sets, progress=progress), count, seed, megabytes)
    write_atomically(out, lambda stream: write_sets(sets, seed, stream))
    positions = sum(map(len, sets.values()))
    console().print(f"{out}: {positions:,} positions, {out.stat().st_size:,} bytes, seed {seed}", soft_wrap=True)
