"""The clock of a live game: whose time runs, what a move adds, the flag, restarts, and what is kept."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from arena_client import Client, eventually, open_client, said

from boardlab.store import games_database
from boardlab.store.games import GameStore

TWO = [{"person": "Ann"}, {"person": "Bob"}]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with open_client(tmp_path_factory.mktemp("data")) as opened:
        yield opened


def begin(client: Client, minutes: float, increment: float = 0.0, seats: Any = TWO, game: str = "tictactoe") -> Any:
    clock = {"minutes": minutes, "increment": increment}
    answer = client.post("/api/tables", json={"game": game, "seats": seats, "clock": clock})
    assert answer.status_code == 200, answer.text
    return answer.json()


def act(client: Client, view: Any, verb: str, **body: Any) -> Any:
    return client.post(f"/api/tables/{view['id']}/{verb}", json=body)


def move(client: Client, view: Any, action: int) -> Any:
    answer = act(client, view, "move", action=action, ply=view["ply"])
    assert answer.status_code == 200, answer.text
    return answer.json()


def look(client: Client, view: Any) -> Any:
    return client.get(f"/api/tables/{view['id']}").json()


def test_time_runs_for_the_person_to_move(client: Client) -> None:
    view = begin(client, 5, 3)
    assert view["clock"] == {"minutes": 5, "increment": 3, "left": [300, 300], "running": None}
    time.sleep(0.2)
    assert look(client, view)["clock"]["left"] == [300, 300]  # not before the first move
    begun = time.monotonic()
    view = move(client, view, 0)
    assert view["clock"]["running"] == 1 and view["clock"]["left"][0] == 300
    time.sleep(0.3)
    seen = look(client, view)["clock"]["left"]
    assert seen[0] == 300 and 300 - (time.monotonic() - begun) <= seen[1] <= 299.7
    view = move(client, view, 1)
    spent = time.monotonic() - begun
    assert view["clock"]["running"] == 0
    assert 303 - spent <= view["clock"]["left"][1] <= 302.7


def test_moves_stand_where_there_is_a_clock(client: Client) -> None:
    view = move(client, begin(client, 5), 4)
    assert (view["can_undo"], view["can_redo"]) == (False, False)
    for verb, body in (("undo", {}), ("redo", {}), ("jump", {"ply": 0})):
        assert "clock" in said(act(client, view, verb, **body), 409)
    again = act(client, view, "restart").json()
    assert again["clock"]["left"] == [300, 300] and again["clock"]["running"] is None


def test_a_flag_ends_the_game_and_is_kept(client: Client) -> None:
    view = move(client, begin(client, 0.005, 1), 4)
    over = eventually(lambda: look(client, view), lambda seen: seen["over"] and seen["record"], 20)
    assert (over["flagged"], over["resigned"], over["status"]) == (1, None, "O ran out of time")
    assert over["scores"] == [1.0, -1.0] and over["legal"] == []
    assert over["clock"]["left"] == [0.3, 0] and over["clock"]["running"] is None
    assert "over" in said(act(client, view, "move", action=0, ply=1), 409)
    record = client.get(f"/api/records/{over['record']}").json()
    assert (record["flagged"], record["finished"], record["scores"]) == (1, False, [1.0, -1.0])
    assert record["clock"] == {"minutes": 0.005, "increment": 1, "left": [0.3, 0]}
    (line,) = client.get("/api/records?limit=1").json()["records"]
    assert line["id"] == record["id"] and line["flagged"] == 1


def test_a_flag_against_an_agent_counts_in_the_hall_of_fame(client: Client) -> None:
    view = begin(client, 0.01, 0, [{"person": "Cleo"}, {"agent": "random"}])
    assert view["clock"]["left"] == [0.6, None]
    view = move(client, view, 0)
    over = eventually(lambda: look(client, view), lambda seen: seen["over"] and seen["record"], 60)
    assert (over["flagged"], over["scores"]) == (0, [-1.0, 1.0])
    (line,) = [line for line in client.get("/api/hall").json() if line["person"] == "Cleo"]
    assert (line["games"], line["lost"]) == (1, 1)


def test_alone_one_keeps_what_one_has(client: Client) -> None:
    view = begin(client, 0.01, 0, [{"person": "Ann"}], "2048")
    view = move(client, view, view["legal"][0]["action"])
    over = eventually(lambda: look(client, view), lambda seen: seen["over"], 20)
    assert over["flagged"] == 0 and over["scores"] == view["scores"]


def test_on_two_devices_it_waits_for_the_guest_and_cannot_be_paused(client: Client) -> None:
    view = begin(client, 5)
    mine, guest = {"X-Visitor": "a" * 32}, {"X-Visitor": "b" * 32}
    place = f"/api/tables/{view['id']}"
    client.post(f"{place}/share", json={}, headers=mine)
    view = client.post(f"{place}/move", json={"action": 0, "ply": 0}, headers=mine).json()
    assert view["clock"]["running"] is None
    view = client.post(f"{place}/claim", json={"seat": 1, "name": "Bob"}, headers=guest).json()
    assert view["clock"]["running"] == 1
    assert "paused" in said(client.post(f"{place}/pace", json={"paused": True}, headers=guest), 409)


def test_players_take_their_time_along(client: Client) -> None:
    view = move(client, begin(client, 5), 0)
    time.sleep(0.2)
    view = act(client, view, "flip").json()
    assert view["clock"]["left"][0] <= 299.8 and view["clock"]["left"][1] > 299.8  # whose time runs now
    view = act(client, view, "seats", seats=[{"agent": "random"}, {"person": "Ann"}]).json()
    assert view["clock"]["left"][0] is None and view["clock"]["left"][1] is not None


@pytest.mark.parametrize(
    ("clock", "words"),
    [
        ({"minutes": 0}, "clock.minutes"),
        ({"minutes": -1}, "clock.minutes"),
        ({"minutes": 1e9}, "clock.minutes"),
        ({"minutes": 5, "increment": -1}, "clock.increment"),
        ({"minutes": 5, "hours": 1}, "clock.hours"),
        ({}, "clock.minutes"),
    ],
)
def test_a_clock_that_is_none(client: Client, clock: Any, words: str) -> None:
    assert words in said(client.post("/api/tables", json={"game": "nim", "seats": TWO, "clock": clock}), 422)


def test_agents_alone_have_no_clock(client: Client) -> None:
    wish = {"game": "tictactoe", "seats": [{"agent": "random"}] * 2, "clock": {"minutes": 5}}
    assert said(client.post("/api/tables", json=wish), 422).startswith("clock")


def test_time_does_not_run_while_the_server_is_away(tmp_path: Path) -> None:
    with open_client(tmp_path) as client:
        view, begun = begin(client, 5), time.monotonic()
        move(client, view, 0)
        time.sleep(0.3)
    spent = time.monotonic() - begun
    time.sleep(0.7)
    with open_client(tmp_path) as client:
        again = time.monotonic()
        clock = look(client, view)["clock"]
        assert clock["running"] == 1
        assert 300 - spent - (time.monotonic() - again) <= clock["left"][1] <= 299.7


def test_a_database_of_before_gets_its_columns(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "games.sqlite"
    with closing(sqlite3.connect(path)) as old:
        old.executescript(f"{games_database.SCHEMA}{games_database.SINCE_2}PRAGMA user_version = 2;")
        old.execute(
            "INSERT INTO games (id, game, title, source, finished, plies, events, created)"
            " VALUES ('a', 'nim', 'Nim', 'table', 1, 0, '[]', '')"
        )
        old.commit()
    store = GameStore(path, 10)
    store.open()
    kept = store.get("a")
    assert kept is not None and (kept.flagged, kept.clock) == (None, None)
    store.close()
