"""check_game finds every kind of broken game, and says in words what is wrong.

`Row` is a sound little game; each test breaks one thing in it. Nearly all breaks are found by the plain games, before
anything is compiled; `Switch` breaks at run time what only the compiled games can show, so it compiles once."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from check_games import Dice, Mirrored, Row, violation

from boardlab import Game, drawing, make, parameter
from boardlab.check import check_game
from boardlab.compiler.errors import CompileError
from boardlab.errors import BoardlabError
from boardlab.registry import game_classes
from boardlab.rng import random_below


class Switch(Dice):
    """A game with faults that show only when compiled, or too rarely for twenty games."""

    fault: float = parameter(0.0, doc="which fault, 0 for none")

    def sample_chance(self, s: Any, rng: Any) -> int:
        return random_below(rng, 3 if self.fault == 1.0 else 2) * (2 if self.fault == 1.0 else 1) % 3

    def chance_outcomes(self, s: Any, outcomes: Any, chances: Any) -> int:
        outcomes[0] = 0
        outcomes[1] = 1
        chances[0] = 0.5
        chances[1] = 0.5
        if self.fault != 1.0:
            return 2
        outcomes[2] = 2
        chances[1] = 0.25
        chances[2] = 0.25
        return 3

    def scores(self, s: Any, out: Any) -> None:
        out[0] = 0.0
        out[1] = 0.0
        if self.fault == 2.0 and s.board[0] * 100 > 127:
            out[0] = 0.5
        if self.fault == 3.0 and self.is_rare(s):
            out[1] = 2.0

    def features(self, s: Any, mode: int, out: Any) -> None:
        for i in range(6):
            out[i] = 0.0
        if self.fault == 4.0:
            self.counter[0] += 1
        if self.fault == 5.0 and self.is_rare(s):
            out[6] = 1.0

    def is_rare(self, s: Any) -> bool:
        ends = int(s.board[0]) * int(s.board[5])
        return bool(s.moves == 4 and s.pips and ends == 1 and s.board[1] == 2 and s.board[4] == 2)


def broken(base: type[Game], **members: Any) -> Game:
    """`base` with some members replaced."""
    return type("Broken", (base,), {"__module__": __name__, **members})()


# ---------------------------------------------------------------- sound games


def test_a_sound_game_passes_with_a_readable_report() -> None:
    report = check_game(Switch(), games=500)
    assert report.violation is None
    assert report.games == 500
    assert 3000 - 125 <= report.moves < 3000  # every fourth game begins at a random start, at times one ply later
    text = str(report)
    assert text.startswith("Switch(): 500 random games")
    assert "no violation found" in text
    assert "compiled rules equal the plain ones" in text
    assert "second board" in text
    assert "how often each one is drawn" in text


@pytest.mark.slow
@pytest.mark.parametrize("name", list(game_classes()))
def test_our_games_pass(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardlab.check.PLAIN_SECONDS", 1.0)
    assert check_game(make(name), games=100).games == 100


def test_what_is_not_checked_is_said() -> None:
    report = check_game(make("nimm3"), games=20)
    assert report.skipped == ("no symmetries declared: symmetric play",)
    assert "not checked" in str(report)


class Bare(Game):
    """The least that a game needs: one player goes three steps."""

    num_players = num_actions = 1
    state = np.dtype([("steps", np.int8), ("player", np.int8)])

    def reset(self, s: Any) -> None:
        s.steps = 3

    def legal_actions(self, s: Any, actions: Any) -> int:
        actions[0] = 0
        return 1

    def advance(self, s: Any, action: int) -> None:
        s.steps = int(s.steps) - 1

    def is_over(self, s: Any) -> bool:
        return int(s.steps) == 0

    def scores(self, s: Any, out: Any) -> None:
        out[0] = 0.0


def test_a_game_without_cells() -> None:
    report = check_game(Bare(), games=40)
    assert "no cells declared, so n-tuple agents cannot learn it: cells" in report.skipped


def test_a_check_needs_a_game() -> None:
    with pytest.raises(BoardlabError, match="at least one game"):
        check_game(Row(), games=0)


def test_violation_can_be_had_without_exception() -> None:
    report = check_game(broken(Row, score_range=(1.0, -1.0)), games=5, raise_on_violation=False)
    assert report.violation is not None and "score_range" in report.violation


# ---------------------------------------------------------------- declarations


class TwoNames(Row):
    def action_name(self, action: int) -> str:
        return "x" if action in (2, 4) else str(action)


class WrongParse(Row):
    def parse_action(self, text: str) -> int:
        return 0


class RandomReset(Row):
    def reset(self, s: Any) -> None:
        self.counter[0] += 1
        s.board[0] = self.counter[0] % 2


class OverAtOnce(Row):
    def is_over(self, s: Any) -> bool:
        return True


class BadSvg(Row):
    def draw(self, s: Any, last_action: int | None = None) -> str:
        return "<svg><rect></svg>"


class BadClick(Row):
    def draw(self, s: Any, last_action: int | None = None) -> str:
        picture = drawing.Picture(10, 10)
        picture.rect(0, 0, 10, 10, drawing.PAPER, action=6)
        return picture.svg()


DECLARATIONS = [
    (broken(Row, num_players=0), "num_players must be a whole number of 1 or more"),
    (broken(Row, num_outcomes=-1), "num_outcomes must be a whole number of 0 or more"),
    (broken(Row, max_moves=2.5), "max_moves must be a whole number"),
    (broken(Row, score_range=(1.0, -1.0)), "score_range must be"),
    (broken(Row, num_values=200), "num_values can be 127 at most"),
    (broken(Row, player_names=("A",)), "a name for each of the 2 players"),
    (TwoNames(), "actions 2 and 4 have the same name 'x'"),
    (WrongParse(), "parse_action('b1') gives 0, but action_name(1) is 'b1'"),
    (broken(Row, symmetries=lambda self: np.arange(5)[None]), r"symmetries must have the shape (k, 6), not (1, 5)"),
    (
        broken(Row, symmetries=lambda self: np.array([[5, 4, 3, 2, 1, 0]])),
        "first row of symmetries must be the identity",
    ),
    (broken(Row, symmetries=lambda self: np.array([range(6), [0] * 6])), "row 1 of symmetries must have each number"),
    (
        broken(Mirrored, action_symmetries=lambda self: np.array([range(6)])),
        "action_symmetries must have the shape (2, 6)",
    ),
    (broken(Dice, outcome_symmetries=lambda self: np.array([range(3), [0, 0, 1]])), "row 1 of outcome_symmetries"),
    (broken(Mirrored, num_values=(3, 3, 3, 3, 3, 2)), "symmetry 1 gives cell 0 the value of cell 5"),
    (broken(Mirrored, start_symmetries=lambda self: [1]), "start_symmetries must list symmetries from 0 to 1"),
    (broken(Row, exchangeable_cells=lambda self: np.array([[0, 6]])), "pairs of two different cells, not (0, 6)"),
    (broken(Row, neighbours=lambda self: [[1], [], [], [], [], []]), "cell 0 is no neighbour of cell 1"),
    (broken(Row, neighbours=lambda self: [[9], [], [], [], [], []]), "neighbours of cell 0 must be other cells"),
    (broken(Row, neighbours=lambda self: [[]]), "a list for each of the 6 cells"),
    (broken(Row, tuple_sets=lambda self: {"a": [[0, 6]]}), "the tuple [0, 6] of the set 'a'"),
    (broken(Row, tuple_sets=lambda self: {"a": [[2, 2]]}), "the tuple [2, 2] of the set 'a'"),
    (broken(Row, tuple_sets=lambda self: {"a": []}), "the tuple set 'a' is empty"),
    (broken(Row, cell_groups=lambda self: [([0, 1], np.array([[0, 3]]))]), "rows of the group [0, 1]"),
    (broken(Row, is_over=lambda self, s: None), "is_over must return True or False, not None"),
    (broken(Row, player=lambda self, s: None), "player must return the player who moves, a whole number, not None"),
    (broken(Row, legal_actions=lambda self, s, actions: None), "legal_actions must return how many it wrote"),
    (RandomReset(), "reset gave two different start positions"),
    (OverAtOnce(), "the game is over before it begins"),
    (broken(Row, describe=lambda self, s: " "), "describe must return the position as text"),
    (
        broken(Row, feature_names=lambda self, mode: ["a"]),
        "feature_names(0) must have 6 names, one for each feature, not 1",
    ),
    (broken(Row, symbols=".X"), "symbols must have a character for each of the 3 cell values"),
    (broken(Row, describe=lambda self, s: self.nothing), "(test_check.py, line "),
    (BadSvg(), "draw did not return well-formed SVG"),
    (broken(Row, draw=lambda self, s, last_action=None: "<p/>"), "a picture that begins with <svg>, not <p>"),
    (BadClick(), "data-action='6'; actions are numbers from 0 to 5"),
]


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(("game", "words"), DECLARATIONS, ids=[words for _, words in DECLARATIONS])
def test_wrong_declarations(game: Game, words: str) -> None:
    assert words in violation(game)


# ---------------------------------------------------------------- rules on one board


class NoActions(Row):
    def legal_actions(self, s: Any, actions: Any) -> int:
        actions[0] = int(s.moves)
        return 1 if s.moves < 3 else 0


class ActionRange(Row):
    def legal_actions(self, s: Any, actions: Any) -> int:
        actions[0] = 6 if s.moves == 2 else int(s.moves)
        return 1


class Unwritten(Row):
    def legal_actions(self, s: Any, actions: Any) -> int:
        actions[0] = int(s.moves)
        return 2


class Twice(Row):
    def legal_actions(self, s: Any, actions: Any) -> int:
        actions[0] = actions[1] = int(s.moves)
        return 2


class TooFar(Row):
    def advance(self, s: Any, action: int) -> None:
        s.board[6 if s.moves == 5 else action] = 1
        s.moves = int(s.moves) + 1


class TooBig(Row):
    def advance(self, s: Any, action: int) -> None:
        s.moves = 300


class ThirdPlayer(Row):
    def player(self, s: Any) -> int:
        return int(s.moves) % 3


class ChangingScores(Row):
    def scores(self, s: Any, out: Any) -> None:
        out[0] = out[1] = 0.0
        s.moves = int(s.moves) + 1


class Moody(Row):
    def scores(self, s: Any, out: Any) -> None:
        self.counter[0] += 1
        out[0] = out[1] = self.counter[0] % 2


class OneScore(Row):
    def scores(self, s: Any, out: Any) -> None:
        out[0] = 0.0


class InfiniteScore(Row):
    def scores(self, s: Any, out: Any) -> None:
        out[0], out[1] = 0.0, math.inf if s.moves == 4 else 0.0


class HighScore(Row):
    def scores(self, s: Any, out: Any) -> None:
        out[0], out[1] = 1.5, -1.0


class CellValue(Row):
    def cells(self, s: Any, out: Any) -> None:
        for i in range(6):
            out[i] = s.board[i] if i != 2 else int(s.board[i]) * 2


class CellMissing(Row):
    def cells(self, s: Any, out: Any) -> None:
        for i in range(5):
            out[i] = 0


class InverseRange(Row):
    def cells_of(self, s: Any, player: int, out: Any) -> None:
        for i in range(6):
            out[i] = s.board[i] if player == 0 else int(s.board[i]) + 1


class InverseFirst(Row):
    def cells_of(self, s: Any, player: int, out: Any) -> None:
        for i in range(6):
            out[i] = 0


class NanFeature(Row):
    def features(self, s: Any, mode: int, out: Any) -> None:
        for i in range(5):
            out[i] = 0.0


class Endless(Row):
    max_moves = 20

    def advance(self, s: Any, action: int) -> None:
        s.player = 1 - int(s.player)


class Remembers(Row):
    def advance(self, s: Any, action: int) -> None:
        self.counter[0] += 1
        s.board[action] = 1 + self.counter[0] % 2
        s.moves = int(s.moves) + 1


class Entangled(Row):
    seen: list[Any] = []

    def advance(self, s: Any, action: int) -> None:
        if s.moves == 0:
            self.seen.append(s)
        else:
            for other in self.seen:
                other.board[:] = 1
        s.moves = int(s.moves) + 1


class Groups(Row):
    def cell_groups(self) -> Any:
        return [([0, 1], np.array([[0, 0], [1, 0], [0, 1], [2, 0], [0, 2]], np.int8))]


class LateStart(Row):
    def random_start(self, s: Any, rng: Any) -> None:
        s.moves = 6


RULES = [
    (NoActions(), "legal_actions returned 0; it must return how many actions it wrote, from 1 to 6"),
    (ActionRange(), "legal_actions wrote the action 6; actions are numbers from 0 to 5"),
    (Unwritten(), "legal_actions wrote the action -1"),
    (Twice(), "legal_actions wrote the action 0 twice"),
    (TooFar(), "IndexError: index 6 is out of bounds"),
    (TooBig(), "OverflowError: Python integer 300 out of bounds for int8"),
    (ThirdPlayer(), "player(s) returned 2; it must be from 0 to 1"),
    (ChangingScores(), "scores changed the state (field 'moves')"),
    (Moody(), "and then, asked again,"),
    (OneScore(), "scores left nan for player 1"),
    (InfiniteScore(), "scores left inf for player 1"),
    (HighScore(), "the score of player 0 is 1.5, outside of score_range = (-1, 1)"),
    (CellValue(), "cells gave cell 2 the value 4; it must write a value from 0 to 2"),
    (CellMissing(), "cells gave cell 5 the value -1"),
    (InverseRange(), "cells_of(s, 1) gave cell"),
    (InverseFirst(), "the first player must see the board as it is"),
    (NanFeature(), "features in mode 0 left nan in place 5"),
    (Endless(), "not over after max_moves = 20 actions"),
    (Remembers(), "gave two different results from the same state (field 'board')"),
    (Entangled(), "on a copy of the state changed the state it was copied from (field 'board')"),
    (Groups(), "which cell_groups does not list as possible"),
    (LateStart(), "random_start gave a position in which the game is over"),
]


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(("game", "words"), RULES, ids=[type(game).__name__ for game, _ in RULES])
def test_wrong_rules(game: Game, words: str) -> None:
    text = violation(game)
    assert words in text
    assert "In the position\n" in text


@pytest.mark.usefixtures("uncompiled")
def test_the_explanation_has_line_position_and_moves() -> None:
    text = violation(TooFar())
    assert "advance (test_check.py, line " in text
    assert "s.board[6 if s.moves == 5 else action] = 1" in text
    assert "begun at the start, after the moves: " in text
    moves, last = text.split("the moves: ")[1].removesuffix(" followed").split(", when ")
    assert sorted([*moves.split(), last]) == ["a1", "b1", "c1", "d1", "e1", "f1"]


# ---------------------------------------------------------------- what only compiled games show


def test_draws_that_do_not_follow_the_probabilities() -> None:
    text = violation(Switch(fault=1.0), games=300)
    assert "sample_chance drew the outcome 0 (0)" in text and "it should have come about" in text


def test_compiled_and_plain_arithmetic_differ() -> None:
    text = violation(Switch(fault=2.0))
    assert "compiled and uncompiled rules differ in scores[0] (0.0 uncompiled, 0.5 compiled)" in text
    assert "with int()" in text


def test_a_rare_fault_is_found_by_the_compiled_games_and_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardlab.check.PLAIN_GAMES", 1)
    text = violation(Switch(fault=3.0), games=5000)
    assert "the score of player 1 is 2, outside of score_range" in text
    assert "X O . . O X" in text
    names = text.split("the moves: ")[1].split()
    assert sorted(name for name in names if not name.startswith("(")) == ["a1", "b1", "e1", "f1"]
    assert names[-1] == "(1)"


def test_compiled_rules_that_write_too_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardlab.check.PLAIN_GAMES", 1)
    text = violation(Switch(fault=5.0), games=5000)
    assert re.search(r"features \(test_check.py, line \d+\) stopped with IndexError: index \d+ is out of bounds", text)
    assert "X O . . O X" in text


def test_rules_that_change_the_game_itself() -> None:
    assert "the rules changed the array game.counter" in violation(Switch(fault=4.0))


class NotCompilable(Row):
    def is_over(self, s: Any) -> bool:
        return len(f"{int(s.moves)!r:>4}") == 3 or int(s.moves) == 6


def test_rules_that_do_not_compile() -> None:
    with pytest.raises(CompileError, match=r"NotCompilable does not compile: test_check.py, line \d+, in is_over: "):
        check_game(NotCompilable())
