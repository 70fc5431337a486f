"""`boardlab tournament` as a command: what it says and writes, and what a kill or Ctrl-C leaves."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import pytest
from small_tournaments import contents
from typer.testing import CliRunner

from boardlab import make
from boardlab.cli.main import app
from boardlab.store.games import GameStore
from boardlab.tournament.journal import read_journal
from boardlab.web.play.timeline import Timeline
from boardlab.web.server.models import event_of_code

BOARDLAB = [sys.executable, "-c", "from boardlab.cli.main import main; main()"]


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["tournament", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_the_command(tmp_path: Path) -> None:
    arguments = ["tictactoe", "random", "perfect", "--games", "4", "--folder", str(tmp_path), "--workers", "1"]
    code, out, err = run(*arguments, "--no-pictures", "--json", "--anchor", "random=0")
    assert code == 0, err
    found = json.loads(out)
    assert [line["name"] for line in found["ratings"]] == ["perfect", "random"]
    file = tmp_path / "t.toml"
    file.write_text('game = "tictactoe"\nagents = ["random", "perfect"]\ngames = 4\nformat = "knockout"\n')
    code, out, _ = run(str(file), "--folder", str(tmp_path), "--workers", "1", "--no-pictures")
    assert code == 0
    assert "perfect has won the knockout" in out
    code, out, _ = run(*arguments[:3], "--games", "8", "--starts", "random:1", *arguments[5:], "--no-pictures")
    assert code == 0
    assert re.search(
        r"\n8 games in .* in (one process|machine code, one thread): .* then \d+% of the (CPU )?time went", out
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "boardlab: say which game and who plays it"),
        (["tictactoe", "random"], "boardlab: a tournament needs two agents at least"),
        (["tictactoe", "random", "perfect", "--format", "cup"], "boardlab: format of a tournament"),
        (["tictactoe", "random", "perfect", "--starts", "x"], "boardlab: starts are start, random:PLIES"),
        (["none.toml"], "boardlab: none.toml cannot be read"),
        (["tictactoe", "random", "perfect", "--anchor", "x"], "boardlab: the anchor is NAME or NAME=1500, with one of"),
        (["tictactoe", "random", "perfect", "--export", "g.doc"], "boardlab: games are exported to .jsonl, .txt, .pgn"),
        (["tictactoe", "random", "perfect", "--merge", "none"], "boardlab: the journal none cannot be read"),
        (["tictactoe"], "boardlab: there are no games of tictactoe yet"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    folder = ["--folder", str(tmp_path)] if arguments else []
    code, out, err = run(*arguments, *folder, *(["--games", "2", "--workers", "1", "--no-pictures"]))
    assert (code, out) == (2, "")
    assert err.startswith(sentence) and err.count("\n") == 1
    journal = tmp_path / "journal.jsonl"
    assert not journal.exists() or not read_journal(journal)  # nobody waits for games to be told of a mistake


def test_games_for_the_arena(trio: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARDLAB_DATA", str(tmp_path))
    arguments = ["--folder", str(trio), "--no-pictures", "--arena"]
    assert "18 games are new in the arena" in run(*arguments)[1]
    assert "0 games are new in the arena" in run(*arguments)[1]
    store = GameStore(tmp_path / "games.sqlite", 100)
    store.open()
    total, found = store.page(100, 0)
    assert total == 18
    game, played = make("tictactoe"), {game.id[:12]: game for game in read_journal(trio / "journal.jsonl")}
    for kept in found:
        timeline = Timeline.of(game, [event_of_code(code) for code in store.events(kept.id)])
        assert [event.code for event in timeline.events] == played[kept.id].codes
        assert [seat.score for seat in kept.seats] == played[kept.id].scores
    store.close()


def test_another_game_needs_another_folder(trio: Path, tmp_path: Path) -> None:
    code, _, err = run("nim", "random", "max-n", "--folder", str(trio), "--workers", "1")
    assert code == 2
    assert "has games of tictactoe; take another --folder for nim" in err
    code, _, err = run("nim", "random", "max-n", "--folder", str(tmp_path), "--merge", str(trio / "journal.jsonl"))
    assert code == 2
    assert "has games of tictactoe; take another --folder for nim" in err
    assert not (tmp_path / "journal.jsonl").exists()


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_played(tmp_path: Path) -> None:
    command = [*BOARDLAB, "tournament", "connect4", "mcts:iterations=20", "mcts:iterations=30", "--games", "100000"]
    process = subprocess.Popen(
        [*command, "--folder", str(tmp_path), "--workers", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    journal = tmp_path / "journal.jsonl"
    end = time.monotonic() + 120
    while not journal.exists() or journal.read_bytes().count(b"\n") < 20:
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.2)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.search(r"stopped; [\d,]+ games are kept in", out)
    assert err.strip() == "stopped"
    assert len(read_journal(journal)) >= 20


def test_the_page_and_the_pictures(trio: Path) -> None:
    code, out, _ = run("--folder", str(trio), "--export", str(trio / "g.jsonl"), "--export", str(trio / "g.txt"))
    assert code == 0
    assert "page.html" in out
    page = (trio / "page.html").read_text()
    assert page.count("<svg") == page.count("</svg>") == 3
    assert "mcts:iterations=20" in page and "http" not in re.sub(r'xmlns[^ >]*"', "", page)
    for name in ("ratings", "crosstable", "time"):
        assert (trio / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        ET.fromstring((trio / f"{name}.svg").read_text())
    assert json.loads((trio / "result.json").read_text())["games"] == 18
    assert len(read_journal(trio / "g.jsonl")) == 18


# ------------------------------------------------------------ kills


def killed(arguments: Sequence[str], journal: Path, seconds: float) -> bool:
    """Whether the command could be killed, so many seconds after its first game of this time, before it was done."""
    before = journal.stat().st_size if journal.exists() else 0
    process = subprocess.Popen(
        [*BOARDLAB, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while process.poll() is None and (not journal.exists() or journal.stat().st_size <= before):
        time.sleep(0.01)
    try:
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        return True


@pytest.mark.slow
def test_30_kills_at_random_moments_change_nothing(tmp_path: Path) -> None:
    """Two machines play the same tournament in two orders, each until it is killed, again and again. No line that was
    in a journal before a kill is lost, and the merged journal is that of an undisturbed tournament, game for game."""
    agents = ["random", "mcts:iterations=30", "mcts:iterations=300", "mcts:iterations=1000", "max-n:depth=2"]
    games, rng, kills = 20, random.Random(1), 0
    folders = [tmp_path / "one", tmp_path / "two"]

    def command(folder: Path, who: Sequence[str], workers: int) -> list[str]:
        options = ["--games", str(games), "--starts", "random:2", "--no-pictures", "--workers", str(workers)]
        return ["tournament", "connect4", *who, *options, "--folder", str(folder)]

    while kills < 30:
        folder, who = (folders[0], agents) if kills % 2 == 0 else (folders[1], agents[::-1])
        journal = folder / "journal.jsonl"
        before = contents(journal) if journal.exists() else {}
        ended = not killed(command(folder, who, 2), journal, rng.random())
        after = contents(journal)
        assert all(after[name] == game for name, game in before.items())
        kills += not ended and len(after) > len(before)
        games += 20 * ended
    merge = ["--merge", str(folders[1] / "journal.jsonl")]
    subprocess.run([*BOARDLAB, *command(folders[0], agents, 2), *merge], check=True, capture_output=True)
    subprocess.run([*BOARDLAB, *command(tmp_path / "three", agents, 1)], check=True, capture_output=True)
    found, wanted = (contents(folder / "journal.jsonl") for folder in (folders[0], tmp_path / "three"))
    print(f"30 kills, {games} games a pair, {len(wanted)} in all")
    assert found == wanted
