"""A game of OpenSpiel in the arena: offered, drawn with a button for each action, played against agents."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyspiel")
pytest.importorskip("fastapi")

from arena_client import eventually, open_client


def test_a_game_of_openspiel_in_the_arena(tmp_path: Path) -> None:
    name = "openspiel:clobber"
    with open_client(tmp_path, games=(f"{name}:rows=3",)) as client:
        listed = {game["name"]: game for game in client.get("/api/games").json()}
        assert [field["name"] for field in listed[name]["fields"]] == ["columns", "rows"]
        seats = [{"person": "Ann"}, {"agent": "mcts", "options": {"iterations": 5}}]
        spec = f"{name}:columns=3,rows=3"
        answer = client.post("/api/tables", json={"game": spec, "seats": seats, "seed": 1})
        assert answer.status_code == 200, answer.text
        view = answer.json()
        while not view["over"]:
            assert f'data-action="{view["legal"][0]["action"]}"' in view["svg"]
            move = {"action": view["legal"][0]["action"], "ply": view["ply"]}
            answer = client.post(f"/api/tables/{view['id']}/move", json=move)
            assert answer.status_code == 200, answer.text
            view = eventually(
                lambda: client.get(f"/api/tables/{view['id']}").json(),  # noqa: B023
                lambda seen: seen["thinking"] is None and (seen["over"] or seen["to_move"] == 0),
            )
        assert "won" in view["status"]
        refused = client.post("/api/tables", json={"game": "openspiel:breakthrough", "seats": seats})
        assert refused.status_code in (404, 422)  # only what the arena was started with
