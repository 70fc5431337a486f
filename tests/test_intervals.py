"""Intervals: quantiles against tables and sums, no collapse, seats and sets; and how often they hold the truth."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from typer.testing import CliRunner

from boardlab import make
from boardlab.cli.main import app
from boardlab.matches.intervals import Estimate, mean_score, success_rate
from boardlab.matches.match import MatchResult, play_match
from boardlab.matches.play import GameRecord
from boardlab.matches.quantiles import beta_cdf, beta_quantile, t_quantile
from boardlab.matches.starts import positions_after

Points = np.ndarray[tuple[int, int], np.dtype[np.float64]]
LEAST, MOST = 0.93, 0.98
RATES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.97, 0.99)


# ------------------------------------------------------------ quantiles


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.706), (2, 4.303), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980)]
)
def test_the_table_of_student(freedom: int, quantile: float) -> None:
    assert t_quantile(0.975, freedom) == pytest.approx(quantile, abs=5e-4)


@pytest.mark.parametrize(("above", "below", "quantile"), [(1, 10, 4.965), (2, 10, 4.103), (5, 5, 5.050)])
def test_the_table_of_the_f_distribution(above: int, below: int, quantile: float) -> None:
    """F at 95 % is a ratio of the quantile of a beta distribution to its rest."""
    x = beta_quantile(0.95, above / 2, below / 2)
    assert below * x / (above * (1 - x)) == pytest.approx(quantile, abs=5e-4)


def test_the_incomplete_beta_function_sums_a_binomial_distribution() -> None:
    for n in (3, 20, 300):
        for k in range(1, n + 1, max(1, n // 7)):
            for p in (0.01, 0.3, 0.5, 0.99):
                wanted = math.fsum(math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1))
                assert beta_cdf(p, k, n - k + 1) == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_quantiles_are_where_the_distribution_says_whatever_its_shape() -> None:
    """Also where both sides of the mean seem to be the better one to begin from."""
    for a, b in np.random.default_rng(1).uniform(-1.5, 5.0, (3000, 2)):
        shape = 10.0**a, 10.0**b
        assert 0.0 < beta_cdf((shape[0] + 1.0) / (sum(shape) + 2.0), *shape) < 1.0
        assert 0.0 < beta_cdf(math.nextafter((shape[0] + 1.0) / (sum(shape) + 2.0), 1.0), *shape) <= 1.0
        for share in (0.025, 0.975):
            x = beta_quantile(share, *shape)
            if 1e-12 < x < 1.0 - 1e-3:
                assert beta_cdf(x, *shape) == pytest.approx(share, abs=1e-7)


# ------------------------------------------------------------ single intervals


def ends(estimate: Estimate) -> tuple[float, float]:
    return estimate.low, estimate.high


@pytest.mark.parametrize(("won", "games"), [(8, 10), (1, 4), (50, 100), (395, 400)])
def test_wins_and_losses_have_the_interval_of_jeffreys(won: int, games: int) -> None:
    """A fortieth of the density p^(won - 1/2) (1 - p)^(lost - 1/2) is on either side, by a sum over p = sin(x)^2."""
    low, high = ends(success_rate([1.0] * won + [0.0] * (games - won)))
    x = (np.arange(400_000) + 0.5) / 400_000 * math.pi / 2
    logarithm = 2 * won * np.log(np.sin(x)) + 2 * (games - won) * np.log(np.cos(x))
    density = np.exp(logarithm - logarithm.max())
    p = np.sin(x) ** 2
    assert density[p < low].sum() / density.sum() == pytest.approx(0.025, abs=1e-4)
    assert density[p > high].sum() / density.sum() == pytest.approx(0.025, abs=1e-4)


def test_all_games_won_is_not_certainty() -> None:
    assert ends(success_rate([1.0] * 4)) == pytest.approx((0.5552, 1.0), abs=5e-5)
    assert ends(success_rate([0.0] * 4)) == pytest.approx((0.0, 0.4448), abs=5e-5)
    assert ends(mean_score([1.0] * 4, -1.0, 1.0)) == pytest.approx((0.1105, 1.0), abs=5e-5)


@pytest.mark.parametrize("score", [-9.0, -2.0, 0.0, 4.0, 9.0])
@pytest.mark.parametrize("seats", [[], [0, 1] * 4])
def test_equal_scores_leave_room_for_others(score: float, seats: list[int]) -> None:
    few, many = mean_score([score] * 8, -9.0, 9.0, seats), mean_score([score] * 800, -9.0, 9.0, seats * 100)
    assert few.low <= many.low <= score <= many.high <= few.high
    assert few.high - few.low > 1.0
    assert 0.2 > many.high - many.low > 0.0
    assert (few.low == -9.0) == (score == -9.0) and (few.high == 9.0) == (score == 9.0)


def test_one_game_of_a_score_tells_nothing_of_the_next() -> None:
    assert ends(mean_score([20_000.0], 0.0, 3_932_156.0)) == (0.0, 3_932_156.0)
    assert ends(mean_score([5.0])) == (-math.inf, math.inf)
    low, high = ends(mean_score([20_000.0, 24_000.0], 0.0, 3_932_156.0))
    assert (low, high) == pytest.approx((0.0, 22_000 + 12.706 * 2_000), rel=1e-4)


def test_what_differs_between_seats_is_no_chance() -> None:
    """Who moves first always wins, or wins by 3 and not by 5 boxes."""
    seats = [0, 1] * 100
    assert ends(success_rate([1.0, 0.0] * 100, seats)) == pytest.approx((0.5, 0.5), abs=0.01)
    assert success_rate([1.0, 0.0] * 100).high > 0.56
    low, high = ends(mean_score([3.0, -5.0] * 100, -9.0, 9.0, seats))
    assert -1.2 < low < -1.0 < high < -0.8


def test_few_games_do_not_make_seats_different() -> None:
    low, high = ends(success_rate([1.0, 0.0], [0, 1]))
    assert low < 0.1 and high > 0.9


def test_games_of_a_set_that_go_alike_count_less() -> None:
    """The same 40 games of 20 starts: both games of a start alike, or one won and one lost."""
    seats, sets = [0, 1] * 20, [i // 2 for i in range(40)]
    alike, apart = [1.0, 1.0, 0.0, 0.0] * 10, [1.0, 0.0, 0.0, 1.0] * 10
    widths = [
        e.high - e.low for e in (success_rate(p, seats, s) for p, s in ((alike, sets), (alike, []), (apart, sets)))
    ]
    assert widths[0] > 1.25 * widths[1] > 1.25 * 1.25 * widths[2] > 0.0


# ------------------------------------------------------------ matches


def records(points: Points, scores: tuple[float, float] = (-1.0, 1.0)) -> tuple[GameRecord, ...]:
    """A game of two for each of the points, the first contestant's, who changes seats."""
    low, high = scores
    made = []
    for number, point in enumerate(points.reshape(-1)):
        own, other = low + (high - low) * point, high - (high - low) * point
        seats, both = ((0, 1), (own, other)) if number % 2 == 0 else ((1, 0), (other, own))
        made.append(GameRecord(seats, both, (1, 1), (0.0, 0.0)))
    return tuple(made)


def match(points: Points, starts: int = 1) -> MatchResult:
    return MatchResult("g", "G", ("a", "b"), ("x", "y"), 0, records(points), (-1.0, 1.0), starts)


def test_a_match_knows_its_seats_and_its_starts() -> None:
    first_wins = np.tile([1.0, 0.0], (50, 1))
    for standing in match(first_wins).standings:
        assert standing.success is not None and ends(standing.success) == pytest.approx((0.5, 0.5), abs=0.02)
        assert ends(standing.score) == pytest.approx((0.0, 0.0), abs=0.04)
    alike = np.tile([[1.0, 1.0], [0.0, 0.0]], (10, 1))
    widths = [e.high - e.low for e in (match(alike, starts).standings[0].score for starts in (1, 20, 2))]
    assert widths[1] > 1.25 * widths[0]  # each start is a set
    assert widths[2] < 0.5 * widths[0]  # two starts, one always won: they come again, so that is no chance


def test_a_start_is_a_set_in_a_played_match() -> None:
    tictactoe = make("tictactoe")
    result = play_match(tictactoe, ["random", "random"], 18, 1, starts=positions_after(tictactoe, 1))
    assert result.starts == 9
    standing = result.standings[0]
    points = [
        1.0 if r.scores[s] > 0 else 0.5 if r.scores[s] == 0 else 0.0 for r in result.records for s in [r.seats.index(0)]
    ]
    assert standing.success == success_rate(points, [0, 1] * 9, [i // 2 for i in range(18)])


def test_seats_of_one_game_are_a_set() -> None:
    """In a game of three the second contestant has two seats: both win, or both lose."""
    made = tuple(
        GameRecord((0, 1, 1), (0.0, 1.0, 1.0) if number % 2 else (1.0, 0.0, 0.0), (1, 1, 1), (0.0, 0.0, 0.0))
        for number in range(40)
    )
    first, second = MatchResult("g", "G", ("a", "b", "c"), ("x", "y"), 0, made, (0.0, 1.0)).standings
    assert first.success is not None and second.success is not None
    assert second.success.games == 80
    widths = [s.high - s.low for s in (first.success, second.success)]
    assert widths[1] == pytest.approx(widths[0], rel=0.1)


@pytest.mark.parametrize(
    "command",
    [
        ["match", "connect4", "max-n:depth=4", "random"],
        ["eval", "max-n:depth=4", "--game", "connect4", "--against", "random"],
    ],
)
def test_four_wins_in_four_games(command: list[str]) -> None:
    result = CliRunner().invoke(app, [*command, "--games", "4", "--seed", "1"])
    assert result.exit_code == 0
    assert "0.110 .. 1.000" in result.stdout
    assert "1.000 .. 1.000" not in result.stdout


# ------------------------------------------------------------ how often the truth is in it


def neighbourhood(p: float, games: int) -> float:
    """How far the true rate of a cell is from p at most: one standard error of the match. Results of few games are so
    few numbers that at a single rate hardly any method comes near 95 % (see the next test), so one averages."""
    return min(1.0 - p, math.sqrt(p * (1.0 - p) / games))


@pytest.mark.parametrize(("p", "games"), [(0.95, 4), (0.99, 10)])
def test_at_a_single_rate_no_method_can_do_it(p: float, games: int) -> None:
    """Whatever the results are whose intervals hold p: together they are never as likely as they should be."""
    likely = [math.comb(games, k) * p**k * (1 - p) ** (games - k) for k in range(games + 1)]
    for size in range(games + 2):
        for held in combinations(likely, size):
            assert not LEAST <= math.fsum(held) <= MOST


@pytest.mark.slow
@pytest.mark.parametrize("seats", [1, 2])
@pytest.mark.parametrize("games", [4, 6, 8, 10, 14, 20, 30, 40, 60, 100, 200, 400])
def test_coverage_of_wins_and_losses(games: int, seats: int) -> None:
    """Without simulation: the sum over all results on each seat, for 201 rates around each p."""
    if seats == 2 and games > 60:
        pytest.skip("too many results to sum; the simulation below has them")
    each = games // seats
    results = list(product(range(each + 1), repeat=seats))
    points = [[1.0] * won + [0.0] * (each - won) for won in range(each + 1)]
    names = [seat for seat in range(seats) for _ in range(each)]
    held = np.array([ends(success_rate([p for won in result for p in points[won]], names)) for result in results])
    ways = [math.prod(math.comb(each, won) for won in result) for result in results]
    for p in RATES:
        shares = []
        for rate in np.linspace(p - neighbourhood(p, games), min(1.0, p + neighbourhood(p, games)), 201):
            inside = (held[:, 0] <= rate) & (rate <= held[:, 1])
            shares.append(
                math.fsum(
                    ways[i] * float(rate) ** sum(results[i]) * (1.0 - float(rate)) ** (games - sum(results[i]))
                    for i in np.flatnonzero(inside)
                )
            )
        assert min(shares) > 0.85  # at the worst of single rates
        assert LEAST <= np.mean(shares) <= MOST, (p, games, np.mean(shares))


def played(rng: np.random.Generator, p: float, games: int, advantage: float, draws: float, alike: float) -> Points:
    """The points of pairs of games with the mean p. One of the seats is better, by as much as can be times up to
    `advantage`; up to the share `draws` of the games that can be draws are; the share `alike` of the pairs go alike in
    both games."""
    seat = p + advantage * rng.uniform(-1, 1) * min(p, 1 - p) * np.array([1.0, -1.0])
    drawn = draws * rng.uniform() * 2 * np.minimum(seat, 1 - seat)
    luck = rng.uniform(size=(games // 2, 2))
    luck[:, 1] = np.where(rng.uniform(size=games // 2) < alike, luck[:, 0], luck[:, 1])
    return np.where(luck < seat - drawn / 2, 1.0, np.where(luck < seat + drawn / 2, 0.5, 0.0))


def score_of(points: Points) -> Estimate:
    """Of a match from one start, in which the order of the games on a seat does not matter."""
    return _score_of(np.sort(points, axis=0).tobytes(), 1)


def score_with_starts(points: Points) -> Estimate:
    """Of a match in which each pair of games has a start of its own; the order of the starts does not matter."""
    return _score_of(points[np.lexsort(points.T)].tobytes(), len(points))


@cache
def _score_of(points: bytes, starts: int) -> Estimate:
    return match(np.frombuffer(points).reshape(-1, 2), starts).standing(0).score


@pytest.mark.slow
@pytest.mark.parametrize(
    ("advantage", "draws", "alike", "measure"),
    [
        (0.0, 0.0, 0.0, score_of),
        (1.0, 0.0, 0.0, score_of),
        (0.0, 1.0, 0.0, score_of),
        (1.0, 0.9, 0.0, score_of),
        (1.0, 0.9, 0.0, score_with_starts),
        (1.0, 0.9, 0.5, score_with_starts),
    ],
)
@pytest.mark.parametrize("games", [4, 6, 10, 20, 50, 100, 400])
def test_coverage_of_matches(
    games: int, advantage: float, draws: float, alike: float, measure: Callable[[Points], Estimate]
) -> None:
    rng = np.random.default_rng(games)
    matches = 20_000 if games <= 10 else 4000 if games <= 50 else 1500
    for p in RATES if games < 400 else (0.5, 0.8, 0.95, 0.99):
        hits = 0
        for _ in range(matches):
            rate = p + rng.uniform(-1, 1) * neighbourhood(p, games)
            estimate = measure(played(rng, rate, games, advantage, draws, alike))
            hits += estimate.low <= 2 * rate - 1 <= estimate.high
        assert LEAST <= hits / matches <= MOST, (p, games, hits / matches)


@pytest.mark.slow
@pytest.mark.parametrize("games", [4, 6, 20, 100])
@pytest.mark.parametrize("advantage", [0.0, 4.0])
def test_coverage_of_scores(games: int, advantage: float) -> None:
    """Margins of boxes, better on one of the seats."""
    rng = np.random.default_rng(games)
    hits = 0
    for _ in range(4000):
        margins = rng.normal(1.0, 2.0, games) + advantage * np.tile([1, -1], games // 2)
        estimate = mean_score(list(margins), -25.0, 25.0, [0, 1] * (games // 2))
        hits += estimate.low <= 1.0 <= estimate.high
    assert LEAST <= hits / 4000 <= MOST
