"""Tournaments in the arena: the games of `boardlab tournament`, judged while they are played, stopped and gone on with,
remembered, replayed, refused."""

from __future__ import annotations

import json
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
from browser import open_arena
from training_files import small_agent

from boardlab import make
from boardlab.tournament.export import games_text
from boardlab.tournament.journal import read_journal
from boardlab.tournament.result import TournamentResult
from boardlab.tournament.tournament import play_tournament
from boardlab.web.library.agents import Learning

RANDOM: dict[str, Any] = {"agent": "random"}
MCTS = {"agent": "mcts", "options": {"iterations": 20}}
SLOW = {"agent": "mcts", "options": {"iterations": 12_000}}
"""Some thousandths of a second for a move, so that a tournament is not over before it is stopped; always the same."""
OVER = ("finished", "stopped", "failed")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    limits = {"match_workers": 1, "tournaments": 3, "tournament_games": 2000, "tournament_entrants": 5}
    with open_client(tmp_path_factory.mktemp("data"), **limits) as opened:
        yield opened


def start(client: Client, *entrants: dict[str, Any], **request: Any) -> str:
    wish = {"game": "tictactoe", "entrants": entrants or [RANDOM, MCTS], "seed": 3, **request}
    response = client.post("/api/tournaments", json=wish)
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


def look(client: Client | httpx.Client, tournament: str) -> dict[str, Any]:
    return dict(client.get(f"/api/tournaments/{tournament}").json())


def finished(client: Client | httpx.Client, tournament: str, state: str = "finished") -> dict[str, Any]:
    """The tournament when it is over."""
    found = eventually(lambda: look(client, tournament), lambda t: t["state"] in OVER)
    assert found["state"] == state, found
    return dict(found)


def playing(client: Client | httpx.Client, tournament: str) -> dict[str, Any]:
    """The tournament when some games are over and more are to come."""
    found = eventually(lambda: look(client, tournament), lambda t: t["done"] > 0 or t["state"] in OVER)
    assert found["state"] == "running", found
    return dict(found)


def contents(journal: Path) -> dict[str, Any]:
    """The games of a journal without their times."""
    return {game.id: (game.seats, game.scores, game.codes, game.set) for game in read_journal(journal)}


def journal_of(client: Client, tournament: str) -> Path:
    return arena_of(client).tournaments.place(tournament).journal


# ------------------------------------------------------------ a whole tournament


@pytest.fixture(scope="module")
def trio(client: Client) -> dict[str, Any]:
    """A tournament of three that was played."""
    third = {"agent": "mcts", "options": {"iterations": 5}}
    return finished(client, start(client, RANDOM, MCTS, third, games=4, starts="random", plies=2, anchor=0))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> TournamentResult:
    """The same without the arena."""
    return play_tournament(
        *("tictactoe", "random", "mcts:iterations=20", "mcts:iterations=5"),
        **{"folder": tmp_path_factory.mktemp("alone"), "games": 4, "starts": "random:2:100", "seed": 3},  # type: ignore[arg-type]
        anchor="random=1500",
    )


def test_the_games_and_ratings_are_those_of_the_command(
    client: Client, trio: dict[str, Any], expected: TournamentResult
) -> None:
    assert (trio["done"], trio["games"], trio["format"]) == (12, 12, "round-robin")
    assert trio["entrants"] == ["random", "mcts:iterations=20", "mcts:iterations=5"]
    played = contents(journal_of(client, trio["id"]))
    assert played == {g.id: (g.seats, g.scores, g.codes, g.set) for g in expected.field.games}
    shown = client.get(f"/api/tournaments/{trio['id']}/result").json()
    for line, found in zip(expected.lines, shown["ratings"], strict=True):
        assert (found["name"], found["elo"], found["low"], found["high"]) == (line.name, line.elo, line.low, line.high)
        assert (found["superiority"], found["success"], found["games"]) == (line.superiority, line.success, 8)
    order = [line.entrant for line in expected.lines]
    for row, one in zip(shown["crosstable"], order, strict=True):
        for cell, other in zip(row, order, strict=True):
            met = expected.meetings.get((one, other))
            assert cell == (met and {"games": met.games, "won": met.won, "drawn": met.drawn, "lost": met.lost})
    assert next(line["elo"] for line in shown["ratings"] if line["name"] == "random") == 1500
    assert (shown["games"], shown["sets"], shown["remarks"]) == (12, 6, expected.remarks())
    assert [pair["deviations"] for pair in shown["misfit"]["residuals"]] == [
        residual.deviations for residual in expected.misfit.residuals
    ]
    best = {line.name for line in expected.lines if line.elo == expected.lines[0].elo}
    assert set(shown["front"]) <= set(trio["entrants"]) and shown["front"][-1] in best


def test_games_are_listed_by_pair_and_replayed(client: Client, trio: dict[str, Any]) -> None:
    address = f"/api/tournaments/{trio['id']}/games"
    everything = client.get(address).json()
    assert (everything["total"], len(everything["games"])) == (12, 12)
    of_one = client.get(address, params={"one": 2}).json()
    of_pair = client.get(address, params={"one": 2, "other": 0}).json()
    assert (of_one["total"], of_pair["total"]) == (8, 4)
    assert {frozenset(game["seats"]) for game in of_pair["games"]} == {frozenset((0, 2))}
    part = client.get(address, params={"one": 2, "limit": 3, "offset": 6}).json()
    assert (part["total"], part["games"]) == (8, of_one["games"][6:])
    said(client.get(address, params={"one": 3}), 422)
    journal = {game.id[:12]: game for game in read_journal(journal_of(client, trio["id"]))}
    for line in everything["games"]:
        played = journal[line["id"]]
        record = client.get(f"/api/records/{line['id']}").json()
        assert (record["tournament"], record["seats"]) == (trio["id"], played.seats)
        assert [move["number"] for move in record["moves"]] == played.codes
        end = client.get(f"/api/records/{line['id']}/position").json()
        assert (end["over"], end["scores"], line["scores"], line["plies"]) == (
            *(True, played.scores, played.scores),
            len(played.codes),
        )
    assert len(client.get(f"/api/records/{line['id']}/moves").text.split()) >= len(played.codes)
    assert client.get("/api/records").json()["total"] == 0, "they are no part of the other games"
    said(client.delete(f"/api/records/{line['id']}"), 404)
    said(client.get(f"/api/records/{'0' * 12}"), 404)


def test_games_that_the_solver_ends(client: Client) -> None:
    tournament = finished(client, start(client, games=2, adjudicate=2))["id"]
    games = client.get(f"/api/tournaments/{tournament}/games").json()["games"]
    assert [(game["adjudicated"], game["plies"]) for game in games] == [(True, 2)] * 2
    record = client.get(f"/api/records/{games[0]['id']}").json()
    assert record["scores"] == games[0]["scores"] and len(record["moves"]) == 2
    shown = client.get(f"/api/tournaments/{tournament}/result").json()
    assert "2 games of 2 were adjudicated by the solver." in shown["remarks"]


def test_files_to_take_away(client: Client, trio: dict[str, Any], expected: TournamentResult) -> None:
    def file(name: str) -> httpx.Response:
        return client.get(f"/api/tournaments/{trio['id']}/files/{name}")

    assert file("crosstable.csv").text == expected.crosstable_csv()
    head, best, *_ = file("ratings.csv").text.splitlines()
    assert head.startswith("place,name,elo") and best.startswith(f"1,{expected.lines[0].name},")
    assert file("result.json").json()["games"] == 12 and "Elo" in file("result.txt").text
    assert "attachment" in file("ratings.csv").headers["content-disposition"]
    page = file("page.html").text
    assert page.startswith("<!doctype html>") and page.count("<svg") == 3
    assert file("ratings.png").content.startswith(b"\x89PNG")
    said(file("episodes.svg"), 404)
    games = read_journal(journal_of(client, trio["id"]))
    assert file("games.txt").text == games_text(make("tictactoe"), games)
    assert [json.loads(line)["id"] for line in file("games.jsonl").text.splitlines()] == [game.id for game in games]
    assert "SGF is written for hex and othello" in said(file("games.sgf"), 422)
    assert said(file("journal.jsonl"), 422)


@pytest.mark.slow
def test_agent_files_stay_as_they_were(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While they wait for another tournament, which is stopped, one agent is deleted, and one goes on learning."""
    small_agent().save(arena_of(client).files.directory / "random.agent")
    (file,) = client.get("/api/files").json()
    small_agent(seed=12).save(tmp_path / "run.agent")
    learning = Learning(tmp_path / "run.agent", "run (in training)", "tictactoe")
    monkeypatch.setattr(arena_of(client).agents, "learning", {"r" * 12: learning}.get)
    first = start(client, SLOW, {**SLOW, "options": {"iterations": 12_001}}, games=1000)
    second, files = start(client, games=2), start(client, RANDOM, {"file": file["id"]}, {"file": "r" * 12}, games=2)
    assert look(client, files)["entrants"] == ["random", "random (2)", "run (in training)"]
    assert client.delete(f"/api/files/{file['id']}").status_code == 204
    small_agent(seed=13).save(tmp_path / "run.agent")
    assert "3 tournaments already" in said(
        client.post("/api/tournaments", json={"game": "nim", "entrants": [RANDOM, MCTS]}), 429
    )
    client.post(f"/api/tournaments/{second}/stop").raise_for_status()
    stopped_while_it_plays(client, first)
    assert finished(client, files)["done"] == 6
    assert str(arena_of(client).settings.data) not in client.get(f"/api/tournaments/{files}/result").text
    assert client.delete(f"/api/tournaments/{files}").status_code == 204
    said(client.get(f"/api/tournaments/{files}"), 404)
    assert not (arena_of(client).tournaments.directory / files).exists()


@pytest.mark.slow
def test_starts_of_an_evaluator_are_replayed(client: Client) -> None:
    """Those without a history as if they were set up by hand."""
    nim = start(client, game="nim", starts="evaluator", evaluator="nim-perfect", games=6)
    assert finished(client, nim)["done"] == 6
    by_hand = []
    for played in read_journal(journal_of(client, nim)):
        by_hand.append(client.get(f"/api/records/{played.id[:12]}").json()["setup"] is not None)
        end = client.get(f"/api/records/{played.id[:12]}/position").json()
        assert (end["over"], end["scores"]) == (True, played.scores)
    assert any(by_hand)


def stopped_while_it_plays(client: Client, tournament: str) -> None:
    """To stop ends the process and keeps the games; it has a result, and cannot be stopped twice."""
    playing(client, tournament)
    work = arena_of(client).tournaments._entries[tournament].work
    assert work is not None
    live = client.get(f"/api/tournaments/{tournament}/result").json()
    assert 0 < live["games"] < 1000 and len(live["ratings"]) == 2
    said(client.delete(f"/api/tournaments/{tournament}"), 409)
    assert client.post(f"/api/tournaments/{tournament}/stop").json()["state"] == "stopped"
    assert said(client.post(f"/api/tournaments/{tournament}/stop"), 409) == "the tournament is stopped already"
    eventually(lambda: _alive(work.pid), lambda living: not living)
    result = client.get(f"/api/tournaments/{tournament}/result").json()
    assert live["games"] <= result["games"] == len(read_journal(journal_of(client, tournament)))
    assert look(client, tournament)["done"] == result["games"]


def _alive(pid: int) -> bool:
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return False
    return True


# ------------------------------------------------------------ ended early


def test_a_tournament_goes_on_after_a_stop_a_kill_and_a_restart(tmp_path: Path) -> None:
    """And comes out as one that nobody has disturbed."""
    with open_client(tmp_path / "data", match_workers=1) as client:
        tournament = start(client, RANDOM, SLOW, games=40)
        address = f"/api/tournaments/{tournament}"
        playing(client, tournament)
        live = client.get(f"{address}/result").json()
        assert 0 < live["games"] < 40 and len(live["ratings"]) == 2
        assert client.post(f"{address}/stop").json()["state"] == "stopped"
        stopped = contents(journal_of(client, tournament))
        assert client.post(f"{address}/resume").json()["state"] in ("queued", "compiling")
        said(client.post(f"{address}/resume"), 409)
        more_than(client, tournament, len(stopped))
        os.kill(arena_of(client).tournaments._entries[tournament].work.pid, signal.SIGKILL)  # type: ignore[union-attr]
        failed = finished(client, tournament, "failed")
        assert failed["message"] == "its process was ended by signal 9; perhaps there was too little memory"
        killed = contents(journal_of(client, tournament))
        client.post(f"{address}/resume").raise_for_status()
        more_than(client, tournament, len(killed))
    with open_client(tmp_path / "data", match_workers=1) as client:
        assert finished(client, tournament)["done"] == 40
        journal = contents(journal_of(client, tournament))
    play_tournament("tictactoe", "random", "mcts:iterations=12000", folder=tmp_path, games=40, seed=3)
    assert journal == contents(tmp_path / "journal.jsonl")
    assert 0 < len(stopped) < len(killed) < 40
    assert stopped.items() <= killed.items() <= journal.items()


def more_than(client: Client, tournament: str, games: int) -> None:
    """Wait until it has played more games than that, with more to come."""
    found = eventually(lambda: look(client, tournament), lambda t: t["done"] > games or t["state"] in OVER)
    assert found["state"] == "running", found


@pytest.mark.slow
def test_a_killed_server_loses_no_game(tmp_path: Path) -> None:
    """SIGKILL for the arena as the command line opens it, with two processes that play: nobody is left, the next arena
    goes on, and the games are those of an undisturbed tournament."""
    wish = {"game": "connect4", "entrants": [RANDOM, MCTS, {"agent": "mcts", "options": {"iterations": 2000}}]}
    command = [sys.executable, "-c", "from boardlab.cli.main import main; main()"]
    options = ["--data", str(tmp_path / "data"), "--port", "0", "--no-browser", "-o", "match_workers=2"]
    with subprocess.Popen(
        [*command, "arena", *options],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"},
    ) as process:
        assert process.stdout is not None
        address = next(word for line in process.stdout for word in line.split() if word.startswith("http://"))
        with httpx.Client(base_url=address, timeout=120) as asking:
            made = asking.post("/api/tournaments", json={**wish, "games": 40, "seed": 7, "starts": "random"})
            tournament = made.json()["id"]
            eventually(lambda: look(asking, tournament), lambda t: t["done"] >= 15 or t["state"] in OVER)
        process.kill()
    journal = tmp_path / "data" / "tournaments" / tournament / "journal.jsonl"
    before = contents(journal)
    assert 0 < len(before) < 120
    with open_arena(tmp_path / "data") as address, httpx.Client(base_url=address, timeout=120) as asking:
        assert finished(asking, tournament)["done"] == 120
    specs = ["random", "mcts:iterations=20", "mcts:iterations=2000"]
    play_tournament("connect4", *specs, folder=tmp_path, games=40, seed=7, starts="random:4:100")
    assert contents(journal) == contents(tmp_path / "journal.jsonl")
    assert before.items() <= contents(journal).items()


# ------------------------------------------------------------ refused


def test_the_estimate(client: Client) -> None:
    def estimate(count: int, **more: Any) -> dict[str, Any]:
        entrants = [{"agent": "mcts", "options": {"iterations": 5 + k}} for k in range(count)]
        return dict(client.post("/api/tournaments/estimate", json={"game": "nim", "entrants": entrants, **more}).json())

    assert estimate(4, games=3) == {
        **{"games": 6 * 4, "at_least": False, "starts": 1},
        "names": [f"mcts:iterations={5 + k}" for k in range(4)],
    }
    assert estimate(5, games=2, format="knockout")["games"] == 8
    assert estimate(5, games=2, format="knockout")["at_least"]
    assert estimate(5, games=2, format="swiss", rounds=3)["games"] == 3 * 2 * 2
    assert estimate(5, games=2, format="gauntlet", challengers=2)["games"] == 6 * 2
    assert estimate(2, starts="random", plies=1, positions=3)["starts"] == 3
    assert estimate(1, game="2048", games=7)["games"] == 7


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        ({"entrants": []}, "entrants"),
        ({"entrants": [RANDOM]}, "entrants: a tournament needs two agents at least"),
        ({"entrants": [RANDOM] * 6}, "entrants: the arena allows 5 in a tournament, not 6"),
        ({"entrants": [RANDOM] * 1001}, "entrants: List should have at most 1000 items"),
        ({"entrants": [RANDOM, RANDOM]}, "entrants: random takes part twice"),
        ({"entrants": [RANDOM, {"agent": "nobody"}]}, "entrants.1: there is no agent 'nobody'"),
        ({"entrants": [RANDOM, {"agent": "/tmp/x.py:Agent"}]}, "entrants.1: there is no agent"),
        ({"entrants": [RANDOM, {"agent": "engine", "options": {"command": "ls"}}]}, "entrants.1: there is no agent"),
        ({"entrants": [{"agent": "mcts", "options": {"iterations": 0}}, RANDOM]}, "entrants.0: iterations of mcts is"),
        ({"entrants": [RANDOM, {"agent": "c4-perfect"}]}, "entrants.1: c4-perfect"),
        ({"games": 2001}, "games: these would be 2,002 in all, the arena allows 2,000"),
        ({"games": 1_000_000}, "games: these would be 1,000,000 in all"),
        ({"games": 10**30}, "games"),
        ({"format": "swiss", "rounds": 1000, "games": 1000}, "games: these would be 1,000,000"),
        ({"format": "cup"}, "format"),
        ({"format": "gauntlet", "challengers": 2}, "challengers: in a gauntlet of 2 agents 2 cannot be"),
        ({"game": "2048", "format": "gauntlet"}, "entrants: Gauntlet is for games of two players or more"),
        ({"starts": "/etc/passwd"}, "starts"),
        ({"starts": "random", "plies": 10**9}, "plies"),
        ({"starts": "random", "plies": 100}, "plies: every game of tictactoe is over after 100 random plies"),
        ({"starts": "random", "positions": 10**9}, "positions"),
        ({"starts": "evaluator"}, "evaluator: choose"),
        ({"starts": "evaluator", "evaluator": "/tmp/x.py:E"}, "evaluator: there is no"),
        ({"starts": "evaluator", "evaluator": "random"}, "evaluator: random has no positions of its own"),
        ({"time": 1.0, "cpu_time": 1.0}, "cpu_time: a move has seconds by the clock or"),
        ({"time": 61.0}, "time: after 60 seconds a move is a lost game"),
        ({"move_limit": 61.0}, "move_limit: the arena allows 60 seconds"),
        ({"iterations": 0}, "iterations"),
        ({"game": "2048", "adjudicate": 5}, "adjudicate: 2048 has chance events"),
        ({"anchor": 2}, "anchor: there are entrants 0 to 1"),
        ({"seed": -1}, "seed"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"more": 1}, "more"),
    ],
)
def test_what_is_refused_queues_nothing(client: Client, request_: dict[str, Any], sentence: str) -> None:
    before = client.get("/api/tournaments").json()
    request = {"game": "tictactoe", "entrants": [RANDOM, MCTS], **request_}
    assert said(client.post("/api/tournaments", json=request), 422).startswith(sentence)
    assert said(client.post("/api/tournaments/estimate", json=request), 422).startswith(sentence)
    assert client.get("/api/tournaments").json() == before


def test_unknown_ids_and_tournaments_without_games(client: Client) -> None:
    unknown = "a" * 12
    for method, address in [
        *(("GET", ""), ("DELETE", ""), ("GET", "/result"), ("GET", "/games"), ("GET", "/files/page.html")),
        *(("POST", "/stop"), ("POST", "/resume")),
    ]:
        assert "there is no tournament" in said(client.request(method, f"/api/tournaments/{unknown}{address}"), 404)
    file = {"game": "tictactoe", "entrants": [RANDOM, {"file": unknown}]}
    assert "there is no agent file" in said(client.post("/api/tournaments", json=file), 404)
    tournament = start(client, SLOW, {"agent": "mcts", "options": {"time": 50.0, "iterations": 10**9}}, games=2)
    assert said(client.get(f"/api/tournaments/{tournament}/result"), 409) == "no game of this tournament is over yet"
    assert client.get(f"/api/tournaments/{tournament}/games").json() == {"total": 0, "games": []}
    client.post(f"/api/tournaments/{tournament}/stop")
