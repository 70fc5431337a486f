"""The command line: quick help, mistakes in one sentence, and a game played by piped moves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from boardlab import __version__
from boardlab.cli.main import app
from boardlab.registry import game_classes, split_specs

BOARDLAB = [sys.executable, "-c", "from boardlab.cli.main import main; main()"]


def run(*arguments: str, entered: str = "") -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command, in this process."""
    result = CliRunner().invoke(app, list(arguments), input=entered)
    return result.exit_code, result.stdout, result.stderr


# ------------------------------------------------------------ the frame


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from boardlab.cli.main import main\n"
        "sys.argv = ['boardlab', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted({'numpy', 'numba', 'pydantic', 'rich', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Usage: boardlab" in done.stdout
    for command in ("games", "play", "check", "perft", "bench"):
        assert f"  {command} " in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_version() -> None:
    assert run("--version") == (0, f"boardlab {__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["games", "chess"], "boardlab: there is no game 'chess'."),
        (["play", "conect4"], "boardlab: there is no game 'conect4'; did you mean 'connect4'?"),
        (["perft", "connect4:columns=99", "3"], "boardlab: columns is a whole number from 4 to 10, not 99"),
        (["perft", "connect4:columns", "3"], "boardlab: parameters are written name=value"),
        (["check", "nowhere.py:Game"], "boardlab: there is no file nowhere.py"),
        (["play", "tictactoe", "-s", "humn"], "boardlab: there is no player 'humn'; did you mean 'human'?"),
        (["play", "tictactoe", *["-s", "random"] * 3], "boardlab: Tic-tac-toe has 2 seats, not 3"),
        (["bench", "rollouts", "--games", "tictactoe,go"], "boardlab: there is no game 'go'."),
        (
            ["agents", "mcts:tree_depth=-1"],
            "boardlab: tree_depth of mcts is a whole number from 1 to 4095",
        ),
        (["agents", "mcts:depth=1"], "boardlab: there is no parameter of mcts 'depth'; did you mean 'tree_depth'?"),
        (["rules", "tcl:initial=x"], "boardlab: initial is "),
        (["evaluators", "perfect:plies=x"], "boardlab: plies is "),
    ],
)
def test_a_mistake_is_told_in_one_sentence(arguments: list[str], sentence: str) -> None:
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith(sentence)
    assert err.count("\n") == 1


def test_a_mistake_in_a_real_process() -> None:
    done = subprocess.run([*BOARDLAB, "games", "chess"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("boardlab: there is no game 'chess'.")
    assert done.stderr.count("\n") == 1


def test_a_wrong_option_is_a_usage_error() -> None:
    code, _, err = run("perft", "tictactoe", "--depth")
    assert code == 2
    assert "No such option" in err


def test_ctrl_c_ends_with_a_word() -> None:
    """In the middle of compiled work, too: a depth that would take hours."""
    command = [*BOARDLAB, "perft", "connect4", "30"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            while not process.stdout.readline().startswith("    6"):
                assert process.poll() is None
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert err.strip() == "stopped"


def test_a_reader_that_leaves_early_is_no_error() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run([*BOARDLAB, "games"], stdout=write_end, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write_end)
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("connect4,nim", ["connect4", "nim"]),
        ("connect4:columns=6,rows=5,nim:heaps=2", ["connect4:columns=6,rows=5", "nim:heaps=2"]),
        (" hex , ", ["hex"]),
        ("a.py:One:x=1,y=2,b.py:Two", ["a.py:One:x=1,y=2", "b.py:Two"]),
    ],
)
def test_a_list_of_specifications_is_split(text: str, specs: list[str]) -> None:
    assert split_specs(text) == specs


# ------------------------------------------------------------ games, check, perft


def test_games_lists_every_game_with_its_parameters() -> None:
    code, out, _ = run("games")
    assert code == 0
    first_words = {line.split()[0] for line in out.splitlines() if line.strip()}
    assert set(game_classes()) <= first_words
    assert "columns=7  (4 to 10)" in out
    assert "extra_rule=true  (true or false)" in out


@pytest.mark.parametrize("name", sorted(game_classes()))
def test_games_tells_about_each_game(name: str) -> None:
    code, out, err = run("games", name)
    assert (code, err) == (0, "")
    assert out.startswith(f"{game_classes()[name].title} ({name})")
    for word in ("actions", "cells", "symmetries", "features", "to move"):
        assert word in out


def test_games_tells_the_sizes_with_the_given_parameters() -> None:
    _, out, _ = run("games", "connect4:columns=5,rows=4")
    assert "20 with 4 values each" in out
    assert "5, such as 1 or 5" in out


def test_games_tells_the_presets_and_where_their_values_come_from() -> None:
    said = " ".join(run("games", "tictactoe")[1].split())
    assert "preset agent episodes what it is" in said
    assert "farl-fig3-sarsa sarsa-ntuple 30,000 Konen and Bagheri 2021: Figure 3, SARSA-learning" in said
    said = " ".join(run("games", "tictactoe", "--preset", "paper")[1].split())
    assert "preset paper value source, where not the paper" in said
    assert "alpha_schedule linear epsilon 0.1" in said
    assert "learn_from_random true GBG: Learn-from-RM is active" in said
    assert "preset" not in run("games", "sim")[1]


BROKEN_GAME = """
import numpy as np
from boardlab import Game

class Forgetful(Game):
    '''Counts to three, but the scores do not stay in their range.'''

    state = np.dtype([("count", np.int8), ("player", np.int8)])
    num_actions = num_cells = 1
    num_values = 4
    max_moves = 3

    def reset(self, s):
        s.count = 0

    def legal_actions(self, s, actions):
        actions[0] = 0
        return 1

    def advance(self, s, action):
        s.count = int(s.count) + 1

    def is_over(self, s):
        return int(s.count) == 3

    def scores(self, s, out):
        out[0] = SCORE
        out[1] = 0.0

    def cells(self, s, out):
        out[0] = s.count
"""


def test_check_passes_a_right_game_and_explains_a_wrong_one(tmp_path: Path) -> None:
    file = tmp_path / "counting.py"
    file.write_text(BROKEN_GAME.replace("SCORE", "0.0"))
    code, out, err = run("check", f"{file}:Forgetful", "--games", "50")
    assert (code, err) == (0, "")
    assert "50 random games" in out
    file.write_text(BROKEN_GAME.replace("SCORE", "7.0"))
    code, out, err = run("check", f"{file}:Forgetful", "--games", "50")
    assert (code, out) == (1, "")
    assert "score" in err
    assert "Traceback" not in err


def test_perft_of_tictactoe() -> None:
    code, out, _ = run("perft", "tictactoe", "9", "--positions")
    assert code == 0
    rows = [line.replace(",", "").split() for line in out.splitlines()]
    assert rows[3][:4] == ["2", "72", "0", "72"]
    assert rows[10][:4] == ["9", "127872", "127872", "78"]
    assert "complete games of 9 actions at most: 255,168" in out
    assert "distinct positions, the start included: 5,478" in out


def test_perft_as_json() -> None:
    _, out, _ = run("perft", "tictactoe", "3", "--positions", "--json")
    answer = json.loads(out)
    assert answer["game"] == "tictactoe"
    assert [row["sequences"] for row in answer["rows"]] == [9, 72, 504]
    assert [row["positions"] for row in answer["rows"]] == [9, 72, 252]
    assert (answer["complete_games"], answer["positions"]) == (0, 334)


# ------------------------------------------------------------ play


def test_a_whole_game_with_wrong_entries_and_undo() -> None:
    entered = "\n".join(["help", "b2", "z9", "b2", "moves", "a1", "undo", "b1", "undo", "undo", "undo"])
    entered += "\n" + "\n".join(["b2", "a1", "B1", "a2", "b3"])
    code, out, err = run("play", "tictactoe", "-s", "human", "-s", "human", "--seed", "1", entered=entered)
    assert (code, err) == (0, "")
    assert "X is you, O is you. Seed 1." in out
    assert "leave the game" in out
    one_line = " ".join(out.split())  # long sentences are wrapped
    assert "'z9' is no action of Tic-tac-toe" in one_line
    assert "Legal here: a1, b1, c1, a2, c2, a3, b3, c3." in one_line
    assert "b2 is not legal here; legal: a1," in out
    assert "O: moves\na1 b1 c1 a2 c2 a3 b3 c3\n" in out
    assert out.count("Taken back: a1.") == 1
    assert out.count("Taken back: b2.") == 1
    assert out.count("There is no move of yours to take back.") == 1
    assert out.endswith("   a b c\n 1 O X .\n 2 O X .\n 3 . X .\n\nGame over, X won (1 : -1).\n")


def test_undo_takes_back_the_agents_answer_too() -> None:
    _, out, _ = run("play", "tictactoe", "--seed", "3", entered="b2\nundo\nquit\n")
    assert out.count("   a b c\n 1 . . .\n 2 . . .\n 3 . . .\nX: ") == 2
    assert out.endswith("The game is left unfinished.\n")


def test_a_person_on_the_second_seat_cannot_take_back_the_first_move() -> None:
    _, out, _ = run("play", "tictactoe", "-s", "random", "-s", "human", entered="undo\n")
    assert "There is no move of yours to take back." in out


def test_the_end_of_the_input_leaves_the_game() -> None:
    code, out, _ = run("play", "connect4", entered="4\n")
    assert code == 0
    assert out.endswith("The game is left unfinished.\n")


def test_same_seed_same_game() -> None:
    games = [run("play", "2048", "-s", "random", "--seed", seed)[1] for seed in ("5", "5", "6")]
    assert games[0] == games[1] != games[2]
    assert "chance: " in games[0]
    assert "Game over, score" in games[0]


def test_chance_is_the_same_whoever_plays() -> None:
    """Chance has a stream of its own: the person's first tiles are those of the random agent."""
    watched = run("play", "2048", "-s", "random", "--seed", "5")[1]
    played = run("play", "2048", "--seed", "5", entered="quit\n")[1]
    tiles = [line for line in played.splitlines() if line.startswith("chance")]
    assert len(tiles) == 1
    assert tiles[0] in watched.splitlines()[:3]


def test_three_players_and_scores_during_the_game() -> None:
    code, out, _ = run("play", "nim:players=3,heaps=2", "-s", "random", "-s", "random", "--seed", "2")
    assert code == 0
    assert "player 3 (random): " in out
    assert "Game over, player" in out
    _, out, _ = run("play", "dots:rows=1,columns=1", *["-s", "human"] * 2, entered="a1-b1\na1-a2\nb1-b2\na2-b2\n")
    assert "Game over, O won (-1 : 1)." in out


def test_a_session_in_a_real_process() -> None:
    done = subprocess.run(
        [*BOARDLAB, "play", "tictactoe", "--seed", "4"], input="b2\nquit\n", capture_output=True, text=True, check=True
    )
    assert "X: b2\n" in done.stdout
    assert "O (random): " in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_tuples_are_listed_and_drawn(tmp_path: Path) -> None:
    picture = tmp_path / "tuples.svg"
    code, listed, _ = run("tuples", "connect4", "walk:3x5", "--seed", "7", "--out", str(picture))
    assert code == 0
    assert "3 n-tuples of Connect Four" in listed
    assert picture.read_text().startswith("<svg")
    _, again, _ = run("tuples", "connect4", "walk:3x5", "--seed", "7")
    assert again.splitlines()[:3] == listed.splitlines()[:3]
    code, _, wrong = run("tuples", "connect4", "walk:3")
    assert code == 2
    assert "walk:70x8" in wrong
