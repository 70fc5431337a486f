"""Where everything is in a real browser, on a desktop and on a phone, and that fingers reach it."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from browser_games import main_boxes, open_table, overlaps, view, wait_for_turn


def check_layout(page: Any, width: int, height: int) -> None:
    """Nothing overlaps, nothing sticks out, and the board is in sight as a whole."""
    boxes = main_boxes(page)
    for (name, a), (other, b) in combinations(boxes.items(), 2):
        assert not overlaps(a, b), f"{name} overlaps {other}"
    for name, box in boxes.items():
        assert box["x"] >= 0 and box["x"] + box["width"] <= width + 0.5, f"{name} sticks out"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    board = boxes[".board-frame"]
    assert board["y"] >= 0 and board["y"] + board["height"] <= height
    for tool in page.locator(".tool").all():
        size = tool.bounding_box()
        assert min(size["width"], size["height"]) >= 40
        assert tool.evaluate("node => node.scrollWidth <= node.clientWidth + 1"), tool.inner_text()


GAMES = ["tictactoe", "connect4", "othello", "hex:size=11", "nim:players=3", "2048", "dots", "sim"]


@pytest.mark.parametrize("game", GAMES)
def test_every_game_fits_a_phone(phone: Any, game: str) -> None:
    people = {"nim:players=3": 3, "2048": 1}.get(game, 2)
    open_table(phone, game, *[{"person": f"A person with quite a long name {i}"} for i in range(people)])
    check_layout(phone, 360, 740)
    assert phone.locator("h1").evaluate("node => node.scrollWidth <= node.clientWidth"), "its name is not cut off"


@pytest.mark.parametrize("game", ["hex:size=11", "nim:players=3"])
def test_games_fit_a_desktop(page: Any, game: str) -> None:
    people = 3 if game.startswith("nim") else 2
    open_table(page, game, *[{"person": f"P{i}"} for i in range(people)])
    check_layout(page, 1280, 800)
    page.set_viewport_size({"width": 740, "height": 360})
    check_layout(page, 740, 360)


def test_fingers_play_large_and_small_boards(phone: Any) -> None:
    open_table(phone, "2048", {"person": "Ann"}, seed=3)
    phone.wait_for_selector(".board-frame.swipes")
    swipe = """([dx, dy]) => {
        const frame = document.querySelector(".board-frame");
        const box = frame.getBoundingClientRect();
        const at = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
        const event = (type, x, y) => frame.dispatchEvent(new PointerEvent(type, {
            bubbles: true, isPrimary: true, pointerType: "touch", clientX: x, clientY: y }));
        event("pointerdown", at.x, at.y);
        event("pointermove", at.x + dx, at.y + dy);
        event("pointerup", at.x + dx, at.y + dy);
    }"""
    name = view(phone)["legal"][0]["name"]
    phone.evaluate(swipe, {"left": [-60, 4], "right": [60, 4], "up": [4, -60], "down": [4, 60]}[name])
    wait_for_turn(phone, 4)
    assert view(phone)["moves"][2]["name"] == name
    open_table(phone, "hex:size=11", {"person": "Ann"}, {"person": "Bob"})
    phone.wait_for_selector(".board-frame.aims")  # cells as small as these are aimed at by sliding
    box = phone.locator('[data-action="60"]').bounding_box()
    phone.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    phone.wait_for_selector('.move[data-ply="1"][aria-current]')
    assert view(phone)["last_action"] == 60


def test_long_names_are_not_cut_off(phone: Any) -> None:
    open_table(phone, "tictactoe", {"person": "Maximiliane-Wilhelmina von Hohenlohe"}, {"person": "Bob"})
    for label in phone.locator(".seat-label").all():
        assert label.evaluate("(e) => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight + 1")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_gallery_and_the_set_up_fit_a_phone(phone: Any) -> None:
    phone.goto("/#/play")
    phone.wait_for_selector(".game-card")
    assert phone.locator(".game-card").count() >= 9
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    phone.goto("/#/play?game=nim:players=3")
    phone.wait_for_selector(".seat-setup")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    start = phone.get_by_role("button", name="Start").bounding_box()
    nav = phone.locator(".nav").bounding_box()
    assert start["y"] + start["height"] <= nav["y"], "Start is behind the navigation"
