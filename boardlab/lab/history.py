"""The history of a training: what it did, from its beginning over all resumptions.

The lab writes it. An agent and its file only keep it, as plain JSON that they do not look into; whoever wants to know
what it says asks here, where it is checked.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from boardlab.agents.learning import LearningAgent
from boardlab.store.agent_file import AgentFile, Moment, Part, Text, read_part

__all__ = ["CurvePoint", "History", "Score", "StepSizes", "history_in", "history_of", "procedure"]

Count = Annotated[int, Field(ge=0, le=10**18)]
Seconds = Annotated[float, Field(ge=0, le=1e12)]
Figure = Annotated[float, Field(ge=-1e15, le=1e15)]
"""Larger ones are no scores and no step sizes: a chart could not show them, nor a sum hold them."""


class Score(Part):
    """What an evaluator found; low and high bound its 95 % interval."""

    score: Figure
    low: Figure
    high: Figure
    games: Count


class StepSizes(Part):
    """How far single weights still move: quantiles of their step sizes, or of their factors of alpha."""

    p5: Figure
    p25: Figure
    p50: Figure
    p75: Figure
    p95: Figure


class CurvePoint(Part):
    """One evaluation during training: when it was, and what a `Score` has."""

    episodes: Count
    seconds: Seconds
    score: Figure
    low: Figure
    high: Figure
    games: Count
    second: Score | None = None
    """What the second evaluator found, where there is one."""
    step_sizes: StepSizes | None = None
    rates: dict[Text, Figure] = {}
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
    second_evaluator: Text = ""
    second_against: Text = ""
    evaluations: list[CurvePoint] = []
    preset: Text = ""
    finished: bool = False
    created: Moment = ""
    """When training began; empty where the lab has not trained."""
    stopped: Text = ""
    """Why it ended before all episodes were learned from, where it did."""

    @property
    def procedure(self) -> str:
        """How strength was measured, in words."""
        return procedure(self.evaluator, self.against)

    @property
    def second_procedure(self) -> str:
        """How it was measured a second time; empty where it was not."""
        return procedure(self.second_evaluator, self.second_against)


def procedure(evaluator: str, against: str) -> str:
    """An evaluator and its opponent in words."""
    return f"{evaluator} against {against}" if against else evaluator


def history_of(agent: LearningAgent) -> History:
    """What the training of an agent did, with its learning curve in `evaluations`."""
    origin = agent.spec
    complaint = "is a damaged agent file" if origin.endswith(".agent") else "has a damaged history"
    return read_part(History, agent.history, "history", f"{origin} {complaint}")


def history_in(file: AgentFile) -> History:
    """What the training of the agent in an open file did."""
    return read_part(History, file.about.history, "history", f"{file.path} is a damaged agent file")
