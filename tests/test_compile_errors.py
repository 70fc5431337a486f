"""Rules that do not compile give one sentence that a person can use."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from boardlab import Game, make_rng
from boardlab.cli.main import app
from boardlab.compiler.errors import CompileError, is_compile_error, readable_compile_errors
from boardlab.playouts import random_games


def plain_function(x: int) -> int:
    return x + 1


class Short(Game):
    num_actions = 3
    state = np.dtype([("left", np.int8), ("player", np.int8)])
    table = {1: 2}

    def reset(self, s: Any) -> None:
        s.left = 9

    def legal_actions(self, s: Any, actions: Any) -> int:
        actions[0] = 0
        return 1

    def advance(self, s: Any, action: int) -> None:
        s.left = int(s.left) - 1

    def is_over(self, s: Any) -> bool:
        return int(s.left) == 0

    def scores(self, s: Any, out: Any) -> None:
        out[0] = out[1] = 0.0


class UnknownField(Short):
    def advance(self, s: Any, action: int) -> None:
        s.lift = 3


class UnknownAttribute(Short):
    def is_over(self, s: Any) -> bool:
        return self.table[1] == 2 + int(s.left)


class PlainFunction(Short):
    def is_over(self, s: Any) -> bool:
        return plain_function(int(s.left)) == 1


class UndefinedName(Short):
    def is_over(self, s: Any) -> bool:
        return nothing  # type: ignore[name-defined] # noqa: F821


class Super(Short):
    def is_over(self, s: Any) -> bool:
        return super().is_over(s)


class TwoTypes(Short):
    def is_over(self, s: Any) -> bool:
        x: Any = 3
        if s.left == 3:
            x = "three"
        return bool(x == 3)


class Generator(Short):
    def is_over(self, s: Any) -> bool:
        return any(x == 3 for x in range(int(s.left)))


class SetsSelf(Short):
    def is_over(self, s: Any) -> bool:
        self.done = True
        return True


class Unsupported(Short):
    def is_over(self, s: Any) -> bool:
        return bool(np.einsum("i,i->", np.zeros(2), np.zeros(2)) == 0)


class WrongCall(Short):
    def pair(self, a: int, b: int) -> int:
        return a + b

    def is_over(self, s: Any) -> bool:
        return self.pair(1) == 1  # type: ignore[call-arg]


class NoReturn(Short):
    def legal_actions(self, s: Any, actions: Any) -> int:
        actions[0] = 0
        if s.left == 3:
            return 1
        return None  # type: ignore[return-value]


PLACE = r"test_compile_errors.py, line \d+, in is_over: "

CASES = [
    (UnknownField, "in advance: the state has no field 'lift'"),
    (UnknownAttribute, PLACE + "compiled rules cannot use self.table: only methods, integers, floats"),
    (PlainFunction, PLACE + "plain_function is a plain function: put @helper"),
    (UndefinedName, "in is_over: name 'nothing' is not defined"),
    (Super, PLACE + r"super\(\) cannot be compiled"),
    (TwoTypes, PLACE + "'x' has the type int on one way and str on another"),
    (Generator, PLACE + "a generator .* cannot be compiled: write a loop"),
    (SetsSelf, PLACE + "self.done cannot be changed by the rules"),
    (Unsupported, PLACE + "Use of unsupported NumPy function 'numpy.einsum'"),
    (WrongCall, PLACE + "a call does not fit the function: missing a required argument: 'b'"),
    (NoReturn, "a rule that should return a number returns nothing on some way"),
]


@pytest.mark.parametrize(("cls", "words"), CASES, ids=[cls.__name__ for cls, _ in CASES])
def test_explanations(cls: type[Game], words: str) -> None:
    game = cls()
    with pytest.raises(CompileError, match=words) as failed, game.in_check(), readable_compile_errors(game):
        random_games(game, 1, make_rng(1))
    text = str(failed.value)
    assert text.startswith(f"{cls.__name__} does not compile: ")
    assert len(text.splitlines()) == 1 and len(text) < 300
    assert failed.value.__cause__ is not None and is_compile_error(failed.value.__cause__)


def test_other_errors_pass_through() -> None:
    with pytest.raises(ZeroDivisionError), readable_compile_errors(Short()):
        raise ZeroDivisionError


def test_the_command_line_says_it_in_one_line() -> None:
    result = CliRunner().invoke(app, ["perft", f"{__file__}:UnknownAttribute", "2"])
    assert result.exit_code == 2
    assert re.fullmatch(
        "boardlab: UnknownAttribute does not compile: " + PLACE + r"compiled rules cannot use .*\n", result.stderr
    )
