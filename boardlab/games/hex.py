"""Hex on a rhombus, stored with a frame one cell wide, so that no look around a cell leaves the array.

A stone knows whether its group is joined to a side of its owner: it is loose, joined to his low side (index 0) or to
his high side. The cells of the frame are codes without a stone that pass this on. A new stone takes over what the
six cells around it know; if that is both sides, its owner has won. Only a group that gets its first side is painted
over, cell by cell, so each stone changes its code once in a game at most. Cell = size * x + y, neighbours are
(+-1, 0), (0, +-1), (+1, -1) and (-1, +1); the first player joins x = 0 and x = size - 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from boardlab import drawing, grids, setups
from boardlab.compiler.bits import lowest_bit
from boardlab.errors import BoardlabError
from boardlab.game import Game, State
from boardlab.games.tuples import fixed_tuples
from boardlab.parameters import parameter

STONE, LOW, HIGH = 1, 2, 4  # bits of a cell's code; those of the second player are three places further left
BOTH = LOW | HIGH
WORD = 60  # cells in one bitboard; the sign bit stays out of it, Python and compiled code treat it differently


class Hex(Game):
    """Two players take turns to place stones on a rhombus of hexagons. X wins with an unbroken chain from the top to
    the bottom side, O with one from the left to the right side; there are no draws."""

    name = "hex"
    title = "Hex"
    size: int = parameter(6, 2, 11, doc="cells along each side")
    player_names = ("X", "O")
    pie_rule = True
    feature_modes = ("cells", "distances")
    evaluators = ("perfect", "mcts", "hex-mcts")

    def setup(self) -> None:
        self.num_actions = self.num_cells = self.max_moves = self.size * self.size
        self.num_values = 3
        self.grid = (self.size, self.size)
        self.words = -(-self.num_cells // WORD)
        self.width = width = self.size + 2
        self.steps = (-width, 1 - width, -1, 1, width - 1, width)
        self.state = np.dtype(
            [
                ("board", np.int8, (width * width,)),  # codes of the cells and of the frame around them
                ("free", np.int64, (self.words,)),  # bitboards of the empty cells, for a quick list of them
                ("player", np.int8),  # who moves; in a finished game the loser
                ("won", np.bool_),  # the last stone joined the sides of its owner
            ]
        )

    # ------------------------------------------------------------ rules

    def place(self, cell: int) -> int:
        """Where a cell lies in the framed board."""
        return (cell // self.size + 1) * self.width + cell % self.size + 1

    def reset(self, s: State) -> None:
        last = self.width - 1
        for i in range(1, last):
            s.board[i] = LOW
            s.board[last * self.width + i] = HIGH
            s.board[i * self.width] = LOW << 3
            s.board[i * self.width + last] = HIGH << 3
        for k in range(self.words):
            s.free[k] = (1 << min(WORD, self.num_cells - WORD * k)) - 1

    def legal_actions(self, s: State, actions: NDArray[np.int64]) -> int:
        n = 0
        for k in range(self.words):
            free = int(s.free[k])
            while free != 0:
                actions[n] = WORD * k + lowest_bit(free)
                free &= free - 1
                n += 1
        return n

    def advance(self, s: State, action: int) -> None:
        player = int(s.player)
        at = self.place(action)
        sides = self.sides_around(s, at)
        loose = STONE << (3 * player)
        joined = loose | sides << (3 * player)
        s.board[at] = joined
        s.free[action // WORD] ^= 1 << (action % WORD)
        s.player = 1 - player
        s.won = sides == BOTH
        if s.won:
            self.forget_sides(s)
        elif sides > 0:
            for step in self.steps:
                if int(s.board[at + step]) == loose:
                    self.paint(s, at + step, loose, joined)

    def sides_around(self, s: State, at: int) -> int:
        """To which of his sides a stone of the player to move would be joined there."""
        around = 0
        for step in self.steps:
            around |= int(s.board[at + step])
        return (around >> (3 * int(s.player))) & BOTH

    def forget_sides(self, s: State) -> None:
        """Make all stones of a finished game loose: which of them were joined depends on the order of the moves,
        and equal boards shall be equal records."""
        for cell in range(self.num_cells):
            at = self.place(cell)
            s.board[at] = int(s.board[at]) & (STONE | STONE << 3)

    def paint(self, s: State, start: int, loose: int, joined: int) -> None:
        """Give the group of loose stones around `start` the code `joined`."""
        s.board[start] = joined
        stack = np.empty(self.num_cells, np.int16)
        stack[0] = start
        n = 1
        while n > 0:
            n -= 1
            at = int(stack[n])
            for step in self.steps:
                if int(s.board[at + step]) == loose:
                    s.board[at + step] = joined
                    stack[n] = at + step
                    n += 1

    def is_over(self, s: State) -> bool:
        return bool(s.won)

    def scores(self, s: State, out: NDArray[np.float64]) -> None:
        out[0] = 0.0
        out[1] = 0.0
        if s.won:
            out[int(s.player)] = -1.0
            out[1 - int(s.player)] = 1.0

    def estimate(self, s: State, out: NDArray[np.float64]) -> None:
        """Who needs fewer stones for a chain if the other passes; to be on the move is worth half a stone."""
        if s.won:
            self.scores(s, out)
            return
        board = np.empty(self.num_cells, np.int8)
        self.cells_of(s, 0, board)
        first = self.stones_needed(board)
        self.cells_of(s, 1, board)
        second = self.stones_needed(board)
        out[0] = (second - first + (0.5 if int(s.player) == 0 else -0.5)) / (first + second)
        out[1] = -out[0]

    # ------------------------------------------------------------ the learner's view

    def cells(self, s: State, out: NDArray[np.int8]) -> None:
        for x in range(self.size):
            for y in range(self.size):
                code = int(s.board[(x + 1) * self.width + y + 1])
                out[x * self.size + y] = (code & 1) + 2 * ((code >> 3) & 1)

    def cells_of(self, s: State, player: int, out: NDArray[np.int8]) -> None:
        """For the second player the colours are exchanged and the board is mirrored at its long diagonal, so that
        he joins x = 0 and x = size - 1 too."""
        if player == 0:
            self.cells(s, out)
            return
        for x in range(self.size):
            for y in range(self.size):
                code = int(s.board[(y + 1) * self.width + x + 1])
                out[x * self.size + y] = 2 * (code & 1) + ((code >> 3) & 1)

    def changed_cells(self, s: State, action: int, cells: NDArray[np.int32], values: NDArray[np.int8]) -> int:
        cells[0] = action
        values[0] = 1 + int(s.player)
        return 1

    def is_quiet(self, s: State, action: int) -> bool:
        return self.sides_around(s, self.place(action)) != BOTH

    def symmetries(self) -> NDArray[np.int64]:
        cells = np.arange(self.num_cells, dtype=np.int64)
        return np.array([cells, cells[::-1]])

    def neighbours(self) -> list[list[int]]:
        board = np.full((self.width, self.width), -1)
        board[1:-1, 1:-1] = np.arange(self.num_cells).reshape(self.size, self.size)
        flat = [int(cell) for cell in board.ravel()]
        around = [[flat[self.place(cell) + step] for step in self.steps] for cell in range(self.num_cells)]
        return [[cell for cell in cells if cell >= 0] for cells in around]

    def tuple_sets(self) -> dict[str, list[list[int]]]:
        return fixed_tuples("Hex6x6") if self.size == 6 else {}

    def num_features(self, mode: int) -> int:
        return self.num_cells if mode == 0 else 4

    def features(self, s: State, mode: int, out: NDArray[np.float64]) -> None:
        """Mode 1, for each player: his stones, and how many more he needs for a chain if the other passes."""
        board = np.empty(self.num_cells, np.int8)
        if mode == 0:
            self.cells(s, board)
            for i in range(self.num_cells):
                out[i] = board[i]
            return
        for player in range(2):
            self.cells_of(s, player, board)
            out[2 * player] = np.sum(board == 1)
            out[2 * player + 1] = self.stones_needed(board)

    def stones_needed(self, board: NDArray[np.int8]) -> int:
        """Length of the shortest path from x = 0 to x = size - 1 over cells of value 1 (free of charge) and 0 (one
        stone each); `num_cells` where there is none. Sweeps until nothing gets shorter. board: (num_cells,)."""
        none = self.num_cells
        distance = np.full(self.width * self.width, none, np.int64)
        distance[: self.width] = 0
        changed = True
        while changed:
            changed = False
            for cell in range(self.num_cells):
                if board[cell] == 2:
                    continue
                at = self.place(cell)
                length = none
                for step in self.steps:
                    length = min(length, int(distance[at + step]))
                length += 1 - int(board[cell])
                if length < distance[at]:
                    distance[at] = length
                    changed = True
        last_row = self.size * self.width
        shortest = none  # np.min would have SciPy imported whenever the machine code is loaded
        for at in range(last_row, last_row + self.width):
            shortest = min(shortest, int(distance[at]))
        return shortest

    def feature_names(self, mode: int) -> list[str]:
        if mode == 0:
            return super().feature_names(mode)
        counted = ("stones", "stones needed")
        return [f"{self.player_name(p)}: {what}" for p in range(self.num_players) for what in counted]

    # ------------------------------------------------------------ the person's view

    def setup_names(self) -> list[str]:
        return ["empty", *self.player_names]

    def set_up(self, s: State, values: Sequence[int], player: int) -> None:
        """The stones of the player to move are put down first: no chain may be complete before the other's."""
        setups.refuse_turn(self, values, player)
        stones = [[cell for cell, value in enumerate(values) if value == p + 1] for p in range(2)]
        order = [(player, cell) for cell in stones[player]] + [(1 - player, cell) for cell in stones[1 - player]]
        self.reset(s)
        won = False
        for owner, cell in order:
            s.player = owner
            self.advance(s, cell)
            if s.won and owner == player:
                raise BoardlabError(f"{self.player_name(player)} has a chain and could not be to move")
            won = won or bool(s.won)
        if won:
            self.refuse_earlier_win(s, stones[1 - player], 1 - player)
            self.forget_sides(s)
        s.won = won
        s.player = player

    def refuse_earlier_win(self, s: State, stones: list[int], winner: int) -> None:
        """The last stone is one without which there is no chain."""
        for last in stones:
            other = np.zeros(1, self.state).view(np.recarray)[0]
            self.reset(other)
            for cell in stones:
                other.player = winner
                if cell != last and not other.won:
                    self.advance(other, cell)
            if not other.won:
                return
        raise BoardlabError(f"{self.player_name(winner)} would have won before")

    def cell_outline(self, cell: int) -> list[tuple[float, float]]:
        x, y = divmod(cell, self.size)
        radius = 1 / math.sqrt(3)
        return _hexagon(y + x / 2, 1.5 * radius * x, radius)

    def describe(self, s: State) -> str:
        board = np.zeros(self.num_cells, np.int8)
        self.cells(s, board)
        lines = [" " * 3 + " ".join(grids.column_name(y) for y in range(self.size))]
        for x, row in enumerate(board.reshape(self.size, self.size)):
            lines.append(" " * x + f"{x + 1:2d} " + " ".join(self.symbols[v] for v in row))
        return "\n".join(lines)

    def deciding_cells(self, s: State) -> list[int]:
        """A shortest chain of the winner, found from his low side on."""
        if not s.won:
            return []
        winner = 1 - int(s.player)
        board = np.zeros(self.num_cells, np.int8)
        self.cells(s, board)
        mine = {cell for cell, value in enumerate(board.tolist()) if value == winner + 1}
        around, along = self.neighbours(), [divmod(cell, self.size)[winner] for cell in range(self.num_cells)]
        came = {cell: -1 for cell in mine if along[cell] == 0}
        queue = list(came)
        for cell in queue:
            if along[cell] == self.size - 1:
                break
            fresh = [other for other in around[cell] if other in mine and other not in came]
            came.update(dict.fromkeys(fresh, cell))
            queue += fresh
        chain = [cell]
        while came[chain[-1]] >= 0:
            chain.append(came[chain[-1]])
        return sorted(chain)

    def draw(self, s: State, last_action: int | None = None) -> str:
        board = np.zeros(self.num_cells, np.int8)
        self.cells(s, board)
        radius = 24.0
        width = math.sqrt(3) * radius
        picture = drawing.Picture(width * 1.5 * (self.size + 1), radius * (1.5 * self.size + 3.2), self.title)

        def centre(x: int, y: int) -> tuple[float, float]:
            return width * (1.6 + y + x / 2), radius * (2.6 + 1.5 * x)

        for i in range(self.size):
            picture.text(*centre(-1, i), grids.column_name(i), radius * 0.6)
            picture.text(*centre(i, -1), str(i + 1), radius * 0.6)
        deciding = set(self.deciding_cells(s))
        for cell, value in enumerate(board.tolist()):
            place = centre(*divmod(cell, self.size))
            holds = self.player_names[value - 1] if value else None
            look = {"stroke": drawing.LINE, "stroke_width": 1.5, "place": divmod(cell, self.size)}
            picture.polygon(_hexagon(*place, radius), drawing.PAPER, action=cell, holds=holds, **look)
            if value:
                fill = drawing.player_colour(value - 1)
                picture.circle(*place, radius * 0.62, fill, pointer_events="none", piece=cell)
            elif not s.won:
                picture.circle(*place, radius * 0.62, drawing.player_colour(int(s.player)), ghost=cell)
            if cell in deciding:
                drawing.ring(picture, place, radius * 0.55)
            elif cell == last_action:
                picture.circle(*place, radius * 0.16, drawing.MARK, pointer_events="none")
        for i in range(self.size):
            last = self.size - 1
            _draw_side(picture, _hexagon(*centre(0, i), radius)[0:3], drawing.FIRST)
            _draw_side(picture, _hexagon(*centre(last, i), radius)[3:6], drawing.FIRST)
            # the edge at an acute corner that both sides could claim is left to the first player
            _draw_side(picture, _hexagon(*centre(i, last), radius)[1 + (i == 0) : 4], drawing.SECOND)
            _draw_side(picture, (_hexagon(*centre(i, 0), radius) * 2)[4 + (i == last) : 7], drawing.SECOND)
        return picture.svg()


def _hexagon(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """Corners of a hexagon that stands on a corner, clockwise from the upper left one."""
    angles = [math.radians(210 + 60 * k) for k in range(6)]
    return [(x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles]


def _draw_side(picture: drawing.Picture, corners: list[tuple[float, float]], colour: str) -> None:
    for start, end in pairwise(corners):
        picture.line(*start, *end, colour, 5, pointer_events="none")
