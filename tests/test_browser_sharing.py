"""Two people on two devices, in real browsers: an invitation with its QR code, a seat that is taken, a spectator."""

from __future__ import annotations

import hashlib
from typing import Any

import httpx
import pytest
from browser import open_page

SEGNO = {
    "http://192.168.178.123:8000/#/play/abcdefghijkl".ljust(78, "x"): "38ae4c2f1e0b238c",
    "y" * 106: "c86866eba1c6a367",
}
"""Texts that fill their code, and the SHA-256 of what segno 1.6 makes of them (level L, mask 0), row by row."""


def test_an_invitation_a_guest_and_a_spectator(page: Any, chromium: Any, arena: str) -> None:
    seats = [{"person": "Ann"}, {"person": "Guest"}]
    table = httpx.post(f"{arena}/api/tables", json={"game": "tictactoe", "seats": seats}).json()["id"]
    page.goto(f"/#/play/{table}")
    page.get_by_role("button", name="Invite").click()
    assert page.get_by_label("Link", exact=True).input_value().endswith(f"/#/play/{table}")
    page.get_by_role("img", name="QR code of the link").wait_for()
    page.keyboard.press("Escape")
    page.locator('.board-frame [data-action="4"]').click()
    contexts = [chromium.new_context(base_url=arena) for _ in range(2)]
    guest, watcher = (context.new_page() for context in contexts)
    guest.goto(f"/#/play/{table}")
    guest.get_by_label("Your name").fill("Bob")
    guest.get_by_role("button", name="Take the seat").click()
    guest.locator('.board-frame .legal[data-action="0"]').click()
    page.locator(".moves-card", has_text="a1").wait_for()
    page.locator(".seats", has_text="Bob").wait_for()
    watcher.goto(f"/#/play/{table}")
    watcher.get_by_text("You are watching this game.").wait_for()
    assert watcher.locator(".board-frame .legal").count() == 0
    for context in contexts:
        context.close()


def test_you_are_whoever_looks(page: Any, chromium: Any, arena: str) -> None:
    """Who begins a game without a name is called You, which nobody else must read as himself."""
    seats = [{"person": "You"}, {"person": "Guest"}]
    table = httpx.post(f"{arena}/api/tables", json={"game": "tictactoe", "seats": seats}).json()["id"]
    page.goto(f"/#/play/{table}")
    status = page.locator(".status-text")
    assert status.inner_text() == "Your turn"
    page.get_by_role("button", name="Invite").click()
    page.get_by_role("img", name="QR code of the link").wait_for()
    page.keyboard.press("Escape")
    page.locator('.board-frame [data-action="4"]').click()
    contexts = [chromium.new_context(base_url=arena) for _ in range(2)]
    guest, watcher = (context.new_page() for context in contexts)
    guest.goto(f"/#/play/{table}")
    guest.get_by_label("You would move second. Your name").fill("Bob")
    guest.get_by_role("button", name="Take the seat").click()
    guest.locator(".status-text", has_text="Your turn").wait_for()
    watcher.goto(f"/#/play/{table}")
    for seen in (page, watcher):
        seen.locator(".status-text", has_text="Bob to move").wait_for()
    labels = [seen.locator(".seat-label").all_inner_texts() for seen in (page, guest, watcher)]
    assert labels == [["You", "Bob"], ["Your host", "Bob"], ["The host", "Bob"]]
    guest.locator(".tool[data-tool=resign]").click()
    guest.get_by_role("button", name="Resign", exact=True).last.click()
    guest.locator(".status-text", has_text="You resigned").wait_for()
    page.locator(".status-text", has_text="Bob resigned").wait_for()
    for context in contexts:
        context.close()


def test_a_guest_types_undisturbed(page: Any, chromium: Any, arena: str) -> None:
    """Whatever happens in the game meanwhile."""
    seats = [{"person": "Ann"}, {"person": "Guest"}]
    table = httpx.post(f"{arena}/api/tables", json={"game": "tictactoe", "seats": seats}).json()["id"]
    page.goto(f"/#/play/{table}")
    page.get_by_role("button", name="Invite").click()
    page.get_by_role("img", name="QR code of the link").wait_for()
    page.keyboard.press("Escape")
    with open_page(chromium, arena) as guest:
        guest.goto(f"/#/play/{table}")
        guest.get_by_label("Your name").fill("Bo")
        page.locator('.board-frame [data-action="4"]').click()
        guest.locator(".moves-card", has_text="b2").wait_for()
        guest.keyboard.type("b")
        assert guest.get_by_label("Your name").input_value() == "Bob"


@pytest.mark.parametrize("text", SEGNO)
def test_a_qr_code_is_that_of_segno(page: Any, text: str) -> None:
    page.goto("/#/games")
    rows = page.evaluate(
        """async (text) => (await import("/static/common/qr_code.js")).qrModules(text)
            .map((row) => row.map(Number).join("")).join("\\n")""",
        text,
    )
    assert hashlib.sha256(rows.encode()).hexdigest()[:16] == SEGNO[text]
