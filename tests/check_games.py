"""Sound little games for the tests of `check_game`, each of which breaks one thing in them, and what it says then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boardlab import Game
from boardlab.check import GameCheckFailed, check_game
from boardlab.check.referee import play


class Row(Game):
    """Two players fill six cells in turn; who fills the last one wins."""

    num_actions = num_cells = 6
    num_values = 3
    grid = (1, 6)
    max_moves = 6
    state = np.dtype([("board", np.int8, (6,)), ("player", np.int8), ("moves", np.int8)])

    def setup(self) -> None:
        self.counter = np.zeros(1, np.int64)

    def reset(self, s: Any) -> None:
        s.player = 0

    def legal_actions(self, s: Any, actions: Any) -> int:
        n = 0
        for cell in range(6):
            if s.board[cell] == 0:
                actions[n] = cell
                n += 1
        return n

    def advance(self, s: Any, action: int) -> None:
        s.board[action] = int(s.player) + 1
        s.player = 1 - int(s.player)
        s.moves = int(s.moves) + 1

    def is_over(self, s: Any) -> bool:
        return int(s.moves) == 6

    def scores(self, s: Any, out: Any) -> None:
        out[0] = 0.0
        out[1] = 0.0
        if int(s.moves) == 6:
            out[0] = -1.0
            out[1] = 1.0


class Mirrored(Row):
    """The same, and it says that it may be turned round."""

    def symmetries(self) -> Any:
        return np.array([[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]])


class Dice(Mirrored):
    """The same, with a die (0, 1 or 2) thrown after every move."""

    num_outcomes = 3
    state = np.dtype([*Row.state.descr, ("due", np.bool_), ("pips", np.int8)])

    def advance(self, s: Any, action: int) -> None:
        s.board[action] = int(s.player) + 1
        s.player = 1 - int(s.player)
        s.moves = int(s.moves) + 1
        s.due = True

    def is_chance(self, s: Any) -> bool:
        return bool(s.due)

    def chance_outcomes(self, s: Any, outcomes: Any, chances: Any) -> int:
        for i in range(3):
            outcomes[i] = i
            chances[i] = 0.5 if i == 0 else 0.25
        return 3

    def advance_chance(self, s: Any, outcome: int) -> None:
        s.due = False
        s.pips = outcome

    def outcome_symmetries(self) -> Any:
        return np.array([[0, 1, 2], [0, 1, 2]])


def violation(game: Game, games: int = 60) -> str:
    with pytest.raises(GameCheckFailed) as failed:
        check_game(game, games=games)
    report = failed.value.report
    assert report.violation is not None and report.violation in str(report)
    return report.violation


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled: the plain rules stand in for the compiled ones, and must be enough to find the fault."""
    monkeypatch.setattr("boardlab.check.lockstep.play", play.py_func)
    monkeypatch.setattr("boardlab.check.play_compiled", lambda *_: pytest.fail("the plain games found nothing"))
