"""Wrong command lines: each gets a sentence on stderr and exit code 2; never a traceback, and nothing hangs."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner
from wrong_lines import LINES, furnish

from boardlab.cli.main import app


def complain(line: list[str]) -> str | None:
    """What is wrong with the answer to a wrong line."""
    answer = CliRunner().invoke(app, line, input="", prog_name="boardlab")
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        return f"{line} raised {answer.exception!r}"
    if answer.exit_code != 2:
        return f"{line} ended with {answer.exit_code} and {answer.stdout[-200:]!r}"
    one_sentence = answer.stderr.startswith("boardlab: ") and answer.stderr.count("\n") == 1
    usage = "Usage: boardlab" in answer.stderr or "Usage: boardlab" in answer.stdout
    return None if one_sentence or usage else f"{line} told {answer.stderr!r}"


@pytest.fixture
def furnished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    furnish(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def complaints(lines: list[list[str]], folder: Path) -> list[str]:
    """Of all lines; none of them may leave anything behind."""
    before = sorted(folder.rglob("*"))
    found = [complaint for line in lines if (complaint := complain(line)) is not None]
    left = [str(path) for path in folder.rglob("*") if path not in before and "__pycache__" not in path.parts]
    return found + left


def test_some_wrong_lines(furnished: Path) -> None:
    assert complaints(LINES[::29], furnished) == []


@pytest.mark.slow
def test_all_wrong_lines(furnished: Path) -> None:
    assert len(LINES) >= 300
    assert complaints(LINES, furnished) == []
