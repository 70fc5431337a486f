"""The n-tuple editor behind the page: sets generated, measured, saved, trained with, and refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from arena_client import Client, arena_of, open_client, said

from boardlab.agents.td_ntuple import TDNTuple
from boardlab.errors import BoardlabError
from boardlab.ntuple.creation import make_tuples, read_tuples
from boardlab.ntuple.layout import make_layout
from boardlab.registry import make

TUPLES = [[0, 1, 2], [0, 4, 8], [3, 4]]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with open_client(tmp_path_factory.mktemp("data")) as opened:
        yield opened


def test_generated_sets_are_those_of_the_command_line(client: Client) -> None:
    for spec, text in (("connect4", "walk:70x8"), ("tictactoe", "default"), ("dots:rows=2,columns=2", "points:3x4")):
        game = make(spec)
        found = client.post("/api/tuples/generate", json={"game": spec, "text": text, "seed": 5}).json()
        assert found["tuples"] == make_tuples(game, text, 5)
        assert found["weights"] == list(make_layout(game, found["tuples"]).sizes)
        assert found["bytes"] == TDNTuple(game, tuples=text, seed=5).memory_needed


def test_a_set_is_saved_listed_trained_with_and_deleted(client: Client) -> None:
    saved = client.post("/api/tuples", json={"game": "tictactoe", "name": "three lines", "tuples": TUPLES})
    assert saved.status_code == 201, saved.text
    board = client.get("/api/tuples/board?game=tictactoe").json()
    assert [(kept["name"], kept["tuples"]) for kept in board["saved"]] == [("three lines", TUPLES)]
    assert len(board["outlines"]) == 9 and "default" in board["sets"] and "walk:70x8" in board["examples"]
    assert client.get("/api/tuples/board?game=nim").json()["saved"] == []
    path = arena_of(client).tuple_sets.directory / "three lines.json"
    assert read_tuples(path) == TUPLES, "boardlab train --tuples reads it, too"
    started = train(client, "saved:three lines")
    assert started.status_code == 201, started.text
    agent = TDNTuple(make("tictactoe"), rule="plain", tuples="cells:0-1-2+0-4-8+3-4")
    assert started.json()["bytes"] == agent.memory_needed
    client.post(f"/api/runs/{started.json()['id']}/stop")
    assert "there is no saved tuple set of Tic-tac-toe 'three'" in said(train(client, "saved:three"), 422)
    assert client.delete("/api/tuples/three lines?game=tictactoe").status_code == 204
    assert client.get("/api/tuples/board?game=tictactoe").json()["saved"] == []


def train(client: Client, tuples: str) -> Any:
    options = {"rule": "plain", "tuples": tuples}
    return client.post("/api/runs", json={"game": "tictactoe", "options": options, "episodes": 100})


def test_what_is_no_set_is_refused(client: Client) -> None:
    def measure(tuples: Any, game: str = "tictactoe") -> str:
        return said(client.post("/api/tuples/measure", json={"game": game, "tuples": tuples}), 422)

    assert "different cells in 0..8" in measure([[0, 0]])
    assert "different cells in 0..8" in measure([[0, 9]])
    assert "at least one tuple" in measure([])
    assert "the arena allows 1,000 n-tuples, not 1,001" in measure([[0]] * 1001)
    assert "weights a table set" in measure([list(range(16))], "2048")
    for text in ("walk:1001x3", "walk:3x99", "nothing", "/etc/passwd", "x.json", "cells:0--1"):
        said(client.post("/api/tuples/generate", json={"game": "tictactoe", "text": text}), 422)
    for name in ("", "../x", "a/b"):
        said(client.post("/api/tuples", json={"game": "tictactoe", "name": name, "tuples": TUPLES}), 422)
    assert not list(arena_of(client).tuple_sets.directory.glob("*"))


def test_a_name_is_not_taken_from_another_game(client: Client) -> None:
    for game in ("nim", "sim"):
        answer = client.post("/api/tuples", json={"game": game, "name": "mine", "tuples": [[0, 1]]})
        if game == "sim":
            assert "mine is a set for nim" in said(answer, 409)


def test_listed_cells() -> None:
    game = make("tictactoe")
    assert make_tuples(game, "cells:0-1-2+3+4-8", 1) == [[0, 1, 2], [3], [4, 8]]
    for text in ("cells:", "cells:a", "cells:0-", "cells:+1"):
        with pytest.raises(BoardlabError, match="must list cells"):
            make_tuples(game, text, 1)
