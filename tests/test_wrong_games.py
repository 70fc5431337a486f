"""A user's wrong game ends in a sentence wherever it is given to; none crashes, hangs, or is learned."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from arena_client import open_client
from typer.testing import CliRunner
from wrong_games import HARMLESS, SUSPICIOUS, WRONG, write_game

from boardlab.check import lockstep
from boardlab.check.guard import SuspiciousGame
from boardlab.cli.main import app
from boardlab.errors import BoardlabError
from boardlab.registry import make


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lockstep, "RULE_SECONDS", 0.5)
    monkeypatch.setattr("boardlab.check.declarations.CHECK_SECONDS", 1.0)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_game_is_not_made(name: str, tmp_path: Path) -> None:
    with pytest.raises(BoardlabError) as refused:
        make(write_game(tmp_path, name))
    assert re.search(WRONG[name][2], str(refused.value)), str(refused.value)


SLOW = ("scorenoend", "firstwins", "hidden", "int8minus", "mutatelegal", "pydict", "breakthrough")
"""Games that show nothing which the others do not."""


def games(names: Iterable[str]) -> list[Any]:
    return [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in names]


@pytest.mark.parametrize("name", games(SUSPICIOUS))
def test_a_suspicious_game_is_made_with_a_warning(name: str, tmp_path: Path) -> None:
    with pytest.warns(SuspiciousGame, match=SUSPICIOUS[name][2]):
        make(write_game(tmp_path, name))


@pytest.mark.parametrize("name", games(HARMLESS))
def test_a_harmless_game_raises_no_alarm(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(write_game(tmp_path, name))
    assert capfd.readouterr().out == ""  # what a rule prints is not for whoever only plays


COMMANDS = (
    ["check", "GAME", "--games", "200"],
    ["train", "GAME", "--episodes", "20", "--evaluate-every", "20", "--evaluation-games", "2", "--against", "random"],
    ["match", "GAME", "mcts:iterations=20", "random", "--games", "2", "--workers", "1"],
    ["play", "GAME", "--seat", "random", "--seat", "random"],
    ["eval", "random", "--game", "GAME", "--games", "2", "--against", "random", "--workers", "1"],
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_commands_explain_a_wrong_game(command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _expect_sentence(command, "player2", tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*WRONG, *SUSPICIOUS, *HARMLESS])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_command_with_every_game(
    command: list[str], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _expect_sentence(command, name, tmp_path, monkeypatch)


def _expect_sentence(command: list[str], name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    spec = write_game(folder, name)
    result = CliRunner().invoke(app, [spec if word == "GAME" else word for word in command])
    told = result.stdout + result.stderr
    if name in WRONG:
        assert result.exit_code in (1, 2) and isinstance(result.exception, SystemExit)
        assert re.search(WRONG[name][2], told), told
        assert not list(folder.glob("agents/*.agent"))
    else:
        assert result.exit_code == 0, told
        assert name in HARMLESS or re.search(SUSPICIOUS[name][2], told), told


def test_what_was_found_sound_is_remembered_until_the_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOARDLAB_CACHE_DIR", str(tmp_path / "cache"))
    checks: list[object] = []
    monkeypatch.setattr("boardlab.check.guard._known", set())
    monkeypatch.setattr("boardlab.check.guard._check", lambda game: checks.append(game) or ["it looks odd."])
    spec = write_game(tmp_path, "pig")
    for _ in range(2):
        with pytest.warns(SuspiciousGame, match="it looks odd"):
            make(spec)
        monkeypatch.setattr("boardlab.check.guard._known", set())  # as another process would
    assert len(checks) == 1
    make(spec + ":goal=20")
    Path(spec).write_text(Path(spec).read_text().replace("return 6", "return 5 + 1"))
    make(spec)
    assert len(checks) == 3


@pytest.mark.parametrize(
    "name", [*(pytest.param(n, marks=pytest.mark.slow) for n in WRONG if n != "toomany"), "toomany"]
)
def test_the_arena_does_not_offer_a_wrong_game(name: str, tmp_path: Path) -> None:
    spec = write_game(tmp_path, name)
    with pytest.raises(BoardlabError, match=WRONG[name][2]), open_client(tmp_path / "data", games=(spec,)):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SUSPICIOUS, *HARMLESS])
def test_the_arena_offers_all_other_games(name: str, tmp_path: Path) -> None:
    spec = write_game(tmp_path, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with open_client(tmp_path / "data", games=(spec,)) as client:
            seats = [{"agent": "random"}, {"agent": "random"}]
            made = client.post("/api/tables", json={"game": spec, "seats": seats})
            assert made.status_code == 200, made.text
