"""What a person asks for: read the same from arguments, TOML and JSON, and refused in a sentence when it is wrong."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from boardlab import BoardlabError, make
from boardlab.agents.td_ntuple import TDNTuple
from boardlab.lab.history import history_of
from boardlab.lab.planning import new_learner
from boardlab.lab.wish import TrainingWish, read_wish_file

TICTACTOE = make("tictactoe")
FULL = TrainingWish(
    game="tictactoe",
    preset="paper",
    options={"alpha": 0.25, "alpha_end": None, "tuples": 'walk:"2x5"\x7f\n', "farl": False, "horizon_cut": 1e-5},
    episodes=700,
    seed=3,
    threads=2,
    evaluator="perfect",
    against="random",
    evaluate_every=50,
    evaluation_games=4,
)


@pytest.mark.parametrize("wish", [TrainingWish(), TrainingWish(game="nim"), FULL])
def test_a_wish_survives_json_and_toml(wish: TrainingWish, tmp_path: Path) -> None:
    assert TrainingWish(**json.loads(json.dumps(wish.model_dump()))) == wish
    file = tmp_path / "wish.toml"
    file.write_text(wish.to_toml())
    options = {name: "none" if value is None else value for name, value in wish.options.items()}
    assert TrainingWish(**read_wish_file(file)) == wish.model_copy(update={"options": options})


def test_only_what_was_asked_for_is_written() -> None:
    assert tomllib.loads(TrainingWish(game="nim", options={"alpha": 0.5}).to_toml()) == {
        "game": "nim",
        "options": {"alpha": 0.5},
    }


def test_a_file_may_have_parameters_beside_the_fields(tmp_path: Path) -> None:
    file = tmp_path / "wish.toml"
    file.write_text('game = "nim"\nalpha = 0.5\nepisodes = 7\n[options]\nalpha = 0.25\nlambda = 0.5\n')
    wish = TrainingWish(**read_wish_file(file))
    assert (wish.game, wish.episodes, wish.options) == ("nim", 7, {"alpha": 0.25, "lam": 0.5})
    file.write_text("options = 1\n")
    with pytest.raises(BoardlabError, match=r"options in .*wish.toml is a table"):
        read_wish_file(file)


def test_the_learner_is_made_of_preset_options_episodes_and_seed() -> None:
    agent = new_learner(TICTACTOE, TrainingWish(preset="paper", options={"alpha": 0.25, "seed": 4, "episodes": 70}))
    assert isinstance(agent, TDNTuple)
    p = agent.parameters
    assert (p.alpha_end, p.rule) == (0.5, "plain")  # of the preset
    assert (p.alpha, p.seed, p.episodes) == (0.25, 4, 70)
    assert history_of(agent).preset == "paper"
    wish = TrainingWish(options={"seed": 4, "episodes": 70}, seed=5, episodes=80)
    assert (wish.seed, wish.episodes, wish.options) == (5, 80, {})


def test_a_seed_that_nobody_chose_is_settled_once() -> None:
    wish = TrainingWish(game="tictactoe").settled(TICTACTOE)
    assert wish.seed is not None
    assert wish.settled(TICTACTOE) == wish != TrainingWish(game="tictactoe").settled(TICTACTOE)
    assert new_learner(TICTACTOE, wish).parameters.seed == wish.seed


def test_an_agent_that_does_not_learn_is_refused() -> None:
    with pytest.raises(BoardlabError, match=r"the agent random does not learn; agents that do: .*td-ntuple"):
        new_learner(TICTACTOE, TrainingWish(agent="random"))
    with pytest.raises(BoardlabError, match="there is no agent 'td-ntupel'; did you mean 'td-ntuple'"):
        new_learner(TICTACTOE, TrainingWish(agent="td-ntupel"))


@pytest.mark.parametrize(
    "wrong", [{"episodes": 0}, {"seed": -1}, {"threads": 0}, {"evaluation_games": 0}, {"games": 5}, {"options": 7}]
)
def test_what_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TrainingWish(**wrong)


def test_what_a_training_that_goes_on_may_be_asked() -> None:
    assert not TrainingWish(episodes=5, threads=2, evaluate_every=3, evaluation_games=2).begins_anew
    for fixed in ({"game": "nim"}, {"seed": 0}, {"preset": "paper"}, {"options": {"alpha": 1}}, {"agent": "other"}):
        assert TrainingWish(**fixed).begins_anew  # type: ignore[arg-type]


def test_what_means_nothing_to_another_rule_than_that_of_the_preset_is_left_out() -> None:
    """The preset has alpha, beta and tc_init; who asks for one of them nevertheless is told that it has no effect."""

    def learner(**options: Any) -> Any:
        return new_learner(make("connect4"), TrainingWish(preset="paper", options=options, episodes=9)).parameters

    assert {"alpha", "beta", "tc_init"} <= learner().model_fields_set
    assert learner(rule="tcl").model_fields_set >= {"alpha", "tc_init"}
    assert not learner(rule="tcl").model_fields_set & {"beta"}
    assert not learner(rule="k1", output="identity").model_fields_set & {"alpha", "beta", "tc_init"}
    with pytest.raises(BoardlabError, match="leave beta out"):
        learner(rule="tcl", beta=1.0)


def test_a_rule_of_ones_own_may_look_at_beta_without_a_word(tmp_path: Path) -> None:
    file = tmp_path / "shaped.py"
    file.write_text(
        "from boardlab import StepSizeRule\n\nclass Shaped(StepSizeRule):\n"
        "    def update(self, weights, memory, i, e, x, signal):\n"
        "        weights[i] += signal.alpha * signal.delta * e / self.beta\n"
    )
    options = {"rule": f"{file}:Shaped", "beta": 2.0}
    learner: Any = new_learner(TICTACTOE, TrainingWish(preset="paper", options=options, episodes=9))
    assert learner.learner.rule.beta == 2.0
