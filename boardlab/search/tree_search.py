"""The driver of the depth-first searches: it owns their stack and table, and calls the kernels of `maxn` or
`alphabeta` in batches. Agents and solvers use it; so may anyone with a game and a state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.compiler import plain
from boardlab.compiler.errors import readable_compile_errors
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.search import alphabeta, maxn
from boardlab.search.evaluation import CurrentScores, StaticEvaluation
from boardlab.search.maxn import make_stack
from boardlab.search.pace import FIRST_BATCH, Pace, now
from boardlab.search.table import make_table
from boardlab.search.zero_sum import looks_zero_sum

__all__ = ["Findings", "SearchTooLarge", "TreeSearch"]

NO_LIMIT = 1 << 30
FIRST_LEVELS = 32
TIES = 1e-12
"""Values that differ by less, relative to their size, differ by rounding errors alone."""


class SearchTooLarge(BoardlabError):
    """A search that would need more positions than it was given."""


@dataclass(frozen=True)
class Findings:
    """What a search found out about the actions of a position."""

    player: int
    actions: list[int]
    values: NDArray[np.float64]
    """Value of each action for every player, shape (len(actions), num_players)."""
    depth: int
    """How many actions were looked ahead."""
    solved: bool
    """Whether the depth limit cut nothing off, so that the values are those of perfect play."""
    positions: int

    def best(self) -> list[int]:
        """All actions that are best for the player to move, but for rounding errors."""
        mine = self.values[:, self.player]
        top = float(np.max(mine))
        return [a for a, v in zip(self.actions, mine, strict=True) if v >= top - TIES * max(1.0, abs(top))]

    def by_action(self) -> dict[int, float]:
        """The value of each action for the player to move."""
        return {a: float(v) for a, v in zip(self.actions, self.values[:, self.player], strict=True)}


class TreeSearch:
    """Max-N of one game; alpha-beta instead where that gives the same values.

    The table is kept from one search to the next. A table never changes what is found, so neither does the order of
    searches.
    """

    def __init__(
        self,
        game: Game,
        evaluation: StaticEvaluation | None = None,
        *,
        megabytes: int = 64,
        alpha_beta: bool = True,
        position_limit: int | None = None,
    ) -> None:
        """`megabytes` is the size of the table; a search of more than `position_limit` positions is given up."""
        self.game = game
        self.evaluation = evaluation or CurrentScores()
        self.alpha_beta = alpha_beta and game.num_players == 2 and game.num_outcomes == 0
        self.position_limit = position_limit
        low, high = self.evaluation.bounds(game)
        self.bounds = float(low), float(high)
        self.table = make_table(game.num_players, megabytes)
        self.stack = make_stack(game, self._frames(), FIRST_LEVELS)
        self.results = np.zeros((game.num_actions, game.num_players))
        self.progress = np.zeros(2, np.int64)
        self.plain = game.plain or self.evaluation.plain
        self.pace = Pace(1 if self.plain else FIRST_BATCH)
        self.stamp = self.evaluation.stamp()

    def compile(self) -> None:
        """Have the machine code ready, which takes some seconds where it is not on disk."""
        if self.alpha_beta and not looks_zero_sum(self.game):
            self._use_max_n()
        with readable_compile_errors(self.game):
            self._advance(1, ties=False)  # of an empty stack

    def clear(self) -> None:
        """Forget all positions that were searched before."""
        self.table = np.zeros_like(self.table)

    def search(self, state: Any, depth: int | None = None, *, ties: bool = False) -> Findings:
        """Look `depth` actions ahead (to the end of the game without) from a state in which someone is to move.
        With `ties` only the best actions, all of them, are sure to have their exact value, which is quicker."""
        found = self._search(state, NO_LIMIT if depth is None else depth, ties, None)
        assert found is not None
        return found

    def deepen(self, state: Any, seconds: float, depth: int | None = None, *, ties: bool = False) -> Findings:
        """Look one action ahead, then two, and so on, until the time is up or `depth` is reached; the findings of
        the last depth that was completed. A depth of one is always completed."""
        end = now() + seconds
        found = self.search(state, 1, ties=ties)
        while not found.solved and found.depth != depth:
            deeper = self._search(state, found.depth + 1, ties, end - now())
            if deeper is None:
                break
            found = deeper
        return found

    # ------------------------------------------------------------

    def _search(self, state: Any, depth: int, ties: bool, seconds: float | None) -> Findings | None:
        """The findings, or None where the time did not suffice."""
        self._begin(state, depth)
        for _ in self._steps(ties, seconds):
            if self.position_limit is not None and self.progress[1] > self.position_limit:
                raise SearchTooLarge(
                    f"{self.game.title} has more than {self.position_limit:,} positions below this one, "
                    "too many to be searched to the end"
                )
        if not self.done:
            return None
        root = self.stack.frames[0]
        n = int(root["count"])
        return Findings(
            player=int(root["player"]),
            actions=[int(a) for a in self.stack.edges[0, :n]],
            values=self.results[:n].copy(),
            depth=depth,
            solved=not root["cut"],
            positions=int(self.progress[1]),
        )

    def _steps(self, ties: bool, seconds: float | None) -> Iterator[None]:
        """Run the kernel batch by batch until it is done or the time is up."""
        self.done = False
        if seconds is not None and seconds <= 0.0:
            return
        for batch in self.pace.batches(None, seconds):
            status = self._advance(batch, ties)
            if status == maxn.DONE:
                self.done = True
                return
            if status == maxn.NO_ROOM:
                self.stack = make_stack(self.game, self._frames(), 2 * len(self.stack.states), self.stack)
            elif status == maxn.OUT_OF_RANGE:
                raise BoardlabError(
                    f"{self.game.title} has a score outside of its score_range {self.bounds}: "
                    "correct it in the game, boardlab check tells where"
                )
            elif status == alphabeta.NOT_ZERO_SUM:
                state, depth = self.stack.states[0].copy(), int(self.stack.frames[0]["depth"])
                self._use_max_n()
                self._begin(state, depth)
            yield

    def _advance(self, budget: int, ties: bool) -> int:
        alpha_beta, max_n = alphabeta.run_alpha_beta, maxn.run_max_n
        stack, table = self.stack, self.table
        if self.plain:
            alpha_beta, max_n = plain(alpha_beta), plain(max_n)
            stack = stack._replace(states=stack.states.view(np.recarray), frames=stack.frames.view(np.recarray))
            table = table.view(np.recarray)
        given = self.game, self.evaluation, stack, table, self.results, self.progress, self.bounds
        with np.errstate(over="ignore"):  # hashes of plain Python wrap around
            return alpha_beta(*given, ties, budget) if self.alpha_beta else max_n(*given, budget)

    def _frames(self) -> np.dtype[Any]:
        return alphabeta.window_dtype() if self.alpha_beta else maxn.frame_dtype()

    def _begin(self, state: Any, depth: int) -> None:
        """Put the root on the stack."""
        if self.stamp != self.evaluation.stamp():
            self.stamp = self.evaluation.stamp()
            self.clear()
        states, _, frames, edges, _, _ = self.stack
        self.progress[:] = 0
        states[0] = state
        root = states.view(np.recarray)[0]
        frames[0] = np.zeros(1, frames.dtype)[0]
        frames[0]["depth"] = depth
        frames[0]["player"] = self.game.player(root)
        frames[0]["count"] = self.game.legal_actions(root, edges[0])

    def _use_max_n(self) -> None:
        """Leave alpha-beta for good: the game is not zero-sum."""
        self.alpha_beta = False
        self.clear()
        self.stack = make_stack(self.game, self._frames(), FIRST_LEVELS)
        self.compile()
