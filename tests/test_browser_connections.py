"""What pages share and what they keep: one stream of events for all tabs, a banner while the server is away, uploads
side by side, and addresses that bring back what was seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
from browser import open_arena
from training_files import small_agent

ANN, BOB = {"person": "Ann"}, {"person": "Bob"}


def open_table(arena: str) -> Any:
    return httpx.post(f"{arena}/api/tables", json={"game": "tictactoe", "seats": [ANN, BOB]}).json()


def play(arena: str, table: str, action: int, ply: int) -> None:
    httpx.post(f"{arena}/api/tables/{table}/move", json={"action": action, "ply": ply}).raise_for_status()


def test_eight_tabs_share_one_stream_and_all_of_them_hear_the_news(chromium: Any, arena: str) -> None:
    """A browser keeps six connections to a server: the seventh tab would wait for ever."""
    context = chromium.new_context(base_url=arena)
    tables = [open_table(arena) for _ in range(2)]
    pages = []
    for k in range(8):
        page = context.new_page()
        page.goto(f"/#/play/{tables[k % 2]['id']}")
        page.wait_for_selector(".board-frame svg")
        pages.append(page)
    for ply, action in enumerate((4, 0)):
        for table in tables:
            play(arena, table["id"], action, ply)
    for page in pages:
        page.locator(".moves-card", has_text="a1").wait_for()
    context.close()


def test_a_banner_while_the_server_is_away_and_a_game_that_goes_on(chromium: Any, tmp_path: Path) -> None:
    with open_arena(tmp_path) as address:
        table = open_table(address)
        play(address, table["id"], 4, 0)
        context = chromium.new_context(base_url=address)
        page = context.new_page()
        page.goto(f"/#/play/{table['id']}")
        page.wait_for_selector(".board-frame svg")
        assert not page.locator(".away").is_visible()
    page.locator(".away").wait_for()
    with open_arena(tmp_path, "--port", address.rpartition(":")[2]):
        page.locator(".away").wait_for(state="hidden", timeout=30_000)
        page.locator('.board-frame [data-action="0"]').click()
        page.locator(".moves-card", has_text="a1").wait_for()
        assert "b2" in page.locator(".moves-card").inner_text()
    context.close()


def test_two_uploads_at_once_each_tell_what_came_of_them(page: Any, tmp_path: Path) -> None:
    small_agent().save(tmp_path / "side by side.agent")
    for name in ("broken one", "broken two"):
        (tmp_path / f"{name}.agent").write_bytes(b"nothing")
    page.goto("/#/agents")
    files = page.locator('input[type="file"]')
    files.set_input_files([tmp_path / "broken one.agent"])
    files.set_input_files([tmp_path / "side by side.agent", tmp_path / "broken two.agent"])
    page.get_by_role("link", name="side by side", exact=True).wait_for()
    refused = page.locator(".upload.error")
    refused.nth(1).wait_for()
    assert sorted(line.split(" was not added")[0] for line in refused.all_inner_texts()) == [
        "broken one.agent",
        "broken two.agent",
    ]
    page.get_by_role("button", name="Dismiss broken one.agent").click()
    assert refused.count() == 1


def test_back_from_an_inspected_replay_leads_to_the_move_one_came_from(page: Any, arena: str) -> None:
    table = open_table(arena)
    for ply, action in enumerate((0, 3, 1, 4, 2)):
        play(arena, table["id"], action, ply)
    page.goto("/#/games")
    page.locator("tr[data-record] a").first.click()
    page.locator('.replay-moves [data-ply="3"] button').click()
    page.locator('.replay-moves li.current[data-ply="3"]').wait_for()
    page.get_by_role("link", name="Inspect this position").click()
    page.wait_for_selector(".inspect-view .board-frame svg")
    page.go_back()
    page.locator('.replay-moves li.current[data-ply="3"]').wait_for()
    page.reload()
    page.locator('.replay-moves li.current[data-ply="3"]').wait_for()


def test_filters_are_in_the_address_and_broken_addresses_have_a_page(page: Any, arena: str) -> None:
    page.goto("/#/games?source=match")
    assert page.get_by_label("Source").input_value() == "match"
    page.get_by_label("Source").select_option("table")
    page.wait_for_url("**/#/games?source=table")
    for address, words in (
        ("/#/nowhere", "There is no such page"),
        ("/#/%zz", "There is no such page"),
        ("/#/play/aaaaaaaaaaaa", "This address leads nowhere"),
        ("/#/games/aaaaaaaaaaaa", "This address leads nowhere"),
        ("/#/agents/aaaaaaaaaaaa", "This address leads nowhere"),
        ("/#/inspect?game=chess", "This address leads nowhere"),
        ("/#/inspect?record=x", "This address leads nowhere"),
    ):
        page.goto(address)
        page.get_by_role("heading", name=words).wait_for(timeout=10_000)
