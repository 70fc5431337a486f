"""Agents that learn from the features of a game, or from its cells one by one: `td-linear` and `td-mlp`. They are the
same but for the approximator and some defaults that suit it."""

from __future__ import annotations

from pydantic import Field

from boardlab.agents.learned import LearnedAgent
from boardlab.agents.learned_parameters import LearnedParameters

__all__ = ["TDLinear", "TDPerceptron"]

_DOC = {name: field.description for name, field in LearnedParameters.model_fields.items()}


class TDLinear(LearnedAgent):
    """Learns the values of afterstates as a linear function of the game's features, by playing against itself."""

    name = "td-linear"

    class Parameters(LearnedAgent.Parameters):
        """Plain TD learning with a small step size, which is not divided: few weights are active."""

        approximator: str = Field("linear", description=_DOC["approximator"])
        bias: bool = Field(True, description=_DOC["bias"])
        rule: str = Field("plain", description=_DOC["rule"])
        alpha: float = Field(0.01, gt=0, le=1000, description=_DOC["alpha"])
        divide_alpha: bool = Field(False, description=_DOC["divide_alpha"])

    parameters: Parameters


class TDPerceptron(LearnedAgent):
    """Learns the values of afterstates as a multi-layer perceptron over the game's features, by playing against
    itself."""

    name = "td-mlp"

    class Parameters(TDLinear.Parameters):
        """The same, with hidden units, whose weights begin at random."""

        approximator: str = Field("mlp", description=_DOC["approximator"])
        spread: float = Field(
            2.0,
            ge=0,
            le=100,
            description="weights begin at random between -spread/2 and spread/2, divided by the square root of the"
            " number of inputs of their unit",
        )

    parameters: Parameters
