"""Connect Four on bitboards: a column takes rows + 1 bits, the top one always empty, so that shifted boards never
run over into the next column. Cell = rows * column + row, row 0 at the bottom."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boardlab import drawing, grids, setups
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
        mine = self.stones_after(s, action)
        s.stones[player] = mine
        s.won = self.has_four(mine)
        s.player = 1 - player
        s.moves = int(s.moves) + 1

    def stones_after(self, s: State, action: int) -> int:
        """The bitboard of the player to move with one more stone in a column."""
        column = action * self.height
        occupied = s.stones[0] | s.stones[1]
        free = (occupied + (1 << column)) & (((1 << self.rows) - 1) << column)
        return int(s.stones[int(s.player)] | free)

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

    def changed_cells(self, s: State, action: int, cells: NDArray[np.int32], values: NDArray[np.int8]) -> int:
        occupied = s.stones[0] | s.stones[1]
        row = popcount((occupied >> (action * self.height)) & ((1 << self.rows) - 1))
        cells[0] = action * self.rows + row
        values[0] = 1 + int(s.player)
        if self.coding == 3 or row == self.rows - 1:
            return 1
        cells[1] = cells[0] + 1
        values[1] = 3
        return 2

    def is_quiet(self, s: State, action: int) -> bool:
        return int(s.moves) < self.num_cells - 1 and not self.has_four(self.stones_after(s, action))

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

    def setup_values(self) -> NDArray[np.int64]:
        return np.full(self.num_cells, 3)

    def setup_names(self) -> list[str]:
        return ["empty", *self.player_names]

    def setup_of(self, s: State) -> list[int]:
        bits = [column * self.height + row for column in range(self.columns) for row in range(self.rows)]
        return [(int(s.stones[0]) >> bit & 1) + 2 * (int(s.stones[1]) >> bit & 1) for bit in bits]

    def set_up(self, s: State, values: Sequence[int], player: int) -> None:
        setups.refuse_turn(self, values, player)
        masks, tops = [0, 0], []
        for column in range(self.columns):
            stack = values[column * self.rows : (column + 1) * self.rows]
            height = sum(value > 0 for value in stack)
            if any(value == 0 for value in stack[:height]):
                raise BoardlabError(f"a stone in column {column + 1} has nothing below it")
            for row, value in enumerate(stack[:height]):
                masks[value - 1] |= 1 << (column * self.height + row)
            if height and stack[height - 1] == 2 - player:
                tops.append(1 << (column * self.height + height - 1))
        last = masks[1 - player]
        if self.has_four(masks[player]):
            raise BoardlabError(f"{self.player_name(player)} has four in a row and could not be to move")
        if last and not any(not self.has_four(last & ~top) for top in tops):
            raise BoardlabError(f"no stone on top of a column can be the last one of {self.player_name(1 - player)}")
        s.stones[:] = masks
        s.player = player
        s.moves = sum(value > 0 for value in values)
        s.won = self.has_four(last)

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
        size, foot = 56, 18
        picture = drawing.Picture(self.columns * size + 8, self.rows * size + 8 + foot, self.title)
        picture.rect(0, 0, picture.width, picture.height, drawing.BOARD, rx=10)
        deciding, over = set(self.deciding_cells(s)), self.is_over(s)
        for column in range(self.columns):
            x = 4 + column * size
            stones = [int(v) for v in board[column * self.rows : (column + 1) * self.rows] if v in (1, 2)]
            names = ", ".join(self.player_names[v - 1] for v in stones)
            holds = f"{names} from below" if stones else None
            picture.rect(x, 4, size, self.rows * size + foot, "transparent", action=column, holds=holds)
            centres = [(x + size / 2, 4 + (self.rows - 1 - row + 0.5) * size) for row in range(self.rows)]
            for centre in centres:
                picture.circle(*centre, size * 0.41, drawing.PAPER, pointer_events="none")
            for row, (value, centre) in enumerate(zip(stones, centres, strict=False)):
                colour, cell = drawing.player_colour(value - 1), column * self.rows + row
                picture.circle(*centre, size * 0.41, colour, pointer_events="none", piece=cell, enter="fall")
                if cell in deciding:
                    drawing.ring(picture, centre, size * 0.36)
                elif column == last_action and row == len(stones) - 1:
                    picture.circle(*centre, size * 0.1, drawing.MARK, pointer_events="none")
            if len(stones) < self.rows and not over:
                mine = drawing.player_colour(int(s.player))
                picture.circle(*centres[len(stones)], size * 0.41, mine, ghost=column)
            picture.text(x + size / 2, picture.height - foot / 2 - 2, self.action_name(column), 13)
        return picture.svg()

    def deciding_cells(self, s: State) -> list[int]:
        if not s.won:
            return []
        stones, cells = int(s.stones[1 - int(s.player)]), set()
        for step in (1, self.height - 1, self.height, self.height + 1):
            for bit in range(self.columns * self.height):
                line = [bit + k * step for k in range(4)]
                if all(stones >> b & 1 for b in line):
                    cells.update(line)
        return sorted(self.rows * (bit // self.height) + bit % self.height for bit in cells)
