"""Combinations that make no sense: each is refused with a sentence that says why, and what would do."""

from __future__ import annotations

from typing import Any

import pytest

from boardlab import BoardlabError, make, make_agent
from boardlab.agents.classes import agent_classes
from boardlab.agents.learning import LearningAgent
from boardlab.lab.planning import make_plan, new_learner
from boardlab.lab.stop import Stop
from boardlab.lab.wish import TrainingWish
from boardlab.search.zero_sum import pays_before_the_end

SENSELESS: list[tuple[str, str, dict[str, Any], str]] = [
    ("tictactoe", "td-ntuple", {"rule": "k1"}, "k1 is defined for a linear output; take output=identity"),
    ("tictactoe", "td-ntuple", {"rule": "elk1", "output": "logistic"}, "elk1 is defined for a tanh output"),
    ("tictactoe", "td-ntuple", {"rule": "smd"}, "smd is defined for a logistic or linear output"),
    (
        "tictactoe",
        "td-ntuple",
        {"rule": "k1", "output": "identity", "lam": 0.5},
        "k1 is not defined for eligibility traces; take lambda=0",
    ),
    (
        "tictactoe",
        "td-ntuple",
        {"rule": "smd", "output": "logistic", "lam": 0.5},
        "smd has to see all weights of an update at once; take method=traces",
    ),
    ("tictactoe", "td-ntuple", {"rule": "idbd", "output": "identity", "alpha": 0.1}, "idbd has step sizes of its own"),
    ("tictactoe", "td-ntuple", {"rule": "plain", "beta": 2.0}, "plain knows nothing of beta; leave beta out"),
    ("tictactoe", "td-ntuple", {"rule": "tcl", "beta": 2.0}, "tcl knows nothing of beta"),
    ("tictactoe", "td-ntuple", {"rule": "alap", "tc_init": 0.1}, "alap knows nothing of tc_init"),
    ("tictactoe", "td-ntuple", {"eligibility": "rr", "lam": 0.5}, r"replacing traces \(rep, rr\) need method=traces"),
    ("tictactoe", "sarsa-ntuple", {"eligibility": "res-all"}, "res-all is for td-farl"),
    ("tictactoe", "td-self-play", {"learn_from_random": True}, "has a rule of its own for random moves"),
    ("tictactoe", "sarsa-ntuple", {"learn_from_random": True}, "has a rule of its own for random moves"),
    ("tictactoe", "td-self-play", {"farl": False}, "has no final adaptation"),
    ("nim:players=3", "td-self-play", {}, "is for games of one or two players; take td-farl"),
    ("nim:players=3", "q-self-play", {}, "is for games of one or two players; take td-farl"),
    ("tictactoe", "sarsa-ntuple", {"replay": 100}, "which a stored transition does not tell; take replay=0"),
    ("tictactoe", "td-ntuple", {"replay": 100, "lam": 0.5}, "a replay memory has no order of moves"),
    ("tictactoe", "td-ntuple", {"replays": 4}, "belong to a replay memory; give replay"),
    ("tictactoe", "q-ntuple", {"replay_from": 100}, "belong to a replay memory; give replay"),
    ("tictactoe", "td-ntuple", {"symmetries": False, "num_symmetries": 2}, "which symmetries=false leaves out"),
    ("tictactoe", "td-ntuple", {"num_symmetries": 9}, "has 8 symmetric boards"),
    ("tictactoe", "td-mlp", {"lam": 0.5}, "take method=traces for lambda > 0"),
    ("tictactoe", "td-mlp", {"rule": "alpha-bounds"}, "which mlp does not keep"),
    ("tictactoe", "td-mlp", {"spread": 0.0}, "learns nothing from weights that are all alike"),
    ("tictactoe", "td-linear", {"tables": "inversion"}, "board inversion needs a board"),
    ("tictactoe", "td-linear", {"approximator": "ntuple"}, "take td-ntuple"),
    ("tictactoe", "td-ntuple", {"at_limit": "score"}, "at_limit needs max_moves"),
    (
        "othello",
        "td-ntuple",
        {"at_limit": "perfect", "max_moves": 3},
        "nobody knows what positions of othello are worth",
    ),
    ("2048", "td-ntuple", {"tuples": "walk:1x2", "take_wins": True}, "in 2048 nobody wins"),
    ("2048", "td-ntuple", {"tuples": "walk:1x2", "haste": 0.01}, "2048 pays before its end.*take haste=0"),
    ("dots:rows=2,columns=2", "td-self-play", {"haste": 0.01}, "Dots and Boxes pays before its end"),
]


@pytest.mark.parametrize(("game", "agent", "settings", "sentence"), SENSELESS)
def test_what_makes_no_sense_gets_a_sentence(game: str, agent: str, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BoardlabError, match=sentence):
        agent_classes()[agent](make(game), **settings)


def test_what_makes_sense_is_not_refused() -> None:
    """A logistic output is paid at the end only, so haste takes nothing back; and a memory has its parameters."""
    game = make("dots:rows=2,columns=2")
    make_agent("td-self-play:tuples=walk:2x3,output=logistic,haste=0.01", game)
    make_agent("td-self-play:haste=0.01", make("connect4:columns=5,rows=4"))
    make_agent("td-ntuple:replay=100,replays=4,replay_from=10", make("tictactoe"))
    make_agent("td-ntuple:num_symmetries=2", make("tictactoe"))


def test_which_games_pay_before_their_end() -> None:
    early = {spec for spec in ("2048", "dots", "tictactoe", "connect4", "nim:players=3", "hex") if pays_early(spec)}
    assert early == {"2048", "dots"}


def pays_early(spec: str) -> bool:
    return pays_before_the_end(make(spec))


def test_threads_are_refused_before_anything_is_compiled() -> None:
    wish = TrainingWish(game="tictactoe", options={"replay": 100}, threads=2, seed=1)
    agent = new_learner(make("tictactoe"), wish)
    assert isinstance(agent, LearningAgent)
    with pytest.raises(BoardlabError, match="a replay memory belongs to one thread; train with threads=1"):
        make_plan(agent, wish, Stop())
