"""Requests for a training run that are refused, in a sentence."""

from __future__ import annotations

from typing import Any

import pytest
from arena_client import Client, arena_of, said
from web_runs import (
    OPTIONS,
    REQUEST,
    path_of,
    reach,
    start,
    straight,
)

from boardlab.agents.files import load_agent
from boardlab.agents.td_ntuple import TDNTuple


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        ({"game": None}, "name a game to learn"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"game": "/tmp/x.py:Game"}, "there is no game"),
        ({"game": "tictactoe:size=9"}, "parameter"),
        ({"name": "../x"}, "name: 1 to 80 letters"),
        ({"preset": "golden"}, "there is no preset 'golden'"),
        ({"options": {"rule": "/tmp/x.py:Rule"}}, "rule cannot be"),
        ({"options": {"algorithm": "/tmp/x.py:Algorithm"}}, "algorithm cannot be"),
        ({"options": {"approximator": "/tmp/x.py:Net"}}, "approximator cannot be"),
        ({"options": {"rule": "golden"}}, "there is no step-size rule 'golden'"),
        ({"options": {"tuples": "/etc/passwd.json"}}, "tuples cannot be"),
        ({"options": {"tuples": "walk:2x99"}}, "cells"),
        ({"options": {"tuples": "walk:100000x6"}}, "the arena allows 1,000 n-tuples, not 100,000"),
        ({"options": {"alpha": -1}}, "alpha of td-ntuple is"),
        ({"options": {"alpha": "much"}}, "alpha of td-ntuple is"),
        ({"options": {"wisdom": 1}}, "no parameter of td-ntuple 'wisdom'"),
        ({"options": {"method": "horizon", "lam": 1}}, "do not fit together"),
        ({"game": "connect4", "options": {}}, "what td-ntuple learns needs"),
        ({"episodes": 0}, "episodes"),
        ({"episodes": 10_000_001}, "episodes: the arena allows 10,000,000 for a training, not 10,000,001"),
        ({"threads": 3}, "threads: the arena allows 2 for a training, not 3"),
        ({"evaluator": "golden"}, "evaluator: there is no 'golden' for tictactoe"),
        ({"evaluator": "score"}, "evaluator: there is no 'score' for tictactoe"),
        ({"evaluator": "/tmp/x.py:Evaluator"}, "evaluator: there is no"),
        ({"evaluator": "mcts:iterations=0"}, "iterations is a whole number from 1 to 1000000000, not 0"),
        ({"evaluator": "all-roles:against=engine:command=ls"}, "evaluator: there is no"),
        ({"evaluator": "all-roles:against=/tmp/x.py"}, "evaluator: there is no"),
        ({"options": {"rule": "tcl-exp:beta=99"}}, "beta is a number from 0 to 20, not 99.0"),
        ({"options": {"rule": "tcl-exp:beta=x.py"}}, "beta cannot be 'x.py'"),
        ({"evaluate_every": 10}, "evaluate_every: these would be 100 evaluations, the arena allows 20"),
        ({"games": 10_001}, "games: an evaluation has 10,000 games at most"),
        ({"seed": -1}, "seed"),
        ({"more": 1}, "more"),
        ({"against": "mcts:iterations=1000000"}, "against"),
        ({"agent": "random"}, "the agent random does not learn; agents that do: td-linear"),
        ({"agent": "evil.py:Evil"}, "agent cannot be 'evil.py:Evil'"),
    ],
)
def test_what_is_refused_queues_nothing(client: Client, request_: dict[str, Any], sentence: str) -> None:
    assert sentence in said(client.post("/api/runs", json={**REQUEST, **request_}), 422)
    assert client.get("/api/runs").json() == []
    assert list(arena_of(client).runs.directory.iterdir()) == []


def test_rules_and_evaluators_with_parameters(client: Client) -> None:
    run = start(client, options={**OPTIONS, "rule": "tcl-exp:beta=2.5"}, evaluator="mcts:iterations=20", games=2)
    done = reach(client, run, "finished")
    assert (done["evaluator"], done["against"]) == ("mcts:iterations=20", "mcts:iterations=20")
    agent = load_agent(path_of(client, done))
    assert isinstance(agent, TDNTuple)
    assert agent.learner.rule.spec == "tcl-exp:beta=2.5"


@pytest.mark.parametrize(
    ("evaluator", "against"),
    [
        ("all-roles", "n-ply:agent=x.py:Agent"),
        ("all-roles", "n-ply:agent=[engine:command=ls]"),
        ("all-roles:against=x.py:Agent", ""),
        ("x.py:Evaluator", "random"),
    ],
)
def test_a_file_does_not_choose_whose_code_measures_it(client: Client, evaluator: str, against: str) -> None:
    """Its history names evaluator and opponent, and anybody may have written it."""
    agent = straight(100)
    agent.history = {"evaluator": evaluator, "against": against}
    agent.save(arena_of(client).files.directory / "a.agent")
    (file,) = client.get("/api/files").json()
    response = client.post("/api/runs", json={"resume_file": file["id"], "episodes": 200})
    assert "which the arena does not have" in said(response, 422)


def test_memory_is_told_before_it_is_taken(client: Client) -> None:
    request = {"game": "hex:size=6", "options": {"tuples": "points:10x9", "rule": "tcl"}}
    sentence = said(client.post("/api/runs", json=request), 422)
    # 10 tables of 3^9 numbers of 4 bytes for 2 players, each number with the two of temporal coherence
    megabytes = 10 * 3**9 * 4 * 2 * 3 / 2**20
    assert sentence.startswith(f"what td-ntuple learns needs {megabytes:,.1f} MB, the arena allows 4 MB for a training")


def test_files_that_cannot_go_on(client: Client) -> None:
    straight(100).save(arena_of(client).files.directory / "a.agent")
    (file,) = client.get("/api/files").json()
    resume = {"resume_file": file["id"], "episodes": 200}
    assert "the agent has learned from 100 already" in said(
        client.post("/api/runs", json={**resume, "episodes": 100}), 422
    )
    for more in ({"preset": "paper"}, {"options": {"alpha": 1}}, {"seed": 1}, {"evaluator": "random"}):
        assert "keeps the settings" in said(client.post("/api/runs", json={**resume, **more}), 422)
    assert "was trained for tictactoe" in said(client.post("/api/runs", json={**resume, "game": "nim"}), 422)
    said(client.post("/api/runs", json={**resume, "resume_file": "a" * 12}), 404)
    assert client.get("/api/runs").json() == []


def test_unknown_ids(client: Client) -> None:
    unknown = "a" * 12
    requests = [client.get(f"/api/runs/{unknown}"), client.delete(f"/api/runs/{unknown}")]
    requests += [client.post(f"/api/runs/{unknown}/{what}") for what in ("pause", "resume", "stop")]
    for response in requests:
        assert "there is no training run" in said(response, 404)
