"""Perfect play of Dots and Boxes on boards of up to 40 edges (4 x 4 boxes, 3 x 5): the exact score of any position.

    >>> from boardlab import make
    >>> from boardlab.solvers.dots import DotsSolver
    >>> game = make("dots:rows=2,columns=2")
    >>> DotsSolver(game).score(game.start())

A score is a margin, as the game counts it: boxes of the player to move minus boxes of the other one at the end of the
game. What is still to come does not depend on the boxes taken so far, so the search (`dots_search`) knows edges only;
captures, chains and loops are settled without search (`dots_chains`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.games.dots import DotsAndBoxes
from boardlab.learn.oracle import Oracle
from boardlab.position import Position
from boardlab.registry import make
from boardlab.solvers.base import BookPlan, Outcomes, Progress, Solver
from boardlab.solvers.bound_table import new_table
from boardlab.solvers.dots_book import DotsBook, book_file
from boardlab.solvers.dots_chains import capture_value, make_board
from boardlab.solvers.dots_keys import string_bit
from boardlab.solvers.dots_search import MOST_EDGES, REST_SIZE, Question, reduce
from boardlab.solvers.dots_team import Team
from boardlab.system.machine import cores, free_memory

__all__ = ["DotsSolver", "refusal", "shared_solver"]

_USUAL_MEGABYTES = 512
_MANY_STRINGS = 37
_MANY_MEGABYTES = 4096
"""Positions of so many strings (4 x 4 with at most 3 edges drawn) take minutes, and need the larger table; for others
it would take longer to get its memory than to solve them."""


class Rest(NamedTuple):
    """What is left to search: strings beside the lone chains and loops of the multiset, and the coins of both."""

    strings: int
    multiset: int
    coins: int


QUICK_EDGES = 31
"""Boards of so many edges, as 3 x 4, are solved within seconds from every position."""


def refusal(game: Game) -> str | None:
    """Why the game cannot be solved, None where it can."""
    if type(game) is not DotsAndBoxes:  # a game that derives from it may have other rules
        return f"the solver plays Dots and Boxes, not {game.title}"
    if game.num_actions > MOST_EDGES:
        return (
            f"a board of {game.rows} x {game.columns} boxes is too large to be solved: it has {game.num_actions} "
            f"edges; boards of up to {MOST_EDGES} can be solved, as 4 x 4, 3 x 5 and all smaller ones"
        )
    return None


class DotsSolver:
    """Exact scores of positions of one game, each given as a `Position` or as its state. What it has found out is kept
    in its transposition table; threads may share a solver."""

    def __init__(
        self, game: Game, megabytes: int | None = None, threads: int | None = None, *, book: bool = True
    ) -> None:
        """Make a solver with a transposition table of that size; by default as large as the position can use: at most
        512 megabytes, and for a nearly empty board 4096, or a quarter of the memory that is free. Long searches take as
        many threads as told, by default one for each core. The opening book answers for the first moves, where there is
        one."""
        reason = refusal(game)
        if reason is not None or not isinstance(game, DotsAndBoxes):
            raise BoardlabError(str(reason))
        self._grows = megabytes is None
        if megabytes is None:
            megabytes = min(1 << max(game.num_actions - 21, 0), _USUAL_MEGABYTES)
        if not 1 <= megabytes <= 65536:
            raise BoardlabError(f"a transposition table has 1 to 65536 megabytes, not {megabytes}")
        self.game = game
        self._bits = [1 << string_bit(game, edge) for edge in range(game.num_actions)]
        self._book = DotsBook.load(game, book_file(game)) if book and book_file(game).exists() else None
        self._team = Team(make_board(game), megabytes, threads or cores())

    @property
    def nodes(self) -> int:
        """How many positions all searches so far have visited."""
        return self._team.nodes

    def score(self, position: Position | np.void) -> int:
        """The margin at the end of the game for the player to move; in a finished game for who drew the last edge."""
        state = self._state(position)
        return self._lead(state) + self.margin_to_come(position)

    def margin_to_come(self, position: Position | np.void) -> int:
        """The same without the boxes that are taken already."""
        return self.margin_after(int(self._state(position)["edges"]))

    def margin_after(self, edges: int) -> int:
        """The same for a set of edges."""
        known = self._book.margin(edges) if self._book else None
        if known is not None:
            return known
        taken, handed, rest = self._reduced(edges)
        return capture_value(taken, handed, self._value_of_rest(rest))

    def values(self, position: Position | np.void) -> dict[int, int]:
        """The score that each legal action leads to, for the player to move; none where the game is over."""
        return {action: self.value(position, action) for action in self._actions(self._state(position))}

    def value(self, position: Position | np.void, action: int) -> int:
        """The score that an action leads to, for the player to move."""
        state = self._state(position)
        after, taken = self._after(state, action)
        margin = self.margin_after(after)
        return self._lead(state) + (taken + margin if taken else -margin)

    def best_actions(self, position: Position | np.void) -> list[int]:
        """The actions with the best score; cheaper to tell than all values."""
        state = self._state(position)
        actions = self._actions(state)
        if len(actions) < 2:
            return actions
        best = self.score(position)
        return [action for action in actions if self._has(state, action, best)]

    def first_best(self, position: Position | np.void, actions: Sequence[int]) -> int:
        """The first one of the legal actions, given in any order, that has the best score. Where many have it that is
        far cheaper to tell than all of them."""
        if len(actions) == 1:
            return actions[0]
        state, best = self._state(position), self.score(position)
        return next(action for action in actions if self._has(state, action, best))

    # ------------------------------------------------------------ questions

    def _has(self, state: np.void, action: int, score: int) -> bool:
        """Whether an action leads to that score at least."""
        after, taken = self._after(state, action)
        wanted = score - self._lead(state)
        return self._reaches(after, wanted - taken) if taken else not self._reaches(after, 1 - wanted)

    def _reaches(self, edges: int, margin: int) -> bool:
        """Whether the margin to come is at least that."""
        known = self._book.margin(edges) if self._book else None
        if known is not None:
            return known >= margin
        taken, handed, rest = self._reduced(edges)
        if self._rest_reaches(rest, margin - taken):
            return True
        return handed > 0 and not self._rest_reaches(rest, taken - handed - margin + 1)

    def _reduced(self, edges: int) -> tuple[int, int, Rest]:
        """What can be taken, its handout, and what is left then."""
        found = np.empty(REST_SIZE, np.int64)
        reduce(self._strings(edges), self._team.board, found)
        taken, handed, *rest = found.tolist()
        return taken, handed, Rest(*rest)

    def _value_of_rest(self, rest: Rest) -> int:
        if rest.strings == 0:
            return int(self._team.board.value[rest.multiset])
        least, most = -rest.coins, rest.coins
        guess = rest.coins & 1
        while least < most:
            threshold = min(max(guess, least + 2), most)
            bound = self._answer(rest, threshold)
            if bound >= threshold:
                least, guess = bound, bound + 2
            else:
                most, guess = bound, bound
        return least

    def _rest_reaches(self, rest: Rest, value: int) -> bool:
        if rest.strings == 0:
            return self._value_of_rest(rest) >= value
        threshold = value + ((value + rest.coins) & 1)
        if abs(threshold) > rest.coins:
            return threshold < 0
        return self._answer(rest, threshold) >= threshold

    def _answer(self, rest: Rest, threshold: int) -> int:
        if self._grows and rest.strings.bit_count() >= _MANY_STRINGS:
            self._grow()
        return self._team.answer(Question(*rest, threshold))

    def _grow(self) -> None:
        self._grows = False
        table = new_table(max(1, min(_MANY_MEGABYTES, free_memory() >> 22)))
        if table.size > self._team.table.size:
            self._team.table = table

    # ------------------------------------------------------------ positions

    def _state(self, position: Position | np.void) -> np.void:
        if not isinstance(position, Position):
            return position
        game = position.game  # in which coding a learner sees it makes no difference
        same = type(game) is DotsAndBoxes and (game.rows, game.columns) == (self.game.rows, self.game.columns)
        if not same:
            raise BoardlabError(f"this solver was made for {self.game.spec}, not for {position.game.spec}")
        return position.state

    def _actions(self, state: np.void) -> list[int]:
        return [action for action in range(self.game.num_actions) if not int(state["edges"]) >> action & 1]

    def _after(self, state: np.void, action: int) -> tuple[int, int]:
        """The edges after an action, and how many boxes it takes."""
        after = int(state["edges"]) | 1 << action
        masks = self.game.box_masks[self.game.edge_boxes[action]].tolist()
        return after, sum(after & mask == mask for mask in masks)

    def _strings(self, edges: int) -> int:
        return sum(bit for edge, bit in enumerate(self._bits) if not edges >> edge & 1)

    def _lead(self, state: np.void) -> int:
        """Boxes taken by the player to move minus those of the other one."""
        owned = [int(boxes).bit_count() for boxes in state["boxes"]]
        player = int(state["player"])
        return owned[player] - owned[1 - player]


class SmallDotsAndBoxes(Solver):
    """Dots and Boxes on boards of up to 40 edges, by the solver that all of a process share."""

    name = "dots"
    of = DotsAndBoxes
    player = "dots-perfect"
    books = "small boards of dots"
    game: DotsAndBoxes

    @classmethod
    def is_quick(cls, game: Game) -> bool:
        return refusal(game) is None and game.num_actions <= QUICK_EDGES

    def values(self, position: Position) -> dict[int, float]:
        return {action: value for action, (value, _) in self.outcomes(position).items()}

    def outcomes(self, position: Position, progress: Progress | None = None) -> Outcomes:
        solver, legal = shared_solver(self.game.rows, self.game.columns), position.legal_actions
        outcomes: Outcomes = {}
        for action in legal:
            if progress is not None:
                progress(len(outcomes), len(legal))
            outcomes[action] = float(solver.value(position, action)), len(legal)
        return outcomes

    def oracle(self) -> Oracle | None:
        from boardlab.solvers.dots_oracle import DotsOracle

        return DotsOracle(self.game) if refusal(self.game) is None else None

    def book(self) -> BookPlan | None:
        from boardlab.solvers.dots_book_making import make_dots_book

        if refusal(self.game) is not None:
            return None
        game = self.game
        return BookPlan(book_file(game), 2, 5, partial(make_dots_book, game), partial(DotsBook.load, game))


@cache
def shared_solver(rows: int, columns: int) -> DotsSolver:
    """The solver that all players of a process use together."""
    return DotsSolver(make("dots", rows=rows, columns=columns))
