"""The opening book of the Connect Four solver: the exact score of every position of the first plies.

Nothing but scores is stored. All positions up to a ply, mirror images counted once, can be listed in no time, so the
file holds one byte for each of them in the order of their keys, compressed; positions in which the player to move
wins at once are left out. `OpeningBook.load` lists the positions again and puts the scores beside them.

`make_book` computes the positions of one ply with a large transposition table that its threads share, in depth-first
order, so that neighbours share most of their search; what a smaller book knows bounds them from below. Results are
appended to a file at once: the work can be stopped at any time and goes on there. What comes before that ply follows
from it move by move. A book that is not finished is a book with gaps; the solver searches where it finds one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from time import monotonic, process_time

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardlabError
from boardlab.solvers.book_file import Progress, add_records, read_book, read_records, write_book
from boardlab.solvers.bound_table import new_table
from boardlab.solvers.connect4_bits import BOARD, BOTTOM, canonical, fours, mirrored, position_key, winning_cells
from boardlab.solvers.connect4_search import STACK_SIZE, new_history, solve

__all__ = ["BOOK_FILE", "OpeningBook", "make_book", "positions"]

BOOK_FILE = Path(str(files("boardlab"))) / "data" / "connect4_book.bin"
"""The book that ships with the package."""

Keys = NDArray[np.int64]
Scores = NDArray[np.int8]

UNKNOWN = 127
_COLUMNS = [63 << (7 * column) for column in range(7)]
_MAGIC = b"c4-book\n"
_VERSION = 1


# ---------------------------------------------------------------- the positions of the first plies


def positions(plies: int) -> list[Keys]:
    """The keys, ascending, of all positions of 0, 1, ... `plies` stones without four in a row, one for each pair of
    mirror images."""
    levels = [np.array([position_key(0, 0)], np.int64)]
    for _ in range(plies):
        mine, mask = _boards(levels[-1])
        children = [_canonical(position_key(m ^ k, k | move)) for m, k, move in _moves(mine, mask)]
        levels.append(_distinct(np.concatenate(children)))
    return levels


def _distinct(keys: Keys) -> Keys:
    """The keys in ascending order, each once. (`np.unique` takes 20 times as long for 600,000 of them.)"""
    keys.sort()
    return keys[np.diff(keys, prepend=-1) != 0]


def _moves(mine: Keys, mask: Keys) -> Iterator[tuple[Keys, Keys, Keys]]:
    """For each column: stones, mask and move of the positions where it can be played and does not win."""
    for column in _COLUMNS:
        move = (mask + BOTTOM) & column
        keep = (move != 0) & (fours(mine | move) == 0)
        yield mine[keep], mask[keep], move[keep]


def _boards(keys: Keys) -> tuple[Keys, Keys]:
    """The stones of the player to move and the mask of all stones, from keys."""
    mask = np.zeros_like(keys)
    for column in range(7):
        field = (keys >> (7 * column)) & 127
        field |= field >> 1
        field |= field >> 2
        field |= field >> 4
        mask |= (field >> 1) << (7 * column)
    return keys - mask - BOTTOM, mask


def _canonical(keys: Keys) -> Keys:
    return np.minimum(keys, mirrored(keys))


def _wins_at_once(mine: Keys, mask: Keys) -> NDArray[np.bool_]:
    return (winning_cells(mine) & (mask + BOTTOM) & BOARD) != 0


# ---------------------------------------------------------------- the book


@dataclass(frozen=True)
class OpeningBook:
    """Scores of the first plies: `keys[p]`, ascending, are the positions of p stones in which the player to move
    cannot win at once, `scores[p]` their scores, `UNKNOWN` where there is a gap."""

    keys: list[Keys]
    scores: list[Scores]

    @classmethod
    def empty(cls, plies: int) -> OpeningBook:
        """A book of gaps."""
        keys = [level[~_wins_at_once(*_boards(level))] for level in positions(plies)]
        return cls(keys, [np.full(len(level), UNKNOWN, np.int8) for level in keys])

    @property
    def plies(self) -> int:
        """Up to how many stones the book goes."""
        return len(self.keys) - 1

    @property
    def known(self) -> list[int]:
        """For each ply the number of positions without a gap."""
        return [int(np.count_nonzero(level != UNKNOWN)) for level in self.scores]

    @property
    def size(self) -> list[int]:
        """For each ply the number of positions."""
        return [len(level) for level in self.keys]

    def score(self, key: int, ply: int) -> int | None:
        """The score of a position by its canonical key; None where the book does not know it."""
        if ply > self.plies:
            return None
        place = int(np.searchsorted(self.keys[ply], key))
        if place == len(self.keys[ply]) or self.keys[ply][place] != key:
            return None
        score = int(self.scores[ply][place])
        return None if score == UNKNOWN else score

    def least(self, mine: int, mask: int) -> int:
        """A score that the player to move reaches at least: who moved last had no move that was worth more than the
        position before. -21 where the book knows none of those that may have come before."""
        theirs, ply, least = mine ^ mask, mask.bit_count(), -21
        for column in _COLUMNS:
            top = (1 << (mask & column).bit_length()) >> 1
            if theirs & top:
                before = self.score(int(canonical(position_key(theirs ^ top, mask ^ top))), ply - 1)
                least = least if before is None else max(least, -before)
        return least

    def enter(self, results: dict[int, int]) -> None:
        """Fill in scores by key, then what follows from them for the plies before."""
        for ply, (keys, scores) in enumerate(zip(self.keys, self.scores, strict=True)):
            found = [results.get(int(key), UNKNOWN) for key in keys]
            self.scores[ply][:] = np.where(np.array(found) != UNKNOWN, found, scores)
        for ply in reversed(range(self.plies)):
            self._derive(ply)

    def _derive(self, ply: int) -> None:
        """Scores of one ply as the best of those of the next; a gap stays where the best is not known."""
        mine, mask = _boards(self.keys[ply])
        best = np.full(len(mine), -64)
        for column in _COLUMNS:
            move = (mask + BOTTOM) & column
            here = move != 0
            child_mine, child_mask = (mine ^ mask)[here], (mask | move)[here]
            score = np.full(len(child_mine), (42 - ply) >> 1)  # where the answer wins at once
            open_ = ~_wins_at_once(child_mine, child_mask)
            keys = _canonical(position_key(child_mine, child_mask))[open_]
            score[open_] = self.scores[ply + 1][np.searchsorted(self.keys[ply + 1], keys)]
            best[here] = np.maximum(best[here], np.where(score == UNKNOWN, UNKNOWN, -score))
        self.scores[ply][:] = np.where(self.scores[ply] == UNKNOWN, best, self.scores[ply])

    def save(self, path: Path) -> None:
        """Write the book file."""
        write_book(path, _MAGIC, _VERSION, self.plies, np.concatenate(self.scores).tobytes())

    @classmethod
    def load(cls, path: Path = BOOK_FILE) -> OpeningBook:
        """Read a book file."""
        plies, content = read_book(path, _MAGIC, _VERSION, "Connect Four")
        book = cls.empty(plies)
        scores = np.frombuffer(content, np.int8)
        ends = np.cumsum([len(level) for level in book.keys])
        if len(scores) != ends[-1]:
            raise BoardlabError(f"the opening book {path} holds {len(scores)} scores instead of {ends[-1]}")
        return cls(book.keys, np.split(scores, ends[:-1]))


# ---------------------------------------------------------------- making it


def make_book(
    plies: int,
    results: Path,
    *,
    megabytes: int = 4096,
    threads: int = 2,
    minutes: float | None = None,
    report: Callable[[Progress], None] = lambda progress: None,
) -> OpeningBook:
    """Solve the positions of `plies` stones that the file `results` does not hold yet, add them to it, and return
    the book of all that it holds. After `minutes` it stops and leaves the rest for another time. The book of the
    package saves a fifth of the time where it goes to the ply before."""
    known = _read_results(results)
    todo = [(key, *board) for key, board in _depth_first(plies).items() if key not in known]
    smaller = OpeningBook.load() if BOOK_FILE.exists() else OpeningBook([], [])
    work = _Work(todo, results, smaller, new_table(megabytes), minutes)
    workers = [threading.Thread(target=work.run, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        for worker in workers:
            worker.join(timeout=10.0 / threads)
        report(work.progress())
    report(work.progress())
    if work.error is not None:
        raise work.error
    book = OpeningBook.empty(plies)
    book.enter(_read_results(results))
    return book


class _Work:
    """The positions still to be solved, taken by the threads a few at a time."""

    def __init__(
        self,
        todo: list[tuple[int, int, int]],
        results: Path,
        smaller: OpeningBook,
        table: Keys,
        minutes: float | None,
    ) -> None:
        self.todo, self.results, self.smaller, self.table = todo, results, smaller, table
        self.waiting = iter(todo)
        self.lock = threading.Lock()
        self.began, self.cpu_began = monotonic(), process_time()
        self.ends = float("inf") if minutes is None else self.began + 60.0 * minutes
        self.done = self.nodes = 0
        self.error: Exception | None = None

    def run(self) -> None:
        """Solve positions until none is left, time is up, or a thread failed."""
        try:
            self._solve_all()
        except Exception as error:
            self.error = error

    def _solve_all(self) -> None:
        stack, history, nodes = np.zeros(STACK_SIZE, np.int64), new_history(), np.zeros(1, np.int64)
        guess = 0
        while monotonic() < self.ends and self.error is None:
            with self.lock:
                batch = [position for _, position in zip(range(2), self.waiting)]
            if not batch:
                return
            records = []
            for key, mine, mask in batch:
                least = self.smaller.least(mine, mask)
                first = least + 1 if least > -21 else guess  # half of them are worth no more than they have to
                guess = solve(mine, mask, least, 21, first, self.table, stack, history, nodes)
                records.append((key << 6) + guess + 32)
            with self.lock:
                add_records(self.results, records)
                self.done += len(batch)
                self.nodes += int(nodes[0])
                nodes[0] = 0

    def progress(self) -> Progress:
        """Where the work stands."""
        with self.lock:
            spent, cpu = monotonic() - self.began, process_time() - self.cpu_began
            return Progress(self.done, len(self.todo), spent, cpu, self.nodes)


def _depth_first(plies: int) -> dict[int, tuple[int, int]]:
    """The positions of `plies` stones in which nobody has won or wins at once, by canonical key, in the order in
    which a depth-first walk from the centre outwards meets them."""
    seen: set[int] = set()
    found: dict[int, tuple[int, int]] = {}

    def walk(mine: int, mask: int, left: int) -> None:
        key = int(min(position_key(mine, mask), mirrored(position_key(mine, mask))))
        if key in seen:
            return
        seen.add(key)
        playable = (mask + BOTTOM) & BOARD
        winning = winning_cells(mine) & playable
        if left == 0:
            if not winning:
                found[key] = (mine, mask)
            return
        for column in (3, 2, 4, 1, 5, 0, 6):
            move = playable & _COLUMNS[column] & ~winning
            if move:
                walk(mine ^ mask, mask | move, left - 1)

    walk(0, 0, plies)
    return found


def _read_results(path: Path) -> dict[int, int]:
    """Scores by canonical key."""
    return {record >> 6: (record & 63) - 32 for record in read_records(path).tolist()}
