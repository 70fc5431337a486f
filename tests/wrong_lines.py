"""Wrong command lines: every command with what it cannot take. Each ends with a sentence and exit code 2."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["LINES", "furnish"]

HUGE = "9" * 5000

GAMES = [
    *("", " ", ":", "::", ",", "=", "chess", "conect4", "Connect4", "é", "\u202e", "💣", "\0", "\n", "x" * 5000, "-"),
    *("connect4:", "connect4:columns", "connect4:columns=", "connect4:=7", "connect4:columns=7,columns=8"),
    "hex:size=x",
    *("connect4:columns=99", "connect4:columns=-1", "connect4:columns=7.0", "connect4:columns=nan", f"hex:size={HUGE}"),
    *("hex:size=1e3", "hex:size=0x5", "nim:heaps=0", "nim:players=4", "nim:extra_rule=maybe", "sim:nodes=3"),
    *("connect4:colums=7", "tictactoe:size=4", "connect4:columns=[7", "hex:size=5 6", "connect4;rows=6"),
    *("nowhere.py", "nowhere.py:Game", "folder.py:Game", "empty.py:Game", "empty.py", "broken.py:Game", "secret.py:G"),
    *("text.txt:Game", "text.txt", "/", ".", "..", "folder", "kept.agent", "nul.py:Game", "os:path", "/dev/null"),
]
AGENTS = [
    *("", " ", "gandalf", "Random", "mcts:", "mcts:iterations", "mcts:iterations=", "mcts:iterations=0", "é", "\0"),
    *("mcts:iterations=-5", "mcts:iterations=many", "mcts:iterations=1.5", "mcts:iterations=inf"),
    f"mcts:iterations={HUGE}",
    *("mcts:iterations=5,iterations=6", "mcts:exploration=nan", "mcts:exploration=-1", "mcts:time=-1", "mcts:time=inf"),
    *("max-n:depth=0", "max-n:depth=99999999999999999999", "n-ply", "n-ply:depth=1", "n-ply:agent=", "n-ply:agent=[]"),
    *("n-ply:agent=gandalf", "n-ply:agent=random", "n-ply:agent=nowhere.agent", "puct:agent=[n-ply:agent=x,depth=1]"),
    *("nowhere.agent", "folder.agent", "empty.agent", "text.agent", "secret.agent", ".agent", "nowhere.py:Agent"),
    *("c4-perfect", "dots-perfect", "othello-ab", "engine", "engine:command="),
    *("engine:command=/nowhere/program", "human"),
    *("td-ntuple:alpha=0", "td-ntuple:alpha=nan", "td-ntuple:tuples=walk:100000x6", "td-ntuple:tuples=walk:1x99"),
    *("td-ntuple:rule=nowhere.py:Rule", "td-ntuple:rule=", "td-ntuple:lam=1", "td-ntuple:seed=-1"),
    "td-ntuple:tuples=x",
    *("perfect:x=1", "random:seed=1", "mc:rollouts=0", "expectimax-n:depth=x", "empty.py:Agent", "broken.py:Agent"),
]

TUPLES = [
    *("", "walk", "walk:", "walk:x", "walk:7", "walk:7x", "walk:x7", "walk:0x3", "walk:3x0", "walk:-1x3", "walk:3x3+"),
    *("walk:1x10", "walk:99999999x9", f"walk:{HUGE}x3", "walk:3x" + HUGE, "points:1x10", "points:1e3x3"),
    "box-walk:2x3",
    *("mode99", "nowhere.json", "folder.json", "empty.json", "text.json", "odd.json", "deep.json"),
    *("cells.json", "none.json"),
    *("many.json", "\0", "WALK:3x3", "walk:3x3,points:2x2", "walk:10000x9+1x1", "secret.json"),
]

OPTIONS = [
    *("", "=", "alpha", "alpha=", "=1", "alpha=much", "alpha=nan", "alpha=inf", "alpha=-1", "alpha=0", "alpha=1001"),
    *("alhpa=1", "epsilon=2", "epsilon=-0.1", "epsilon_schedule=wavy", "gamma=1.5", "lam=1", "lambda=-1", "lambda=1"),
    *("max_moves=0", "max_moves=99999999999999999999", "max_moves=1.5"),
    *("seed=-1", "seed=x", "seed=1000000000000", "tables=round", "output=sign", "bias=perhaps", "method=magic"),
    *("eligibility=rep", "horizon_cut=0", "horizon_cut=1", "tc_init=-1", "beta=0", "beta=21", "rule=gold"),
    "rule=nowhere.py:R",
    *("play_wrapper=n-ply:depth=-1", "play_wrapper=mcts", "play_wrapper=", "train_wrapper=puct:time=1"),
    "train_wrapper=x",
    *("train_wrapper=n-ply:agent=random", "alpha_schedule=constant,alpha_end=2", "rule=empty.py:R"),
    "max_moves=none none",
]

FILES = [
    "nowhere.agent",
    "folder.agent",
    "empty.agent",
    "text.agent",
    "",
    "\0",
    "x" * 300 + ".agent",
    "text.txt",
    "/dev/null",
]
COUNTS = ["0", "-1", "1.5", "x", "", "nan", "inf", "1e3"]

LINES: list[list[str]] = [
    *([command, game] for command in ("games", "tuples", "train", "check", "solve") for game in GAMES[::3]),
    *(["play", game] for game in GAMES),
    *(["perft", game, "2"] for game in GAMES[::2]),
    *(["match", game, "random", "random"] for game in GAMES[1::2]),
    *(["eval", "random", "--game", game] for game in GAMES[::4]),
    *(["bench", "rollouts", "--games", game] for game in GAMES[::5] if game not in ("", ",", " ")),
    *(["evaluators", game] for game in GAMES[1::4]),
    *(["match", "tictactoe", "random", agent, "--games", "2"] for agent in AGENTS),
    *(["play", "tictactoe", "--seat", agent] for agent in AGENTS[::3] if agent != "human"),
    *(["eval", agent, "--game", "tictactoe", "--games", "2"] for agent in AGENTS[1::3]),
    *(["eval", "random", "--game", "tictactoe", "--against", agent, "--games", "2"] for agent in AGENTS[2::3] if agent),
    *(["train", "tictactoe", "-n", "10", "--against", agent] for agent in AGENTS[::4] if agent),
    *(["tuples", "tictactoe", tuples] for tuples in TUPLES),
    *(["train", "tictactoe", "-n", "10", "-o", f"tuples={tuples}"] for tuples in TUPLES[::2]),
    *(["train", "tictactoe", "-n", "10", "-o", option] for option in OPTIONS),
    *(["train", "tictactoe", "-o", f"episodes={number}"] for number in ("0", "1e5", HUGE, "-3", "")),
    *(["info", file] for file in FILES),
    *(["train", "--resume", file] for file in FILES if file),
    *(["eval", file] for file in FILES),
    *(["perft", "tictactoe", count] for count in COUNTS),
    *(["match", "tictactoe", "random", "random", "--games", count] for count in COUNTS),
    *(["train", "tictactoe", "--episodes", count] for count in COUNTS),
    *(["train", "tictactoe", "--seed", count] for count in COUNTS if count != "0"),
    *(["check", "tictactoe", "--games", count] for count in COUNTS),
    *(["bench", "rollouts", "--seconds", count] for count in ("0", "-1", "x", "", "nan")),
    *(["arena", "--port", port] for port in ("-1", "65536", "x", "", "1.5")),
    *(
        ["arena", "-o", option]
        for option in ("", "x", "port=-1", "seconds_per_move=nan", "seconds_per_move=-1", "nme=x")
    ),
    *(["match", "connect4", "random", "random", "--start", moves] for moves in ("9", "x", "4 4 4 4 4 4 4", "é", "-1")),
    *(["solve", "connect4", moves] for moves in ("9", "x", "4444444", "é", "12121212", "0", HUGE)),
    *(["solve", game] for game in ("2048", "dots:rows=7,columns=7")),
    *([], ["--x"], ["play"], ["match"], ["match", "tictactoe"], ["eval"], ["info"], ["perft"], ["tuples"], ["check"]),
    *(["bench"], ["bench", "x"], ["perft", "tictactoe"], ["perft", "tictactoe", "2", "3"], ["games", "hex", "hex"]),
    *(["match", "tictactoe", "random"], ["match", "tictactoe", *["random"] * 3]),
    *(["play", "tictactoe", *["-s", "random"] * 3], ["eval", "random"]),
    ["eval", "random", "--game", "tictactoe", "--evaluator", "x"],
    *(["train"], ["train", "tictactoe", "--preset", "x"], ["train", "tictactoe", "--threads", "0"]),
    *(["train", "tictactoe", "--threads", "257"], ["train", "tictactoe", "--evaluator", "x"]),
    ["train", "tictactoe", "--config", "nowhere"],
    *(
        ["train", "tictactoe", "--config", file]
        for file in ("folder", "text.txt", "twice.toml", "odd.toml", "list.toml")
    ),
    *(
        ["train", "tictactoe", "-n", "10", "--out", file]
        for file in ("x", "folder.agent", "text.txt", "", "text.txt/a.agent")
    ),
    *(
        ["train", "tictactoe", "-n", "10", "--out", file]
        for file in ("/dev/null", "/proc", "..", "folder/", "a.agent.txt")
    ),
    *(["train", "tictactoe", "-o", "alpha=1", "-o", "alpha=1"], ["train", "tictactoe", "-o", "seed=1", "-o", "seed=2"]),
    *(["train", "tictactoe", "--resume", "kept.agent"], ["train", "--resume", "kept.agent", "--preset", "paper"]),
    *(["tuples", "tictactoe", "default", "--out", out] for out in ("folder", "/nowhere/x.svg", "text.txt/x.svg", "")),
    *(["book", game] for game in ("othello", "x", "", "dots:rows=9", "connect4:columns=6")),
    *(["book", "connect4", "--plies", "0"], ["book", "connect4", "--plies", "13"]),
    ["book", "connect4", "--megabytes", "0"],
    *(["book", "connect4", "--threads", "0"], ["book", "connect4", "--minutes", "x"]),
    ["book", "connect4", "--minutes", "-1"],
    *(["agents", agent] for agent in ("x", "", "Random", "nowhere.agent", "mcts:iterations=0", "mcts:iterations=5,x")),
    *(["bench", "train", "--games", game] for game in ("x", "nowhere.py", "hex:size=99")),
    *(["bench", "search", "--games", game] for game in ("x", "connect4:columns=7,columns=8")),
    *(["bench", "arena", "--games", count] for count in ("0", "401", "x")),
    *(["bench", "train", "--threads", "0"], ["bench", "rollouts", "--seconds", "inf"]),
    *(["match", "tictactoe", "random", "random", "--games", HUGE[:20]], ["eval", "random", "--games", HUGE[:20]]),
    *(["match", "tictactoe", "random", "random", "--workers", HUGE[:9]], ["check", "tictactoe", "--games", HUGE[:20]]),
    *(["train", "tictactoe", "--evaluation-games", HUGE[:20]], ["train", "--resume", "x.agent", "-n", HUGE[:20]]),
    ["book", "connect4", "--resume", "a.part", "--megabytes", HUGE[:8]],
]


def furnish(folder: Path) -> None:
    """Files that these lines name."""
    for name in ("folder.py", "folder.agent", "folder.json", "folder"):
        (folder / name).mkdir()
    for name in ("empty.py", "empty.agent", "empty.json"):
        (folder / name).touch()
    for name in ("text.txt", "text.agent", "text.json"):
        (folder / name).write_text("A game, they said.\n")
    (folder / "broken.py").write_text("class Game(:\n")
    (folder / "nul.py").write_bytes(b"\0\xff")
    (folder / "odd.json").write_text('{"tuples": [[0, "1"], null]}')
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "cells.json").write_text("[[0, 1, 99], [-1], [2, 2]]")
    (folder / "none.json").write_text("[]")
    (folder / "many.json").write_text(f"[{'[0],' * 20_000}[1]]")
    (folder / "twice.toml").write_text("alpha = 1\nalpha = 2\n")
    (folder / "odd.toml").write_text("alpha = [1, {a = nan}]\n")
    (folder / "list.toml").write_text("[alpha]\nx = 1979-05-27\n")
    for name in ("secret.agent", "secret.json", "secret.py"):
        (folder / name).write_text("")
        os.chmod(folder / name, 0)
