"""Wrappers: agents that search, and ask another agent what the positions are worth that they come to.

Any agent that has `values` (expected scores of its actions) can be wrapped. One that has `action_values`, too, as
`td-ntuple` does, is searched over in compiled code, any other in plain Python, some hundred times slower.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from boardlab.agents.base import Agent
from boardlab.agents.registry import agent_classes, make_agent
from boardlab.components.models import read_model
from boardlab.errors import BoardlabError, unknown_name
from boardlab.game import Game, State
from boardlab.learn.chooser import Chooser
from boardlab.position import Position
from boardlab.registry import split_spec
from boardlab.search.action_values import ActionValues

__all__ = ["AgentValues", "Wrapper", "read_wrapper"]


class AgentValues(ActionValues):
    """The `values` of any agent, in plain Python."""

    plain = True

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent.game)
        self._agent = agent
        self.line, self.line_state = self.line.view(np.recarray), self.line_state.view(np.recarray)

    def stamp(self) -> int:
        return int(getattr(self._agent, "episodes", 0))

    def rate(self, game: Any, s: State, actions: NDArray[np.int64], ratings: NDArray[np.float64]) -> int:
        values = self._agent.values(Position(game, s))
        if values is None:
            raise _without_opinion(self._agent)
        n = int(game.legal_actions(s, actions))
        for i in range(n):
            ratings[i] = self.possible(values[int(actions[i])])
        return n


class Wrapper(Agent):
    """Base class of wrappers; the other base of a wrapper is the agent that searches."""

    class Parameters(Agent.Parameters):
        """The option that all wrappers have."""

        agent: str = Field(
            min_length=1,
            description="the wrapped agent: the file of a trained one, or its name with options (in square brackets"
            " where there is a comma)",
        )

    parameters: Parameters
    agent: Agent
    evaluation: ActionValues

    def __init__(self, game: Game, **settings: Any) -> None:
        """Make the wrapper for a game; from Python, `agent` may be an agent itself."""
        if isinstance(settings.get("agent"), Agent):
            self.agent = settings["agent"]
            settings["agent"] = self.agent.spec
        super().__init__(game, **settings)

    def setup(self) -> None:
        if "agent" not in self.__dict__:
            self.agent = make_agent(self.parameters.agent, self.game)
        if self.agent.game != self.game:
            raise BoardlabError(
                f"{self.agent.spec} was made for {self.agent.game.spec}, it cannot be wrapped for {self.game.spec}"
            )
        if type(self.agent).values is Agent.values:
            raise _without_opinion(self.agent)
        self.evaluation = self.agent.action_values() or AgentValues(self.agent)
        super().setup()

    @property
    def repeatable(self) -> bool:
        """Only if the wrapped agent is."""
        return super().repeatable and self.agent.repeatable

    @classmethod
    def chooser(cls, game: Game, parameters: Any, evaluation: ActionValues) -> Chooser:
        """How moves are chosen in self-play by a wrapper with these parameters, over this evaluation."""
        raise BoardlabError(f"{cls.name} cannot be used in training")


def read_wrapper(text: str) -> tuple[type[Wrapper], Wrapper.Parameters]:
    """The class and the parameters of a wrapper that is written without its agent, as `n-ply:depth=3`; all of it is
    checked. Only installed ones: such a text may come from a file of somebody else."""
    name, options = split_spec(text)
    wrappers = {key: cls for key, cls in agent_classes().items() if issubclass(cls, Wrapper)}
    if name not in wrappers:
        raise unknown_name("wrapper", name, wrappers)
    cls = wrappers[name]
    if "agent" in options:
        raise BoardlabError(f"the agent of {text} is the one that it is an option of; leave agent= out")
    return cls, read_model(cls.Parameters, {**options, "agent": "itself"}, cls.name)


def _without_opinion(agent: Agent) -> BoardlabError:
    return BoardlabError(f"{agent.spec} has no values of its actions, so a search cannot ask it; wrap another agent")
