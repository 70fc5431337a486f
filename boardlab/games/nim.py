"""Nim for two players (the last stone wins) and for three (Nim3P: the player after the taker of the last stone
wins). Action = heap * stones + (take - 1)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boardlab import drawing, grids
from boardlab.errors import BoardlabError
from boardlab.game import Game, State
from boardlab.games.tuples import fixed_tuples
from boardlab.parameters import parameter

LARGEST_TABLE = 10_000_000
"""A tuple of all heaps is offered while its look-up table has no more entries than this."""


class Nim(Game):
    """Players take turns to take as many stones as they like, at least one, from one heap. With two players, whoever
    takes the last stone wins. With three players, the next player wins, and by the extra rule the one after that scores
    a fifth of a win."""

    name = "nim"
    title = "Nim"
    sample_moves = ("b2", "c1")
    heaps: int = parameter(3, 1, 8, doc="number of heaps")
    stones: int = parameter(5, 1, 20, doc="stones on each heap at the start")
    players: int = parameter(2, choices=(2, 3), doc="number of players")
    extra_rule: bool = parameter(True, doc="three players: the one two after the taker of the last stone scores 0.2")
    permute: bool = parameter(False, doc="count permuted heaps as symmetric (up to 4 heaps)")
    feature_modes = ("cells", "nim-sum")
    evaluators = ("nim-perfect", "nim3p-perfect", "nim3p-mcts")

    def setup(self) -> None:
        if self.permute and self.heaps > 4:
            raise BoardlabError(f"permute takes up to 4 heaps (24 symmetries), not {self.heaps}")
        self.state = np.dtype(
            [
                ("heap", np.int8, (self.heaps,)),  # stones left on each heap
                ("player", np.int8),  # who moves; in a finished game the player after the taker of the last stone
            ]
        )
        self.num_players = self.players
        self.num_actions = self.heaps * self.stones
        self.num_cells = self.heaps
        self.num_values = self.stones + 1
        self.max_moves = self.heaps * self.stones
        self.digits = self.stones.bit_length()
        self.score_range = (-1.0, 1.0) if self.players == 2 else (0.0, 1.0)

    # ------------------------------------------------------------ rules

    def reset(self, s: State) -> None:
        for heap in range(self.heaps):
            s.heap[heap] = self.stones

    def legal_actions(self, s: State, actions: NDArray[np.int64]) -> int:
        n = 0
        for heap in range(self.heaps):
            for take in range(int(s.heap[heap])):
                actions[n] = heap * self.stones + take
                n += 1
        return n

    def advance(self, s: State, action: int) -> None:
        heap = action // self.stones
        s.heap[heap] = int(s.heap[heap]) - (action - heap * self.stones + 1)
        following = int(s.player) + 1
        s.player = 0 if following == self.players else following

    def is_over(self, s: State) -> bool:
        left = 0
        for heap in range(self.heaps):
            left += int(s.heap[heap])
        return left == 0

    def scores(self, s: State, out: NDArray[np.float64]) -> None:
        for player in range(self.players):
            out[player] = 0.0
        if not self.is_over(s):
            return
        following = int(s.player)
        if self.players == 2:
            out[following] = -1.0
            out[1 - following] = 1.0
        else:
            out[following] = 1.0
            out[(following + 1) % 3] = 0.2 if self.extra_rule else 0.0

    # ------------------------------------------------------------ the learner's view

    def cells(self, s: State, out: NDArray[np.int8]) -> None:
        for heap in range(self.heaps):
            out[heap] = s.heap[heap]

    def changed_cells(self, s: State, action: int, cells: NDArray[np.int32], values: NDArray[np.int8]) -> int:
        heap = action // self.stones
        cells[0] = heap
        values[0] = int(s.heap[heap]) - action % self.stones - 1
        return 1

    def symmetries(self) -> NDArray[np.int64]:
        if not self.permute:
            return np.arange(self.heaps, dtype=np.int64)[None, :]
        return np.array(list(itertools.permutations(range(self.heaps))), np.int64)

    def action_symmetries(self) -> NDArray[np.int64]:
        heap, take = np.divmod(np.arange(self.num_actions, dtype=np.int64), self.stones)
        return np.argsort(self.symmetries(), axis=1)[:, heap] * self.stones + take

    def neighbours(self) -> list[list[int]]:
        return [[other for other in range(self.heaps) if other != heap] for heap in range(self.heaps)]

    def tuple_sets(self) -> dict[str, list[list[int]]]:
        if (self.heaps, self.stones) == (3, 5):
            return fixed_tuples("Nim_3x5" if self.players == 2 else "Nim3P_3x5")
        if (self.stones + 1) ** self.heaps <= LARGEST_TABLE:
            return {"all": [list(range(self.heaps))]}
        return {}

    def num_features(self, mode: int) -> int:
        return self.num_cells if mode == 0 else self.digits + 2

    def features(self, s: State, mode: int, out: NDArray[np.float64]) -> None:
        """Mode 1: the binary digits of the nim-sum (the exclusive or of the heaps), lowest first, the number of
        stones left and of heaps that are not empty."""
        nim_sum = 0
        left = 0
        standing = 0
        for heap in range(self.heaps):
            stones = int(s.heap[heap])
            nim_sum ^= stones
            left += stones
            standing += 1 if stones > 0 else 0
            if mode == 0:
                out[heap] = stones
        if mode == 1:
            for digit in range(self.digits):
                out[digit] = (nim_sum >> digit) & 1
            out[self.digits] = left
            out[self.digits + 1] = standing

    def feature_names(self, mode: int) -> list[str]:
        if mode == 0:
            return super().feature_names(mode)
        return [*(f"nim-sum digit {1 << k}" for k in range(self.digits)), "stones", "heaps"]

    # ------------------------------------------------------------ the person's view

    def set_up(self, s: State, values: Sequence[int], player: int) -> None:
        """Between one move for each heap that has become smaller and one for each stone that is gone were made."""
        gone = [self.stones - value for value in values]
        moves = range(sum(stones > 0 for stones in gone), sum(gone) + 1)
        if not any(count % self.players == player for count in moves):
            raise BoardlabError(f"no number of moves leads to it with {self.player_name(player)} to move")
        s.heap[:] = values
        s.player = player

    def action_name(self, action: int) -> str:
        """The heap's letter and how many stones are taken, as b3."""
        heap, take = divmod(action, self.stones)
        return f"{grids.column_name(heap)}{take + 1}"

    def describe(self, s: State) -> str:
        counts = [int(s.heap[h]) for h in range(self.heaps)]
        return "\n".join(f"{grids.column_name(h)} {n:2d}  {'o ' * n}".rstrip() for h, n in enumerate(counts))

    def draw(self, s: State, last_action: int | None = None) -> str:
        """A pile for each heap. A click on a stone takes it and all stones above it; those just taken are
        outlined."""
        width, height = 72, 26
        picture = drawing.Picture(self.heaps * width + 16, self.stones * height + 48, self.title)
        picture.rect(0, 0, picture.width, picture.height, drawing.BOARD, rx=10)
        ground = 10 + self.stones * height
        taken_heap, taken = divmod(last_action, self.stones) if last_action is not None else (-1, -1)
        for heap in range(self.heaps):
            left = int(s.heap[heap])
            x = 8 + heap * width
            for place in range(left + (taken + 1 if heap == taken_heap else 0)):
                box = (x + 8, ground - (place + 1) * height, width - 16, height - 4)
                if place < left:
                    action = heap * self.stones + left - place - 1
                    takers = [heap * self.stones + t for t in range(left - place - 1, left)]
                    picture.rect(*box, drawing.FIRST, rx=10, action=action)
                    picture.rect(*box, drawing.MARK, rx=10, ghost=takers, opacity=0.85)
                else:
                    picture.rect(*box, "none", rx=10, stroke=drawing.MARK, stroke_width=2, stroke_dasharray="4 3")
            picture.line(x + 4, ground + 2, x + width - 4, ground + 2, drawing.LINE, 3)
            picture.text(x + width / 2, ground + 20, f"{grids.column_name(heap)}: {left}", 15)
        return picture.svg()
