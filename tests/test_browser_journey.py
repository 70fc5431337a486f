"""The way of a newcomer: from the command to the first move, with few clicks and without waiting."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from browser import SLOW, open_arena, open_page

from boardlab.system.machine import cores

MOST_CLICKS, MOST_SECONDS = 3, 5.0


def journey(chromium: Any, data: Path) -> tuple[int, float]:
    """How many clicks and seconds it took to open the arena and to make a move in the game that comes first; the
    opponent has answered afterwards."""
    begin, clicks = time.monotonic(), 0
    with (
        open_arena(data) as address,
        open_page(chromium, address, viewport={"width": 1280, "height": 800}) as page,
    ):
        page.goto("/")
        for what in (".game-card", '.board-frame [data-action="3"]'):
            page.locator(what).first.click()
            clicks += 1
        page.wait_for_selector('.move[data-ply="1"]')
        seconds = time.monotonic() - begin
        page.wait_for_selector('.move[data-ply="2"]', timeout=SLOW)
        assert page.locator(".seat-label").all_inner_texts() == ["You", "Medium (mcts)"]
    return clicks, seconds


@pytest.mark.slow
def test_from_the_command_to_the_first_move(chromium: Any, tmp_path: Path) -> None:
    """The first time everything is compiled; then the best of three counts. On a machine that has more to do than it
    has cores for, the time tells nothing, and only the clicks count."""
    journey(chromium, tmp_path / "cold")
    taken = [journey(chromium, tmp_path / str(k)) for k in range(3)]
    assert max(clicks for clicks, _ in taken) <= MOST_CLICKS
    print(f"{taken[0][0]} clicks; {', '.join(f'{seconds:.1f} s' for _, seconds in taken)}")
    if os.getloadavg()[0] <= cores():
        assert min(seconds for _, seconds in taken) <= MOST_SECONDS, taken
