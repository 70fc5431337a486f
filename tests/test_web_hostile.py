"""Requests that would keep the arena busy for long: they are refused before anything begins, and what is no longer
wanted is given up."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from arena_client import Client, open_client, said

from boardlab.errors import BoardlabError
from boardlab.ntuple.creation import asked_tuples
from boardlab.ntuple.layout import make_layout
from boardlab.registry import make
from boardlab.web.server.errors import Problem
from boardlab.web.server.waiting import unless_gone


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with open_client(tmp_path_factory.mktemp("data"), threads=1) as opened:
        yield opened


def train(client: Client, game: str, **options: Any) -> Any:
    return client.post("/api/runs", json={"game": game, "options": options, "episodes": 100})


@pytest.mark.parametrize("tuples", ["walk:100000x6", "walk:1001x6", "points:500x3+501x4", "walk:999999999999x2"])
def test_giant_sets_of_tuples_are_refused_before_a_worker_sees_them(client: Client, tuples: str) -> None:
    assert "the arena allows 1,000 n-tuples" in said(train(client, "connect4", tuples=tuples), 422)
    assert client.get("/api/runs").json() == []


def test_tables_beyond_all_memory_are_told_by_the_first_of_them() -> None:
    """2048 has 18 values a cell: 64 tuples of 6 cells are too many, whatever follows."""
    game = make("2048")
    tuples = [[0, 1, 2, 3, 4, k] for k in range(5, 16)] * 900
    with pytest.raises(BoardlabError, match=r"the first 64 of these n-tuples need 2,176,782,336 weights"):
        make_layout(game, tuples)


def test_asked_tuples() -> None:
    assert [asked_tuples(t) for t in ("default", "walk:70x8", "walk:50x6+20x8", "mode6")] == [0, 70, 70, 0]


@pytest.mark.parametrize("wrapper", ["n-ply:depth=2", "n-ply"])
def test_the_examples_of_the_wrappers_are_taken(client: Client, wrapper: str) -> None:
    """And one that names a file is not."""
    options = {"rule": "plain", "tuples": "points:3x6", "play_wrapper": wrapper, "train_wrapper": "n-ply:depth=1"}
    started = train(client, "tictactoe", **options)
    assert started.status_code == 201, started.text
    client.post(f"/api/runs/{started.json()['id']}/stop")
    for wrong in ("/tmp/own.py:Wrapper", "n-ply:agent=/tmp/x.agent", "mcts:iterations=3", "nothing:depth=2"):
        said(train(client, "tictactoe", **{**options, "play_wrapper": wrong}), 422)


def test_work_for_a_page_that_is_gone_is_given_up() -> None:
    class Gone:
        async def is_disconnected(self) -> bool:
            return True

    async def asked() -> bool:
        given_up = asyncio.Event()

        async def work() -> None:
            try:
                await asyncio.sleep(60)
            finally:
                given_up.set()

        with pytest.raises(Problem, match="no longer waits"):
            await unless_gone(Gone(), work())  # type: ignore[arg-type]
        await asyncio.wait_for(given_up.wait(), 10)
        return given_up.is_set()

    assert asyncio.run(asked())
