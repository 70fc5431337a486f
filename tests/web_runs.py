"""Shared by the tests of training runs in the arena: a client, and what it asks for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arena_client import Client, arena_of, eventually, open_client
from training_files import SETTINGS, small_agent

from boardlab.agents.files import load_agent
from boardlab.agents.td_ntuple import TDNTuple

OPTIONS = {key: value for key, value in SETTINGS.items() if key not in ("episodes", "seed")}
REQUEST: dict[str, Any] = {
    **{"game": "tictactoe", "name": "pupil", "options": OPTIONS, "episodes": 1000, "seed": 11},
    **{"evaluator": "random", "games": 10, "evaluate_every": 250},
}
"""The training of `small_agent`, with evaluations that take no time."""
LONG = 10_000_000
OVER = ("finished", "stopped", "failed")


@pytest.fixture(scope="module")
def training_arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    settings = {"checkpoint_seconds": 0.1, "threads": 2, "runs": 3, "network_megabytes": 4, "curve_points": 20}
    with open_client(tmp_path_factory.mktemp("data"), **settings) as client:
        yield client


@pytest.fixture
def client(training_arena: Client) -> Iterator[Client]:
    """The arena of all these tests, without the runs and files of the one before."""
    yield training_arena
    for run in training_arena.get("/api/runs").json():
        if run["state"] not in OVER:
            training_arena.post(f"/api/runs/{run['id']}/stop")
            reach(training_arena, run["id"], *OVER)
        training_arena.delete(f"/api/runs/{run['id']}")
    for file in training_arena.get("/api/files").json():
        training_arena.delete(f"/api/files/{file['id']}")


def start(client: Client, **request: Any) -> str:
    response = client.post("/api/runs", json={**REQUEST, **request})
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


def reach(client: Client, run: str, *states: str) -> dict[str, Any]:
    """The run when it has one of these states."""
    found = eventually(
        lambda: client.get(f"/api/runs/{run}").json(), lambda r: r["state"] in states or r["state"] in OVER
    )
    assert found["state"] in states, found
    return dict(found)


def reach_episodes(client: Client, run: str, episodes: int) -> dict[str, Any]:
    """The run when it has learned so much."""
    found = eventually(
        lambda: client.get(f"/api/runs/{run}").json(), lambda r: r["episodes"] >= episodes or r["state"] in OVER
    )
    assert found["episodes"] >= episodes, found
    return dict(found)


def act(client: Client, run: str, what: str) -> dict[str, Any]:
    response = client.post(f"/api/runs/{run}/{what}")
    assert response.status_code == 200, response.text
    return dict(response.json())


def path_of(client: Client, run: dict[str, Any]) -> Path:
    """The agent file that a run has left."""
    assert run["file"] is not None, run
    return arena_of(client).files.path(run["file"])


def straight(episodes: int, of: int | None = None) -> TDNTuple:
    """The agent that learns the same without any arena; `of` is how many episodes were planned."""
    agent = small_agent(episodes=of or episodes)
    agent.train(episodes)
    return agent


def end(client: Client, run: str) -> TDNTuple:
    """Stop a run of LONG episodes; the agent that it leaves."""
    act(client, run, "stop")
    done = reach(client, run, "stopped")
    agent = load_agent(path_of(client, done))
    assert isinstance(agent, TDNTuple)
    assert agent.episodes == done["episodes"]
    return agent
