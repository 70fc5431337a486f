"""Matches in the arena: the same games as `play_match` plays, told as they are played, stopped, failed, remembered."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arena_client import Client, arena_of, eventually, open_client, said
from training_files import small_agent

from boardlab import make
from boardlab.matches.match import play_match

RANDOM = {"agent": "random"}
SLOW = {"agent": "mcts", "options": {"time": 0.05, "iterations": 1_000_000_000}}
"""A mover that needs its time, so that a match of many games is not over before it is stopped."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with open_client(tmp_path_factory.mktemp("data"), match_games=1000, matches=3) as opened:
        yield opened


def start(client: Client, **request: Any) -> str:
    response = client.post("/api/matches", json={"game": "tictactoe", "agents": [RANDOM, RANDOM], **request})
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


def finished(client: Client, match: str, state: str = "finished") -> dict[str, Any]:
    """The match when it is over."""
    over = ("finished", "stopped", "failed")
    found = eventually(lambda: client.get(f"/api/matches/{match}").json(), lambda m: m["state"] in over)
    assert found["state"] == state, found
    return dict(found)


def playing(client: Client, match: str) -> dict[str, Any]:
    """The match when some games are over and more are to come."""
    found = eventually(
        lambda: client.get(f"/api/matches/{match}").json(), lambda m: m["done"] > 0 or m["state"] == "failed"
    )
    assert found["state"] == "running", found
    return dict(found)


def alive(pid: int) -> bool:
    """Whether the process is there, or one that it has started."""
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return False
    return True


# ------------------------------------------------------------ a whole match


@pytest.mark.parametrize(("spec", "players"), [("tictactoe", 2), ("nim:players=3", 3), ("2048", 2)])
def test_the_games_are_those_of_play_match(client: Client, spec: str, players: int) -> None:
    games = 3 if spec == "2048" else 9
    match = start(client, game=spec, agents=[RANDOM] * players, games=games, seed=11)
    shown = finished(client, match)
    game = make(spec)
    result = play_match(game, ["random"] * players, games, 11)
    assert (shown["done"], shown["games"], shown["seed"], len(shown["records"])) == (games, games, 11, games)
    assert (shown["game"], shown["title"], shown["agents"]) == (game.spec, game.title, ["random"] * players)
    for record, expected in zip(shown["records"], result.records, strict=True):
        stored = client.get(f"/api/records/{record}/export").json()
        assert stored["events"] == [
            {"chance" if event.player is None else "action": event.number} for event in expected.events
        ]
        assert stored["scores"] == list(expected.scores)
        assert (stored["source"], stored["match"], stored["finished"]) == ("match", match, True)
        shown_end = client.get(f"/api/records/{record}/position").json()
        assert (shown_end["over"], shown_end["scores"]) == (True, list(expected.scores))
    for line, standing in zip(shown["standings"], result.standings, strict=True):
        assert (line["games"], line["mean"], line["low"], line["high"]) == (
            standing.score.games,
            standing.score.mean,
            standing.score.low,
            standing.score.high,
        )
        assert (line["won"], line["drawn"], line["lost"]) == (standing.wins, standing.draws, standing.losses)
        assert line["roles"] == list(standing.role_scores)
        assert line["success"] == (standing.success.mean if standing.success else None)
    assert client.get("/api/hall").json() == []  # there were no people


def test_pages_are_told_of_every_game(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, int]] = []

    def publish(kind: str, payload: Any) -> None:
        if kind == "match":
            told.append((payload.state, payload.done))

    monkeypatch.setattr(arena_of(client).streams, "publish", publish)
    finished(client, start(client, games=4))
    assert told == [
        ("compiling", 0),
        *[("running", 1), ("running", 2), ("running", 3), ("running", 4), ("finished", 4)],
    ]


def test_a_file_and_an_agent_with_options(client: Client) -> None:
    small_agent().save(arena_of(client).files.directory / "untrained.agent")
    (file,) = client.get("/api/files").json()
    mc = {"agent": "mcts", "options": {"iterations": 50}}
    shown = finished(client, start(client, agents=[{"file": file["id"]}, mc], games=4))
    assert shown["agents"] == ["untrained", "mcts:iterations=50"]
    assert [line["games"] for line in shown["standings"]] == [4, 4]
    seats = client.get(f"/api/records/{shown['records'][1]}").json()["seats"]
    assert seats == ["mcts:iterations=50", "untrained"]


def test_a_match_is_deleted_with_its_games(client: Client) -> None:
    shown = finished(client, start(client, games=2))
    assert client.delete(f"/api/matches/{shown['id']}").status_code == 204
    said(client.get(f"/api/matches/{shown['id']}"), 404)
    assert shown["id"] not in [m["id"] for m in client.get("/api/matches").json()]
    for record in shown["records"]:
        said(client.get(f"/api/records/{record}"), 404)


# ------------------------------------------------------------ ended early


def test_stop_ends_the_process_and_keeps_the_games(client: Client) -> None:
    match = start(client, agents=[SLOW, SLOW], games=1000)
    playing(client, match)
    work = arena_of(client).matches._entries[match].work
    assert work is not None
    said(client.delete(f"/api/matches/{match}"), 409)
    stopped = client.post(f"/api/matches/{match}/stop").json()
    assert stopped["state"] == "stopped"
    assert 0 < stopped["done"] < 1000
    assert len(stopped["records"]) == stopped["done"]
    eventually(lambda: alive(work.pid), lambda living: not living)
    assert said(client.post(f"/api/matches/{match}/stop"), 409) == "the match is stopped already"
    assert client.get(f"/api/matches/{match}").json() == stopped
    assert client.delete(f"/api/matches/{match}").status_code == 204


def test_a_queued_match_waits_and_can_be_stopped(client: Client) -> None:
    first = start(client, agents=[SLOW, SLOW], games=1000)
    second, third = start(client, games=2), start(client, games=2)
    assert "3 matches already" in said(
        client.post("/api/matches", json={"game": "tictactoe", "agents": [RANDOM, RANDOM], "games": 1}), 429
    )
    playing(client, first)
    assert client.get(f"/api/matches/{second}").json()["state"] == "queued"
    assert client.post(f"/api/matches/{second}/stop").json()["state"] == "stopped"
    client.post(f"/api/matches/{first}/stop")
    assert finished(client, third)["done"] == 2
    assert client.get(f"/api/matches/{second}").json()["done"] == 0


def test_a_killed_process_fails_with_a_sentence(client: Client) -> None:
    match = start(client, agents=[SLOW, SLOW], games=1000)
    playing(client, match)
    work = arena_of(client).matches._entries[match].work
    assert work is not None
    os.kill(work.pid, signal.SIGKILL)
    failed = finished(client, match, "failed")
    assert failed["message"] == "its process was ended by signal 9; perhaps there was too little memory"
    assert len(failed["records"]) == failed["done"] > 0
    eventually(lambda: alive(work.pid), lambda living: not living)


def test_an_agent_that_cannot_be_made_fails_with_its_sentence(client: Client) -> None:
    """A file that was deleted while its match was queued; the sentence does not tell where files lie."""
    small_agent().save(arena_of(client).files.directory / "gone.agent")
    file = next(f["id"] for f in client.get("/api/files").json() if f["name"] == "gone")
    first = start(client, agents=[SLOW, SLOW], games=1000)
    second = start(client, agents=[{"file": file}, RANDOM], games=2)
    assert client.delete(f"/api/files/{file}").status_code == 204
    client.post(f"/api/matches/{first}/stop")
    assert finished(client, second, "failed")["message"] == "gone cannot be read: No such file or directory"


def test_a_restart_goes_on_with_what_was_not_over(tmp_path: Path) -> None:
    """The same games as without the restart, each of them once."""
    with open_client(tmp_path) as client:
        over = finished(client, start(client, games=3))
        match = start(client, agents=[SLOW, RANDOM], games=12, seed=5)
        done = playing(client, match)["done"]
        work = arena_of(client).matches._entries[match].work
        waiting = start(client, games=2)
    assert work is not None
    assert not alive(work.pid)
    assert done < 12
    with open_client(tmp_path) as client:
        assert [m["id"] for m in client.get("/api/matches").json()] == [waiting, match, over["id"]]
        assert client.get(f"/api/matches/{over['id']}").json() == over
        went_on = finished(client, match)
        assert (went_on["done"], len(set(went_on["records"])), went_on["message"]) == (12, 12, None)
        assert [line["games"] for line in went_on["standings"]] == [12, 12]
        assert "specs" not in went_on
        played = finished(client, waiting)
        assert played["done"] == 2


def test_a_match_whose_games_are_all_played_is_finished_however_it_ended(tmp_path: Path) -> None:
    with open_client(tmp_path) as client:
        match = finished(client, start(client, games=3))
        entry = arena_of(client).matches._entries[match["id"]]
        entry.card.state, entry.end = "running", {}
        arena_of(client).matches._settle(entry, -9)  # killed before it could say so
        assert client.get(f"/api/matches/{match['id']}").json()["state"] == "finished"
        entry.card.state = "running"
        arena_of(client).matches._save(entry)  # and the server, too
    with open_client(tmp_path) as client:
        assert client.get(f"/api/matches/{match['id']}").json() == match


# ------------------------------------------------------------ refused


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        ({"agents": [RANDOM]}, "is for 2 players, so it takes as many agents, not 1"),
        ({"agents": [RANDOM] * 3}, "takes as many agents, not 3"),
        ({"agents": []}, "agents"),
        ({"games": 0}, "games"),
        ({"games": 1001}, "games: the arena allows 1,000 in a match, not 1,001"),
        ({"seed": -1}, "seed"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"game": "/tmp/x.py:Game"}, "there is no game"),
        ({"agents": [RANDOM, {"agent": "nobody"}]}, "there is no agent 'nobody'"),
        ({"agents": [RANDOM, {"agent": "/tmp/x.py:Agent"}]}, "there is no agent"),
        ({"agents": [RANDOM, {"agent": "/tmp/x.agent"}]}, "there is no agent"),
        ({"agents": [RANDOM, {"agent": "mcts", "options": {"iterations": 0}}]}, "iterations of mcts is"),
        ({"agents": [RANDOM, {"agent": "mcts", "options": {"wisdom": 1}}]}, "no parameter of mcts 'wisdom'"),
        ({"agents": [RANDOM, {"agent": "c4-perfect"}]}, "c4-perfect"),
        ({"more": 1}, "more"),
    ],
)
def test_what_is_refused_queues_nothing(client: Client, request_: dict[str, Any], sentence: str) -> None:
    before = client.get("/api/matches").json()
    request = {"game": "tictactoe", "agents": [RANDOM, RANDOM], "games": 1, **request_}
    assert sentence in said(client.post("/api/matches", json=request), 422)
    assert client.get("/api/matches").json() == before


def test_unknown_ids(client: Client) -> None:
    unknown = "a" * 12
    for response in (
        client.get(f"/api/matches/{unknown}"),
        client.post(f"/api/matches/{unknown}/stop"),
        client.delete(f"/api/matches/{unknown}"),
    ):
        assert "there is no match" in said(response, 404)
    file = {"game": "tictactoe", "agents": [RANDOM, {"file": unknown}], "games": 1}
    assert "there is no agent file" in said(client.post("/api/matches", json=file), 404)
