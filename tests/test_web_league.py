"""The league in the arena: who takes part, games while the machine is idle, what it does when other work comes, and
that nothing is lost or counted twice when the server or its process is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from arena_client import Client, arena_of, eventually, open_client, said
from processes import all_gone, descendants, wait_until
from training_files import small_agent

from boardlab import make
from boardlab.tournament.pairing import rate_table
from boardlab.tournament.sequential import Glicko
from boardlab.web.library.agents import Learning
from boardlab.web.processes.league import play_task

RANDOM = {"agent": "random"}
EASY = {"agent": "mcts", "options": {"iterations": 20}}
SLOW = {"agent": "mcts", "options": {"time": 0.2, "iterations": 1_000_000_000}}
"""One whose games take a while, so that a test can come between."""
BUSY = 3600.0
"""Quiet seconds that never come."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """An arena whose leagues never play."""
    with open_client(tmp_path_factory.mktemp("data"), league_quiet_seconds=BUSY, league_members=3) as opened:
        yield opened


Asked = Client | httpx.Client


def enter(client: Asked, choice: dict[str, Any], game: str = "tictactoe") -> dict[str, Any]:
    response = client.post("/api/league/members", json={"game": game, "agent": choice})
    assert response.status_code == 201, response.text
    return dict(response.json())


def switch(client: Asked, plays: bool, game: str = "tictactoe") -> dict[str, Any]:
    response = client.post("/api/league/switch", json={"game": game, "plays": plays})
    assert response.status_code == 200, response.text
    return dict(response.json())


def league(client: Asked, game: str = "tictactoe") -> dict[str, Any]:
    return dict(client.get("/api/league", params={"game": game}).json())


def games(client: Client, game: str = "tictactoe") -> list[dict[str, Any]]:
    found = client.get("/api/league/games", params={"game": game, "limit": 500}).json()
    assert found["total"] == len(found["games"])
    return list(found["games"])


def alive(pid: int) -> bool:
    return not all_gone([pid])


def working(client: Client) -> int:
    """The process of the league, once it is at a game."""
    idle = arena_of(client).idle_play
    eventually(lambda: idle.plays, bool)
    assert idle._work is not None
    return idle._work.pid


def replayed(client: Client, game: str = "tictactoe") -> None:
    """The ratings of today are those that the games of the league give, one after the other, from the beginning; and
    every game can be replayed to its score."""
    ratings: dict[str, Glicko] = {}
    for played in reversed(games(client, game)):
        before = [ratings.get(r["member"], Glicko(volatility=0.004)) for r in played["results"]]
        after = rate_table(before, [r["score"] for r in played["results"]])
        for result, rating in zip(played["results"], after, strict=True):
            assert result["rating"] == pytest.approx(rating.rating)
            ratings[result["member"]] = rating
        for record in {r["record"] for r in played["results"]}:
            end = client.get(f"/api/records/{record}/position").json()
            assert end["over"]
            if len(played["results"]) == len(end["scores"]):
                assert end["scores"] == [r["score"] for r in played["results"]]
    for member in league(client, game)["members"]:
        assert member["rating"] == pytest.approx(ratings[member["id"]].rating)
        assert member["deviation"] == pytest.approx(ratings[member["id"]].deviation)


# ------------------------------------------------------------ who takes part


def test_agents_enter_withdraw_and_come_back(client: Client) -> None:
    empty = league(client, "nim")
    assert (empty["members"], empty["state"], empty["seed"], empty["games"]) == ([], "off", None, 0)
    assert "no agent has entered" in said(client.post("/api/league/switch", json={"game": "nim", "plays": True}), 409)
    first = enter(client, RANDOM, "nim")
    assert (first["label"], first["rating"], first["deviation"], first["games"]) == ("random", 1500.0, 350.0, 0)
    assert first["trend"] is None and first["withdrawn"] is None
    assert "random takes part already" in said(
        client.post("/api/league/members", json={"game": "nim", "agent": RANDOM}), 409
    )
    assert switch(client, True, "nim")["state"] == "few"
    enter(client, {"level": "easy"}, "nim")
    assert "takes part already" in said(client.post("/api/league/members", json={"game": "nim", "agent": EASY}), 409)
    assert league(client, "nim")["state"] == "waiting"
    enter(client, {"agent": "max-n", "options": {"depth": 2}}, "nim")
    full = client.post("/api/league/members", json={"game": "nim", "agent": {"agent": "max-n"}})
    assert "3 agents are in this league" in said(full, 429)
    gone = client.post(f"/api/league/members/{first['id']}/withdraw").json()
    assert gone["withdrawn"]
    assert "has withdrawn already" in said(client.post(f"/api/league/members/{first['id']}/withdraw"), 409)
    assert [m["label"] for m in league(client, "nim")["members"]][-1] == "random"
    again = enter(client, RANDOM, "nim")
    assert (again["id"], again["withdrawn"]) == (first["id"], None)
    assert switch(client, False, "nim")["state"] == "off"
    (line,) = client.get("/api/league/all").json()
    assert (line["game"], line["members"], line["games"], line["people"], line["plays"]) == ("nim", 3, 0, 0, False)


@pytest.mark.parametrize(
    ("request_", "status", "sentence"),
    [
        ({"game": "chess", "agent": RANDOM}, 422, "there is no game 'chess'"),
        ({"game": "/tmp/x.py:Game", "agent": RANDOM}, 422, "there is no game"),
        ({"game": "tictactoe", "agent": {"agent": "nobody"}}, 422, "there is no agent 'nobody'"),
        ({"game": "tictactoe", "agent": {"agent": "/tmp/x.agent"}}, 422, "there is no agent"),
        ({"game": "tictactoe", "agent": {"agent": "mcts", "options": {"iterations": 0}}}, 422, "iterations of mcts is"),
        ({"game": "tictactoe", "agent": {"person": "Ann"}}, 422, "person"),
        ({"game": "tictactoe", "agent": {"file": "a" * 12}}, 404, "there is no agent file"),
        ({"game": "tictactoe", "agent": {}}, 422, "name an agent"),
        ({"game": "tictactoe", "agent": RANDOM, "rating": 3000}, 422, "rating"),
        ({"game": "2048", "agent": {"level": "easy"}}, 422, "no level"),
    ],
)
def test_what_is_refused_changes_nothing(client: Client, request_: Any, status: int, sentence: str) -> None:
    before = league(client)
    assert sentence in said(client.post("/api/league/members", json=request_), status)
    assert league(client) == before


def test_an_agent_that_is_being_trained_cannot_enter(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    learning = Learning(Path("run.agent"), "My run", "tictactoe")
    monkeypatch.setattr(arena_of(client).agents, "learning", lambda run_id: learning)
    wish = {"game": "tictactoe", "agent": {"file": "a" * 12}}
    assert "My run is still being trained" in said(client.post("/api/league/members", json=wish), 409)


def test_unknown_members_people_and_pages(client: Client) -> None:
    assert "there is no member" in said(client.post(f"/api/league/members/{'a' * 12}/withdraw"), 404)
    person = client.get("/api/league/person", params={"game": "tictactoe", "person": "Nobody"})
    assert "Nobody has no games on the ladder" in said(person, 404)
    said(client.get("/api/league/games", params={"game": "tictactoe", "limit": 0}), 422)
    said(client.get("/api/league/games", params={"game": "tictactoe", "offset": 1 << 63}), 422)
    said(client.get("/api/league"), 422)
    said(client.get("/api/league", params={"game": "x" * 301}), 422)


# ------------------------------------------------------------ a game


@pytest.mark.parametrize(
    ("spec", "boards"),
    [
        ("tictactoe", 1),
        pytest.param("nim:players=3", 1, marks=pytest.mark.slow),
        pytest.param("2048", 2, marks=pytest.mark.slow),
    ],
)
def test_a_task_is_played_the_same_way_twice(client: Client, spec: str, boards: int) -> None:
    """Whole, from what is stored and the seed alone."""
    game = make(spec)
    for choice in (RANDOM, EASY, {"agent": "max-n", "options": {"depth": 1}})[: max(2, game.num_players)]:
        enter(client, choice, spec)
    found = arena_of(client).league.task(spec)
    assert found is not None
    message = found[0].message()
    played = play_task(message)
    assert played == play_task(message)
    assert len(played["boards"]) == boards
    assert len(played["scores"]) == max(2, game.num_players)
    position = game.start()
    for code in played["boards"][0]["events"]:
        position.play_code(code)
    assert position.is_over
    arena_of(client).league.count(found[0], played)
    assert games(client, spec) == [], "it does not count while the league is switched off"
    switch(client, True, spec)
    arena_of(client).league.count(found[0], played)
    arena_of(client).league.count(found[0], played)
    assert len(games(client, spec)) == 1, "and only once"
    replayed(client, spec)
    switch(client, False, spec)
    after = arena_of(client).league.task(spec)
    assert after is not None
    assert after[0].message()["id"] != message["id"]
    for member in league(client, spec)["members"]:
        client.post(f"/api/league/members/{member['id']}/withdraw")


def test_an_agent_that_has_learned_more_is_unknown_again(client: Client) -> None:
    path = arena_of(client).files.directory / "learner.agent"
    small_agent().save(path)
    (file,) = client.get("/api/files").json()
    member = enter(client, {"file": file["id"]})
    enter(client, RANDOM)
    switch(client, True)
    arena = arena_of(client)

    def play() -> None:
        found = arena.league.task("tictactoe")
        assert found is not None
        as_if = {**found[0].message(), "boards": [["random", "random"]], "stamps": {"random": "-"}}
        arena.league.count(found[0], play_task(as_if))  # a learner would have to be compiled

    def shown() -> dict[str, Any]:
        return next(m for m in league(client)["members"] if m["id"] == member["id"])

    play()
    sure = shown()
    assert sure["deviation"] < 350 and sure["games"] == 1
    os.utime(path, (1, 1))
    assert (shown()["deviation"], shown()["rating"]) == (350, sure["rating"])
    play()
    assert shown()["deviation"] < 350
    client.patch(f"/api/files/{file['id']}", json={"name": "another name"})
    assert (shown()["label"], shown()["games"]) == ("another name", 2)
    assert client.delete(f"/api/files/{file['id']}").status_code == 204
    assert "there is no agent file" in shown()["problem"]
    assert league(client)["state"] == "few"
    assert shown()["games"] == 2
    switch(client, False)


# ------------------------------------------------------------ while the machine is idle


def test_the_league_plays_when_the_machine_is_idle_and_makes_way(tmp_path: Path) -> None:
    with open_client(tmp_path, league_quiet_seconds=0.3) as client:
        enter(client, RANDOM)
        enter(client, SLOW)
        assert league(client)["state"] == "off"
        eventually(arena_of(client).idle_play._is_quiet, bool)
        assert arena_of(client).idle_play.plays is None, "it is off at first"
        switch(client, True)
        eventually(lambda: len(games(client)), lambda n: n >= 2)
        pid = working(client)
        assert league(client)["state"] == "playing"
        assert os.getpriority(os.PRIO_PROCESS, pid) == 19
        assert pid in [consumer.pid for consumer in arena_of(client).memory._consumers()]
        seats = [{"person": "Ann"}, {"agent": "mcts", "options": {"time": 3, "iterations": 1_000_000_000}}]
        table = client.post("/api/tables", json={"game": "tictactoe", "seats": seats}).json()
        client.post(f"/api/tables/{table['id']}/move", json={"action": 4, "ply": 0}).raise_for_status()
        assert arena_of(client).idle_play.plays is None, "at once"
        eventually(lambda: alive(pid), lambda living: not living, 5)
        played = len(games(client))
        eventually(lambda: client.get(f"/api/tables/{table['id']}").json()["ply"], lambda ply: ply == 2)
        assert len(games(client)) == played, "not while the agent thinks"
        pid = working(client)
        match = {"game": "tictactoe", "agents": [SLOW, SLOW], "games": 100}
        match_id = client.post("/api/matches", json=match).json()["id"]
        assert arena_of(client).idle_play.plays is None
        eventually(lambda: alive(pid), lambda living: not living, 5)
        eventually(lambda: client.get(f"/api/matches/{match_id}").json()["done"], lambda done: done > 0)
        assert arena_of(client).idle_play.plays is None
        assert league(client)["state"] == "waiting"
        client.post(f"/api/matches/{match_id}/stop")
        pid = working(client)
        switch(client, False)
        eventually(lambda: alive(pid), lambda living: not living, 5)
        replayed(client)


def test_other_settings_keep_it_from_playing(tmp_path: Path) -> None:
    with open_client(tmp_path, league=False, league_quiet_seconds=0) as client:
        enter(client, RANDOM)
        enter(client, EASY)
        assert switch(client, True)["allowed"] is False
        assert arena_of(client).idle_play._watch is None


def test_a_killed_process_switches_its_league_off_and_says_why(tmp_path: Path) -> None:
    with open_client(tmp_path, league_quiet_seconds=0) as client:
        enter(client, SLOW)
        enter(client, {"agent": "mcts", "options": {"time": 0.21, "iterations": 1_000_000_000}})
        switch(client, True)
        os.kill(working(client), signal.SIGKILL)
        off = eventually(lambda: league(client), lambda found: not found["plays"])
        assert off["problem"] == "its process was ended by signal 9; perhaps there was too little memory"
        assert switch(client, True)["problem"] is None


def test_a_killed_server_loses_no_game_and_counts_none_twice(tmp_path: Path) -> None:
    """The server ends as it does when it is killed, in the middle of a game; the next one plays that game again."""
    with open_client(tmp_path, league_quiet_seconds=0) as client:
        enter(client, RANDOM)
        enter(client, EASY)
        enter(client, {"agent": "mcts", "options": {"iterations": 21}})
        switch(client, True)
        eventually(lambda: len(games(client)), lambda n: n >= 5)
        idle = arena_of(client).idle_play
        idle._closing = True  # as if it were gone: what comes from the process is not heard
        pid = idle._work.pid if idle._work else 0
        idle.make_way()
        before, planned = games(client), arena_of(client).league.next_task()
        assert planned is not None
    eventually(lambda: pid != 0 and alive(pid), lambda living: not living, 5)
    with open_client(tmp_path, league_quiet_seconds=0) as client:
        after = eventually(lambda: games(client), lambda found: len(found) >= len(before) + 5)
        assert after[-len(before) :] == before
        ninth = after[-len(before) - 1]
        assert [r["member"] for r in ninth["results"]] == [player.member.id for player in planned.players]
        first = client.get(f"/api/records/{ninth['results'][0]['record']}/export").json()
        assert [*map(_code, first["events"])] == play_task(planned.message())["boards"][0]["events"]
        switch(client, False)
        replayed(client)
        history = client.get("/api/league/history", params={"game": "tictactoe"}).json()
        assert {line["label"] for line in history} == {"random", "mcts:iterations=20", "mcts:iterations=21"}
        assert sum(len(line["points"]) for line in history) == 2 * len(games(client))


def _code(event: dict[str, int]) -> int:
    return event["action"] if "action" in event else -1 - event["chance"]


@pytest.mark.slow
def test_a_league_settles_and_rests(tmp_path: Path) -> None:
    """The table comes out in the order of the strengths, and then no game is worth playing."""
    with open_client(tmp_path, league_quiet_seconds=0) as client:
        for choice in (RANDOM, EASY, {"agent": "perfect"}):
            enter(client, choice)
        switch(client, True)
        settled = eventually(lambda: league(client), lambda found: found["state"] == "settled", 600)
        labels = [member["label"] for member in settled["members"]]
        assert labels[-1] == "random"
        assert 100 < settled["games"] < 2000
        assert arena_of(client).idle_play._work is None, "it takes no memory"
        print([(m["label"], m["rating"], m["deviation"], m["games"]) for m in settled["members"]])
        replayed(client)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_kill_9_in_the_middle_of_games(tmp_path: Path) -> None:
    """A real server, killed three times while its league plays: no process is left, what was counted stays, and the
    ratings are those of the games that are stored."""
    command = [sys.executable, "-m", "boardlab", "arena", "--data", str(tmp_path), "--port", "0", "--no-browser"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"}
    counted = 0
    for turn in range(3):
        with subprocess.Popen(
            [*command, "-o", "league_quiet_seconds=0", "-o", "workers=1"],
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        ) as process:
            assert process.stdout is not None
            line = next(line for line in process.stdout if "http://" in line)
            address = line[line.index("http://") :].split()[0].rstrip("/")
            with httpx.Client(base_url=address, timeout=60) as asked:
                if turn == 0:
                    for choice in (RANDOM, EASY, {"agent": "max-n", "options": {"depth": 1}}):
                        enter(asked, choice)
                    switch(asked, True)
                wanted = counted + 10
                eventually(lambda: league(asked), lambda found, n=wanted: found["games"] >= n)
                started = descendants(process.pid)
                process.send_signal(signal.SIGKILL)
            process.wait()
        wait_until(lambda pids=started: all_gone(pids))
        with open_client(tmp_path, league=False) as client:
            found = games(client)
            assert len(found) >= wanted
            counted = len(found)
            replayed(client)
            assert client.get("/api/records", params={"limit": 1}).json()["total"] == counted
