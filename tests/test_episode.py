"""TD-FARL by the kernels against the slow reference: after hundreds of episodes every weight agrees, for games of one,
two and three players, with all switches of the learner on and off.

The reference replays the recorded moves, so rounding cannot send the two on different ways. What is left is the
rounding of float32, 6e-8 an operation: after thousands of updates up to 2e-6 of the largest weight was measured. A
mistake in the algorithm shows in the first digits. TC-Init is 0 or large against the rounding of values: where the
error signal is exactly 0, float32 leaves 1e-7 or so of it in the counters, and a TC-Init of 1e-4 would turn that into a
thousandth of the step size.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from learners import BOTH_WAYS, EPISODES, agree, by_pattern, largest_difference, make_learner
from own_dice import OwnDice2048
from reference_learner import Options

from boardlab import make

TicTacToe = partial(make, "tictactoe")
NimForThree = partial(make, "nim:players=3")
SmallConnectFour = partial(make, "connect4:columns=5,rows=4")
SmallDots = partial(make, "dots:rows=2,columns=2")


TICTACTOE = {
    "paper": {"tuples": "full", "alpha": (1.0, 0.5), "epsilon": (0.1, 0.0)},
    "horizon": {"tuples": "full", "lam": 0.5, "horizon": 4, "learn_from_random": False},
    "horizon, reset": {"tuples": "full", "lam": 0.5, "horizon": 3, "learn_from_random": False, "reset": True},
    "no symmetries, no farl": {
        **{"tuples": "points:3x5", "symmetries": False, "farl_others": False, "farl_terminal": False, "gamma": 0.9},
        **{"choose_start": True},
    },
    "only the others": {"tuples": "walk:5x4", "farl_terminal": False, "lam": 0.7, "horizon": 7, "gamma": 0.9},
    "only the terminal": {"tuples": "walk:5x4", "farl_others": False, "divide_alpha": False, "alpha": (0.01, 0.01)},
}
OTHER_PARTS = {
    "traces et": {"tuples": "walk:4x3+1x5", "lam": 0.8, "traces": True, "tables": "inversion"},
    "traces res": {"tuples": "walk:3x4", "lam": 0.8, "traces": True, "learn_from_random": False, "reset": True},
    "traces rep": {"tuples": "walk:3x4", "lam": 0.6, "traces": True, "replace": True, "output": "identity"},
    "traces rr": {
        **{"tuples": "walk:3x4", "lam": 0.9, "traces": True, "replace": True, "reset": True},
        **{"learn_from_random": False, "tables": "shared", "output": "logistic"},
    },
    "cut short": {"tuples": "full", "max_moves": 6, "choose_start": True, "output": "logistic"},
}


@pytest.mark.parametrize("case", TICTACTOE)
def test_tictactoe(case: str) -> None:
    """Two players, plain alpha: the learner that many tests use, compiled once for all of them."""
    agree(TicTacToe, **{"alpha": (0.1, 0.1), "epsilon": (0.3, 0.3), **TICTACTOE[case]})


@BOTH_WAYS
@pytest.mark.parametrize("case", OTHER_PARTS)
def test_tictactoe_with_other_parts(case: str, way: str) -> None:
    options = {"alpha": (0.1, 0.1), "epsilon": (0.3, 0.3), "episodes": EPISODES[way]}
    agree(TicTacToe, **{**options, **OTHER_PARTS[case]})


NIM = {
    "paper": {
        **{"lam": 0.5, "horizon": 7, "reset": True, "reset_all": True, "learn_from_random": False},
        **{"choose_start": True},
        **{"alpha": (0.2, 0.2), "epsilon": (0.15, 0.15)},
    },
    "Monte Carlo": {"lam": 1.0, "traces": True, "farl_terminal": False, "alpha": (0.3, 0.1), "initial": 0.0},
    "logistic, shared": {
        **{"output": "logistic", "tables": "shared", "gamma": 0.9, "divide_alpha": False, "alpha": (0.1, 0.1)},
        **{"initial": 0.1},
    },
}


@BOTH_WAYS
@pytest.mark.parametrize("case", NIM)
def test_nim_for_three(case: str, way: str) -> None:
    """Three players, temporal coherence."""
    agree(NimForThree, "default", rule="tcl", episodes=EPISODES[way], **NIM[case])


CHANCE = {
    "many short games": {"tuples": "walk:2x3", "max_moves": 12, "initial": 10.0},
    "to the end": {"tuples": "walk:2x3", "episodes": 6, "initial": 0.0, "epsilon": (0.3, 0.3)},
    "fading traces": {"tuples": "points:2x2", "episodes": 6, "initial": 0.0, "lam": 0.1, "traces": True},
    "logistic": {"tuples": "walk:2x3", "episodes": 4, "initial": 0.1, "output": "logistic", "farl_others": False},
    "seeing chance": {
        **{"tuples": "walk:2x3", "episodes": 6, "initial": 0.0, "epsilon": (0.3, 0.3)},
        **{"farl_terminal": False, "sees_chance": True},
    },
}


@BOTH_WAYS
@pytest.mark.parametrize("case", CHANCE)
def test_2048(case: str, way: str) -> None:
    """One player and chance, temporal coherence. Traces fade to nothing and come back in games this long."""
    options = {"output": "identity", "alpha": (0.3, 0.3), "epsilon": (0.0, 0.0), "episodes": EPISODES[way]}
    agree(OwnDice2048, rule="tcl", **{**options, **CHANCE[case]})


CONNECT_FOUR = {
    "paper": {"tuples": "walk:6x5", "epsilon": (0.1, 0.0), "initial": 0.0},
    "horizon": {"tuples": "walk:4x3+2x8", "lam": 0.5, "horizon": 4, "learn_from_random": False, "initial": 0.1},
    "traces": {
        **{"tuples": "walk:6x5", "lam": 0.7, "traces": True, "replace": True, "learn_from_random": False},
        **{"tables": "inversion", "initial": 0.1, "alpha": (0.3, 0.3)},
    },
}


@BOTH_WAYS
@pytest.mark.parametrize("case", CONNECT_FOUR)
def test_connect_four(case: str, way: str) -> None:
    """Cells in groups, temporal coherence with the exponential transfer function."""
    agree(SmallConnectFour, rule="tcl-exp", episodes=EPISODES[way], **CONNECT_FOUR[case])


DOTS = {
    "plain": {"tuples": "walk:3x5"},
    "inversion": {"tuples": "box-walk:2x6", "lam": 0.5, "horizon": 4, "gamma": 0.9, "tables": "inversion"},
    "traces": {"tuples": "box-walk:2x6", "lam": 0.5, "traces": True, "alpha": (0.03, 0.03), "episodes": 60},
}


@BOTH_WAYS
@pytest.mark.parametrize("case", DOTS)
def test_dots_and_boxes(case: str, way: str) -> None:
    """Exchangeable cells, several moves in a row by one player, rewards before the end."""
    agree(SmallDots, **{"alpha": (0.3, 0.3), "episodes": EPISODES[way], **DOTS[case]})


SLOW = {
    "connect4, paper": ("connect4", {"tuples": "mode1", "rule": "tcl-exp", "alpha": (3.7, 3.7), "episodes": 40}),
    "othello 6x6": (
        "othello:size=6",
        {
            **{"tuples": "walk:8x4", "rule": "tcl-exp", "lam": 0.5, "horizon": 7, "learn_from_random": False},
            **{"choose_start": True, "alpha": (0.2, 0.2), "epsilon": (0.2, 0.2), "episodes": 60},
        },
    ),
    "hex 4x4": ("hex:size=4", {"tuples": "walk:6x5", "rule": "tcl", "tables": "inversion", "choose_start": True}),
    "sim for three": ("sim:nodes=5,players=3", {"tuples": "points:6x4", "rule": "plain", "alpha": (0.1, 0.1)}),
    "tcl-delta": ("tictactoe", {"tuples": "walk:6x4", "rule": "tcl-delta", "lam": 0.8, "traces": True}),
    "tcl-pl": ("tictactoe", {"tuples": "walk:6x4", "rule": "tcl-pl", "lam": 0.5, "horizon": 4}),
    "nim": ("nim:permute=true", {"tuples": "default", "rule": "tcl", "lam": 0.5, "horizon": 4, "alpha": (0.5, 0.5)}),
    "dots 2x3": ("dots:rows=2,columns=3", {"tuples": "box-walk:4x8", "rule": "tcl-exp", "episodes": 30}),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", SLOW)
def test_more_games_and_rules(case: str) -> None:
    """Each is a kernel of its own to compile."""
    spec, options = SLOW[case]
    agree(partial(make, spec), **{"initial": 0.0, **options})


BASE = Options(
    [[0, 1, 2, 4], [4, 5, 7]], lam=0.5, horizon=3, learn_from_random=False, gamma=0.9, choose_start=True, max_moves=8
)
CHANGES = {
    **{"symmetries": False, "tables": "inversion", "output": "identity", "gamma": 1.0, "lam": 0.6, "horizon": 2},
    **{"traces": True, "reset": True, "learn_from_random": True, "farl_others": False, "farl_terminal": False},
    **{"choose_start": False, "divide_alpha": False, "max_moves": 5},
}


@BOTH_WAYS
@pytest.mark.parametrize("switch", CHANGES)
def test_every_switch_changes_what_is_learned(switch: str, way: str) -> None:
    """So that none of the agreements above is one of two learners that both ignore the switch."""
    trained = []
    for options in (BASE, replace(BASE, **{switch: CHANGES[switch]})):
        learner = make_learner(TicTacToe(), options, seed=3)
        learner.train(np.full(50, 0.1), np.full(50, 0.3))
        trained.append(by_pattern(learner.values.layout, learner.network.weights))
    assert largest_difference(*trained) > 0.001


@BOTH_WAYS
def test_replaced_traces_differ_from_accumulated_ones(way: str) -> None:
    options = replace(BASE, traces=True)
    learners = [make_learner(TicTacToe(), replace(options, replace=way), seed=3) for way in (False, True)]
    for learner in learners:
        learner.train(np.full(50, 0.1), np.full(50, 0.3))
    assert not np.array_equal(learners[0].network.weights, learners[1].network.weights)


@BOTH_WAYS
def test_a_diverged_network_goes_on(way: str) -> None:
    """Weights that are no numbers any more must not send the choice of an action out of its list."""
    learner = make_learner(TicTacToe(), replace(BASE, output="identity"), seed=3)
    learner.network.weights[:] = np.nan
    assert learner.train(np.full(20, 0.1), np.full(20, 0.0)).episodes == 20
