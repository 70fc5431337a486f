"""Two people on two devices: seats belong to whoever took them, others watch, and all of it outlives the server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from arena_client import Client, open_client, said

ANN, BOB, EVE = ({"x-visitor": name * 16} for name in ("a", "b", "e"))


@pytest.fixture
def client(tmp_path: Any) -> Iterator[Client]:
    with open_client(tmp_path) as opened:
        yield opened


def table(client: Client, *seats: Any) -> str:
    people = list(seats) or [{"person": "Ann"}, {"person": "Guest"}]
    return str(client.post("/api/tables", json={"game": "tictactoe", "seats": people}).json()["id"])


def ask(client: Client, game: str, what: str, who: dict[str, str], **body: Any) -> Any:
    return client.post(f"/api/tables/{game}/{what}", json=body, headers=who)


def test_a_shared_game(client: Client, tmp_path: Any) -> None:
    game = table(client)
    shared = ask(client, game, "share", ANN).json()
    assert shared["shared"] and [seat["free"] for seat in shared["seats"]] == [False, True]
    assert client.get(f"/api/tables/{game}/mine", headers=ANN).json() == [0]
    assert ask(client, game, "move", ANN, action=4, ply=0).json()["ply"] == 1
    assert "turn of the other player" in said(ask(client, game, "move", ANN, action=0, ply=1), 409)
    assert "you are watching" in said(ask(client, game, "move", BOB, action=0, ply=1), 409)
    assert "no seat for a person" in said(ask(client, game, "claim", BOB, seat=7), 409)
    assert "taken this seat" in said(ask(client, game, "claim", BOB, seat=0), 409)
    claimed = ask(client, game, "claim", BOB, seat=1, name="Bob").json()
    assert [seat["label"] for seat in claimed["seats"]] == ["Ann", "Bob"]
    assert "taken this seat" in said(ask(client, game, "claim", EVE, seat=1), 409)
    assert ask(client, game, "move", BOB, action=0, ply=1).json()["ply"] == 2
    for verb in ("undo", "flip"):
        assert "two devices" in said(ask(client, game, verb, ANN), 409)
        assert "watching" in said(ask(client, game, verb, EVE), 409)
    assert "watching" in said(ask(client, game, "pace", {}, paused=True), 409)
    assert "watching" in said(client.delete(f"/api/tables/{game}", headers=EVE), 409)
    assert "turn of the other player" in said(ask(client, game, "resign", BOB), 409)
    assert client.get(f"/api/tables/{game}", headers=EVE).json()["ply"] == 2
    assert BOB["x-visitor"] not in client.get(f"/api/tables/{game}").text, "nobody learns another one's number"


def test_owners_outlive_the_server(tmp_path: Any) -> None:
    with open_client(tmp_path) as client:
        game = table(client)
        ask(client, game, "share", ANN)
    with open_client(tmp_path) as client:
        assert client.get(f"/api/tables/{game}/mine", headers=ANN).json() == [0]
        assert "watching" in said(ask(client, game, "move", EVE, action=4, ply=0), 409)


def test_what_is_not_shared_is_everybodys(client: Client) -> None:
    game = table(client)
    assert "not shared" in said(ask(client, game, "claim", BOB, seat=1), 409)
    assert ask(client, game, "move", EVE, action=4, ply=0).json()["ply"] == 1
    alone = table(client, {"person": "Ann"}, {"agent": "random"})
    assert "two seats for people" in said(ask(client, alone, "share", ANN), 409)
