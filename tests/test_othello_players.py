"""The alpha-beta player of Othello: what it thinks of positions, that it searches rightly, and that it is strong."""

from __future__ import annotations

import numpy as np
import pytest

from boardlab import BoardlabError, Position, make, make_rng
from boardlab.agents.othello_alphabeta import OthelloAlphaBeta
from boardlab.agents.registry import make_agent
from boardlab.games import othello
from boardlab.games.othello import Othello
from boardlab.matches.evaluators.registry import make_evaluator
from boardlab.matches.match import play_match
from boardlab.rng import random_below

GAME = Othello()


@pytest.fixture(scope="module")
def player() -> OthelloAlphaBeta:
    return OthelloAlphaBeta(GAME, table=8)


def position_with(empty: int, seed: int, game: Othello = GAME) -> Position:
    """A random unfinished position with so many empty cells."""
    for attempt in range(100):
        rng, position = make_rng(seed, attempt), game.start()
        while not position.is_over and len(position.history) < game.num_cells - 4 - empty:
            legal = position.legal_actions
            position.play(legal[random_below(rng, len(legal))])
        if not position.is_over:
            return position
    raise AssertionError


def plain_worth(position: Position) -> float:
    """What the position is worth for Black, cell by cell."""
    game = position.game
    size = game.grid[0]
    board = [int(v) for v in position.cells]

    def around(cell: int) -> list[int]:
        row, column = divmod(cell, size)
        cells = [(row + dr, column + dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if (dr, dc) != (0, 0)]
        return [size * r + c for r, c in cells if 0 <= r < size and 0 <= c < size]

    corners = {0, size - 1, size * (size - 1), size * size - 1}
    taken = sum(v < 2 for v in board)
    early = 2 * size * size // 3
    late = max(0, taken - early) / (size * size - early)
    total = 0.0
    for cell, disc in enumerate(board):
        if disc >= 2:
            continue
        row, column = divmod(cell, size)
        on_edge = row in (0, size - 1) or column in (0, size - 1)
        near = [corner for corner in corners if corner in around(cell)]
        worth = othello.DISC * late
        if cell in corners:
            worth += othello.CORNER
        elif on_edge and not near:
            worth += othello.EDGE
        if any(board[corner] >= 2 for corner in near):
            worth += othello.BESIDE if on_edge else othello.DIAGONAL
        if any(board[other] >= 2 for other in around(cell)):
            worth += othello.FRONTIER
        total += worth if disc == 0 else -worth
    for player in (0, 1):
        states = np.zeros(1, game.state).view(np.recarray)
        states[0] = position.state
        own, other = states[0].discs[player], states[0].discs[1 - player]
        moves = int(game.moves_of(own, other)).bit_count()  # type: ignore[attr-defined]
        total += moves if player == 0 else -moves
    return total / (othello.HALF + abs(total))


@pytest.mark.parametrize("size", [8, 6])
def test_the_worth_of_positions(size: int) -> None:
    game = Othello(size=size)
    out = np.zeros(2)
    seen = set()
    for seed in range(30):
        position = position_with(1 + seed % (size * size - 5), seed, game)
        game.estimate(position.state, out)
        assert out[0] == pytest.approx(plain_worth(position))
        assert -1 < out[0] < 1
        assert out[1] == -out[0]
        seen.add(float(out[0]))
    assert len(seen) > 20


def minimax(position: Position, depth: int) -> float:
    """The value for Black."""
    if position.is_over:
        return position.scores[0]
    if depth == 0:
        return plain_worth(position)
    values = [minimax(position.copy().play(action), depth - 1) for action in position.legal_actions]
    return max(values) if position.player == 0 else min(values)


@pytest.mark.parametrize(("empty", "depth"), [(50, 2), (30, 2), (14, 3)])
def test_it_is_minimax_over_that(empty: int, depth: int) -> None:
    position = position_with(empty, 7)
    agent = OthelloAlphaBeta(GAME, depth=depth, table=8)
    sign = 1 if position.player == 0 else -1
    wanted = {a: sign * minimax(position.copy().play(a), depth - 1) for a in position.legal_actions}
    assert agent.values(position) == pytest.approx(wanted)
    best = [a for a in wanted if wanted[a] == pytest.approx(max(wanted.values()))]
    assert {agent.choose(position, make_rng(seed)) for seed in range(10)} <= set(best)


def test_the_last_moves_are_perfect(player: OthelloAlphaBeta) -> None:
    """The values are those of the finished games, whatever the depth."""
    perfect = make_agent("max-n:depth=60,table=8", GAME)
    hasty = OthelloAlphaBeta(GAME, depth=1, endgame=0, table=8)
    different = 0
    for seed in range(8):
        position = position_with(8, seed)
        values = player.values(position)
        assert values == perfect.values(position)
        different += values != hasty.values(position)
    assert different > 0


def test_with_time_it_looks_deeper_and_ends_perfectly(player: OthelloAlphaBeta) -> None:
    early = position_with(40, 1)
    deep = OthelloAlphaBeta(GAME, time=60.0, depth=5, table=8)
    assert deep.values(early) == OthelloAlphaBeta(GAME, depth=5, table=8).values(early)
    late = position_with(8, 3)
    shallow = OthelloAlphaBeta(GAME, time=60.0, depth=1, table=8)  # the depth ends with the middle game
    assert shallow.values(late) == player.values(late)


def test_it_beats_bench_and_random() -> None:
    against_bench = make_evaluator("othello-bench", GAME).evaluate("othello-ab:depth=3,endgame=8", games=30, seed=1)
    assert against_bench.result.low > 0.5
    against_random = play_match(GAME, ["othello-ab:depth=2,endgame=4", "random"], 10, seed=1)
    assert against_random.standings[0].wins == 10


def test_it_plays_the_small_board_and_nothing_but_othello() -> None:
    small = Othello(size=6)
    result = play_match(small, [OthelloAlphaBeta(small, depth=3, endgame=6, table=8), "random"], 8, seed=2)
    assert result.standings[0].wins >= 7
    with pytest.raises(BoardlabError, match="othello-ab plays Othello, not hex"):
        make_agent("othello-ab", make("hex"))
