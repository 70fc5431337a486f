"""Shared by the tests of training: small agents that compile quickly, and what of an agent must be equal."""

from __future__ import annotations

from typing import Any

from boardlab import make
from boardlab.agents.td_ntuple import TDNTuple

SETTINGS: dict[str, Any] = {
    **{"rule": "plain", "tuples": "points:3x6", "episodes": 1000, "alpha_end": 0.3, "epsilon_end": 0.02},
    **{"choose_start": True, "learn_from_random": True, "seed": 11},
}


def small_agent(**settings: Any) -> TDNTuple:
    """Tic-tac-toe with plain TD: one (game, rule) pair for all these tests, as each one has to be compiled."""
    return TDNTuple(make("tictactoe"), **{**SETTINGS, **settings})


def learned(agent: Any) -> tuple[int, bytes, bytes, bytes]:
    """All that training changes, to the bit. The last weight of a table is a spare one that nobody reads."""
    learner = agent.learner
    return (
        learner.episodes,
        learner.network.weights[:, :-1].tobytes(),
        learner.network.memory[:, :-1].tobytes(),
        b"".join(stream.tobytes() for stream in learner.streams),
    )
