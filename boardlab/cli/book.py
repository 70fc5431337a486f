"""`boardlab book GAME`: compute the opening book of a solver, in one go or in several."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from boardlab.cli.output import console
from boardlab.errors import BoardlabError
from boardlab.games.dots import DotsAndBoxes
from boardlab.registry import make
from boardlab.solvers.book_file import Progress
from boardlab.solvers.connect4 import is_standard
from boardlab.solvers.connect4_book import BOOK_FILE, OpeningBook, make_book
from boardlab.solvers.dots import refusal
from boardlab.solvers.dots_book import DotsBook, book_file
from boardlab.solvers.dots_book_making import make_dots_book

__all__ = ["run"]


class _Kind(NamedTuple):
    """What the books of a game are like."""

    file: Path
    plies: int
    most_plies: int
    make: Callable[..., OpeningBook | DotsBook]
    load: Callable[[Path], OpeningBook | DotsBook]


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
    kind = _kind(game)
    plies = kind.plies if plies is None else plies
    if not 1 <= plies <= kind.most_plies:
        raise BoardlabError(f"a book has 1 to {kind.most_plies} plies, not {plies}")
    target = out or kind.file
    results = resume or target.with_suffix(".part")
    say = partial(console().print, soft_wrap=True)
    say(f"results go to {results}; stop and resume whenever you like")
    book = kind.make(
        plies, results, megabytes=megabytes, threads=threads, minutes=minutes, report=lambda p: say(_line(p))
    )
    before = _known(kind, target)
    if before > sum(book.known):
        say(f"{target} knows more, {before:,} positions, and is kept; the results are in {results}")
        return
    book.save(target)
    known, all_ = book.known[plies], book.size[plies]
    gaps = "complete" if known == all_ else f"{known:,} of {all_:,} positions of {plies} plies, the rest are gaps"
    say(f"{target}: {target.stat().st_size:,} bytes, {gaps}")


def _kind(spec: str) -> _Kind:
    game = make(spec)
    if is_standard(game):
        return _Kind(BOOK_FILE, 8, 12, make_book, OpeningBook.load)
    if isinstance(game, DotsAndBoxes) and refusal(game) is None:
        return _Kind(book_file(game), 2, 5, partial(make_dots_book, game), partial(DotsBook.load, game))
    raise BoardlabError(f"there are opening books for connect4 and for small boards of dots, not for {spec}")


def _known(kind: _Kind, path: Path) -> int:
    """How many positions a book file knows; none where it is not there or not a book."""
    try:
        return sum(kind.load(path).known)
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
