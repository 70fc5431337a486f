"""Mistakes in the games of a tournament."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from boardlab import BoardlabError, make
from boardlab.cli.main import app
from boardlab.matches.mistakes import PHASES
from boardlab.solvers.exhaustive import ExhaustiveSolver
from boardlab.tournament.journal import read_journal
from boardlab.tournament.quality import mistakes_in_tournament
from boardlab.tournament.result import judge
from boardlab.tournament.tournament import play_tournament


def test_every_move_is_held_against_perfect_play(tmp_path: Path) -> None:
    """Counted again by hand, one move after the other, from the exact values of single positions."""
    result = play_tournament("tictactoe", "random", "perfect", folder=tmp_path, games=6, starts="random:2")
    found = mistakes_in_tournament(result)
    assert [*found] == [line.name for line in result.lines] == ["perfect", "random"]
    assert found["perfect"][-1].mistakes.mean == 0.0 and found["perfect"][-1].loss.mean == 0.0
    solver = ExhaustiveSolver(make("tictactoe"), megabytes=16, position_limit=1_000_000)
    moves, wrong, lost = 0, 0, 0.0
    for played in result.field.games:
        position = result.game.start()
        for ply, code in enumerate(played.codes):
            if ply >= 2 and played.seats[position.player] == "random":
                values = solver.values(position)
                moves += 1
                wrong += values[code] < max(values.values())
                lost += max(values.values()) - values[code]
            position.play_code(code)
    *phases, total = found["random"]
    assert [count.name for count in phases] == [*PHASES]
    assert sum(count.moves for count in phases) == total.moves == moves
    assert total.mistakes.mean == pytest.approx(wrong / moves) and wrong > 0
    assert total.loss.mean == pytest.approx(lost / moves)


def test_three_players_and_what_nobody_knows(tmp_path: Path) -> None:
    result = play_tournament("nim:players=3", "random", "max-n:depth=2", folder=tmp_path / "a", games=3)
    moves = sum(count[-1].moves for count in mistakes_in_tournament(result).values())
    assert moves == sum(len(game.codes) for game in result.field.games)
    with pytest.raises(BoardlabError, match="no solver knows a position of these games of nim:players=3"):
        mistakes_in_tournament(result, lambda position: None)


def test_the_command(tmp_path: Path) -> None:
    play_tournament("tictactoe", "random", "perfect", folder=tmp_path, games=2)
    arguments = ["tournament", "--folder", str(tmp_path), "--no-pictures", "--mistakes"]
    shown = CliRunner().invoke(app, arguments)
    assert shown.exit_code == 0, shown.output
    assert "mistakes of perfect\n\nphase" in shown.stdout and "mistakes of random" in shown.stdout
    found = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)["mistakes"]
    again = mistakes_in_tournament(judge(make("tictactoe"), read_journal(tmp_path / "journal.jsonl"), samples=2))
    assert found == {name: json.loads(json.dumps([c.to_json() for c in counts])) for name, counts in again.items()}
