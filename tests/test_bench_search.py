"""The bench of the searches: what it counts, and that the command answers."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

from boardlab import make
from boardlab.bench import c4_solver, openspiel, search
from boardlab.cli import bench_search
from boardlab.cli.main import app
from boardlab.matches.starts import position_after
from boardlab.rng import make_rng


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
    assert json.loads(result.stdout)["connect4_solver"] == []  # tictactoe has no use for it
    result = CliRunner().invoke(app, ["bench", "search", "--games", "tictactoe", "--seconds", "0.01"])
    assert "tictactoe" in result.stdout
    assert "OpenSpiel" not in result.stdout and "solver" not in result.stdout


@pytest.mark.skipif(not openspiel.is_installed(), reason="OpenSpiel is an extra")
def test_openspiel_searches_the_same_games() -> None:
    assert openspiel.can_search("tic_tac_toe")
    assert not openspiel.can_search("2048(max_tile=131072)")  # it has rewards on the way
    assert search._openspiel_game(make("connect4")) == "connect_four(rows=6,columns=7)"
    openspiel.mcts_search("tic_tac_toe", seed=1)(20)


# ------------------------------------------------------------ the Connect Four solver


def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Late positions, few of them, and nothing to compare with."""
    speeds = c4_solver.measure_solver(0.001, plies=(24, 28))
    monkeypatch.setattr(bench_search, "measure_solver", lambda seconds: speeds)
    monkeypatch.setattr(openspiel, "is_installed", lambda: False)


def test_the_solver_is_measured_with_connect_four(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny(monkeypatch)
    monkeypatch.setattr(bench_search, "has_book", lambda: True)
    monkeypatch.setattr(bench_search, "measure_move_time", lambda seconds: 12.345)
    command = ["bench", "search", "--games", "connect4", "--seconds", "0.01"]
    result = CliRunner().invoke(app, [*command, "--json"])
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert [row["ply"] for row in found["connect4_solver"]] == [24, 28]
    for row in found["connect4_solver"]:
        assert row["positions"] >= 1
        assert row["milliseconds"] > 0 and row["nodes_per_s"] > 0
        assert (row["ratio"] is None) == (find_spec("bitbully") is None)
    assert found["connect4_move_milliseconds"] == 12.345
    text = " ".join(CliRunner().invoke(app, command).stdout.split())
    assert "Connect Four solver: CPU time per random quiet position" in text
    assert "With the book a perfect player takes 12.35 ms for a move" in text


def test_without_a_book_moves_are_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny(monkeypatch)
    monkeypatch.setattr(bench_search, "has_book", lambda: False)
    result = CliRunner().invoke(app, ["bench", "search", "--games", "connect4", "--seconds", "0.01", "--json"])
    assert json.loads(result.stdout)["connect4_move_milliseconds"] is None


def test_the_solver_stops_at_the_most_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c4_solver, "MOST_POSITIONS", 3)
    (speed,) = c4_solver.measure_solver(1000.0, plies=(28,))
    assert speed.positions == 3


def test_the_time_of_a_move_is_positive() -> None:
    assert c4_solver.measure_move_time(0.0001, first_ply=26) > 0


def test_quiet_games_are_quiet() -> None:
    """Nobody has won, and whoever moves cannot win at once, by the rules of the game itself."""
    rng = make_rng(3)
    for _ in range(20):
        position = position_after(make("connect4"), c4_solver.quiet_game(16, rng))
        assert len(position.history) == 16 and not position.is_over
        for action in position.legal_actions:
            after = position.copy().play(action)
            assert not after.is_over
