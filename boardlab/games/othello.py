"""Othello on bitboards: bit = cell = size * row + column, a1 top left. Moves are found by flooding from the mover's
discs over the opponent's in all eight directions at once, flips by the same flood from the disc just placed. The
moves of the player to move are kept in the state, because the rules, the end of the game and the cell coding all
ask for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab import drawing, grids, setups
from boardlab.compiler.bits import lowest_bit, popcount
from boardlab.errors import BoardlabError
from boardlab.game import Game, State
from boardlab.games.tuples import fixed_tuples
from boardlab.parameters import parameter
from boardlab.rng import Rng, random_below

ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)  # uint64 mixed with signed numbers compiles to floats

FELT = "var(--bl-felt, #3d8b5f)"
FELT_LINE = "var(--bl-felt-line, #2a6844)"
BLACK = "var(--bl-black, #1c1c1c)"
WHITE = "var(--bl-white, #fafafa)"


# What a position is worth before its end, in units of one more move to choose from. A corner is never lost again, and a
# disc beside an empty corner gives it away; who has more moves can avoid bad ones, and a disc beside empty cells (the
# frontier) gives the opponent moves. The majority of discs means nothing before the last third of the game.
CORNER = 16.0
DIAGONAL = -6.0
"""A disc diagonally beside an empty corner (the X-square)."""
BESIDE = -3.0
"""A disc on the edge beside an empty corner (the C-square)."""
EDGE = 1.0
"""Any other disc on the edge."""
FRONTIER = -0.5
DISC = 0.25
"""A disc on the full board; nothing until two thirds of the cells are taken, and in proportion from there on."""
HALF = 40.0
"""The sum that is worth half a win."""


class Othello(Game):
    """Two players take turns to place discs, Black first. A disc must enclose opposing discs in straight or diagonal
    lines between itself and another disc of its colour; all discs that it encloses change colour. A player who cannot
    move is skipped; when neither can move, the game is over and the player with more discs wins."""

    name = "othello"
    title = "Othello"
    size: int = parameter(8, choices=(8, 6), doc="rows and columns of the board")
    coding: int = parameter(
        4, choices=(4, 3), doc="cell values: 0 black, 1 white, 2 empty; with 4 also 3 = empty and a legal move"
    )
    player_names = ("Black", "White")
    symbols = "XO.+"
    feature_modes = ("cells", "mobility")
    evaluators = ("othello-bench",)

    state = np.dtype(
        [
            ("discs", np.uint64, (2,)),  # bitboard of each player
            ("moves", np.uint64),  # bitboard of the legal moves of the player to move; empty when the game is over
            ("player", np.int8),  # who moves; in a finished game who moved last
        ]
    )

    def setup(self) -> None:
        self.num_cells = self.num_actions = self.size**2
        self.num_values = self.coding
        self.grid = (self.size, self.size)
        self.max_moves = self.num_cells - 4
        first_column = sum(1 << (self.size * row) for row in range(self.size))
        last_column = first_column << (self.size - 1)
        board = (1 << self.num_cells) - 1
        last_row = self.num_cells - self.size
        self.board = np.uint64(board)
        self.not_first_column = np.uint64(board ^ first_column)
        self.not_last_column = np.uint64(board ^ last_column)
        self.inner_columns = np.uint64(board ^ first_column ^ last_column)
        self.corners = np.uint64(1 | 1 << (self.size - 1) | 1 << last_row | 1 << (self.num_cells - 1))
        inner_edges = [c for c in range(2, self.size - 2)]
        self.edges = np.uint64(
            sum(
                1 << c | 1 << (last_row + c) | 1 << (self.size * c) | 1 << (self.size * c + self.size - 1)
                for c in inner_edges
            )
        )
        self.diagonals = np.uint64(
            sum(1 << (self.size * row + column) for row in (1, self.size - 2) for column in (1, self.size - 2))
        )
        self.early = 2 * self.num_cells // 3
        middle = (self.size // 2 - 1) * (self.size + 1)  # d4 on the large board
        self.start_white = np.uint64(1 << middle | 1 << (middle + self.size + 1))
        self.start_black = np.uint64(1 << (middle + 1) | 1 << (middle + self.size))

    # ------------------------------------------------------------ rules

    def reset(self, s: State) -> None:
        s.discs[0] = self.start_black
        s.discs[1] = self.start_white
        s.moves = self.moves_of(self.start_black, self.start_white)

    def legal_actions(self, s: State, actions: NDArray[np.int64]) -> int:
        moves = s.moves
        n = 0
        while moves:
            actions[n] = lowest_bit(moves)
            moves &= moves - ONE
            n += 1
        return n

    def advance(self, s: State, action: int) -> None:
        player = int(s.player)
        disc = ONE << np.uint64(action)
        flips = self.flips_of(disc, s.discs[player], s.discs[1 - player])
        own = s.discs[player] | disc | flips
        other = s.discs[1 - player] ^ flips
        s.discs[player] = own
        s.discs[1 - player] = other
        moves = self.moves_of(other, own)
        if moves:
            s.player = 1 - player
        else:
            moves = self.moves_of(own, other)
        s.moves = moves

    def is_over(self, s: State) -> bool:
        return bool(s.moves == ZERO)

    def scores(self, s: State, out: NDArray[np.float64]) -> None:
        out[0] = 0.0
        if s.moves == ZERO:
            out[0] = np.sign(popcount(s.discs[0]) - popcount(s.discs[1]))
        out[1] = -out[0]

    def estimate(self, s: State, out: NDArray[np.float64]) -> None:
        """Corners, edges, mobility and, late in the game, discs, between -1 and 1, which are a lost and a won game."""
        if s.moves == ZERO:
            self.scores(s, out)
            return
        player = int(s.player)
        total = self.worth(s.discs[0], s.discs[1]) - self.worth(s.discs[1], s.discs[0])
        moves = popcount(s.moves) - popcount(int(self.moves_of(s.discs[1 - player], s.discs[player])))
        total += moves if player == 0 else -moves
        out[0] = total / (HALF + abs(total))
        out[1] = -out[0]

    def worth(self, own: Any, other: Any) -> float:
        """What the discs of a player are worth, given the bitboards of both."""
        empty = self.board & ~(own | other)
        risky = own & self.around(empty & self.corners)
        late = max(0, self.num_cells - popcount(empty) - self.early) / (self.num_cells - self.early)
        return float(
            CORNER * popcount(own & self.corners)
            + DIAGONAL * popcount(risky & self.diagonals)
            + BESIDE * popcount(risky & ~self.diagonals)
            + EDGE * popcount(own & self.edges)
            + FRONTIER * popcount(own & self.around(empty))
            + DISC * late * popcount(own)
        )

    def random_start(self, s: State, rng: Rng) -> None:
        """The default start in 30 % of the cases, else the position after four random plies."""
        self.reset(s)
        self.random_plies(s, 4 if random_below(rng, 10) < 7 else 0, rng)

    def moves_of(self, own: np.uint64, other: np.uint64) -> np.uint64:
        """The cells on which the player with the discs `own` may place one."""
        inner = other & self.inner_columns  # a line that is to be closed sideways has no disc in an outer column
        closing = (
            self.closing_cells(own, inner, ONE)
            | self.closing_cells(own, inner, np.uint64(self.size - 1))
            | self.closing_cells(own, other, np.uint64(self.size))
            | self.closing_cells(own, inner, np.uint64(self.size + 1))
        )
        return closing & self.board & ~(own | other)

    def closing_cells(self, own: np.uint64, other: np.uint64, step: np.uint64) -> np.uint64:
        """The cells next after a row of `other` discs that begins beside an `own` one, both ways along a line."""
        up, down = self.rows_beside(own, other, step)
        return (up << step) | (down >> step)

    def rows_beside(self, cells: np.uint64, other: np.uint64, step: np.uint64) -> tuple[np.uint64, np.uint64]:
        """The rows of `other` discs that begin beside `cells`, both ways along a line: two discs, then two more at a
        time."""
        two = step + step
        up = other & (cells << step)
        up |= other & (up << step)
        down = other & (cells >> step)
        down |= other & (down >> step)
        pairs_up, pairs_down = other & (other << step), other & (other >> step)
        for _ in range(self.size // 2 - 2):
            up |= pairs_up & (up << two)
            down |= pairs_down & (down >> two)
        return up, down

    def flips_of(self, disc: np.uint64, own: np.uint64, other: np.uint64) -> np.uint64:
        """The discs of `other` that change colour when `disc` is placed."""
        inner = other & self.inner_columns
        return (
            self.enclosed(disc, own, inner, ONE)
            | self.enclosed(disc, own, inner, np.uint64(self.size - 1))
            | self.enclosed(disc, own, other, np.uint64(self.size))
            | self.enclosed(disc, own, inner, np.uint64(self.size + 1))
        )

    def enclosed(self, disc: np.uint64, own: np.uint64, other: np.uint64, step: np.uint64) -> np.uint64:
        """The `other` discs between `disc` and the nearest `own` one, both ways along a line."""
        up, down = self.rows_beside(disc, other, step)
        return (up if own & (up << step) else ZERO) | (down if own & (down >> step) else ZERO)

    # ------------------------------------------------------------ the learner's view

    def cells(self, s: State, out: NDArray[np.int8]) -> None:
        self.write_cells(s.discs[0], s.discs[1], s.moves, out)

    def cells_of(self, s: State, player: int, out: NDArray[np.int8]) -> None:
        self.write_cells(s.discs[player], s.discs[1 - player], s.moves, out)

    def write_cells(self, first: np.uint64, second: np.uint64, moves: np.uint64, out: NDArray[np.int8]) -> None:
        """The cells of the bitboards of the players' discs and of the legal moves."""
        empty = ~(first | second)
        low_bit = second | moves if self.coding == 4 else second
        for cell in range(self.num_cells):
            bit = np.uint64(cell)
            out[cell] = TWO * ((empty >> bit) & ONE) + ((low_bit >> bit) & ONE)

    def symmetries(self) -> NDArray[np.int64]:
        return grids.grid_symmetries(self.size, self.size)

    def start_symmetries(self) -> list[int]:
        """The half turn and the reflections in the diagonals; the others exchange the colours of the start."""
        start = self.start().cells
        return [k for k, p in enumerate(self.symmetries()) if np.array_equal(start[p], start)]

    def tuple_sets(self) -> dict[str, list[list[int]]]:
        return fixed_tuples("Othello") if self.size == 8 else {}

    def num_features(self, mode: int) -> int:
        return self.num_cells if mode == 0 else 8

    def features(self, s: State, mode: int, out: NDArray[np.float64]) -> None:
        """Mode 1, for each player: discs, moves that he has or would have, corners, and discs beside an empty
        cell (the frontier, which gives the opponent moves)."""
        if mode == 0:
            board = np.empty(self.num_cells, np.int8)
            self.cells(s, board)
            for i in range(self.num_cells):
                out[i] = board[i]
            return
        exposed = self.around(self.board & ~(s.discs[0] | s.discs[1]))
        for player in range(2):
            own = s.discs[player]
            out[4 * player] = popcount(own)
            out[4 * player + 1] = popcount(int(self.moves_of(own, s.discs[1 - player])))
            out[4 * player + 2] = popcount(own & self.corners)
            out[4 * player + 3] = popcount(own & exposed)

    def around(self, cells: np.uint64) -> np.uint64:
        """The cells themselves and the eight around each of them."""
        wide = cells | ((cells & self.not_last_column) << ONE) | ((cells & self.not_first_column) >> ONE)
        return (wide | (wide << np.uint64(self.size)) | (wide >> np.uint64(self.size))) & self.board

    def feature_names(self, mode: int) -> list[str]:
        if mode == 0:
            return super().feature_names(mode)
        counted = ("discs", "moves", "corners", "frontier")
        return [f"{self.player_name(p)}: {what}" for p in range(self.num_players) for what in counted]

    # ------------------------------------------------------------ the person's view

    def marks(self, s: State) -> list[int]:
        """What a person sees on every cell: 0 black, 1 white, 2 empty, 3 a legal move, in either cell coding."""
        discs, moves = [int(b) for b in s.discs], int(s.moves)
        empty = ~(discs[0] | discs[1])
        return [2 * (empty >> c & 1) + ((discs[1] | moves) >> c & 1) for c in range(self.num_cells)]

    def setup_values(self) -> NDArray[np.int64]:
        return np.full(self.num_cells, 3)

    def setup_names(self) -> list[str]:
        return ["empty", *self.player_names]

    def setup_of(self, s: State) -> list[int]:
        return setups.values_of_masks([int(discs) for discs in s.discs], self.num_cells)

    def set_up(self, s: State, values: Sequence[int], player: int) -> None:
        """Discs are never taken off, and each one lies beside another."""
        black, white = (np.uint64(mask) for mask in setups.masks_of(values))
        discs, grown = black | white, self.start_black | self.start_white
        if grown & ~discs:
            raise BoardlabError("the four cells in the middle are never empty")
        while (wider := self.around(grown) & discs) != grown:
            grown = wider
        if grown != discs:
            raise BoardlabError("a disc lies apart from the others")
        own, other = (black, white) if player == 0 else (white, black)
        s.moves = self.moves_of(own, other)
        if not s.moves and self.moves_of(other, own):
            raise BoardlabError(f"{self.player_name(player)} has no move, so {self.player_name(1 - player)} is to move")
        s.discs[0], s.discs[1] = black, white
        s.player = player

    def describe(self, s: State) -> str:
        marks = [self.symbols[m] for m in self.marks(s)]
        board = grids.text_grid([marks[r : r + self.size] for r in range(0, self.num_cells, self.size)])
        counts = [f"{self.symbols[p]} {self.player_name(p)} {popcount(s.discs[p])}" for p in range(2)]
        return f"{board}\n{', '.join(counts)}"

    def counts(self, s: State) -> list[str]:
        return [f"{n} disc{'s' * (n != 1)}" for n in (popcount(s.discs[p]) for p in range(2))]

    def draw(self, s: State, last_action: int | None = None) -> str:
        size, margin = 48, 22
        whole = self.size * size
        picture = drawing.Picture(whole + margin + 6, whole + margin + 6, self.title)
        picture.rect(0, 0, picture.width, picture.height, drawing.BOARD, rx=8)
        drawing.coordinates(picture, self.size, self.size, size, margin)
        for cell, mark in enumerate(self.marks(s)):
            row, column = self.cell_place(cell)
            x, y = margin + column * size, margin + row * size
            look = {"stroke": FELT_LINE, "stroke_width": 1.5, "place": (row, column)}
            holds = self.player_name(mark) if mark < 2 else None
            picture.rect(x, y, size, size, FELT, action=cell, holds=holds, **look)
            centre = (x + size / 2, y + size / 2)
            if mark < 2:
                colour = (BLACK, WHITE)[mark]
                picture.circle(*centre, size * 0.4, colour, stroke=FELT_LINE, pointer_events="none", piece=cell)
            elif mark == 3:
                colour = (BLACK, WHITE)[self.player(s)]
                picture.circle(*centre, size * 0.09, colour, pointer_events="none", opacity=0.6)
                picture.circle(*centre, size * 0.4, colour, ghost=cell)
            if cell == last_action:
                picture.circle(*centre, size * 0.1, drawing.MARK, pointer_events="none")
        return picture.svg()
