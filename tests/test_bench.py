"""The bench: how it measures, with a clock of the test's own, and that the command answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from boardlab import make
from boardlab.bench import openspiel, rollouts, start, timing
from boardlab.cli.main import app
from boardlab.engines import openspiel as engines_openspiel
from boardlab.errors import BoardlabError
from boardlab.words import rate_text


class Clock:
    """CPU time that passes only when a task says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self.calls: list[tuple[str, int]] = []

    def task(self, name: str, seconds_per_unit: float) -> timing.Task:
        def run(n: int) -> dict[str, float]:
            self.calls.append((name, n))
            self.now += n * seconds_per_unit
            return {"games": n, "moves": 5 * n}

        return timing.Task(name, run)


def test_tasks_take_turns_and_rates_are_per_cpu_second(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(timing, "process_time", lambda: clock.now)
    quick, slow = timing.interleaved([clock.task("quick", 0.001), clock.task("slow", 0.02)], seconds=6.0, rounds=3)
    assert clock.calls[-6:] == [("quick", 2000), ("slow", 100)] * 3
    assert quick.median("games") == pytest.approx(1000)
    assert quick.median("moves") == pytest.approx(5000)
    assert slow.best("games") == pytest.approx(50)
    assert quick.compile_seconds is None


def test_median_and_best_of_the_rounds() -> None:
    result = timing.Timing(rounds=[(1.0, {"games": 10}), (1.0, {"games": 30}), (2.0, {"games": 40})])
    assert result.rates("games") == [10, 30, 20]
    assert result.median("games") == 20
    assert result.best("games") == 30


def test_versions_name_what_is_there() -> None:
    found = timing.versions("numba", "no-such-package")
    assert set(found) == {"python", "numba"}


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("tictactoe", "tic_tac_toe"),
        ("connect4:columns=6", "connect_four(rows=6,columns=6)"),
        ("hex:size=5", "hex(board_size=5)"),
        ("nim:heaps=2,stones=4", "nim(pile_sizes=4;4,is_misere=false)"),
        ("nim:players=3", None),
        ("nim:heaps=1", None),
        ("othello", "othello"),
        ("othello:size=6", None),
        ("sim", None),
    ],
)
def test_the_same_game_in_openspiel(spec: str, name: str | None) -> None:
    assert openspiel.same_game(make(spec)) == name


@pytest.mark.skipif(not openspiel.is_installed(), reason="open_spiel is not installed (make setup tries to)")
@pytest.mark.parametrize("spec", ["tictactoe", "2048"])
def test_openspiel_plays_the_same_game(spec: str) -> None:
    """Random games of both have the same mean length, within what 1,000 games can tell."""
    from boardlab.playouts import random_games
    from boardlab.rng import make_rng

    game = make(spec)
    name = openspiel.same_game(game)
    assert name is not None
    theirs = openspiel.random_games(name, seed=1)(1000)
    moves, _ = random_games(game, 20_000, make_rng(1))
    assert theirs["moves"] / 1000 == pytest.approx(moves / 20_000, rel=0.06)


def test_bench_rollouts_prints_json_with_every_key() -> None:
    result = CliRunner().invoke(app, ["bench", "rollouts", "--games", "tictactoe,nim", "--seconds", "0.01", "--json"])
    assert result.exit_code == 0, result.output
    answer = json.loads(result.output)
    assert set(answer) == {"versions", "seconds", "results"}
    assert [row["game"] for row in answer["results"]] == ["tictactoe", "nim"]
    for row in answer["results"]:
        assert set(row) == {
            *("game", "games_per_s", "best_games_per_s", "moves_per_s", "compile_seconds"),
            *("openspiel_game", "openspiel_games_per_s", "ratio"),
        }
        assert row["best_games_per_s"] >= row["games_per_s"] > 0
        assert 3 < row["moves_per_s"] / row["games_per_s"] < 10
        assert (row["ratio"] is not None) == openspiel.is_installed()


def test_bench_rollouts_without_openspiel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openspiel, "is_installed", lambda: False)
    result = CliRunner().invoke(app, ["bench", "rollouts", "--games", "tictactoe", "--seconds", "0.01"])
    assert result.exit_code == 0, result.output
    assert "tictactoe" in result.output
    assert "ratio" not in result.output
    assert rollouts.measure_rollouts([make("tictactoe")], 0.01)[0].ratio is None


@pytest.mark.parametrize("really", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_bench_start_prints_json(really: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not really:
        monkeypatch.setattr(start, "_start", lambda game, cache: 2.5)
    result = CliRunner().invoke(app, ["bench", "start", "--games", "nimm3", "--json"])
    assert result.exit_code == 0, result.output
    answer = json.loads(result.output)
    assert answer["rounds"] == 1
    row = answer["results"][0]
    assert set(row) == {"game", "first_best", "first_median", "again_best", "again_median"}
    assert row["game"] == "nimm3"
    assert row["first_best"] > 0


def test_bench_start_begins_with_an_empty_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every first start finds a folder of its own without anything in it, the others what the first one left."""
    found: list[tuple[str, int]] = []

    def started(game: str, cache: str) -> float:
        files = list(Path(cache).iterdir())
        found.append((game, len(files)))
        Path(cache, f"{len(files)}").touch()
        return 10.0 * len(found)

    monkeypatch.setattr(start, "_start", started)
    one, two = start.measure_starts(["a", "b"], rounds=2)
    assert found == [("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1), ("b", 2)] * 2
    assert (one.first, one.again, two.first) == ([10.0, 70.0], [20.0, 30.0, 80.0, 90.0], [40.0, 100.0])
    assert one.figures == {"first_best": 10.0, "first_median": 40.0, "again_best": 20.0, "again_median": 55.0}


def test_bench_start_says_what_cannot_be_started() -> None:
    with pytest.raises(BoardlabError, match="nosuchgame cannot be started"):
        start.measure_starts(["nosuchgame"], 1)


@pytest.mark.parametrize(
    ("rate", "text"),
    [(0.01234, "0.0123"), (4.567, "4.57"), (123.4, "123"), (45_612.0, "45,600"), (1_234_567.0, "1,230,000")],
)
def test_rates_have_three_digits(rate: float, text: str) -> None:
    assert rate_text(rate) == text


@pytest.mark.skipif(not openspiel.is_installed(), reason="open_spiel is not installed (make setup tries to)")
def test_a_game_that_openspiel_refuses_is_measured_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines_openspiel, "_name_of", lambda game: "tic_tac_toe(no_such_parameter=1)")
    assert openspiel.same_game(make("tictactoe")) is None
