"""Every algorithm, rule and trace by the kernels against slow references from the papers: after 200 episodes all
weights agree. TD-FARL with its many switches is in test_episode.py, replay memories are in test_replay.py, and what
else an episode may be in test_learning_options.py.

A case is a kernel of its own to compile, some 20 seconds; so the fast tests are a choice in plain Python, and the whole
table is slow.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from learners import BOTH_WAYS, EPISODES, agree
from own_dice import OwnDice2048

from boardlab import make
from boardlab.learn.rules import refusal, rule_class, rule_names

TicTacToe = partial(make, "tictactoe")
GAMES: dict[str, tuple[Any, dict[str, Any]]] = {
    "tictactoe": (TicTacToe, {"tuples": "walk:3x4", "alpha": (0.1, 0.1), "epsilon": (0.3, 0.3)}),
    "connect4": (
        partial(make, "connect4:columns=5,rows=4"),
        {"tuples": "walk:4x5", "alpha": (0.2, 0.1), "epsilon": (0.2, 0.1)},
    ),
    "nim3p": (
        partial(make, "nim:players=3,heaps=3,stones=3"),
        {"tuples": "default", "alpha": (0.2, 0.2), "epsilon": (0.15, 0.15), "symmetries": False},
    ),
    "2048": (
        OwnDice2048,
        {**{"tuples": "walk:2x3", "alpha": (0.3, 0.3), "epsilon": (0.0, 0.0), "max_moves": 12, "output": "identity"}},
    ),
}
ALGORITHMS = ("td-farl", "sarsa-farl", "q-farl", "td-self-play", "q-self-play")
TRACES: dict[str, dict[str, Any]] = {
    "none": {},
    "horizon": {"lam": 0.6, "horizon": 3},
    "accumulating": {"lam": 0.8, "traces": True},
    "replacing": {"lam": 0.8, "traces": True, "replace": True},
}


def learn(game: str, **options: Any) -> None:
    """Train kernels and reference on one of the games, and compare."""
    make_game, usual = GAMES[game]
    agree(make_game, **{**usual, **options})


# ------------------------------------------------------------ a choice of them, fast

FAST: dict[str, dict[str, Any]] = {
    "sarsa": {"algorithm": "sarsa-farl"},
    "sarsa, horizon, reset, no farl": {
        **{"algorithm": "sarsa-farl", "lam": 0.6, "horizon": 3, "reset": True, "farl_others": False, "gamma": 0.9},
    },
    "q": {"algorithm": "q-farl", "tables": "shared", "bias": True},
    "q, horizon": {"algorithm": "q-farl", "lam": 0.6, "horizon": 4, "choose_start": True},
    "td self-play": {"algorithm": "td-self-play"},
    "td self-play, discounted": {
        **{
            "algorithm": "td-self-play",
            "gamma": 0.9,
            "choose_start": True,
            "divide_alpha": False,
            "alpha": (0.01, 0.01),
        },
    },
    "td self-play, horizon, reset": {"algorithm": "td-self-play", "lam": 0.6, "horizon": 3, "reset": True},
    "td self-play, traces": {"algorithm": "td-self-play", "lam": 0.8, "traces": True},
    "td self-play, traces, reset": {"algorithm": "td-self-play", "lam": 0.8, "traces": True, "reset": True},
    "q self-play": {"algorithm": "q-self-play"},
    "q self-play, horizon, reset": {
        **{"algorithm": "q-self-play", "lam": 0.6, "horizon": 3, "reset": True, "gamma": 0.9},
    },
}


@BOTH_WAYS
@pytest.mark.parametrize("case", FAST)
def test_tictactoe(case: str, way: str) -> None:
    learn("tictactoe", **FAST[case], episodes=EPISODES[way])


# ------------------------------------------------------------ every algorithm with every trace on every game

WHERE = [
    (game, algorithm, trace)
    for game in GAMES
    for algorithm in ALGORITHMS
    for trace in TRACES
    if not (game == "nim3p" and algorithm.endswith("self-play"))
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "algorithm", "trace"), WHERE)
def test_algorithms(game: str, algorithm: str, trace: str) -> None:
    """With temporal coherence, and resetting traces where the number of the case is odd. Its N begins with the same in
    both tables; in self-play the second table of the reference is the opposite of ours, so there it begins with 0."""
    reset = bool(WHERE.index((game, algorithm, trace)) % 2)
    random = {"learn_from_random": False} if algorithm == "td-farl" else {}
    initial = 0.0 if algorithm.endswith("self-play") else 0.1
    learn(game, algorithm=algorithm, rule="tcl", initial=initial, reset=reset, **random, **TRACES[trace])


# ------------------------------------------------------------ tables and outputs

TABLES = [
    (algorithm, tables, output, trace)
    for algorithm in ALGORITHMS
    for tables, output, trace in (
        ("shared", "logistic", "none"),
        ("shared", "identity", "replacing"),
        ("inversion", "tanh", "none"),
        ("inversion", "logistic", "accumulating"),
    )
]


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "tables", "output", "trace"), TABLES)
def test_tables_and_outputs(algorithm: str, tables: str, output: str, trace: str) -> None:
    options = {"gamma": 0.9, "bias": True, **TRACES[trace]}
    learn("tictactoe", algorithm=algorithm, tables=tables, output=output, **options)


DOTS: dict[str, dict[str, Any]] = {
    "td self-play": {"algorithm": "td-self-play", "gamma": 0.9},
    "td self-play, inversion, traces": {"algorithm": "td-self-play", "tables": "inversion", **TRACES["replacing"]},
    "q self-play": {"algorithm": "q-self-play"},
    "sarsa": {"algorithm": "sarsa-farl"},
    "td self-play, inversion, traces, distinct": {
        **{"algorithm": "td-self-play", "tables": "inversion", "distinct": True, **TRACES["replacing"]},
    },
    "sarsa, distinct": {"algorithm": "sarsa-farl", "distinct": True},
}


@pytest.mark.slow
@pytest.mark.parametrize("case", DOTS)
def test_several_moves_in_a_row(case: str) -> None:
    """Rewards before the end, exchangeable cells; a state belongs to the player who waits there."""
    options = {"tuples": "box-walk:2x6", "alpha": (0.1, 0.1), "episodes": 60}
    agree(partial(make, "dots:rows=2,columns=2"), **{**options, **DOTS[case]})


# ------------------------------------------------------------ every step-size rule in a whole learner


def fitting(rule: str, lam: float) -> str | None:
    """An output that the rule is defined for; none with traces where it has none."""
    made = rule_class(rule)()
    return next((output for output in made.outputs if refusal(made, output, lam) is None), None)


RULE_SETTINGS: dict[str, dict[str, float]] = {"alpha-bounds": {"alpha0": 0.05}}
CASES = [
    (rule, game, trace)
    for rule in rule_names()
    for game, trace in (("tictactoe", "none"), ("tictactoe", "replacing"), ("connect4", "none"))
    if fitting(rule, TRACES[trace].get("lam", 0.0)) is not None
]


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "game", "trace"), CASES)
def test_rules_in_a_learner(rule: str, game: str, trace: str) -> None:
    """By self-play one move back, from random weights: so no error is 0 up to rounding; some rules take its sign. In
    Tic-tac-toe eight boards may hit the same weight: where a step overshoots, rounding grows without bound."""
    output = fitting(rule, TRACES[trace].get("lam", 0.0))
    options: dict[str, Any] = {
        "divide_alpha": False,
        "alpha": (0.005, 0.005) if game == "tictactoe" else (0.02, 0.02),
        "spread": 0.1,
        "initial": 0.0,
        "tolerance": 2e-4,
    }
    settings = RULE_SETTINGS.get(rule, {})
    if (rule, game) == ("elk1", "tictactoe"):
        options["symmetries"] = False  # weights hit 8 times drive it to |y| = 1, where rounding grows without bound
    learn(game, algorithm="td-self-play", rule=rule, rule_settings=settings, output=output, **options, **TRACES[trace])


ELSEWHERE = [
    (rule, game, trace)
    for rule in rule_names()
    for game, trace in (("connect4", "replacing"), ("nim3p", "none"), ("2048", "none"))
    if fitting(rule, TRACES[trace].get("lam", 0.0)) is not None
]
CALM: dict[str, dict[str, dict[str, float]]] = {
    "nim3p": {"nl-idbd": {"theta": 0.1}},
    "2048": {"idbd": {"theta": 1e-6}, "smd": {"theta": 1e-6}, "nl-idbd": {"theta": 1e-3}, "alap": {"theta": 1e-4}},
}
"""Rules that adapt their step sizes by the error, which is as large as the scores of 2048: with their own settings they
overshoot, and rounding grows without bound."""


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "game", "trace"), ELSEWHERE)
def test_rules_with_traces_three_players_and_chance(rule: str, game: str, trace: str) -> None:
    """Two positions of 2048 may look at the same weights; gamma lets no error be 0 up to rounding there."""
    settings = {**RULE_SETTINGS.get(rule, {}), **CALM.get(game, {}).get(rule, {})}
    output = fitting(rule, TRACES[trace].get("lam", 0.0))
    if game == "2048":
        output = "identity" if "identity" in rule_class(rule)().outputs else output
        settings.update({"alpha0": 1e-4} if rule_class(rule).own_alpha else {})
    learn(
        game,
        algorithm="td-self-play" if game == "connect4" else "td-farl",
        rule=rule,
        rule_settings=settings,
        output=output,
        **{"divide_alpha": False, "alpha": (0.02, 0.02), "spread": 0.1, "initial": 0.0, "tolerance": 2e-4},
        gamma=0.9 if game == "2048" else 1.0,
        **TRACES[trace],
    )


NEXT = [(algorithm, trace) for algorithm in ALGORITHMS for trace in ("none", "accumulating")]


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "trace"), NEXT)
def test_alpha_bounds_knows_the_next_position(algorithm: str, trace: str) -> None:
    """The only rule that looks at it; every algorithm has another one. Without final adaptation the bound comes from
    updates with a next position, most of them. Where the best of several is looked at, it must be known which it is."""
    options: dict[str, Any] = {"rule": "alpha-bounds", "rule_settings": {"alpha0": 0.05}, "tables": "shared"}
    if algorithm == "q-self-play":
        options.update(spread=0.1, symmetries=False)
    learn("tictactoe", algorithm=algorithm, farl_others=False, farl_terminal=False, **options, **TRACES[trace])
