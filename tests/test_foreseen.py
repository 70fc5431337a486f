"""What games tell of an action beforehand (`changed_cells`, `is_quiet`) and what the network makes of it: totals and
indices equal those of a board that is looked at from scratch. All in plain Python, nothing is compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from check_games import Row, violation
from partial_sums import partial_sums

from boardlab import make
from boardlab.game import Game
from boardlab.games.tictactoe import TicTacToe
from boardlab.learn.approximators.base import Shape, make_approximator, make_moves
from boardlab.learn.approximators.changes import MadeAnew, SteppedChanges
from boardlab.ntuple.creation import make_tuples
from boardlab.ntuple.indexing import set_up
from boardlab.rng import make_rng, random_below


class Telling(Row):
    """Says which cell an action fills, and that all but the last are quiet."""

    def changed_cells(self, s: Any, action: int, cells: Any, values: Any) -> int:
        cells[0] = action
        values[0] = 1 + int(s.player)
        return 1

    def is_quiet(self, s: Any, action: int) -> bool:
        return int(s.moves) < 5


class WrongValue(Telling):
    def changed_cells(self, s: Any, action: int, cells: Any, values: Any) -> int:
        cells[0] = action
        values[0] = 1
        return 1


class NoSuchCell(Telling):
    def changed_cells(self, s: Any, action: int, cells: Any, values: Any) -> int:
        cells[0] = action + 1
        values[0] = 1
        return 1


class TooMany(Telling):
    def changed_cells(self, s: Any, action: int, cells: Any, values: Any) -> int:
        return 9


class NeverLoud(Telling):
    def is_quiet(self, s: Any, action: int) -> bool:
        return True


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (WrongValue(), "but cells gives it 2"),
        (NoSuchCell(), "changed_cells"),
        (TooMany(), "room for 8 cells"),
        (NeverLoud(), "it ends the game or changes a score"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Game) else "",
)
def test_what_is_told_wrong_is_found(game: Game, words: str) -> None:
    assert words in violation(game)


@pytest.mark.parametrize(
    "spec",
    ["tictactoe", "connect4", "connect4:coding=3", "hex:size=4", "nim", "nimm3", "sim", "othello:size=6", "2048"],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_rated_and_followed_as_from_scratch(spec: str) -> None:
    """Every afterstate of a random game, rated by difference and by all its indices; and the position that follows."""
    _rate_and_follow(make(spec), _network(make(spec)))


class Untold(TicTacToe):
    """An action changes one cell, but the game does not say so."""

    changed_cells = Game.changed_cells


@pytest.mark.parametrize(("game", "tuples"), [(Untold(), [[0, 1, 2], [4, 8]]), (make("othello:size=6"), "walk:40x4")])
@pytest.mark.filterwarnings("ignore:overflow")
def test_indices_that_go_by_steps(game: Game, tuples: Any) -> None:
    """Each afterstate by its difference from the one before it."""
    values = _network(game, make_tuples(game, tuples, 1) if isinstance(tuples, str) else tuples)
    assert type(values.changes) is SteppedChanges
    _rate_and_follow(game, values)


def _rate_and_follow(game: Game, values: Any) -> None:
    rng = make_rng(5)
    states = np.zeros(2, game.state).view(np.recarray)
    s, moves = states[0], make_moves(game)
    game.reset(s)
    _roll(game, s, rng)
    values.begin(game, s)
    for _ in range(12):
        if game.is_over(s):
            break
        p = int(game.player(s))
        game.scores(s, moves.scores)
        n = game.legal_actions(s, moves.actions)
        values.rate(game, states, moves, n, p, float(moves.scores[p]), False)
        for i in range(n):
            _check_action(game, values, states, moves, i, p)
        chosen = int(random_below(rng, n))
        game.advance(s, int(moves.actions[chosen]))
        values.follow_chosen(game, s, chosen)
        _check_position(game, values, s)
        _roll(game, s, rng)
        values.follow(game, s)
        if game.num_outcomes and not game.is_over(s):
            _check_position(game, values, s)
            values.follow(game, s)


def _network(game: Game, tuples: Sequence[Sequence[int]] = ()) -> Any:
    """Some cells belong to no tuple: an action there changes no index."""
    cells = game.num_cells
    some = tuple(tuple(range(k, min(k + 3, cells))) for k in range(0, max(1, cells // 3), 2))
    values = make_approximator("ntuple")
    values.design(game, Shape(tuples=tuple(map(tuple, tuples)) or some))
    shape = (values.table_sets, values.num_weights + 1)
    return values.attached(np.random.default_rng(1).standard_normal(shape).astype(np.float32))


def _roll(game: Game, s: Any, rng: Any) -> None:
    while game.is_chance(s):
        game.advance_chance(s, game.sample_chance(s, rng))


def _indices(game: Game, values: Any, s: Any) -> Any:
    st, cells = values.st, np.zeros(len(values.board.after), np.int8)
    codes, index = np.zeros(len(st.num_states), np.int32), np.zeros(len(st.base), np.int32)
    game.cells(s, cells)
    set_up(st, cells, codes, index)
    return index


def _check_action(game: Game, values: Any, states: Any, moves: Any, i: int, p: int) -> None:
    after = states[0].copy()
    now, then = np.zeros(game.num_players), np.zeros(game.num_players)
    game.scores(states[0], now)
    game.advance(after, int(moves.actions[i]))
    game.scores(after, then)
    over = not game.is_chance(after) and game.is_over(after)
    assert moves.open[i] == (not over)
    assert moves.rewards[i] == (then[p] - now[p]) * values.scale
    if not over:
        weights = values.weights[p if len(values.weights) > 1 else 0]
        assert moves.totals[i] == _expected_total(game, values, weights, states[0], after)


def _expected_total(game: Game, values: Any, weights: Any, before: Any, after: Any) -> Any:
    """To the bit: by difference where a single group of cells changed, else all weights anew. In which order numbers
    are added decides which actions tie, so agents of before would go on otherwise with another one."""
    old, new = _indices(game, values, before), _indices(game, values, after)
    cells, then = (np.zeros(len(values.board.after), np.int8) for _ in range(2))
    game.cells(before, cells)
    game.cells(after, then)
    if len(set(values.st.cell_group[np.flatnonzero(cells != then)])) != 1:
        return partial_sums(weights[new], 8)
    moved = old != new
    return partial_sums(weights[old], 4) + partial_sums(weights[new[moved]] - weights[old[moved]], 4)


def _check_position(game: Game, values: Any, s: Any) -> None:
    cells = np.zeros(len(values.board.after), np.int8)
    game.cells(s, cells)
    behind = bool(values.board.behind[0])
    values.changes.arrive(values)
    assert np.array_equal(values.board.indices[0], _indices(game, values, s))
    assert np.array_equal(values.board.cells[0], cells) or (type(values.changes) is MadeAnew and not behind)
