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
from boardlab.solvers.dots_book import DotsBook, as_record, book_file, from_records

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
    """Solve the positions with up to so many edges that neither the package's own book nor the file `results` holds
    yet, add them to the file, and return the book of all. After `minutes` it stops and leaves the rest for another
    time."""
    todo = _book(game, plies, results).gaps()
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
    return _book(game, plies, results)


def _book(game: DotsAndBoxes, plies: int, results: Path) -> DotsBook:
    """All that is known."""
    known = DotsBook.load(game, book_file(game)).by_edges() if book_file(game).exists() else {}
    return DotsBook(game, known | from_records(read_records(results)), plies)
