"""Perfect play of Connect Four on the usual board of 7 columns and 6 rows: the exact score of any position.

    >>> from boardlab.solvers.connect4 import ConnectFourSolver
    >>> ConnectFourSolver().score("4444426222")

The score of a position is that of the literature, for the player to move: 22 minus the number of stones that the
winner will have on the board, counted positive for a win and negative for a loss; 0 is a draw. A higher score is an
earlier win or a later loss, so best play by score is best play by distance as well. The opening book answers for the
first plies, `connect4_search` for all others.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.games.connect4 import ConnectFour
from boardlab.learn.oracle import Oracle
from boardlab.position import Position
from boardlab.solvers.base import BookPlan, Outcomes, Progress, Solver
from boardlab.solvers.bound_table import new_table
from boardlab.solvers.connect4_bits import BOARD, BOTTOM, canonical, has_four, position_key
from boardlab.solvers.connect4_book import BOOK_FILE, OpeningBook, make_book
from boardlab.solvers.connect4_search import STACK_SIZE, new_history, solve

__all__ = [
    "ConnectFourSolver",
    "has_book",
    "is_standard",
    "package_book",
    "plies_to_end",
    "score_at_distance",
    "shared_solver",
]

Board = tuple[int, int]
"""The stones of the player to move and the mask of all stones."""


def is_standard(game: Game) -> bool:
    """Whether the solver knows the game. One that derives from ours may have other rules."""
    return type(game) is ConnectFour and (game.columns, game.rows) == (7, 6)


def has_book() -> bool:
    """Whether there is an opening book in the package."""
    return BOOK_FILE.exists()


def plies_to_end(score: int, ply: int) -> int:
    """How many plies a game still lasts under best play, from the score of a position with `ply` stones."""
    if score == 0:
        return 42 - ply
    winner = ply % 2 if score > 0 else 1 - ply % 2
    return 2 * (22 - abs(score)) - (1 - winner) - ply


def score_at_distance(plies: int, ply: int) -> int:
    """The lowest score of a lost position with `ply` stones that lasts at least `plies` more."""
    return next((score for score in range(-21, 0) if plies_to_end(score, ply) >= plies), 0)


class ConnectFourSolver:
    """Exact scores of positions, each given as a `Position` or state of ConnectFour, or as a text of column digits
    such as "4453". What it has found out is kept in its transposition table; threads may share a solver."""

    def __init__(self, megabytes: int = 64, *, book: bool = True) -> None:
        """Make a solver with a transposition table of that size, with or without the opening book."""
        if not 1 <= megabytes <= 65536:
            raise BoardlabError(f"a transposition table has 1 to 65536 megabytes, not {megabytes}")
        self._table = new_table(megabytes)
        self._history = new_history()
        self._nodes = np.zeros(1, np.int64)
        self._book = package_book() if book else None

    @property
    def nodes(self) -> int:
        """How many positions all searches so far have visited."""
        return int(self._nodes[0])

    @property
    def table(self) -> NDArray[np.int64]:
        """The transposition table, which others may use, too, at the same time."""
        return self._table

    def score(self, position: Position | str | np.void) -> int:
        """The score for the player to move; in a won position that is the loser."""
        return self._score(_read(position))

    def is_lost(self, position: Position | str | np.void) -> bool:
        """Whether the player to move loses against best play; cheaper to tell than the score."""
        return self._score(_read(position), -1, 0) < 0

    def distance(self, position: Position | str | np.void) -> int:
        """How many plies the game still lasts if both play their best: win early, lose late."""
        board = _read(position)
        return plies_to_end(self._score(board), board[1].bit_count()) if not _is_over(board) else 0

    def values(self, position: Position | str | np.void) -> dict[int, int]:
        """The score that each legal action leads to, for the player to move; none where the game is over."""
        board = _read(position)
        return {action: -self._score(_after(board, action)) for action in _actions(board)}

    def best_actions(self, position: Position | str | np.void) -> list[int]:
        """The actions with the best score: the earliest win, a draw, or the latest loss."""
        board = _read(position)
        actions = _actions(board)
        return self._actions_reaching(board, self._score(board)) if len(actions) > 1 else actions

    def actions_reaching(self, position: Position | str | np.void, score: int) -> list[int]:
        """The actions that lead to at least this score; cheaper to tell than all values."""
        return self._actions_reaching(_read(position), score)

    def _actions_reaching(self, board: Board, score: int) -> list[int]:
        return [a for a in _actions(board) if self._score(_after(board, a), -score, 1 - score) <= -score]

    def _score(self, board: Board, low: int = -21, high: int = 21) -> int:
        """The score, or on which side of the window low..high it lies."""
        known = self._known(board)
        if known is not None:
            return known
        guess = min(max(0, low + 1), high)
        return int(solve(*board, low, high, guess, self._table, _new_stack(), self._history, self._nodes))

    def _known(self, board: Board) -> int | None:
        """The score of a position that needs no search: the game is over, or the book has it."""
        mine, mask = board
        if has_four(mine ^ mask):
            return (mask.bit_count() + 1) // 2 - 22
        if mask == BOARD:
            return 0
        return self._book.score(canonical(position_key(mine, mask)), mask.bit_count()) if self._book else None


class StandardConnectFour(Solver):
    """Connect Four on the usual board, by the solver that all of a process share."""

    name = "connect4"
    of = ConnectFour
    player = "c4-perfect-dl"
    books = "connect4"

    @classmethod
    def unsuited(cls, game: Game) -> str:
        return "" if is_standard(game) else "is for Connect Four on the board of 7 x 6"

    def values(self, position: Position) -> dict[int, float]:
        return {action: value for action, (value, _) in self.outcomes(position).items()}

    def outcomes(self, position: Position, progress: Progress | None = None) -> Outcomes:
        solver, ply = shared_solver(), int(position.state.moves)
        legal = position.legal_actions
        outcomes: Outcomes = {}
        for action in legal:
            if progress is not None:
                progress(len(outcomes), len(legal))
            score = -solver.score(position.copy().play(action))
            outcomes[action] = float((score > 0) - (score < 0)), plies_to_end(score, ply)
        return outcomes

    def oracle(self) -> Oracle:
        from boardlab.solvers.connect4_oracle import ConnectFourOracle

        return ConnectFourOracle()

    def book(self) -> BookPlan:
        return BookPlan(BOOK_FILE, 8, 12, make_book, OpeningBook.load)


@cache
def shared_solver() -> ConnectFourSolver:
    """The solver that all players of a process use together."""
    return ConnectFourSolver()


@cache
def package_book() -> OpeningBook | None:
    """The opening book of the package, if there is one; it is read once."""
    return OpeningBook.load() if has_book() else None


def _new_stack() -> Any:
    return np.empty(STACK_SIZE, np.int64)


# ---------------------------------------------------------------- positions of several kinds


def _read(position: Position | str | np.void) -> Board:
    if isinstance(position, str):
        return _from_digits(position)
    if isinstance(position, Position):
        if not is_standard(position.game):
            raise BoardlabError(f"the solver knows connect4 on the board 7 x 6, not {position.game.spec}")
        return _from_state(position.state)
    return _from_state(position)


def _from_state(state: np.void) -> Board:
    if "stones" not in (state.dtype.names or ()):
        raise BoardlabError("the solver takes a position of Connect Four or column digits such as 4453")
    first, second = int(state["stones"][0]), int(state["stones"][1])
    if (first | second) & ~BOARD:
        raise BoardlabError("the solver knows the board 7 x 6 only; this state has stones outside of it")
    return (second if state["player"] else first), first | second


def _from_digits(digits: str) -> Board:
    board = (0, 0)
    for place, digit in enumerate(digits.strip(), 1):
        if digit not in "1234567":
            raise BoardlabError(f"columns are the digits 1 to 7; {digit!r} in {digits!r} is none")
        if _is_over(board):
            raise BoardlabError(f"the game {digits!r} is over before its move {place}")
        if int(digit) - 1 not in _actions(board):
            raise BoardlabError(f"column {digit} is full before move {place} of {digits!r}")
        board = _after(board, int(digit) - 1)
    return board


def _is_over(board: Board) -> bool:
    mine, mask = board
    return has_four(mine ^ mask) or mask == BOARD


def _actions(board: Board) -> list[int]:
    """The columns that can be played; none in a finished game."""
    if _is_over(board):
        return []
    return [column for column in range(7) if not board[1] >> (7 * column + 5) & 1]


def _after(board: Board, action: int) -> Board:
    mine, mask = board
    return mine ^ mask, mask | ((mask + BOTTOM) & (63 << (7 * action)))
