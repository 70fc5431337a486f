"""Engines that speak the NBoard protocol, which is for Othello alone.

Commands have no answers but for `ping`, which is answered by `pong` when all commands before it are done, `go`, by a
line that begins with `===`, and `hint`, by lines that give the value of a move each, for as long as the engine thinks.
A position is told as a game in GGF that begins with its board, and what follows by single moves; the engine does not
play its own answer before it is told to. Around a skipped turn the board is told again: not all programs take a pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from boardlab.engines.notation import PASS, Move, Notation, first_position
from boardlab.engines.process import EngineProcess
from boardlab.position import Position

__all__ = ["NBoardEngine", "game_text"]

QUIET_SECONDS = 1.0
"""An engine that has had nothing to say for so long is told to stop thinking about hints."""

HINT = re.compile(r"(?:search|book)\s+([a-z]\d)\S*\s+\(?([-+]?\d+(?:\.\d+)?)", re.IGNORECASE)
ANSWER = re.compile(r"===\s*([a-z]+\d*)", re.IGNORECASE)


class NBoardEngine:
    """A conversation with an engine about Othello."""

    def __init__(self, process: EngineProcess, notation: Notation, *, depth: int, startup: Sequence[str] = ()) -> None:
        """Prepare a game. `depth` is how far the engine looks ahead in the middle game; `startup` are further
        commands to begin with."""
        self.process = process
        self.notation = notation
        self.pings = 0
        self.start = b""
        self.told: list[Move] = []
        """The moves that lead from `start` to the position on the engine's board."""
        for command in ("nboard 1", *startup, f"set depth {depth}"):
            process.send(command)
        self._synchronize()

    def answer(self, position: Position) -> str:
        """What the engine plays: a vertex, or what else it says (`PA` for a pass)."""
        self._tell(position)
        self.process.send("go")
        line = next(line for line in self.process.answers() if line.startswith("==="))
        found = ANSWER.match(line)
        if found is None:
            self.process.fail(f"does not speak the NBoard protocol: it answers 'go' with {line!r}")
        return found[1]

    def values(self, position: Position) -> dict[str, float]:
        """The engine's opinion of moves, by their vertices, for the player to move."""
        self._tell(position)
        self.process.send(f"hint {len(position.legal_actions)}")
        lines = chain(self.process.remarks(QUIET_SECONDS), self._lines_until_pong())
        return {found[1].upper(): float(found[2]) for line in lines if (found := HINT.match(line))}

    def _tell(self, position: Position) -> None:
        """Bring the engine's board to this position."""
        start, moves = first_position(position).state.tobytes(), self.notation.moves(position)
        new = moves[len(self.told) :]
        follows = self.start == start and moves[: len(self.told)] == self.told
        if follows and all(move.vertex != PASS for move in new):
            for move in new:
                self.process.send(f"move {move.vertex}")
        else:
            self.process.send(f"set game {game_text(position)}")
        self.start, self.told = start, moves
        self._synchronize()

    def _synchronize(self) -> None:
        """Wait until the engine has done all that it was told."""
        for _ in self._lines_until_pong():
            pass

    def _lines_until_pong(self) -> Iterator[str]:
        """What the engine says until it has stopped thinking, which a ping makes it do."""
        self.pings += 1
        self.process.send(f"ping {self.pings}")
        for line in self.process.answers():
            if line.split() == ["pong", str(self.pings)]:
                return
            if line.startswith("set myname "):
                self.process.name = line.removeprefix("set myname ")
            yield line


def game_text(position: Position) -> str:
    """A game as GGF that begins with this position: the board row by row, and who is to move."""
    size = position.game.grid[0]
    cells = "".join("*O-"[min(int(value), 2)] for value in position.cells)
    board = f"TY[{size}]BO[{size} {cells} {'*O'[position.player]}]"
    return f"(;GM[Othello]PC[boardlab]PB[black]PW[white]RE[?]{board};)"
