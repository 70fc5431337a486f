"""Nimm-3, the smallest game worth learning: one pile, of which one leaves a multiple of four if one can. Action =
stones taken - 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boardlab import drawing
from boardlab.errors import BoardlabError
from boardlab.game import Game, State
from boardlab.parameters import parameter


class Nimm3(Game):
    """Two players take turns to take one, two or three stones from a pile. Whoever takes the last stone wins."""

    name = "nimm3"
    title = "Nimm-3"
    sample_moves = ("3",)
    pile: int = parameter(15, 1, 60, doc="stones at the start")
    num_actions = 3
    num_cells = 1
    feature_modes = ("cells", "divisors")
    evaluators = ("perfect",)
    largest_divisor = 5

    state = np.dtype(
        [
            ("left", np.int8),  # stones on the pile
            ("player", np.int8),  # who moves; in a finished game who would move, and has lost
        ]
    )

    def setup(self) -> None:
        self.num_values = self.pile + 1
        self.max_moves = self.pile

    # ------------------------------------------------------------ rules

    def reset(self, s: State) -> None:
        s.left = self.pile

    def legal_actions(self, s: State, actions: NDArray[np.int64]) -> int:
        n = min(3, int(s.left))
        for i in range(n):
            actions[i] = i
        return n

    def advance(self, s: State, action: int) -> None:
        s.left = int(s.left) - action - 1
        s.player = 1 - int(s.player)

    def is_over(self, s: State) -> bool:
        return int(s.left) == 0

    def scores(self, s: State, out: NDArray[np.float64]) -> None:
        out[0] = 0.0
        out[1] = 0.0
        if int(s.left) == 0:
            out[int(s.player)] = -1.0
            out[1 - int(s.player)] = 1.0

    # ------------------------------------------------------------ the learner's view

    def cells(self, s: State, out: NDArray[np.int8]) -> None:
        out[0] = s.left

    def changed_cells(self, s: State, action: int, cells: NDArray[np.int32], values: NDArray[np.int8]) -> int:
        cells[0] = 0
        values[0] = int(s.left) - action - 1
        return 1

    def tuple_sets(self) -> dict[str, list[list[int]]]:
        return {"pile": [[0]]}

    def num_features(self, mode: int) -> int:
        return 1 if mode == 0 else self.largest_divisor - 1

    def features(self, s: State, mode: int, out: NDArray[np.float64]) -> None:
        """Mode 1: for k = 2..5 whether the pile is divisible by k (equation 5 of the TD report). A learner has to
        find out that only k = 4 matters."""
        left = int(s.left)
        if mode == 0:
            out[0] = left
            return
        for k in range(2, self.largest_divisor + 1):
            out[k - 2] = 1.0 if left % k == 0 else 0.0

    def feature_names(self, mode: int) -> list[str]:
        return ["stones"] if mode == 0 else [f"g_{k}" for k in range(2, self.largest_divisor + 1)]

    # ------------------------------------------------------------ the person's view

    def set_up(self, s: State, values: Sequence[int], player: int) -> None:
        gone = self.pile - values[0]
        if not any(moves % 2 == player for moves in range(-(-gone // 3), gone + 1)):
            raise BoardlabError(f"no number of moves leads to it with {self.player_name(player)} to move")
        s.left = values[0]
        s.player = player

    def describe(self, s: State) -> str:
        left = int(s.left)
        return f"{left:2d}  {'o ' * left}".rstrip()

    def draw(self, s: State, last_action: int | None = None) -> str:
        """The pile in rows of ten. A click on the k-th stone from the end takes k; those just taken are outlined."""
        left = int(s.left)
        size = 36
        picture = drawing.Picture(10 * size + 16, -(-self.pile // 10) * size + 44, f"{self.title}: {left} left")
        picture.rect(0, 0, picture.width, picture.height, drawing.BOARD, rx=10)
        for place in range(left + (0 if last_action is None else last_action + 1)):
            row, column = divmod(place, 10)
            centre = (8 + (column + 0.5) * size, 8 + (row + 0.5) * size)
            if place >= left:
                picture.circle(*centre, size * 0.38, "none", stroke=drawing.MARK, stroke_dasharray="4 3")
            elif left - place <= 3:
                takers = list(range(left - place - 1, min(3, left)))
                picture.circle(*centre, size * 0.4, drawing.FIRST, action=left - place - 1)
                picture.circle(*centre, size * 0.4, drawing.MARK, ghost=takers, opacity=0.85)
                picture.text(*centre, str(left - place), 14, drawing.PAPER)
            else:
                picture.circle(*centre, size * 0.4, drawing.LINE)
        picture.text(picture.width / 2, picture.height - 18, f"{left} left", 16)
        return picture.svg()
