"""Connect Four on bitboards: a column takes rows + 1 bits, the top one always empty, so that shifted boards never
run over into the next column. Cell = rows * column + row, row 0 at the bottom."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boardlab import drawing, grids
from boardlab.compiler.bits import popcount
from boardlab.errors import BoardlabError
from boardlab.game import Game, State
from boardlab.games.tuples import fixed_tuples
from boardlab.parameters import parameter


class ConnectFour(Game):
    """Two players take turns to drop stones into columns. Four of your own in a row, straight or diagonal, win; a full
    board is a draw."""

    name = "connect4"
    title = "Connect Four"
    columns: int = parameter(7, 4, 10, doc="columns of the board")
    rows: int = parameter(6, 4, 9, doc="rows of the board")
    coding: int = parameter(
        4, choices=(4, 3), doc="cell values: 0 empty, 1 and 2 the players; with 4 also 3 = empty and reachable"
    )
    player_names = ("X", "O")
    evaluators = ("mcts", "c4-perfect", "c4-perfect-dl", "c4-thesis", "c4-2012")
    feature_modes = ("cells", "threats")

    state = np.dtype(
        [
            ("stones", np.int64, (2,)),  # bitboard of each player
            ("player", np.int8),  # who moves; in a finished game who would move
            ("moves", np.int8),  # stones on the board
            ("won", np.bool_),  # the last stone completed four in a row
        ]
    )

    def setup(self) -> None:
        if self.columns * (self.rows + 1) > 63:
            most = 63 // (self.rows + 1)
            raise BoardlabError(f"a board of {self.rows} rows can have {most} columns at most, not {self.columns}")
        self.num_actions = self.columns
        self.num_cells = self.columns * self.rows
        self.num_values = self.coding
        self.symbols = ".XO."
        self.grid = (self.rows, self.columns)
        self.max_moves = self.num_cells
        self.height = self.rows + 1
        self.bottom = sum(1 << (c * self.height) for c in range(self.columns))
        self.board = self.bottom * ((1 << self.rows) - 1)

    # ------------------------------------------------------------ rules

    def reset(self, s: State) -> None:
        s.player = 0

    def legal_actions(self, s: State, actions: NDArray[np.int64]) -> int:
        occupied = s.stones[0] | s.stones[1]
        n = 0
        for column in range(self.columns):
            actions[n] = column
            n += 1 - ((occupied >> (column * self.height + self.rows - 1)) & 1)
        return int(n)

    def advance(self, s: State, action: int) -> None:
        player = int(s.player)
        occupied = s.stones[0] | s.stones[1]
        column = action * self.height
        free = (occupied + (1 << column)) & (((1 << self.rows) - 1) << column)
        mine = s.stones[player] | free
        s.stones[player] = mine
        s.won = self.has_four(mine)
        s.player = 1 - player
        s.moves = int(s.moves) + 1

    def is_over(self, s: State) -> bool:
        return bool(s.won) or int(s.moves) == self.num_cells

    def scores(self, s: State, out: NDArray[np.float64]) -> None:
        out[0] = 0.0
        out[1] = 0.0
        if s.won:
            out[int(s.player)] = -1.0
            out[1 - int(s.player)] = 1.0

    def has_four(self, stones: int) -> bool:
        """Whether the bitboard has four in a row in any of the directions."""
        for step in (1, self.height - 1, self.height, self.height + 1):
            pairs = stones & (stones >> step)
            if pairs & (pairs >> (2 * step)):
                return True
        return False

    # ------------------------------------------------------------ the learner's view

    def cells(self, s: State, out: NDArray[np.int8]) -> None:
        self.write_cells(int(s.stones[0]), int(s.stones[1]), out)

    def cells_of(self, s: State, player: int, out: NDArray[np.int8]) -> None:
        self.write_cells(int(s.stones[player]), int(s.stones[1 - player]), out)

    def write_cells(self, first: int, second: int, out: NDArray[np.int8]) -> None:
        """The cells of two bitboards. A cell's value has two bits; `spread` turns a column of bits into bytes."""
        reachable = 0
        if self.coding == 4:
            reachable = ((first | second) + self.bottom) & self.board
        low = first | reachable
        high = second | reachable
        for column in range(self.columns):
            shift = column * self.height
            values = self.spread(low >> shift) + 2 * self.spread(high >> shift)
            for row in range(min(self.rows, 7)):
                out[column * self.rows + row] = (values >> (8 * row)) & 3
            for row in range(7, self.rows):
                out[column * self.rows + row] = ((low >> (shift + row)) & 1) + 2 * ((high >> (shift + row)) & 1)

    def spread(self, bits: int) -> int:
        """Bit i of the lowest seven becomes byte i."""
        return ((bits & 0x7F) * 0x0002040810204081) & 0x0101010101010101

    def symmetries(self) -> NDArray[np.int64]:
        cells = np.arange(self.num_cells, dtype=np.int64).reshape(self.columns, self.rows)
        return np.array([cells.ravel(), cells[::-1].ravel()])

    def cell_groups(self) -> list[tuple[list[int], NDArray[np.int8]]]:
        stacks = []
        for height in range(self.rows + 1):
            for stones in range(1 << height):
                column = [1 + ((stones >> row) & 1) for row in range(height)] + [0] * (self.rows - height)
                if self.coding == 4 and height < self.rows:
                    column[height] = 3
                stacks.append(column)
        states = np.array(stacks, np.int8)
        return [(list(range(c * self.rows, (c + 1) * self.rows)), states) for c in range(self.columns)]

    def action_symmetries(self) -> NDArray[np.int64]:
        columns = np.arange(self.columns, dtype=np.int64)
        return np.array([columns, columns[::-1]])

    def neighbours(self) -> list[list[int]]:
        return grids.king_neighbours(self.columns, self.rows)

    def tuple_sets(self) -> dict[str, list[list[int]]]:
        return fixed_tuples("ConnectFour") if (self.columns, self.rows) == (7, 6) else {}

    def num_features(self, mode: int) -> int:
        return self.num_cells if mode == 0 else 8

    def features(self, s: State, mode: int, out: NDArray[np.float64]) -> None:
        """Mode 1, for each player: stones, cells that would complete four, such cells reachable at once, and
        such cells in odd rows counted from the bottom (zugzwang)."""
        if mode == 0:
            board = np.empty(self.num_cells, np.int8)
            self.cells(s, board)
            for i in range(self.num_cells):
                out[i] = board[i]
            return
        occupied = s.stones[0] | s.stones[1]
        reachable = (occupied + self.bottom) & self.board
        odd_rows = 0
        for row in range(0, self.rows, 2):
            odd_rows |= self.bottom << row
        for player in range(2):
            threats = self.winning_cells(s.stones[player]) & self.board & ~occupied
            out[4 * player] = popcount(s.stones[player])
            out[4 * player + 1] = popcount(threats)
            out[4 * player + 2] = popcount(threats & reachable)
            out[4 * player + 3] = popcount(threats & odd_rows)

    def winning_cells(self, stones: int) -> int:
        """Cells that complete four in a row with three of `stones`, occupied ones included."""
        cells = (stones << 1) & (stones << 2) & (stones << 3)
        for step in (self.height - 1, self.height, self.height + 1):
            pair = (stones << step) & (stones << (2 * step))
            cells |= pair & (stones << (3 * step))
            cells |= pair & (stones >> step)
            pair = (stones >> step) & (stones >> (2 * step))
            cells |= pair & (stones << step)
            cells |= pair & (stones >> (3 * step))
        return cells

    def feature_names(self, mode: int) -> list[str]:
        if mode == 0:
            return super().feature_names(mode)
        counted = ("stones", "threats", "threats in reach", "threats in odd rows")
        return [f"{self.player_name(p)}: {what}" for p in range(self.num_players) for what in counted]

    # ------------------------------------------------------------ the person's view

    def cell_place(self, cell: int) -> tuple[int, int]:
        column, row = divmod(cell, self.rows)
        return self.rows - 1 - row, column

    def action_name(self, action: int) -> str:
        return str(action + 1)

    def describe(self, s: State) -> str:
        board = np.zeros(self.num_cells, np.int8)
        self.cells(s, board)
        marks = board.reshape(self.columns, self.rows).T[::-1]
        lines = [" ".join(self.symbols[v] for v in row) for row in marks]
        return "\n".join([*lines, " ".join(str(c + 1) for c in range(self.columns))])

    def draw(self, s: State, last_action: int | None = None) -> str:
        board = np.zeros(self.num_cells, np.int8)
        self.cells(s, board)
        size = 56
        picture = drawing.Picture(self.columns * size + 8, self.rows * size + 8, self.title)
        picture.rect(0, 0, picture.width, picture.height, drawing.BOARD, rx=10)
        for column in range(self.columns):
            x = 4 + column * size
            picture.rect(x, 4, size, self.rows * size, "transparent", action=column)
            stones = [int(v) for v in board[column * self.rows : (column + 1) * self.rows]]
            top = max((row for row, v in enumerate(stones) if v in (1, 2)), default=-1)
            for row, value in enumerate(stones):
                centre = (x + size / 2, 4 + (self.rows - 1 - row + 0.5) * size)
                fill = drawing.player_colour(value - 1) if value in (1, 2) else drawing.PAPER
                picture.circle(*centre, size * 0.41, fill, pointer_events="none")
                if column == last_action and row == top:
                    picture.circle(*centre, size * 0.1, drawing.MARK, pointer_events="none")
        return picture.svg()
