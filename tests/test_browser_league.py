"""The league in a real browser: agents enter, it plays while the machine is idle, games are replayed, people climb."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser import SLOW, open_arena, open_page
from test_browser_axe import barriers


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An arena whose leagues do not wait long."""
    with open_arena(tmp_path_factory.mktemp("arena"), "-o", "league_quiet_seconds=0.5", "-o", "workers=1") as opened:
        yield opened


@pytest.fixture
def page(chromium: Any, address: str) -> Iterator[Any]:
    with open_page(chromium, address, viewport={"width": 1280, "height": 900}) as made:
        yield made


def enter(page: Any, value: str) -> Any:
    """Let an agent enter by the form; its row."""
    form = page.locator(".entry-form")
    if form.get_attribute("open") is None:
        page.get_by_text("Enter an agent").click()
    form.get_by_label("Agent", exact=True).select_option(value)
    page.get_by_role("button", name="Enter this agent").click()


def lose_a_game(page: Any, person: str) -> None:
    """A person gives up at once against an agent."""
    seats = [{"person": person}, {"agent": "random"}]
    table = page.request.post("/api/tables", data={"game": "tictactoe", "seats": seats}).json()
    assert page.request.post(f"/api/tables/{table['id']}/resign").ok


def test_a_league_from_its_first_agent_to_a_replay(page: Any) -> None:
    page.goto("/#/compete")
    page.get_by_role("link", name="League").click()
    page.get_by_text("There is no league yet.").wait_for()
    assert barriers(page) == []
    page.get_by_label("Game", exact=True).select_option("tictactoe")
    page.get_by_role("button", name="Open the league").click()
    page.get_by_role("heading", name="League of Tic-tac-toe").wait_for()
    idle = page.get_by_label("Play while the machine is idle")
    assert idle.is_disabled() and not idle.is_checked()
    enter(page, "agent:random")
    row = page.locator("tr", has_text="random").first
    row.wait_for()
    assert "1500" in row.inner_text()
    enter(page, "agent:random")
    page.get_by_text("random takes part already").wait_for()
    enter(page, "level:easy")
    page.locator("tr", has_text="Easy (mcts)").wait_for()
    assert barriers(page) == []
    idle.check()
    page.locator(".league-plot .main-svg").first.wait_for(timeout=SLOW)
    page.get_by_text("games so far").wait_for()
    page.get_by_label("Replay game").first.wait_for()
    idle.uncheck()
    page.get_by_text("Switched off.").wait_for()
    lose_a_game(page, "Ann")
    person = page.get_by_role("button", name="Ann", exact=True)
    person.wait_for()
    assert barriers(page) == []
    person.click()
    dialog = page.get_by_role("dialog")
    dialog.locator(".main-svg").first.wait_for()
    assert "lost" in dialog.inner_text() and "random" in dialog.inner_text()
    assert barriers(page) == []
    dialog.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Withdraw: random").click()
    page.get_by_role("button", name="Enter again: random").wait_for()
    page.get_by_label("Replay game").first.click()
    page.locator(".replay-moves").wait_for()
    assert "mcts" in page.locator(".page").inner_text()


def test_the_list_of_leagues_leads_to_one(page: Any) -> None:
    lose_a_game(page, "Bob")
    page.goto("/#/league")
    row = page.locator("tr", has_text="Tic-tac-toe")
    row.wait_for()
    row.click()
    page.get_by_role("heading", name="League of Tic-tac-toe").wait_for()
    page.goto("/#/league/chess")
    page.get_by_text("This address leads nowhere").wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desktop", "phone"])
def test_no_barrier_in_any_light(chromium: Any, address: str, scheme: str, size: tuple[int, int]) -> None:
    look = {"viewport": {"width": size[0], "height": size[1]}, "color_scheme": scheme}
    with open_page(chromium, address, **look) as page:
        lose_a_game(page, "Cleo")
        page.request.post("/api/league/members", data={"game": "tictactoe", "agent": {"agent": "random"}})
        for where, shown in (("/#/league", ".league-opener"), ("/#/league/tictactoe", ".entry-form")):
            page.goto(where)
            page.wait_for_selector(shown)
            page.wait_for_selector("td")
            assert barriers(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it fits"
