"""Agents: found by name, parameters explained, the random one fair."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Literal

import numpy as np
import pytest
from pydantic import Field, model_validator

from boardlab import BoardlabError, Position, make, make_rng, registry
from boardlab.agents.base import Agent
from boardlab.agents.random import RandomAgent
from boardlab.agents.registry import agent_classes, find_agent_class, make_agent
from boardlab.components.models import model_text
from boardlab.matches.evaluators.registry import make_evaluator
from boardlab.rng import Rng

GAME = make("tictactoe")


class Careful(Agent):
    """An agent with parameters of every kind."""

    name = "careful"

    class Parameters(Agent.Parameters):
        depth: int = Field(3, ge=1, le=9, description="plies to look ahead")
        rate: float | None = Field(None, gt=0.0, description="a rate")
        style: Literal["calm", "bold"] = Field("calm", description="how it plays")
        proud: bool = Field(False, description="whether it boasts")

        @model_validator(mode="after")
        def bold_looks_far(self) -> Careful.Parameters:
            if self.style == "bold" and self.depth < 2:
                raise ValueError("a bold style needs a depth of 2 or more")
            return self

    parameters: Parameters

    def choose(self, position: Position, rng: Rng) -> int:
        return position.legal_actions[0]


def test_the_random_agent_is_found_by_name() -> None:
    agent = make_agent("random", GAME)
    assert isinstance(agent, RandomAgent)
    assert agent.spec == "random"
    assert agent.game is GAME
    assert agent.values(GAME.start()) is None


def test_abstract_classes_are_no_agents() -> None:
    assert "" not in agent_classes()
    assert all(issubclass(cls, Agent) for cls in agent_classes().values())


def test_random_plays_every_legal_action_equally_often() -> None:
    position = GAME.start().play("b2").play("a1")
    agent, rng = RandomAgent(GAME), make_rng(1)
    counts = Counter(agent.choose(position, rng) for _ in range(7000))
    assert sorted(counts) == position.legal_actions
    assert sum((n - 1000) ** 2 / 1000 for n in counts.values()) < 22.5  # chi-square, 6 degrees of freedom, 0.1 %
    assert [e.number for e in position.history] == [4, 0]


def test_same_seed_same_choices() -> None:
    agent, position = RandomAgent(GAME), GAME.start()
    runs = [[agent.choose(position, rng) for _ in range(50)] for rng in (make_rng(7), make_rng(7), make_rng(8))]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"depth": "0"}, "depth of careful is a whole number from 1 to 9, not 0"),
        ({"depth": "two"}, "depth of careful is a whole number from 1 to 9, not two"),
        ({"depth": 2.5}, "depth of careful is a whole number from 1 to 9, not 2.5"),
        ({"rate": "-1"}, "rate of careful is a number above 0 or none, not -1"),
        ({"rate": "inf"}, "rate of careful is a number above 0 or none, not inf"),
        ({"style": "mad"}, "style of careful is calm or bold, not mad"),
        ({"proud": "perhaps"}, "proud of careful is true or false, not perhaps"),
        (
            {"dept": 3},
            "there is no parameter of careful 'dept'; did you mean 'depth'? Known: depth, rate, style, proud",
        ),
        (
            {"style": "bold", "depth": "1"},
            "these parameters of careful do not fit together: a bold style needs a depth of 2 or more",
        ),
    ],
)
def test_wrong_parameters_are_explained_in_one_sentence(settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(BoardlabError) as caught:
        Careful(GAME, **settings)
    assert str(caught.value) == sentence


def test_parameters_are_read_from_text_and_written_back() -> None:
    agent = Careful(GAME, depth="4", rate="0.5", proud="true")
    assert agent.parameters == Careful.Parameters(depth=4, rate=0.5, proud=True)
    assert model_text(agent.parameters) == "depth=4,rate=0.5,proud=true"
    assert agent.spec == "careful:depth=4,rate=0.5,proud=true"
    assert Careful(GAME, rate="none").parameters.rate is None


def test_a_parameter_without_default_must_be_given() -> None:
    class Needy(Careful):
        class Parameters(Agent.Parameters):
            file: str = Field(description="a file")

    with pytest.raises(BoardlabError, match="file of careful must be given; it is a text"):
        Needy(GAME)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("randm", "there is no agent 'randm'; did you mean 'random'?"),
        ("random:depth=3", "there is no parameter of random 'depth'. Known: none"),
        ("random:depth", "parameters are written name=value"),
        ("missing.py:Agent", "there is no file missing.py"),
    ],
)
def test_a_wrong_specification_is_explained(spec: str, sentence: str) -> None:
    with pytest.raises(BoardlabError) as caught:
        make_agent(spec, GAME)
    assert sentence in str(caught.value)


OWN_AGENTS = """
from pydantic import Field
from boardlab.agents.base import Agent

class Last(Agent):
    class Parameters(Agent.Parameters):
        skip: int = Field(0, ge=0, description="how many of the last actions to leave out")

    def choose(self, position, rng):
        return position.legal_actions[-1 - self.parameters.skip]

class Unfinished(Agent):
    pass
"""


def test_an_agent_in_a_file_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN_AGENTS)
    agent = make_agent(f"{file}:Last:skip=2", GAME)
    assert agent.choose(GAME.start(), make_rng(0)) == 6
    assert agent.spec == f"{file}:Last:skip=2"
    assert make_agent(agent.spec, GAME).parameters == agent.parameters
    with pytest.raises(BoardlabError, match=r"the agent Unfinished in .* lacks choose"):
        make_agent(f"{file}:Unfinished", GAME)
    with pytest.raises(BoardlabError, match=r"there is no agent class in .* 'First'"):
        make_agent(f"{file}:First", GAME)


def test_agents_of_installed_packages_and_a_broken_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ImportError("its own library is missing")

    entries = [
        SimpleNamespace(name="careful", value="pkg:Careful", load=lambda: Careful),
        SimpleNamespace(name="broken", value="pkg:Broken", load=broken),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: entries if group == "boardlab.agents" else [])
    fresh = registry.Registry("agent", Agent, "boardlab.agents")
    with pytest.warns(UserWarning, match="the agent broken .* cannot be loaded: its own library is missing"):
        found = fresh.find("careful")
    assert found is Careful
    assert {"random", "careful"} <= set(fresh.classes)
    assert "broken" not in fresh.classes


def test_a_former_name_still_finds_the_agent() -> None:
    game = make("othello")
    agent = make_agent("bench-othello", game)
    assert agent.spec == "othello-positional"
    assert find_agent_class("bench-othello") is agent_classes()["othello-positional"]
    assert "bench-othello" not in agent_classes()
    assert make_evaluator("othello-bench", game).evaluate("random", against="bench-othello", games=1).result.games == 1


@pytest.mark.parametrize(("spec", "moves"), [("tictactoe", [0, 1, 2, 4, 3, 5, 7, 6]), ("nim:heaps=1,stones=1", [])])
def test_a_forced_move_of_the_perfect_player_draws_no_number(spec: str, moves: list[int]) -> None:
    """Neither from Python nor in machine code: games of both begin in the same way after it."""
    position = make(spec).start()
    for action in moves:
        position.play(action)
    agent = make_agent("perfect", position.game)
    player = agent.player()
    assert player is not None
    for choose in (
        lambda rng: agent.choose(position, rng),
        lambda rng: player.choose(position.game, position.state, np.zeros(0, np.int64), 0, rng),
    ):
        rng = make_rng(3)
        assert choose(rng) == position.legal_actions[0]
        assert np.array_equal(rng, make_rng(3))
