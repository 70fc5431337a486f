"""A small engine for the tests of the engines: a program of its own that speaks GTP or NBoard, strict about both, and
plays Othello, Hex and Connect Four. It reads vertices by itself, so that it would notice a mistake in ours.

    python tiny_engine.py gtp|nboard GAME [--mode MODE] [--log FILE]

Modes are ways to behave: `explicit` wants every skipped turn as a pass, `skipping` refuses passes; the others misbehave
(see `misbehave`), and never look at the board. With a log file all commands that it gets are written there.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any

COLOURS = {"black": 0, "white": 1}
GTP_COMMANDS = (
    "protocol_version name list_commands boardsize clear_board play genmove undo time_settings time_left level quit"
)


def pick(position: Any) -> int:
    """The action that the engine plays: some legal one that depends on the whole board."""
    legal = position.legal_actions
    board = sum((i + 1) * int(value) for i, value in enumerate(position.cells))
    return int(legal[board % len(legal)])


class Board:
    """A game in progress, told in vertices, with explicit passes."""

    def __init__(self, name: str, size: list[int]) -> None:
        from boardlab import make

        parameters = {"othello": "size={0}", "hex": "size={0}", "connect4": "columns={0},rows={1}"}[name]
        self.name = name
        self.game = make(f"{name}:{parameters.format(*size)}")
        self.position = self.game.start()
        self.turn = 0
        self.passes: list[int] = []  # after how many actions

    def action(self, vertex: str) -> int:
        column, row = ord(vertex[0].lower()) - ord("a"), int(vertex[1:]) - 1
        if self.name == "connect4":
            stones = [int(v) for v in self.position.cells.reshape(self.game.grid[::-1])[column]]
            if row != sum(v in (1, 2) for v in stones):
                raise ValueError("the stone would not lie there")
            return column
        return self.game.grid[1] * row + column

    def vertex(self, action: int) -> str:
        if self.name == "connect4":
            return "ABCDEFGHI"[action]  # a lazy answer: the column alone
        row, column = divmod(action, self.game.grid[1])
        return f"{'abcdefghijk'[column]}{row + 1}"

    def play(self, player: int, vertex: str, mode: str) -> None:
        if vertex.lower() == "pass":
            if mode == "skipping" or player != self.turn or player == self.position.player:
                raise ValueError("illegal pass")
            self.passes.append(len(self.position.history))
        else:
            if player != (self.position.player if mode == "skipping" else self.turn):
                raise ValueError("wrong colour")
            self.position.play(self.action(vertex))
        self.turn = 1 - player

    def undo(self) -> None:
        if self.passes and self.passes[-1] == len(self.position.history):
            self.passes.pop()
        else:
            self.position.undo()
        self.turn = 1 - self.turn


def complain(mode: str) -> None:
    """More than any pipe holds."""
    if mode == "chatty":
        sys.stderr.write("thinking about it\n" * 20_000)


def misbehave(mode: str, where: str) -> None:
    """What a bad engine does when it is asked for a move."""
    if mode == "dies":
        sys.exit("no weights found")
    if mode in ("hangs", "deaf"):
        time.sleep(600)
    if mode == "babbles":
        while True:
            print("info depth 3", flush=True)
    if mode == "nonsense":
        print("the best move is the best one\n", flush=True)
    answer = {"illegal": "a1", "passes": "pass", "resigns": "resign", "mumbles": "???"}.get(mode)
    if answer is not None:
        print(f"= {answer}\n" if where == "gtp" else f"=== {answer}", flush=True)


MISBEHAVIOUR = ("dies", "hangs", "deaf", "babbles", "nonsense", "illegal", "passes", "resigns", "mumbles")


class Gtp:
    """One GTP session."""

    def __init__(self, game: str, mode: str) -> None:
        self.game, self.mode = game, mode
        self.board: Board | None = None
        self.size = [8]

    def answer(self, command: str) -> str | None:
        """The answer; None where it was given already. A ValueError is a refusal."""
        word, *arguments = command.split()
        if word in ("boardsize", "clear_board"):
            if word == "boardsize":
                if self.mode == "small":
                    raise ValueError("unacceptable size")
                self.size = [int(n) for n in arguments]
            if self.mode not in MISBEHAVIOUR:
                self.board = Board(self.game, self.size)
        elif word == "genmove" and self.mode in MISBEHAVIOUR:
            misbehave(self.mode, "gtp")
            return None
        elif word in ("play", "genmove", "undo"):
            assert self.board is not None
            return self.move(self.board, word, arguments)
        elif word == "protocol_version":
            return "1" if self.mode == "old" else "2"
        elif word == "list_commands":
            known = GTP_COMMANDS.split()
            return "\n".join(c for c in known if c != "undo" or self.mode != "stubborn")
        elif word == "name":
            return "Tiny"
        elif word not in GTP_COMMANDS.split():
            raise ValueError("unknown command")
        return ""

    def move(self, board: Board, word: str, arguments: list[str]) -> str | None:
        if word == "undo":
            board.undo()
            return ""
        if word == "play":
            board.play(COLOURS[arguments[0]], arguments[1], self.mode)
            return ""
        complain(self.mode)
        player = COLOURS[arguments[0]]
        if player != board.position.player:
            board.play(player, "pass", self.mode)
            return "pass"
        action = pick(board.position)
        board.position.play(action)
        board.turn = 1 - player
        return board.vertex(action)

    def run(self, command: str) -> None:
        try:
            answer = self.answer(command)
            if answer is not None:
                print(f"= {answer}\n", flush=True)
        except ValueError as error:
            print(f"? {error}\n", flush=True)


class NBoard:
    """One NBoard session."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.board: Any = None
        self.depth = 0

    def run(self, command: str) -> None:
        word, _, rest = command.partition(" ")
        if word == "ping":
            print(f"pong {rest}", flush=True)
        elif word == "set" and rest.startswith("depth "):
            self.depth = int(rest.split()[1])
            print(f"set myname Tiny{self.depth}", flush=True)
        elif self.mode in MISBEHAVIOUR:
            if word == "go":
                misbehave(self.mode, "nboard")
        elif word == "set" and rest.startswith("game "):
            self.board = self.read(rest.removeprefix("game "))
        elif word == "move":
            self.board.position.play(self.board.action(rest.split("/")[0]))
        elif word == "hint":
            self.hint(int(rest))
        elif word == "go":
            assert self.depth > 0
            print("status Tiny is thinking", flush=True)
            complain(self.mode)
            print(f"=== {self.board.vertex(pick(self.board.position))}/1.50/0.1", flush=True)

    def read(self, text: str) -> Board:
        import numpy as np

        from boardlab import Position

        size, cells, mover = re.search(r"BO\[(\d+) (\S+) ([*O])\]", text).groups()  # type: ignore[union-attr]
        board = Board("othello", [int(size)])
        state = np.zeros(1, board.game.state).view(np.recarray)[0]
        for player, mark in enumerate("*O"):
            state.discs[player] = sum(1 << i for i, cell in enumerate(cells) if cell == mark)
        state.player = "*O".index(mover)
        state.moves = board.game.moves_of(state.discs[state.player], state.discs[1 - state.player])
        board.position = Position(board.game, state)
        return board

    def hint(self, count: int) -> None:
        """First worse values, then the real ones: the number of the cell."""
        legal = self.board.position.legal_actions[: count - 1 if self.mode == "short" else count]
        for better in (0.0, 0.5):
            for action in legal:
                vertex = self.board.vertex(action)
                print(f"search {vertex}-pa {action + better:.2f} 0 {self.depth} seen", flush=True)
        print("status", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("protocol", choices=("gtp", "nboard"))
    parser.add_argument("game", nargs="?", default="othello")
    parser.add_argument("--mode", default="explicit")
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    if options.mode == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    session = Gtp(options.game, options.mode) if options.protocol == "gtp" else NBoard(options.mode)
    for line in sys.stdin:
        if options.log:
            with options.log.open("a") as log:
                log.write(line)
        if line.strip() == "quit":
            break
        session.run(line.strip())


if __name__ == "__main__":
    main()
