"""Live games of the arena: people, agents and chance, and everything that can be done with a game that is going on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from arena_client import Client, arena_of, eventually, open_client, said
from live_games import ANN, ENDLESS, RANDOM, assert_true, do, numbers, play, see, settled, sit

from boardlab.games.tictactoe import TicTacToe


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with open_client(tmp_path_factory.mktemp("data"), most_workers=2) as opened:
        yield opened


# ------------------------------------------------------------ what there is


def test_all_games_are_offered_with_their_parameters(client: Client) -> None:
    games = {game["name"]: game for game in client.get("/api/games").json()}
    assert {"tictactoe", "connect4", "othello", "hex", "nim", "2048", "dots", "sim"} <= set(games)
    columns = next(field for field in games["connect4"]["fields"] if field["name"] == "columns")
    assert (columns["kind"], columns["default"], columns["low"], columns["high"]) == ("integer", 7, 4, 10)
    size = next(field for field in games["othello"]["fields"] if field["name"] == "size")
    assert (size["kind"], sorted(size["choices"])) == ("choice", [6, 8])
    assert games["2048"]["chance"] and not games["hex"]["chance"]
    assert games["tictactoe"]["svg"].startswith("<svg")


def test_a_game_says_that_it_compiles_and_then_that_it_is_ready(client: Client) -> None:
    opened = client.post("/api/games/open", json={"game": "tictactoe"}).json()
    assert opened["players"] == ["X", "O"] and opened["learnable"] and opened["actions"] == 9
    assert opened["state"] in ("compiling", "ready")
    address = "/api/games/open?game=tictactoe"
    ready = eventually(lambda: client.get(address).json(), lambda found: found["state"] != "compiling")
    assert (ready["state"], ready["message"]) == ("ready", None)


def test_agents_say_whether_they_can_play(client: Client) -> None:
    agents = {agent["agent"]: agent for agent in client.get("/api/agents?game=2048").json()}
    assert agents["random"]["usable"] and agents["expectimax-n"]["usable"]
    assert not agents["max-n"]["usable"] and "expectimax-n" in agents["max-n"]["why_not"]
    assert agents["puct"]["needs_file"] and all(field["name"] != "agent" for field in agents["puct"]["fields"])
    assert "td-ntuple" not in agents, "an agent that has learned nothing is no opponent"
    assert "engine" not in agents, "no page may start programs"
    iterations = next(field for field in agents["mcts"]["fields"] if field["name"] == "iterations")
    assert (iterations["kind"], iterations["nullable"], iterations["default"]) == ("integer", True, None)


# ------------------------------------------------------------ people and agents


def test_a_person_plays_to_the_end_against_an_agent(client: Client) -> None:
    view = sit(client, "tictactoe", ANN, RANDOM)
    while not view["over"]:
        assert_true(view)
        assert view["to_move"] == 0
        view = settled(client, play(client, view, view["legal"][0]["action"]))
    assert_true(view)
    assert [seat["label"] for seat in view["seats"]] == ["Ann", "random"]
    record = client.get(f"/api/records/{view['record']}").json()
    kept = [event.get("action") for event in record["events"]]
    assert (kept, record["scores"]) == (numbers(view), view["scores"])


def test_a_position_is_drawn_once_for_all_who_look_at_it(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    view = sit(client, "tictactoe", ANN, {"person": "Bob"})
    drawn: list[bytes] = []
    draw = TicTacToe.draw
    monkeypatch.setattr(
        TicTacToe, "draw", lambda game, state, last: drawn.append(state.tobytes()) or draw(game, state, last)
    )
    told: list[Any] = []
    streams = arena_of(client).streams
    monkeypatch.setattr(streams, "is_watched", lambda table: True)
    monkeypatch.setattr(streams, "publish", lambda kind, payload: told.append(payload))
    for clicks, action in enumerate((4, 0, 8), 1):
        view = play(client, view, action)
        assert view == see(client, view)
        assert (len(drawn), len(told)) == (clicks, clicks)
        assert (told[-1].svg, told[-1].ply) == (view["svg"], view["ply"])
    view = do(client, view, "undo")
    assert len(drawn) == 4, "another position is another picture"
    assert_true(view)


def test_what_is_not_allowed_changes_nothing(client: Client) -> None:
    view = settled(client, play(client, sit(client, "tictactoe", ANN, RANDOM), 4))
    address = f"/api/tables/{view['id']}"
    taken = numbers(view)[1]
    assert "not legal" in said(client.post(f"{address}/move", json={"action": taken, "ply": 2}), 422)
    assert "not legal" in said(client.post(f"{address}/move", json={"action": 999, "ply": 2}), 422)
    assert "meanwhile" in said(client.post(f"{address}/move", json={"action": 0, "ply": 0}), 409)
    assert "has 2 moves" in said(client.post(f"{address}/jump", json={"ply": 3}), 422)
    said(client.post(f"{address}/redo"), 409)
    said(client.post(f"{address}/interrupt"), 409)
    said(client.post(f"{address}/step"), 409)
    said(client.post(f"{address}/chance", json={"outcome": 0, "ply": 2}), 409)
    said(client.post(f"{address}/seats", json={"seats": [ANN]}), 422)
    said(client.post(f"{address}/seats", json={"seats": [ANN, {"agent": "nobody"}]}), 422)
    assert see(client, view) == view


def test_nobody_moves_for_an_agent(client: Client) -> None:
    view = sit(client, "tictactoe", RANDOM, ANN, paused=True)
    assert "turn of random" in said(client.post(f"/api/tables/{view['id']}/move", json={"action": 0, "ply": 0}), 409)


def test_unknown_tables_and_closed_ones(client: Client) -> None:
    view = sit(client, "nim", ANN, RANDOM)
    assert client.delete(f"/api/tables/{view['id']}").status_code == 204
    said(client.get(f"/api/tables/{view['id']}"), 404)
    said(client.post("/api/tables/abcdefghijkl/undo"), 404)
    said(client.get("/api/tables/..%2Fx"), 404)
    assert said(client.get("/api/tables/short"), 422) == "table_id: there is no 'short'"


@pytest.mark.parametrize(
    "wish",
    [
        {"game": "chess", "seats": [ANN, ANN]},
        {"game": "connect4:columns=99", "seats": [ANN, ANN]},
        {"game": "connect4:columns", "seats": [ANN, ANN]},
        {"game": "tictactoe", "seats": [ANN]},
        {"game": "tictactoe", "seats": [ANN, {**ANN, "agent": "random"}]},
        {"game": "tictactoe", "seats": [ANN, {}]},
        {"game": "tictactoe", "seats": [ANN, {"person": "  "}]},
        {"game": "tictactoe", "seats": [ANN, {"agent": "mcts", "options": {"iterations": 0}}]},
        {"game": "tictactoe", "seats": [ANN, {"agent": "mcts", "options": {"speed": 1}}]},
        {"game": "tictactoe", "seats": [ANN, {"agent": "puct"}]},
        {"game": "tictactoe", "seats": [ANN, {"file": "abcdefghijkl"}]},
        {"game": "tictactoe", "seats": [ANN, ANN], "start": [{"action": 4}, {"action": 4}]},
        {"game": "tictactoe", "seats": [ANN, ANN], "start": [{"chance": 0}]},
        {"game": "tictactoe", "seats": [ANN, ANN], "seed": -1},
        {"game": "2048", "seats": [{"agent": "max-n"}]},
    ],
)
def test_impossible_games_are_refused(client: Client, wish: dict[str, Any]) -> None:
    before = set(arena_of(client).live_games.by_id)
    response = client.post("/api/tables", json=wish)
    said(response, 404 if "file" in str(wish) else 422)
    assert set(arena_of(client).live_games.by_id) == before


# ------------------------------------------------------------ back and forth


def test_undo_goes_to_the_persons_last_turn_and_redo_returns(client: Client) -> None:
    view = sit(client, "connect4", ANN, RANDOM)
    assert not view["can_undo"]
    for _ in range(3):
        view = settled(client, play(client, view, 3))
    before = view
    view = do(client, view, "undo")
    assert (view["ply"], view["plies"], view["to_move"]) == (4, 6, 0)
    assert_true(view)
    view = do(client, view, "undo")
    assert view["ply"] == 2 and view["can_redo"]
    view = do(client, do(client, view, "redo"), "redo")
    assert (view["ply"], view["svg"], view["thinking"]) == (6, before["svg"], None)
    view = do(client, do(client, do(client, view, "undo"), "undo"), "undo")
    assert view["ply"] == 0 and not view["can_undo"]
    view = settled(client, play(client, view, 0))
    assert (view["plies"], view["can_redo"]) == (2, False), "another move begins another line"


def test_a_jump_to_an_agents_turn_pauses(client: Client) -> None:
    view = sit(client, "connect4", ANN, RANDOM)
    for _ in range(2):
        view = settled(client, play(client, view, 3))
    view = do(client, view, "jump", ply=1)
    assert view["paused"] and view["thinking"] is None and view["plies"] == 4
    assert_true(view)
    view = do(client, view, "jump", ply=4)
    assert view["ply"] == 4
    view = do(client, do(client, view, "jump", ply=3), "pace", paused=False)
    view = settled(client, view)
    assert (view["ply"], view["plies"], view["paused"]) == (4, 4, False), "the agent answers anew"


def test_restart_resign_and_flip(client: Client) -> None:
    view = settled(client, play(client, sit(client, "tictactoe", ANN, RANDOM), 4))
    view = settled(client, do(client, view, "resign"))
    assert (view["over"], view["resigned"], view["scores"], view["legal"]) == (True, 0, [-1.0, 1.0], [])
    assert client.get(f"/api/records/{view['record']}").json()["resigned"] == 0
    said(client.post(f"/api/tables/{view['id']}/resign"), 409)
    said(client.post(f"/api/tables/{view['id']}/move", json={"action": 0, "ply": 2}), 409)
    view = do(client, view, "undo")
    assert (view["over"], view["resigned"], view["ply"]) == (False, None, 2)
    view = settled(client, do(client, view, "flip"))
    assert [seat["label"] for seat in view["seats"]] == ["random", "Ann"]
    assert (view["ply"], view["to_move"]) == (3, 1), "the agent has taken over"
    view = settled(client, do(client, view, "restart"))
    assert (view["ply"], view["to_move"], view["plies"]) == (1, 1, 1)


def test_a_game_played_again_counts_again_and_one_taken_back_does_not(client: Client) -> None:
    view = sit(client, "tictactoe", {"person": "Twice"}, {"person": "Bob"})
    records = set()
    for _ in range(2):
        for action in (0, 3, 1, 4, 2):
            view = play(client, view, action)
        view = settled(client, view)
        records.add(view["record"])
        view = settled(client, do(client, do(client, view, "undo"), "redo"))
        assert view["record"] in records
        view = do(client, view, "restart")
    assert len(records) == 2


def test_seats_can_be_taken_by_others(client: Client) -> None:
    view = play(client, sit(client, "nim", ANN, {"person": "Bob"}), 0)
    assert view["to_move"] == 1 and view["thinking"] is None
    view = settled(client, do(client, view, "seats", seats=[ANN, RANDOM]))
    assert (view["ply"], view["to_move"]) == (2, 0)
    assert view["seats"][1]["choice"]["agent"] == "random"


# ------------------------------------------------------------ chance


def test_chance_events_happen_and_are_told(client: Client) -> None:
    view = sit(client, "2048", ANN, seed=5)
    assert [move["kind"] for move in view["moves"]] == ["chance", "chance"]
    assert set(view["keys"]) <= {"ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"}
    for _ in range(4):
        view = play(client, view, view["legal"][0]["action"])
        assert view["moves"][-1]["kind"] == "chance" and not view["chance_due"] and not view["outcomes"]
        assert_true(view)


def test_chance_follows_from_the_seed_and_is_not_drawn_anew_by_undo(client: Client) -> None:
    first, second, other = (sit(client, "2048", ANN, seed=seed) for seed in (5, 5, 6))
    assert first["moves"] == second["moves"]
    action = first["legal"][0]["action"]
    played = play(client, first, action)
    again = play(client, do(client, played, "undo"), action)
    assert again["moves"] == played["moves"] == play(client, second, action)["moves"]
    assert other["moves"] != first["moves"]


def test_chance_is_drawn_with_the_probabilities_of_the_game() -> None:
    from boardlab.web.play.timeline import draw_outcome

    drawn = [draw_outcome({0: 0.9, 3: 0.1}, seed, ply) for seed in range(100) for ply in range(100)]
    assert set(drawn) == {0, 3}
    assert abs(drawn.count(3) / len(drawn) - 0.1) < 5 * (0.09 / len(drawn)) ** 0.5


def test_a_paused_game_lets_people_decide_chance(client: Client) -> None:
    view = sit(client, "2048", ANN, paused=True)
    assert view["chance_due"] and len(view["outcomes"]) == 32
    assert sum(outcome["chance"] for outcome in view["outcomes"]) == pytest.approx(1)
    view = do(client, view, "chance", outcome=0, ply=0)
    view = do(client, view, "chance", outcome=31, ply=1)
    assert numbers(view) == [0, 31] and not view["chance_due"]
    assert_true(view)
    said(client.post(f"/api/tables/{view['id']}/chance", json={"outcome": 0, "ply": 2}), 422)
    view = play(client, view, view["legal"][0]["action"])
    assert view["chance_due"], "still paused"
    assert not do(client, view, "step")["chance_due"]


# ------------------------------------------------------------ agents among themselves


def test_agents_play_each_other_step_by_step_and_then_to_the_end(client: Client) -> None:
    view = sit(client, "tictactoe", RANDOM, RANDOM, seed=3, paused=True)
    assert view["delay"] > 0 and view["thinking"] is None
    for ply in (1, 2):
        view = settled(client, do(client, view, "step"))
        assert (view["ply"], view["paused"]) == (ply, True)
    view = do(client, view, "pace", paused=False, delay=0)
    view = eventually(lambda: see(client, view), lambda v: v["over"])
    assert_true(view)
    again = sit(client, "tictactoe", RANDOM, RANDOM, seed=3, paused=True)
    do(client, again, "pace", paused=False, delay=0)
    again = eventually(lambda: see(client, again), lambda v: v["over"])
    assert numbers(again) == numbers(view), "the same seed, the same game"


def test_a_game_begins_where_it_is_told(client: Client) -> None:
    view = sit(client, "connect4:columns=6", ANN, {"person": "Bob"}, start=[{"action": 3}, {"action": 2}])
    assert numbers(view) == [3, 2] and view["game"] == "connect4:columns=6"
    assert_true(view)
    view = do(client, play(client, view, 1), "restart")
    assert numbers(view) == [3, 2]


# ------------------------------------------------------------ hints, and agents that take their time


def test_a_hint_comes_from_a_perfect_player_where_there_is_one(client: Client) -> None:
    view = sit(client, "tictactoe", ANN, {"person": "Bob"}, start=[{"action": a} for a in (0, 3, 1, 4)])
    hint = client.post(f"/api/tables/{view['id']}/hint", json={}).json()
    assert (hint["action"], hint["name"], hint["label"]) == (2, "c1", "perfect")
    values = {line["action"]: line["value"] for line in hint["values"]}
    assert set(values) == {2, 5, 6, 7, 8} and values[2] == 1.0
    asked = client.post(f"/api/tables/{view['id']}/hint", json={"agent": "random"}).json()
    assert asked["values"] is None and asked["action"] in values
    both = client.post(f"/api/tables/{view['id']}/hint", json={"agent": "random", "level": "easy"})
    assert "not both" in said(both, 422)
    assert see(client, view)["ply"] == 4


def test_a_slow_agent_can_be_interrupted_and_blocks_nobody(client: Client) -> None:
    slow = sit(client, "tictactoe", ENDLESS, ANN)
    eventually(lambda: see(client, slow), lambda v: v["message"] is None)  # compiled, and now it thinks
    view = settled(client, play(client, sit(client, "tictactoe", ANN, RANDOM), 4))
    assert view["ply"] == 2
    assert see(client, slow)["thinking"]["seat"] == 0, "it thinks all the while, in another process"
    stopped = do(client, slow, "interrupt")
    assert stopped["paused"] and stopped["thinking"] is None and "interrupted" in stopped["message"]
    workers = arena_of(client).workers
    eventually(lambda: [w.job for w in workers._workers], lambda jobs: not any(jobs))
    view = settled(client, do(client, stopped, "seats", seats=[RANDOM, ANN]))
    assert view["paused"] and view["ply"] == 0
    assert settled(client, do(client, view, "pace", paused=False))["ply"] == 1


def test_an_agent_that_cannot_be_made_says_why(client: Client) -> None:
    small_memory = {"agent": "max-n", "options": {"table": 65_536}}
    view = sit(client, "tictactoe", small_memory, ANN)
    view = eventually(lambda: see(client, view), lambda v: v["paused"])
    assert view["thinking"] is None and "more memory than the arena allows" in view["message"]
