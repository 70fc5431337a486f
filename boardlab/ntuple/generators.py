"""Generators of random n-tuples: points anywhere, walks over the board, snakes, walks from box to box.

A game of one's own may have a generator in its file: a class that derives from `TupleGenerator`, has a `name` and draws
one tuple; `NAME:10x4` then asks for ten of four cells.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import ClassVar

from boardlab import grids
from boardlab.components.companion import Companion, Companions
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.rng import Rng, random_below

__all__ = [
    "TupleGenerator",
    "box_walk",
    "check_length",
    "cluster",
    "generator_classes",
    "make_generator",
    "random_examples",
    "random_points",
    "random_walk",
    "snake",
]

Neighbours = list[list[int]]


class TupleGenerator(Companion, ABC):
    """Base class of generators."""

    example: ClassVar[str] = "10x4"
    """Count and length that make sense, for messages."""

    @cached_property
    def neighbours(self) -> Neighbours:
        """For each cell the adjacent cells."""
        return self.game.neighbours()

    @abstractmethod
    def draw(self, length: int, rng: Rng) -> list[int]:
        """One tuple: so many different cells."""


def random_points(game: Game, length: int, rng: Rng) -> list[int]:
    """Different cells anywhere on the board."""
    check_length(game, length)
    cells = list(range(game.num_cells))
    for k in range(length):
        other = k + int(random_below(rng, len(cells) - k))
        cells[k], cells[other] = cells[other], cells[k]
    return cells[:length]


def random_walk(game: Game, length: int, rng: Rng, neighbours: Neighbours | None = None) -> list[int]:
    """Each new cell is adjacent to one that is already in. A walk that is stuck begins anew elsewhere. Who draws many
    of them gives the neighbours of all cells."""

    def border(cells: list[int], neighbours: Neighbours) -> list[int]:
        return sorted({beside for cell in cells for beside in neighbours[cell]}.difference(cells))

    failed = f"the board of {game.title} has no {length} cells that hang together; take shorter walks"
    return _grown(game, length, rng, neighbours, border, failed)


def cluster(game: Game, length: int, rng: Rng, neighbours: Neighbours | None = None) -> list[int]:
    """Each new cell is adjacent to a random one of those before (the random walks of GBG), so that the cells lie closer
    together than those of a `random_walk`. A cluster that cannot grow begins anew elsewhere."""

    def beside_one(cells: list[int], neighbours: Neighbours) -> list[int]:
        free = [_free(cell, cells, neighbours) for cell in cells]
        beside = [found for found in free if found]
        return beside[int(random_below(rng, len(beside)))] if beside else []

    failed = f"the board of {game.title} has no {length} cells that hang together; take shorter clusters"
    return _grown(game, length, rng, neighbours, beside_one, failed)


def snake(game: Game, length: int, rng: Rng, neighbours: Neighbours | None = None) -> list[int]:
    """Each new cell is adjacent to the one before it, and none is visited twice (Thill 2015, 3.4.2). A snake that is
    stuck begins anew elsewhere."""

    def beside_last(cells: list[int], neighbours: Neighbours) -> list[int]:
        return _free(cells[-1], cells, neighbours)

    failed = f"no way over {length} cells was found on the board of {game.title}; take shorter ones"
    return _grown(game, length, rng, neighbours, beside_last, failed)


def _free(cell: int, cells: list[int], neighbours: Neighbours) -> list[int]:
    """The neighbours of a cell that are not in."""
    return [beside for beside in neighbours[cell] if beside not in cells]


def _grown(
    game: Game,
    length: int,
    rng: Rng,
    neighbours: Neighbours | None,
    following: Callable[[list[int], Neighbours], list[int]],
    failed: str,
) -> list[int]:
    """A tuple that grows from a random cell, each time by one of those `following`; where there is none too early, it
    begins anew. Points anywhere where no cell has a neighbour."""
    check_length(game, length)
    neighbours = game.neighbours() if neighbours is None else neighbours
    if not any(neighbours):
        return random_points(game, length, rng)
    for _ in range(1000):
        cells = [int(random_below(rng, game.num_cells))]
        while len(cells) < length and (choice := following(cells, neighbours)):
            cells.append(choice[int(random_below(rng, len(choice)))])
        if len(cells) == length:
            return cells
    raise BoardlabError(failed)


def box_walk(game: Game, length: int, rng: Rng) -> list[int]:
    """From box to one of the eight boxes around it, taking all edges of each (thesis, 3.4.2). Edges of the last box
    that would be too many are left out at random. Cells that every walk sees (`common_cells`) count as cells."""
    check_length(game, length)
    boxes: Sequence[Sequence[int]] = game.boxes()  # type: ignore[attr-defined]
    around = grids.king_neighbours(game.rows, game.columns)  # type: ignore[attr-defined]
    box = int(random_below(rng, len(boxes)))
    walk: list[int] = getattr(game, "common_cells", list)()[:length]
    while len(walk) < length:
        new = [edge for edge in boxes[box] if edge not in walk]
        while new and len(walk) < length:
            walk.append(new.pop(int(random_below(rng, len(new)))))
        beside = around[box]
        box = beside[int(random_below(rng, len(beside)))] if beside else box
    return walk


class Walk(TupleGenerator):
    """Random walks over neighbouring cells."""

    name = "walk"
    example = "70x8"

    def draw(self, length: int, rng: Rng) -> list[int]:
        return random_walk(self.game, length, rng, self.neighbours)


class Cluster(TupleGenerator):
    """Cells beside a random one of those before."""

    name = "cluster"
    example = "25x6"

    def draw(self, length: int, rng: Rng) -> list[int]:
        return cluster(self.game, length, rng, self.neighbours)


class Snake(TupleGenerator):
    """Random walks that go on from their last cell."""

    name = "snake"
    example = "70x8"

    def draw(self, length: int, rng: Rng) -> list[int]:
        return snake(self.game, length, rng, self.neighbours)


class Points(TupleGenerator):
    """Cells anywhere on the board."""

    name = "points"
    example = "30x5"

    def draw(self, length: int, rng: Rng) -> list[int]:
        return random_points(self.game, length, rng)


class BoxWalk(TupleGenerator):
    """Random walks over the boxes of Dots and Boxes."""

    name = "box-walk"
    example = "80x16"

    @classmethod
    def unsuited(cls, game: Game) -> str:
        return "" if hasattr(game, "boxes") else "needs a game with boxes, as Dots and Boxes"

    def draw(self, length: int, rng: Rng) -> list[int]:
        return box_walk(self.game, length, rng)


_generators: Companions[TupleGenerator] = Companions("tuple generator", TupleGenerator, "boardlab.ntuple")  # type: ignore[type-abstract]


def generator_classes(game: Game) -> dict[str, type[TupleGenerator]]:
    """All generators by name, those in the file of the game first."""
    return _generators.classes_for(game)


def make_generator(cls: type[TupleGenerator], game: Game) -> TupleGenerator:
    """The generator for a game that suits it."""
    reason = cls.unsuited(game)
    if reason:
        raise BoardlabError(f"{cls.name} {reason}; it cannot be used for {game.title}")
    return cls(game)


def random_examples(game: Game) -> list[str]:
    """How random tuples for the game are asked for, as `walk:70x8`."""
    classes = generator_classes(game)
    return [f"{name}:{cls.example}" for name, cls in classes.items() if not cls.unsuited(game)]


def check_length(game: Game, length: int) -> None:
    """Refuse tuples that are longer than the board."""
    if length > game.num_cells:
        raise BoardlabError(f"{game.title} has {game.num_cells} cells, so a tuple cannot have {length}")
