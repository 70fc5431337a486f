"""The sequential probability ratio test: its ratio against a slow search, its error rates, and the duel."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from boardlab import BoardlabError, make
from boardlab.cli.main import app
from boardlab.tournament.duel import duel
from boardlab.tournament.ratings import expected_score
from boardlab.tournament.sprt import Sprt, log_likelihood_ratio, read_sprt
from boardlab.tournament.starts import starts_of


def best_likelihood(counts: tuple[int, int, int], mean: float) -> float:
    """The highest log-likelihood of losses, draws and wins with this mean score, by trying all shares of draws."""
    lost, drawn, won = counts
    best = -math.inf
    for draws in np.linspace(1e-6, 1 - 1e-6, 200_001):
        wins = mean - draws / 2
        losses = 1 - draws - wins
        if wins > 0 and losses > 0:
            best = max(best, lost * math.log(losses) + drawn * math.log(draws) + won * math.log(wins))
    return best


def test_the_ratio_is_that_of_the_highest_likelihoods() -> None:
    counts, means = (10, 25, 17), (0.5, 0.55)
    wanted = best_likelihood(counts, means[1]) - best_likelihood(counts, means[0])
    found = log_likelihood_ratio(dict(zip((0.0, 0.5, 1.0), counts, strict=True)), *means)
    assert found == pytest.approx(wanted, abs=2e-3)


def test_the_ratio_in_simple_cases() -> None:
    test = Sprt(0, 20)
    assert test.ratio({}) == 0.0
    assert test.bounds == pytest.approx((-2.944, 2.944), abs=1e-3)
    assert test.ratio({1.0: 10}) == pytest.approx(10 * math.log(expected_score(20) / 0.5), rel=0.01)
    assert test.ratio({0.0: 5, 1.0: 5}) < 0 < test.ratio({0.0: 4, 1.0: 6})
    assert test.verdict({1.0: 500}) == "elo1"
    assert test.verdict({0.0: 250, 1.0: 200}) == "elo0"
    assert test.verdict({0.5: 3}) is None


def played(rng: np.random.Generator, score: float, test: Sprt, spread: float) -> tuple[str | None, int]:
    """A test between players whose sets have this mean score: of two games that depend on each other by their start,
    each with a third of draws."""
    scores: Counter[float] = Counter()
    for sets in range(1, 100_000):
        tilt = spread * (rng.random() - 0.5)
        points = 0.0
        for sign in (1, -1):
            u = rng.random()
            points += 1.0 if u < score - 1 / 6 + sign * tilt else 0.5 if u < score + 1 / 6 + sign * tilt else 0.0
        scores[points / 2] += 1
        verdict = test.verdict(scores)
        if verdict is not None:
            return verdict, sets
    return None, 0


def wrong_answers(tests: int, elo1: float, spread: float) -> tuple[float, float]:
    """How often elo1 is accepted where elo0 is true, and the other way round."""
    rng, test = np.random.default_rng(7), Sprt(0, elo1)
    accepted = [
        sum(played(rng, expected_score(elo), test, spread)[0] == "elo1" for _ in range(tests)) for elo in (0, elo1)
    ]
    return accepted[0] / tests, 1 - accepted[1] / tests


def test_few_answers_are_wrong() -> None:
    """Of 60 tests each, 3 are expected to be wrong; 9 or more would be by chance once in 300 times."""
    false_positive, false_negative = wrong_answers(60, 120, 0.6)
    assert max(false_positive, false_negative) <= 8 / 60


@pytest.mark.slow
@pytest.mark.parametrize(("elo1", "spread"), [(40, 0.0), (40, 0.6), (80, 0.3)])
def test_wrong_answers_are_as_rare_as_they_should_be(elo1: float, spread: float) -> None:
    rates = wrong_answers(2000, elo1, spread)
    print(elo1, spread, rates)
    assert max(rates) <= 0.075


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("elo0=0", "a test needs elo0 and elo1"),
        ("elo0=0,elo1=x", "a test is written elo0=0,elo1=10,alpha=0.05,beta=0.05; 'elo1=x' is not"),
        ("elo0=0,elo1=5,gamma=1", "'gamma=1' is not"),
        ("elo0=5,elo1=5", "elo0 is below elo1 in a test, not 5 and 5"),
        ("elo0=0,elo1=5,alpha=0.7", "alpha and beta, how often the answer may be wrong, are between 0 and 0.5"),
    ],
)
def test_mistakes_in_a_test(text: str, sentence: str) -> None:
    with pytest.raises(BoardlabError, match=sentence):
        read_sprt(text)


def test_a_duel_goes_on_until_it_is_decided(tmp_path: Path) -> None:
    game = make("tictactoe")
    starts = starts_of(game, "random:2:12", 1)
    seen: list[float] = []
    found = duel(
        game,
        ["perfect", "random"],
        Sprt(0, 100),
        starts=starts,
        journal=tmp_path / "j.jsonl",
        told=lambda state: seen.append(state.ratio),
    )
    assert found.verdict == "elo1"
    assert "decided: +100 Elo, not +0" in str(found)
    assert len(found.games) == 2 * found.sets == 2 * len(seen)
    assert seen[-1] == found.ratio > found.test.bounds[1] > max(seen[:-1])
    again = duel(game, ["perfect", "random"], Sprt(0, 100), starts=starts, journal=tmp_path / "j.jsonl")
    assert again.scores == found.scores  # what is in the journal is not played again


def test_a_duel_ends_with_its_games() -> None:
    found = duel(make("tictactoe"), ["random", "perfect"], Sprt(0, 1), most_games=6)
    assert found.verdict is None and len(found.games) == 6
    assert "undecided: more games are needed" in str(found)
    with pytest.raises(BoardlabError, match="a test is for two agents in a game of two, not for 3 in tictactoe"):
        duel(make("tictactoe"), ["random"] * 3, Sprt(0, 1))


def test_the_command() -> None:
    arguments = ["match", "tictactoe", "perfect", "random", "--sprt", "elo0=0,elo1=80", "--seed", "3", "--workers", "1"]
    result = CliRunner().invoke(app, [*arguments, "--starts", "random:1", "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["verdict"] == "elo1" and found["games"] == 2 * found["sets"]
    assert found["log_likelihood_ratio"] >= found["high"]
    refused = CliRunner().invoke(app, ["match", "tictactoe", "perfect", "random", "--starts", "random:1"])
    assert refused.exit_code == 2
    assert "--starts is for a test, as --sprt elo0=0,elo1=10" in refused.stderr
