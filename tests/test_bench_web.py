"""The bench of the arena: it opens one, measures, and closes it again."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from boardlab.bench import web
from boardlab.cli.main import app


def test_the_command_measures_an_arena(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "CLICKED", {"nim": 20})
    monkeypatch.setattr(web, "_page", lambda port: None)
    monkeypatch.setattr(web, "_wait_until_ready", lambda client, game: None)
    result = CliRunner().invoke(app, ["bench", "arena", "--games", "3", "--json"])
    assert result.exit_code == 0, result.output
    measured = json.loads(result.stdout)
    assert measured["games"] == 3 and measured["page_seconds"] is None
    assert measured["answered_seconds"] > 0 and measured["start_seconds"] > 0
    middle, most = measured["click_milliseconds"]["nim"]
    assert 0 < middle <= most
