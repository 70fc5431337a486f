"""What all tests share: a process that hears Ctrl-C, as do the commands that it starts. A shell that runs the tests in
the background lets them ignore it, and children inherit that. And the fixtures of the tests in a browser and of
those of `check_game`."""

from __future__ import annotations

import signal

import pytest
from browser import arena, chromium, page, phone
from check_games import uncompiled

__all__ = ["arena", "chromium", "page", "phone", "uncompiled"]

signal.signal(signal.SIGINT, signal.default_int_handler)

COMPILED_FOR_THEMSELVES = (
    *("test_episode.py::test_connect_four[traces]", "test_episode.py::test_2048[fading traces]"),
    *("test_episode.py::test_2048[logistic]", "test_episode.py::test_tictactoe[traces rr]"),
    *("test_episode.py::test_tictactoe[traces res]", "test_episode.py::test_dots_and_boxes[inversion]"),
    *("test_episode.py::test_dots_and_boxes[traces]", "test_episode.py::test_nim_for_three[logistic, shared]"),
    *("test_episode.py::test_nim_for_three[Monte Carlo]", "test_episode.py::test_every_switch_changes_what_is_learned"),
    *(f"test_agent_file.py::test_a_resumed_training_is_the_one_that_was_never_stopped[variant{k}]" for k in (0, 1, 3)),
    "test_training_curve.py::test_the_factors_of_temporal_coherence_are_those_of_the_rule",
    "test_learner.py::test_actions_are_rated_as_the_reference_does[dots:rows=2",
    "test_wrappers.py::test_n_ply_equals_the_plain_recursion[three players and chance]",
    *("test_features.py::test_a_training_is_that_of_the_reference[linear", "test_fences.py::test_learning[4]"),
)
"""Cases that have to compile a learner of their own, ten seconds or more, and are close to others: slow tests."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(case in item.nodeid for case in COMPILED_FOR_THEMSELVES):
            item.add_marker(pytest.mark.slow)
