"""Agents with n-tuple networks: `td-ntuple`, `sarsa-ntuple`, `q-ntuple`, `td-self-play` and `q-self-play`. They are the
same but for the algorithm that they learn by unless told otherwise, and some defaults that suit it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from pydantic import Field

from boardlab.agents.learned import LearnedAgent
from boardlab.agents.learned_parameters import NTupleParameters
from boardlab.agents.tuple_views import LearnerTuples
from boardlab.learn.approximators.ntuple import NTuple

__all__ = ["QNTuple", "QSelfPlayNTuple", "SarsaNTuple", "TDNTuple", "TDSelfPlayNTuple"]


class TDNTuple(LearnedAgent):
    """Learns the values of afterstates with an n-tuple network, by playing against itself (TD-FARL)."""

    name = "td-ntuple"

    class Parameters(NTupleParameters, LearnedAgent.Parameters):
        """All parameters of network and training."""

    parameters: Parameters

    def _tuples(self) -> list[list[int]]:
        values = self.learner.values
        return [list(t) for t in values.layout.tuples] if isinstance(values, NTuple) else []

    def tuple_views(self) -> LearnerTuples | None:
        return LearnerTuples(self.game, self.learner) if isinstance(self.learner.values, NTuple) else None

    @classmethod
    def described(cls, facts: Any, shape: Callable[[str, type[np.generic]], tuple[int, ...]]) -> dict[str, str]:
        return {"n-tuples": _lengths_text(facts.tuples), **super().described(facts, shape)}


class SarsaNTuple(TDNTuple):
    """Learns the values of actions with an n-tuple network that has an output for each of them (SARSA-FARL)."""

    name = "sarsa-ntuple"

    class Parameters(TDNTuple.Parameters):
        """The same, with another algorithm."""

        algorithm: str = Field("sarsa-farl", description=NTupleParameters.model_fields["algorithm"].description)

    parameters: Parameters


class QNTuple(TDNTuple):
    """Learns the values of actions with an n-tuple network that has an output for each of them (Q-FARL)."""

    name = "q-ntuple"

    class Parameters(TDNTuple.Parameters):
        """The same, with another algorithm."""

        algorithm: str = Field("q-farl", description=NTupleParameters.model_fields["algorithm"].description)

    parameters: Parameters


class TDSelfPlayNTuple(TDNTuple):
    """Learns the values of afterstates with an n-tuple network, each from the one a move later (TD self-play)."""

    name = "td-self-play"

    class Parameters(TDNTuple.Parameters):
        """The same, with another algorithm, and alpha undivided as in Thill 2015."""

        algorithm: str = Field("td-self-play", description=NTupleParameters.model_fields["algorithm"].description)
        divide_alpha: bool = Field(False, description=NTupleParameters.model_fields["divide_alpha"].description)
        alpha: float = Field(0.05, gt=0, le=1000, description=NTupleParameters.model_fields["alpha"].description)
        tc_init: float = Field(0.0, ge=0, le=1e6, description=NTupleParameters.model_fields["tc_init"].description)

    parameters: Parameters


class QSelfPlayNTuple(TDNTuple):
    """Learns the values of afterstates with an n-tuple network, each from the best one a move later (Q-self-play)."""

    name = "q-self-play"

    class Parameters(TDSelfPlayNTuple.Parameters):
        """The same, with another algorithm."""

        algorithm: str = Field("q-self-play", description=NTupleParameters.model_fields["algorithm"].description)

    parameters: Parameters


def _lengths_text(tuples: list[list[int]]) -> str:
    lengths = Counter(map(len, tuples))
    return ", ".join(f"{count} of length {length}" for length, count in sorted(lengths.items()))
