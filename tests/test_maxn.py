"""Max-N and alpha-beta: against a plain recursive search, against each other, against theory and published values; and
the agents that use them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from small_games import CellWeights, Dice, Harvest

from boardlab import BoardlabError, Game, Position, make, make_rng
from boardlab.agents.expectimax import ExpectimaxN
from boardlab.agents.maxn import MaxN
from boardlab.agents.othello_positional import CELL_WEIGHTS, OthelloPositional
from boardlab.agents.perfect import Perfect
from boardlab.rng import random_below
from boardlab.search.evaluation import CurrentScores, StaticEvaluation
from boardlab.search.tree_search import TreeSearch
from boardlab.solvers.nim import nim_value


class PlainMaxN:
    """Max-N as the book says it: recursive, without pruning; only finished subtrees are remembered."""

    def __init__(self, game: Game, evaluation: StaticEvaluation | None = None) -> None:
        self.game, self.evaluation = game, evaluation or CurrentScores()
        self.known: dict[tuple[bytes, int], tuple[float, ...]] = {}

    def values(self, position: Position, depth: int) -> dict[int, tuple[float, ...]]:
        return {a: self._value(position.copy().play(a), depth - 1) for a in position.legal_actions}

    def _value(self, position: Position, depth: int) -> tuple[float, ...]:
        key = position.state.tobytes(), depth
        if key not in self.known:
            self.known[key] = self._look(position, depth)
        return self.known[key]

    def _look(self, position: Position, depth: int) -> tuple[float, ...]:
        if position.is_chance:
            outcomes = position.chance_outcomes.items()
            values = [(p, self._value(position.copy().play_chance(o), depth)) for o, p in outcomes]
            return tuple(sum(p * v[k] for p, v in values) for k in range(self.game.num_players))
        if position.is_over:
            return tuple(position.scores)
        if depth == 0:
            out = np.zeros(self.game.num_players)
            self.evaluation.evaluate(self.game, position.state, out)
            return tuple(out)
        children = self.values(position, depth).values()
        return max(children, key=lambda v: v[position.player])  # the first of the best


def random_positions(game: Game, count: int, plies: int, seed: int) -> list[Position]:
    """Unfinished positions after up to so many random plies."""
    rng = make_rng(seed)
    found: list[Position] = []
    while len(found) < count:
        position = game.start().roll(rng)
        for _ in range(random_below(rng, plies + 1)):
            if not position.is_over:
                legal = position.legal_actions
                position.play(legal[random_below(rng, len(legal))]).roll(rng)
        if not position.is_over:
            found.append(position)
    return found


def assert_same(search: TreeSearch, plain: PlainMaxN, position: Position, depth: int | None) -> None:
    found = search.search(position.state, depth)
    wanted = plain.values(position, 1000 if depth is None else depth)
    assert found.actions == list(wanted)
    np.testing.assert_allclose(found.values, list(wanted.values()), rtol=0, atol=1e-12)


GAMES: list[tuple[Any, int, int]] = [  # game, plies before the position, positions
    (make("tictactoe"), 7, 25),
    (make("nim", heaps=2, stones=4, players=3), 3, 25),
    (Harvest(), 4, 10),
    (Dice(), 6, 15),
]


@pytest.mark.parametrize(("game", "plies", "count"), GAMES, ids=lambda g: g.name if isinstance(g, Game) else "")
def test_max_n_equals_the_plain_search(game: Game, plies: int, count: int) -> None:
    """At all depths, with one table that is kept from search to search, and without any."""
    plain = PlainMaxN(game)
    with_table = TreeSearch(game, megabytes=1, alpha_beta=False)
    without = TreeSearch(game, megabytes=0, alpha_beta=False)
    for number, position in enumerate(random_positions(game, count, plies, seed=1)):
        depth = 1 + number % 4
        assert_same(with_table, plain, position, depth)
        assert_same(without, plain, position, depth)
        if number % 3 == 0:
            assert_same(with_table, plain, position, None)


@pytest.mark.parametrize(
    ("spec", "plies"),
    [("tictactoe", 7), ("nim:heaps=3,stones=3", 4), ("dots:rows=1,columns=2", 4), ("hex:size=3", 4)],
)
def test_alpha_beta_equals_the_plain_search(spec: str, plies: int) -> None:
    """All actions exactly, and all best ones when only they are asked for; with a crowded table, too."""
    game = make(spec)
    plain = PlainMaxN(game)
    searches = [TreeSearch(game, megabytes=megabytes) for megabytes in (0, 1)]
    for number, position in enumerate(random_positions(game, 20, plies, seed=2)):
        depth = None if number % 5 == 0 else 1 + number % 5
        wanted = plain.values(position, 1000 if depth is None else depth)
        mine = {action: value[position.player] for action, value in wanted.items()}
        best = [action for action, value in mine.items() if value == max(mine.values())]
        for search in searches:
            assert search.alpha_beta
            assert_same(search, plain, position, depth)
            assert search.search(position.state, depth, ties=True).best() == best


@pytest.mark.parametrize("alpha_beta", [True, False])
def test_an_evaluation_decides_at_the_depth_limit(alpha_beta: bool) -> None:
    """Values beyond the scores of the game, too; other weights need no other machine code."""
    game = make("tictactoe")
    for weights in ([3, 2, 3, 2, 4, 2, 3, 2, 3], [0.5, 1, 0, 0, -7, 0, 0, 0, 2]):
        evaluation = CellWeights(weights)
        search = TreeSearch(game, evaluation, megabytes=1, alpha_beta=alpha_beta)
        plain = PlainMaxN(game, evaluation)
        for number, position in enumerate(random_positions(game, 8, 5, seed=6)):
            assert_same(search, plain, position, 1 + number % 3)
        assert search.alpha_beta == alpha_beta


def test_alpha_beta_looks_at_fewer_positions() -> None:
    game = make("tictactoe")
    start = game.start().state
    pruned = TreeSearch(game, megabytes=0).search(start, 6, ties=True)
    full = TreeSearch(game, megabytes=0, alpha_beta=False).search(start, 6)
    assert pruned.best() == full.best()
    assert pruned.positions < full.positions / 5


def test_a_small_table_is_overwritten_and_still_right() -> None:
    """The table of one megabyte has fewer places than Connect Four has positions within nine plies."""
    game = make("connect4")
    position = game.start()
    for action in "4443335":
        position.play(action)
    small, large = TreeSearch(game, megabytes=1), TreeSearch(game, megabytes=64)
    for depth in (5, 9):
        a, b = small.search(position.state, depth), large.search(position.state, depth)
        assert b.positions > len(small.table) or depth == 5
        assert a.by_action() == b.by_action()


def test_a_longer_game_than_the_first_stack() -> None:
    game = make("nimm3", pile=60)
    found = TreeSearch(game, megabytes=1).search(game.start().state)
    assert found.solved
    assert found.by_action() == {0: -1.0, 1: -1.0, 2: -1.0}  # 60 is a multiple of four


def test_what_is_not_zero_sum_is_left_to_max_n() -> None:
    game = Harvest()
    search = TreeSearch(game)
    assert search.alpha_beta
    assert_same(search, PlainMaxN(game), game.start(), None)  # the search itself notices
    assert not search.alpha_beta
    assert not MaxN(game).tree.alpha_beta  # and an agent knows it before its first move
    assert MaxN(make("tictactoe")).tree.alpha_beta


def test_a_wrong_score_range_is_told() -> None:
    game = Harvest()
    search = TreeSearch(game, alpha_beta=False)
    search.bounds = (0.0, 2.0)
    with pytest.raises(BoardlabError, match=r"Harvest has a score outside of its score_range \(0.0, 2.0\)"):
        search.search(game.start().state)


def test_deepening_finds_what_the_last_depth_finds() -> None:
    game = make("tictactoe")
    position = game.start().play("b2")
    search = TreeSearch(game)
    assert search.deepen(position.state, 1000.0, 4).by_action() == search.search(position.state, 4).by_action()
    solved = search.deepen(position.state, 1000.0)
    assert solved.solved
    assert solved.depth == 8
    assert search.deepen(position.state, 1e-9).depth == 1


# ------------------------------------------------------------ known values


def test_tic_tac_toe_is_a_draw() -> None:
    game = make("tictactoe")
    search = TreeSearch(game)
    assert set(search.search(game.start().state).by_action().values()) == {0.0}
    corner = game.start().play("a1")
    assert search.search(corner.state, ties=True).best() == [4]  # only the centre holds the draw


def test_nim_by_its_theory() -> None:
    """Every position of three heaps of up to three stones."""
    game = make("nim", heaps=3, stones=3)
    search = TreeSearch(game)
    perfect = Perfect(game)
    for heaps in product(range(4), repeat=3):
        if not any(heaps):
            continue
        position = game.start()
        position.state.heap[:] = heaps
        assert max(search.search(position.state).by_action().values()) == nim_value(heaps)
        assert perfect.values(position) == search.search(position.state).by_action()


def test_hex_is_won_by_the_first_player() -> None:
    for size, winning in ((3, [2, 3, 4, 5, 6]), (4, [3, 6, 9, 12])):
        game = make("hex", size=size)
        found = TreeSearch(game).search(game.start().state)
        assert found.solved
        assert found.best() == winning  # on and beside the short diagonal
        assert set(found.by_action().values()) == {1.0, -1.0}


def test_sim_is_won_by_the_second_player() -> None:
    """Mead, Rosa and Huang 1974."""
    game = make("sim")
    found = TreeSearch(game).search(game.start().state, ties=True)
    assert found.solved
    assert set(found.by_action().values()) == {-1.0}


# ------------------------------------------------------------ the agents


def test_max_n_breaks_ties_at_random_and_by_the_seed() -> None:
    game = make("tictactoe")
    agent, start = MaxN(game, depth=9), game.start()
    chosen = [agent.choose(start, make_rng(seed)) for seed in range(60)]
    assert set(chosen) == set(range(9))
    assert chosen == [agent.choose(start, make_rng(seed)) for seed in range(60)]


def test_max_n_wins_at_once_and_blocks() -> None:
    game = make("connect4")
    agent = MaxN(game, depth=2)
    position = game.start()
    for move in "1213":
        position.play(move)
    assert agent.choose(position.play("1"), make_rng(0)) == 0  # O must block the first column
    position.play("5")
    assert agent.choose(position, make_rng(0)) == 0  # X completes it
    assert agent.values(position)[0] == 1.0


def test_max_n_and_expectimax_n_and_their_games() -> None:
    with pytest.raises(BoardlabError, match="max-n plays games without chance; for Dice use expectimax-n"):
        MaxN(Dice())
    game = Dice()
    agent = ExpectimaxN(game, depth=9)
    values = agent.values(game.start())
    wanted = PlainMaxN(game).values(game.start(), 9)
    assert values == pytest.approx({action: value[0] for action, value in wanted.items()})
    assert agent.choose(game.start(), make_rng(0)) == max(values, key=lambda a: values[a])


def test_a_time_limit_ends_the_search() -> None:
    game = make("connect4")
    agent = MaxN(game, time=0.01)
    assert agent.choose(game.start(), make_rng(1)) in game.start().legal_actions


@pytest.mark.parametrize("spec", ["tictactoe", "nimm3:pile=60", "nim:players=3,heaps=2,stones=4"])
def test_perfect_play_is_as_good_as_the_plain_search_says(spec: str) -> None:
    game = make(spec)
    perfect, plain = Perfect(game), PlainMaxN(game)
    for position in random_positions(game, 15, 5, seed=3):
        wanted = plain.values(position, 1000)
        mine = {action: value[position.player] for action, value in wanted.items()}
        assert perfect.values(position) == pytest.approx(mine)
        chosen = {perfect.choose(position, make_rng(seed)) for seed in range(30)}
        assert chosen <= {action for action, value in mine.items() if value == max(mine.values())}


def test_nim_of_any_size_is_played_by_theory() -> None:
    game = make("nim", heaps=8, stones=20)
    position = game.start().play("a3")
    agent = Perfect(game)
    assert agent.choose(position, make_rng(0)) in [h * 20 + 2 for h in range(1, 8)]  # restores the nim-sum 0
    position.play("b3")
    assert set(agent.values(position).values()) == {-1.0}


def test_perfect_refuses_what_is_too_large() -> None:
    with pytest.raises(BoardlabError, match=r"connect4 has about 10\^25 boards, .*; use c4-perfect-dl, mcts or max-n"):
        Perfect(make("connect4"))
    with pytest.raises(BoardlabError, match=r"hex:size=5 has about 10\^12 boards, .*; use mcts or max-n with a depth"):
        Perfect(make("hex", size=5))


@pytest.mark.parametrize("waiting", [False, True])
def test_bench_adds_up_the_cells(waiting: bool) -> None:
    """Against the definition: own minus opponent's weights on the board after the move, also right before the end. The
    Bench of GBG mistakes whose discs are whose there, and where the opponent passes."""
    game = make("othello")
    agent, rng = OthelloPositional(game, waiting=waiting), make_rng(4)
    mistaken = 0
    weights = CELL_WEIGHTS.ravel()
    assert (weights[0], weights[7], weights[56], weights[63]) == (80, 76, 87, 100)
    position = game.start()
    while not position.is_over:
        wanted = {}
        for action in position.legal_actions:
            after = position.copy().play(action)
            own = 1 - game.player(after.state) if waiting else position.player
            wanted[action] = sum(weights[after.cells == own]) - sum(weights[after.cells == 1 - own])
            mistaken += own != position.player
        assert agent.values(position) == wanted
        chosen = agent.choose(position, rng)
        assert wanted[chosen] == max(wanted.values())
        position.play(position.legal_actions[random_below(rng, len(position.legal_actions))])
    assert (mistaken > 0) == waiting


def test_bench_plays_on_the_large_board() -> None:
    with pytest.raises(
        BoardlabError, match="othello-positional plays Othello on the board of 8 x 8, not othello:size=6"
    ):
        OthelloPositional(make("othello", size=6))
