"""Inspecting in a real browser: values on the board, two agents side by side, positions of all kinds, n-tuples."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from browser import SLOW

from boardlab.agents.td_ntuple import TDNTuple
from boardlab.registry import make

TUPLES = [[0, 1, 2], [3, 4, 5], [0, 4, 8], [2, 5]]


@pytest.fixture(scope="module")
def agent_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of an agent of Tic-tac-toe whose weights are known: all of the k-th tuple are k hundredths."""
    folder: Path = tmp_path_factory.mktemp("made")
    (folder / "tuples.json").write_text(json.dumps(TUPLES))
    agent = TDNTuple(make("tictactoe"), tuples=str(folder / "tuples.json"), symmetries=False)
    learner = agent.learner
    for k, start in enumerate(learner.values.layout.offsets):
        learner.network.weights[:, start : start + 3 ** len(TUPLES[k])] = 0.01 * (k + 1)
    agent.save(folder / "made.agent")
    return (folder / "made.agent").read_bytes()


def open_inspection(page: Any, query: str) -> None:
    page.goto(f"/#/inspect?{query}")
    page.wait_for_selector(".board-frame svg")


def choose_agent(page: Any, pane: int, value: str) -> None:
    page.locator(".pane").nth(pane).locator(".pane-agent").click()
    page.locator("dialog select").first.select_option(value)
    page.get_by_role("button", name="Use this agent").click()
    page.wait_for_selector("dialog", state="detached")


def wait_for_values(page: Any, pane: int = 0) -> Any:
    labels = page.locator(".pane").nth(pane).locator(".heat-label")
    labels.first.wait_for(timeout=SLOW)
    return labels


def test_values_lie_on_the_board(page: Any) -> None:
    open_inspection(page, "game=tictactoe&moves=a0.a3.a1.a4")
    choose_agent(page, 0, "agent:mcts")
    labels = wait_for_values(page)
    assert labels.count() == 5
    assert page.locator(".heat").count() == 5
    best = page.locator(".heat-label.best")
    assert best.all_text_contents() == ["1"]  # X completes a row with c1
    middle, cell = best.bounding_box(), page.locator('.board-frame [data-action="2"]').bounding_box()
    assert cell["x"] < middle["x"] < cell["x"] + cell["width"]
    assert cell["y"] < middle["y"] < cell["y"] + cell["height"]
    names = page.locator(".value-name").all_inner_texts()
    assert names[0] == "c1" and sorted(names) == ["a3", "b3", "c1", "c2", "c3"]
    page.click('.board-frame [data-action="5"]')  # free moves for both sides, and their values again
    page.wait_for_selector('.move[data-ply="5"][aria-current]')
    assert wait_for_values(page).count() == 4
    page.click('.board-frame [data-action="2"]')
    page.wait_for_selector('.move[data-ply="6"][aria-current]')
    assert "moves=a0.a3.a1.a4.a5.a2" in page.url
    page.reload()
    page.wait_for_selector('.move[data-ply="6"][aria-current]')


def test_two_agents_side_by_side(page: Any) -> None:
    open_inspection(page, "game=tictactoe&moves=a0.a3.a1.a4")
    choose_agent(page, 0, "agent:mcts")
    page.get_by_role("button", name="Compare").click()
    page.locator(".pane").nth(1).wait_for()
    choose_agent(page, 1, "agent:random")
    wait_for_values(page, 0)
    page.locator(".pane-note", has_text="no opinion").wait_for()
    first, second = (page.locator(".board-frame").nth(i).bounding_box() for i in range(2))
    assert first["y"] == second["y"] and first["x"] + first["width"] <= second["x"]
    choose_agent(page, 1, "agent:perfect")
    wait_for_values(page, 1)
    assert page.locator(".values-head span").all_inner_texts()[1:] == ["mcts", "perfect"]
    assert page.locator(".value").first.locator(".value-number").all_inner_texts() == ["1", "1"]
    page.get_by_role("button", name="Remove this agent").last.click()
    page.wait_for_function("() => document.querySelectorAll('.pane').length === 1")


def test_chance_is_chosen_by_hand(page: Any) -> None:
    open_inspection(page, "game=2048")
    chance = page.get_by_label("Outcome of the chance event")
    chance.select_option(label=chance.locator("option").nth(1).inner_text())
    page.wait_for_selector('.move[data-ply="1"][aria-current]')
    page.get_by_role("button", name="Random").click()
    page.wait_for_selector('.move[data-ply="2"][aria-current]')
    assert page.locator(".board-frame .legal").count() > 0
    page.locator(".board-frame .legal").first.click()
    page.wait_for_selector('.move[data-ply="3"][aria-current]')
    assert chance.is_visible()


def test_a_position_set_up_by_hand(page: Any) -> None:
    open_inspection(page, "game=tictactoe")
    page.get_by_role("button", name="Set up").click()
    places, verdict = page.locator("dialog .place"), page.locator("dialog .verdict")
    places.first.wait_for()
    assert places.count() == 9
    page.locator("dialog .chip", has_text="X").first.click()
    places.nth(0).click()
    page.locator("dialog .verdict.error").wait_for(timeout=SLOW)
    assert "X has as many as O; here X has 1 and O has 0" in verdict.inner_text()
    assert page.get_by_role("button", name="Use this position").is_disabled()
    page.locator("dialog .chip", has_text="O").first.click()
    places.nth(0).focus()
    page.keyboard.press("ArrowDown")
    frame, place = page.locator("dialog .place-frame"), places.nth(3).locator("polygon")
    assert frame.get_attribute("points") == place.get_attribute("points"), "the frame is not where the focus is"
    assert frame.evaluate("(frame) => frame === frame.parentElement.lastElementChild"), "neighbours cover the frame"
    page.keyboard.press("Enter")
    page.locator("dialog .verdict:not(.error)", has_text="X to move").wait_for(timeout=SLOW)
    page.get_by_role("button", name="Use this position").click()
    page.wait_for_selector("dialog", state="detached")
    page.locator(".status", has_text="by hand").wait_for()
    assert "setup=1.0.0.2.0.0.0.0.0&turn=0" in page.url
    page.locator('.board-frame [data-action="8"]').click()
    page.wait_for_selector('.move[data-ply="1"][aria-current]')
    page.reload()
    page.locator(".status", has_text="by hand").wait_for()
    page.get_by_role("button", name="Play from here").click()
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_selector(".live-game .board-frame svg")
    assert page.locator(".board-frame .legal").count() == 6


def test_agents_are_in_the_address(page: Any) -> None:
    open_inspection(page, "game=tictactoe&moves=a4&agent=perfect&agent=mcts:iterations=50")
    page.locator(".pane").nth(1).wait_for()
    names = page.locator(".pane-agent").all_inner_texts()
    assert [name.split()[0] for name in names] == ["perfect", "mcts"]
    wait_for_values(page, 1)
    assert "agent=perfect&agent=mcts%3Aiterations%3D50" in page.url
    page.goto("/#/inspect?game=tictactoe&agent=level%3Deasy")
    page.locator(".pane-agent", has_text="Easy").wait_for()
    wait_for_values(page, 0)
    assert page.url.endswith("agent=level%3Deasy")


def test_stepping_through_a_stored_game(page: Any) -> None:
    ask = page.request
    seats = [{"person": "Ann"}, {"person": "Bob"}]
    table = ask.post("/api/tables", data={"game": "connect4", "seats": seats}).json()
    for ply, action in enumerate([3, 2, 3, 2, 3, 2, 3]):
        table = ask.post(f"/api/tables/{table['id']}/move", data={"action": action, "ply": ply}).json()
    while table["record"] is None:  # it is stored beside the game
        page.wait_for_timeout(20)
        table = ask.get(f"/api/tables/{table['id']}").json()
    open_inspection(page, f"record={table['record']}&ply=0")
    page.wait_for_selector('.move[data-ply="0"][aria-current]')
    assert page.locator(".move").count() == 8
    stones = page.locator(".board-frame circle:is([fill*=first], [fill*=second]):not([data-ghost])")
    page.get_by_role("button", name="Next position").click()
    page.wait_for_selector('.move[data-ply="1"][aria-current]')
    page.keyboard.press("End")
    page.wait_for_selector('.move[data-ply="7"][aria-current]')
    assert stones.count() == 7
    assert page.locator(".status-text").inner_text() == "Ann won"
    page.reload()
    page.locator(".status-text", has_text="Ann won").wait_for()
    page.click('.move[data-ply="3"]')
    page.wait_for_selector('.move[data-ply="3"][aria-current]')
    assert stones.count() == 3
    page.get_by_role("button", name="Stored game").click()
    page.locator(".record").first.wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Play from here").click()
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_selector(".live-game .board-frame svg")
    assert page.locator(".move").count() == 4


def test_tuples_their_weights_and_their_tables(page: Any, agent_file: bytes) -> None:
    answer = page.request.post(
        "/api/files?name=inspected", data=agent_file, headers={"Content-Type": "application/octet-stream"}
    )
    assert answer.ok, answer.text()
    open_inspection(page, f"file={answer.json()['id']}")
    assert wait_for_values(page).count() == 9
    page.wait_for_selector(".tuple", timeout=SLOW)
    assert page.locator(".tuple").count() == len(TUPLES)
    assert page.locator(".tuple-number").all_inner_texts() == ["#4", "#3", "#2", "#1"]  # the largest first
    assert page.locator(".tuple .num").all_inner_texts() == ["0.0400", "0.0300", "0.0200", "0.0100"]
    assert "4 tuples add up to 0.1000" in page.locator(".tuples").inner_text()
    page.click('.tuple[data-tuple="3"]')
    page.wait_for_selector("text=2 cells: 2, 5")
    page.wait_for_function("() => document.querySelector('.lookup').textContent.includes('of 9')")
    page.get_by_label("Sort order").select_option("index")
    page.wait_for_function("() => document.querySelector('.lookup td').textContent === '0'")
    assert page.locator(".lookup tbody tr").count() == 9
    cells = page.locator(".lookup .cells").all_inner_texts()
    assert sorted(cells) == sorted(a + b for a in ".XO" for b in ".XO")
    weights = page.locator(".lookup tbody td:nth-child(3)").all_inner_texts()
    assert set(weights) == {"0.04000"}
    assert page.locator(".tuple-large").count() == 1
    sketch, number = (page.locator(name).first.bounding_box() for name in (".tuple-sketch", ".tuple-number"))
    assert sketch["x"] + sketch["width"] <= number["x"], "the number is beside the picture"


def test_who_is_to_move_has_the_colour_of_the_stones(page: Any) -> None:
    colour = "node => getComputedStyle(node).backgroundColor"
    seen = []
    for moves in ("", "&moves=a3"):
        page.goto("about:blank")
        open_inspection(page, f"game=connect4{moves}")
        seen.append(page.locator(".status .player-chip").evaluate(colour))
    page.goto("/#/play?game=connect4")
    page.wait_for_selector(".seat-setup")
    assert page.locator(".seat-setup label .player-chip").evaluate_all(f"nodes => nodes.map({colour})") == seen
    assert seen[0] != seen[1]


def test_inspection_fits_a_phone(phone: Any) -> None:
    for game in ("hex:size=11", "2048", "othello"):
        phone.goto("about:blank")
        open_inspection(phone, f"game={game}")
        assert phone.evaluate("document.documentElement.scrollWidth") <= 360
        names = (".game-head", ".pane-head", ".board-frame", ".status", ".steps", ".values-card", ".moves-card")
        boxes = [phone.locator(name).bounding_box() for name in names]
        for above, below in pairwise(boxes):
            assert above["y"] + above["height"] <= below["y"] + 0.5
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 360.5 for box in boxes)
