"""Ratings: against an independent, slow optimum; with known strengths; intervals; where the model does not hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, permutations, product

import numpy as np
import pytest

from boardlab import BoardlabError
from boardlab.matches.quantiles import beta_quantile
from boardlab.tournament.choices import Choices, Ranking, fit
from boardlab.tournament.ratings import ELO, Ratings, expected_score, rate
from boardlab.tournament.residuals import circles, misfit
from boardlab.tournament.sequential import Glicko, update_elo, update_glicko
from boardlab.tournament.standings import Meeting

Rng = np.random.Generator


# ------------------------------------------------------------ an independent optimum


def log_posterior(rankings: Sequence[Ranking], strengths: list[float], seats: list[float], ties: list[float]) -> float:
    """The model as the module describes it, with sets of players written out, and the prior of one game each."""
    total = 0.0
    for ranking in rankings:
        rest = set(range(len(ranking.players)))
        while len(rest) > 1:
            best = min(ranking.ranks[s] for s in rest)
            chosen = frozenset(s for s in rest if ranking.ranks[s] == best)

            def worth(group: Sequence[int] | frozenset[int], ranking: Ranking = ranking) -> float:
                mean = sum(strengths[ranking.players[s]] + seats[s] for s in group) / len(group)
                return math.exp(mean) * (1.0 if len(group) == 1 else math.exp(ties[len(group) - 2]))

            all_groups = [g for n in range(1, min(len(rest), len(ties) + 1) + 1) for g in combinations(sorted(rest), n)]
            total += math.log(worth(chosen) / sum(map(worth, all_groups)))
            rest -= chosen
    for value in [*strengths, *seats[:-1], *ties]:
        total += 0.5 * math.log(1 / (1 + math.exp(-value))) + 0.5 * math.log(1 / (1 + math.exp(value)))
    return total


def by_coordinates(value: Callable[[list[float]], float], size: int) -> list[float]:
    """The highest point of a concave function: one coordinate after the other, by ever smaller steps."""
    found, step = [0.0] * size, 0.5
    best = value(found)
    while step > 1e-6:
        moved = False
        for i, sign in product(range(size), (1, -1)):
            tried = list(found)
            tried[i] += sign * step
            height = value(tried)
            if height > best:
                found, best, moved = tried, height, True
        step = step if moved else step / 2
    return found


@pytest.mark.parametrize("players", [2, 3])
def test_the_fit_is_the_optimum(players: int) -> None:
    rng = np.random.default_rng(players)
    rankings = []
    for unit in range(25):
        who = tuple(int(x) for x in rng.permutation(4)[:players])
        rankings.append(Ranking(who, tuple(int(x) for x in rng.integers(0, 3, players)), unit))
    ties = max(max(r.ranks.count(x) for x in r.ranks) for r in rankings) - 1
    assert ties == players - 1  # all kinds of ties are there

    def value(x: list[float]) -> float:
        return log_posterior(rankings, x[:4], [*x[4 : 3 + players], 0.0], x[3 + players :])

    choices = Choices(rankings, 4)
    counts = choices.counts(np.ones(choices.units), np.full((choices.size, 2), 0.5))
    found = fit(choices, counts[None])[0]
    assert choices.size == 3 + players + ties
    assert found == pytest.approx(by_coordinates(value, choices.size), abs=1e-4)


def test_rows_that_are_fitted_together_are_those_fitted_alone() -> None:
    rng = np.random.default_rng(3)
    rankings, _ = simulated(rng, 4, 3)
    choices = Choices(rankings, 4)
    counts = [choices.counts(rng.exponential(size=choices.units), np.full((choices.size, 2), 0.5)) for _ in range(5)]
    together = fit(choices, np.array(counts))
    for row, alone in zip(together, counts, strict=True):
        assert row == pytest.approx(fit(choices, alone[None])[0], abs=1e-7)


# ------------------------------------------------------------ known strengths


def simulated(
    rng: Rng, entrants: int, sets: int, *, scale: float = 0.8, seat: float = 0.4, tie: float = 0.7, start: float = 0.0
) -> tuple[list[Ranking], np.ndarray]:
    """A round robin of players with known strengths. `start` says how much the starts favour a seat, in either
    direction, in both games of a set."""
    strengths = rng.normal(0.0, scale, entrants)
    strengths -= strengths.mean()
    rankings = []
    for unit, (i, j, _) in enumerate((i, j, s) for i, j in combinations(range(entrants), 2) for s in range(sets)):
        luck = rng.normal(0.0, start)
        for first, second in ((i, j), (j, i)):
            odds = (strengths[first] - strengths[second] + seat + luck) / 2
            chances = np.array([math.exp(odds), tie, math.exp(-odds)])
            result = int(rng.choice(3, p=chances / chances.sum()))
            rankings.append(Ranking((first, second), ((0, 1), (0, 0), (1, 0))[result], unit))
    return rankings, strengths


def test_known_strengths_are_recovered() -> None:
    rankings, strengths = simulated(np.random.default_rng(1), 5, 300)
    found = rate(rankings, 5, samples=100)
    for strength, rating in zip(strengths * ELO, found.ratings, strict=True):
        assert rating.elo == pytest.approx(strength, abs=25)
        assert rating.low < rating.elo < rating.high < rating.low + 60
    assert found.seats[0].elo == pytest.approx(0.4 * ELO / 2, abs=10)
    assert found.seats[0].elo == pytest.approx(-found.seats[1].elo)
    assert found.draw_share == pytest.approx(0.7 / 2.7, abs=0.03)


def test_strengths_of_three_at_a_table_are_recovered() -> None:
    """Ranks drawn one place after the other, as Plackett and Luce have it."""
    rng = np.random.default_rng(2)
    strengths, seats = np.array([0.8, 0.3, -0.2, -0.9]), np.array([0.5, 0.0, -0.5])
    rankings = []
    for unit in range(700):
        table = tuple(int(x) for x in rng.permutation(4)[:3])
        worth = np.exp(strengths[list(table)] + seats)
        ranks, rest = [0, 0, 0], [0, 1, 2]
        for place in range(3):
            chosen = int(rng.choice(rest, p=worth[rest] / worth[rest].sum()))
            ranks[chosen] = place
            rest.remove(chosen)
        rankings.append(Ranking(table, (ranks[0], ranks[1], ranks[2]), unit))
    found = rate(rankings, 4, samples=50)
    assert [r.elo for r in found.ratings] == pytest.approx(strengths * ELO, abs=35)
    assert [s.elo for s in found.seats] == pytest.approx(seats * ELO, abs=30)


@pytest.mark.slow
@pytest.mark.parametrize(("entrants", "sets", "start"), [(6, 5, 0.0), (6, 5, 1.0), (10, 2, 0.0), (4, 20, 0.5)])
def test_95_of_100_intervals_cover_the_truth(entrants: int, sets: int, start: float) -> None:
    rng = np.random.default_rng(entrants + sets)
    covered = []
    for number in range(400):
        rankings, strengths = simulated(rng, entrants, sets, start=start)
        found = rate(rankings, entrants, samples=400, seed=number)
        covered += [r.low <= s <= r.high for r, s in zip(found.ratings, strengths * ELO, strict=True)]
    print(entrants, sets, start, np.mean(covered))
    assert 0.93 <= np.mean(covered) <= 0.97


# ------------------------------------------------------------ the scale, the prior, the anchor


def duel(won: int, lost: int, drawn: int = 0) -> list[Ranking]:
    """Games of two without seats, each a set of its own."""
    results = [(0, 1)] * won + [(1, 0)] * lost + [(0, 0)] * drawn
    return [Ranking((0, 1), ranks, unit, seated=False) for unit, ranks in enumerate(results)]


def difference(found: Ratings) -> float:
    return found.ratings[0].elo - found.ratings[1].elo


def test_400_points_are_odds_of_ten_to_one() -> None:
    found = rate(duel(1000, 100), 2, prior=1e-6, samples=2)
    assert difference(found) == pytest.approx(400.0, abs=0.01)
    assert expected_score(400.0) == pytest.approx(10 / 11)
    assert rate(duel(50, 50), 2, samples=2).ratings[0].elo == pytest.approx(0.0, abs=1e-6)


def test_a_perfect_score_stays_finite_and_unsure() -> None:
    found = rate(duel(20, 0), 2, samples=400)
    first = found.ratings[0]
    assert 100 < first.elo < 1000
    assert first.high - first.elo > 100
    assert first.low > 0
    assert found.superiority(0, 1) > 0.99


def test_the_interval_of_one_pair_is_like_that_of_jeffreys() -> None:
    won, lost = 14, 6
    found = rate(duel(won, lost), 2, samples=2000, anchor=(1, 0.0))
    ends = [beta_quantile(share, won + 0.5, lost + 0.5) for share in (0.025, 0.975)]
    wanted = [ELO * math.log(p / (1 - p)) for p in ends]
    assert [found.ratings[0].low, found.ratings[0].high] == pytest.approx(wanted, abs=45)
    assert (found.ratings[1].low, found.ratings[1].high) == (0.0, 0.0)


def test_the_anchor_has_its_rating() -> None:
    rankings, _ = simulated(np.random.default_rng(4), 3, 20)
    free, tied = rate(rankings, 3, samples=20), rate(rankings, 3, samples=20, anchor=(2, 1500.0))
    assert sum(r.elo for r in free.ratings) == pytest.approx(0.0, abs=1e-6)
    assert tied.ratings[2].elo == tied.ratings[2].low == tied.ratings[2].high == 1500.0
    assert tied.ratings[0].elo - tied.ratings[1].elo == pytest.approx(free.ratings[0].elo - free.ratings[1].elo)


def test_the_likelihood_of_superiority() -> None:
    even, sure = rate(duel(10, 10), 2, samples=400), rate(duel(16, 4), 2, samples=400)
    assert even.superiority(0, 1) == pytest.approx(0.5, abs=0.1)
    assert sure.superiority(0, 1) == pytest.approx(1 - sure.superiority(1, 0))
    assert sure.superiority(0, 1) > 0.98


def test_a_prior_of_nothing_is_refused() -> None:
    with pytest.raises(BoardlabError, match="the prior is worth a positive number of games, not 0"):
        rate(duel(1, 1), 2, prior=0.0)


# ------------------------------------------------------------ where the model does not hold


def test_rock_paper_scissors_is_seen() -> None:
    rankings = []
    for one, other in ((0, 1), (1, 2), (2, 0)):
        for game in range(20):
            rankings.append(Ranking((one, other), (0, 1) if game < 18 else (1, 0), len(rankings), seated=False))
    found = rate(rankings, 3, samples=20)
    assert [r.elo for r in found.ratings] == pytest.approx([0, 0, 0], abs=1e-6)
    seen = misfit(rankings, found)
    assert seen.doubtful
    assert {(r.one, r.other) for r in seen.notable} == {(0, 1), (1, 2), (0, 2)}
    assert {r.deviations > 0 for r in seen.notable if r.one + 1 == r.other} == {True}
    meetings = {(0, 1): Meeting(20, 18, 0, 2), (1, 2): Meeting(20, 18, 0, 2), (2, 0): Meeting(20, 18, 0, 2)}
    assert circles(meetings) == [(0, 1, 2)]
    assert circles({pair: Meeting(20, 11, 0, 9) for pair in meetings}) == []


def test_a_model_that_holds_is_not_doubted() -> None:
    doubted = 0
    for seed in range(20):
        rankings, _ = simulated(np.random.default_rng(seed), 5, 10)
        doubted += misfit(rankings, rate(rankings, 5, samples=2)).doubtful
    assert doubted <= 2


# ------------------------------------------------------------ one game after the other


def test_elo() -> None:
    assert update_elo(1500, 1500, 1.0) == 1516
    assert update_elo(1500, 1900, 0.0, factor=10) == pytest.approx(1500 - 10 / 11)


def test_glicko_2_gives_the_published_example() -> None:
    """The example in Glickman 2012."""
    opponents = [(Glicko(1400, 30), 1.0), (Glicko(1550, 100), 0.0), (Glicko(1700, 300), 0.0)]
    found = update_glicko(Glicko(1500, 200, 0.06), opponents, tau=0.5)
    assert found.rating == pytest.approx(1464.06, abs=0.02)
    assert found.deviation == pytest.approx(151.52, abs=0.01)
    assert found.volatility == pytest.approx(0.05999, abs=0.00001)


def test_without_games_only_the_uncertainty_grows() -> None:
    found = update_glicko(Glicko(1600, 100, 0.06), [])
    assert (found.rating, found.volatility) == (1600, 0.06)
    assert found.deviation == pytest.approx(math.hypot(100, 0.06 * 173.7178))
    assert update_glicko(Glicko(1600, 350, 0.06), []).deviation == 350
    surprised = update_glicko(Glicko(1500, 50, 0.06), [(Glicko(2200, 50), 1.0)] * 5)
    assert surprised.volatility > 0.06  # far better than anybody thought
    assert surprised.interval[0] < surprised.rating < surprised.interval[1]


def test_a_game_without_any_doubt_tells_glicko_2_nothing() -> None:
    found = update_glicko(Glicko(9000, 50), [(Glicko(500, 50), 1.0)])
    assert found.rating == pytest.approx(9000)
    assert found.deviation == pytest.approx(51, abs=1)


def test_the_order_of_players_does_not_matter() -> None:
    """Whoever has which number: the same games give the same ratings."""
    found = []
    for order in permutations(range(3)):
        rankings = [
            Ranking((order[0], order[1]), (0, 1), 0),
            Ranking((order[1], order[2]), (0, 0), 1),
            Ranking((order[2], order[0]), (1, 0), 2),
        ]
        ratings = rate(rankings, 3, samples=2).ratings
        found.append([ratings[player].elo for player in order])
    assert all(row == pytest.approx(found[0], abs=1e-6) for row in found)
    assert found[0][0] > found[0][1]
