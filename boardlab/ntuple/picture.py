"""A picture of n-tuples: a small board for each of them, with its cells marked and joined in their order.

It works for any game with cells: `Game.cell_outline` says where each cell lies, be it a field or an edge. Called by the
command line and the web arena to show what a network looks at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from boardlab.drawing import BOARD, FIRST, INK, LINE, MARK, PAPER, Picture
from boardlab.game import Game
from boardlab.ntuple.layout import check_tuples

__all__ = ["draw_tuples"]

Point = tuple[float, float]

_LARGEST_BOARD = 116.0
_LARGEST_FIELD = 30.0
_GAP = 14.0
_HEAD = 18.0
"""Room for the number above a board."""


def draw_tuples(game: Game, tuples: Sequence[Sequence[int]], columns: int = 8) -> str:
    """The tuples as SVG, `columns` boards in a row. The first cell of each tuple carries the large mark; an empty
    tuple, the bias, is a board without any."""
    checked = check_tuples(game, tuples)
    board = _Board(game)
    columns = max(1, min(columns, len(checked)))
    rows = math.ceil(len(checked) / columns)
    across, down = board.width + _GAP, board.height + _HEAD + _GAP
    picture = Picture(columns * across + _GAP, rows * down + _GAP, f"{len(checked)} n-tuples of {game.title}")
    picture.rect(0, 0, picture.width, picture.height, PAPER)
    for number, cells in enumerate(checked):
        row, column = divmod(number, columns)
        left, top = _GAP + column * across, _GAP + row * down
        text = str(number + 1) if cells else f"{number + 1} bias"
        picture.text(left + board.width / 2, top + _HEAD / 2 - 2, text, 12)
        board.draw(picture, cells, left, top + _HEAD)
    return picture.svg()


class _Board:
    """The outlines of all cells and where they are marked, in the units of the picture, from the origin."""

    def __init__(self, game: Game) -> None:
        outlines = [game.cell_outline(cell) for cell in range(game.num_cells)]
        xs, ys = zip(*(point for outline in outlines for point in outline), strict=True)
        unit = min(_LARGEST_FIELD, _LARGEST_BOARD / max(max(xs) - min(xs), max(ys) - min(ys)))
        self.width, self.height = unit * (max(xs) - min(xs)), unit * (max(ys) - min(ys))
        self.outlines: list[list[Point]] = [
            [(unit * (x - min(xs)), unit * (y - min(ys))) for x, y in outline] for outline in outlines
        ]
        self.marks = _mark_points(self.outlines, 0.35 * unit)
        self.radius = min(4.0, 0.16 * unit)

    def draw(self, picture: Picture, cells: Sequence[int], left: float, top: float) -> None:
        """One board with the cells of one tuple."""
        ordered = sorted(range(len(self.outlines)), key=lambda cell: cell in cells)  # marked edges above the others
        for cell in ordered:
            outline = [(left + x, top + y) for x, y in self.outlines[cell]]
            marked = cell in cells
            if len(outline) == 2:
                picture.line(*outline[0], *outline[1], FIRST if marked else LINE, 4 if marked else 0.8)
            else:
                picture.polygon(outline, FIRST if marked else BOARD, stroke=PAPER, stroke_width=1.2)
        marks = [(left + self.marks[cell][0], top + self.marks[cell][1]) for cell in cells]
        for start, end in pairwise(marks):
            picture.line(*start, *end, INK, 1.4)
        for k, mark in enumerate(marks):
            picture.circle(*mark, self.radius * (1.6 if k == 0 else 1), MARK if k == 0 else INK)


def _mark_points(outlines: list[list[Point]], apart: float) -> list[Point]:
    """The middle of each cell. Edges may cross in their middles; a later one is marked further along then, at the
    first place that is free, or that is freer than the others."""
    marks: list[Point] = []
    for outline in outlines:
        middle = (sum(x for x, _ in outline) / len(outline), sum(y for _, y in outline) / len(outline))
        end = outline[0]
        shifts = (0, 0.2, -0.2, 0.4, -0.4, 0.6, -0.6)
        choices = [(middle[0] + t * (end[0] - middle[0]), middle[1] + t * (end[1] - middle[1])) for t in shifts]
        room = [min((math.dist(point, mark) for mark in marks), default=math.inf) for point in choices]
        marks.append(choices[max(range(len(choices)), key=lambda k: min(room[k], apart))])
    return marks
