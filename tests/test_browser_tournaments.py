"""A tournament in a real browser: set up by clicks, watched, looked at pair by pair, and one of its games replayed."""

from __future__ import annotations

import re
from typing import Any

import pytest
from browser import SLOW
from test_browser_axe import barriers


def set_up(page: Any) -> None:
    """Two agents: random, and a quick search that is added by hand."""
    page.goto("/#/compete")
    page.get_by_role("link", name="Tournaments").click()
    page.locator(".view-tournaments .entrants li").nth(1).wait_for(state="attached")
    page.locator("details.new-item").evaluate("form => (form.open = true)")
    page.get_by_label("Game", exact=True).select_option("tictactoe")
    page.get_by_role("button", name="Remove mcts").click()
    page.get_by_label("Iterations", exact=True).fill("5")
    page.get_by_role("button", name="Add agent").click()


LATE_ANSWERS = """() => {
    const usual = window.fetch;
    window.fetch = async (...all) => {
        const answer = await usual(...all);
        if (all[1]?.method === "DELETE") {
            await new Promise((done) => setTimeout(done, 1000));
            setTimeout(() => (window.answered = true), 100);
        }
        return answer;
    };
}"""
"""The server's news of a deletion come long before its answer."""


def test_from_the_form_to_the_replay(page: Any) -> None:
    set_up(page)
    assert page.locator(".entrants li > span").all_inner_texts() == ["random", "mcts:iterations=5"]
    games = page.locator("[data-field=games]")
    games.fill("3")
    page.get_by_text("4 games.", exact=True).wait_for()  # in whole sets
    page.locator("[data-field=starts]").select_option(label="random")
    page.get_by_text(re.compile(r"^4 games from \d+ positions\.$")).wait_for()
    page.get_by_role("button", name="Start tournament").click()
    card = page.locator(".live-card").first
    card.locator(".badge", has_text="finished").wait_for(timeout=SLOW)
    card.locator(".ratings tbody tr").nth(1).wait_for()
    assert barriers(page) == []
    card.get_by_role("link", name="Crosstable, games, downloads").click()
    page.locator(".strength-plot .main-svg").first.wait_for()
    assert page.locator(".ratings tbody tr").count() == 2
    assert page.locator(".tournament-games tbody tr").count() == 4
    assert barriers(page) == []
    cell = page.get_by_role("link", name=re.compile("^random against mcts:iterations=5"))
    cell.click()
    assert re.search(r"#/tournaments/\w{12}\?one=0&other=1$", page.url)
    page.reload()  # the address tells it all
    page.locator(".tournament-games tbody tr").first.wait_for()
    assert page.get_by_label("The other agent").input_value() == "1"
    page.get_by_role("link", name="Replay game 1", exact=True).click()
    page.locator(".replay .board-frame svg").wait_for()
    shared = page.url
    assert re.search(r"#/games/[0-9a-f]{12}$", shared)
    assert page.get_by_role("button", name="Delete").count() == 0, "the tournament keeps it"
    page.get_by_role("button", name="Last").click()
    page.wait_for_url(re.compile(r"\?ply=\d+$"))
    page.get_by_role("link", name="The tournament").click()
    page.get_by_role("heading", name="Tic-tac-toe, round robin").wait_for()
    page.evaluate(LATE_ANSWERS)
    page.get_by_role("button", name="Delete").click()
    page.locator("dialog").get_by_role("button", name="Delete").click()
    page.wait_for_url(re.compile("#/tournaments$"))
    page.goto(shared)
    page.get_by_text("This address leads nowhere").wait_for()
    page.wait_for_function("() => window.answered")
    assert page.url == shared, "who has left is not called back"


@pytest.mark.slow
def test_mistakes_are_shown_where_they_were_made(phone: Any) -> None:
    set_up(phone)
    phone.get_by_role("button", name="Add agent").click()
    phone.get_by_text("mcts:iterations=5 takes part already.").wait_for()
    phone.locator("[data-field=format]").select_option(label="swiss")
    assert phone.locator("[data-field=rounds]").is_visible() and not phone.locator("[data-field=plies]").is_visible()
    phone.locator("[data-field=games]").fill("0")
    phone.get_by_role("button", name="Start tournament").click()
    assert phone.locator(".field.bad .error").inner_text().startswith("Games must be a whole number from 1 to")
    phone.locator("[data-field=games]").fill("20000")
    phone.get_by_role("button", name="Start tournament").click()
    sentence = "games: these would be 40,000 in all, the arena allows 20,000 in a tournament"
    phone.locator(".field.bad .error", has_text=sentence).wait_for()
    phone.locator("[data-field=games]").fill("2")
    phone.get_by_role("button", name="Remove random").click()
    phone.get_by_role("button", name="Start tournament").click()
    phone.locator(".entrant-fields .error", has_text="a tournament needs two agents at least").wait_for()
    width = phone.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1], "nothing hangs over the edge"
    assert all(made["format"] != "swiss" for made in phone.request.get("/api/tournaments").json())
