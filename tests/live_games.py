"""Shared by the tests of live games: how one sits down, moves and looks, and whether what a view says is true."""

from __future__ import annotations

from typing import Any

from arena_client import Client, eventually

from boardlab import make
from boardlab.position import Position

__all__ = ["ANN", "ENDLESS", "RANDOM", "assert_true", "do", "numbers", "play", "see", "settled", "sit"]

View = dict[str, Any]

ANN, RANDOM = {"person": "Ann"}, {"agent": "random"}
ENDLESS = {"agent": "mcts", "options": {"iterations": 1_000_000_000}}


def sit(client: Client, game: str, *seats: dict[str, Any], **more: Any) -> View:
    response = client.post("/api/tables", json={"game": game, "seats": list(seats), **more})
    assert response.status_code == 200, response.text
    return dict(response.json())


def do(client: Client, view: View, what: str, **body: Any) -> View:
    response = client.post(f"/api/tables/{view['id']}/{what}", **({"json": body} if body else {}))
    assert response.status_code == 200, response.text
    return dict(response.json())


def see(client: Client, view: View) -> View:
    return dict(client.get(f"/api/tables/{view['id']}").json())


def play(client: Client, view: View, action: int) -> View:
    return do(client, view, "move", action=action, ply=view["ply"])


def settled(client: Client, view: View) -> View:
    """The table when no agent thinks and nothing has to be stored any more."""
    return dict(
        eventually(
            lambda: see(client, view), lambda v: v["thinking"] is None and (not v["over"] or v["record"] is not None)
        )
    )


def numbers(view: View) -> list[int]:
    return [move["number"] for move in view["moves"][: view["ply"]]]


def replayed(view: View) -> Position:
    """The position of a table, by the rules alone."""
    position = make(view["game"]).start()
    for move in view["moves"][: view["ply"]]:
        position.play(move["number"]) if move["kind"] == "action" else position.play_chance(move["number"])
    return position


def assert_true(view: View) -> None:
    """What a view says of the position is what the rules say."""
    position = replayed(view)
    assert [line["action"] for line in view["legal"]] == position.legal_actions
    assert view["scores"] == position.scores
    assert view["over"] == position.is_over
    assert view["to_move"] == (None if position.is_over or position.is_chance else position.player)
    assert view["svg"] == position.game.draw(position.state, position.last_action)
    assert view["status"] == position.status
