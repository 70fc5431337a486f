"""The dice game of the tests with a board that n-tuples can look at. In a module of its own, because the compiled code
of a game depends on all that its module can reach."""

from __future__ import annotations

from small_games import Dice


class DiceBoard(Dice):
    """Three players and chance: the points of each, and how many turns are over."""

    name = "dice-board"
    num_cells = 4
    num_values = (19, 19, 19, 10)

    def cells(self, s, out):
        for p in range(3):
            out[p] = s.points[p]
        out[3] = s.turn

    def tuple_sets(self):
        return {"pairs": [[0, 3], [1, 3], [2, 3], [0, 1, 2]]}
