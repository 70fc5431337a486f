"""Tic-tac-toe on two bitboards of nine bits, cell = 3 * row + column from the top left. A table of all 512 boards
of one player tells which of them contain a line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boardlab import drawing, grids
from boardlab.compiler.bits import popcount
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
        size = 72
        picture = drawing.Picture(3 * size + 16, 3 * size + 16, self.title)
        picture.rect(0, 0, picture.width, picture.height, drawing.BOARD, rx=10)
        for cell in range(9):
            row, column = divmod(cell, 3)
            x, y = 8 + column * size, 8 + row * size
            edge = {"stroke": drawing.MARK, "stroke_width": 3} if cell == last_action else {}
            picture.rect(x + 2, y + 2, size - 4, size - 4, drawing.PAPER, rx=6, action=cell, **edge)
            centre, reach = (x + size / 2, y + size / 2), size * 0.24
            if int(s.stones[0]) >> cell & 1:
                for slope in (-reach, reach):
                    ends = (centre[0] - reach, centre[1] - slope, centre[0] + reach, centre[1] + slope)
                    picture.line(*ends, drawing.FIRST, 8, pointer_events="none")
            elif int(s.stones[1]) >> cell & 1:
                picture.circle(
                    *centre, reach * 1.1, "none", stroke=drawing.SECOND, stroke_width=8, pointer_events="none"
                )
        return picture.svg()
