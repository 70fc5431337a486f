"""A game with a clock in real browsers: set in the options, seen by both seats and by those who watch, and the flag."""

from __future__ import annotations

from typing import Any

import httpx
from browser import SLOW, open_page


def test_a_clock_from_the_options(page: Any) -> None:
    page.goto("/#/play?game=tictactoe")
    page.locator(".seat-setup select").nth(1).wait_for()
    for seat in page.locator(".seat-setup select").all():
        seat.select_option("person")
    page.get_by_text("Clock and seed").click()
    page.locator("[data-field=clock]").fill("700")
    page.locator(".setup-foot", has_text="Ready").wait_for(timeout=SLOW)
    page.get_by_role("button", name="Start").click()
    assert page.locator(".field.bad .error").inner_text() == "Clock must be a number from 0.1 to 600, not 700."
    page.locator("[data-field=clock]").fill("1.5")
    page.locator("[data-field=increment]").fill("2")
    page.get_by_role("button", name="Start").click()
    clocks = page.locator(".seat-clock")
    clocks.nth(1).wait_for()
    assert clocks.all_inner_texts() == ["1:30", "1:30"]
    page.locator('.board-frame [data-action="4"]').click()
    page.locator('.seat[data-seat="1"] .seat-clock.running').wait_for()
    assert page.locator('[data-tool="undo"]').is_disabled()
    page.keyboard.press("c")
    page.locator("[role=status]", has_text="1 minute 30 seconds. ").first.wait_for(state="attached")


def test_two_devices_see_the_time_and_the_flag(page: Any, chromium: Any, arena: str) -> None:
    seats, clock = [{"person": "Ann"}, {"person": "Guest"}], {"minutes": 0.2}
    table = httpx.post(f"{arena}/api/tables", json={"game": "tictactoe", "seats": seats, "clock": clock}).json()["id"]
    page.goto(f"/#/play/{table}")
    page.get_by_role("button", name="Invite").click()
    page.get_by_role("img", name="QR code of the link").wait_for()
    page.keyboard.press("Escape")
    page.locator('.board-frame [data-action="4"]').click()
    page.get_by_text("Waiting for somebody").wait_for()
    with open_page(chromium, arena) as guest, open_page(chromium, arena) as watcher:
        watcher.goto(f"/#/play/{table}")
        watcher.locator(".seat-clock").nth(1).wait_for()
        assert watcher.locator(".seat-clock.running").count() == 0
        guest.goto(f"/#/play/{table}")
        guest.get_by_label("Your name").fill("Bob")
        guest.get_by_role("button", name="Take the seat").click()
        for seen in (page, guest, watcher):
            seen.locator('.seat[data-seat="1"] .seat-clock.running').wait_for()
        guest.locator("[role=status]", has_text="10 seconds left.").first.wait_for(state="attached")
        assert page.locator("[role=status]", has_text="seconds left.").count() == 0
        watcher.locator('.seat[data-seat="1"] .seat-clock.low').wait_for()
        for seen, who in ((page, "Bob"), (guest, "You"), (watcher, "Bob")):
            seen.locator(".status-text", has_text=f"{who} ran out of time").wait_for()
        assert page.locator('.seat[data-seat="0"].won').count() == 1
    record = page.request.get(f"/api/tables/{table}").json()["record"]
    page.goto(f"/#/games/{record}")
    page.get_by_text("(out of time)").wait_for()
    assert "clock 0.2 min" in page.locator(".page-head").inner_text()
