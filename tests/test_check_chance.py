"""check_game finds games with broken chance and broken symmetry; what is found on two boards at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from check_games import Dice, Mirrored, Row, violation

from boardlab import Game

# ---------------------------------------------------------------- chance


class ChanceSum(Dice):
    def chance_outcomes(self, s: Any, outcomes: Any, chances: Any) -> int:
        for i in range(3):
            outcomes[i], chances[i] = i, 0.3
        return 3


class ChanceTwice(Dice):
    def chance_outcomes(self, s: Any, outcomes: Any, chances: Any) -> int:
        for i in range(2):
            outcomes[i], chances[i] = 1, 0.5
        return 2


class ChanceRange(Dice):
    def chance_outcomes(self, s: Any, outcomes: Any, chances: Any) -> int:
        outcomes[0], chances[0] = 3, 1.0
        return 1


class ChanceZero(Dice):
    def chance_outcomes(self, s: Any, outcomes: Any, chances: Any) -> int:
        for i in range(2):
            outcomes[i], chances[i] = i, 1.0 - i
        return 2


class ChanceNone(Dice):
    def chance_outcomes(self, s: Any, outcomes: Any, chances: Any) -> int:
        return 0


class ChanceUnlisted(Dice):
    def chance_outcomes(self, s: Any, outcomes: Any, chances: Any) -> int:
        outcomes[0], chances[0] = 1, 1.0
        return 1

    def sample_chance(self, s: Any, rng: Any) -> int:
        return 2


class ChanceForever(Dice):
    def advance_chance(self, s: Any, outcome: int) -> None:
        s.pips = outcome


class ChanceChanges(Dice):
    def sample_chance(self, s: Any, rng: Any) -> int:
        s.pips = 1 - int(s.pips)
        return 0


CHANCE = [
    (ChanceSum(), "the probabilities of the 3 chance outcomes add up to 0.9, not to 1"),
    (ChanceTwice(), "chance_outcomes wrote the outcome 1 twice"),
    (ChanceRange(), "chance_outcomes wrote the outcome 3; outcomes are numbers from 0 to 2"),
    (ChanceZero(), "chance_outcomes gave the outcome 1 the probability 0"),
    (ChanceNone(), "chance_outcomes returned 0; it must return how many outcomes"),
    (ChanceUnlisted(), "sample_chance drew the outcome 2, which chance_outcomes does not list"),
    (ChanceForever(), "more than 300 chance events in a row"),
    (ChanceChanges(), "sample_chance changed the state (field 'pips')"),
]


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(("game", "words"), CHANCE, ids=[type(game).__name__ for game, _ in CHANCE])
def test_wrong_chance(game: Game, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardlab.check.lockstep.LOG_ROWS", 1100)
    assert words in violation(game)


# ---------------------------------------------------------------- two boards


class WrongActionMap(Mirrored):
    def action_symmetries(self) -> Any:
        return np.array([[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]])


class UnevenStart(Mirrored):
    def reset(self, s: Any) -> None:
        s.board[0] = 1


class UnevenActions(Mirrored):
    def legal_actions(self, s: Any, actions: Any) -> int:
        n = 0
        for cell in range(6):
            if s.board[cell] == 0 and not (cell == 2 and s.moves == 0):
                actions[n] = cell
                n += 1
        return n


class UnevenScores(Mirrored):
    def scores(self, s: Any, out: Any) -> None:
        out[0] = int(s.board[0]) / 2
        out[1] = 0.0


class UnevenEnd(Mirrored):
    def is_over(self, s: Any) -> bool:
        return int(s.moves) == 6 or s.board[0] == 1


class UnevenPlayer(Mirrored):
    def player(self, s: Any) -> int:
        return int(s.board[0] == 1)


class UnevenChance(Dice):
    def is_chance(self, s: Any) -> bool:
        return bool(s.due) and s.board[0] == 0


class UnevenChances(Dice):
    def chance_outcomes(self, s: Any, outcomes: Any, chances: Any) -> int:
        for i in range(2):
            outcomes[i] = i
            chances[i] = 0.5 if s.board[0] == 0 else 0.25 + 0.5 * i
        return 2


class NotExchangeable(Row):
    def exchangeable_cells(self) -> Any:
        return np.array([[0, 1], [4, 5]])

    def scores(self, s: Any, out: Any) -> None:
        out[0] = int(s.board[4]) / 2
        out[1] = 0.0


IMAGES = [
    (WrongActionMap(), "should be the image of the first by symmetry 1"),
    (UnevenStart(), "should be the image of the first by symmetry 1, but its cell 0 has the value 1"),
    (UnevenActions(), "but the action 3 (d1) is legal on the first, and its image 2 (c1) is not on the second"),
    (UnevenScores(), "by symmetry 1 the same game is played on both boards below, but player 0 has the score"),
    (UnevenEnd(), "only one of them is over"),
    (UnevenPlayer(), "different players are to move on them"),
    (UnevenChance(), "a chance event is due on only one of them"),
    (UnevenChances(), "has probability"),
    (NotExchangeable(), "by exchange of the cells 4 and 5 the same game is played on both boards"),
]


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(("game", "words"), IMAGES, ids=[type(game).__name__ for game, _ in IMAGES])
def test_wrong_symmetry(game: Game, words: str) -> None:
    text = violation(game)
    assert words in text
    assert "and on the second board\n" in text
