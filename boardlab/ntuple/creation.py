"""Making n-tuples: the fixed sets of a game, random ones (see `generators`), or a file.

`make_tuples` reads a short text, the same on the command line and in agent files:

    default             the game's recommended set, or random walks where it has none
    mode6               a fixed set of the game by its name
    walk:70x8           70 random walks of 8 cells; several lengths: walk:50x6+20x8
    points:30x5         30 tuples of 5 cells drawn at random
    cluster:25x6        25 sets of 6 cells, each beside a random one of those before
    snake:70x8          70 random walks that go on from their last cell
    box-walk:80x16      80 walks over the boxes of Dots and Boxes, 16 edges each
    cells:0-1-2+3-4     these tuples, by the numbers of their cells
    NAME:10x4           10 tuples of 4 cells by the generator NAME in the file of your game
    path/to/file.json   a list of lists of cells
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from boardlab.errors import BoardlabError, printable, unknown_name
from boardlab.game import Game
from boardlab.ntuple.generators import check_length, generator_classes, make_generator, random_examples
from boardlab.ntuple.layout import MOST_TUPLES
from boardlab.rng import make_rng

__all__ = ["DEFAULT_WALKS", "asked_tuples", "make_tuples", "read_tuples"]

DEFAULT_WALKS = "walk:32x6"
"""What a game gets that has no tuple set of its own; shorter where it has fewer cells."""

_STREAM = 77
"""Tuples are drawn from a stream of their own, so that the same seed gives the same tuples in any training."""


def make_tuples(game: Game, text: str, seed: int) -> list[list[int]]:
    """The tuples that `text` describes; random ones follow from the seed."""
    if game.num_cells == 0:
        raise BoardlabError(f"{game.spec} has no cells, so n-tuples cannot see it, and nobody can learn it by them")
    fixed = game.tuple_sets()
    if text == "default":
        return next(iter(fixed.values())) if fixed else make_tuples(game, _default_walks(game), seed)
    if text in fixed:
        return fixed[text]
    kind, colon, numbers = text.partition(":")
    known = generator_classes(game)
    if colon and kind in known:
        rng = make_rng(seed, _STREAM)
        counts = _read_counts(text, numbers)
        _refuse_too_many(game, text, counts)
        generator = make_generator(known[kind], game)
        return [generator.draw(length, rng) for count, length in counts for _ in range(count)]
    if kind == "cells" and colon:
        return _read_cells(text, numbers)
    if text.endswith(".json"):
        return read_tuples(Path(text))
    raise unknown_name(
        f"tuple set of {game.title}",
        text,
        [*fixed, "default", *random_examples(game), "FILE.json"],
    )


def asked_tuples(text: str) -> int:
    """How many random tuples `text` asks for, without drawing them; 0 where it names a set or a file."""
    _, colon, numbers = text.partition(":")
    return sum(count for count, _ in _read_counts(text, numbers)) if colon and "x" in numbers else 0


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


def _read_cells(text: str, listed: str) -> list[list[int]]:
    if not re.fullmatch(r"[0-9]{1,9}([-+][0-9]{1,9})*", listed):
        raise BoardlabError(f"{printable(text)!r} must list cells, as cells:0-1-2+3-4 for two tuples")
    return [[int(cell) for cell in part.split("-")] for part in listed.split("+")]


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
        check_length(game, length)
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
