"""`boardlab book GAME`: compute the opening book of a solver, in one go or in several."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from boardlab.cli.output import console
from boardlab.errors import BoardlabError
from boardlab.registry import make
from boardlab.solvers.base import BookPlan, solver_of, solvers
from boardlab.solvers.book_file import Progress

__all__ = ["run"]


def run(
    game: str,
    plies: int | None = None,
    resume: Path | None = None,
    out: Path | None = None,
    megabytes: int = 4096,
    threads: int = 2,
    minutes: float | None = None,
) -> None:
    """Solve all positions of `plies` moves and write the book to `out`, the package's own by default. Results are
    collected in the file `resume`, which a later run continues; `minutes` limits this run."""
    plan = _plan(game)
    plies = plan.plies if plies is None else plies
    if not 1 <= plies <= plan.most_plies:
        raise BoardlabError(f"a book has 1 to {plan.most_plies} plies, not {plies}")
    target = out or plan.file
    results = resume or target.with_suffix(".part")
    say = partial(console().print, soft_wrap=True)
    say(f"results go to {results}; stop and resume whenever you like")
    book = plan.make(
        plies, results, megabytes=megabytes, threads=threads, minutes=minutes, report=lambda p: say(_line(p))
    )
    before = _known(plan, target)
    if before > sum(book.known):
        say(f"{target} knows more, {before:,} positions, and is kept; the results are in {results}")
        return
    book.save(target)
    known, all_ = book.known[plies], book.size[plies]
    gaps = "complete" if known == all_ else f"{known:,} of {all_:,} positions of {plies} plies, the rest are gaps"
    say(f"{target}: {target.stat().st_size:,} bytes, {gaps}")


def _plan(spec: str) -> BookPlan:
    game = make(spec)
    solver = solver_of(game)
    plan = solver.book() if solver else None
    if plan is None:
        known = " and for ".join(cls.books for cls in solvers.classes.values() if cls.books)
        raise BoardlabError(f"there are opening books for {known}, not for {spec}")
    return plan


def _known(plan: BookPlan, path: Path) -> int:
    """How many positions a book file knows; none where it is not there or not a book."""
    try:
        return sum(plan.load(path).known)
    except BoardlabError:
        return 0


def _line(progress: Progress) -> str:
    done = max(progress.done, 1)
    return (
        f"{progress.done:,} of {progress.todo:,} positions in {progress.seconds / 60:.1f} min, "
        f"{1000 * progress.cpu_seconds / done:.0f} ms CPU each, "
        f"{progress.nodes / max(progress.cpu_seconds, 1e-9) / 1e6:.1f} M nodes/s, "
        f"about {progress.seconds_left / 60:.0f} min left"
    )
