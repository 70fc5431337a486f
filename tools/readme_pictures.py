"""Makes the pictures of the README from an agent that was trained just now:

    boardlab train connect4 --preset quick --seed 1 --evaluation-games 400 --evaluate-every 24000
    python tools/readme_pictures.py agents/connect4.agent

The arena is opened with this agent and photographed by a headless Chromium; the learning curve is the one beside the
agent file. Both are reduced to 256 colours and written to docs/images.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
MOVES = ".".join(f"a{column}" for column in (5, 5, 3, 2, 2, 2, 5))
"""Columns, from 0. One move wins for O, three draw, three lose."""


@contextmanager
def arena(agent: Path) -> Iterator[str]:
    """The address of an arena whose only agent file is this one."""
    with tempfile.TemporaryDirectory() as data:
        (Path(data) / "agents").mkdir()
        shutil.copy(agent, Path(data) / "agents")
        run = [sys.executable, "-u", "-c", "from boardlab.cli.main import main; main()", "arena", "--no-browser"]
        with subprocess.Popen([*run, "--port", "0", "--data", data], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                yield next(found.group() for line in process.stdout if (found := re.search(r"http://\S+", line)))
            finally:
                process.send_signal(signal.SIGINT)


def choose(page: Page, pane: int, agent: str) -> None:
    """Take the first agent whose label contains these words."""
    page.locator(".pane").nth(pane).locator(".pane-agent").click()
    agents = page.locator("dialog select").first
    option = agents.locator("option", has_text=agent).first
    option.wait_for(state="attached")
    agents.select_option(option.get_attribute("value"))
    page.get_by_role("button", name="Use this agent").click()
    page.locator(".pane").nth(pane).locator(".heat-label").first.wait_for(timeout=300_000)


def photograph(address: str, agent: str, picture: Path) -> None:
    """What the agent thinks of the moves in a position of Connect Four, and what a perfect player thinks."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{address}#/inspect?game=connect4&moves={MOVES}")
        page.wait_for_selector(".board-frame svg")
        choose(page, 0, agent)
        page.get_by_role("button", name="Compare").click()
        choose(page, 1, "c4-perfect")
        page.mouse.move(0, 0)
        page.screenshot(path=picture)
        browser.close()


def reduced(picture: Path, target: Path) -> None:
    """The same picture in 256 colours."""
    Image.open(picture).convert("RGB").quantize(256).save(target, optimize=True)


def main() -> None:
    """Both pictures, of the agent file that the command names."""
    agent = Path(sys.argv[1])
    IMAGES.mkdir(exist_ok=True)
    reduced(agent.with_suffix(".png"), IMAGES / "learning-curve.png")
    with arena(agent) as address, tempfile.TemporaryDirectory() as folder:
        photograph(address, agent.stem, Path(folder) / "arena.png")
        reduced(Path(folder) / "arena.png", IMAGES / "arena.png")


if __name__ == "__main__":
    main()
