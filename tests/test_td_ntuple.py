"""The agent td-ntuple: its parameters, the presets of the paper, playing, and agents from files."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boardlab import BoardlabError, make, make_rng
from boardlab.agents.files import load_agent
from boardlab.agents.registry import make_agent
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.components.models import model_parameters
from boardlab.lab.presets import preset_doc, preset_names, preset_settings, preset_sources

GAME = make("tictactoe")


def small_agent(**settings: Any) -> TDNTuple:
    return TDNTuple(GAME, **{"rule": "plain", "tuples": "full", "episodes": 1000, **settings})


# ------------------------------------------------------------ parameters


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"alpha": "0"}, "alpha of td-ntuple is a number above 0 and not above 1000, not 0"),
        ({"epsilon": 1.5}, "epsilon of td-ntuple is a number from 0 to 1, not 1.5"),
        ({"epsilon_end": "no"}, "epsilon_end of td-ntuple is a number from 0 to 1 or none, not no"),
        ({"episodes": "2.5"}, "episodes of td-ntuple is a whole number from 1 to 1000000000, not 2.5"),
        ({"seed": "-1"}, "seed of td-ntuple is a whole number from 0 to 999999999999, not -1"),
        ({"output": "relu"}, "output of td-ntuple is tanh or logistic or identity, not relu"),
        ({"alhpa": 1}, "there is no parameter of td-ntuple 'alhpa'; did you mean 'alpha'? Known: approximator,"),
        (
            {"rule": "tlc"},
            "there is no step-size rule 'tlc'; did you mean 'tcl'? Known: alap, ",
        ),
        ({"tuples": "walk:70"}, "'walk:70' must give count and length, as walk:70x8 or walk:50x6+20x8"),
        ({"tuples": "walk:5x10"}, "Tic-tac-toe has 9 cells, so a tuple cannot have 10"),
        ({"tuples": "mode77"}, "there is no tuple set of Tic-tac-toe 'mode77'"),
        ({"eligibility": "rr"}, "these parameters of td-ntuple do not fit together: replacing traces (rep, rr) need"),
        ({"lam": 1}, "these parameters of td-ntuple do not fit together: lambda = 1 has no horizon; take lambda"),
        (
            {"alpha_schedule": "constant", "alpha_end": 0.5},
            "these parameters of td-ntuple do not fit together: a constant alpha has no other end value",
        ),
        (
            {"epsilon_schedule": "constant", "epsilon_end": 0},
            "these parameters of td-ntuple do not fit together: a constant epsilon has no other end value",
        ),
        (
            {"epsilon_schedule": "exponential", "epsilon": 0.1, "epsilon_end": "0"},
            "these parameters of td-ntuple do not fit together: an exponential schedule of epsilon runs between",
        ),
    ],
)
def test_wrong_parameters_are_explained(settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(BoardlabError) as caught:
        TDNTuple(GAME, **settings)
    assert str(caught.value).startswith(sentence)


def test_every_parameter_is_documented_with_its_range() -> None:
    for name, field in TDNTuple.Parameters.model_fields.items():
        assert field.description, name
        assert "value" not in model_parameters(TDNTuple.Parameters)[name].range_text(), name


@pytest.mark.parametrize(("lam", "cut", "stored"), [(0.5, 0.1, 4), (0.5, 0.01, 7), (0.1, 0.1, 2), (0, 0.1, 1)])
def test_the_horizon(lam: float, cut: float, stored: int) -> None:
    """lambda 0.5 keeps 4 afterstates with a cut of 0.1 and 7 with 0.01."""
    agent = small_agent(lam=lam, horizon_cut=cut)
    assert agent.parameters.horizon == stored
    assert agent.learner.parts.trace.horizon == stored


def test_a_horizon_is_never_longer_than_a_game() -> None:
    assert small_agent(lam=0.999).learner.parts.trace.horizon == GAME.max_moves


def test_all_chains_are_reset_by_td_farl_alone() -> None:
    agent = make_agent("td-ntuple:lam=0.5,eligibility=res-all", make("tictactoe"))
    assert agent.learner.settings.reset_all and agent.learner.settings.reset_on_random  # type: ignore[attr-defined]
    with pytest.raises(BoardlabError, match="res-all is for td-farl; with td-self-play take eligibility=res"):
        make_agent("td-self-play:eligibility=res-all", make("tictactoe"))


def test_an_impossible_size_is_refused_with_its_number() -> None:
    with pytest.raises(BoardlabError, match=r"these n-tuples need 150,094,635,296,999,121 weights"):
        TDNTuple(make("hex"), tuples="points:1x36")


def test_alpha_and_epsilon_of_the_paper() -> None:
    """TicTacToe: alpha falls linearly from 1 to 0.5 and epsilon from 0.1 to 0 (section 3), and both stay there."""
    agent = TDNTuple(GAME, **preset_settings(GAME, "paper"))
    alphas, epsilons = agent.rates(0, 30_002).values()
    assert (alphas[0], epsilons[0]) == (1.0, 0.1)
    assert alphas[29_999:] == pytest.approx([0.5] * 3)
    assert epsilons[29_999:] == pytest.approx([0.0] * 3)
    assert np.diff(alphas[:30_000]) == pytest.approx([-0.5 / 29_999] * 29_999)
    assert np.diff(epsilons[:30_000]) == pytest.approx([-0.1 / 29_999] * 29_999)


def test_alpha_falls_geometrically_where_nobody_says() -> None:
    """An agent file from before has no other meaning: what it does not say is the default."""
    alphas = small_agent(alpha=1.0, alpha_end=0.5, episodes=100).rates(0, 100)["alpha"]
    assert np.diff(np.log(alphas)) == pytest.approx([math.log(0.5) / 99] * 99)


# ------------------------------------------------------------ presets

TCL = {"rule": "tcl", "tc_init": 1e-4}
TCL_EXP = {"rule": "tcl-exp", "tc_init": 1e-4, "beta": 2.7}
TANH = {"output": "tanh", "lam": 0.0}

APPENDIX_A6 = {
    "2048": {
        **{"episodes": 200_000, "alpha": 1.0, "alpha_end": None, "epsilon": 0.0, "epsilon_end": None},
        **{"tuples": "mode2", "output": "identity", "lam": 0.0, "choose_start": False, **TCL},
        "rule": "tcl:fine=true",  # counters as of double precision, which GBG has
        "tc_init": 393.2156,  # 1e-4 of the largest score, by which GBG divides its rewards
    },
    "tictactoe": {
        **{"episodes": 30_000, "alpha": 1.0, "alpha_end": 0.5, "epsilon": 0.1, "epsilon_end": 0.0},
        **{"tuples": "points:1x9", "rule": "plain", "choose_start": False, "learn_from_random": True, **TANH},
        "alpha_schedule": "linear",
    },
    "connect4": {
        **{"episodes": 5_000_000, "alpha": 3.7, "alpha_end": None, "epsilon": 0.1, "epsilon_end": 0.0},
        **{"tuples": "mode1", "choose_start": False, "learn_from_random": True, **TCL_EXP, **TANH},
    },
    "hex": {
        **{"episodes": 300_000, "alpha": 1.0, "alpha_end": 0.5, "epsilon": 0.2, "epsilon_end": None},
        **{"tuples": "cluster:25x6", "choose_start": True, "learn_from_random": True, **TCL, **TANH},
    },
    "othello": {
        **{"episodes": 250_000, "alpha": 0.2, "alpha_end": None, "epsilon": 0.2, "epsilon_end": None},
        **{"tuples": "mode6", "output": "tanh", "lam": 0.5, "horizon_cut": 0.01, "eligibility": "et"},
        **{"choose_start": True, "learn_from_random": False, **TCL_EXP},
    },
    "nim": {
        **{"episodes": 20_000, "alpha": 0.5, "alpha_end": None, "epsilon": 0.1, "epsilon_end": 0.0},
        **{"tuples": "mode1", "output": "tanh", "lam": 0.5, "horizon_cut": 0.1, "eligibility": "et"},
        **{"choose_start": False, "learn_from_random": True, **TCL},
    },
    "nim:players=3": {
        **{"episodes": 300_000, "alpha": 0.2, "alpha_end": None, "epsilon": 0.15, "epsilon_end": None},
        **{"tuples": "mode2", "output": "tanh", "lam": 0.5, "horizon_cut": 0.01, "eligibility": "res-all"},
        **{"choose_start": True, "learn_from_random": False, **TCL},
    },
}
"""The FARL paper, appendix A.6, completed: who learns from random moves, and that epsilon ends at 0 in Nim for
two players."""

COMMON = {
    **{"symmetries": True, "tables": "per-player", "bias": False, "gamma": 1.0, "method": "horizon"},
    **{"divide_alpha": True, "farl": True, "farl_others": True, "farl_terminal": True, "max_moves": None},
    **{"alpha_schedule": "exponential", "epsilon_schedule": "linear"},
}

PRINTED = {
    # TC-Init is in units that are not printed, nor is the precision of the counters
    "2048": {"episodes", "alpha", "epsilon", "tuples", "output"},
    "tictactoe": {"episodes", "alpha", "alpha_end", "alpha_schedule", "epsilon", "epsilon_end", "tuples"},
    "connect4": {"episodes", "alpha", "epsilon", "epsilon_end", "tuples", "rule", "tc_init", "beta"},
    "hex": {"episodes", "alpha", "alpha_end", "epsilon", "rule", "tc_init", "choose_start", "learn_from_random"},
    "othello": {
        *("episodes", "alpha", "epsilon", "lam", "horizon_cut", "tuples", "rule", "tc_init", "beta", "choose_start")
    },
    "nim": {*("episodes", "alpha", "epsilon", "lam", "horizon_cut", "tuples", "rule", "tc_init", "learn_from_random")},
    "nim:players=3": {
        *("episodes", "alpha", "epsilon", "lam", "horizon_cut", "eligibility", "rule", "tc_init", "choose_start")
    },
}
"""What appendix A.6 or section 3 of the paper says of each game, clearly."""


@pytest.mark.parametrize("spec", PRINTED)
def test_a_value_that_is_not_printed_says_where_it_comes_from(spec: str) -> None:
    game = make(spec)
    sources = preset_sources(game, "paper")
    assert set(preset_settings(game, "paper")) - PRINTED[spec] == set(sources)
    assert all(text.startswith(("GBG: ", "ours: ", "A.6 prints ", "the paper prints ")) for text in sources.values())
    assert all(f"{name} ({text})" in preset_doc(game, "paper") for name, text in sources.items())


def test_what_all_of_a_preset_is_called() -> None:
    game = make("connect4")
    assert preset_doc(game, "quick") == "learns something good in about a minute."
    assert preset_sources(game, "quick") == {}
    with pytest.raises(BoardlabError, match="there is no preset 'papr' for connect4"):
        preset_sources(game, "papr")


TUPLE_LENGTHS = {
    "2048": [6] * 4,
    "tictactoe": [9],
    "connect4": [8] * 70,
    "hex": [6] * 25,
    "othello": [6] * 50,
    "nim": [3],
    "nim:players=3": [3] * 2,
}


@pytest.mark.parametrize("spec", APPENDIX_A6)
def test_the_paper_preset_is_that_of_the_paper(spec: str) -> None:
    game = make(spec)
    agent = TDNTuple(game, **preset_settings(game, "paper"))
    made = agent.parameters.model_dump()
    for name, value in {**COMMON, **APPENDIX_A6[spec]}.items():
        assert made[name] == value, name
    assert [len(cells) for cells in agent.learner.values.layout.tuples] == TUPLE_LENGTHS[spec]


def test_the_quick_preset_learns_as_thill_does_with_traces_but_shorter() -> None:
    game = make("connect4")
    quick, thesis = preset_settings(game, "quick"), preset_settings(game, "thesis-tcl-m-rr")
    assert quick.pop("episodes") < thesis.pop("episodes")
    assert quick == {name: thesis[name] for name in quick}


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ("connect4:rows=5", []),
        ("connect4:columns=6", []),
        ("nim", ["paper"]),
        ("nim:heaps=4", []),
        ("nim:players=3,extra_rule=false", []),
        ("sim", []),
    ],
)
def test_a_preset_fits_the_sizes_of_the_paper_only(spec: str, names: list[str]) -> None:
    assert preset_names(make(spec)) == names


@pytest.mark.parametrize(
    ("spec", "name", "sentence"),
    [
        ("tictactoe", "papr", "there is no preset 'papr' for tictactoe; presets for it: paper"),
        (
            "connect4:columns=6",
            "quick",
            "there is no preset 'quick' for connect4:columns=6; presets for it: none; games with it: connect4, dots:c",
        ),
    ],
)
def test_a_preset_that_does_not_exist(spec: str, name: str, sentence: str) -> None:
    with pytest.raises(BoardlabError) as caught:
        preset_settings(make(spec), name)
    assert str(caught.value).startswith(sentence)


def train_preset(spec: str, name: str) -> None:
    game = make(spec)
    agent = TDNTuple(game, **preset_settings(game, name))
    counts = agent.train(5)
    assert counts.episodes == agent.episodes == 5
    assert counts.moves >= 5
    assert np.isfinite(agent.learner.network.weights).all()
    assert agent.learner.network.weights.any()


@pytest.mark.parametrize("spec", ["tictactoe", "nim"])
def test_presets_train(spec: str) -> None:
    train_preset(spec, "paper")


@pytest.mark.slow
@pytest.mark.parametrize("spec", sorted(set(APPENDIX_A6) - {"tictactoe", "nim"}))
def test_all_presets_train(spec: str) -> None:
    for name in {"paper", "quick", "strong"} & set(preset_names(make(spec))):
        train_preset(spec, name)


# ------------------------------------------------------------ playing


@pytest.fixture(scope="module")
def trained() -> TDNTuple:
    agent = small_agent(alpha=1.0, learn_from_random=True, seed=4)
    agent.train(1000)
    return agent


def test_values_are_those_of_every_legal_action(trained: TDNTuple) -> None:
    position = GAME.start().play("a1").play("b1").play("a2").play("b2")
    values = trained.values(position)
    assert list(values) == position.legal_actions
    assert values[GAME.parse_action("a3")] == 1.0  # wins at once: the reward, and nothing after it
    assert all(-1 < v < 1 for a, v in values.items() if a != GAME.parse_action("a3"))
    assert trained.choose(position, make_rng(0)) == GAME.parse_action("a3")


def test_values_of_symmetric_positions_are_alike(trained: TDNTuple) -> None:
    left = trained.values(GAME.start().play("a1").play("b2"))
    right = trained.values(GAME.start().play("c1").play("b2"))
    assert left[GAME.parse_action("a3")] == pytest.approx(right[GAME.parse_action("c3")])
    assert left[GAME.parse_action("b1")] == pytest.approx(right[GAME.parse_action("b1")])


def test_a_position_stays_as_it_is(trained: TDNTuple) -> None:
    position = GAME.start().play("b2")
    before = position.state.tobytes()
    trained.choose(position, make_rng(0))
    assert position.state.tobytes() == before


def test_ties_are_broken_evenly() -> None:
    agent, rng = small_agent(), make_rng(1)
    assert set(agent.values(GAME.start()).values()) == {0.0}
    counts = Counter(agent.choose(GAME.start(), rng) for _ in range(9000))
    assert sum((counts[a] - 1000) ** 2 / 1000 for a in range(9)) < 26.1  # chi-square, 8 degrees of freedom, 0.1 %


def test_a_diverged_network_still_plays_legal_actions() -> None:
    agent = small_agent()
    agent.learner.network.weights[:] = np.nan
    assert agent.choose(GAME.start(), make_rng(0)) in range(9)


# ------------------------------------------------------------ step-size rules of one's own

OWN_RULES = """
import numpy as np
from boardlab.learn.rules import StepSizeRule

class Halved(StepSizeRule):
    def update(self, weights, memory, i, e, x, signal):
        weights[i] += np.float32(0.5) * signal.alpha * signal.delta * e

class Forgetful(Halved):
    slots = 1

class Unfinished(StepSizeRule):
    pass
"""


@pytest.mark.slow  # it has to be compiled; the fast tests run that of docs/training.md
def test_a_rule_of_ones_own_learns(tmp_path: Path) -> None:
    """Half the change for twice the alpha is the same, to the bit; also in an agent that was kept."""
    file, path = tmp_path / "own.py", tmp_path / "a.agent"
    file.write_text(OWN_RULES)
    plain, halved = small_agent(alpha=0.25), small_agent(alpha=0.5, rule=f"{file}:Halved")
    plain.train(300)
    halved.train(200)
    halved.save(path)
    again = load_agent(path)
    again.train(100)
    assert isinstance(again, TDNTuple)
    assert again.learner.network.weights[:, :-1].tobytes() == plain.learner.network.weights[:, :-1].tobytes()
    assert plain.learner.network.weights.any()


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("own.py:Unfinished", "the step-size rule Unfinished in own.py lacks update"),
        ("own.py:Forgetful", "the step-size rule own.py:Forgetful has 1 slots, so its first_memory returns as many"),
        ("own.py:Halfed", "there is no step-size rule class in own.py 'Halfed'; did you mean 'Halved'?"),
        ("none.py:Halved", "there is no file none.py"),
    ],
)
def test_a_wrong_rule_of_ones_own(rule: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN_RULES)
    with pytest.raises(BoardlabError) as caught:
        small_agent(rule=rule)
    assert str(caught.value).startswith(sentence)


# ------------------------------------------------------------ agents from files


def test_an_agent_by_its_file(trained: TDNTuple, tmp_path: Path) -> None:
    path = tmp_path / "mine.agent"
    trained.save(path)
    agent = make_agent(str(path), GAME)
    position = GAME.start().play("b2")
    assert agent.values(position) == trained.values(position)
    assert agent.spec == str(path)
    assert make_agent(agent.spec, GAME).spec == agent.spec


def test_an_agent_for_another_game_is_refused(trained: TDNTuple, tmp_path: Path) -> None:
    path = tmp_path / "mine.agent"
    trained.save(path)
    with pytest.raises(BoardlabError, match=r"mine.agent was trained for tictactoe, it cannot play connect4$"):
        make_agent(str(path), make("connect4"))


def test_tuples_from_a_file_are_kept_in_the_agent(tmp_path: Path) -> None:
    tuples, path = tmp_path / "lines.json", tmp_path / "mine.agent"
    tuples.write_text(json.dumps([[0, 1, 2], [3, 4, 5]]))
    small_agent(tuples=str(tuples), bias=True).save(path)
    tuples.unlink()
    agent = load_agent(path)
    assert isinstance(agent, TDNTuple)
    assert agent.learner.values.layout.tuples == ((0, 1, 2), (3, 4, 5), ())
