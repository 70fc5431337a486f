"""The C++ programs that learning is held against: `c4ref` for Connect Four and `g2048ref` for 2048, built as their
README says. Each trains a stretch of games and then another one, whose speed counts; they run between our rounds."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from boardlab.errors import BoardlabError
from boardlab.game import Game

__all__ = ["Yardstick", "find_yardstick"]


@dataclass(frozen=True)
class _Kind:
    """A program: for which game, how it is called, and what of its last line is compared."""

    game: str
    options: tuple[str, ...]
    unit: str
    """What is counted for each second: games, or moves where games grow longer as the agent learns."""
    moves: str
    """Finds the moves for each unit in its last line."""


_KINDS = {
    "c4ref": _Kind("connect4", ("games=40000", "rep=2", "ev=2", "dense=1"), "games", r"([\d.]+) plies"),
    "g2048ref": _Kind("2048", ("games=1200", "rep=2"), "moves", ""),
}


@dataclass(frozen=True)
class Yardstick:
    """A program that trains as an agent of ours does. The tables of c4ref are dense, as ours are."""

    program: Path
    kind: _Kind

    @property
    def unit(self) -> str:
        """What `speed` counts: games or moves."""
        return self.kind.unit

    def speed(self, *settings: str) -> float:
        """Games or moves for each CPU second, with these settings in place of its own."""
        return float(self._found(rf"(\d+) {self.unit}/s", self._run(settings)))

    def move_nanoseconds(self, *settings: str) -> float:
        """CPU time of a move."""
        printed = self._run(settings)
        moves = float(self._found(self.kind.moves, printed)) if self.kind.moves else 1.0
        return 1e9 / (float(self._found(rf"(\d+) {self.unit}/s", printed)) * moves)

    def _run(self, settings: tuple[str, ...]) -> str:
        command = [str(self.program.absolute()), *self.kind.options, *settings]
        try:
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError) as error:
            raise BoardlabError(f"the yardstick {self.program} does not run: {error}") from error

    def _found(self, pattern: str, printed: str) -> str:
        """The number of the second stretch."""
        found = re.findall(pattern, printed)
        if len(found) != 2:
            raise BoardlabError(
                f"{self.program} does not print what {self.program.name} prints; build it as its README says"
            )
        return str(found[1])


def find_yardstick(path: str | None, game: Game) -> Yardstick | None:
    """The yardstick of a game: a program, or one in a folder of them. None where this game has none."""
    if path is None:
        return None
    given = Path(path)
    programs = [given / name for name in _KINDS] if given.is_dir() else [given]
    if not given.is_dir() and given.name not in _KINDS:
        raise BoardlabError(f"{path} is no yardstick; there are {' and '.join(_KINDS)}, or the folder that has them")
    for program in programs:
        if _KINDS[program.name].game == game.name and (program.exists() or not given.is_dir()):
            return Yardstick(program, _KINDS[program.name])
    return None
