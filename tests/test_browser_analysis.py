"""Stored games analysed in a real browser: a list of moves taken in, the graph, and the mistake that it finds."""

from __future__ import annotations

from typing import Any

import pytest
from browser import SLOW


def test_an_imported_game_is_analysed_and_its_mistake_found(page: Any) -> None:
    """X takes the middle, O an edge, which loses: 1. b2 a2?"""
    page.goto("/#/games")
    page.get_by_role("button", name="Import").click()
    page.locator("dialog select").first.select_option("tictactoe")
    page.get_by_label("Moves").fill("b2 a9")
    page.locator("dialog").get_by_role("button", name="Import").click()
    page.locator("dialog .notice.error", has_text="move 2, a9").wait_for()
    page.get_by_label("Moves").fill("1. b2 2. a2 3. a1 4. c3 5. c1 6. b1 7. a3")
    page.locator("dialog").get_by_role("button", name="Import").click()
    page.wait_for_selector(".replay .board-frame svg")
    page.get_by_role("button", name="Analyse this game").click()
    page.locator(".analysis", has_text="perfect knows every position").wait_for(timeout=SLOW)
    mistakes = page.locator(".replay-moves li:has(.grade.mistake)")
    assert "2" in [item.get_attribute("data-ply") for item in mistakes.all()]
    marks = page.locator(".evaluation-mark.mistake")
    assert marks.count() == mistakes.count() > 0
    assert "Above the middle line X is ahead" in page.locator(".analysis").inner_text()
    assert "O (imported):" in page.locator(".analysis").inner_text()
    line = page.locator(".evaluation-line").evaluate("node => [...node.points].map(({ x, y }) => [x, y])")
    assert len(line) == 8, "the start, and the position after every move"
    assert line[1][1] > line[2][1], "the mistake has cost O the draw, and the graph rises with it"
    assert [float(marks.first.get_attribute(name)) for name in ("x1", "y1")] == pytest.approx(line[2])
    graph = page.locator(".evaluation")
    graph.click(position={"x": 4, "y": 60})
    page.locator('.replay-moves li.current[data-ply="0"]').wait_for()
    graph.click(position={"x": graph.bounding_box()["width"] - 4, "y": 60})
    page.locator('.replay-moves li.current[data-ply="7"]').wait_for()
