"""Playing in a real browser: from the gallery to a won game, all that one can do with a game, agents and hints."""

from __future__ import annotations

import re
from typing import Any

from browser import SLOW
from browser_games import main_boxes, open_table, overlaps, status, view, wait_for_turn

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
"""The lines of Tic-tac-toe, by action."""


# ------------------------------------------------------------ from the gallery to a won game


def good_move(mine: set[int], theirs: set[int]) -> int:
    """Win, else stop the other, else the middle, a corner, a side."""
    free = set(range(9)) - mine - theirs
    for stones in (mine, theirs):
        for line in LINES:
            missing = set(line) - stones
            if len(missing) == 1 and missing <= free:
                return missing.pop()
    return next(cell for cell in (4, 0, 2, 6, 8, 1, 3, 5, 7) if cell in free)


def play_to_the_end(page: Any) -> None:
    ply = 0
    while True:
        wait_for_turn(page, ply)
        if page.locator(".status-text.over").count():
            return
        moves = view(page)["moves"]
        mine = {m["number"] for m in moves if m["player"] == 0}
        theirs = {m["number"] for m in moves if m["player"] == 1}
        page.click(f'.board-frame [data-action="{good_move(mine, theirs)}"]')
        ply = len(moves) + 1
        page.wait_for_function("ply => document.querySelectorAll('.move').length > ply", arg=ply)
        if not page.locator(".status-text.over").count():
            ply += 1  # the answer of the agent


def test_a_person_beats_a_random_agent(page: Any) -> None:
    page.goto("/")
    page.get_by_role("link", name="Tic-tac-toe: options").click()
    page.wait_for_selector(".seat-setup")
    seats = page.locator(".seat-setup")
    assert seats.count() == 2
    seats.nth(0).locator("select").select_option("person")
    seats.nth(0).get_by_label("Name").fill("Ann")
    seats.nth(1).locator("select").select_option("agent:random")
    start = page.get_by_role("button", name="Start")
    page.wait_for_function("() => !document.querySelector('[type=submit]').disabled", timeout=SLOW)
    start.click()
    page.wait_for_url(re.compile("#/play/[a-z0-9]{12}$"))
    page.wait_for_selector(".seat-label")
    assert page.locator(".seat-label").all_inner_texts() == ["Ann", "random"]
    for _ in range(20):
        play_to_the_end(page)
        if "You won" in status(page):
            break
        page.get_by_role("button", name="Play again").click()
        page.wait_for_function("() => !document.querySelector('.status-text.over')")
    assert "You won" in status(page)
    assert page.locator('.seat.won[data-seat="0"]').count() == 1
    assert page.locator(".board-frame .legal").count() == 0
    ended = view(page)
    assert ended["scores"] == [1, -1]
    mine = {m["number"] for m in ended["moves"] if m["player"] == 0}
    assert any(set(line) <= mine for line in LINES)


def test_one_click_leads_to_a_board(page: Any) -> None:
    page.goto("/")
    page.get_by_label("Perfect").check(force=True)  # the words lie over the button
    assert "no perfect player" in page.locator('[data-game="othello"]').inner_text()
    assert "no perfect player" not in page.locator('[data-game="tictactoe"]').inner_text()
    page.reload()
    assert page.get_by_label("Perfect").is_checked(), "it is remembered"
    page.click('[data-game="tictactoe"]')
    page.wait_for_selector(".board-frame .legal")
    assert page.locator(".seat-label").all_inner_texts() == ["You", "Perfect (perfect)"]
    page.click('.board-frame [data-action="0"]')
    wait_for_turn(page, 2)
    assert view(page)["moves"][1]["number"] == 4, "only the middle keeps the draw"
    page.go_back()
    page.wait_for_selector(".game-card")
    page.wait_for_selector(".resume")


def test_a_game_to_resume_says_whose_turn_it_is_by_name(page: Any) -> None:
    page.goto("/#/play?game=connect4")
    page.wait_for_selector(".seat-setup")
    for seat, name in enumerate(("Ann", "Bob")):
        page.locator(".seat-setup").nth(seat).locator("select").select_option("person")
        page.locator(".seat-setup").nth(seat).get_by_label("Name").fill(name)
    page.wait_for_function("() => !document.querySelector('[type=submit]').disabled", timeout=SLOW)
    page.get_by_role("button", name="Start").click()
    page.click('.board-frame [data-action="3"]')
    page.wait_for_selector('.move[data-ply="1"][aria-current]')
    page.goto("/#/play")
    assert page.locator(".resume").inner_text() == "Resume Connect Four \u00b7 Bob to move"


def test_compiling_is_told(page: Any) -> None:
    page.goto("/#/play")
    page.wait_for_selector(".game-card")
    bar = """async () => {
        const { compilingBar } = await import("/static/play/compiling.js");
        const bar = compilingBar({ share: 0.4, seconds: 3.2 });
        return [bar.value, bar.title, bar.getAttribute("aria-label")];
    }"""
    assert page.evaluate(bar) == [0.4, "40 % after 3 s", "Compiled"]


# ------------------------------------------------------------ one game, all that one can do with it


def stones(page: Any) -> int:
    return page.locator(".board-frame circle[data-piece]").count()


def test_connect_four_with_undo(page: Any) -> None:
    open_table(page, "connect4", {"person": "Ann"}, {"agent": "random"}, seed=5)
    assert page.locator(".tool[data-tool=undo]").is_disabled()
    page.click('.board-frame [data-action="3"]')
    wait_for_turn(page, 2)
    assert stones(page) == 2
    page.click('.board-frame [data-action="2"]')
    wait_for_turn(page, 4)
    assert stones(page) == 4
    page.click(".tool[data-tool=undo]")
    page.keyboard.press("u")  # quicker than the answer
    page.wait_for_selector('.move[data-ply="0"][aria-current]')
    assert stones(page) == 0
    assert page.locator(".move.later").count() == 4
    page.keyboard.press("r")
    page.wait_for_selector('.move[data-ply="2"][aria-current]')
    page.click('.move[data-ply="4"]')  # the list of moves leads anywhere
    page.wait_for_selector('.move[data-ply="4"][aria-current]')
    assert stones(page) == 4
    page.click('.move[data-ply="2"]')
    page.wait_for_selector('.move[data-ply="2"][aria-current]')
    page.click('.board-frame [data-action="6"]')  # another game from here on
    wait_for_turn(page, 4)
    assert view(page)["moves"][2]["number"] == 6
    page.click(".tool[data-tool=resign]")
    page.get_by_role("button", name="Resign", exact=True).last.click()
    page.wait_for_selector(".status-text.over")
    assert status(page) == "You resigned"
    assert view(page)["resigned"] == 0


def test_only_legal_moves_respond(page: Any) -> None:
    open_table(page, "othello", {"person": "Ann"}, {"person": "Bob"})
    legal = {"19", "26", "37", "44"}
    found = page.locator(".board-frame .legal").evaluate_all("parts => parts.map(p => p.dataset.action)")
    assert set(found) == legal
    page.click('.board-frame [data-action="0"]', force=True)  # it is marked as disabled
    page.keyboard.press("Enter")
    page.hover('.board-frame [data-action="1"]')
    assert page.locator(".preview").count() == 0
    page.hover('.board-frame [data-action="19"]')
    assert page.locator(".preview").count() == 1
    assert view(page)["ply"] == 0
    page.click('.board-frame [data-action="19"]')
    page.wait_for_selector('.move[data-ply="1"][aria-current]')


def test_sides_are_swapped_and_seats_changed(page: Any) -> None:
    open_table(page, "nim:players=3", {"person": "Ann"}, {"person": "Bob"}, {"agent": "random"})
    page.click(".tool[data-tool=flip]")
    page.wait_for_function("() => document.querySelector('.seat-label').textContent !== 'Ann'")
    assert sorted(page.locator(".seat-label").all_inner_texts()) == ["Ann", "Bob", "random"]
    page.get_by_role("button", name="Players").click()
    dialog = page.locator("dialog")
    dialog.wait_for()
    chosen = dialog.locator("select").evaluate_all("nodes => nodes.map(node => node.value)")
    assert sorted(chosen) == ["agent:random", "person", "person"]
    for i in range(3):
        dialog.locator(".seat-setup").nth(i).locator("select").select_option("person")
        dialog.locator(".seat-setup").nth(i).get_by_label("Name").fill(f"P{i}")
    dialog.get_by_role("button", name="Apply").click()
    page.wait_for_selector("text=P2")
    assert page.locator(".seat-label").all_inner_texts() == ["P0", "P1", "P2"]


# ------------------------------------------------------------ agents


def test_agents_are_watched_step_by_step(page: Any) -> None:
    open_table(page, "connect4", {"agent": "random"}, {"agent": "random"}, paused=True, seed=2)
    assert page.locator(".board-frame .legal").count() == 0
    for ply in (1, 2, 3):
        page.get_by_role("button", name="Step").click()
        page.wait_for_selector(f'.move[data-ply="{ply}"][aria-current]')
    page.get_by_label("Agent speed").evaluate("node => { node.value = 100; node.dispatchEvent(new Event('change')); }")
    page.click("h1")  # on a button the key would press that
    page.keyboard.press(" ")
    page.wait_for_selector(".status-text.over")
    assert view(page)["over"]


def test_a_thinking_agent_is_shown_and_stopped(page: Any) -> None:
    open_table(page, "tictactoe", {"person": "Ann"}, {"agent": "mcts", "options": {"time": 50.0}})
    boxes = main_boxes(page)
    page.click('.board-frame [data-action="4"]')
    stop = page.get_by_role("button", name="Stop")
    stop.wait_for(timeout=SLOW)
    assert "is thinking" in status(page)
    assert page.locator(".clock").inner_text().endswith(" s")
    assert main_boxes(page) == boxes, "something moved when the status changed"
    page.goto("/#/agents")  # other views go on working
    page.wait_for_selector("h1")
    page.go_back()
    stop.click()
    page.wait_for_selector("text=Resume")
    assert view(page)["paused"]
    assert view(page)["thinking"] is None
    page.click(".tool[data-tool=undo]")
    page.wait_for_selector('.move[data-ply="0"][aria-current]')


def test_a_hint_and_the_values_of_all_moves(page: Any) -> None:
    start = [{"action": a} for a in (0, 3, 1, 4)]
    open_table(page, "tictactoe", {"person": "Ann"}, {"person": "Bob"}, start=start)
    page.click(".tool[data-tool=hint]")
    page.wait_for_selector(".hinted", timeout=SLOW)
    assert "Hint: c1" in page.locator(".advisor-state").inner_text()  # three in a row
    page.keyboard.press("v")
    page.wait_for_selector(".heat-label", timeout=SLOW)
    assert page.locator(".heat-label").count() == 5
    best = page.locator(".heat-label.best")
    assert best.all_text_contents() == ["1"]
    assert overlaps(best.bounding_box(), page.locator('.board-frame [data-action="2"]').bounding_box())
    assert page.locator(".value.best .value-name").all_inner_texts() == ["c1"]
    page.keyboard.press("v")
    assert page.locator(".heat-label").count() == 0


# ------------------------------------------------------------ what cannot be begun


def test_a_bad_parameter_is_shown_and_nothing_starts(page: Any) -> None:
    page.goto("/#/play?game=connect4")
    page.wait_for_selector(".seat-setup")
    page.get_by_role("spinbutton", name="Columns").fill("99")
    page.wait_for_selector(".field .error:not([hidden])")
    assert page.get_by_role("button", name="Start").is_disabled()
    page.goto("/#/play/aaaaaaaaaaaa")
    page.wait_for_selector("text=no such live game")
