"""Mistakes that only show in a rare position, in compiled code: each ends with a sentence, and nothing is written where
it does not belong. `Rare` breaks at run time, so it is compiled once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boardlab import Game, make_rng, parameter
from boardlab.agents.registry import make_agent
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.compiler.fences import BrokenRule
from boardlab.playouts import count_sequences, random_games
from boardlab.position import Position
from boardlab.user_errors import explain_user_error

TOO_MANY, ACTION, COUNT, PLAYER, CELL, NONE, ENDLESS, BOARD, OUTCOME, DRAWN = range(1, 11)


class Rare(Game):
    """Take one to three stones and toss a coin; after one stone is taken seven times in a row, a fault may follow."""

    fault: float = parameter(0.0, doc="which fault, 0 for none")
    num_actions, num_outcomes, num_cells, num_values, max_moves = 3, 2, 2, 25, 24
    state = np.dtype(
        [("stones", np.int8), ("board", np.int8, (2,)), ("ones", np.int8), ("player", np.int8), ("tossing", np.bool_)]
    )

    def is_rare(self, s: Any, fault: int) -> bool:
        return int(s.ones) >= 7 and self.fault == float(fault)

    def reset(self, s: Any) -> None:
        s.stones = 24

    def player(self, s: Any) -> int:
        return 5 if self.is_rare(s, PLAYER) else int(s.player)

    def legal_actions(self, s: Any, actions: Any) -> int:
        n = min(3, int(s.stones))
        for i in range(n):
            actions[i] = i
        if self.is_rare(s, ACTION):
            actions[0] = 7
        if self.is_rare(s, COUNT):
            n = 50
        if self.is_rare(s, NONE):
            n = 0
        if self.is_rare(s, TOO_MANY):
            for i in range(5000):
                actions[i] = 0
        return n

    def advance(self, s: Any, action: int) -> None:
        s.stones = int(s.stones) - action - 1
        s.ones = int(s.ones) + 1 if action == 0 else 0
        s.player = 1 - int(s.player)
        s.tossing = True
        if self.is_rare(s, BOARD):
            for i in range(5000):
                s.board[i] = 1

    def is_chance(self, s: Any) -> bool:
        return bool(s.tossing)

    def chance_outcomes(self, s: Any, outcomes: Any, chances: Any) -> int:
        for i in range(2):
            outcomes[i] = i + (5 if self.is_rare(s, OUTCOME) else 0)
            chances[i] = 0.5
        return 2

    def sample_chance(self, s: Any, rng: Any) -> int:
        return 9 if self.is_rare(s, DRAWN) else int(rng[0] & np.uint64(1))

    def advance_chance(self, s: Any, outcome: int) -> None:
        s.tossing = False
        s.board[0] = outcome
        if self.is_rare(s, ENDLESS):
            s.stones = 24

    def is_over(self, s: Any) -> bool:
        return int(s.stones) <= 0

    def scores(self, s: Any, out: Any) -> None:
        out[0] = out[1] = 0.0
        if int(s.stones) <= 0:
            out[int(s.player)] = -1.0
            out[1 - int(s.player)] = 1.0

    def cells(self, s: Any, out: Any) -> None:
        out[0] = 99 if self.is_rare(s, CELL) else max(0, int(s.stones))
        out[1] = s.board[0]

    def describe(self, s: Any) -> str:
        return f"{int(s.stones)} stones"


RANDOM = {
    TOO_MANY: (IndexError, "index is out of bounds"),
    ACTION: (BrokenRule, "actions are from 0 to num_actions - 1"),
    COUNT: (BrokenRule, "legal_actions returned more than num_actions"),
    NONE: (BrokenRule, "legal_actions found none"),
    ENDLESS: (BrokenRule, "not over after max_moves actions"),
    BOARD: (IndexError, "index is out of bounds"),
    DRAWN: (BrokenRule, "outcomes are from 0 to num_outcomes - 1"),
}


@pytest.mark.parametrize("fault", RANDOM)
def test_random_games(fault: int) -> None:
    game = Rare(fault=float(fault))
    error, words = RANDOM[fault]
    with game.in_check(), pytest.raises(error, match=words) as stopped:
        random_games(game, 100_000, make_rng(1))
    assert isinstance(stopped.value, BrokenRule) or "reads or writes" in str(explain_user_error(stopped.value))


LEARNED = {
    PLAYER: "player(s) returned a number out of range",
    CELL: "cells wrote a value out of range",
    ENDLESS: "not over after max_moves actions",
}


@pytest.mark.parametrize("fault", LEARNED)
def test_learning(fault: int) -> None:
    game = Rare(fault=float(fault))
    with game.in_check(), pytest.raises(BrokenRule) as stopped:
        TDNTuple(game, tuples="points:1x2", episodes=200_000, epsilon=1.0, epsilon_end=1.0).train(200_000)
    assert LEARNED[fault] in str(stopped.value)


def test_listed_outcomes() -> None:
    game = Rare(fault=float(OUTCOME))
    with game.in_check(), pytest.raises(BrokenRule, match="a chance outcome is a number out of range"):
        count_sequences(game, 9)


def test_without_a_fault_nothing_is_stopped() -> None:
    game = Rare()
    with game.in_check():
        assert random_games(game, 100_000, make_rng(1))[0] > 100_000


def position(fault: int) -> Position:
    """Seven single stones have been taken."""
    position = Position(Rare(fault=float(fault)))
    for _ in range(7):
        position.play(0).play_chance(0)
    return position


def test_plain_play_ends_with_a_sentence_too() -> None:
    with pytest.raises(BrokenRule, match="legal_actions found none"):
        position(NONE).legal_actions  # noqa: B018
    endless = position(ENDLESS)
    with pytest.raises(BrokenRule, match="not over after max_moves = 24 actions"):
        for _ in range(24):
            endless.play(0).play_chance(0)
    agent = make_agent("random", endless.game)
    with pytest.raises(BrokenRule):
        for _ in range(24):
            endless.play(agent.choose(endless, make_rng(1))).play_chance(0)


LOOPS = """
import numpy as np
from boardlab import Game

class Loops(Game):
    num_actions, num_cells, num_values, max_moves = 3, 1, 61, 60
    state = np.dtype([("stones", np.int8), ("ones", np.int8), ("player", np.int8)])

    def reset(self, s):
        s.stones = 60

    def legal_actions(self, s, actions):
        while int(s.ones) >= 13:
            pass
        for i in range(3):
            actions[i] = i
        return min(3, int(s.stones))

    def advance(self, s, action):
        s.stones = int(s.stones) - action - 1
        s.ones = int(s.ones) + 1 if action == 0 else 0
        s.player = 1 - int(s.player)

    def is_over(self, s):
        return int(s.stones) == 0

    def scores(self, s, out):
        out[0] = out[1] = 0.0
        if int(s.stones) == 0:
            out[int(s.player)] = -1.0
            out[1 - int(s.player)] = 1.0

    def cells(self, s, out):
        out[0] = s.stones

    def describe(self, s):
        return str(int(s.stones))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_training_in_an_endless_loop_can_be_ended_and_is_kept(number: int, tmp_path: Path) -> None:
    (tmp_path / "loops.py").write_text(LOOPS)
    options = ["--episodes", "90000000", "--evaluate-every", "90000000", "--evaluation-games", "2", "-o", "epsilon=1"]
    command = [sys.executable, "-c", "from boardlab.cli.main import main; main()", "train", "loops.py", *options]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    agent = tmp_path / "agents" / "loops.agent"
    try:
        wait_until(agent.exists, process)
        wait_until(lambda: is_deaf(process.pid), process)
        process.send_signal(number)
        output, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert f"what was learned is in {agent.relative_to(tmp_path)}" in " ".join(output.split())


def wait_until(condition: Any, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 240
    while not condition() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.2)
    assert process.poll() is None and condition()


def is_deaf(pid: int) -> bool:
    """Whether the process writes nothing for longer than training ever does: its progress goes through `write`."""
    before = written(pid)
    time.sleep(2.0)
    return written(pid) == before and os.path.exists(f"/proc/{pid}")


def written(pid: int) -> str:
    return Path(f"/proc/{pid}/io").read_text().splitlines()[3]
