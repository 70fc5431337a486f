"""Dots and Boxes on one bitboard of edges. Edge numbers: the horizontal edges row by row, then the vertical ones row by
row. Each edge knows the one or two boxes beside it, each box the mask of its four edges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boardlab import drawing, grids, setups
from boardlab.compiler.bits import lowest_bit, popcount
from boardlab.errors import BoardlabError
from boardlab.game import Game, State
from boardlab.parameters import parameter

Dot = tuple[int, int]
"""Row (from the top) and column of a dot; the dots of a board have one row and one column more than its boxes."""


class DotsAndBoxes(Game):
    """Two players take turns to draw edges between neighbouring dots. Whoever draws the fourth side of a box owns it
    and moves again. When all edges are drawn, whoever owns more boxes wins. An edge is named by its two dots, such as
    a1-b1."""

    name = "dots"
    title = "Dots and Boxes"
    rows: int = parameter(3, 1, 5, doc="rows of boxes")
    columns: int = parameter(3, 1, 5, doc="columns of boxes")
    coding: int = parameter(
        2,
        choices=(2, 3),
        doc="learner's board: 2 a cell for each edge, drawn or not; 3 the edges of one box alone, as at a corner, say"
        " how many of them are drawn, and one more cell says how many edges are drawn at all",
    )
    player_names = ("X", "O")
    evaluators = ("mcts", "dots-perfect")
    feature_modes = ("cells", "box sides")

    state = np.dtype(
        [
            ("edges", np.int64),  # bitboard of the edges drawn
            ("boxes", np.int32, (2,)),  # bitboard of the boxes that each player owns
            ("player", np.int8),  # who moves; in a finished game who drew the last edge
        ]
    )

    def setup(self) -> None:
        rows, columns = self.rows, self.columns
        self.num_horizontal = (rows + 1) * columns
        self.num_actions = self.num_horizontal + rows * (columns + 1)
        self.max_moves = self.num_actions
        self.num_boxes = rows * columns
        self.score_range = (-float(self.num_boxes), float(self.num_boxes))
        self.all_edges = (1 << self.num_actions) - 1
        # An edge of the border gets a second box that does not exist, with an edge that is never drawn.
        self.box_masks = np.array([sum(1 << e for e in box) for box in self.boxes()] + [1 << 62], np.int64)
        self.edge_boxes = np.full((self.num_actions, 2), self.num_boxes, np.int64)
        for edge in range(self.num_actions):
            beside = [b for b, box in enumerate(self.boxes()) if edge in box]
            self.edge_boxes[edge, : len(beside)] = beside
        alike = self._edges_alike()
        self.alike_masks = np.array([sum(1 << e for e in edges) for edges in alike], np.int64)
        self.num_cells, self.num_values = self.num_actions, 2
        if self.coding == 3:
            self.num_cells += 1
            self.num_values = (*(len(edges) + 1 for edges in alike), self.num_actions + 1)

    def _edges_alike(self) -> list[list[int]]:
        """For each edge those that may be exchanged for it, itself included: they belong to the same one box alone."""
        beside = self.edge_boxes.tolist()
        edges = range(self.num_actions)
        return [
            [o for o in edges if o == e or (beside[o] == beside[e] and beside[e][1] == self.num_boxes)] for e in edges
        ]

    def boxes(self) -> list[list[int]]:
        """The four edges of each box, top, left, right and bottom; the boxes row by row, so that
        `grids.king_neighbours(rows, columns)` has the boxes around each box."""
        corners = [(r, c) for r in range(self.rows) for c in range(self.columns)]
        return [
            [
                self.edge_between((r, c), (r, c + 1)),
                self.edge_between((r, c), (r + 1, c)),
                self.edge_between((r, c + 1), (r + 1, c + 1)),
                self.edge_between((r + 1, c), (r + 1, c + 1)),
            ]
            for r, c in corners
        ]

    def edge_between(self, start: Dot, end: Dot) -> int:
        """The edge that joins two neighbouring dots, in any order."""
        row, column = min(start, end)
        if start[0] == end[0]:
            return row * self.columns + column
        return self.num_horizontal + row * (self.columns + 1) + column

    def dots(self, edge: int) -> tuple[Dot, Dot]:
        """The two dots of an edge, the upper or left one first."""
        if edge < self.num_horizontal:
            row, column = divmod(edge, self.columns)
            return (row, column), (row, column + 1)
        row, column = divmod(edge - self.num_horizontal, self.columns + 1)
        return (row, column), (row + 1, column)

    # ------------------------------------------------------------ rules

    def reset(self, s: State) -> None:
        s.player = 0

    def legal_actions(self, s: State, actions: NDArray[np.int64]) -> int:
        free = self.all_edges & ~int(s.edges)
        n = 0
        while free != 0:
            actions[n] = lowest_bit(free)
            free &= free - 1
            n += 1
        return n

    def advance(self, s: State, action: int) -> None:
        player = int(s.player)
        edges = int(s.edges) | (1 << int(action))
        taken = 0
        for side in range(2):
            box = int(self.edge_boxes[action, side])
            mask = int(self.box_masks[box])
            if edges & mask == mask:
                taken |= 1 << box
        s.edges = edges
        s.boxes[player] = int(s.boxes[player]) | taken
        if taken == 0:
            s.player = 1 - player

    def is_over(self, s: State) -> bool:
        return int(s.edges) == self.all_edges

    def margin(self, s: State) -> int:
        """Boxes of the first player minus boxes of the second."""
        return popcount(int(s.boxes[0])) - popcount(int(s.boxes[1]))

    def scores(self, s: State, out: NDArray[np.float64]) -> None:
        margin = self.margin(s)
        out[0] = margin
        out[1] = -margin

    # ------------------------------------------------------------ the learner's view

    def cells(self, s: State, out: NDArray[np.int8]) -> None:
        edges = int(s.edges)
        if self.coding == 2:
            for i in range(self.num_actions):
                out[i] = (edges >> i) & 1
            return
        for i in range(self.num_actions):
            out[i] = popcount(edges & int(self.alike_masks[i]))
        out[self.num_actions] = popcount(edges)

    def changed_cells(self, s: State, action: int, cells: NDArray[np.int32], values: NDArray[np.int8]) -> int:
        if self.coding == 2:
            cells[0] = action
            values[0] = 1
            return 1
        edges, alike = int(s.edges) | (1 << int(action)), int(self.alike_masks[action])
        cells[0] = self.num_actions
        values[0] = popcount(edges)
        n, left = 1, alike
        while left != 0:
            cells[n] = lowest_bit(left)
            values[n] = popcount(edges & alike)
            left &= left - 1
            n += 1
        return n

    def common_cells(self) -> list[int]:
        """What every walk over boxes sees, wherever it leads."""
        return [self.num_actions] if self.coding == 3 else []

    def symmetries(self) -> NDArray[np.int64]:
        """Rotations and reflections of the dots: 4 on a rectangle, 8 on a square."""
        width = self.columns + 1
        permutations = []
        for sources in grids.grid_symmetries(self.rows + 1, width).tolist():
            moved = [[divmod(sources[r * width + c], width) for r, c in self.dots(e)] for e in range(self.num_actions)]
            permutations.append([*(self.edge_between(start, end) for start, end in moved), *self.common_cells()])
        return np.array(permutations, np.int64)

    def action_symmetries(self) -> NDArray[np.int64]:
        return np.argsort(self.symmetries()[:, : self.num_actions], axis=1)

    def exchangeable_cells(self) -> NDArray[np.int64]:
        """Two edges that belong to the same one box are alike. On a board of two or more rows and columns these are
        the two edges of each corner. On a board one box wide there are more of them in a box (at its ends a triple of
        two overlapping corners); they are paired so that no edge is in two pairs, and all exchanges are independent.
        Cells that count such edges need no exchange."""
        pairs: list[tuple[int, int]] = []
        if self.coding == 3:
            return np.array(pairs, np.int64).reshape(-1, 2)
        for b, box in enumerate(self.boxes()):
            own = [e for e in box if self.edge_boxes[e].tolist() == [b, self.num_boxes]]
            pairs += list(zip(own[0::2], own[1::2], strict=False))
        return np.array(pairs, np.int64).reshape(-1, 2)

    def neighbours(self) -> list[list[int]]:
        """Edges that share a dot or a box."""
        edges = range(self.num_actions)
        dots = [set(self.dots(e)) for e in edges]
        boxes = [{b for b in self.edge_boxes[e].tolist() if b < self.num_boxes} for e in edges]
        beside = [[o for o in edges if o != e and (dots[e] & dots[o] or boxes[e] & boxes[o])] for e in edges]
        return beside + [[] for _ in self.common_cells()]

    def num_features(self, mode: int) -> int:
        return self.num_actions if mode == 0 else 7

    def features(self, s: State, mode: int, out: NDArray[np.float64]) -> None:
        """Mode 1: how many boxes have 0, 1, 2, 3 and 4 sides, the margin of the first player, and who moves."""
        edges = int(s.edges)
        if mode == 0:
            for i in range(self.num_actions):
                out[i] = (edges >> i) & 1
            return
        for i in range(5):
            out[i] = 0.0
        for box in range(self.num_boxes):
            out[popcount(edges & int(self.box_masks[box]))] += 1.0
        out[5] = self.margin(s)
        out[6] = int(s.player)

    def feature_names(self, mode: int) -> list[str]:
        if mode == 0:
            return super().feature_names(mode)
        return [*(f"boxes with {k} sides" for k in range(5)), "margin", "player to move"]

    # ------------------------------------------------------------ the person's view

    def setup_values(self) -> NDArray[np.int64]:
        """The edges, drawn or not, and after them the boxes with their owners."""
        return np.array([2] * self.num_actions + [3] * self.num_boxes)

    def setup_names(self) -> list[str]:
        return ["empty", *self.player_names]

    def setup_outline(self, place: int) -> list[tuple[float, float]]:
        if place < self.num_actions:
            return self.cell_outline(place)
        row, column = divmod(place - self.num_actions, self.columns)
        corners = ((0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8))
        return [(column + x, row + y) for x, y in corners]

    def setup_of(self, s: State) -> list[int]:
        edges = [int(s.edges) >> edge & 1 for edge in range(self.num_actions)]
        return edges + setups.values_of_masks([int(mask) for mask in s.boxes], self.num_boxes)

    def set_up(self, s: State, values: Sequence[int], player: int) -> None:
        edges = setups.masks_of(values[: self.num_actions], 1)[0]
        owned = setups.masks_of(values[self.num_actions :])
        for box in range(self.num_boxes):
            mask = int(self.box_masks[box])
            complete, has_owner = edges & mask == mask, bool((owned[0] | owned[1]) >> box & 1)
            if complete != has_owner:
                what = "has all its edges and no owner" if complete else "has an owner, but not all its edges"
                raise BoardlabError(f"box {box + 1} {what}")
        boxes, turns = popcount(owned[0] | owned[1]), popcount(edges)
        if boxes < 2 and edges != self.all_edges and (turns - boxes) % 2 != player:
            raise BoardlabError(f"with {turns} edges drawn it is not the turn of {self.player_name(player)}")
        s.edges = edges
        s.boxes[:] = owned
        s.player = player

    def cell_outline(self, cell: int) -> list[tuple[float, float]]:
        if cell == self.num_actions:  # the number of edges, below the board
            x, y = self.columns / 2, self.rows + 0.25
            return [(x - 0.25, y), (x + 0.25, y), (x + 0.25, y + 0.5), (x - 0.25, y + 0.5)]
        return [(column, row) for row, column in self.dots(cell)]

    def cell_action(self, cell: int) -> int | None:
        return cell if cell < self.num_actions else None

    def action_name(self, action: int) -> str:
        start, end = self.dots(action)
        return f"{grids.cell_name(*start)}-{grids.cell_name(*end)}"

    def parse_action(self, text: str) -> int:
        """The two dots in any order, with or without a hyphen or a space between them."""
        wanted = "".join(text.lower().replace("-", " ").split())
        for action in range(self.num_actions):
            start, end = (grids.cell_name(*dot) for dot in self.dots(action))
            if wanted in (start + end, end + start):
                return action
        raise BoardlabError(f"{text.strip()!r} is no edge of this board; name two neighbouring dots, as a1-b1 or a1-a2")

    def owner_mark(self, s: State, box: int) -> str:
        """The letter of the player who owns the box, or a space."""
        for player in range(2):
            if int(s.boxes[player]) >> box & 1:
                return self.player_names[player]
        return " "

    def describe(self, s: State) -> str:
        edges = int(s.edges)
        lines = ["   " + "   ".join(grids.column_name(c) for c in range(self.columns + 1))]
        for r in range(self.rows + 1):
            drawn = [edges >> (r * self.columns + c) & 1 for c in range(self.columns)]
            lines.append(f"{r + 1:2d} " + "".join("+---" if d else "+   " for d in drawn) + "+")
            if r == self.rows:
                break
            line = "   "
            for c in range(self.columns + 1):
                line += "|" if edges >> self.edge_between((r, c), (r + 1, c)) & 1 else " "
                line += f" {self.owner_mark(s, r * self.columns + c)} " if c < self.columns else ""
            lines.append(line.rstrip())
        return "\n".join(lines)

    def counts(self, s: State) -> list[str]:
        return [f"{n} box{'es' * (n != 1)}" for n in (int(s.boxes[p]).bit_count() for p in range(2))]

    def draw(self, s: State, last_action: int | None = None) -> str:
        size, margin = 64, 40
        picture = drawing.Picture(self.columns * size + 1.5 * margin, self.rows * size + 1.5 * margin, self.title)
        picture.rect(0, 0, picture.width, picture.height, drawing.BOARD, rx=8)
        for box in range(self.num_boxes):
            row, column = divmod(box, self.columns)
            mark = self.owner_mark(s, box)
            if mark in self.player_names:
                x, y = margin + column * size, margin + row * size
                fill = drawing.player_colour(self.player_names.index(mark))
                picture.rect(x + 5, y + 5, size - 10, size - 10, fill, rx=6, opacity=0.8, piece=box)
                picture.text(x + size / 2, y + size / 2, mark, size * 0.4, drawing.PAPER, piece=box)
        for edge in range(self.num_actions):
            (r1, c1), (r2, c2) = self.dots(edge)
            ends = (margin + c1 * size, margin + r1 * size, margin + c2 * size, margin + r2 * size)
            if int(s.edges) >> edge & 1:
                picture.line(*ends, drawing.MARK if edge == last_action else drawing.INK, 6)
            else:
                picture.line(*ends, drawing.LINE, 1.5, stroke_dasharray="2 6", pointer_events="none")
                picture.line(*ends, "transparent", 22, action=edge)
        for row in range(self.rows + 1):
            picture.text(margin * 0.4, margin + row * size, str(row + 1), 15)
            for column in range(self.columns + 1):
                picture.circle(margin + column * size, margin + row * size, 6, drawing.INK, pointer_events="none")
        for column in range(self.columns + 1):
            picture.text(margin + column * size, margin * 0.4, grids.column_name(column), 15)
        return picture.svg()
