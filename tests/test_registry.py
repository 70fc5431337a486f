"""Games are found by name, with parameters, in a user's file, and by entry point; mistakes are explained."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field

from boardlab import BoardlabError, make, registry
from boardlab.components.component import Component, parameters_of, settings_of, settings_text_of, take_parameters
from boardlab.components.models import Model
from boardlab.errors import UnknownName
from boardlab.game import Game
from boardlab.games.nimm3 import Nimm3
from boardlab.parameters import parameter
from boardlab.registry import game_classes, split_spec, split_specs

USER_GAME = """
from boardlab.games.nimm3 import Nimm3

class Mine(Nimm3):
    "My own pile."
    name = "mine"
"""


def test_all_nine_games_are_there() -> None:
    names = {"tictactoe", "connect4", "othello", "hex", "nim", "nimm3", "2048", "dots", "sim"}
    assert names <= set(game_classes())


@pytest.mark.parametrize("name", list(game_classes()))
def test_every_game_has_a_title_rules_and_documented_parameters(name: str) -> None:
    game = make(name)
    assert game.name == name and game.title and type(game).__doc__
    for key, declared in parameters_of(type(game)).items():
        assert declared.doc, f"{name}: {key}"
    assert make(game.spec) == game and game.spec == name


def test_parameters_in_text_and_as_keywords() -> None:
    game = make("connect4:columns=6,rows=5")
    assert game == make("connect4", columns=6, rows=5) != make("connect4")
    assert hash(game) == hash(make("connect4", columns=6, rows=5))
    assert game.spec == "connect4:columns=6,rows=5" and make(game.spec) == game
    assert repr(game) == "ConnectFour(columns=6, rows=5)"
    assert make("nim:extra_rule=false").spec == "nim:extra_rule=false"
    assert make("nim", extra_rule=False) == make("nim:extra_rule=no")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("conect4", "there is no game 'conect4'; did you mean 'connect4'"),
        ("connect4:colums=6", "there is no parameter of ConnectFour 'colums'; did you mean 'columns'"),
        ("connect4:columns=99", "columns is a whole number from 4 to 10, not 99"),
        ("connect4:columns=six", "columns is a whole number from 4 to 10, not 'six'"),
        ("connect4:columns", "parameters are written name=value"),
        ("connect4:columns=", "parameters are written name=value"),
        ("connect4:coding=5", "coding is 4 or 3, not 5"),
        ("nim:extra_rule=perhaps", "extra_rule is true or false, not 'perhaps'"),
        ("nothing.py:Game", "there is no file nothing.py"),
    ],
)
def test_mistakes(spec: str, words: str) -> None:
    with pytest.raises(BoardlabError, match=words):
        make(spec)


def test_a_number_is_not_a_truth_value() -> None:
    with pytest.raises(BoardlabError, match="extra_rule is true or false, not 1"):
        make("nim", extra_rule=1)
    with pytest.raises(BoardlabError, match="heaps is a whole number from 1 to 8, not True"):
        make("nim", heaps=True)


def test_specs_of_files_keep_their_path() -> None:
    assert split_spec("a/b.py:Game:size=3") == ("a/b.py:Game", {"size": "3"})
    assert split_spec("a/b.py:Game") == ("a/b.py:Game", {})
    assert split_spec("a/b.py") == ("a/b.py", {})


@pytest.mark.parametrize(
    ("spec", "name", "parameters"),
    [
        ("td-ntuple:tuples=walk:70x8,alpha=1", "td-ntuple", {"tuples": "walk:70x8", "alpha": "1"}),
        ("td-ntuple:rule=own.py:Rule", "td-ntuple", {"rule": "own.py:Rule"}),
        ("n-ply:agent=mcts:iterations=5,depth=2", "n-ply", {"agent": "mcts:iterations=5", "depth": "2"}),
        ("n-ply:agent=[mcts:iterations=5,time=1]", "n-ply", {"agent": "mcts:iterations=5,time=1"}),
        ("a:b=[c:d=[e:f=1,g=2],h=3],i=4", "a", {"b": "c:d=[e:f=1,g=2],h=3", "i": "4"}),
        ("n-ply:agent=runs/[1].agent,depth=2", "n-ply", {"agent": "runs/[1].agent", "depth": "2"}),
        (r"n-ply:agent=C:\runs\c4.agent", "n-ply", {"agent": r"C:\runs\c4.agent"}),
        (r"C:\games\own.py:Mine:size=3", r"C:\games\own.py:Mine", {"size": "3"}),
        ("/home/a=b/own.py:Mine:size=3", "/home/a=b/own.py:Mine", {"size": "3"}),
        ("/home/a=b/own.py:Mine", "/home/a=b/own.py:Mine", {}),
        (" hex: size = 3 , ", "hex", {"size": "3"}),
    ],
)
def test_values_may_have_colons_and_in_brackets_commas(spec: str, name: str, parameters: dict[str, str]) -> None:
    assert split_spec(spec) == (name, parameters)


def test_several_specifications_with_commas_between_them() -> None:
    assert split_specs("hex:size=6,connect4:columns=6,rows=5,nim") == ["hex:size=6", "connect4:columns=6,rows=5", "nim"]
    assert split_specs("puct:agent=[mcts:time=1,iterations=2],time=3, mc") == [
        "puct:agent=[mcts:time=1,iterations=2],time=3",
        "mc",
    ]


def test_a_game_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(USER_GAME)
    game = make(f"{file}:Mine:pile=9")
    assert game.spec == f"{file}:Mine:pile=9" and make(game.spec) == game
    assert str(game.start()).startswith(" 9")
    assert make(str(file)) == make(f"{file}:Mine")
    with pytest.raises(UnknownName, match=r"there is no game class in .*own.py 'Mime'; did you mean 'Mine'"):
        make(f"{file}:Mime")


def test_an_edited_file_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(USER_GAME)
    first = make(f"{file}:Mine")
    file.write_text(USER_GAME.replace("My own pile.", "My other pile."))
    second = make(f"{file}:Mine")
    assert (type(first).__doc__, type(second).__doc__) == ("My own pile.", "My other pile.")


def test_a_file_may_import_modules_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "piles_beside.py").write_text("TITLE = 'from beside'\n")
    (tmp_path / "own.py").write_text("from piles_beside import TITLE\n" + USER_GAME + "    title = TITLE\n")
    assert make(f"{tmp_path / 'own.py'}:Mine").title == "from beside"


def test_a_file_that_cannot_be_imported(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text("import nothing_of_this_name\n")
    with pytest.raises(BoardlabError, match=r"own.py cannot be imported: ModuleNotFoundError: No module named"):
        make(f"{file}:Mine")


def test_a_game_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("theirs", "boardlab.games.nimm3:Nimm3", "boardlab.games")
    broken = EntryPoint("broken", "no.such.module:Game", "boardlab.games")
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry, broken] if group == "boardlab.games" else [])
    theirs = registry.Registry("game", Game, "boardlab.games")
    with pytest.warns(UserWarning, match="the game broken .* cannot be loaded"):
        assert theirs.classes["theirs"] is Nimm3
    assert "connect4" in theirs.classes


def test_a_game_that_lacks_something_says_what() -> None:
    class Empty(Game):
        pass

    with pytest.raises(BoardlabError, match="lacks reset, legal_actions, advance, is_over, scores, state, num_actions"):
        Empty()


def test_parameters_are_inherited_and_floats_take_whole_numbers() -> None:
    class Base(Nimm3):
        bonus: float = parameter(0.5, 0.0, 2.0, doc="a number")

    assert list(parameters_of(Base)) == ["pile", "bonus"]
    assert Base(bonus=1).settings == {"pile": 15, "bonus": 1.0}  # type: ignore[attr-defined]
    assert repr(Base(bonus=1)) == "Base(bonus=1.0)"
    with pytest.raises(BoardlabError, match=r"bonus is a number from 0 to 2, not 3"):
        Base(bonus=3)


@pytest.mark.parametrize("spec", ["connect4:columns=7,columns=8", "connect4:columns=7, columns=7", "x:a=1,b=2,a=[1,2]"])
def test_a_parameter_is_given_once(spec: str) -> None:
    with pytest.raises(BoardlabError, match=r"^(columns|a) is given twice in "):
        split_spec(spec)


@pytest.mark.parametrize("value", ["nan", "inf", float("nan"), float("-inf"), 10**400])
def test_a_parameter_is_a_finite_number(value: object) -> None:
    with pytest.raises(BoardlabError, match="share is a number"):
        parameter(0.5, 0.0, 1.0).read("share", value)


def test_parameters_of_every_kind() -> None:
    class Kinds(Nimm3):
        mood: str = parameter("calm", choices=("calm", "bold"), doc="a text")
        limit: int | None = parameter(None, 1, 9, kind="integer", doc="a number or none")

    game = Kinds(mood="bold", limit="3")
    assert (game.mood, game.limit) == ("bold", 3)
    assert repr(game) == "Kinds(mood=bold, limit=3)"
    assert Kinds(limit="none").limit is None and Kinds(limit=None) == Kinds()
    with pytest.raises(BoardlabError, match="mood is calm or bold, not 'mad'"):
        Kinds(mood="mad")
    with pytest.raises(BoardlabError, match="limit is a whole number from 1 to 9 or none, not 10"):
        Kinds(limit=10)
    with pytest.raises(TypeError, match="needs its kind"):
        parameter(None)


def test_both_spellings_declare_the_same() -> None:
    class Body(Component):
        depth: int = parameter(2, 1, 9, doc="plies")
        rate: float = parameter(0.5, 0.0, 1.0, doc="a share")
        style: str = parameter("calm", choices=("calm", "bold"), doc="manners")
        proud: bool = parameter(False, doc="a habit")
        limit: int | None = parameter(None, 1, 5, kind="integer", doc="a bound")

    class Nested(Component):
        class Parameters(Model):
            depth: int = Field(2, ge=1, le=9, description="plies")
            rate: float = Field(0.5, ge=0.0, le=1.0, description="a share")
            style: Literal["calm", "bold"] = Field("calm", description="manners")
            proud: bool = Field(False, description="a habit")
            limit: int | None = Field(None, ge=1, le=5, description="a bound")

    assert parameters_of(Body) == parameters_of(Nested)
    body, nested = Body(), Nested()
    given = {"depth": "3", "rate": "0.25", "proud": "true", "limit": "4"}
    for made in (body, nested):
        take_parameters(made, given, "it")
    assert settings_of(body) == settings_of(nested)
    assert settings_text_of(body) == settings_text_of(nested) == "depth=3,rate=0.25,proud=true,limit=4"


def test_one_of_ours_is_found_without_loading_the_others() -> None:
    script = (
        "import sys; from boardlab.agents.classes import current_agent_name, find_agent_class\n"
        "print(find_agent_class('td-ntuple').__name__, current_agent_name('td-ntuple'))\n"
        "print('boardlab.agents.puct' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["TDNTuple", "td-ntuple", "False"]
