"""How the programs of a game write its moves: the one place where actions become the words of an engine and back.

The first player is Black everywhere; a column is a letter, a row a number.

* Othello: a1 is the top left cell, in GTP as well (where a board of Go counts its rows from below). A program is told
  of a skipped turn by a pass, which our rules do not have.
* Hex: a1 is the top left cell, and Black joins top and bottom. As in the programs of Hex, the columns are all letters
  from a on, although GTP leaves out the i for Go (it would matter from nine columns on).
* Connect Four: the letter of the column and the row in which the stone comes to lie, counted from below; in an answer
  the column suffices, as letter or number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from boardlab.components.companion import Companion, Companions
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.games.connect4 import ConnectFour
from boardlab.games.hex import Hex
from boardlab.games.othello import Othello
from boardlab.grids import column_name
from boardlab.position import Position

__all__ = ["COLOURS", "PASS", "Move", "Notation", "first_position", "notation_of", "notations", "shared_moves"]

COLOURS = ("black", "white")
PASS = "pass"


class Move(NamedTuple):
    """A move as a program is told of it."""

    player: int
    vertex: str
    """A cell as `D3`, or PASS."""


class Notation(Companion):
    """The words of one game; as they are here, for games in which an action is a cell of the grid. The file of a game
    of one's own may have one: a class that derives from this."""

    title = ""
    """What the game is called in GTP's set_game."""
    has_passes = False
    """Whether a program expects a pass where our rules skip a player."""
    stones_stay = True
    """Whether a stone keeps its owner once it is placed."""
    protocols: ClassVar[tuple[str, ...]] = ("gtp",)
    """How the programs of the game speak."""

    @property
    def board_size(self) -> str:
        """The argument of GTP's boardsize."""
        return str(self.game.grid[0])

    def vertices(self, position: Position, actions: Sequence[int]) -> list[str]:
        """What a program calls these actions, played one after the other from the position on."""
        return [self.game.action_name(action).upper() for action in actions]

    def action(self, text: str) -> int | None:
        """The action that a program means; None where it means none."""
        try:
            return self.game.parse_action(text)
        except BoardlabError:
            return None

    def moves(self, position: Position, before: Sequence[Move] = ()) -> list[Move]:
        """The moves that led to the position, with a pass for each skipped turn: `before` up to where its history
        begins, and from there on."""
        moves = list(before)
        history = position.history
        vertices = self.vertices(first_position(position), [event.number for event in history])
        for event, vertex in zip(history, vertices, strict=True):
            assert event.player is not None
            self._add_skipped_turn(moves, event.player)
            moves.append(Move(event.player, vertex))
        self._add_skipped_turn(moves, position.player)
        return moves

    def _add_skipped_turn(self, moves: list[Move], player: int) -> None:
        if self.has_passes and moves and moves[-1].player == player:
            moves.append(Move(1 - player, PASS))

    def stones(self, position: Position) -> dict[int, int]:
        """The owners of the occupied cells."""
        return {cell: int(value) - 1 for cell, value in enumerate(position.cells) if value in (1, 2)}

    def cell(self, position: Position, action: int) -> int:
        """Where the action puts a stone."""
        return action


class OthelloNotation(Notation):
    """Othello."""

    name = "othello"
    of = Othello
    protocols = ("gtp", "nboard")
    title = "Othello"
    has_passes = True
    stones_stay = False

    def stones(self, position: Position) -> dict[int, int]:
        return {cell: int(value) for cell, value in enumerate(position.cells) if value in (0, 1)}


class HexNotation(Notation):
    """Hex."""

    name = "hex"
    of = Hex
    title = "Hex"


class ConnectFourNotation(Notation):
    """Connect Four: where the stone comes to lie."""

    name = "connect4"
    of = ConnectFour
    title = "Connect Four"

    @property
    def board_size(self) -> str:
        rows, columns = self.game.grid
        return f"{columns} {rows}"

    def vertices(self, position: Position, actions: Sequence[int]) -> list[str]:
        heights = self._heights(position)
        found = []
        for column in actions:
            heights[column] += 1
            found.append(f"{column_name(column).upper()}{heights[column]}")
        return found

    def cell(self, position: Position, action: int) -> int:
        return action * self.game.grid[0] + self._heights(position)[action]

    def _heights(self, position: Position) -> list[int]:
        """The number of stones in each column."""
        columns = [self.game.cell_place(cell)[1] for cell in self.stones(position)]
        return [columns.count(column) for column in range(self.game.grid[1])]

    def action(self, text: str) -> int | None:
        found = re.fullmatch(r"([a-z])\d*|(\d)", text.strip().lower())
        if found is None:
            return None
        column = ord(found[1]) - ord("a") if found[1] else int(found[2]) - 1
        return column if 0 <= column < self.game.grid[1] else None


notations: Companions[Notation] = Companions("notation", Notation, "boardlab.engines")


def notation_of(game: Game) -> Notation | None:
    """The notation of a game; None where programs do not play it."""
    cls = notations.class_for(game)
    return cls(game) if cls else None


def first_position(position: Position) -> Position:
    """Where the history of the position begins; not always the start of the game."""
    first = position.copy()
    while first.last_action is not None:
        first.undo()
    return first


def shared_moves(some: Sequence[Move], others: Sequence[Move]) -> int:
    """With how many of the same moves both begin."""
    pairs = zip(some, others, strict=False)
    return next((i for i, (one, other) in enumerate(pairs) if one != other), min(len(some), len(others)))
