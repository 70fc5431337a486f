"""Rectangular boards: symmetries, neighbours, names of cells and their picture as text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["cell_name", "column_name", "grid_symmetries", "king_neighbours", "text_grid"]


def grid_symmetries(rows: int, columns: int) -> NDArray[np.int64]:
    """The rotations and reflections of a row-major grid, identity first: 8 on a square, else 4.
    Row p of the result: the new cell i takes the value of the old cell p[i]."""
    board = np.arange(rows * columns, dtype=np.int64).reshape(rows, columns)
    turned = [np.rot90(board, k) for k in (range(4) if rows == columns else (0, 2))]
    both = [b for t in turned for b in (t, np.fliplr(t))]
    return np.array([b.ravel() for b in both])


def king_neighbours(rows: int, columns: int) -> list[list[int]]:
    """For each cell of a row-major grid the up to eight cells around it."""
    steps = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if (dr, dc) != (0, 0)]
    return [
        [(r + dr) * columns + c + dc for dr, dc in steps if 0 <= r + dr < rows and 0 <= c + dc < columns]
        for r in range(rows)
        for c in range(columns)
    ]


def column_name(column: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    letters = ""
    column += 1
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def cell_name(row: int, column: int) -> str:
    """a1 is the top left cell, b1 the one to its right."""
    return f"{column_name(column)}{row + 1}"


def text_grid(marks: Sequence[Sequence[str]], *, row_labels: bool = True, column_labels: bool = True) -> str:
    """Rows of marks, each right-aligned in a column as wide as the widest, with letters above and numbers
    beside them."""
    columns = len(marks[0])
    width = max(len(m) for row in marks for m in row)
    lines = []
    if column_labels:
        lines.append(("   " if row_labels else "") + " ".join(column_name(c).rjust(width) for c in range(columns)))
    for r, row in enumerate(marks):
        label = f"{r + 1:2d} " if row_labels else ""
        lines.append(label + " ".join(m.rjust(width) for m in row))
    return "\n".join(lines)
