"""The ladder of people: which games count, that each counts once, also when the server is killed, and what they are
worth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from arena_client import Client, arena_of, eventually, open_client, said

from boardlab.store.league import LeagueStore
from boardlab.tournament.sequential import Glicko, update_glicko

RANDOM = {"agent": "random"}


@pytest.fixture
def client(tmp_path: Path) -> Any:
    with open_client(tmp_path, league_quiet_seconds=3600) as opened:
        yield opened


def sit(client: Client, *seats: dict[str, Any], game: str = "tictactoe", **more: Any) -> dict[str, Any]:
    response = client.post(
        "/api/tables", json={"game": game, "seats": list(seats) or [{"person": "Ann"}, RANDOM], **more}
    )
    assert response.status_code == 200, response.text
    return dict(response.json())


def do(client: Client, table: dict[str, Any], what: str, **body: Any) -> dict[str, Any]:
    response = client.post(f"/api/tables/{table['id']}/{what}", json=body)
    assert response.status_code == 200, response.text
    return dict(response.json())


def turn(client: Client, table: dict[str, Any]) -> dict[str, Any]:
    """The game when a person is to move, or when it is over and stored."""
    return dict(
        eventually(
            lambda: client.get(f"/api/tables/{table['id']}").json(),
            lambda view: view["record"] is not None if view["over"] else view["thinking"] is None,
        )
    )


def play_on(client: Client, table: dict[str, Any]) -> dict[str, Any]:
    """Play the first legal move until the game is over."""
    view = turn(client, table)
    while not view["over"]:
        do(client, table, "move", action=view["legal"][0]["action"], ply=view["ply"])
        view = turn(client, table)
    return view


def people(client: Client, game: str = "tictactoe") -> list[dict[str, Any]]:
    return list(client.get("/api/league/people", params={"game": game}).json())


def history(client: Client, person: str = "Ann", game: str = "tictactoe") -> list[dict[str, Any]]:
    return list(client.get("/api/league/person", params={"game": game, "person": person}).json()["games"])


def test_a_game_against_an_agent_counts_once(client: Client) -> None:
    over = play_on(client, sit(client))
    (line,) = people(client)
    points = {1.0: 1.0, 0.0: 0.5, -1.0: 0.0}[over["scores"][0]]
    expected = update_glicko(Glicko(), [(Glicko(), points)])
    assert (line["person"], line["games"]) == ("Ann", 1)
    assert (line["rating"], line["deviation"]) == (expected.rating, expected.deviation)
    assert (line["won"], line["drawn"], line["lost"]) == (points == 1, points == 0.5, points == 0)
    (game,) = history(client)
    assert (game["record"], game["points"], game["opponents"][0]["label"]) == (over["record"], points, "random")
    assert (game["opponents"][0]["rating"], game["opponents"][0]["deviation"]) == (1500, 350)
    back = do(client, over, "undo")
    assert back["helped"]
    do(client, over, "redo")
    play_on(client, over)
    assert len(history(client)) == 1, "taken back, and ended again"
    again = play_on(client, do(client, over, "restart"))
    assert again["record"] != over["record"]
    assert len(history(client)) == 2, "another game"
    client.delete(f"/api/records/{over['record']}")
    assert people(client)[0]["games"] == 2


def test_giving_up_is_a_loss(client: Client) -> None:
    table = sit(client)
    turn(client, do(client, table, "resign"))
    assert people(client)[0]["lost"] == 1


def test_to_run_out_of_time_is_a_loss(client: Client) -> None:
    table = sit(client, clock={"minutes": 0.01})
    do(client, table, "move", action=0, ply=0)
    over = eventually(lambda: turn(client, table), lambda view: view["over"])
    assert over["flagged"] == 0
    assert people(client)[0]["lost"] == 1


def test_what_does_not_count(client: Client) -> None:
    helped = sit(client)
    do(client, helped, "hint", agent="random")
    assert play_on(client, helped)["helped"]
    shown = sit(client)
    assert do(client, shown, "help")["helped"]
    play_on(client, shown)
    taken_back = sit(client)
    do(client, taken_back, "move", action=0, ply=0)
    turn(client, taken_back)
    do(client, taken_back, "undo")
    play_on(client, taken_back)
    changed = sit(client)
    do(client, changed, "move", action=0, ply=0)
    turn(client, changed)
    do(client, changed, "flip")
    play_on(client, changed)
    play_on(client, sit(client, start=[{"action": 0}, {"action": 4}]))
    play_on(client, sit(client, {"person": "Ann"}, {"person": "Bob"}))
    play_on(client, sit(client, RANDOM, RANDOM))
    alone = sit(client, {"person": "Ann"}, game="2048")
    turn(client, do(client, alone, "resign"))
    assert (people(client), people(client, "2048")) == ([], [])
    said(client.get("/api/league/person", params={"game": "tictactoe", "person": "Ann"}), 404)
    assert client.get("/api/records").json()["total"] == 8


def test_an_agent_of_the_league_is_worth_its_rating(client: Client) -> None:
    member = client.post("/api/league/members", json={"game": "tictactoe", "agent": RANDOM}).json()
    leagues = LeagueStore(arena_of(client).store)
    known = leagues.member(member["id"])
    assert known is not None
    leagues.save_member(replace(known, rating=900.0, deviation=40.0))
    turn(client, do(client, sit(client), "resign"))
    (line,) = people(client)
    expected = update_glicko(Glicko(), [(Glicko(900.0, 40.0), 0.0)])
    assert line["rating"] == pytest.approx(expected.rating)
    assert history(client)[0]["opponents"][0]["rating"] == 900.0
    after = leagues.member(member["id"])
    assert after is not None and after.rating == 900.0, "people do not change the ratings of agents"


def test_three_at_a_table(client: Client) -> None:
    seats = [{"person": "Ann"}, RANDOM, RANDOM]
    over = play_on(client, sit(client, *seats, game="nim:players=3"))
    (game,) = history(client, game="nim:players=3")
    own, *others = over["scores"]
    assert [met["points"] for met in game["opponents"]] == [0.5 if own == x else float(own > x) for x in others]


def test_killed_between_storing_and_counting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game is stored, and the server is gone: the next one counts it. And one that was killed before it could keep
    that a live game was stored does not store or count it again."""
    with open_client(tmp_path) as client:
        arena = arena_of(client)
        monkeypatch.setattr(arena.stored_games, "noted", lambda: None)
        over = turn(client, do(client, sit(client), "resign"))
        assert people(client) == []
        live = arena.live_games.get(over["id"])
        live.record = None  # what is kept of it does not know yet that it was stored
        arena.live_games._unsaved[live.id] = live
    with open_client(tmp_path) as client:
        assert [line["games"] for line in people(client)] == [1]
        assert turn(client, over)["record"] == over["record"]
        assert [line["games"] for line in people(client)] == [1]
        assert client.get("/api/records").json()["total"] == 1
    with open_client(tmp_path) as client:
        assert len(history(client)) == 1
        assert turn(client, over)["record"] == over["record"]
        assert [line["games"] for line in people(client)] == [1]


def test_help_is_remembered_through_a_restart(tmp_path: Path) -> None:
    with open_client(tmp_path) as client:
        table = sit(client)
        do(client, table, "help")
    with open_client(tmp_path) as client:
        assert client.get(f"/api/tables/{table['id']}").json()["helped"]
        turn(client, do(client, table, "resign"))
        assert people(client) == []
