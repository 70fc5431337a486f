"""What else an episode may be: games that others have played, an end after some moves, faster wins that count more,
wins that are always taken, weights that do not begin with 0, some of the symmetries. Kernels against the slow
references."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from dice_board import DiceBoard
from learners import (
    BOTH_WAYS,
    EPISODES,
    agree,
    compare,
    largest_difference,
    make_learner,
    make_reference,
    random_games,
    train_recorded,
    weights_of,
)
from reference_learner import Options

from boardlab import make, make_agent, make_rng
from boardlab.ntuple.creation import make_tuples
from boardlab.position import Position

TicTacToe = partial(make, "tictactoe")
USUAL: dict[str, Any] = {"tuples": "walk:3x4", "alpha": (0.1, 0.1), "epsilon": (0.3, 0.3)}
BOTH = pytest.mark.parametrize(
    ("algorithm", "way"),
    [
        ("td-farl", "compiled"),  # as many tests have it
        ("td-self-play", "plain"),
        pytest.param("td-self-play", "compiled", marks=pytest.mark.slow),
    ],
    indirect=["way"],
)
ALGORITHMS = ("td-farl", "sarsa-farl", "q-farl", "td-self-play", "q-self-play")

# ------------------------------------------------------------ recorded games


def learn_recorded(algorithm: str, **changes: Any) -> None:
    game = TicTacToe()
    options = Options(make_tuples(game, "walk:3x4", 5), algorithm=algorithm, **changes)
    learner = make_learner(game, options, 3)
    reference = make_reference(TicTacToe(), learner, options)
    games = random_games(TicTacToe(), 200)
    counts = learner.learn_from(games, [[]] * 200, np.full(200, 0.1))
    assert (counts.episodes, counts.moves, learner.episodes) == (200, sum(map(len, games)), 200)
    for actions in games:
        reference.episode_from(actions, [], 0.1, learner.streams[0].copy())
    compare(learner, reference)


@BOTH_WAYS
def test_recorded_games_teach_td_farl(way: str) -> None:
    learn_recorded("td-farl")


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_recorded_games_teach(algorithm: str) -> None:
    """Algorithm 1 of Konen 2015: with traces, and no move is a random one."""
    learn_recorded(algorithm, lam=0.7, traces=True)


def check_own_games(algorithm: str, count: int = 100) -> bool:
    """Whether so many games of greedy self-play teach to the bit what self-play itself did."""
    options = Options([[0, 1, 2, 4], [4, 5, 8]], algorithm=algorithm, gamma=0.9)
    player, reader = (make_learner(TicTacToe(), options, 3) for _ in range(2))
    alphas, greedy = np.full(count, 0.1), np.zeros(count)
    games = [[move.action for move in moves] for moves, _ in train_recorded(player, alphas, greedy)]
    reader.learn_from(games, [[]] * count, alphas)
    return np.array_equal(player.network.weights[:, :-1], reader.network.weights[:, :-1])


@BOTH_WAYS
def test_own_games_teach_the_same(way: str) -> None:
    assert check_own_games("td-farl")


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_own_games_of_all_algorithms(algorithm: str) -> None:
    """But for SARSA: its target is the action that was best before it learned, which need not be the one played; the
    first 100 games it may be."""
    assert check_own_games(algorithm, 300) == (algorithm != "sarsa-farl")


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["td-farl", "q-farl"])
def test_recorded_games_with_chance(algorithm: str) -> None:
    """Three players; the outcomes of the chance events are read, too."""
    game = DiceBoard()
    draws = np.random.default_rng(1)
    games, chance = [], []
    for _ in range(60):
        position = game.start()
        while not position.is_over:
            if position.is_chance:
                position.play_chance(int(draws.choice(list(position.chance_outcomes))))
            else:
                position.play(int(draws.choice(position.legal_actions)))
        games.append([event.number for event in position.history if event.player is not None])
        chance.append([event.number for event in position.history if event.player is None])
    options = Options([list(range(game.num_cells))[:2]], algorithm=algorithm, lam=0.5, horizon=3)
    learner = make_learner(game, options, 3)
    reference = make_reference(DiceBoard(), learner, options)
    learner.learn_from(games, chance, np.full(60, 0.2))
    for actions, outcomes in zip(games, chance, strict=True):
        reference.episode_from(actions, outcomes, 0.2, learner.streams[0].copy())
    compare(learner, reference)


# ------------------------------------------------------------ episodes that are cut off


def test_the_score_at_the_limit() -> None:
    """Boxes that are taken by then; the rest of the game is worth nothing."""
    game, options = partial(make, "dots:rows=2,columns=2"), {"tuples": "walk:3x5", "alpha": (0.3, 0.3)}
    agree(game, **options, max_moves=9, at_limit="score")


@BOTH
def test_a_game_without_a_winner_at_the_limit_is_a_draw(algorithm: str, way: str) -> None:
    agree(TicTacToe, **USUAL, episodes=EPISODES[way], algorithm=algorithm, max_moves=6, at_limit="score")


def perfect(position: Position) -> list[float]:
    """Plain minimax."""
    if position.is_over:
        return position.scores
    results = [perfect(position.copy().play(action)) for action in position.legal_actions]
    return max(results, key=lambda scores: scores[position.player])


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["td-farl", "td-self-play"])
def test_the_perfect_result_at_the_limit(algorithm: str) -> None:
    agree(TicTacToe, **USUAL, algorithm=algorithm, max_moves=5, at_limit="perfect", perfect=perfect)


# ------------------------------------------------------------ wins


@BOTH
def test_faster_wins_count_more(algorithm: str, way: str) -> None:
    episodes = EPISODES[way]
    learner, _ = agree(TicTacToe, **USUAL, episodes=episodes, algorithm=algorithm, haste=0.05)
    without = make_learner(TicTacToe(), Options(learner.values.layout.tuples, algorithm=algorithm), 3)
    without.train(np.full(episodes, 0.1), np.full(episodes, 0.3))
    assert np.abs(without.network.weights - learner.network.weights).max() > 1e-3


@BOTH
def test_wins_are_always_taken(algorithm: str, way: str) -> None:
    """The reference refuses any other move that is not random where there is one. Here the weights begin with numbers
    that make much of any position."""
    options = {**USUAL, "output": "identity", "spread": 20.0, "alpha": (1e-3, 1e-3), "episodes": EPISODES[way]}
    agree(TicTacToe, **options, algorithm=algorithm, take_wins=True)


@pytest.mark.parametrize("take_wins", [True, False])
def test_who_has_learned_so_takes_wins_when_it_plays(take_wins: bool) -> None:
    game = make("tictactoe")
    position, wins = game.start(), 0
    for action in (0, 3, 1, 4):
        position.play(action)
    for seed in range(20):
        agent = make_agent(
            f"td-ntuple:tuples=walk:3x4,output=identity,spread=20,take_wins={take_wins},seed={seed}", game
        )
        wins += agent.choose(position, make_rng(seed)) == 2
    assert wins == 20 if take_wins else wins < 20


# ------------------------------------------------------------ where the weights begin


@BOTH
def test_random_weights_at_the_beginning(algorithm: str, way: str) -> None:
    agree(TicTacToe, **USUAL, episodes=EPISODES[way], algorithm=algorithm, spread=0.2)


def test_random_weights_are_between_the_halves_of_their_spread() -> None:
    options = Options([list(range(9))], spread=0.2)
    first, again, other = (make_learner(TicTacToe(), options, seed).network.weights[:, :-1] for seed in (3, 3, 4))
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    assert -0.1 <= first.min() < -0.099 and 0.099 < first.max() <= 0.1
    assert abs(first.mean()) < 0.002 and first.std() == pytest.approx(0.2 / np.sqrt(12), rel=0.02)


@BOTH
def test_every_position_begins_with_the_start_value(algorithm: str, way: str) -> None:
    tuples = [[0, 1, 2, 4], [4, 5, 8]]
    for output in ("tanh", "logistic", "identity"):
        learner = make_learner(TicTacToe(), Options(tuples, algorithm=algorithm, start_value=0.3, output=output), 3)
        assert weights_of(learner, Options(tuples, algorithm=algorithm))
        if output == "tanh" and way == "compiled":  # others would be compiled for this alone
            assert learner.rate(TicTacToe().start().state) == pytest.approx(dict.fromkeys(range(9), 0.3), abs=1e-6)
    agree(TicTacToe, **USUAL, episodes=EPISODES[way], algorithm=algorithm, start_value=0.3)


# ------------------------------------------------------------ symmetries


def test_some_of_the_symmetries() -> None:
    """Which ones comes from the seed: exactly one choice of three, the board itself among them, learns the same."""
    options = {"tuples": [[0, 1, 2, 4], [1, 5, 6]]}
    learner = make_learner(TicTacToe(), Options(**options, some=[0, 1, 2]), 3)
    games = list(train_recorded(learner, np.full(10, 0.1), np.full(10, 1.0)))  # random moves: nothing to be checked
    agreeing = []
    for others in combinations(range(1, 8), 2):
        chosen = Options(**options, some=[0, *others])
        reference = make_reference(TicTacToe(), make_learner(TicTacToe(), chosen, 3), chosen)
        for moves, rng in games:
            reference.episode(moves, 0.1, 1.0, rng.copy())
        if largest_difference(weights_of(learner, chosen), reference.w) < 1e-5:
            agreeing.append(others)
    assert len(agreeing) == 1
