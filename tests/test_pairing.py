"""Who meets next in a league: what a game tells, against a sum over possible strengths; who is chosen; how the ratings
follow; and that this finds the truth sooner than chance does."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from boardlab.tournament.pairing import AGENT, ENOUGH, information, next_meeting, rate_table
from boardlab.tournament.sequential import SCALE, Glicko, update_glicko

Floats = NDArray[np.float64]


def told_by_a_game(one: Glicko, other: Glicko) -> float:
    """The information about the difference in a result, from the plain definition: p(d, r) log p(r | d) / p(r), summed
    over a fine grid of differences."""
    spread = math.hypot(one.deviation, other.deviation) / SCALE
    mean = (one.rating - other.rating) / SCALE
    d = np.linspace(mean - 9 * spread, mean + 9 * spread, 20_001)
    weight = np.exp(-0.5 * ((d - mean) / spread) ** 2)
    weight /= weight.sum()
    total = 0.0
    for chance in (1 / (1 + np.exp(-d)), 1 / (1 + np.exp(d))):
        total += float((weight * chance * np.log(chance / float((weight * chance).sum()))).sum())
    return total


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Glicko(1500, 350), Glicko(1500, 350)),
        (Glicko(1500, 30), Glicko(1520, 25)),
        (Glicko(2000, 80), Glicko(1400, 300)),
        (Glicko(2600, 40), Glicko(1200, 40)),
    ],
)
def test_what_a_game_tells(one: Glicko, other: Glicko) -> None:
    found = information([one, other])
    assert found[0, 1] == pytest.approx(told_by_a_game(one, other), abs=2e-4)
    assert found[0, 1] == pytest.approx(found[1, 0])


def test_a_game_tells_most_where_ratings_are_unsure_and_either_may_win() -> None:
    sure, unsure, far = Glicko(1500, 20), Glicko(1500, 200), Glicko(2500, 20)
    found = information([sure, sure, unsure, unsure, far])
    assert found[2, 3] > found[0, 2] > found[0, 1] > found[0, 4]
    assert found[0, 1] < ENOUGH
    assert information([Glicko(1500, 25)] * 2)[0, 1] == pytest.approx(ENOUGH, rel=0.1), "as the comment says"


def test_the_choice_follows_from_what_is_known() -> None:
    ratings = [Glicko(1500, 50), Glicko(1500, 50), Glicko(1510, 300), Glicko(2400, 40)]
    seats, told = next_meeting(ratings, {}, 2, 7) or ((), 0.0)
    assert 2 in seats and 3 not in seats
    assert told == pytest.approx(information(ratings)[2, 0], abs=2e-9)
    met = next_meeting(ratings, {frozenset(seats): 1}, 2, 7)
    assert met is not None and 2 in met[0] and set(met[0]) != set(seats), "of those that tell much, who has met least"
    assert next_meeting(ratings, {}, 2, 7) == (seats, told)
    assert next_meeting(ratings[:1], {}, 2, 7) is None
    assert next_meeting(ratings[:2], {}, 3, 7) is None


def test_newcomers_all_meet_before_anybody_meets_twice() -> None:
    meetings: dict[frozenset[int], int] = {}
    for _ in range(6):
        seats, _ = next_meeting([AGENT] * 4, meetings, 2, 3) or ((), 0.0)
        meetings[frozenset(seats)] = meetings.get(frozenset(seats), 0) + 1
    assert len(meetings) == 6
    others = {next_meeting([AGENT] * 4, {}, 2, seed) for seed in range(20)}
    assert len(others) > 1, "the seed decides"


@pytest.mark.parametrize("seats", [2, 3])
def test_those_who_meet_take_all_seat_orders_in_turn(seats: int) -> None:
    orders = Counter()
    who = frozenset(range(seats))
    for number in range(2 * math.factorial(seats)):
        found = next_meeting([AGENT] * seats, {who: number}, seats, 1)
        assert found is not None
        orders[found[0]] += 1
    assert len(orders) == math.factorial(seats)
    assert set(orders.values()) == {2}


def test_in_a_game_for_one_player_two_meet_by_their_scores() -> None:
    found = next_meeting([AGENT, AGENT], {}, 1, 1)
    assert found is not None and len(found[0]) == 2


def test_a_table_is_rated_as_games_of_everybody_with_everybody() -> None:
    before = [Glicko(1600, 100, 0.05), Glicko(1500, 200, 0.06), Glicko(1400, 300, 0.06)]
    first, second, third = rate_table(before, [3.0, 1.0, 1.0])
    expected = update_glicko(before[1], [(before[0], 0.0), (before[2], 0.5)], tau=0.2)
    assert second == expected
    assert first.rating > 1600 and third.rating > second.rating - 400
    duel = rate_table(before[:2], [-1.0, 1.0])
    assert duel[0].rating < 1600 and duel[1].rating > 1500


def play(
    truth: Floats, ratings: list[Glicko], meetings: dict[frozenset[int], int], games: int, seed: int, *, chosen: bool
) -> None:
    """Let players with these true strengths play so many games: those who tell most, or pairs that are drawn by lot."""
    rng = np.random.default_rng(seed)
    for _ in range(games):
        if chosen:
            found = next_meeting(ratings, meetings, 2, seed)
            assert found is not None
            one, other = found[0]
        else:
            one, other = rng.permutation(len(truth))[:2].tolist()
        who = frozenset((one, other))
        meetings[who] = meetings.get(who, 0) + 1
        won = rng.random() < 1 / (1 + 10 ** ((truth[other] - truth[one]) / 400))
        ratings[one], ratings[other] = rate_table([ratings[one], ratings[other]], [float(won), float(not won)])


LEVELS = np.array([-250.0, -120.0, -40.0, 0.0, 30.0, 130.0, 250.0])


def miss_of_a_newcomer(games: int, *, chosen: bool) -> float:
    """How wrong the rating of an agent is after so many games of a league that it entered when it was settled: root
    mean square over 30 leagues."""
    misses = []
    for seed in range(30):
        ratings: list[Glicko] = [AGENT] * len(LEVELS)
        meetings: dict[frozenset[int], int] = {}
        play(LEVELS, ratings, meetings, 400, seed, chosen=False)
        strength = float(np.random.default_rng(seed).uniform(-350, 350))
        ratings.append(AGENT)
        play(np.append(LEVELS, strength), ratings, meetings, games, seed + 1000, chosen=chosen)
        found = ratings[-1].rating - np.mean([player.rating for player in ratings[:-1]])
        misses.append(found - (strength - LEVELS.mean()))
    return float(np.sqrt(np.mean(np.square(misses))))


@pytest.mark.slow
def test_chosen_games_find_the_truth_sooner_than_games_by_lot() -> None:
    """The rating of a newcomer is better after 40 games of the league than after 80 games of pairs drawn by lot."""
    chosen, by_lot, longer = (
        miss_of_a_newcomer(games, chosen=c) for games, c in ((40, True), (40, False), (80, False))
    )
    print(chosen, by_lot, longer)
    assert chosen < 0.7 * by_lot
    assert chosen < longer


@pytest.mark.slow
@pytest.mark.parametrize(("strengths", "games"), [(LEVELS, 400), (np.linspace(-600.0, 600.0, 12), 300)])
def test_a_league_of_newcomers_is_rated_as_well_as_by_lot_and_its_intervals_hold(strengths: Floats, games: int) -> None:
    """Differences, because only they mean something: most of them within what the deviations say."""
    errors: dict[bool, list[float]] = {True: [], False: []}
    covered = []
    for seed in range(20):
        for chosen in (True, False):
            ratings: list[Glicko] = [AGENT] * len(strengths)
            play(strengths, ratings, {}, games, seed, chosen=chosen)
            found = np.array([player.rating for player in ratings])
            miss = found - found.mean() - (strengths - strengths.mean())
            errors[chosen].append(float(np.sqrt(np.mean(miss**2))))
            if chosen:
                sizes = [player.deviation for player in ratings]
                for one in range(len(strengths)):
                    for other in range(one):
                        bound = 1.96 * math.hypot(sizes[one], sizes[other])
                        covered.append(abs(miss[one] - miss[other]) < bound)
    print(np.mean(errors[True]), np.mean(errors[False]), np.mean(covered))
    assert np.mean(errors[True]) < 1.1 * np.mean(errors[False])
    assert np.mean(covered) > 0.85
