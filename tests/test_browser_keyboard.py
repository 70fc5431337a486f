"""Playing in a real browser by the keyboard alone, with moves announced and the board as text."""

from __future__ import annotations

from typing import Any

import pytest
from browser import SLOW
from browser_games import open_table, status, view, wait_for_turn


def test_2048_by_arrow_keys(page: Any) -> None:
    open_table(page, "2048", {"person": "Ann"}, seed=3)
    page.wait_for_selector(".board-frame .legal")
    assert "Score 0" in status(page)
    names = {"ArrowLeft": "left", "ArrowUp": "up", "ArrowRight": "right", "ArrowDown": "down"}
    played = []
    for turn in range(12):
        before = view(page)
        legal = {m["name"] for m in before["legal"]}
        key = next(k for k in (*list(names)[turn % 4 :], *names) if names[k] in legal)
        page.keyboard.press(key)
        played.append(names[key])
        wait_for_turn(page, before["ply"] + 2)
    moves = view(page)["moves"]
    assert [m["name"] for m in moves if m["kind"] == "action"] == played
    assert [m["kind"] for m in moves[2:]] == ["action", "chance"] * 12
    assert page.locator(".by-chance").count() == 14
    assert "by chance" in status(page)
    tiles = page.locator(".board-frame text[data-piece]").all_text_contents()
    assert sum(map(int, tiles)) == sum(2 if m["name"].startswith("2") else 4 for m in moves if m["kind"] == "chance")


def test_keyboard_alone(page: Any) -> None:
    page.goto("/#/play")
    page.wait_for_selector(".game-card")
    press_until(page, "Tab", "document.activeElement.dataset?.game === 'tictactoe'")
    page.keyboard.press("Tab")  # its options
    page.keyboard.press("Enter")
    page.wait_for_selector(".seat-setup")
    page.locator(".seat-setup").nth(1).locator("select").select_option("person")
    page.wait_for_function("() => !document.querySelector('[type=submit]').disabled", timeout=SLOW)
    press_until(page, "Tab", "document.activeElement.type === 'submit'")
    page.keyboard.press("Enter")
    page.wait_for_selector(".board-frame .legal")
    press_until(page, "Tab", "document.activeElement.dataset?.action !== undefined")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "b2"
    assert page.locator(".focused").count() == 1
    page.keyboard.press("Enter")
    page.wait_for_selector('.move[data-ply="1"][aria-current]')
    assert view(page)["last_action"] == 4
    page.keyboard.press("ArrowUp")  # the keyboard has stayed on the board
    page.keyboard.press("Enter")
    page.wait_for_selector('.move[data-ply="2"][aria-current]')
    page.keyboard.press("u")
    page.wait_for_selector('.move[data-ply="1"][aria-current]')
    page.keyboard.press("?")
    page.wait_for_selector("dialog kbd")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")


def focused(page: Any) -> str:
    return page.evaluate("document.activeElement.getAttribute('aria-label')")


def test_the_keyboard_goes_row_by_row(page: Any) -> None:
    """On the rhombus of Hex as well, and over stones, which say what they are."""
    open_table(page, "hex:size=4", {"person": "Ann"}, {"person": "Bob"}, start=[{"action": 2}])
    page.locator('[data-action="0"]').focus()
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
        seen.append(focused(page))
    assert seen == ["b1", "c1, X", "c2", "c3", "b3", "b2", "b1", "b1"]
    page.keyboard.press("n")
    assert focused(page) == "d1", "the next legal move"
    page.keyboard.press("p")
    assert focused(page) == "b1"


def test_moves_are_announced_and_the_focus_stays(page: Any) -> None:
    open_table(page, "tictactoe", {"person": "Ann"}, {"agent": "random"}, seed=4)
    page.locator('[data-action="4"]').focus()
    page.keyboard.press("Enter")
    wait_for_turn(page, 2)
    assert focused(page) == "b2, X"
    answer = view(page)["moves"][1]["name"]
    page.wait_for_function("() => document.querySelector('[role=log]').textContent !== ''")
    assert page.locator("[role=log]").inner_text().endswith(f"random played {answer}.")
    page.keyboard.press("Enter")  # it is taken
    page.wait_for_function("() => document.querySelector('.board [role=status]').textContent")
    assert page.locator(".board [role=status]").inner_text() == "b2, X: no legal move now."
    assert page.locator('[data-action="4"]').get_attribute("aria-disabled") == "true"
    page.keyboard.press("b")
    page.wait_for_function("() => document.querySelector('.board [role=status]').textContent.includes('a b c')")
    page.click("text=Board as text")
    assert page.locator(".board-text").inner_text().split() == view(page)["text"].split()


def test_the_keyboard_is_not_lost_when_a_button_goes(page: Any) -> None:
    start = [{"action": a} for a in (0, 3, 1, 4)]
    open_table(page, "tictactoe", {"person": "Ann"}, {"person": "Bob"}, start=start)
    page.click('.board-frame [data-action="2"]')
    again = page.get_by_role("button", name="Play again")
    again.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector('.move[data-ply="4"][aria-current]')
    page.wait_for_function("() => document.activeElement.dataset?.action !== undefined")


def press_until(page: Any, key: str, condition: str) -> None:
    for _ in range(60):
        page.keyboard.press(key)
        if page.evaluate(condition):
            return
    pytest.fail(f"{condition} was never reached by {key}")
