"""`boardlab bench start`: how long a training waits before its first episode, as a table or as JSON."""

from __future__ import annotations

from boardlab.bench.start import Start, measure_starts
from boardlab.bench.timing import versions
from boardlab.cli.output import console, print_json, table
from boardlab.registry import game_classes, make, split_specs
from boardlab.words import time_text

__all__ = ["run"]


def run(games: str | None, rounds: int, *, json: bool) -> None:
    """Measure the games of a comma-separated list, or all."""
    specs = [make(spec).spec for spec in (split_specs(games) if games else sorted(game_classes()))]
    out = console()
    if not json:
        out.print(f"each start takes some 15 seconds, all of them about {time_text(15 * len(specs) * rounds)} ...")
    starts = measure_starts(specs, rounds)
    used = versions("boardlab", "numba", "numpy", "scipy")
    if json:
        results = [{"game": start.game, **start.figures} for start in starts]
        print_json({"versions": used, "rounds": rounds, "results": results})
        return
    out.print(_table(starts))
    out.print(
        "CPU seconds of a new process until learning can begin: with an empty cache, and with machine code on disk."
    )
    out.print(", ".join(f"{name} {number}" for name, number in used.items()))


def _table(starts: list[Start]) -> object:
    made = table("game", ">first time", ">median", ">again", ">median")
    for start in starts:
        made.add_row(start.game, *(f"{seconds:.2f} s" for seconds in start.figures.values()))
    return made
