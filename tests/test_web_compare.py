"""Trainings compared: curves by episodes, CPU and wall time, seeds, the best possible result, and estimates."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import pytest
from arena_client import Client, arena_of, eventually, open_client, said
from training_files import SETTINGS, small_agent

from boardlab.matches.evaluators.registry import make_evaluator
from boardlab.registry import make
from boardlab.web.runs import trials

OPTIONS = {key: value for key, value in SETTINGS.items() if key not in ("episodes", "seed")}
REQUEST: dict[str, Any] = {
    **{"game": "tictactoe", "name": "pupil", "options": OPTIONS, "episodes": 1000, "seed": 11},
    **{"evaluator": "random", "games": 10, "evaluate_every": 250},
}
OVER = ("finished", "stopped", "failed")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with open_client(tmp_path_factory.mktemp("data"), checkpoint_seconds=0.1, runs=8) as opened:
        yield opened


def finished(client: Client, run: str) -> dict[str, Any]:
    found = eventually(lambda: client.get(f"/api/runs/{run}").json(), lambda r: r["state"] in OVER)
    assert found["state"] == "finished", found
    return dict(found)


def test_seeds_and_curves(client: Client) -> None:
    first = client.post("/api/runs", json=REQUEST).json()
    done = finished(client, first["id"])
    again = client.post(f"/api/runs/{first['id']}/repeat", json={"seeds": 2}).json()
    assert [(run["name"], run["seed"], run["group"]) for run in again] == [
        ("pupil seed 12", 12, first["id"]),
        ("pupil seed 13", 13, first["id"]),
    ]
    runs = [done, *(finished(client, run["id"]) for run in again)]
    assert client.post(f"/api/runs/{again[0]['id']}/repeat", json={"seeds": 1}).json()[0]["seed"] == 14
    query = "&".join(f"run={run['id']}" for run in runs) + f"&file={done['file']}"
    compared = client.get(f"/api/compare?{query}").json()
    assert [line["kind"] for line in compared] == ["run", "run", "run", "file"]
    assert {line["group"] for line in compared[:3]} == {first["id"]}
    for line in compared:
        assert [point["episodes"] for point in line["points"]] == [250, 500, 750, 1000]
        assert [p["cpu"] for p in line["points"]] == sorted(p["cpu"] for p in line["points"])
        assert line["parameters"]["tuples"] == OPTIONS["tuples"]
    walls = [point["wall"] for point in compared[0]["points"]]
    assert walls == sorted(walls) and walls[0] > 0
    assert [line["parameters"]["seed"] for line in compared] == [11, 12, 13, 11]
    assert compared[0]["points"][-1]["score"] == compared[3]["points"][-1]["score"]


def test_what_a_training_needs_is_known_before_the_first_one(client: Client) -> None:
    """Its time is tried out once for each kind; then it is known at once, whatever the length."""
    request = {**REQUEST, "episodes": 40_000, "evaluate_every": 10_000}
    unknown = client.post("/api/runs/estimate", json=request).json()
    needed = {"bytes": small_agent().memory_needed, "episodes": 40_000}
    assert unknown == {**needed, "shortest": None, "longest": None, "time": ""}
    tried = client.post("/api/runs/trial", json=request).json()
    assert {**tried, **needed} == tried and 1 < tried["shortest"] <= tried["longest"] < 60
    assert re.fullmatch(r"about .* s on this machine", tried["time"]), tried
    assert client.post("/api/runs/estimate", json=request).json() == tried
    longer = {**request, "episodes": 400_000, "options": {**OPTIONS, "alpha": 0.2}}
    told = client.post("/api/runs/estimate", json=longer).json()
    assert told["longest"] - 1 == pytest.approx(10 * (tried["longest"] - 1)), "by its length; alpha makes no difference"
    other = {**request, "options": {**OPTIONS, "tuples": "points:9x6"}}
    assert client.post("/api/runs/estimate", json=other).json()["time"] == "", "larger networks are another kind"
    said(client.post("/api/runs/trial", json={**request, "options": {"tuples": "walk:100000x6"}}), 422)


def test_a_trial_that_nobody_waits_for_is_given_up(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """But one that a page asks for again after a change goes on."""
    arena, begun, ended = arena_of(client), [], []
    monkeypatch.setattr(trials, "GRACE_SECONDS", 0.05)

    async def slow(job: dict[str, Any], seconds: float) -> dict[str, float]:
        begun.append(job["wish"])
        try:
            await asyncio.sleep(0.5 if len(begun) == 1 else 60)
        finally:
            ended.append(job["wish"])
        return {"episode": 1.0, "evaluation": 2.0}

    async def ask() -> None:
        monkeypatch.setattr(arena.workers, "run", slow)
        tried = arena.run_requests.trials
        first = asyncio.create_task(tried.speed("kind", {"wish": 1}))
        await asyncio.sleep(0.02)
        first.cancel()
        assert await tried.speed("kind", {"wish": 1}) == (1.0, 2.0) == tried.known("kind") and begun == [1]
        left = asyncio.create_task(tried.speed("other", {"wish": 2}))
        await asyncio.sleep(0.02)
        left.cancel()
        await asyncio.sleep(0.3)
        assert ended == [1, 2] and tried.known("other") is None

    assert client.portal is not None
    client.portal.call(ask)


def test_the_best_result_is_that_of_the_perfect_player(client: Client) -> None:
    best = client.get("/api/compare/best?game=tictactoe&evaluator=perfect").json()
    game = make("tictactoe")
    assert best == {"agent": "perfect", "score": make_evaluator("perfect", game).evaluate("perfect").result.mean}
    assert client.get("/api/compare/best?game=othello&evaluator=random").json() == {"agent": None, "score": None}
    said(client.get("/api/compare/best?game=tictactoe&evaluator=nothing"), 422)
    said(client.get("/api/compare?run=aaaaaaaaaaaa"), 404)


def test_a_run_that_is_still_learning_plays(client: Client) -> None:
    long = {**REQUEST, "episodes": 10_000_000, "evaluate_every": 10_000_000, "name": "learning"}
    for run in client.get("/api/runs").json():
        if run["state"] not in OVER:
            client.post(f"/api/runs/{run['id']}/stop")
    run = client.post("/api/runs", json=long).json()["id"]
    eventually(lambda: arena_of(client).runs.checkpoint_path(run), lambda path: path is not None)
    table = client.post("/api/tables", json={"game": "tictactoe", "seats": [{"file": run}, {"person": "Ann"}]}).json()
    assert table["seats"][0]["label"] == "learning (in training)"
    view = eventually(lambda: client.get(f"/api/tables/{table['id']}").json(), lambda v: v["ply"] == 1)
    assert view["to_move"] == 1
    client.post(f"/api/runs/{run}/stop")


def test_what_cannot_be_repeated(client: Client) -> None:
    small_agent().save(arena_of(client).files.directory / "first.agent")
    file = next(f["id"] for f in client.get("/api/files").json() if f["name"] == "first")
    run = client.post("/api/runs", json={"resume_file": file, "episodes": 10}).json()["id"]
    client.post(f"/api/runs/{run}/stop")
    said(client.post("/api/runs/aaaaaaaaaaaa/repeat", json={"seeds": 1}), 404)
    said(client.post(f"/api/runs/{run}/repeat", json={"seeds": 0}), 422)
