"""Shared by the tests of live games in a real browser: games begun behind the page's back, and what the page shows."""

from __future__ import annotations

from typing import Any

__all__ = ["main_boxes", "new_table", "open_table", "overlaps", "status", "view", "wait_for_turn"]


def new_table(page: Any, game: str, *seats: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A live game, begun behind the page's back."""
    answer = page.request.post("/api/tables", data={"game": game, "seats": list(seats), **more})
    assert answer.ok, answer.text()
    return answer.json()


def open_table(page: Any, game: str, *seats: dict[str, Any], **more: Any) -> str:
    """A live game on the page, its board drawn; its id."""
    table = new_table(page, game, *seats, **more)
    page.goto(f"/#/play/{table['id']}")
    page.wait_for_selector(".board-frame svg")
    return table["id"]


def view(page: Any) -> dict[str, Any]:
    """What the server says about the game on the page."""
    return page.request.get(f"/api/tables/{page.url.rpartition('/')[2]}").json()


def wait_for_turn(page: Any, ply: int) -> None:
    """Wait until the page shows at least `ply` events and somebody may move, or until the game is over."""
    page.wait_for_function(
        """ply => {
            const at = document.querySelector(".move[aria-current]");
            if (!at || Number(at.dataset.ply) < ply) return false;
            return document.querySelector(".board-frame .legal") || document.querySelector(".status-text.over");
        }""",
        arg=ply,
    )


def status(page: Any) -> str:
    return page.locator(".status-text").inner_text()


def main_boxes(page: Any) -> dict[str, dict[str, float]]:
    """Where the main parts of a live game are."""
    names = (".game-head", ".board-frame", ".status", ".tools", ".seats-card", ".moves-card", ".advisor")
    return {name: page.locator(name).bounding_box() for name in names}


def overlaps(a: dict[str, float], b: dict[str, float]) -> bool:
    return (
        a["x"] + a["width"] > b["x"] + 0.5
        and b["x"] + b["width"] > a["x"] + 0.5
        and a["y"] + a["height"] > b["y"] + 0.5
        and b["y"] + b["height"] > a["y"] + 0.5
    )
