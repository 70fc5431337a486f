"""2048 with row tables. A line of four cells is a number in base 18 (0 empty, k for the tile 2^k; 2^17 is the largest
that can be reached), and tables say for each of the 104,976 lines what sliding makes of it. A move reads its four
lines from the side that the tiles slide to, so one table serves all directions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from boardlab import drawing, grids
from boardlab.errors import BoardlabError
from boardlab.game import Game, State
from boardlab.games.tuples import fixed_tuples
from boardlab.rng import Rng, random_below

VALUES = 18

ACTION_NAMES = ("left", "up", "right", "down")
STEPS = (-1, -4, 1, 4)
"""From a cell to the next one in the direction of each action."""

TILE_COLOURS = (
    *("#d8ccba", "#f7f0e3", "#f4e4c4", "#f6cd96", "#f3b071", "#ee9359", "#e2714a", "#d35440", "#c03f45"),
    *("#a93353", "#8e2b5c", "#e3b235", "#c5921c", "#93701f", "#626d31", "#346251", "#264e68", "#2e2f5c"),
)
DARK_INK_TILES = (1, 2, 3, 4, 5, 11, 12)
DARK_INK, LIGHT_INK = "#43352a", "#ffffff"


@cache
def slide_tables() -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.int8]]:
    """For the line (c0, c1, c2, c3), whose index is ((c0 * 18 + c1) * 18 + c2) * 18 + c3, what sliding it to the
    side of c0 does: the new line, int8 of shape (18^4, 4); the score gained, int32 of shape (18^4,); and whether
    it can be slid, int8 of shape (18^4,): 1 to the side of c0, 2 to the side of c3, 3 both ways."""
    lines = np.indices((VALUES,) * 4, dtype=np.int8).reshape(4, -1).T
    slid = np.take_along_axis(lines, np.argsort(lines == 0, axis=1, kind="stable"), axis=1)
    gains = np.zeros(len(lines), np.int32)
    for i in range(3):
        merge = (slid[:, i] == slid[:, i + 1]) & (slid[:, i] > 0) & (slid[:, i] < VALUES - 1)
        slid[merge, i] += 1
        gains[merge] += 1 << slid[merge, i].astype(np.int32)
        slid[merge, i + 1 : 3] = slid[merge, i + 2 : 4]
        slid[merge, 3] = 0
    moves = (slid != lines).any(axis=1).astype(np.int8)
    mirrored = lines[:, ::-1].astype(np.int64) @ VALUES ** np.arange(3, -1, -1)
    return slid, gains, moves + 2 * moves[mirrored]


class Game2048(Game):
    """Slide all tiles to one side. Two equal tiles that meet merge into one of twice the value, which is added to the
    score; a tile merges at most once per slide. After each slide a 2 (nine times in ten) or a 4 appears on a random
    empty cell. The game is over when no slide changes the board."""

    name = "2048"
    title = "2048"
    num_players = 1
    num_actions = 4
    num_outcomes = 32
    num_cells = 16
    num_values = VALUES
    grid = (4, 4)
    max_moves = 131_072  # each slide adds a tile of 2 or more to a board that cannot hold more than 2^18 in all
    score_range = (0.0, 3_932_156.0)
    player_names = ("Player",)
    feature_modes = ("cells", "order")
    evaluators = ("score",)

    state = np.dtype(
        [
            ("board", np.int8, (16,)),  # row by row; k for the tile 2^k, 0 empty
            ("due", np.int8),  # tiles that chance has to place before the next slide
            ("legal", np.int8),  # bit a for each action that changes the board; 0 while tiles are due
            ("score", np.int32),  # sum of the values of all merged tiles
        ]
    )

    def setup(self) -> None:
        slid, gains, self.line_moves = slide_tables()
        tiles = slid.astype(np.int64) @ (1 << np.arange(0, 32, 8))
        self.slid_lines = tiles | gains.astype(np.int64) << 32  # one look-up: four bytes of tiles, then the gain

    # ------------------------------------------------------------ rules

    def reset(self, s: State) -> None:
        s.due = 2

    def player(self, s: State) -> int:
        return 0

    def legal_actions(self, s: State, actions: NDArray[np.int64]) -> int:
        legal = int(s.legal)
        n = 0
        for action in range(4):
            actions[n] = action
            n += (legal >> action) & 1
        return n

    def advance(self, s: State, action: int) -> None:
        forward = -STEPS[action]  # from the side that the tiles slide to
        across = 5 - abs(forward)
        first = 0 if forward > 0 else -3 * forward
        gain = 0
        for line in range(4):
            a = (first + line * across) & 15  # what is masked so is known not to be negative: 5 % of the learner's time
            b = (a + forward) & 15
            c = (b + forward) & 15
            d = (c + forward) & 15
            index = self.line_index(s, a, b, c, d)
            slide = int(self.slid_lines[index])
            s.board[a] = slide & 31
            s.board[b] = (slide >> 8) & 31
            s.board[c] = (slide >> 16) & 31
            s.board[d] = (slide >> 24) & 31
            gain += slide >> 32
        s.score = int(s.score) + gain
        s.due = 1
        s.legal = 0

    def line_index(self, s: State, a: int, b: int, c: int, d: int) -> int:
        """The place in the tables of the line of these four cells."""
        upper = int(s.board[a]) * VALUES + int(s.board[b])
        return upper * VALUES**2 + int(s.board[c]) * VALUES + int(s.board[d])

    def is_chance(self, s: State) -> bool:
        return bool(s.due > 0)

    def chance_outcomes(self, s: State, outcomes: NDArray[np.int64], chances: NDArray[np.float64]) -> int:
        n = 0
        for cell in range(16):
            if s.board[cell] == 0:
                outcomes[n] = 2 * cell
                outcomes[n + 1] = 2 * cell + 1
                n += 2
        for i in range(0, n, 2):
            chances[i] = 1.8 / n
            chances[i + 1] = 0.2 / n
        return n

    def advance_chance(self, s: State, outcome: int) -> None:
        """Outcome 2 * cell places a 2, outcome 2 * cell + 1 a 4."""
        s.board[outcome >> 1] = 1 + (outcome & 1)
        s.due = int(s.due) - 1
        if s.due == 0:
            sideways = 0
            upright = 0
            for i in range(4):
                sideways |= int(self.line_moves[self.line_index(s, 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3)])
                upright |= int(self.line_moves[self.line_index(s, i, i + 4, i + 8, i + 12)])
            # A table entry has bit 0 for left (up) and bit 1 for right (down): spread to the bits of the actions
            s.legal = (sideways & 1) + 2 * (sideways & 2) + 2 * (upright & 1) + 4 * (upright & 2)

    def sample_chance(self, s: State, rng: Rng) -> int:
        empty = 0
        for cell in range(16):
            empty += 1 if s.board[cell] == 0 else 0
        draw = random_below(rng, 10 * empty)
        left = draw // 10
        cell = -1
        while left >= 0:
            cell += 1
            left -= 1 if s.board[cell] == 0 else 0
        return 2 * cell + (1 if draw % 10 == 9 else 0)

    def is_over(self, s: State) -> bool:
        return bool(s.legal == 0 and s.due == 0)

    def scores(self, s: State, out: NDArray[np.float64]) -> None:
        out[0] = s.score

    def random_start(self, s: State, rng: Rng) -> None:
        """Always the default start: chance makes the games differ."""
        self.reset(s)

    # ------------------------------------------------------------ the learner's view

    def symmetries(self) -> NDArray[np.int64]:
        return grids.grid_symmetries(4, 4)

    def action_symmetries(self) -> NDArray[np.int64]:
        new_cells = np.argsort(self.symmetries(), axis=1)
        inner = 5  # a cell with a neighbour on every side
        steps = [new_cells[:, inner + step] - new_cells[:, inner] for step in STEPS]
        return np.array([[STEPS.index(int(step)) for step in new] for new in np.transpose(steps)], np.int64)

    def outcome_symmetries(self) -> NDArray[np.int64]:
        new_cells = np.argsort(self.symmetries(), axis=1)
        return np.stack([2 * new_cells, 2 * new_cells + 1], axis=2).reshape(len(new_cells), self.num_outcomes)

    def neighbours(self) -> list[list[int]]:
        """Only the four cells beside each one: diagonal neighbours never meet."""
        around = grids.king_neighbours(4, 4)
        return [[other for other in cells if other - cell in STEPS] for cell, cells in enumerate(around)]

    def tuple_sets(self) -> dict[str, list[list[int]]]:
        return fixed_tuples("2048")

    def num_features(self, mode: int) -> int:
        return self.num_cells if mode == 0 else 4

    def features(self, s: State, mode: int, out: NDArray[np.float64]) -> None:
        """Mode 1: empty cells, neighbouring pairs that could merge, disorder (for every row and column the smaller
        of all its rises and all its falls; 0 where it is monotone), and the largest k of a tile 2^k."""
        for i in range(self.num_features(mode)):
            out[i] = 0.0
        for cell in range(16):
            tile = int(s.board[cell])
            if mode == 0:
                out[cell] = tile
            else:
                out[0] += 1 if tile == 0 else 0
                out[3] = max(out[3], tile)
        if mode == 1:
            for i in range(4):
                self.add_line_features(s, 4 * i, 1, out)
                self.add_line_features(s, i, 4, out)

    def add_line_features(self, s: State, first: int, step: int, out: NDArray[np.float64]) -> None:
        """Add the merges and the disorder of one row or column."""
        rise = 0
        fall = 0
        for i in range(3):
            tile = int(s.board[first + i * step])
            change = int(s.board[first + (i + 1) * step]) - tile
            rise += max(change, 0)
            fall += max(-change, 0)
            out[1] += 1 if change == 0 and tile > 0 else 0
        out[2] += min(rise, fall)

    def feature_names(self, mode: int) -> list[str]:
        return super().feature_names(mode) if mode == 0 else ["empty cells", "merges", "disorder", "largest tile"]

    # ------------------------------------------------------------ the person's view

    def action_name(self, action: int) -> str:
        return ACTION_NAMES[action]

    def parse_action(self, text: str) -> int:
        """A direction or its first letter."""
        wanted = text.strip().lower()
        for action, name in enumerate(ACTION_NAMES):
            if wanted in (name, name[0]):
                return action
        raise BoardlabError(f"{text.strip()!r} is no action of 2048; write left, up, right or down, or l, u, r, d")

    def outcome_name(self, outcome: int) -> str:
        cell, four = divmod(outcome, 2)
        return f"{4 if four else 2} on {grids.cell_name(*self.cell_place(cell))}"

    def setup_names(self) -> list[str]:
        return ["empty", *(str(1 << value) for value in range(1, VALUES))]

    def set_up(self, s: State, values: Sequence[int], player: int) -> None:
        """Chance has just placed a tile. The score begins anew: which tiles were once 2 and which 4 nobody can see."""
        fresh = next((cell for cell, value in enumerate(values) if value in (1, 2)), None)
        if fresh is None or sum(value > 0 for value in values) < 2:
            raise BoardlabError("there are two tiles at least, and one of them is a 2 or a 4 that chance has placed")
        s.board[:] = values
        s.board[fresh] = 0
        s.due = 1
        self.advance_chance(s, 2 * fresh + values[fresh] - 1)

    def describe(self, s: State) -> str:
        tiles = [str(1 << int(k)) if k else "." for k in s.board]
        rows = [tiles[r : r + 4] for r in range(0, 16, 4)]
        return grids.text_grid(rows, row_labels=False, column_labels=False)

    def draw(self, s: State, last_action: int | None = None) -> str:
        size, border, gap = 76, 34, 4
        whole = 4 * size
        picture = drawing.Picture(whole + 2 * border, whole + 2 * border, self.title)
        picture.rect(0, 0, picture.width, picture.height, drawing.BOARD, rx=10)
        for action in range(4):
            self.draw_arrow(picture, action, border, drawing.MARK if action == last_action else drawing.LINE)
        for i in range(4):
            middle = border + (i + 0.5) * size
            picture.text(middle, border / 2, grids.column_name(i), 12)
            picture.text(border / 2, middle, str(i + 1), 12)
        picture.rect(border, border, whole, whole, "var(--bl-tray, #b3a48f)", rx=8)
        for cell in range(16):
            row, column = self.cell_place(cell)
            x, y, k = border + column * size, border + row * size, int(s.board[cell])
            box = (x + gap, y + gap, size - 2 * gap, size - 2 * gap)
            picture.rect(*box, TILE_COLOURS[0], rx=6)
            if k:
                text, style = str(1 << k), {"font_weight": "bold", "piece": cell}
                ink = DARK_INK if k in DARK_INK_TILES else LIGHT_INK
                picture.rect(*box, TILE_COLOURS[k], rx=6, piece=cell)
                picture.text(x + size / 2, y + size / 2, text, min(32, 86 / len(text)), ink, **style)
        return picture.svg()

    def slides(self, s: State, action: int) -> list[tuple[int, int]]:
        forward = -STEPS[action]  # from the side that the tiles slide to
        across = 5 - abs(forward)
        first = 0 if forward > 0 else -3 * forward
        found = []
        for line in range(4):
            cells = [first + line * across + k * forward for k in range(4)]
            place, waiting = -1, 0  # where the last tile came to rest, and what it is if it can still merge
            for cell in cells:
                tile = int(s.board[cell])
                if tile == 0:
                    continue
                merges = tile == waiting and tile < VALUES - 1
                place, waiting = (place, 0) if merges else (place + 1, tile)
                found.append((cell, cells[place]))
        return found

    def draw_arrow(self, picture: drawing.Picture, action: int, border: float, colour: str) -> None:
        """The clickable strip on the side of the board that an action slides to, with its arrow."""
        length = picture.width - 2 * border
        far = picture.width - border
        x, y = ((0, border), (border, 0), (far, border), (border, far))[action]
        across, down = (border, length) if action in (0, 2) else (length, border)
        picture.rect(x, y, across, down, "transparent", action=action)
        u, v = ((-1, 0), (0, -1), (1, 0), (0, 1))[action]
        middle, half = (x + across / 2, y + down / 2), border / 4
        tip = (middle[0] + u * half, middle[1] + v * half)
        base = (middle[0] - u * half, middle[1] - v * half)
        ends = [(base[0] + side * v * 2 * half, base[1] + side * u * 2 * half) for side in (-1, 1)]
        picture.polygon([tip, *ends], colour, pointer_events="none")
