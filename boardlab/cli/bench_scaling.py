"""`boardlab bench scaling`: how the cost of learning grows, as a table, as JSON, and as a picture."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from boardlab.bench.scaling import SERIES, ScalingPoint, draw_scaling, measure_scaling
from boardlab.bench.timing import versions
from boardlab.cli.output import console, print_json, table
from boardlab.errors import BoardlabError
from boardlab.words import rate_text, size_text

__all__ = ["run"]


def run(series: str | None, seconds: float, out: Path | None, *, json: bool) -> None:
    """Measure the series of a comma-separated list, or all, and draw them where a file is named."""
    if out is not None and out.suffix not in (".png", ".svg"):
        raise BoardlabError(f"a picture ends with .png or .svg; call it {out.with_suffix('.png')}")
    wanted = series.split(",") if series else list(SERIES)
    screen = console()
    points: list[ScalingPoint] = []
    for point in measure_scaling(wanted, seconds):
        points.append(point)
        if not json:
            screen.print(f"{point.series}: {point.name}, {rate_text(point.games_per_s)} games/s")
    if out is not None:
        draw_scaling(points, out)
    used = versions("boardlab", "numba", "numpy")
    if json:
        rows = [{**asdict(point), "nanoseconds": point.nanoseconds} for point in points]
        print_json({"versions": used, "seconds": seconds, "results": rows})
        return
    screen.print()
    screen.print(_table(points))
    screen.print(
        "Per CPU second of one thread; threads: per second. ns: CPU time of a look-up. save, file: of the agent."
    )
    if out is not None:
        screen.print(f"picture: {out}")
    screen.print(", ".join(f"{name} {number}" for name, number in used.items()))


def _table(points: list[ScalingPoint]) -> object:
    made = table("series", "size", ">weights", ">games/s", ">moves/s", ">ns", ">save", ">file")
    for p in points:
        saved = (f"{p.save_seconds:.2f} s", size_text(p.file_bytes))
        speed = (rate_text(p.games_per_s), rate_text(p.moves_per_s), f"{p.nanoseconds:.2f}")
        made.add_row(p.series, p.name, f"{p.weights:,}", *speed, *saved)
    return made
