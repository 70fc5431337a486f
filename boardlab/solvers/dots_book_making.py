"""Making the opening book of the Dots-and-Boxes solver, in one go or in several.

The empty board comes first, then all positions with one edge, and so on: to solve a position is to find bounds for what
its moves lead to. Those with as many edges come in the order of a depth-first walk, so that neighbours share most of
their search. Results are appended to a file at once: the work can be stopped at any time and goes on there. A book that
is not finished has gaps; the solver searches where it finds one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic, process_time

from boardlab.games.dots import DotsAndBoxes
from boardlab.solvers.book_file import Progress, add_records, read_records
from boardlab.solvers.dots import DotsSolver
from boardlab.solvers.dots_book import DotsBook, Positions, as_record, from_records

__all__ = ["make_dots_book"]

_REPORT_SECONDS = 10.0


def make_dots_book(
    game: DotsAndBoxes,
    plies: int,
    results: Path,
    *,
    megabytes: int = 4096,
    threads: int = 2,
    minutes: float | None = None,
    report: Callable[[Progress], None] = lambda progress: None,
) -> DotsBook:
    """Solve the positions with up to so many edges that the file `results` does not hold yet, add them to it, and
    return the book of all that it holds. After `minutes` it stops and leaves the rest for another time."""
    known, positions = from_records(read_records(results)), Positions(game)
    todo = [edges for count in range(plies + 1) for edges in positions.depth_first(count) if edges not in known]
    solver = DotsSolver(game, megabytes, threads, book=False)
    began, cpu_began = monotonic(), process_time()
    said = began
    for done, edges in enumerate(todo, 1):
        if minutes is not None and monotonic() - began >= 60.0 * minutes:
            break
        add_records(results, [as_record(edges, solver.margin_after(edges))])
        if monotonic() - said > _REPORT_SECONDS or done == len(todo):
            said = monotonic()
            report(Progress(done, len(todo), said - began, process_time() - cpu_began, solver.nodes))
    return DotsBook(game, from_records(read_records(results)), plies)
