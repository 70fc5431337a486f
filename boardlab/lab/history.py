"""The history of a training: what it did, from its beginning over all resumptions.

The lab writes it. An agent and its file only keep it, as plain JSON that they do not look into; whoever wants to know
what it says asks here, where it is checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, ValidationError

from boardlab.agents.learning import LearningAgent
from boardlab.errors import BoardlabError
from boardlab.store.agent_file import AgentFile, Part, Text, first_mistake

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
    alpha: float
    epsilon: float


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


class _Place(Part):
    """Where a history stands in `agent.json`, for the sentence about a mistake in it."""

    history: History


def history_of(agent: LearningAgent) -> History:
    """What the training of an agent did, with its learning curve in `evaluations`."""
    origin = agent.spec
    complaint = "is a damaged agent file" if origin.endswith(".agent") else "has a damaged history"
    return _checked(agent.history, f"{origin} {complaint}")


def history_in(file: AgentFile) -> History:
    """What the training of the agent in an open file did."""
    return _checked(file.about.history, f"{file.path} is a damaged agent file")


def _checked(kept: Mapping[str, Any], complaint: str) -> History:
    try:
        return _Place.model_validate({"history": kept}).history
    except ValidationError as error:
        raise BoardlabError(f"{complaint}: {first_mistake(error)}") from error
