"""What the README says is true: its table has every game, its commands exist. Its code is run by test_docs.py."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from boardlab.cli.main import app
from boardlab.components.component import parameters_of
from boardlab.registry import game_classes

README = (Path(__file__).parent.parent / "README.md").read_text()


def test_the_table_has_every_game_with_its_parameters() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+ \| [^|]+ \| [^|]*)\|$", README, re.MULTILINE))
    assert set(rows) == set(game_classes())
    for name, cls in game_classes().items():
        assert re.findall(r"`(\w+)`", rows[name]) == list(parameters_of(cls)), name


def test_the_commands_exist() -> None:
    commands = set(re.findall(r"(?:^|`)boardlab ([a-z]+)", README, re.MULTILINE))
    assert commands >= {"games", "play", "check", "perft", "bench"}
    for command in commands:
        assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0, command
