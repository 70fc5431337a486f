"""Games with one mistake each, as a newcomer makes them, and some that look odd but are right. Each is a file of its
own, made here from one of two sound games by exchanging a few lines."""

from __future__ import annotations

from pathlib import Path

__all__ = ["HARMLESS", "SUSPICIOUS", "WRONG", "write_game"]

BREAKTHROUGH = '''import numpy as np
from boardlab import Game, parameter
# above
class Breakthrough(Game):
    """Move a pawn one step forward or diagonally forward; capture diagonally. Reach the far row to win."""
    size: int = parameter(5, 4, 8)

    def setup(self):
        n = self.size
        self.num_cells = n * n
        self.num_values = 3
        self.grid = (n, n)
        self.num_actions = n * n * 3  # from cell, direction -1 0 1
        self.max_moves = 4 * n * n
        self.state = np.dtype([("board", np.int8, (n * n,)), ("player", np.int8), ("won", np.int8)])

    def reset(self, s):
        n = self.size
        for c in range(2 * n):
            s.board[c] = 2
            s.board[n * n - 1 - c] = 1

    def target(self, player, action):
        n = self.size
        cell = action // 3
        row = cell // n + (-1 if player == 0 else 1)
        column = cell % n + action % 3 - 1
        if row < 0 or row >= n or column < 0 or column >= n:
            return -1
        return row * n + column

    def legal_actions(self, s, actions):
        me = int(s.player) + 1
        k = 0
        for a in range(self.size * self.size * 3):
            if s.board[a // 3] == me:
                t = self.target(me - 1, a)
                if t >= 0 and s.board[t] != me and (a % 3 != 1 or s.board[t] == 0):
                    actions[k] = a
                    k += 1
        return k

    def advance(self, s, action):
        p = int(s.player)
        t = self.target(p, action)
        s.board[action // 3] = 0
        s.board[t] = p + 1
        row = t // self.size
        s.player = 1 - p
        left = 0
        for c in range(self.num_cells):
            left += 1 if s.board[c] == 2 - p else 0
        if row == 0 and p == 0 or row == self.size - 1 and p == 1 or left == 0:
            s.won = p + 1

    def is_over(self, s):
        return s.won > 0

    def scores(self, s, out):
        out[0] = out[1] = 0.0
        if s.won > 0:
            out[int(s.won) - 1] = 1.0
            out[2 - int(s.won)] = -1.0

    def action_name(self, action):
        cell, d = divmod(action, 3)
        return f"{'abcdefgh'[cell % self.size]}{cell // self.size + 1}{'<^>'[d]}"

    def symmetries(self):
        cells = np.arange(self.num_cells).reshape(self.size, self.size)
        return np.array([cells.ravel(), cells[:, ::-1].ravel()])

    def action_symmetries(self):
        a = np.arange(self.num_actions)
        cell, d = a // 3, a % 3
        m = cell // self.size * self.size + (self.size - 1 - cell % self.size)
        return np.array([a, m * 3 + 2 - d])
'''

PIG = '''import numpy as np
from boardlab import Game, parameter

class Pig(Game):
    """Roll a die as often as you like; the sum is yours when you hold, but a 1 loses it. First to the goal wins."""
    goal: int = parameter(30, 10, 100)
    num_outcomes = 6

    def setup(self):
        self.num_actions = 2  # roll, hold
        self.num_cells = 3
        self.num_values = self.goal + 7
        self.max_moves = 2000
        self.state = np.dtype([("points", np.int8, (2,)), ("turn", np.int8), ("player", np.int8), ("rolling", "?")])

    def reset(self, s):
        s.player = 0

    def legal_actions(self, s, actions):
        actions[0] = 0
        if int(s.turn) == 0:
            return 1
        actions[1] = 1
        return 2

    def advance(self, s, action):
        if action == 0:
            s.rolling = True
        else:
            p = int(s.player)
            s.points[p] = int(s.points[p]) + int(s.turn)
            s.turn = 0
            s.player = 1 - p

    def is_chance(self, s):
        return bool(s.rolling)

    def chance_outcomes(self, s, outcomes, chances):
        for i in range(6):
            outcomes[i] = i
            chances[i] = 1 / 6
        return 6

    def advance_chance(self, s, outcome):
        s.rolling = False
        if outcome == 0:
            s.turn = 0
            s.player = 1 - int(s.player)
        else:
            s.turn = min(int(s.turn) + outcome + 1, self.goal - int(s.points[int(s.player)]))

    def is_over(self, s):
        return int(s.points[0]) >= self.goal or int(s.points[1]) >= self.goal

    def scores(self, s, out):
        out[0] = out[1] = 0.0
        for p in range(2):
            if int(s.points[p]) >= self.goal:
                out[p] = 1.0
                out[1 - p] = -1.0

    def cells(self, s, out):
        out[0] = s.points[0]
        out[1] = s.points[1]
        out[2] = s.turn

    def action_name(self, action):
        return ("roll", "hold")[action]

    def describe(self, s):
        return f"{int(s.points[0])} : {int(s.points[1])}, turn {int(s.turn)}"
'''

Change = tuple[str, str]

IN_ADVANCE = "        t = self.target(p"
"""The line of advance before which some of them do something more."""


def before_target(line: str) -> Change:
    return IN_ADVANCE, f"        {line}\n{IN_ADVANCE}"


WRONG: dict[str, tuple[str, list[Change], str]] = {
    "toomany": (BREAKTHROUGH, [("n * n * 3  #", "n * 3  #")], "actions are numbers from 0 to 14"),
    "cellsbig": (BREAKTHROUGH, [("num_values = 3", "num_values = 2")], "cells gave cell 0 the value 2"),
    "duplicate": (BREAKTHROUGH, [("k += 1\n", "k += 1\n" + 20 * " " + "actions[k] = a; k += 1\n")], "46 twice"),
    "endless": (BREAKTHROUGH, [("return s.won > 0", "return False")], "If nobody can move here, is_over must say so"),
    "forgotreturn": (BREAKTHROUGH, [("return k", "k = k")], "legal_actions must return how many it wrote"),
    "globalint": (
        BREAKTHROUGH,
        [
            ("# above", "FORWARD = 1"),
            before_target("global FORWARD; FORWARD += 1"),
        ],
        "globalint.py, line 45, in advance: this statement",
    ),
    "helperless": (
        BREAKTHROUGH,
        [("# above", "def other(p): return 1 - p"), ("s.player = 1 - p", "s.player = other(p)")],
        "other is a plain function: put @helper",
    ),
    "mixedtypes": (
        BREAKTHROUGH,
        [("left = 0\n", "left = 'x' if p > 5 else 0\n")],
        r"(int|str) on another: give it",
    ),
    "nostate": (BREAKTHROUGH, [("self.state =", "self.stat =")], "the game Breakthrough lacks state"),
    "numpyrandom": (
        BREAKTHROUGH,
        [("s.player = 1 - p", "s.player = 1 - p if np.random.rand() < 0.5 else p")],
        "two different results from the same state|different players are to move",
    ),
    "player2": (BREAKTHROUGH, [("s.player = 1 - p", "s.player = p + 1")], r"player\(s\) returned 2"),
    "scorewrong": (BREAKTHROUGH, [("] = -1.0", "] = -7.0")], "outside of score_range"),
    "selfarray": (
        BREAKTHROUGH,
        [
            (
                "n = self.size\n        self.num_cells",
                "n = self.size; self.count = np.zeros(1, int)\n        self.num_cells",
            ),
            ("left = 0\n", "left = 0; self.count[0] += 1; s.won = self.count[0] % 50 == 0\n"),
        ],
        "two different results from the same state",
    ),
    "super": (
        BREAKTHROUGH,
        [
            ("# above", "class Base(Game):\n    def is_over(self, s): return s.won > 0"),
            ("Breakthrough(Game)", "Breakthrough(Base)"),
            ("        return s.won > 0", "        return super().is_over(s)"),
        ],
        r"super\(\) cannot be compiled",
    ),
    "typo": (
        BREAKTHROUGH,
        [("for c in range(self.num_cells)", "for c in range(self.numcells)")],
        r"advance \(typo.py, line 51\)",
    ),
    "wrongfield": (BREAKTHROUGH, [("s.won = p", "s.winner = p")], r"advance \(wrongfield.py, line 54\) stopped"),
    "wrongsym": (BREAKTHROUGH, [("cells[:, ::-1]", "cells[::-1]")], "should be the image of the first by symmetry 1"),
    "loops": (BREAKTHROUGH, [("return k", "while k: pass\n        return k")], r"legal_actions \(loops.py, line 41\)"),
    "loopsname": (BREAKTHROUGH, [("cell, d =", "while 1: pass\n        cell, d =")], r"action_name \(.*no result"),
    "badname": (BREAKTHROUGH, [("cell, d =", "raise OSError\n        cell, d =")], r"action_name \(.*OSError"),
    "nodescribe": (PIG, [("return f", "return s.nothing or f")], r"describe \(nodescribe.py, line 7\d\)"),
    "chance09": (PIG, [("chances[i] = 1 / 6", "chances[i] = 1 / 7")], "add up to 0.857142857143"),
    "outcome6": (PIG, [("outcomes[i] = i", "outcomes[i] = i + 1")], "outcomes are numbers from 0 to 5"),
    "rolls": (PIG, [("s.rolling = False", "s.rolling = True")], "more than 300 chance events in a row"),
    "int8overflow": (PIG, [("self.goal + 7", "300")], "num_values can be 127 at most"),
    "int8wraps": (
        PIG,
        [
            ("parameter(30, 10, 100)", "parameter(120, 10, 200)"),
            ("self.num_values = self.goal + 7", "self.num_values = 127"),
            ("out[0] = s.points[0]\n        out[1] = s.points[1]", "out[0] = out[1] = 0"),
            ("int(s.points[p]) + int(s.turn)", "max(0, s.points[p] + s.turn)"),
            (
                "min(int(s.turn) + outcome + 1, self.goal - int(s.points[int(s.player)]))",
                "min(100, int(s.turn) + outcome + 1)",
            ),
        ],
        "compiled and uncompiled rules differ",
    ),
    "rand2": (
        PIG,
        [("s.player = 1 - p", "s.player = 1 - p if np.random.rand() < 0.5 else p")],
        "two different results",
    ),
}
"""Name: the sound game, what is exchanged in it, and words of the sentence that explains it."""

SUSPICIOUS: dict[str, tuple[str, list[Change], str]] = {
    "noflip": (BREAKTHROUGH, [("        s.player = 1 - p\n", "")], "player 2 never moves"),
    "scorenoend": (BREAKTHROUGH, [("        if s.won > 0:", "        if s.won > 5:")], "nobody ever wins"),
    "nolegal": (BREAKTHROUGH, [("or left == 0", "or left == 99")], "a position without legal actions is not over"),
    "firstwins": (BREAKTHROUGH, [("int(s.won) - 1", "0"), ("2 - int(s.won)", "1")], "games end the same way"),
}

HARMLESS: dict[str, tuple[str, list[Change]]] = {
    "breakthrough": (BREAKTHROUGH, []),
    "pig": (PIG, []),
    "hidden": (BREAKTHROUGH, [("return s.won > 0", "return s.won > 0 or self.num_cells == 0")]),
    "int8minus": (BREAKTHROUGH, [("me = int(s.player)", "me = s.player"), ("= 1 - p\n", "= 1 - s.player\n")]),
    "mutatelegal": (BREAKTHROUGH, [("        k = 0\n", "        k = 0\n        s.won = 0\n")]),
    "printing": (
        BREAKTHROUGH,
        [before_target("print(f'{p} moves {action:3d}')")],
    ),
    "pydict": (
        BREAKTHROUGH,
        [before_target("names = {0: 'a', 1: 'b'}")],
    ),
    "pylist": (
        BREAKTHROUGH,
        [
            ("k = 0\n", "found = []\n"),
            ("actions[k] = a\n", "found.append(a)\n"),
            ("                    k += 1\n", ""),
            ("return k", "for i, a in enumerate(found):\n            actions[i] = a\n        return len(found)"),
        ],
    ),
    "asksitself": (
        BREAKTHROUGH,
        [
            (
                "        return s.won > 0",
                "        return s.won > 0 or self.legal_actions(s, np.empty(self.num_actions, np.int64)) == 0",
            )
        ],
    ),
}


def write_game(folder: Path, name: str) -> str:
    """Write one of the games to a file of its name; what a command calls it."""
    text, changes = ({**WRONG, **SUSPICIOUS, **HARMLESS}[name])[:2]
    for old, new in changes:
        assert text.count(old) >= 1, (name, old)
        text = text.replace(old, new, 1) if old.startswith("k += 1") else text.replace(old, new)
    path = folder / f"{name}.py"
    path.write_text(text)
    return f"{path}:Breakthrough" if name == "super" else str(path)
