"""The n-tuple editor in a real browser: tuples by clicks and keys, a generated set, saved, and trained with."""

from __future__ import annotations

from typing import Any

import pytest


def test_tuples_are_made_by_clicking_saved_and_trained_with(page: Any) -> None:
    page.goto("/#/tuples?game=tictactoe")
    place = page.locator(".place")
    place.first.wait_for()
    for cell in (0, 4, 8):
        place.nth(cell).click()
    page.get_by_role("heading", name="Tuple 1: 3 cells, 27 weights").wait_for()
    page.get_by_role("button", name="New tuple").click()
    place.nth(1).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press(" ")
    page.get_by_role("heading", name="Tuple 2: 2 cells, 9 weights").wait_for()
    place.nth(4).click()  # out again
    page.get_by_role("heading", name="Tuple 2: 1 cell, 3 weights").wait_for()
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.locator(".tuple-need", has_text="2 tuples, 30 weights; a training needs about").wait_for()
    assert page.locator(".tuple-thumb").count() == 2
    page.get_by_label("Name").fill("by hand")
    page.get_by_role("button", name="Train with it").click()
    page.wait_for_url("**/#/train**")
    field = page.locator('[data-field="tuples"]')
    field.wait_for(state="attached")
    assert field.input_value() == "saved:by hand"
    page.goto("/#/tuples?game=tictactoe&saved=by+hand")
    page.locator(".tuple-thumb").nth(1).wait_for()
    assert page.locator(".tuple-thumb").first.get_attribute("aria-label") == "Tuple 1: cells 0, 4, 8"


@pytest.mark.slow
def test_a_set_is_generated_and_comes_back_with_its_address(page: Any) -> None:
    page.goto("/#/tuples?game=connect4")
    page.get_by_label("Set", exact=True).fill("walk:12x5")
    page.get_by_role("button", name="Generate").click()
    page.locator(".tuple-thumb").nth(11).wait_for()
    first = page.locator(".tuple-thumb").first.get_attribute("aria-label")
    page.reload()
    page.locator(".tuple-thumb").nth(11).wait_for()
    assert page.locator(".tuple-thumb").first.get_attribute("aria-label") == first
    page.get_by_label("Set", exact=True).fill("walk:5000x5")
    page.get_by_role("button", name="Generate").click()
    page.locator(".notice.error", has_text="the arena allows 1,000 n-tuples, not 5,000").wait_for()


def test_every_tuple_of_a_large_set_is_seen_whole(page: Any) -> None:
    page.goto("/#/tuples?game=connect4&text=walk:70x8")
    page.locator(".tuple-thumb").nth(69).wait_for()
    boxes = """thumbs => thumbs.map((thumb) => {
        const [outside, inside] = [thumb, thumb.querySelector(".sketch")].map((node) => node.getBoundingClientRect());
        return inside.top >= outside.top && inside.bottom <= outside.bottom;
    })"""
    assert page.locator(".tuple-thumb").evaluate_all(boxes) == [True] * 70
