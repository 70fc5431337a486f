"""No view has a barrier that axe-core knows: names and roles for screen readers, contrast, order, labels.

axe-core comes from npm (`npm ci`, or `make lint`), for the tests alone; where it is missing they are skipped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import SLOW, open_page
from sweep_folders import rising, write_run

AXE = Path(__file__).parent.parent / "node_modules" / "axe-core" / "axe.min.js"

VIEWS = {
    "gallery": ("/#/play", ".game-card"),
    "set-up": ("/#/play?game=connect4", ".seat-setup select"),
    "inspect": ("/#/inspect?game=tictactoe", ".board-frame svg"),
    "train": ("/#/train", "h1"),
    "n-tuples": ("/#/tuples?game=tictactoe&text=default", ".tuple-thumb"),
    "compare": ("/#/compare", "h1"),
    "sweeps": ("/#/sweeps", "h1"),
    "agents": ("/#/agents", "h1"),
    "gallery of players": ("/#/gallery", ".gallery-card"),
    "games": ("/#/games", "h1"),
    "compete": ("/#/compete", "h1"),
    "tournaments": ("/#/tournaments", ".entrants li"),
    "hall of fame": ("/#/hall", "h1"),
    "leagues": ("/#/league", ".league-opener"),
    "league": ("/#/league/tictactoe", ".entry-form"),
}
GAMES = ["tictactoe", "connect4", "othello", "hex:size=4", "nim", "2048", "dots", "sim", "nimm3"]

RUN = """async () => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    const where = ({ nodes }) => nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`);
    return violations.map((found) => `${found.id}: ${found.help}: ${where(found)}`);
}"""


def barriers(page: Any) -> list[str]:
    """What axe-core has to say about the page as it is."""
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: npm ci")
    page.evaluate("document.getAnimations().forEach((a) => a.effect.getTiming().iterations < 9 && a.finish())")
    page.evaluate(AXE.read_text())
    found: list[str] = page.evaluate(RUN)
    return found


def sit(page: Any, game: str) -> str:
    """A game that has begun, against an agent; its address."""
    seats = [{"person": "Ann"}, {"agent": "random"}][: 1 if game == "2048" else 2]
    return "/#/play/" + page.request.post("/api/tables", data={"game": game, "seats": seats}).json()["id"]


def trained_agent(page: Any) -> str:
    """An agent file with a learning curve. Which others there are depends on the tests that used this arena before."""
    return str(page.request.post("/api/gallery/hex/copy").json()["id"])


def agent_page(page: Any) -> None:
    page.goto(f"/#/agents/{trained_agent(page)}")
    page.get_by_role("heading", name="Parameters of").wait_for()


def comparison(page: Any) -> None:
    page.goto(f"/#/compare?file={trained_agent(page)}")
    page.wait_for_selector('.compare-plot[data-curves="1"]')


def position_editor(page: Any) -> None:
    page.goto("/#/inspect?game=tictactoe")
    page.get_by_role("button", name="Set up").click()
    page.wait_for_selector("dialog .place")


def analysis(page: Any) -> None:
    moves = {"game": "tictactoe", "moves": "b2 a2 a1 c3 c1 b1 a3"}
    record = page.request.post("/api/records/import", data=moves).json()["id"]
    page.goto(f"/#/games/{record}")
    page.get_by_role("button", name="Analyse this game").click()
    page.locator(".analysis", has_text="knows every position").wait_for(timeout=SLOW)


def sweep(page: Any) -> None:
    folder = Path(page.request.get("/api/about").json()["data"]) / "sweeps" / "seen by axe"
    if not folder.exists():
        for seed in (1, 2):
            write_run(folder, seed, {"alpha": 0.1}, seed, rising(-0.2, 1000, seed))
    page.goto("/#/sweeps/seen by axe")
    page.wait_for_selector(".sweep-report img", timeout=SLOW)
    page.wait_for_selector('.compare-plot[data-curves="1"]')


def with_clock(page: Any) -> None:
    seats, clock = [{"person": "Ann"}, {"person": "Bob"}], {"minutes": 0.2}
    table = page.request.post("/api/tables", data={"game": "tictactoe", "seats": seats, "clock": clock}).json()["id"]
    page.goto(f"/#/play/{table}")
    page.locator('.board-frame [data-action="4"]').click()
    page.wait_for_selector(".seat-clock.running")


OPENED = {
    "agent page": agent_page,
    "comparison": comparison,
    "position editor": position_editor,
    "analysis": analysis,
    "sweep": sweep,
    "clock": with_clock,
}
"""Views that are only there after something was done."""
LONG = ("analysis", "sweep")
"""Those that a worker has to compile or to draw for."""


def check_views(page: Any, games: list[str], opened: list[str]) -> None:
    found = {}
    for name, (address, shown) in VIEWS.items():
        page.goto(address)
        page.wait_for_selector(shown)
        found[name] = barriers(page)
    trained_agent(page)  # a table with a row
    page.goto("/#/agents")
    page.wait_for_selector("td")
    found["agent files"] = barriers(page)
    for name in opened:
        OPENED[name](page)
        found[name] = barriers(page)
    for game in games:
        page.goto(sit(page, game))
        page.wait_for_selector(".board-frame .legal", state="attached")
        found[game] = barriers(page)
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    found["dialog"] = barriers(page)
    assert not any(found.values()), {name: said for name, said in found.items() if said}


def test_no_view_has_a_barrier(page: Any) -> None:
    check_views(page, GAMES[:1], [name for name in OPENED if name not in LONG])


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desktop", "phone"])
def test_no_view_has_a_barrier_in_any_light(chromium: Any, arena: str, scheme: str, size: tuple[int, int]) -> None:
    look = {"viewport": {"width": size[0], "height": size[1]}, "color_scheme": scheme}
    with open_page(chromium, arena, **look) as page:
        check_views(page, GAMES, list(OPENED))
