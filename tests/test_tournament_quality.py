"""Mistakes in the games of a tournament."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from boardlab import BoardlabError, make
from boardlab.cli.main import app
from boardlab.matches.mistakes import PHASES
from boardlab.position import Position
from boardlab.solvers.exhaustive import ExhaustiveSolver
from boardlab.solvers.judge import judge_of
from boardlab.tournament.journal import read_journal
from boardlab.tournament.quality import MISTAKES, mistakes_in_tournament, with_known_mistakes
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


def test_no_game_is_analysed_twice(tmp_path: Path) -> None:
    """What was found out is kept, whatever is left of a last line, and only new games are looked at."""
    result = play_tournament("tictactoe", "random", "perfect", folder=tmp_path, games=6, starts="random:2")
    file, wanted = tmp_path / MISTAKES, mistakes_in_tournament(result)
    assert with_known_mistakes(result, file).mistakes == {}
    asked, told = [], list[tuple[int, int]]()
    known = judge_of(result.game).values

    def values(position: Position) -> Mapping[int, float] | None:
        asked.append(position.state.tobytes())
        return known(position)

    found = mistakes_in_tournament(result, values, file=file, progress=lambda done, games: told.append((done, games)))
    assert found == wanted and asked and told == [(done, 6) for done in range(7)]
    lines = file.read_bytes().splitlines(keepends=True)
    assert len(lines) == 6
    file.write_bytes(b"".join(lines[:4]) + lines[4][:20])  # killed while it was writing
    asked.clear()
    assert mistakes_in_tournament(result, values, file=file) == wanted and file.read_bytes() == b"".join(lines)
    moves = [len(game.codes) - game.start for game in result.field.games]
    assert 0 < len(asked) <= sum(moves[4:])
    assert mistakes_in_tournament(result, lambda position: None, file=file) == wanted
    assert with_known_mistakes(result, file).mistakes == wanted
    file.write_text("nonsense\n")
    with pytest.raises(BoardlabError, match=r"line 1 of .* tells no mistakes of a game"):
        mistakes_in_tournament(result, file=file)


def test_the_command(tmp_path: Path) -> None:
    play_tournament("tictactoe", "random", "perfect", folder=tmp_path, games=2)
    arguments = ["tournament", "--folder", str(tmp_path), "--no-pictures", "--mistakes"]
    first = judge(make("tictactoe"), read_journal(tmp_path / "journal.jsonl"), samples=2)
    shown = CliRunner().invoke(app, arguments)
    assert shown.exit_code == 0, shown.output
    assert "mistakes of perfect\n\nphase" in shown.stdout and "mistakes of random" in shown.stdout
    found = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)["mistakes"]
    assert json.loads((tmp_path / "result.json").read_text())["mistakes"] == found
    rows = [*csv.DictReader((tmp_path / "mistakes.csv").open())]
    assert [(row["agent"], row["phase"]) for row in rows] == [(a, p) for a in found for p in (*PHASES, "all")]
    assert float(rows[7]["mistakes"]) == found["random"][3]["mistakes"]["mean"]
    shown = CliRunner().invoke(app, ["tournament", "--folder", str(tmp_path)])  # they are known by now
    assert "mistakes of random" in shown.stdout and "<h2>Mistakes</h2>" in (tmp_path / "page.html").read_text()
    CliRunner().invoke(
        app, ["tournament", "tictactoe", "random", "perfect", "--folder", str(tmp_path), "--workers", "1"]
    )
    assert not (tmp_path / "mistakes.csv").exists()  # there are more games now
    again = mistakes_in_tournament(first)
    assert found == {name: json.loads(json.dumps([c.to_json() for c in counts])) for name, counts in again.items()}
