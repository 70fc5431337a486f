"""Oracles, the perfect value of a position in compiled code, against plain searches and the solvers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from small_games import Dice, Harvest

from boardlab import BoardlabError, Position, make
from boardlab.compiler import hot_kernel
from boardlab.game import Game
from boardlab.learn.oracle import Oracle
from boardlab.rng import make_rng, random_below
from boardlab.solvers import connect4_oracle, dots_oracle, exhaustive_oracle
from boardlab.solvers.connect4 import ConnectFourSolver
from boardlab.solvers.connect4_oracle import ConnectFourOracle
from boardlab.solvers.dots import DotsSolver
from boardlab.solvers.oracle import oracle_of


@hot_kernel
def ask(oracle: Any, game: Any, states: Any, values: Any, known: Any) -> None:
    for i in range(len(states)):
        known[i] = oracle.value(game, states[i], values[i])


def compiled(oracle: Oracle, positions: list[Position]) -> list[list[float] | None]:
    """What the oracle says about positions, asked in machine code; None where it does not know."""
    game = positions[0].game
    states = np.zeros(len(positions), game.state)
    for i, position in enumerate(positions):
        states[i] = position.state
    before = states.copy()
    values, known = np.full((len(positions), game.num_players), np.nan), np.zeros(len(positions), np.bool_)
    ask(oracle, game, states, values, known)
    assert np.array_equal(states, before)
    return [row if sure else None for row, sure in zip(values.tolist(), known.tolist(), strict=True)]


def plain(oracle: Oracle, position: Position) -> list[float] | None:
    """The same, asked in Python."""
    out = np.full(position.game.num_players, np.nan)
    return out.tolist() if oracle.value(position.game, position.state, out) else None


def random_games(game: Game, games: int, seed: int = 1) -> Iterator[Position]:
    """Every position of random games, those with a chance event due and the finished ones too."""
    rng = make_rng(seed)
    for _ in range(games):
        position = game.start()
        yield position.copy()
        while not position.is_over:
            legal = position.legal_actions
            position.play(legal[random_below(rng, len(legal))])
            yield position.copy()
            if position.is_chance:
                yield position.roll(rng).copy()


def searched(position: Position, known: dict[bytes, list[float]]) -> list[float]:
    """Max-n by definition: everybody takes the first action that is best for him, chance events are averaged."""
    key = position.state.tobytes()
    if key not in known:
        if position.is_chance:
            parts = [(p, searched(position.copy().play_chance(o), known)) for o, p in position.chance_outcomes.items()]
            known[key] = [sum(p * values[player] for p, values in parts) for player in range(position.game.num_players)]
        elif position.is_over:
            known[key] = position.scores
        else:
            values = [searched(position.copy().play(a), known) for a in position.legal_actions]
            known[key] = max(values, key=lambda v: v[position.player])
    return known[key]


SMALL: list[tuple[Any, int]] = [
    ("tictactoe", 20),
    ("nim:heaps=2,stones=4", 5),
    ("nim:heaps=2,stones=3,players=3", 10),
    ("dots:rows=1,columns=2", 5),
    (Harvest, 5),
    (Dice, 3),
]
FAST = SMALL[:2]
"""Others take seconds to compile."""


def positions_of(what: Any, games: int) -> tuple[list[Position], list[list[float]]]:
    """Positions of random games, and what they are worth."""
    game = make(what) if isinstance(what, str) else what()
    positions, known = list(random_games(game, games)), {}
    return positions, [pytest.approx(searched(position, known), abs=1e-12) for position in positions]


@pytest.mark.parametrize(("what", "games"), FAST + [pytest.param(*x, marks=pytest.mark.slow) for x in SMALL[2:]])
def test_small_games_against_a_plain_search(what: Any, games: int) -> None:
    positions, expected = positions_of(what, games)
    assert compiled(oracle_of(positions[0].game), positions) == expected


@pytest.mark.parametrize(("what", "games"), SMALL)
def test_the_same_in_python(what: Any, games: int) -> None:
    positions, expected = positions_of(what, games)
    oracle = oracle_of(positions[0].game)
    assert [plain(oracle, position) for position in positions] == expected


def test_connect_four_against_the_solver() -> None:
    """Openings by the book, the rest by search; finished games too."""
    game, solver = make("connect4"), ConnectFourSolver(16)
    positions = [p for p in random_games(game, 12) if int(p.state.moves) <= 8 or int(p.state.moves) >= 12]
    oracle = oracle_of(game)
    found = compiled(oracle, positions)
    assert any(p.is_over for p in positions) and any(p == [0.0, 0.0] for p in found)
    for position, values in zip(positions, found, strict=True):
        sign = float(np.sign(solver.score(position)))
        expected = [sign, -sign] if position.player == 0 else [-sign, sign]
        assert values == expected == plain(oracle, position), position
    assert int(oracle.nodes[0]) > 0  # type: ignore[attr-defined]


def test_connect_four_without_a_book(monkeypatch: pytest.MonkeyPatch) -> None:
    """Early positions are not known, but for those that are won at once."""
    monkeypatch.setattr(connect4_oracle, "package_book", lambda: None)
    oracle, start = ConnectFourOracle(1), make("connect4").start()
    early = [start, start.copy().play("4").play("4"), start.copy().play("4").play("1").play("4")]
    won = start.copy().play("4").play("1").play("4").play("1").play("4").play("2")
    assert compiled(oracle, [*early, won]) == [None, None, None, [1.0, -1.0]]


def test_dots_against_the_solver() -> None:
    game = make("dots:rows=2,columns=2")
    oracle, solver = oracle_of(game), DotsSolver(game, 16)
    for position in random_games(game, 10):
        score = float(solver.score(position))
        assert plain(oracle, position) == ([score, -score] if position.player == 0 else [-score, score])


@pytest.mark.slow
def test_dots_and_connect_four_in_all_positions_of_many_games() -> None:
    for game, solver, games in (
        (make("dots"), DotsSolver(make("dots")), 30),
        (make("connect4"), ConnectFourSolver(), 100),
    ):
        positions = list(random_games(game, games))
        for position, values in zip(positions, compiled(oracle_of(game), positions), strict=True):
            score = float(solver.score(position))  # type: ignore[attr-defined]
            score = float(np.sign(score)) if game.name == "connect4" else score
            assert values == ([score, -score] if position.player == 0 else [-score, score]), position


def test_a_question_that_takes_too_long_has_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dots_oracle, "_MOST_NODES", 2)
    monkeypatch.setattr(exhaustive_oracle, "_MOST_POSITIONS", 5)
    for spec in ("dots:rows=2,columns=2", "tictactoe", "nim:heaps=2,stones=3,players=3"):
        assert plain(oracle_of(make(spec)), make(spec).start()) is None


@pytest.mark.parametrize("spec", ["connect4", "dots:rows=2,columns=2", "tictactoe"])
def test_threads_have_scratch_of_their_own(spec: str) -> None:
    oracle = oracle_of(make(spec))
    other = oracle.for_thread()
    assert other._numba_type_ == oracle._numba_type_
    writable = [name for name in ("stack", "history", "nodes", "states", "frames", "values") if hasattr(oracle, name)]
    assert len(writable) >= 3
    for name in writable:
        assert not np.shares_memory(getattr(oracle, name), getattr(other, name))


def test_nobody_knows_by_default_and_large_games_are_refused() -> None:
    start = make("tictactoe").start()
    assert compiled(Oracle(), [start]) == [None] and plain(Oracle(), start) is None
    with pytest.raises(BoardlabError, match="nobody knows what positions of othello are worth: it is too large"):
        oracle_of(make("othello"))
    with pytest.raises(BoardlabError, match="dots:rows=5,columns=5"):
        oracle_of(make("dots:rows=5,columns=5"))
