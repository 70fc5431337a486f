"""Linear functions and perceptrons over features: gradients against finite differences, values against matrices,
trainings against a slow replay; what they are called, kept and refused, and what they learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dice_board import DiceBoard
from learners import BOTH_WAYS, train_plainly, train_recorded
from numpy.typing import NDArray
from plain_wrappers import PlainJudge, PlainNPly
from reference_features import FeatureLearner, PlainNet, features, one_hot
from reference_learner import Options

from boardlab import BoardlabError, Game, Position, make, make_rng
from boardlab.agents.files import load_agent
from boardlab.agents.learned import LearnedAgent
from boardlab.agents.n_ply import NPly
from boardlab.agents.td_features import TDLinear, TDPerceptron
from boardlab.compiler import plain
from boardlab.learn.approximators.base import Approximator, Shape, make_approximator
from boardlab.learn.learner import Rater, rate_position
from boardlab.matches.evaluators.registry import make_evaluator
from boardlab.rng import random_below

TICTACTOE = make("tictactoe")
NIMM3 = make("nimm3")

LINEAR = ("linear", (), False)
SMALL = ("mlp:hidden=5", (5,), False)
DEEP = ("mlp:hidden=4+3+2,activation=logistic", (4, 3, 2), True)
CELLS = -1


def some_position(game: Game, plies: int, seed: int) -> Position:
    """A position after so many random actions."""
    rng = make_rng(seed)
    position = game.start().roll(rng)
    for _ in range(plies):
        actions = position.legal_actions
        position.play(actions[random_below(rng, len(actions))]).roll(rng)
    return position


def seen(game: Game, position: Position, mode: int, view: int | None) -> NDArray[np.float64]:
    return one_hot(game, position.state, view) if mode == CELLS else features(game, position.state, mode)


def with_features(spec: str, mode: int) -> str:
    return f"{spec}{',' if ':' in spec else ':'}features={'cells' if mode == CELLS else mode}"


def made(spec: str, game: Game, shape: Shape) -> Approximator:
    """An approximator with random weights, ready to look."""
    values = make_approximator(spec)
    values.design(game, shape)
    drawn = np.random.default_rng(3).normal(0.0, 0.5, (values.table_sets, values.num_weights + 1))
    return values.attached(drawn.astype(np.float32))


def gradient_of(
    values: Approximator, game: Game, position: Position, p: int, action: int
) -> tuple[float, NDArray[np.float64]]:
    """The total of a position, and the gradient as learning sees it, over all table sets."""
    index, hits = np.zeros(values.most_kept, np.int32), np.zeros(values.most_kept, np.float32)
    values.begin(game, position.state)
    count = values.keep(game, position.state, p, action, index, hits)
    assert 1 <= count <= values.most_kept
    all_weights = values.weights.reshape(-1)
    found = np.zeros(len(all_weights))
    if values.direct:
        np.add.at(found, index[:count], hits[:count])
        return float(found @ all_weights), found
    active, x = np.zeros(values.most_active, np.int32), np.full(values.most_active, np.nan, np.float32)
    total = values.expand(index, hits, count, active, x)
    assert len(set(active.tolist())) == len(active)
    found[active] = x
    return total, found


# ------------------------------------------------------------ gradients and values


@pytest.mark.parametrize(("spec", "layers", "logistic"), [LINEAR, SMALL, DEEP])
@pytest.mark.parametrize("of_actions", [False, True])
@pytest.mark.parametrize(
    ("game", "mode", "tables"),
    [
        ("tictactoe", 1, "per-player"),
        ("tictactoe", CELLS, "shared"),
        ("nim:players=3,heaps=2,stones=3", 1, "per-player"),
        ("2048", 1, "per-player"),
        ("dots:rows=1,columns=2", CELLS, "inversion"),
        ("nimm3", 0, "shared"),
    ],
)
def test_totals_and_gradients(
    game: str, mode: int, tables: str, of_actions: bool, spec: str, layers: tuple[int, ...], logistic: bool
) -> None:
    made_game = make(game)
    bias = game != "nimm3"
    shape = Shape(of_actions=of_actions, tables=tables, bias=bias)
    values = made(with_features(spec, mode), made_game, shape)
    position = some_position(made_game, 3, seed=5)
    p = made_game.num_players - 1
    action = position.legal_actions[-1] if of_actions else 0
    x = seen(made_game, position, mode, p if tables == "inversion" else None)
    net = PlainNet(len(x), layers, made_game.num_actions if of_actions else 1, bias=bias, logistic=logistic)
    assert (values.num_weights, len(values.weights)) == (
        net.size,
        made_game.num_players if tables == "per-player" else 1,
    )
    table = p if tables == "per-player" else 0
    own: NDArray[np.float64] = values.weights[table, :-1].astype(float)
    total, found = gradient_of(values, made_game, position, p, action)
    assert total == pytest.approx(net.total(own, x, action), abs=2e-5)
    of_table = found.reshape(-1, net.size + 1)[table, :-1]
    np.testing.assert_allclose(of_table, net.gradient(own, x, action), rtol=2e-4, atol=2e-5)
    assert np.count_nonzero(found) == np.count_nonzero(of_table) > 0


def test_with_one_chain_the_second_player_has_the_opposite() -> None:
    shape = Shape(tables="shared", first_view=True, bias=True)
    position = some_position(TICTACTOE, 4, seed=2)
    for spec in ("linear", "mlp:hidden=3"):
        values = made(spec, TICTACTOE, shape)
        first, second = (gradient_of(values, TICTACTOE, position, p, 0) for p in (0, 1))
        assert first[0] == -second[0] != 0.0
        np.testing.assert_array_equal(first[1], -second[1])


def test_a_position_without_any_feature_teaches_nothing() -> None:
    """Seven stones are divisible by none of 2..5: without a bias there is nothing to learn, and nothing breaks."""
    values = made("linear", NIMM3, Shape())
    position = NIMM3.start().play(1).play(2).play(2)
    assert position.cells[0] == 7
    total, found = gradient_of(values, NIMM3, position, 0, 0)
    assert total == 0.0 and not found.any()


def test_whatever_a_file_says_leads_to_weights_that_exist() -> None:
    """A replay memory comes from a file, and may hold any indices of weights."""
    for shape in (Shape(bias=True), Shape(of_actions=True)):
        values = made("mlp:hidden=3+2", TICTACTOE, shape)
        all_weights = values.weights.size
        active, x = np.zeros(values.most_active, np.int32), np.zeros(values.most_active, np.float32)
        for wrong in (0, 1, values.num_weights, values.num_weights + 1, all_weights - 1):
            index = np.full(values.most_kept, wrong, np.int32)
            total = values.expand(index, np.ones(values.most_kept, np.float32), 0, active, x)
            assert np.isfinite(total) and active.min() >= 0 and active.max() < all_weights


def rated(agent: LearnedAgent, position: Position) -> dict[int, float]:
    """What the kernel that rates actions says, uncompiled."""
    learner = agent.learner
    rater = Rater(
        agent.game, learner.values.attached(learner.network.weights), learner.algorithm, agent.parameters.gamma
    )
    rater.states = rater.states.view(np.recarray)
    rater.states[0] = position.state
    n = plain(rate_position)(agent.game, rater)
    return dict(zip(rater.moves.actions[:n].tolist(), rater.moves.totals[:n].tolist(), strict=True))


@pytest.mark.parametrize("algorithm", ["td-farl", "sarsa-farl"])
@pytest.mark.parametrize(("spec", "layers", "logistic"), [LINEAR, SMALL, DEEP])
def test_actions_are_rated_as_by_matrices(algorithm: str, spec: str, layers: tuple[int, ...], logistic: bool) -> None:
    agent = TDLinear(TICTACTOE, approximator=spec, algorithm=algorithm, spread=2.0, gamma=0.9)
    net = PlainNet(6, layers, 9 if algorithm == "sarsa-farl" else 1, logistic=logistic)
    position = some_position(TICTACTOE, 5, seed=4)
    p = position.player
    own = agent.learner.network.weights[p, :-1].astype(float)
    found = rated(agent, position)
    assert set(found) == set(position.legal_actions)
    for action, value in found.items():
        if algorithm == "sarsa-farl":
            wanted = np.tanh(net.total(own, features(TICTACTOE, position.state, 1), action))
        else:
            after = position.copy().play(action)
            value_after = np.tanh(net.total(own, features(TICTACTOE, after.state, 1), 0))
            wanted = after.scores[p] if after.is_over else 0.9 * value_after
        assert value == pytest.approx(wanted, abs=1e-5)


# ------------------------------------------------------------ trainings


@BOTH_WAYS
@pytest.mark.parametrize(
    ("spec", "layers", "lam"),
    [("linear", (), 0.6), ("mlp:hidden=4", (4,), 0.0), ("linear", (), 0.0), ("mlp:hidden=4", (4,), 0.6)],
)
def test_a_training_is_that_of_the_reference(spec: str, layers: tuple[int, ...], lam: float, way: str) -> None:
    """200 episodes, without eligibility and with accumulating traces, replayed in float64."""
    divide = spec == "linear"
    method = "traces" if lam else "horizon"
    agent = TDLinear(TICTACTOE, approximator=spec, spread=1.0, lam=lam, method=method, divide_alpha=divide)
    learner = agent.learner
    options = Options([], lam=lam, traces=lam > 0, learn_from_random=False, divide_alpha=divide)
    net = PlainNet(6, layers, 1)
    first = learner.network.weights[:, :-1].copy()
    reference = FeatureLearner(make("tictactoe"), options, net, 1, first)
    for moves, rng in train_recorded(learner, np.full(200, 0.05), np.full(200, 0.3)):
        reference.episode(moves, 0.05, 0.3, rng)
    ours = learner.network.weights[:, :-1]
    assert np.abs(ours - first).max() > 0.1
    np.testing.assert_allclose(ours, reference.weights, atol=2e-4)


def small_agent(**settings: Any) -> TDLinear:
    """One whose code the tests above have compiled."""
    return TDLinear(TICTACTOE, **{"approximator": "mlp:hidden=4", "spread": 2.0, "seed": 3, **settings})


@BOTH_WAYS
def test_saved_loaded_and_resumed_to_the_bit(tmp_path: Path, way: str) -> None:
    whole, first = small_agent(), small_agent()
    before, after = (25, 35) if way == "plain" else (130, 170)
    whole.train(before + after)
    first.train(before)
    first.save(tmp_path / "a.agent")
    second = load_agent(tmp_path / "a.agent")
    assert isinstance(second, TDLinear) and second.parameters == first.parameters
    assert second.learner.network.weights.tobytes() == first.learner.network.weights.tobytes()
    second.train(after)
    assert second.learner.network.weights.tobytes() == whole.learner.network.weights.tobytes()
    position = some_position(TICTACTOE, 4, seed=1)
    assert second.values(position) == whole.values(position)


@pytest.mark.slow
def test_n_ply_looks_ahead_with_its_values() -> None:
    agent = small_agent()
    agent.train(200)
    position = some_position(TICTACTOE, 4, seed=8)
    wanted = PlainNPly(PlainJudge(agent, zero_sum=True)).values(position, 2)
    assert NPly(TICTACTOE, agent=agent, depth=2).values(position) == pytest.approx(wanted, abs=1e-5)


@pytest.mark.slow
def test_nimm_3_by_the_divisibility_features_is_perfect() -> None:
    """Of the features "divisible by k", k = 2..5, only that of 4 matters, and it gets the largest weight."""
    for seed in range(1, 6):
        agent = TDLinear(NIMM3, seed=seed, episodes=2000)
        agent.train(2000)
        assert make_evaluator("perfect", NIMM3).evaluate(agent, seed=seed).result.mean == 0.0
        rows = agent.weight_table()
        assert rows is not None
        assert [name for name, _ in rows] == ["g_2", "g_3", "g_4", "g_5", "bias"]
        table = dict(rows)
        for player in (0, 1):
            assert max(table, key=lambda name: abs(table[name][player])) == "g_4"
            assert table["g_4"][player] > 1.0


# ------------------------------------------------------------ names and first weights


def test_weights_have_the_names_of_what_they_weigh() -> None:
    agent = TDLinear(TICTACTOE, approximator="linear:features=cells", algorithm="q-farl", bias=False)
    rows = agent.weight_table()
    assert rows is not None and len(rows) == 27 and {len(weights) for _, weights in rows} == {2 * 9}
    assert [name for name, _ in rows[:4]] == ["a1 O", "a1 .", "a1 X", "b1 O"]
    agent.learner.network.weights[1, 5 * 27 + 2] = 0.5  # the second player's a1 X, for action 5
    assert [k for k, w in enumerate(dict(agent.weight_table() or [])["a1 X"]) if w] == [9 + 5]
    lines = TDLinear(TICTACTOE, bias=False).weight_table()
    assert [name for name, _ in lines or []] == [
        f"{player}: {what}" for player in "XO" for what in ("singlets", "doublets", "crossings")
    ]
    assert TDPerceptron(TICTACTOE).weight_table() is None
    nimm = TDLinear(NIMM3, approximator="linear:features=cells").weight_table()
    assert nimm is not None and [name for name, _ in nimm] == [f"cell 1 {k}" for k in range(16)] + ["bias"]


def test_every_game_names_its_features() -> None:
    for spec in ("tictactoe", "connect4", "othello", "hex", "nim", "nimm3", "2048", "dots", "sim"):
        game = make(spec)
        for mode in range(len(game.feature_modes)):
            names = game.feature_names(mode)
            assert len(names) == game.num_features(mode) == len(set(names))


def test_first_weights() -> None:
    agent = TDPerceptron(TICTACTOE, approximator="mlp:hidden=9+4", spread=3.0)
    weights = agent.learner.first_weights()
    assert weights.shape == (2, 7 * 9 + 10 * 4 + 5 + 1)
    first, second, last = weights[:, :54], weights[:, 63 : 63 + 36], weights[:, 103:107]
    for part, inputs in ((first, 6), (second, 9), (last, 4)):
        assert 0.5 < np.abs(part).max() / (1.5 / np.sqrt(inputs)) <= 1.0
    biases = np.concatenate([weights[:, 54:63], weights[:, 99:103], weights[:, 107:]], axis=1)
    assert not biases.any() and np.unique(np.concatenate([first, second, last], axis=1)).size == 2 * 94
    other = TDPerceptron(TICTACTOE, approximator="mlp:hidden=9+4", spread=3.0, seed=2).learner.first_weights()
    assert (first != other[:, :54]).all()


@pytest.mark.parametrize(
    ("settings", "value"),
    [
        ({"approximator": "linear"}, 0.5),
        ({"approximator": "linear:features=cells", "bias": False}, 0.5),
        ({"approximator": "linear", "algorithm": "q-farl"}, 0.5),
        ({"approximator": "mlp", "spread": 2.0}, -0.25),
        ({"approximator": "mlp", "spread": 2.0, "output": "logistic", "algorithm": "q-farl"}, 0.5),
    ],
)
def test_a_start_value_is_that_of_every_position(settings: dict[str, Any], value: float) -> None:
    agent = TDLinear(TICTACTOE, start_value=value, **settings)
    for plies in (0, 3):
        found = rated(agent, some_position(TICTACTOE, plies, seed=1))
        wanted = (value + 1) / 2 if agent.parameters.output == "logistic" else value
        assert list(found.values()) == pytest.approx([wanted] * len(found), abs=1e-6)


# ------------------------------------------------------------ what is looked at, and what is refused


class Bare(Game):
    """Take one or two stones; neither cells nor features."""

    title = "Bare"
    state = np.dtype([("left", np.int8), ("player", np.int8)])
    num_actions = 2

    def reset(self, s: Any) -> None:
        s.left = 5

    def legal_actions(self, s: Any, actions: Any) -> int:
        actions[0], actions[1] = 0, 1
        return min(2, int(s.left))

    def advance(self, s: Any, action: int) -> None:
        s.left = int(s.left) - action - 1
        s.player = 1 - int(s.player)

    def is_over(self, s: Any) -> bool:
        return int(s.left) == 0

    def scores(self, s: Any, out: Any) -> None:
        out[0] = out[1] = 0.0
        if int(s.left) == 0:
            out[int(s.player)], out[1 - int(s.player)] = -1.0, 1.0


class Featured(Bare):
    """The same with features, and still without cells."""

    title = "Featured"

    def num_features(self, mode: int) -> int:
        return 3

    def features(self, s: Any, mode: int, out: Any) -> None:
        for k in range(3):
            out[k] = int(s.left) % 3 == k


def test_what_is_looked_at() -> None:
    def summary(game: Game, approximator: str = "linear") -> str:
        return TDLinear(game, approximator=approximator).summary.partition(",")[0]

    assert summary(TICTACTOE) == "a linear function of 6 features (lines)"
    assert summary(TICTACTOE, "linear:features=1") == summary(TICTACTOE, "linear:features=lines") == summary(TICTACTOE)
    assert summary(TICTACTOE, "linear:features=0") == "a linear function of 9 features (cells)"
    assert summary(TICTACTOE, "linear:features=cells") == "a linear function of 27 one-hot cells"
    assert summary(make("dots"), "linear:features=box sides") == "a linear function of 7 features (box sides)"
    assert summary(DiceBoard()) == summary(DiceBoard(), "linear:features=cells")
    assert "one-hot" in summary(DiceBoard())
    assert summary(Featured()) == "a linear function of 3 features (cells)"
    assert summary(Featured(), "linear:features=cells") == summary(Featured())
    assert TDPerceptron(TICTACTOE, approximator="mlp:hidden=20+10").summary.startswith(
        "a perceptron with 20+10 hidden units over 6 features (lines), 361 weights in 2 table sets"
    )


@pytest.mark.parametrize(
    ("game", "settings", "sentence"),
    [
        (Bare(), {}, "Bare has neither cells nor features of its own, so linear has nothing to look at"),
        (
            TICTACTOE,
            {"approximator": "linear:features=line"},
            "there is no feature mode of Tic-tac-toe 'line'; did you mean 'lines'? Known: default, cells, lines",
        ),
        (TICTACTOE, {"approximator": "mlp:features=2", "spread": 1}, "there is no feature mode of Tic-tac-toe '2'"),
        (TICTACTOE, {"tables": "inversion"}, "board inversion needs a board"),
        (TICTACTOE, {"approximator": "mlp"}, "mlp learns nothing from weights that are all alike; give spread=2"),
        (TICTACTOE, {"approximator": "mlp:hidden=20+", "spread": 1}, "hidden is the number of units in each of 1 to 8"),
        (TICTACTOE, {"approximator": "mlp:hidden=0", "spread": 1}, "hidden is the number of units"),
        (TICTACTOE, {"approximator": "mlp:hidden=²", "spread": 1}, "hidden is the number of units"),
        (TICTACTOE, {"approximator": "linear:hidden=3"}, "there is no parameter of the approximator linear 'hidden'"),
        (TICTACTOE, {"approximator": "mlp", "spread": 1, "lam": 0.5}, "is not kept in a horizon; take method=traces"),
        (TICTACTOE, {"approximator": "ntuple"}, "an agent without n-tuples cannot have approximator=ntuple"),
    ],
)
def test_what_does_not_fit_is_refused(game: Game, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BoardlabError) as caught:
        TDLinear(game, **settings)
    assert sentence in str(caught.value)


def test_a_start_value_that_no_weights_give_is_refused() -> None:
    for settings, sentence in (
        ({"bias": False, "start_value": 0.5}, "start_value needs a weight that is always active"),
        ({"start_value": 1.0}, "take a start_value between them"),
    ):
        with pytest.raises(BoardlabError, match=sentence):
            TDLinear(TICTACTOE, **settings).learner.first_weights()


# ------------------------------------------------------------ any combination


COMBINATIONS: list[tuple[Game, dict[str, Any]]] = [
    (NIMM3, {"approximator": "linear", "algorithm": "sarsa-farl"}),
    (NIMM3, {"approximator": "mlp:hidden=3", "algorithm": "q-farl", "lam": 0.5, "method": "traces"}),
    (NIMM3, {"approximator": "linear", "algorithm": "td-self-play", "tables": "shared", "rule": "tcl-exp"}),
    (NIMM3, {"approximator": "mlp:hidden=3+2", "algorithm": "td-self-play", "lam": 0.5, "method": "traces"}),
    (NIMM3, {"approximator": "mlp:hidden=3", "algorithm": "q-self-play", "tables": "shared", "replay": 20}),
    (TICTACTOE, {"approximator": "linear:features=cells", "tables": "inversion", "lam": 0.5}),
    (TICTACTOE, {"approximator": "mlp:features=cells,hidden=3", "tables": "inversion", "output": "logistic"}),
    (make("nim:players=3,heaps=2,stones=3"), {"approximator": "mlp:hidden=3,activation=logistic", "replay": 9}),
    (Featured(), {"approximator": "linear", "algorithm": "q-farl", "output": "identity"}),
]


def trained_plainly(game: Game, settings: dict[str, Any], episodes: int) -> LearnedAgent:
    """Trained by random moves, uncompiled."""
    agent = TDLinear(game, **settings, spread=2.0, alpha=0.1, learn_from_random=_learns_random(settings))
    rates = np.full(episodes, 0.1), np.full(episodes, 1.0)
    train_plainly(game, agent.learner.work(), *rates, agent.learner.streams[0])
    return agent


def _learns_random(settings: dict[str, Any]) -> bool:
    return "algorithm" not in settings


@pytest.mark.parametrize(("game", "settings"), COMBINATIONS)
def test_any_combination_learns(game: Game, settings: dict[str, Any]) -> None:
    agent = trained_plainly(game, settings, 10)
    weights = agent.learner.network.weights
    assert np.isfinite(weights).all() and (weights != agent.learner.first_weights()).any()


@pytest.mark.slow
@pytest.mark.parametrize(("game", "settings"), COMBINATIONS)
def test_compiled_and_plain_trainings_are_the_same(game: Game, settings: dict[str, Any]) -> None:
    """Random moves only, so that rounding changes no choice."""
    uncompiled = trained_plainly(game, settings, 40)
    agent = TDLinear(game, **settings, spread=2.0, alpha=0.1, learn_from_random=_learns_random(settings))
    agent.learner.train(np.full(40, 0.1), np.full(40, 1.0))
    np.testing.assert_allclose(agent.learner.network.weights, uncompiled.learner.network.weights, atol=1e-4)
    assert agent.learner.streams[0].tolist() == uncompiled.learner.streams[0].tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "settings", "episodes", "reached"),
    [
        (TDLinear, {}, 20_000, -0.35),
        (TDPerceptron, {}, 200_000, -0.35),
        (TDPerceptron, {"approximator": "mlp:features=cells"}, 200_000, -0.5),
    ],
)
def test_tic_tac_toe_is_learned(
    agent: type[LearnedAgent], settings: dict[str, Any], episodes: int, reached: float
) -> None:
    """Mean of three seeds against the perfect player, from all ten starts in both roles; a random player has -0.87."""
    found = []
    for seed in (1, 2, 3):
        learner = agent(TICTACTOE, seed=seed, episodes=episodes, **settings)
        learner.train(episodes)
        found.append(make_evaluator("perfect", TICTACTOE).evaluate(learner, seed=1).result.mean)
    print(agent.name, settings, found)
    assert np.mean(found) >= reached
