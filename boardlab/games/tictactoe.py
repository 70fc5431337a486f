"""Tic-tac-toe on two bitboards of nine bits, cell = 3 * row + column from the top left. A table of all 512 boards
of one player tells which of them contain a line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boardlab import drawing, grids, setups
from boardlab.compiler.bits import popcount
from boardlab.errors import BoardlabError
from boardlab.game import Game, State
from boardlab.games.tuples import fixed_tuples

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class TicTacToe(Game):
    """Two players take turns to place X and O on a board of three by three. Three of your own in a row, straight or
    diagonal, win; a full board is a draw."""

    name = "tictactoe"
    title = "Tic-tac-toe"
    num_actions = 9
    num_cells = 9
    num_values = 3  # 0 = O (second player), 1 = empty, 2 = X (first player)
    grid = (3, 3)
    max_moves = 9
    symbols = "O.X"
    player_names = ("X", "O")
    feature_modes = ("cells", "lines")
    evaluators = ("perfect",)

    state = np.dtype(
        [
            ("stones", np.int16, (2,)),  # bitboard of each player
            ("player", np.int8),  # who moves; in a finished game who would move
            ("moves", np.int8),  # stones on the board
            ("won", np.bool_),  # the last stone completed a line
        ]
    )

    def setup(self) -> None:
        self.lines = tuple(sum(1 << cell for cell in line) for line in LINES)
        self.has_line = np.array([any(board & line == line for line in self.lines) for board in range(512)])

    # ------------------------------------------------------------ rules

    def reset(self, s: State) -> None:
        s.player = 0

    def legal_actions(self, s: State, actions: NDArray[np.int64]) -> int:
        occupied = int(s.stones[0]) | int(s.stones[1])
        n = 0
        for cell in range(9):
            actions[n] = cell
            n += 1 - ((occupied >> cell) & 1)
        return n

    def advance(self, s: State, action: int) -> None:
        player = int(s.player)
        mine = int(s.stones[player]) | (1 << action)
        s.stones[player] = mine
        s.won = self.has_line[mine]
        s.player = 1 - player
        s.moves = int(s.moves) + 1

    def is_over(self, s: State) -> bool:
        return bool(s.won) or int(s.moves) == 9

    def scores(self, s: State, out: NDArray[np.float64]) -> None:
        out[0] = 0.0
        out[1] = 0.0
        if s.won:
            out[int(s.player)] = -1.0
            out[1 - int(s.player)] = 1.0

    # ------------------------------------------------------------ the learner's view

    def cells(self, s: State, out: NDArray[np.int8]) -> None:
        self.cells_of(s, 0, out)

    def cells_of(self, s: State, player: int, out: NDArray[np.int8]) -> None:
        mine = int(s.stones[player])
        theirs = int(s.stones[1 - player])
        for cell in range(9):
            out[cell] = 1 + ((mine >> cell) & 1) - ((theirs >> cell) & 1)

    def changed_cells(self, s: State, action: int, cells: NDArray[np.int32], values: NDArray[np.int8]) -> int:
        cells[0] = action
        values[0] = 2 - 2 * int(s.player)
        return 1

    def is_quiet(self, s: State, action: int) -> bool:
        mine = int(s.stones[int(s.player)]) | (1 << action)
        return int(s.moves) < 8 and not self.has_line[mine]

    def symmetries(self) -> NDArray[np.int64]:
        return grids.grid_symmetries(3, 3)

    def tuple_sets(self) -> dict[str, list[list[int]]]:
        return {"full": [list(range(9))], **fixed_tuples("TicTacToe")}

    def num_features(self, mode: int) -> int:
        return self.num_cells if mode == 0 else 6

    def features(self, s: State, mode: int, out: NDArray[np.float64]) -> None:
        """Mode 1, for each player: lines with one stone of his and two empty cells (singlets), lines with two
        and one empty cell (doublets), and empty cells where singlets cross, so that a stone there forks."""
        if mode == 0:
            board = np.empty(9, np.int8)
            self.cells(s, board)
            for i in range(9):
                out[i] = board[i]
            return
        for player in range(2):
            mine = int(s.stones[player])
            theirs = int(s.stones[1 - player])
            singlets = 0
            doublets = 0
            once = 0  # cells on a singlet
            crossed = 0  # cells on two or more of them
            for line in self.lines:
                own = mine & line
                if own == 0 or theirs & line:
                    continue
                if own & (own - 1):
                    doublets += 1
                else:
                    singlets += 1
                    crossed |= once & line
                    once |= line
            out[3 * player] = singlets
            out[3 * player + 1] = doublets
            out[3 * player + 2] = popcount(crossed & ~mine)

    def feature_names(self, mode: int) -> list[str]:
        if mode == 0:
            return super().feature_names(mode)
        counted = ("singlets", "doublets", "crossings")
        return [f"{self.player_name(p)}: {what}" for p in range(self.num_players) for what in counted]

    # ------------------------------------------------------------ the person's view

    def draw(self, s: State, last_action: int | None = None) -> str:
        size, margin = 72, 22
        picture = drawing.Picture(3 * size + margin + 8, 3 * size + margin + 8, self.title)
        picture.rect(0, 0, picture.width, picture.height, drawing.BOARD, rx=10)
        drawing.coordinates(picture, 3, 3, size, margin)
        over = self.is_over(s)
        for cell in range(9):
            row, column = divmod(cell, 3)
            x, y = margin + column * size, margin + row * size
            edge = {"stroke": drawing.MARK, "stroke_width": 3} if cell == last_action and not s.won else {}
            owner = next((p for p in range(2) if int(s.stones[p]) >> cell & 1), None)
            holds = None if owner is None else self.player_names[owner]
            picture.rect(
                x + 2,
                y + 2,
                size - 4,
                size - 4,
                drawing.PAPER,
                rx=6,
                action=cell,
                holds=holds,
                place=(row, column),
                **edge,
            )
            centre = (x + size / 2, y + size / 2)
            if owner is not None:
                _draw_mark(picture, owner, centre, size, pointer_events="none", piece=cell)
            elif not over:
                _draw_mark(picture, int(s.player), centre, size, ghost=cell)
        for line in [line for line in LINES if set(line) <= set(self.deciding_cells(s))]:
            first, last = (
                (margin + (cell % 3 + 0.5) * size, margin + (cell // 3 + 0.5) * size) for cell in (line[0], line[2])
            )
            picture.line(*first, *last, drawing.MARK, 7, opacity=0.85, pointer_events="none")
        return picture.svg()

    def deciding_cells(self, s: State) -> list[int]:
        stones = int(s.stones[1 - int(s.player)]) if s.won else 0
        lines = [line for line in LINES if all(stones >> cell & 1 for cell in line)]
        return sorted({cell for line in lines for cell in line})

    # ------------------------------------------------------------ set up by hand

    def setup_names(self) -> list[str]:
        return ["empty", *self.player_names]

    def setup_of(self, s: State) -> list[int]:
        return setups.values_of_masks([int(stones) for stones in s.stones], 9)

    def set_up(self, s: State, values: Sequence[int], player: int) -> None:
        setups.refuse_turn(self, values, player)
        masks = setups.masks_of(values)
        last = masks[1 - player]
        if self.has_line[masks[player]]:
            raise BoardlabError(f"{self.player_name(player)} has three in a row and could not be to move")
        if self.has_line[last] and not any(last >> c & 1 and not self.has_line[last & ~(1 << c)] for c in range(9)):
            raise BoardlabError(f"{self.player_name(1 - player)} would have won before")
        s.stones[:] = masks
        s.player = player
        s.moves = sum(value > 0 for value in values)
        s.won = self.has_line[last]


def _draw_mark(picture: drawing.Picture, player: int, centre: tuple[float, float], size: float, **more: object) -> None:
    """An X of the first player, an O of the second."""
    x, y, reach = *centre, size * 0.24
    if player == 0:
        for slope in (-reach, reach):
            picture.line(x - reach, y - slope, x + reach, y + slope, drawing.FIRST, 8, **more)
    else:
        picture.circle(x, y, reach * 1.1, "none", stroke=drawing.SECOND, stroke_width=8, **more)
