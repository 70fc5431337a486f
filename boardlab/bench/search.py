"""The speed of search: simulations of Monte Carlo tree search and positions of Max-N per second, from the start of each
game, beside OpenSpiel's Monte Carlo tree search where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from boardlab.bench import openspiel
from boardlab.bench.timing import Task, Timing, interleaved
from boardlab.game import Game
from boardlab.rng import make_rng
from boardlab.search.mcts_tree import MctsTree
from boardlab.search.tree_search import TreeSearch

__all__ = ["SearchSpeed", "measure_search"]

SEARCH_SIZE = 10_000
"""Simulations of one search, as for one move; then a new one begins."""
TABLE_MEGABYTES = 16
ENOUGH_POSITIONS = 20_000


@dataclass(frozen=True)
class SearchSpeed:
    """The result for one game; rates are medians of the rounds, per CPU second on one core."""

    game: str
    mcts_simulations_per_s: float
    best_mcts_simulations_per_s: float
    max_n_positions_per_s: float
    max_n_depth: int
    """How deep the measured search is."""
    max_n_table: bool
    """Whether it has a table; a tiny game would be over too soon with one."""
    alpha_beta: bool
    compile_seconds: float | None
    """Both searches; None where the machine code was found on disk."""
    openspiel_game: str | None
    openspiel_simulations_per_s: float | None

    @property
    def ratio(self) -> float | None:
        """How many times as fast as OpenSpiel's Monte Carlo tree search."""
        theirs = self.openspiel_simulations_per_s
        return self.mcts_simulations_per_s / theirs if theirs else None


def measure_search(games: Sequence[Game], seconds: float, rounds: int = 3, seed: int = 0) -> list[SearchSpeed]:
    """Measure all games, and OpenSpiel's versions of them where it is installed, in the same rounds."""
    searches = [_measurable_search(game, seed) for game in games]
    others = [_openspiel_game(game) for game in games]
    names = sorted({name for name in others if name is not None})
    tasks = [Task(game.spec, _in_searches(_mcts(game, seed))) for game in games]
    tasks += [Task(game.spec, _max_n(game, *found, seed)) for game, found in zip(games, searches, strict=True)]
    tasks += [Task(name, _in_searches(openspiel.mcts_search(name, seed))) for name in names]
    timings = interleaved(tasks, seconds, rounds)
    n = len(games)
    theirs = dict(zip(names, timings[2 * n :], strict=True))
    return [_result(game, timings[i], timings[n + i], *searches[i], others[i], theirs) for i, game in enumerate(games)]


def _openspiel_game(game: Game) -> str | None:
    name = openspiel.same_game(game) if openspiel.is_installed() else None
    return name if name is not None and openspiel.can_search(name) else None


def _in_searches(search: Callable[[int], None]) -> Callable[[int], Mapping[str, float]]:
    """A task that does n simulations in searches of the usual size."""

    def run(n: int) -> Mapping[str, float]:
        for begin in range(0, n, SEARCH_SIZE):
            search(min(SEARCH_SIZE, n - begin))
        return {"simulations": n}

    return run


def _mcts(game: Game, seed: int) -> Callable[[int], None]:
    rng = make_rng(seed)
    tree = MctsTree(game)
    position = game.start().roll(rng)

    def search(simulations: int) -> None:
        tree.forget()
        tree.search(position, rng, simulations=simulations)

    return search


def _max_n(game: Game, tree: TreeSearch, depth: int, seed: int) -> Callable[[int], Mapping[str, float]]:
    position = game.start().roll(make_rng(seed))

    def run(n: int) -> Mapping[str, float]:
        seen = 0
        while seen < n:
            tree.clear()
            seen += tree.search(position.state, depth).positions
        return {"positions": seen}

    return run


def _measurable_search(game: Game, seed: int) -> tuple[TreeSearch, int]:
    """A search that is large enough to be measured: the least such depth, without a table if the game is over sooner
    with one."""
    position = game.start().roll(make_rng(seed))
    for megabytes in (TABLE_MEGABYTES, 0):
        tree = TreeSearch(game, megabytes=megabytes)
        depth = 0
        solved = False
        while not solved:
            depth += 1
            tree.clear()
            found = tree.search(position.state, depth)
            if found.positions > ENOUGH_POSITIONS:
                return tree, depth
            solved = found.solved
    return tree, depth


def _result(
    game: Game,
    mcts: Timing,
    max_n: Timing,
    tree: TreeSearch,
    depth: int,
    name: str | None,
    theirs: Mapping[str, Timing],
) -> SearchSpeed:
    compiled = [t.compile_seconds for t in (mcts, max_n) if t.compile_seconds is not None]
    return SearchSpeed(
        game=game.spec,
        mcts_simulations_per_s=mcts.median("simulations"),
        best_mcts_simulations_per_s=mcts.best("simulations"),
        max_n_positions_per_s=max_n.median("positions"),
        max_n_depth=depth,
        max_n_table=len(tree.table) > 0,
        alpha_beta=tree.alpha_beta,
        compile_seconds=sum(compiled) if compiled else None,
        openspiel_game=name,
        openspiel_simulations_per_s=theirs[name].median("simulations") if name is not None else None,
    )
