"""Stored games: everything that is kept can be shown again, and the hall of fame counts right."""

from __future__ import annotations

import sqlite3
import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arena_client import Client, arena_of, open_client, said

from boardlab import make
from boardlab.position import Position
from boardlab.rng import make_rng, random_below
from boardlab.web.server.models import Seat


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with open_client(tmp_path_factory.mktemp("data")) as opened:
        yield opened


def person(name: str) -> Seat:
    return Seat(kind="person", label=name)


def agent(name: str) -> Seat:
    return Seat(kind="agent", label=name)


def random_game(spec: str, seed: int, plies: int = 10**6) -> Position:
    """A game between random players, or its beginning."""
    position, rng = make(spec).start(), make_rng(seed)
    while not position.roll(rng).is_over and len(position.history) < plies:
        position.play(position.legal_actions[random_below(rng, len(position.legal_actions))])
    return position


def events_of(position: Position) -> list[dict[str, int]]:
    return [{"action" if e.player is not None else "chance": e.number} for e in position.history]


def store(client: Client, spec: str, seats: list[Seat], position: Position, **more: Any) -> str:
    values = {"seed": 1, "source": "table", "finished": position.is_over, **more}
    return arena_of(client).stored_games.store(
        make(spec).spec, seats, [e.code for e in position.history], values.pop("scores", position.scores), **values
    )


# ------------------------------------------------------------ storing and showing


@pytest.mark.parametrize(("spec", "plies"), [("tictactoe", 100), ("connect4:columns=6", 100), ("2048", 60)])
def test_a_stored_game_is_shown_ply_by_ply(client: Client, spec: str, plies: int) -> None:
    game = make(spec)
    played = random_game(spec, 7, plies)
    seats = [person("Ann"), agent("mcts")][: game.num_players]
    record = store(client, spec, seats, played, seed=42)
    detail = client.get(f"/api/records/{record}").json()
    events = events_of(played)
    assert detail["events"] == events
    assert (detail["game"], detail["title"], detail["seed"]) == (game.spec, game.title, 42)
    assert detail["seats"] == [seat.label for seat in seats]
    assert detail["players"] == [game.player_name(p) for p in range(game.num_players)]
    assert (detail["plies"], detail["finished"], detail["scores"]) == (len(events), played.is_over, played.scores)
    assert [line["ply"] for line in detail["moves"]] == list(range(1, len(events) + 1))
    position = game.start()
    for ply in range(len(events) + 1):
        if ply > 0:
            event, line = played.history[ply - 1], detail["moves"][ply - 1]
            assert (line["player"], line["number"]) == (event.player, event.number)
            name = game.outcome_name if event.player is None else game.action_name
            assert line["name"] == name(event.number)
            position.play_chance(event.number) if event.player is None else position.play(event.number)
        shown = client.get(f"/api/records/{record}/position", params={"ply": ply}).json()
        assert (shown["ply"], shown["plies"], shown["moves"]) == (ply, len(events), [])
        assert shown["svg"] == position.svg()
        assert shown["text"] == game.describe(position.state)
        assert (shown["status"], shown["over"], shown["scores"]) == (position.status, position.is_over, position.scores)
        assert [a["action"] for a in shown["legal"]] == position.legal_actions
    last = client.get(f"/api/records/{record}/position", params={"moves": True}).json()
    assert (last["ply"], last["moves"]) == (len(events), detail["moves"])
    beyond = client.get(f"/api/records/{record}/position", params={"ply": len(events) + 1})
    assert f"this game has {len(events)} plies" in said(beyond, 422)


def test_an_exported_game_can_be_played_again(client: Client) -> None:
    played = random_game("2048", 3, 200)
    record = store(client, "2048", [person("Ann")], played)
    response = client.get(f"/api/records/{record}/export")
    assert response.headers["content-disposition"] == f'attachment; filename="game-{record}.json"'
    exported = response.json()
    position = make(exported["game"]).start()
    for event in exported["events"]:
        position.play_chance(event["chance"]) if "chance" in event else position.play(event["action"])
    assert position.state.tobytes() == played.state.tobytes()
    assert position.scores == exported["scores"]


def test_the_list_is_paged_and_filtered(tmp_path: Path) -> None:
    with open_client(tmp_path) as client:
        won = random_game("tictactoe", 1)
        ids = [store(client, "tictactoe", [person("Ann"), agent("random")], won) for _ in range(5)]
        small = store(client, "hex:size=3", [agent("a"), agent("b")], random_game("hex:size=3", 1), source="match")
        page = client.get("/api/records", params={"limit": 3}).json()
        assert page["total"] == 6
        assert [r["id"] for r in page["records"]] == [small, ids[4], ids[3]]
        assert page["games"] == [
            {"game": "hex:size=3", "title": "Hex", "games": 1},
            {"game": "tictactoe", "title": "Tic-tac-toe", "games": 5},
        ]
        rest = client.get("/api/records", params={"limit": 3, "offset": 3}).json()
        assert [r["id"] for r in rest["records"]] == [ids[2], ids[1], ids[0]]
        for query in ({"game": "tictactoe"}, {"source": "table"}):
            filtered = client.get("/api/records", params=query).json()
            assert (filtered["total"], {r["game"] for r in filtered["records"]}) == (5, {"tictactoe"})
        assert client.delete(f"/api/records/{ids[0]}").status_code == 204
        said(client.get(f"/api/records/{ids[0]}"), 404)
        assert client.get("/api/records").json()["total"] == 5
    with open_client(tmp_path) as client:  # all of it is on the disk
        assert [r["id"] for r in client.get("/api/records").json()["records"]] == [small, *ids[:0:-1]]


def test_what_cannot_be_asked(client: Client) -> None:
    for address in ("/api/records/{}", "/api/records/{}/position", "/api/records/{}/export"):
        assert "there is no stored game" in said(client.get(address.format("a" * 12)), 404)
        said(client.get(address.format("..%2F..%2Fetc")), 404)
    said(client.delete(f"/api/records/{'a' * 12}"), 404)
    for query in ({"limit": 0}, {"limit": 501}, {"offset": -1}, {"game": "chess"}, {"source": "x"}):
        said(client.get("/api/records", params=query), 422)
    said(client.get("/api/hall", params={"game": "../../x.py:Y"}), 422)


def test_the_oldest_games_give_way(tmp_path: Path) -> None:
    with open_client(tmp_path, records=3) as client:
        game = random_game("tictactoe", 1)
        ids = [store(client, "tictactoe", [person("Ann"), agent("x")], game) for _ in range(5)]
        assert [r["id"] for r in client.get("/api/records").json()["records"]] == ids[:1:-1]
        (line,) = client.get("/api/hall").json()
        assert line["games"] == 3


def test_a_game_whose_rules_are_gone_is_kept(client: Client) -> None:
    """The rules of a user's own game may change; its records are exported all the same."""
    record = store(client, "tictactoe", [person("Ann"), agent("x")], random_game("tictactoe", 1))
    with arena_of(client).store.database.transaction() as connection:
        connection.execute("UPDATE games SET game = 'mine.py:Mine' WHERE id = ?", (record,))
    assert "cannot be shown" in said(client.get(f"/api/records/{record}"), 409)
    assert "cannot be shown" in said(client.get(f"/api/records/{record}/position"), 409)
    assert client.get(f"/api/records/{record}/export").json()["game"] == "mine.py:Mine"
    assert client.get("/api/records").status_code == 200
    assert client.delete(f"/api/records/{record}").status_code == 204


def test_many_threads_store_at_once(tmp_path: Path) -> None:
    with open_client(tmp_path) as client:
        game = random_game("tictactoe", 1)

        def work(name: str) -> None:
            for _ in range(25):
                store(client, "tictactoe", [person(name), agent("x")], game)

        threads = [threading.Thread(target=work, args=(f"P{number}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert client.get("/api/records").json()["total"] == 100
        assert {(line["person"], line["games"]) for line in client.get("/api/hall").json()} == {
            (f"P{number}", 25) for number in range(4)
        }


# ------------------------------------------------------------ the hall of fame


def slow_hall(games: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
    """The hall of fame, counted game by game."""
    found: dict[tuple[Any, ...], list[Any]] = defaultdict(lambda: [0, 0, 0, 0, -1e9])
    for game in games:
        seats, scores = game["seats"], game["scores"]
        if not game["finished"] and game["resigned"] is None:
            continue
        for number, seat in enumerate(seats):
            if seat.kind != "person":
                continue
            opponents = {other.label for other in seats if other.kind == "agent"}
            if len(seats) == 1:
                opponents = {None}
            for opponent in opponents:
                line = found[opponent, game["spec"], seat.label]
                line[0] += 1
                line[4] = max(line[4], scores[number])
                if len(seats) == 1:
                    continue
                if game["resigned"] is not None:
                    line[3 if game["resigned"] == number else 1] += 1
                elif all(score == scores[0] for score in scores):
                    line[2] += 1
                else:
                    line[1 if scores[number] == max(scores) else 3] += 1
    return {(*key, *line) for key, line in found.items()}


def test_the_hall_of_fame(tmp_path: Path) -> None:
    """Against a count by hand: two and three players, several people, draws, resigned, unfinished and lonely games."""
    rng = make_rng(5)
    names = [person("Ann"), person("Bob"), agent("x"), agent("y"), agent("y")]
    games = []
    with open_client(tmp_path) as client:
        for _ in range(200):
            spec, players = [("tictactoe", 2), ("nim:players=3", 3), ("2048", 1)][random_below(rng, 3)]
            seats = [names[random_below(rng, len(names))] for _ in range(players)]
            scores = [float(random_below(rng, 3) - 1) for _ in range(players)]
            way = random_below(rng, 4)
            finished = way > 1
            resigned = random_below(rng, players) if way == 1 else None
            values = {"scores": scores, "finished": finished, "resigned": resigned}
            store(client, spec, seats, random_game(spec, 1, 4), **values)
            games.append({**values, "spec": make(spec).spec, "seats": seats})
        keys = ("agent", "game", "person", "games", "won", "drawn", "lost", "best")
        shown = [tuple(line[key] for key in keys) for line in client.get("/api/hall").json()]
        assert len(shown) == len(set(shown))
        assert set(shown) == slow_hall(games)
        of_nim = client.get("/api/hall", params={"game": "nim:players=3"}).json()
        assert {tuple(line[key] for key in keys) for line in of_nim} == slow_hall(
            [game for game in games if game["spec"] == "nim:players=3"]
        )
        assert all(line["title"] == "Nim" for line in of_nim)


# ------------------------------------------------------------ the database file


def test_a_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    with open_client(tmp_path) as client:
        records = arena_of(client).stored_games
        with pytest.raises(sqlite3.IntegrityError):
            seats = [person("Ann"), agent("x")]
            records.store("tictactoe", seats, [], [0.0, None], 1, "table", True, resigned=0)  # type: ignore[list-item]
        assert client.get("/api/records").json()["total"] == 0
        store(client, "tictactoe", [person("Ann"), agent("x")], random_game("tictactoe", 1))
        assert client.get("/api/records").json()["total"] == 1


# ------------------------------------------------------------ move lists


@pytest.mark.parametrize("spec", ["tictactoe", "connect4", "dots:rows=2,columns=2", "nim", "sim", "2048", "hex:size=4"])
def test_a_game_comes_back_from_the_list_of_its_moves(client: Client, spec: str) -> None:
    played = random_game(spec, 3, 30)
    seats = [agent("random")] * make(spec).num_players
    record = store(client, spec, seats, played)
    names = [line["name"] for line in client.get(f"/api/records/{record}").json()["moves"]]
    export = client.get(f"/api/records/{record}/export").json()
    assert export["names"] == names
    text = client.get(f"/api/records/{record}/moves").text
    taken = client.post("/api/records/import", json={"game": spec, "moves": text})
    assert taken.status_code == 201, taken.text
    again = client.get(f"/api/records/{taken.json()['id']}/export").json()
    assert (again["events"], again["scores"], again["finished"]) == (
        export["events"],
        export["scores"],
        export["finished"],
    )
    assert again["seats"] == ["imported"] * len(seats)


def test_move_lists_as_people_write_them(client: Client) -> None:
    def take(moves: str, game: str = "tictactoe") -> Any:
        return client.post("/api/records/import", json={"game": game, "moves": moves})

    for moves in ("b2 a1 C3", "1. b2 2. a1 3. c3", "1.b2 2.a1 3.c3", "b2, a1, c3", "b2\na1\nc3\n", " b2;a1;c3 "):
        kept = take(moves).json()
        assert client.get(f"/api/records/{kept['id']}/export").json()["events"] == [{"action": a} for a in (4, 0, 8)]
    assert "move 3, b2" in said(take("b2 a1 b2"), 422)
    assert "move 1, z9: 'z9' is no action of Tic-tac-toe" in said(take("z9"), 422)
    assert "no chance event is due" in said(take("(2 on a1)"), 422)
    assert "a chance event is due, which looks like (2 on a1)" in said(take("Left", "2048"), 422)
    assert "the list has no moves" in said(take(" ; "), 422)
    assert all(line["person"] != "imported" for line in client.get("/api/hall").json())
