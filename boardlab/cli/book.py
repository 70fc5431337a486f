"""`boardlab book connect4`: compute the opening book of the Connect-4 solver, in one go or in several."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from boardlab.cli.output import console
from boardlab.errors import BoardlabError
from boardlab.solvers.connect4_book import BOOK_FILE, Progress, make_book

__all__ = ["run"]


def run(
    game: str,
    plies: int = 8,
    resume: Path | None = None,
    out: Path | None = None,
    megabytes: int = 4096,
    threads: int = 2,
    minutes: float | None = None,
) -> None:
    """Solve all positions of `plies` stones and write the book to `out`, the package's own by default. Results are
    collected in the file `resume`, which a later run continues; `minutes` limits this run."""
    if game != "connect4":
        raise BoardlabError(f"there are opening books for connect4, not for {game}")
    if not 1 <= plies <= 12:
        raise BoardlabError(f"a book has 1 to 12 plies, not {plies}")
    target = out or BOOK_FILE
    results = resume or target.with_suffix(".part")
    say = partial(console().print, soft_wrap=True)
    say(f"results go to {results}; stop and go on whenever you like")
    book = make_book(
        plies, results, megabytes=megabytes, threads=threads, minutes=minutes, report=lambda p: say(_line(p))
    )
    book.save(target)
    known, all_ = book.known[plies], len(book.keys[plies])
    gaps = "complete" if known == all_ else f"{known:,} of {all_:,} positions of {plies} plies, the rest are gaps"
    say(f"{target}: {target.stat().st_size:,} bytes, {gaps}")


def _line(progress: Progress) -> str:
    done = max(progress.done, 1)
    return (
        f"{progress.done:,} of {progress.todo:,} positions in {progress.seconds / 60:.1f} min, "
        f"{1000 * progress.cpu_seconds / done:.0f} ms CPU each, "
        f"{progress.nodes / max(progress.cpu_seconds, 1e-9) / 1e6:.1f} M nodes/s, "
        f"about {progress.seconds_left / 60:.0f} min left"
    )
