"""The bench of the searches: what it counts, and that the command answers."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from boardlab import make
from boardlab.bench import openspiel, search
from boardlab.cli.main import app


def test_a_task_counts_what_it_did() -> None:
    done: list[int] = []
    run = search._in_searches(done.append)
    assert run(25_000) == {"simulations": 25_000}
    assert done == [10_000, 10_000, 5_000]


def test_a_tiny_game_is_measured_without_a_table() -> None:
    """Tic-tac-toe is solved before a search with a table has seen enough; without one the whole game is measured."""
    tree, depth = search._measurable_search(make("tictactoe"), seed=0)
    assert (len(tree.table), depth) == (0, 9)


def test_the_command_without_openspiel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openspiel, "is_installed", lambda: False)
    result = CliRunner().invoke(app, ["bench", "search", "--games", "tictactoe", "--seconds", "0.01", "--json"])
    assert result.exit_code == 0
    (row,) = json.loads(result.stdout)["results"]
    assert row["game"] == "tictactoe"
    assert row["mcts_simulations_per_s"] > 0
    assert row["max_n_positions_per_s"] > 0
    assert row["openspiel_simulations_per_s"] is None and row["ratio"] is None
    result = CliRunner().invoke(app, ["bench", "search", "--games", "tictactoe", "--seconds", "0.01"])
    assert "tictactoe" in result.stdout
    assert "OpenSpiel" not in result.stdout


@pytest.mark.skipif(not openspiel.is_installed(), reason="OpenSpiel is an extra")
def test_openspiel_searches_the_same_games() -> None:
    assert openspiel.can_search("tic_tac_toe")
    assert not openspiel.can_search("2048(max_tile=131072)")  # it has rewards on the way
    assert search._openspiel_game(make("connect4")) == "connect_four(rows=6,columns=7)"
    openspiel.mcts_search("tic_tac_toe", seed=1)(20)
