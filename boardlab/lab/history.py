"""The history of a training: what it did, from its beginning over all resumptions.

The lab writes it. An agent and its file only keep it, as plain JSON that they do not look into; whoever wants to know
what it says asks here, where it is checked.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from boardlab.agents.learning import LearningAgent
from boardlab.store.agent_file import AgentFile, Part, Text, read_part

__all__ = ["CurvePoint", "History", "history_in", "history_of"]

Count = Annotated[int, Field(ge=0, le=10**18)]
Seconds = Annotated[float, Field(ge=0)]


class CurvePoint(Part):
    """One evaluation during training; low and high bound its 95 % interval."""

    episodes: Count
    seconds: Seconds
    score: float
    low: float
    high: float
    games: Count
    rates: dict[Text, float] = {}
    """What the learner varied from episode to episode, as it was then: alpha, epsilon."""

    @model_validator(mode="before")
    @classmethod
    def _of_before(cls, given: Any) -> Any:
        """Files were written with alpha and epsilon beside the others."""
        if not isinstance(given, dict) or "rates" in given:
            return given
        rates = {name: given[name] for name in ("alpha", "epsilon") if name in given}
        return {**{name: value for name, value in given.items() if name not in rates}, "rates": rates}


class History(Part):
    """What training did."""

    seconds: Seconds = 0.0
    """CPU time of the training alone."""
    moves: Count = 0
    evaluator: Text = ""
    against: Text = ""
    """The opponent; empty in a game for one player."""
    evaluations: list[CurvePoint] = []
    preset: Text = ""
    finished: bool = False
    created: Text = ""
    """When training began; empty where the lab has not trained."""

    @property
    def procedure(self) -> str:
        """How strength was measured, in words."""
        return f"{self.evaluator} against {self.against}" if self.against else self.evaluator


def history_of(agent: LearningAgent) -> History:
    """What the training of an agent did, with its learning curve in `evaluations`."""
    origin = agent.spec
    complaint = "is a damaged agent file" if origin.endswith(".agent") else "has a damaged history"
    return read_part(History, agent.history, "history", f"{origin} {complaint}")


def history_in(file: AgentFile) -> History:
    """What the training of the agent in an open file did."""
    return read_part(History, file.about.history, "history", f"{file.path} is a damaged agent file")
