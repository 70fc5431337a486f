"""Engines that speak GTP, the Go Text Protocol (version 2, draft 2), which programs for other games use as well.

A command is a line; the answer begins with `=` or, where the engine refuses, with `?`, and ends with an empty line. The
engine is told of the moves since it was asked last: it has played its own answer itself. Where a position is no
continuation of what it knows, moves are taken back or the game is set up anew. A pass that an engine refuses is not
needed: such a program skips a player by itself, as we do.
"""

from __future__ import annotations

from collections.abc import Sequence

from boardlab.engines.notation import COLOURS, PASS, Move, Notation, first_position, shared_moves
from boardlab.engines.process import EngineProcess
from boardlab.engines.way import way_to
from boardlab.errors import BoardlabError
from boardlab.position import Position

__all__ = ["GtpEngine"]

MOST_LINES = 1_000
"""Of one answer."""


class GtpEngine:
    """A conversation with an engine about one game."""

    def __init__(
        self, process: EngineProcess, notation: Notation, *, seconds: int | None = None, startup: Sequence[str] = ()
    ) -> None:
        """Prepare a game. `seconds` is the time for a move; `startup` are further commands to begin with."""
        self.process = process
        self.notation = notation
        self.seconds = seconds
        version = self.ask("protocol_version")
        if version != "2":
            process.fail(f"speaks version {version} of GTP; version 2 is needed")
        process.name = f"{self.ask('name')} ({process.name})"
        self.commands = set(self.ask("list_commands").split())
        if "set_game" in self.commands:
            self.ask(f"set_game {notation.title}")
        for command in startup:
            self.ask(command)
        self.ask(f"boardsize {notation.board_size}")
        self.ask("clear_board")
        if seconds is not None:
            self.ask(f"time_settings 0 {seconds} 1")
        self.told: list[Move] = []
        """The moves that lead to the position on the engine's board."""
        self.ways: dict[bytes, list[Move]] = {}
        """Where the history of the latest position begins (its state), and moves that lead there."""

    def answer(self, position: Position) -> str:
        """What the engine plays: a vertex, or what else it says (`resign`)."""
        self._tell(self._moves(position))
        colour, seconds = COLOURS[position.player], self.seconds or 0
        if seconds and "time_left" in self.commands:
            self.ask(f"time_left {colour} {seconds} 1")
        answer = self.ask(f"genmove {colour}", seconds)
        action = self.notation.action(answer)
        if action is not None:
            self.told.append(Move(position.player, self.notation.vertices(position, [action])[0]))
        return answer

    def values(self, position: Position) -> dict[str, float]:
        """GTP has no command that asks for values."""
        return {}

    def ask(self, command: str, seconds: float = 0.0) -> str:
        """The answer to a command that the engine must not refuse."""
        accepted, answer = self._converse(command, seconds)
        if not accepted:
            self.process.fail(f"refuses {command!r}: {answer or 'it gives no reason'}")
        return answer

    def _converse(self, command: str, seconds: float = 0.0) -> tuple[bool, str]:
        """Whether the engine accepted a command, and what it answered."""
        self.process.send(command)
        lines: list[str] = []
        for line in self.process.answers(seconds):
            if line:
                lines.append(line)
            elif lines:
                break
            if lines and (lines[0][0] not in "=?" or len(lines) > MOST_LINES):
                self.process.fail(f"does not speak GTP: it answers {command!r} with {lines[0]!r}")
        return lines[0][0] == "=", "\n".join([lines[0][1:].strip(), *lines[1:]]).strip()

    def _moves(self, position: Position) -> list[Move]:
        """The moves since the start of the game, which is what GTP can tell."""
        first = first_position(position)
        state = first.state.tobytes()
        if state not in self.ways:
            found = way_to(first, self.notation)
            if found is None:
                raise BoardlabError(
                    f"an engine that speaks GTP has to be told all moves of a game of {self.notation.game.title}, and "
                    "those that led to this position are not known; protocol=nboard needs none, where a program has it"
                )
            self.ways = {state: self.notation.moves(found)}
        return self.notation.moves(position, before=self.ways[state])

    def _tell(self, moves: list[Move]) -> None:
        """Bring the engine's board to where these moves lead."""
        known = shared_moves(self.told, moves)
        if known < len(self.told) and not self._take_back(self.told[known:]):
            self.ask("clear_board")
            known = 0
        for player, vertex in moves[known:]:
            command = f"play {COLOURS[player]} {vertex}"
            if vertex == PASS:
                self._converse(command)
            else:
                self.ask(command)
        self.told = moves

    def _take_back(self, moves: list[Move]) -> bool:
        """Whether the engine took back these last moves. Passes are not tried: nobody knows whether it counts them."""
        if "undo" not in self.commands or any(move.vertex == PASS for move in moves):
            return False
        return all(self._converse("undo")[0] for _ in moves)
