"""The benches of play and of scaling: what they count, and that the commands answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from boardlab.bench import scaling
from boardlab.bench.scaling import SERIES, ScalingPoint, draw_scaling
from boardlab.cli.main import app

TINY = scaling._Case("1 x 9", 1, "tictactoe", {"tuples": "full", "rule": "plain"})


@pytest.mark.slow
def test_play_is_measured() -> None:
    arguments = ["bench", "play", "--games", "tictactoe", "--seconds", "1"]
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0
    (row,) = json.loads(result.stdout)["results"]
    assert row["game"] == "tictactoe" and row["depth"] > 1
    assert all(row[name] > 0 for name in row if name.endswith(("_per_s", "_microseconds")))
    assert row["moves_per_s"] > 1e6 / row["choose_microseconds"]  # machine code is quicker than Python
    assert 1.0 < row["mcts_ratio"] < 2.0  # nearly all is thought
    assert "tictactoe" in CliRunner().invoke(app, arguments).stdout


def test_scaling_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SERIES, "tuples", ("number of n-tuples", lambda: [TINY, TINY]))
    arguments = ["bench", "scaling", "--series", "tuples", "--seconds", "0.01"]
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0
    first, second = json.loads(result.stdout)["results"]
    assert first["name"] == second["name"] == "1 x 9"
    assert first["weights"] == 2 * 3**9 and first["file_bytes"] > 1000
    assert 4 < first["moves_per_s"] / first["games_per_s"] <= 9
    assert first["nanoseconds"] * first["lookups_per_s"] == pytest.approx(1e9)
    result = CliRunner().invoke(app, [*arguments, "--out", "a.gif"])
    assert result.exit_code == 2 and "call it a.png" in result.stderr
    result = CliRunner().invoke(app, ["bench", "scaling", "--series", "tuple"])
    assert result.exit_code == 2 and "did you mean 'tuples'" in result.stderr


def test_every_series_has_cases_that_can_be_made() -> None:
    for name, (_, cases) in SERIES.items():
        made = cases()
        assert len({case.name for case in made}) == len(made) > 0, name


def test_the_picture(tmp_path: Path) -> None:
    points = [
        ScalingPoint(series, name, size, 1000, 1e5 / size, 1e6 / size, 1e9 / size, 0.1, 1000)
        for series, name, size in (("tuples", "10 x 8", 10), ("tuples", "20 x 8", 20), ("boards", "hex 4", 16))
    ]
    draw_scaling(points, tmp_path / "a.svg")
    drawn = (tmp_path / "a.svg").read_text()
    assert "<svg" in drawn and len(drawn) > 5000
    assert set(scaling._kinds(points)) == {"", "hex"}
