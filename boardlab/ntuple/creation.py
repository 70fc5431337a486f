"""Making n-tuples: the fixed sets of a game, random points, random walks, random box walks, or a file.

`make_tuples` reads a short text, the same on the command line and in agent files:

    default             the game's recommended set, or random walks where it has none
    mode6               a fixed set of the game by its name
    walk:70x8           70 random walks of 8 cells; several lengths: walk:50x6+20x8
    points:30x5         30 tuples of 5 cells drawn at random
    box-walk:80x16      80 walks over the boxes of Dots and Boxes, 16 edges each
    path/to/file.json   a list of lists of cells
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from boardlab import grids
from boardlab.errors import BoardlabError, printable, unknown_name
from boardlab.game import Game
from boardlab.ntuple.layout import MOST_TUPLES
from boardlab.rng import Rng, make_rng, random_below

__all__ = ["DEFAULT_WALKS", "box_walk", "make_tuples", "random_points", "random_walk", "read_tuples"]

DEFAULT_WALKS = "walk:32x6"
"""What a game gets that has no tuple set of its own; shorter where it has fewer cells."""

_STREAM = 77
"""Tuples are drawn from a stream of their own, so that the same seed gives the same tuples in any training."""


def make_tuples(game: Game, text: str, seed: int) -> list[list[int]]:
    """The tuples that `text` describes; random ones follow from the seed."""
    fixed = game.tuple_sets()
    if text == "default":
        return next(iter(fixed.values())) if fixed else make_tuples(game, _default_walks(game), seed)
    if text in fixed:
        return fixed[text]
    kind, colon, numbers = text.partition(":")
    if colon and kind in _KINDS:
        rng = make_rng(seed, _STREAM)
        counts = _read_counts(text, numbers)
        _refuse_too_many(game, text, counts)
        return [_KINDS[kind](game, length, rng) for count, length in counts for _ in range(count)]
    if text.endswith(".json"):
        return read_tuples(Path(text))
    raise unknown_name(
        f"tuple set of {game.title}",
        text,
        [*fixed, "default", "walk:70x8", "points:30x5", "box-walk:80x16", "FILE.json"],
    )


def random_points(game: Game, length: int, rng: Rng) -> list[int]:
    """Different cells anywhere on the board."""
    _check_length(game, length)
    cells = list(range(game.num_cells))
    for k in range(length):
        other = k + int(random_below(rng, len(cells) - k))
        cells[k], cells[other] = cells[other], cells[k]
    return cells[:length]


def random_walk(game: Game, length: int, rng: Rng) -> list[int]:
    """Each new cell is adjacent to one that is already in. A walk that is stuck begins anew elsewhere."""
    _check_length(game, length)
    neighbours = game.neighbours()
    if not any(neighbours):
        return random_points(game, length, rng)
    for _ in range(1000):
        walk = [int(random_below(rng, game.num_cells))]
        while len(walk) < length:
            border = sorted({n for cell in walk for n in neighbours[cell]} - set(walk))
            if not border:
                break
            walk.append(border[int(random_below(rng, len(border)))])
        if len(walk) == length:
            return walk
    raise BoardlabError(f"the board of {game.title} has no {length} cells that hang together; take shorter walks")


def box_walk(game: Game, length: int, rng: Rng) -> list[int]:
    """From box to one of the eight boxes around it, taking all edges of each (Thill 2015, 3.4.2). Edges of the last box
    that would be too many are left out at random."""
    _check_length(game, length)
    boxes: Sequence[Sequence[int]] | None = getattr(game, "boxes", lambda: None)()
    if boxes is None:
        raise BoardlabError(f"a box walk needs a game with boxes, as Dots and Boxes; {game.title} has none")
    around = grids.king_neighbours(game.rows, game.columns)  # type: ignore[attr-defined]
    box = int(random_below(rng, len(boxes)))
    walk: list[int] = []
    while len(walk) < length:
        new = [edge for edge in boxes[box] if edge not in walk]
        while new and len(walk) < length:
            walk.append(new.pop(int(random_below(rng, len(new)))))
        beside = around[box]
        box = beside[int(random_below(rng, len(beside)))] if beside else box
    return walk


def read_tuples(path: Path) -> list[list[int]]:
    """Tuples from a JSON file: a list of lists of cell numbers, or an object that has one under "tuples"."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BoardlabError(f"the tuples cannot be read: {error}") from error
    except (ValueError, RecursionError) as error:
        raise BoardlabError(f"{path} is not JSON: {error}") from error
    tuples = content.get("tuples") if isinstance(content, dict) else content
    if not isinstance(tuples, list) or not all(
        isinstance(t, list) and all(type(cell) is int for cell in t) for t in tuples
    ):
        raise BoardlabError(f"{path} must hold a list of lists of cell numbers, as [[0, 1, 2], [3, 4, 5]]")
    return tuples


_KINDS: dict[str, Callable[[Game, int, Rng], list[int]]] = {
    "walk": random_walk,
    "points": random_points,
    "box-walk": box_walk,
}


def _read_counts(text: str, numbers: str) -> list[tuple[int, int]]:
    found = [re.fullmatch(r"([0-9]{1,12})x([0-9]{1,12})", part) for part in numbers.split("+")]
    if not all(found):
        raise BoardlabError(f"{printable(text)!r} must give count and length, as walk:70x8 or walk:50x6+20x8")
    counts = [(int(m[1]), int(m[2])) for m in found if m]
    if any(count < 1 or length < 1 for count, length in counts):
        raise BoardlabError(f"count and length in {printable(text)!r} are 1 or more")
    return counts


def _refuse_too_many(game: Game, text: str, counts: list[tuple[int, int]]) -> None:
    """Before the first of them is drawn: absurd numbers shall not keep a machine busy."""
    for _, length in counts:
        _check_length(game, length)
    total = sum(count for count, _ in counts)
    if total <= MOST_TUPLES or game.num_cells == 0:
        return
    values = int(max(game.cell_values()))
    weights = sum(count * values**length for count, length in counts)
    raise BoardlabError(
        f"{printable(text)!r} asks for {total:,} n-tuples, a network has at most {MOST_TUPLES:,}; the look-up tables of"
        f" these would need up to {4 * weights / 2**30:,.1f} GB for the weights of one table set"
    )


def _default_walks(game: Game) -> str:
    count, length = _read_counts(DEFAULT_WALKS, DEFAULT_WALKS.partition(":")[2])[0]
    return f"walk:{count}x{min(length, game.num_cells)}"


def _check_length(game: Game, length: int) -> None:
    if length > game.num_cells:
        raise BoardlabError(f"{game.title} has {game.num_cells} cells, so a tuple cannot have {length}")
