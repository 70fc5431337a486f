"""Presets of published results: every row of the tables has one, with the table's numbers, and makes its agent."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from boardlab import make
from boardlab.agents.learning import LearningAgent
from boardlab.errors import BoardlabError
from boardlab.game import Game
from boardlab.lab import presets
from boardlab.lab.planning import make_plan, new_learner
from boardlab.lab.presets import (
    preset_agent,
    preset_doc,
    preset_evaluation,
    preset_names,
    preset_rows,
    preset_settings,
    preset_sources,
)
from boardlab.lab.stop import Stop
from boardlab.lab.wish import TrainingWish
from boardlab.ntuple.generators import random_walk
from boardlab.registry import split_spec
from boardlab.rng import make_rng

ALL = [(make(p["game"], **p.get("settings", {})), p["name"]) for p in presets._presets()]
"""Every preset, with the game that it is for."""
IDS = [f"{game.spec} {name}" for game, name in ALL]

# Thill 2015. Row: alpha at the start (of the rule, where it has step sizes of its own), and what else the tables print.
TABLE_5_1: dict[str, dict[str, Any]] = {
    "Former TDL": {"alpha": 0.004, "alpha_end": 0.002, "epsilon": 0.6},
    "Tuned TDL": {"alpha": 0.004, "alpha_end": 0.002},
    "TCL[delta]": {"alpha": 0.04, "rule": "tcl-delta"},
    "TCL[r]": {"alpha": 0.04, "rule": "tcl"},
    "TCL-EXP": {"alpha": 0.05, "beta": 2.7, "rule": "tcl-exp"},
    "IDBD": {"alpha0": 0.0067, "theta": 3.0, "rule": "idbd", "output": "identity"},
    "nl-IDBD": {"alpha0": 0.0302, "theta": 3.1, "rule": "nl-idbd", "output": "logistic"},
    "SMD": {"alpha0": 0.0302, "theta": 3.1, "rule": "smd", "output": "logistic"},
    "Autostep": {"alpha0": 0.005, "mu": 1e-4, "rule": "autostep", "output": "identity"},
    "K1": {"alpha0": 0.009, "theta": 6.0, "rule": "k1", "output": "identity"},
    "ELK1": {"alpha0": 0.0111, "theta": 5.0, "rule": "elk1"},
    "alpha-bounds": {"alpha0": 1.0, "rule": "alpha-bounds"},
}
TABLE_5_2: dict[str, dict[str, Any]] = {
    "TDL": {"lam": 0.0},
    "TDL[et]": {"lam": 0.5},
    "TDL[rr]": {"lam": 0.8},
    "TCL-EXP": {"lam": 0.0},
    "TCL-EXP[et]": {"lam": 0.5},
    "TCL-EXP[res]": {"lam": 0.6},
    "TCL-EXP[rep]": {"lam": 0.6},
    "TCL-EXP[rr]": {"lam": 0.8},
    "TCL-M": {"lam": 0.0},
    "TCL-M[et]": {"lam": 0.5},
    "TCL-M[rr]": {"lam": 0.8},
    "nl-IDBD": {"lam": 0.0},
    "nl-IDBD[et]": {"lam": 0.5},
    "nl-IDBD[rr]": {"lam": 0.5},
    "SMD": {"lam": 0.0},
    "SMD[et]": {"lam": 0.5},
    "SMD[rr]": {"lam": 0.7},
}
TABLE_5_3: dict[str, dict[str, Any]] = {
    "TDL": {"alpha": 7e-4, "lam": 0.0, "rule": "plain"},
    "TCL-EXP": {"alpha": 0.001, "lam": 0.0, "beta": 1.3, "rule": "tcl-exp"},
    "TCL-EXP[rr]": {"alpha": 0.001, "lam": 0.8, "beta": 1.3, "rule": "tcl-exp"},
    "Autostep": {"alpha0": math.exp(-6), "lam": 0.0, "mu": 1e-4, "rule": "autostep", "output": "identity"},
    "nl-IDBD": {"alpha0": math.exp(-7.6), "lam": 0.0, "theta": 1.0, "rule": "nl-idbd", "output": "logistic"},
    "nl-IDBD[rr]": {"alpha0": math.exp(-7.6), "lam": 0.6, "theta": 1.0, "rule": "nl-idbd", "output": "logistic"},
}
THESIS = {
    **{f"Table 5.1, {row}": printed for row, printed in TABLE_5_1.items()},
    **{f"Table 5.2, {row}": printed for row, printed in TABLE_5_2.items()},
    **{f"Table 5.3, {row}": printed for row, printed in TABLE_5_3.items()},
}
CAPTIONS = {"episodes", "epsilon", "epsilon_end", "epsilon_schedule", "rule", "method", "lam", "eligibility"}
"""What the tables and their captions print of all rows; those with traces not alpha and beta, which Table 5.1 has."""


def learner(game: Game, name: str) -> LearningAgent:
    return new_learner(game, TrainingWish(preset=name, seed=1))


def rows_of(work: str) -> list[tuple[str, Game, str]]:
    """The published rows of a work, each with its preset."""
    found = [(row, game, name) for game, name in ALL for row in preset_rows(game, name)]
    return [(row, game, name) for row, game, name in found if preset_doc(game, name).startswith(f"{work}:")]


# ------------------------------------------------------------ all of them


@pytest.mark.parametrize(("game", "name"), ALL, ids=IDS)
def test_a_preset_makes_its_agent(game: Game, name: str) -> None:
    agent = learner(game, name)
    assert agent.kind == preset_agent(game, name)
    assert agent.parameters.episodes == preset_settings(game, name)["episodes"]
    make_plan(agent, TrainingWish(preset=name, seed=1), Stop())  # its evaluator exists for the game


def test_a_preset_has_one_name_in_a_game() -> None:
    assert len({(game.spec, name) for game, name in ALL}) == len(ALL)
    assert len(ALL) == 13 + 6 + 6 + 31 + 3


def test_sources_are_those_of_values_that_are_there() -> None:
    for game, name in ALL:
        assert set(preset_sources(game, name)) <= set(preset_settings(game, name)), (game.spec, name)


def test_tc_init_of_2048_is_in_units_of_the_reward_of_gbg() -> None:
    """The paper prints 1e-4, and its authors' program divides all scores by the largest possible one."""
    game = make("2048")
    made = learner(game, "paper").parameters.model_dump()
    assert made["tc_init"] == pytest.approx(1e-4 * game.score_range[1])
    assert made["algorithm"] == "td-farl:sees_chance=true"


# ------------------------------------------------------------ Thill 2015


def test_every_row_of_the_thesis_has_one_preset() -> None:
    assert sorted(row for row, _, _ in rows_of("Thill 2015")) == sorted(THESIS)
    assert (len(TABLE_5_1), len(TABLE_5_2), len(TABLE_5_3)) == (12, 17, 6)


@pytest.mark.parametrize(("row", "game", "name"), rows_of("Thill 2015"), ids=lambda x: x if isinstance(x, str) else "")
def test_a_preset_of_the_thesis_has_what_its_row_prints(row: str, game: Game, name: str) -> None:
    made = learner(game, name).parameters.model_dump()
    rule, own = split_spec(made["rule"])
    printed = THESIS[row]
    for parameter, value in printed.items():
        found = rule if parameter == "rule" else own.get(parameter, made.get(parameter))
        assert found == value or float(found) == pytest.approx(value, rel=1e-6), parameter
    traces = row.partition("[")[2].rstrip("]") if "TCL[" not in row else ""
    assert (made["method"], made["eligibility"]) == (("traces", traces) if traces else ("horizon", "et"))
    assert (made["gamma"], made["divide_alpha"], made["algorithm"]) == (1.0, False, "td-self-play")
    assert made["spread"] == 0.001
    assert "TCL" not in row or made["tc_init"] == 0.0
    connect4 = "Table 5.3" not in row
    assert game.spec == ("connect4" if connect4 else "dots")
    assert made["epsilon"] == printed.get("epsilon", 0.1 if connect4 else 0.2)
    assert made["episodes"] == (2_000_000 if connect4 else 50_000)
    hits = "once" if "TCL-" in row and traces in ("rep", "rr") else "default"
    assert (made["tables"], made["hits"]) == (("per-player", hits) if connect4 else ("inversion", "distinct"))
    tuples = "walks150" if "TCL-M" in row else "mode1"
    assert made["tuples"] == (tuples if connect4 else "box-walk:80x16")
    assert made["output"] == printed.get("output", made["output"])
    assert preset_evaluation(game, name)["evaluate_every"] == (10_000 if connect4 else 1_000)


def test_with_and_without_traces_a_rule_has_the_same_settings() -> None:
    game = make("connect4")
    for name in [name for name in preset_names(game) if name.startswith("thesis-")]:
        bare = name.rsplit("-", 1)[0]
        if name.endswith(("-et", "-res", "-rep", "-rr")):
            more = preset_settings(game, name)
            of_traces = ["method", "lam", "eligibility"]
            if "-tcl-" in name and more["eligibility"] in ("rep", "rr"):
                of_traces.append("hits")
            assert {k: v for k, v in more.items() if k not in of_traces} == preset_settings(game, bare)


def test_what_the_thesis_does_not_print_in_a_row_says_where_it_comes_from() -> None:
    for row, game, name in rows_of("Thill 2015"):
        unprinted = set(preset_settings(game, name)) - CAPTIONS - set(THESIS[row])
        if "[" in row and row.startswith("Table 5.2"):
            unprinted |= {"alpha", "beta"} & set(preset_settings(game, name))
        if len(preset_rows(game, name)) == 1:
            assert unprinted <= set(preset_sources(game, name)), (row, unprinted - set(preset_sources(game, name)))


def test_the_70_tuples_of_the_thesis_are_set_mode1() -> None:
    """The numbering of the cells: column by column, from the bottom. The first tuple is a walk of a king, which it
    would not be if rows and columns were exchanged; and the mirrored board has the columns in reverse order."""
    game = make("connect4")
    tuples = game.tuple_sets()["mode1"]
    assert len(tuples) == 70
    assert {len(cells) for cells in tuples} == {8}
    assert tuples[0] == [0, 6, 7, 12, 13, 14, 19, 21]
    assert game.symmetries()[1].tolist() == [(6 - cell // 6) * 6 + cell % 6 for cell in range(42)]
    cells = np.zeros(42, np.int8)
    game.cells(game.start().play("2").play("2").state, cells)
    assert cells.tolist() == [3, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, *([3, 0, 0, 0, 0, 0] * 5)]


def test_the_150_tuples_are_the_70_and_80_walks() -> None:
    """As they were drawn once."""
    game, rng = make("connect4"), make_rng(2, 5)
    sets = game.tuple_sets()
    assert sets["walks150"] == [*sets["mode1"], *(random_walk(game, 8, rng) for _ in range(80))]


# ------------------------------------------------------------ Thill et al. 2012


def test_the_variants_of_2012() -> None:
    found = {
        name: (game, learner(game, name).parameters.model_dump())
        for _, game, name in rows_of("Thill, Koch and Konen 2012")
    }
    assert len(found) == 6
    for game, p in found.values():
        assert (p["episodes"], p["epsilon"], p["epsilon_end"], p["epsilon_schedule"]) == (10**7, 0.95, 0.1, "sigmoidal")
        assert (p["alpha_schedule"], p["rule"], p["spread"], p["output"]) == ("exponential", "plain", 0.0, "tanh")
        assert (p["divide_alpha"], p["algorithm"], game.name) == (False, "td-self-play", "connect4")
    variants = {
        name: (game.spec, p["tables"], p["tuples"], p["alpha"], p["alpha_end"]) for name, (game, p) in found.items()
    }
    assert variants == {
        "ppsn2012-one-table-p3": ("connect4:coding=3", "shared", "mode1", 0.01, 0.001),
        "ppsn2012-one-table-p4": ("connect4", "shared", "mode1", 0.01, 0.001),
        "ppsn2012-two-tables-p3": ("connect4:coding=3", "per-player", "mode1", 0.01, 0.001),
        "ppsn2012-two-tables-p4": ("connect4", "per-player", "mode1", 0.01, 0.001),
        "ppsn2012-other-tuples": ("connect4", "per-player", "walk:70x8", 0.01, 0.001),
        "ppsn2012-tuned-alpha": ("connect4", "per-player", "mode1", 0.004, 0.002),
    }


def test_who_asks_for_another_coding_is_told_where_the_preset_is() -> None:
    with pytest.raises(BoardlabError, match=r"games with it: connect4:coding=3 "):
        preset_settings(make("connect4"), "ppsn2012-two-tables-p3")


# ------------------------------------------------------------ Figure 3 of the FARL paper


def test_figure_3_has_td_sarsa_and_q_with_and_without_final_adaptation() -> None:
    game = make("tictactoe")
    names = [name for name in preset_names(game) if name.startswith("farl-fig3-")]
    made = {name: (preset_agent(game, name), learner(game, name).parameters.model_dump()) for name in names}
    assert {name: (agent, p["algorithm"], p["farl"]) for name, (agent, p) in made.items()} == {
        "farl-fig3-td": ("td-ntuple", "td-farl", True),
        "farl-fig3-td-nofarl": ("td-ntuple", "td-farl", False),
        "farl-fig3-sarsa": ("sarsa-ntuple", "sarsa-farl", True),
        "farl-fig3-sarsa-nofarl": ("sarsa-ntuple", "sarsa-farl", False),
        "farl-fig3-q": ("q-ntuple", "q-farl", True),
        "farl-fig3-q-nofarl": ("q-ntuple", "q-farl", False),
    }
    paper = preset_settings(game, "paper")
    for _, p in made.values():
        assert {k: p[k] for k in paper if k != "learn_from_random"} == {
            k: v for k, v in paper.items() if k != "learn_from_random"
        }


# ------------------------------------------------------------ how they are measured


@pytest.mark.parametrize(
    ("wish", "evaluator", "every"),
    [
        ({}, "c4-thesis", 10_000),
        ({"evaluate_every": 50_000}, "c4-thesis", 50_000),
        ({"evaluator": "mcts"}, "mcts", 100_000),
        ({"against": "random"}, "all-roles", 100_000),
    ],
)
def test_a_training_is_measured_as_its_preset_says_or_as_one_asks(
    wish: dict[str, Any], evaluator: str, every: int
) -> None:
    game = make("connect4")
    plan = make_plan(learner(game, "thesis-tdl"), TrainingWish(preset="thesis-tdl", **wish), Stop())
    assert (plan.evaluator, plan.evaluate_every) == (evaluator, every)
